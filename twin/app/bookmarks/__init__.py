"""The view file, bookmarks, and going to a time."""
