"""What a part asks of a site: power, heat, network ports, weight and money."""

from __future__ import annotations

from dataclasses import dataclass

from twin.catalog import Catalog, CduPart, CrahPart, NodePart, RackPart, RdhxPart, SwitchPart
from twin.catalog.compute_parts import StoragePart
from twin.catalog.cooling_parts import TankPart


@dataclass(frozen=True)
class PartLoad:
    """Power [W], heat to be cooled [W], ports of the fabric, weight [kg] and price [USD]; None: not known.

    `gives_w` is the heat that it takes away, of coolers. `unpriced` are parts inside that the price leaves out.
    `design_w` is what the design rules count of a rack: what stands in it, not what it is made for; None: `power_w`.
    """

    power_w: float = 0.0
    heat_w: float = 0.0
    ports: int = 0
    weight_kg: float | None = None
    cost_usd: float | None = None
    gives_w: float = 0.0
    unpriced: tuple[str, ...] = ()
    design_w: float | None = None


def part_load(catalog: Catalog, part_id: str) -> PartLoad:
    """Return what one part asks for, with all that is in it; raises UnknownPart."""
    part = catalog.part(part_id)
    weight, cost = part.weight_kg, part.price_usd
    if isinstance(part, NodePart):
        power_w = part.measured_max_w or part.max_w
        ports = sum(group.count for group in part.nics if group.use != "storage")
        return PartLoad(power_w, power_w, ports, weight, cost)
    if isinstance(part, RackPart):
        ports, design_w = 0, 0.0
        for group in part.layout:
            inside = catalog.part(group.part)
            if isinstance(inside, NodePart | SwitchPart):
                design_w += part_load(catalog, group.part).power_w * group.count
            if isinstance(inside, NodePart):
                ports += part_load(catalog, group.part).ports * group.count
        unpriced: tuple[str, ...] = ()
        if cost is None:  # nobody sells it whole: what it holds
            prices = [(group.part, group.count, catalog.part(group.part).price_usd) for group in part.layout]
            cost = sum(count * price for _, count, price in prices if price is not None) or None
            unpriced = tuple(dict.fromkeys(name for name, _, price in prices if price is None))
        return PartLoad(part.max_w, part.max_w, ports, weight, cost, unpriced=unpriced, design_w=design_w)
    if isinstance(part, SwitchPart):
        return PartLoad(part.typical_w, part.typical_w, 0, weight, cost)
    if isinstance(part, StoragePart):
        return PartLoad(part.power_w or 0.0, part.power_w or 0.0, 0, weight, cost)
    if isinstance(part, CduPart | TankPart):
        return PartLoad(part.power_w, 0.0, 0, weight, cost, gives_w=part.capacity_w)
    if isinstance(part, CrahPart | RdhxPart):
        return PartLoad(part.fan_w, 0.0, 0, weight, cost, gives_w=part.capacity_w)
    return PartLoad(weight_kg=weight, cost_usd=cost)


def together(one: PartLoad, other: PartLoad) -> PartLoad:
    """Return what two things ask for; a weight or price that is not known counts nothing."""
    design_w = None
    if one.design_w is not None or other.design_w is not None:
        design_w = sum(load.power_w if load.design_w is None else load.design_w for load in (one, other))
    return PartLoad(
        one.power_w + other.power_w,
        one.heat_w + other.heat_w,
        one.ports + other.ports,
        _sum(one.weight_kg, other.weight_kg),
        _sum(one.cost_usd, other.cost_usd),
        one.gives_w + other.gives_w,
        tuple(dict.fromkeys((*one.unpriced, *other.unpriced))),
        design_w,
    )


def _sum(one: float | None, other: float | None) -> float | None:
    known = [value for value in (one, other) if value is not None]
    return sum(known) if known else None
