"""What commands print for people: summaries and comparisons as text and tables."""
