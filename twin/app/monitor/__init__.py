"""Alarms, events, spares, checks and losses."""
