"""Presentation of a scene: its chapters on the hall, the presenter's notes, what there is to try."""
