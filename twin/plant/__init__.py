"""Scenario to structure of arrays and graphs: layout, fabric, power tree, coolant tree."""
