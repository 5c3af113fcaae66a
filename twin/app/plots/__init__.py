"""Curves of the run, live and recorded."""
