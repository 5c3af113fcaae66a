"""Rooms, prefabs, and pieces of scenes that are copied and pasted."""
