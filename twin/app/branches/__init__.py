"""What if from here: branches of a run."""
