"""Tables of training configurations: estimated, validated, calibrated."""
