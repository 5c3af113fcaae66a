"""What a scene cannot be, by topic."""
