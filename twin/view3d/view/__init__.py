"""The canvas and its pointer."""
