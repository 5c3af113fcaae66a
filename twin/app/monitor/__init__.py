"""Alarms, events, spares, checks and losses; progress of work in the background."""
