"""Dependencies in both directions: blast radius of a component, and its supply chain to the grid and the sky."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.arrays import Bools, Floats, Ints32
from twin.plant.graph import nodes_under, power_path
from twin.plant.tables import FacilityLoops, Kind, Loops, Plant, Racks
from twin.scenario.schema.electricity import BUS_SURVIVES, SUSTAINS


@dataclass(frozen=True)
class Blast:
    """Slots that a lasting failure takes down; `_thinned`: those that only lose redundancy."""

    nodes: Ints32  # without supply, cooling or network
    thinned: Ints32
    racks: Ints32
    racks_thinned: Ints32
    loops: Ints32
    loops_thinned: Ints32
    plants: Ints32
    plants_thinned: Ints32


@dataclass(frozen=True)
class Trace:
    """Supply chain of a component to the grid and the sky, as slots, nearest first; empty where there is none."""

    power_a: tuple[int, ...]
    power_b: tuple[int, ...]
    spares: tuple[
        int, ...
    ]  # items that stand in for one of those: other inputs, sources and batteries beside it
    loops: tuple[int, ...]
    plants: tuple[int, ...]
    racks: tuple[int, ...]


def blast_radius(plant: Plant, kind: Kind, slot: int) -> Blast:
    """Return the components that the failure of one takes down, and those that only lose redundancy.

    A power item takes along all that has no other supply: neither a spare input, nor a source beside it, nor a
    second feed. Batteries of UPS do not count, they last minutes. Who has no feed hangs on the house supply, which
    lives while any root of the tree or source on site does. A loop takes its racks along, a plant its loops.
    """
    racks, loops = plant.racks, plant.loops
    found = _unfed(plant, np.array([slot], np.int32)) if kind == "power" else _nothing(plant, 1)
    dark = {name: hit[:, 0] for name, hit in found.dark.items()}
    thin = {name: hit[:, 0] for name, hit in found.thin.items()}
    nodes = nodes_under(plant, kind, slot)
    if kind in ("plant", "loop"):
        dark[f"{kind}s"][slot] = True
    elif kind in ("rack", "row", "hall"):
        column = {"rack": np.arange(len(racks.ids)), "row": racks.row, "hall": racks.hall}[kind]
        dark["racks"] |= column == slot
        dark["loops"] |= (loops.hall == slot) & (kind == "hall")
    powered = dark["racks"].copy()
    cooled = _uncooled(plant, dark)
    dark["racks"] |= cooled
    present = {
        "racks": racks.present,
        "loops": loops.present,
        "plants": np.ones(len(plant.plants.ids), np.bool_),
    }
    dark = {name: hit & present[name] for name, hit in dark.items()}
    thin = {name: hit & present[name] & ~dark[name] for name, hit in thin.items()}
    standing = plant.nodes.present
    hit = (powered | cooled)[plant.nodes.rack] & standing
    if kind in ("node", "gpu", "switch", "fabric", "store"):
        hit = np.zeros(len(standing), np.bool_)
        hit[nodes] = True
    return Blast(
        nodes=_slots(hit),
        thinned=_slots(thin["racks"][plant.nodes.rack] & standing & ~hit),
        racks=_slots(dark["racks"]),
        racks_thinned=_slots(thin["racks"]),
        loops=_slots(dark["loops"]),
        loops_thinned=_slots(thin["loops"]),
        plants=_slots(dark["plants"]),
        plants_thinned=_slots(thin["plants"]),
    )


def racks_lost(plant: Plant, items: Ints32) -> tuple[Bools, Bools]:
    """Return which racks each of some power items leaves without power, and which without cooling, shapes (R, F).

    Each column is one lasting failure, as `blast_radius` has it.
    """
    dark = _unfed(plant, items).dark
    return dark["racks"] & plant.racks.present[:, None], _uncooled(plant, dark) & plant.racks.present[:, None]


@dataclass(frozen=True)
class _Unfed:
    """Racks, loops and plants that failures leave without supply, and those that keep one of two; columns: failures."""

    dark: dict[str, Bools]
    thin: dict[str, Bools]


def _nothing(plant: Plant, failures: int) -> _Unfed:
    rows = {"racks": len(plant.racks.ids), "loops": len(plant.loops.ids), "plants": len(plant.plants.ids)}
    dark, thin = (
        {name: np.zeros((count, failures), np.bool_) for name, count in rows.items()} for _ in range(2)
    )
    return _Unfed(dark, thin)


def _unfed(plant: Plant, items: Ints32) -> _Unfed:
    found = _nothing(plant, len(items))
    alive = _live_without(plant, items)
    house = _house(plant, alive)
    tables: tuple[tuple[str, Racks | Loops | FacilityLoops], ...] = (
        ("racks", plant.racks),
        ("loops", plant.loops),
        ("plants", plant.plants),
    )
    for name, table in tables:
        found.dark[name], found.thin[name] = _supply(table, alive, house)
    return found


def _uncooled(plant: Plant, dark: dict[str, Bools]) -> Bools:
    """Return which racks nobody cools, and note in place the loops that their plant takes along."""
    racks, loops = plant.racks, plant.loops
    width = dark["plants"].shape[1:]
    none = np.zeros((1, *width), np.bool_)
    dark["loops"] |= np.concatenate([dark["plants"], none])[loops.plant]
    hot = np.concatenate([dark["loops"], none])
    return np.asarray(hot[racks.loop] | hot[racks.air_loop], np.bool_)


def live_items(plant: Plant, failed: int) -> Bools:
    """Return which power items still have voltage at their output, long after item `failed` is lost."""
    return _live_without(plant, np.array([failed], np.int32))[:, 0]


def _live_without(plant: Plant, failed: Ints32) -> Bools:
    """Return which power items are live once each of some is lost, shape (I, F)."""
    power = plant.power
    items = np.arange(len(power.ids))
    sound = items[:, None] != failed
    backed = np.zeros((len(items), len(failed)), np.bool_)
    for item, (bus, kind) in enumerate(zip(power.bus.tolist(), power.kind, strict=True)):
        if bus >= 0 and kind in SUSTAINS and power.present[item]:
            backed[bus] |= sound[item]
    alive = np.ones_like(backed)
    for item, (parent, spare) in enumerate(
        zip(power.parent.tolist(), power.spare_parent.tolist(), strict=True)
    ):  # parents come before children
        live = sound[item]
        if parent >= 0:
            live = live & (alive[parent] | alive[spare] if spare >= 0 else alive[parent])
        alive[item] = live | (
            backed[item] if power.kind[item] in BUS_SURVIVES else backed[item] & sound[item]
        )
    return alive & power.present[:, None]


def house_supply(plant: Plant, alive: Bools) -> bool:
    """Return whether the house supply lives: a root of the tree or a source on site does, or there is no tree."""
    return bool(_house(plant, alive[:, None])[0])


def _house(plant: Plant, alive: Bools) -> Bools:
    power = plant.power
    sources = np.array([kind in SUSTAINS for kind in power.kind], np.bool_)
    roots = (power.parent < 0) & ((power.bus < 0) | sources) & power.present
    return np.asarray(alive[roots].any(axis=0) | (not roots.any()), np.bool_)


def loops_under(plant: Plant, kind: Kind, slot: int) -> Ints32:
    """Return the loops (slots) that fail with a component: by their pumps' supply, or as part of a plant or hall."""
    return blast_radius(plant, kind, slot).loops


def plants_under(plant: Plant, kind: Kind, slot: int) -> Ints32:
    """Return the facility loops (slots) that fail with a component."""
    return blast_radius(plant, kind, slot).plants


def trace(plant: Plant, kind: Kind, slot: int) -> Trace:
    """Return the supply chain of a component, up to the grid and out to the sky.

    For a GPU, node, switch, row or hall: that of its racks (of a row or hall the first). For a loop or plant: its
    own supplies. For a power item: the way up from it.
    """
    racks, loops, plants = plant.racks, plant.loops, plant.plants
    rack_slots = _racks_of(plant, kind, slot)
    feeds = [-1, -1]
    wet: list[int] = []
    if kind == "power":
        feeds[0] = slot
    elif kind == "loop":
        feeds, wet = [int(loops.feed_a[slot]), int(loops.feed_b[slot])], [slot]
    elif kind == "plant":
        feeds = [int(plants.feed_a[slot]), int(plants.feed_b[slot])]
    elif rack_slots:
        feeds = [int(racks.feed_a[rack_slots[0]]), int(racks.feed_b[rack_slots[0]])]
        wet = [
            loop for loop in (int(racks.loop[rack_slots[0]]), int(racks.air_loop[rack_slots[0]])) if loop >= 0
        ]
    ways = [power_path(plant, item) for item in feeds]
    heat = [slot] if kind == "plant" else [int(loops.plant[loop]) for loop in wet]
    return Trace(
        power_a=ways[0],
        power_b=ways[1],
        spares=_spares(plant, {item for way in ways for item in way}),
        loops=tuple(wet),
        plants=tuple(dict.fromkeys(heat)),
        racks=tuple(rack_slots),
    )


def _racks_of(plant: Plant, kind: Kind, slot: int) -> list[int]:
    """Return the rack of a component, or the racks it consists of."""
    racks = plant.racks
    if kind == "gpu":
        return [int(plant.gpus.rack[slot])]
    if kind == "node":
        return [int(plant.nodes.rack[slot])]
    if kind == "switch":
        return [int(plant.switches.rack[slot])]
    if kind == "store":
        return [int(rack) for rack in plant.storage.rack[slot : slot + 1] if rack >= 0]
    if kind in ("rack", "row", "hall"):
        column = {"rack": np.arange(len(racks.ids)), "row": racks.row, "hall": racks.hall}[kind]
        return [int(rack) for rack in _slots((column == slot) & racks.present)]
    return []


def _spares(plant: Plant, way: set[int]) -> tuple[int, ...]:
    """Return the backups of power items: the paths of their spare inputs, and sources in parallel."""
    power = plant.power
    found: set[int] = set()
    waiting = set(way)
    while waiting:
        beside = set(_slots(np.isin(power.bus, list(waiting)) & power.present).tolist())
        inputs = {int(power.spare_parent[item]) for item in waiting if power.spare_parent[item] >= 0}
        ups = {item for spare_input in inputs for item in power_path(plant, spare_input)}
        waiting = (beside | ups) - found - way
        found |= waiting
    return tuple(sorted(found))


def _supply(table: Racks | Loops | FacilityLoops, alive: Bools, house: Bools) -> tuple[Bools, Bools]:
    """Return which rows of a table are without any supply, and which have lost one of two; columns: failures."""
    live = np.concatenate([alive, np.zeros((1, alive.shape[1]), np.bool_)])
    feeds = np.stack([table.feed_a, table.feed_b])
    named = (feeds >= 0).sum(axis=0)[:, None]
    live_feeds: Floats = (live[feeds] & (feeds >= 0)[:, :, None]).sum(axis=0)
    without = np.where(named > 0, live_feeds == 0, ~house)
    return without.astype(np.bool_), ((live_feeds > 0) & (live_feeds < named)).astype(np.bool_)


def _slots(hit: Bools) -> Ints32:
    return np.flatnonzero(hit).astype(np.int32)
