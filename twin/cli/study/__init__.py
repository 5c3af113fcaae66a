"""Commands that look at many designs."""
