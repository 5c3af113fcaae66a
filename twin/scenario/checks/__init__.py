"""Checks of a scene, by topic."""
