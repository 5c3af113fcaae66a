"""What frames show of a run."""
