"""The help in the window: pages of assets/help, search in them, and the window that shows them."""
