"""Calibration profiles and model presets, read from files with their sources."""
