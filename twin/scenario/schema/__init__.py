"""The document: its models and their fields."""
