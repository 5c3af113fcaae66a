"""Demand of a part on a site: power, heat, network ports, weight and cost."""

from __future__ import annotations

from dataclasses import dataclass

from twin.catalog import Catalog, CduPart, CrahPart, NodePart, RackPart, RdhxPart, SwitchPart
from twin.catalog.compute_parts import StoragePart
from twin.catalog.cooling_parts import TankPart
from twin.economics.price_book import CABINET
from twin.plant.design_load import node_design_w


@dataclass(frozen=True)
class PartLoad:
    """Demand of a part, as the design rules count it.

    Attributes
    ----------
    power_w
        Design load [W] (`twin.plant.design_load`).
    heat_w
        What of it is heat that loops must take: all of racks, nodes, switches and stores [W].
    ports
        Of the fabric.
    weight_kg, cost_usd
        None: not known.
    gives_w
        Cooling capacity of a cooler [W].
    unpriced
        Parts without a price: some inside, or the part itself.
    nodes
        (node part, how many) that want a network.
    """

    power_w: float = 0.0
    heat_w: float = 0.0
    ports: int = 0
    weight_kg: float | None = None
    cost_usd: float | None = None
    gives_w: float = 0.0
    unpriced: tuple[str, ...] = ()
    nodes: tuple[tuple[str, int], ...] = ()


def part_load(catalog: Catalog, part_id: str) -> PartLoad:
    """Return the demand of a part with its contents; raises UnknownPart."""
    part = catalog.part(part_id)
    weight, cost = part.weight_kg, part.price_usd
    unpriced = (part_id,) if cost is None else ()
    if isinstance(part, NodePart):
        power_w = node_design_w(part)
        ports = sum(group.count for group in part.nics if group.use != "storage")
        return PartLoad(
            power_w, power_w, ports, weight, cost, unpriced=unpriced, nodes=((part_id, 1),) * (ports > 0)
        )
    if isinstance(part, RackPart):
        return _rack_load(catalog, part)
    if isinstance(part, SwitchPart):
        return PartLoad(part.typical_w, part.typical_w, 0, weight, cost, unpriced=unpriced)
    if isinstance(part, StoragePart):
        power_w = part.power_w or 0.0
        return PartLoad(power_w, power_w, 0, weight, cost, unpriced=unpriced)
    if isinstance(part, CduPart | TankPart):
        return PartLoad(part.power_w, 0.0, 0, weight, cost, gives_w=part.capacity_w, unpriced=unpriced)
    if isinstance(part, CrahPart | RdhxPart):
        return PartLoad(part.fan_w, 0.0, 0, weight, cost, gives_w=part.capacity_w, unpriced=unpriced)
    return PartLoad(weight_kg=weight, cost_usd=cost, unpriced=unpriced)


def _rack_load(catalog: Catalog, rack: RackPart) -> PartLoad:
    inside = [(catalog.part(group.part), group.part, group.count) for group in rack.layout]
    asked = [
        (part_load(catalog, name), name, count)
        for part, name, count in inside
        if isinstance(part, NodePart | SwitchPart)
    ]
    cost, unpriced = rack.price_usd, tuple[str, ...]()
    if cost is None:  # nobody sells it whole: what it holds, in a cabinet
        prices = [
            (catalog.part(CABINET).price_usd, 1),
            *((part.price_usd, count) for part, _, count in inside),
        ]
        cost = sum(count * price for price, count in prices if price is not None) or None
        unpriced = tuple(dict.fromkeys(name for part, name, _ in inside if part.price_usd is None))
    nodes: dict[str, int] = {}
    for load, name, count in asked:
        if load.nodes:
            nodes[name] = nodes.get(name, 0) + count
    return PartLoad(
        sum(load.power_w * count for load, _, count in asked),
        sum(load.heat_w * count for load, _, count in asked),
        sum(load.ports * count for load, _, count in asked),
        rack.weight_kg,
        cost,
        unpriced=unpriced,
        nodes=tuple(nodes.items()),
    )


def together(first: PartLoad, second: PartLoad) -> PartLoad:
    """Return the sum of two demands; an unknown weight or price counts as nothing."""
    nodes = dict(first.nodes)
    for name, count in second.nodes:
        nodes[name] = nodes.get(name, 0) + count
    return PartLoad(
        first.power_w + second.power_w,
        first.heat_w + second.heat_w,
        first.ports + second.ports,
        _sum(first.weight_kg, second.weight_kg),
        _sum(first.cost_usd, second.cost_usd),
        first.gives_w + second.gives_w,
        tuple(dict.fromkeys((*first.unpriced, *second.unpriced))),
        tuple(nodes.items()),
    )


def _sum(first: float | None, second: float | None) -> float | None:
    known = [value for value in (first, second) if value is not None]
    return sum(known) if known else None
