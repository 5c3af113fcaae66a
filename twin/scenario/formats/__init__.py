"""Weather, grid, job and fault traces of others."""
