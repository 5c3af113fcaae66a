"""Picking, presets and the plan of the site."""
