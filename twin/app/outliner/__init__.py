"""The tree of the scene."""
