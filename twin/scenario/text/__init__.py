"""YAML with places: parsed, written, and told of with line and key."""
