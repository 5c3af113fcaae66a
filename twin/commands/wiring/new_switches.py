"""Switches that come with new nodes: a network by rule has as many as its nodes take, by the sums of its wiring."""

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
    """How many come, and what they ask of the site."""

    count: int = 0
    load: PartLoad = field(default_factory=PartLoad)


def new_switches(
    scene: EditedScene, nodes: Mapping[str, int], rows: str = "", joins: Collection[str] = ()
) -> NewSwitches:
    """Return the switches that networks get with new nodes, as `WiredIn` connects these.

    Parameters
    ----------
    nodes
        Node part -> how many come.
    rows
        Row generator whose racks they go into; "": new ones.
    joins
        Networks that their rows join in any case.
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
    """Return the networks that take new nodes without being asked."""
    return [fabric for fabric in ruled if not fabric.rows or rows in fabric.rows or fabric.id in joins]


def _grown(scene: EditedScene, fabric: Fabric, cards: list[tuple[int, float, int]]) -> NewSwitches | None:
    """Return what a network gets for more nodes, given as (cards, speed of one [B/s], how many); None: no room."""
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
    """Return switch part -> how many a network of a size has."""
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
