"""Demand and capacity of a scene: power, cooling, ports, floor and money."""
