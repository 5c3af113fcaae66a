"""The power tree."""
