"""The 3D panel and what floats over it."""
