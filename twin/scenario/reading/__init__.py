"""From text to a scenario."""
