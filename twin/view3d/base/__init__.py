"""State of the view, palette, cameras and geometry."""
