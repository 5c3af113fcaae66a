"""The main window, its docks, menus and actions, and the start; only the command line imports it."""
