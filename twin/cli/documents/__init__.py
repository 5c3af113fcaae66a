"""Commands that hand a design on: lists and drawings."""
