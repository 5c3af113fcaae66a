"""Studies: what varies, sweeps over seeds, their files, sensitivity and optimisation; no Qt."""
