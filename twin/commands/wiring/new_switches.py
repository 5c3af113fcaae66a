"""Switches that new nodes need: a network by rule has as many as its wiring takes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import reduce

from twin.commands.budget.part_load import PartLoad, part_load, together
from twin.commands.edit.command import EditedScene
from twin.scenario.checks.fabric import connected
from twin.scenario.checks.fabric_size import Misfit, Size, cards_of, size_of
from twin.scenario.schema.systems import Fabric


@dataclass(frozen=True)
class NewSwitches:
    """Number of new switches, and their demand on the site."""

    count: int = 0
    load: PartLoad = field(default_factory=PartLoad)


def new_switches(
    scene: EditedScene, nodes: Mapping[str, int], rows: str = "", joins: Collection[str] = ()
) -> NewSwitches:
    """Return the switches that networks need for new nodes, as `WiredIn` connects these.

    Parameters
    ----------
    nodes
        Node part -> number of new nodes.
    rows
        Row generator whose racks they go into; "": new ones.
    joins
        Networks that their rows join anyway.
    """
    cards = [(*cards_of(scene.catalog.node(part), scene.catalog), count) for part, count in nodes.items()]
    wired = [card for card in cards if card[0]]
    if not wired:
        return NewSwitches()
    ruled = [fabric for fabric in scene.scenario.fabrics if fabric.kind != "explicit"]
    grown = [
        made for fabric in _takers(ruled, rows, joins) if (made := _grown(scene, fabric, wired)) is not None
    ]
    if not rows and not joins and ruled and all(fabric.rows for fabric in ruled):
        made_first = (_grown(scene, fabric, wired) for fabric in ruled)
        grown = [made for made in made_first if made is not None][:1]  # the first with room takes them
    return NewSwitches(
        sum(grown_fabric.count for grown_fabric in grown),
        reduce(together, (grown_fabric.load for grown_fabric in grown), PartLoad()),
    )


def _takers(ruled: list[Fabric], rows: str, joins: Collection[str]) -> list[Fabric]:
    """Return the networks that new nodes join by themselves."""
    return [fabric for fabric in ruled if not fabric.rows or rows in fabric.rows or fabric.id in joins]


def _grown(scene: EditedScene, fabric: Fabric, cards: list[tuple[int, float, int]]) -> NewSwitches | None:
    """Return the new switches of a network for nodes (cards, card speed [B/s], number); None: no room."""
    joined = connected(scene.scenario, fabric, scene.catalog)
    most = max(joined.most_cards, *(card[0] for card in cards))
    speed = max(joined.card_bytes_s, *(card[1] for card in cards))
    count = joined.count + sum(card[2] for card in cards)
    try:
        before = size_of(fabric, scene.catalog, joined.count, joined.most_cards, joined.card_bytes_s)
        after = size_of(fabric, scene.catalog, count, most, speed)
    except Misfit:
        return None
    had, has = _tiers(fabric, before), _tiers(fabric, after)
    more = {name: max(0, has[name] - had.get(name, 0)) for name in has}
    load = reduce(together, (_times(part_load(scene.catalog, name), more[name]) for name in more), PartLoad())
    return NewSwitches(sum(more.values()), load)


def _tiers(fabric: Fabric, size: Size) -> dict[str, int]:
    """Return switch part -> number in a network of a size."""
    units = max(1, size.units)
    each_unit = units if fabric.kind in ("fat-tree", "dragonfly-plus") else 1
    tiers = (
        (fabric.leaf, size.leaves * units),
        (fabric.spine, size.spines * each_unit),
        (fabric.core, size.cores),
    )
    found: dict[str, int] = {}
    for tier, count in tiers:
        if tier is not None and size.units:
            found[tier.part] = found.get(tier.part, 0) + count
    return found


def _times(load: PartLoad, count: int) -> PartLoad:
    if not count:
        return PartLoad()
    return PartLoad(
        load.power_w * count,
        0.0,  # the rules of cooling count nodes
        0,
        None if load.weight_kg is None else load.weight_kg * count,
        None if load.cost_usd is None else load.cost_usd * count,
        unpriced=load.unpriced,
    )
