"""Meters of power, water, cost and hours."""
