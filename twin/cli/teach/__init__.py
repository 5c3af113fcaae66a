"""Commands for teachers and trainers."""
