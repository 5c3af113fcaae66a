"""Spare machines of a room: how many of each kind are needed, and how many are present."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from twin.catalog import CduPart, ChillerPart, CrahPart
from twin.commands.edit.command import EditedScene
from twin.language import tr
from twin.plant.design_load import loop_heat_w, loop_machines_needed


@dataclass(frozen=True)
class Spares:
    """Machines that can replace one another, in groups that are all alike.

    Attributes
    ----------
    machines
        Name of the machines: "CDUs".
    groups
        How many groups there are.
    needed, units
        Machines needed in the group with the highest load, and its machines in all.
    each_w, group_w
        Capacity of one machine, and load of that group [W]; nan for machines without heat.
    """

    machines: str
    groups: int
    needed: int
    units: int
    each_w: float = math.nan
    group_w: float = math.nan

    @property
    def words(self) -> str:
        """Return "7 x (7 + 1) air handlers"."""
        counted = f"{self.needed} + {max(0, self.units - self.needed)}"
        return f"{f'{self.groups:,} x ({counted})' if self.groups > 1 else counted} {self.machines}"


def spares_of(scene: EditedScene) -> list[Spares]:
    """Return the machines of loops, facility water and generators, and of UPS where one path has spare ones."""
    plant, catalog = scene.plant, scene.catalog
    heat_w, found = loop_heat_w(plant, catalog), []
    needed_of = loop_machines_needed(plant, catalog)
    first = 0
    for loop in scene.scenario.cooling.loops:
        items, first = slice(first, first + loop.count), first + loop.count
        part, most_w = catalog.part(plant.loops.part[items.start]), float(heat_w[items].max())
        if not isinstance(part, CduPart | CrahPart):
            continue  # doors stand for themselves
        needed = int(needed_of[items].max())
        noun, units = (
            "CDUs" if isinstance(part, CduPart) else tr("air handlers"),
            int(plant.loops.units[items.start]),
        )
        found.append(Spares(noun, loop.count, needed, units, part.capacity_w, most_w))
    water_w = np.bincount(plant.loops.plant, heat_w, len(plant.plants.ids))
    for slot, name in enumerate(plant.plants.part):
        part, counts = catalog.part(name), (int(plant.plants.needed[slot]), int(plant.plants.units[slot]))
        if isinstance(part, ChillerPart):
            found.append(Spares(tr("chillers"), 1, *counts, part.capacity_w, float(water_w[slot])))
    for stage in scene.scenario.power:
        needed = stage.needed or stage.units
        if stage.kind == "generator" or (stage.kind == "ups" and stage.units > needed):
            noun = tr("generators") if stage.kind == "generator" else "UPS"
            found.append(Spares(noun, stage.count, needed, stage.units))
    return found
