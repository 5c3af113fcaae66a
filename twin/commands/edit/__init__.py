"""The scene being edited: commands, drafts, changes, and the effect of an edit on later ones."""
