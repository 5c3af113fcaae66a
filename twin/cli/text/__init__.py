"""Output of commands for people: summaries and comparisons as text and tables."""
