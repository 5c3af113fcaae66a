"""Jobs: their plans, steps, checkpoints and recovery."""
