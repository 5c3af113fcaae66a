"""Two runs or scenes side by side."""
