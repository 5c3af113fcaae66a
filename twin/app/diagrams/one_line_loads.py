"""What hangs on the power tree: racks, pumps and fans of loops, machines of facility loops. No widgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.app.diagrams.diagram import Box
from twin.app.toolkit import text
from twin.app.world.rows import World
from twin.arrays import Ints32
from twin.language import tr
from twin.plant.tables import FacilityLoops, LoopKind, Loops, Racks

_SYMBOLS = {"rack": "rack", "loop": "pump", "plant": "chiller"}
_BY_AIR = [kind.value for kind in LoopKind if kind.by_air]
_SHORT = {"rack": "racks", "loop": "pumps", "plant": "cooling"}
_MANY = {"rack": "racks", "loop": tr("CDUs and CRAHs"), "plant": tr("heat rejection")}


@dataclass(frozen=True)
class DiagramLoad:
    """One or several things of a kind that take power.

    Parameters
    ----------
    feeds
        Power items it hangs on, those of feed A first; none: the supply of the house.
    dark, thinned
        Members without supply, and with one feed of two.
    members
        Places in the table of their kind.
    """

    key: str
    kind: str
    title: str
    thing: str
    count: int
    power_w: float
    feeds: tuple[int, ...]
    dark: int = 0
    thinned: int = 0
    by_air: bool = False  # of loops: all of them have fans
    members: tuple[int, ...] = ()


def loads_of(world: World, *, feed: int | None = None) -> list[DiagramLoad]:
    """Return what hangs on the tree by kind, or what hangs on one item."""
    plant = world.plant
    found: list[DiagramLoad] = []
    for kind, table in _tables(world).items():
        feed_a, feed_b, present = table.feed_a, table.feed_b, _there(table)
        members = np.flatnonzero(present & (feed_a >= 0) if kind == "rack" else present)
        if feed is not None:
            members = members[(feed_a[members] == feed) | (feed_b[members] == feed)]
            if kind == "rack" and len(members):
                rows = plant.racks.row[members]
                found += [_load(world, kind, members[rows == row]) for row in np.unique(rows)]
                continue
        if len(members):
            found += [_load(world, kind, part) for part in _by_supply(members, feed_a)]
    return found


def _by_supply(members: NDArray[np.intp], feed_a: Ints32) -> list[NDArray[np.intp]]:
    """Return those on the tree and those on the supply of the house."""
    hung = feed_a[members] >= 0
    return [part for part in (members[hung], members[~hung]) if len(part)]


def taken_w(
    world: World, gives: Sequence[bool], kind: str, members: NDArray[np.intp], items: Sequence[int]
) -> float:
    """Return what things of a kind take by some power items [W]: each in equal parts by its feeds that live.

    Parameters
    ----------
    gives
        Of every power item: whether power comes out of it.
    """
    frame, table = world.frame, _tables(world)[kind]
    if frame is None or not len(members) or len(frame.values[f"{kind}.power_w"]) != len(table.ids):
        return 0.0
    lives, chosen = np.append(np.asarray(gives, bool), False), np.zeros(len(gives) + 1, bool)
    chosen[np.asarray(items, np.intp)] = True
    feed_a, feed_b = table.feed_a[members], table.feed_b[members]
    feed_b = np.where(feed_b == feed_a, -1, feed_b)
    live = lives[feed_a].astype(int) + lives[feed_b]
    by_these = (lives & chosen)[feed_a].astype(int) + (lives & chosen)[feed_b]
    power_w = np.asarray(frame.values[f"{kind}.power_w"], float)[members]
    return float(np.sum(power_w * by_these / np.maximum(live, 1)))


def loads_beside(
    world: World, gives: Sequence[bool], item: int, but: DiagramLoad | None = None
) -> tuple[int, float]:
    """Return how many racks, loops and facility loops hang on an item beside `but`, and what they take by it [W]."""
    count, power_w = 0, 0.0
    for kind, table in _tables(world).items():
        fed = _there(table) & ((table.feed_a == item) | (table.feed_b == item))
        if but is not None and but.kind == kind:
            fed[list(but.members)] = False
        members = np.flatnonzero(fed)
        count += len(members)
        power_w += taken_w(world, gives, kind, members, [item])
    return count, power_w


def _tables(world: World) -> dict[str, Racks | Loops | FacilityLoops]:
    plant = world.plant
    return {"rack": plant.racks, "loop": plant.loops, "plant": plant.plants}


def _there(table: Racks | Loops | FacilityLoops) -> NDArray[np.bool_]:
    """Return which of them stand; facility loops never go while a run lasts."""
    return np.ones(len(table.ids), bool) if isinstance(table, FacilityLoops) else table.present


def load_of(world: World, kind: str, slot: int) -> DiagramLoad:
    """Return one rack, loop or facility loop."""
    return _load(world, kind, np.array([slot]))


def _load(world: World, kind: str, members: NDArray[np.intp]) -> DiagramLoad:
    plant, frame = world.plant, world.frame
    table = _tables(world)[kind]
    ids: list[str] = table.ids
    feed_a, feed_b = table.feed_a[members], table.feed_b[members]
    feeds = [int(item) for column in (feed_a, feed_b) for item in np.unique(column) if item >= 0]
    power_w, dark, thinned = 0.0, 0, 0
    if frame is not None and len(frame.values[f"{kind}.power_w"]) == len(ids):
        power_w = float(np.sum(frame.values[f"{kind}.power_w"][members], dtype=float))
        if kind == "rack" and bool(np.any(frame.values["rack.feeds"])):
            live = np.asarray(frame.values["rack.feeds"])[members]
            two = feed_b >= 0
            dark, thinned = int(np.count_nonzero(live == 0)), int(np.count_nonzero(two & (live == 1)))
    by_air = kind == "loop" and bool(np.isin(plant.loops.kind[members], _BY_AIR).all())
    first = ids[int(members[0])]
    if len(members) == 1:
        title = plant.loops.labels[int(members[0])] if kind == "loop" else first
        return DiagramLoad(
            first,
            kind,
            tr("Rack {title}", title=title) if kind == "rack" else title,
            first,
            1,
            power_w,
            tuple(dict.fromkeys(feeds)),
            dark,
            thinned,
            by_air,
            (int(members[0]),),
        )
    row = _common(plant.racks.row[members], plant.rows.ids) if kind == "rack" else ""
    title = f"{len(members):,} {_MANY[kind]}"
    key = f"{len(members)} {kind} {first}"
    return DiagramLoad(
        key,
        kind,
        title,
        row,
        len(members),
        power_w,
        tuple(dict.fromkeys(feeds)),
        dark,
        thinned,
        by_air,
        tuple(members.tolist()),
    )


def _common(rows: Ints32, ids: Sequence[str]) -> str:
    """Return the row that racks share, "" when they stand in several."""
    return ids[int(rows[0])] if len(rows) and bool((rows == rows[0]).all()) else ""


def load_box(
    world: World, load: DiagramLoad, level: int, place: float, *, side: int = 0, chosen: bool = False
) -> Box:
    """Return a load as a box."""
    state, tone = "", "live"
    if load.dark:
        tone, state = (
            "alarm",
            tr("NO POWER") if load.count == 1 else tr("{dark:,} WITHOUT POWER", dark=load.dark),
        )
    elif load.thinned:
        tone, state = (
            "warning",
            tr("ONE FEED") if load.count == 1 else tr("{thinned:,} ON ONE FEED", thinned=load.thinned),
        )
    power = text.quantity(load.power_w, "W")
    feeds = (
        tr("{feeds} feeds", feeds=len(load.feeds))
        if len(load.feeds) > 1
        else "1 feed"
        if load.feeds
        else tr("house supply")
    )
    facts = [
        (tr("Draws"), power),
        (tr("Feeds"), feeds if load.count == 1 or not load.feeds else tr("see lines")),
    ]
    words = power
    if load.kind == "rack" and load.count == 1:
        rack = world.plant.racks.ids.index(load.key)
        words = f"{power}, {feeds}"
        shelves = int(world.plant.racks.shelves[rack])
        if world.plant.racks.shelf_part[rack] and shelves:
            needed = int(world.plant.racks.shelves_needed[rack])
            facts.append(
                (tr("Power shelves"), tr("{shelves}, {needed} needed", shelves=shelves, needed=needed))
            )
            words = tr("{power}, {shelves} shelves", power=power, shelves=shelves)
    return Box(
        load.key,
        "fan" if load.by_air else _SYMBOLS[load.kind],
        ("fans" if load.by_air else _SHORT[load.kind]) if side else load.title,
        power if side else words,
        level,
        place,
        side,
        thing=load.thing,
        tone=tone,  # type: ignore[arg-type]
        state=state,
        facts=tuple(facts),
        chosen=chosen,
    )
