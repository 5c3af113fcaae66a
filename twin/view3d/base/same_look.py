"""Whether two plants look the same: then one picture's layers do for the other."""

from __future__ import annotations

from dataclasses import replace

from twin.plant.equal_arrays import alike
from twin.plant.tables import Plant


def looks_like(plant: Plant, other: Plant) -> bool:
    """Return whether two plants differ at most in what frames tell: the epoch, and which nodes are drained."""
    return plant is other or alike(_drawn(plant), _drawn(other))


def _drawn(plant: Plant) -> Plant:
    return replace(plant, epoch=0, nodes=replace(plant.nodes, drained=plant.nodes.present))
