"""Parts, prefabs and the room wizard."""
