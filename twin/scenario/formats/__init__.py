"""Import of weather, grid, job and fault files."""
