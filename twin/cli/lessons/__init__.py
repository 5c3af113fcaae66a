"""Commands for teachers: lessons and drills."""
