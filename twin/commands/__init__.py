"""Edits of a scene: each a Command that yields a Patch with its inverse; history, wiring, copies."""
