"""YAML with places: parsed, written, and reported with line and key."""
