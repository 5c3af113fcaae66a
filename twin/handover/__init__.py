"""One file to hand over: a scene with all it needs, and what others read of it."""
