"""Facts and properties of what is selected."""
