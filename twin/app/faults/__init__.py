"""The dialog and menus that break things."""
