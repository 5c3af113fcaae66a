"""Words and rows about one thing of the hall; no Qt."""
