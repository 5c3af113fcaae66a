"""Scenes loaded, saved, patched, compared and shown."""
