"""Programs, textures, canvas, lines and labels."""
