"""Clocks that say what fails when."""
