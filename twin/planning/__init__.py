"""A job on hardware: step time and memory from model presets and calibration profiles."""
