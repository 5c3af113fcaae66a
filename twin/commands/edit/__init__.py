"""The scene being worked on: commands, drafts, changes, and what an edit does to edits still to come."""
