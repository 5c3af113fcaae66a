"""What a part asks of a site: power, heat, network ports, weight and money; and what the site has left of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.catalog import Catalog, CduPart, CrahPart, NodePart, RackPart, RdhxPart, SwitchPart
from twin.catalog.compute_parts import StoragePart
from twin.catalog.cooling_parts import TankPart
from twin.plant.design_load import rack_design_w
from twin.plant.tables import Plant, SwitchRole


@dataclass(frozen=True)
class PartLoad:
    """Power [W], heat to be cooled [W], ports of the fabric, weight [kg] and price [USD]; None: not known.

    `gives_w` is the heat that it takes away, of coolers.
    """

    power_w: float = 0.0
    heat_w: float = 0.0
    ports: int = 0
    weight_kg: float | None = None
    cost_usd: float | None = None
    gives_w: float = 0.0

    def times(self, count: int) -> PartLoad:
        """Return the load of several."""
        return PartLoad(
            self.power_w * count,
            self.heat_w * count,
            self.ports * count,
            None if self.weight_kg is None else self.weight_kg * count,
            None if self.cost_usd is None else self.cost_usd * count,
            self.gives_w * count,
        )


@dataclass(frozen=True)
class SiteRoom:
    """What the halls draw at most, beside what they can have; None where nothing limits it.

    Attributes
    ----------
    power_w, power_limit_w
        Everything in racks, and what the items that feed racks can deliver on one side of the feeds alone.
    heat_w, heat_limit_w
        The same heat, and what the loops can take.
    ports, port_limit
        Ports of leaf switches in use, and those there are.
    """

    power_w: float
    power_limit_w: float | None
    heat_w: float
    heat_limit_w: float | None
    ports: int
    port_limit: int | None


def part_load(catalog: Catalog, part_id: str) -> PartLoad:
    """Return what one part asks for, with all that is in it; raises UnknownPart."""
    part = catalog.part(part_id)
    weight, cost = part.weight_kg, part.price_usd
    if isinstance(part, NodePart):
        power_w = part.measured_max_w or part.max_w
        ports = sum(group.count for group in part.nics if group.use != "storage")
        return PartLoad(power_w, power_w, ports, weight, cost)
    if isinstance(part, RackPart):
        ports = 0
        for group in part.layout:
            inside = catalog.part(group.part)
            if isinstance(inside, NodePart):
                ports += part_load(catalog, group.part).ports * group.count
        return PartLoad(part.max_w, part.max_w, ports, weight, cost)
    if isinstance(part, SwitchPart):
        return PartLoad(part.typical_w, part.typical_w, 0, weight, cost)
    if isinstance(part, StoragePart):
        return PartLoad(part.power_w or 0.0, part.power_w or 0.0, 0, weight, cost)
    if isinstance(part, CduPart | TankPart):
        return PartLoad(part.power_w, 0.0, 0, weight, cost, gives_w=part.capacity_w)
    if isinstance(part, CrahPart | RdhxPart):
        return PartLoad(part.fan_w, 0.0, 0, weight, cost, gives_w=part.capacity_w)
    return PartLoad(weight_kg=weight, cost_usd=cost)


def site_room(plant: Plant, catalog: Catalog) -> SiteRoom:
    """Return what a site draws, and what it can have."""
    power_w = float(rack_design_w(plant, catalog)[plant.racks.present].sum())
    feeding = plant.power.present & (plant.power.feed >= 0)
    sides = [plant.power.capacity_w[feeding & (plant.power.feed == side)] for side in (0, 1)]
    known = [float(side.sum()) for side in sides if len(side) and not np.isnan(side).any()]
    heat_limit_w = 0.0
    for slot in np.flatnonzero(plant.loops.present).tolist():
        part = catalog.part(plant.loops.part[slot])
        if isinstance(part, CduPart | TankPart | CrahPart):
            heat_limit_w += part.capacity_w * int(plant.loops.units[slot])
        elif isinstance(part, RdhxPart):
            heat_limit_w += part.capacity_w * int((plant.racks.air_loop == slot).sum())
    leaves = plant.switches.present & (plant.switches.role == SwitchRole.LEAF)
    return SiteRoom(
        power_w,
        min(known) if known else None,
        power_w,
        heat_limit_w or None,
        len(plant.node_links.node),
        int(plant.switches.ports[leaves].sum()) if leaves.any() else None,
    )
