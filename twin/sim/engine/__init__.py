"""The event loop."""
