"""The timeline bar and its transport."""
