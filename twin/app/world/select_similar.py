"""From selected things to all that are like them: of the same part, row, job, or on the same feeds. No widgets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from twin.plant.find import find
from twin.plant.tables import Plant
from twin.record.frame import Frame

MOST = 2000
"""Things selected at once."""


def similar(plant: Plant, selection: Sequence[str]) -> tuple[str, ...]:
    """Return all things of the kind and part of the selected ones."""
    racks, nodes, switches, loops, power = (
        plant.racks,
        plant.nodes,
        plant.switches,
        plant.loops,
        plant.power,
    )
    ids: list[str] = []
    for id in selection:
        kind, slot = find(plant, id) or ("hall", -1)
        if kind == "rack":
            alike = _of(racks.part, racks.part[slot]) & (racks.kind == racks.kind[slot]) & racks.present
            ids += _names(racks.ids, alike)
        elif kind in ("node", "gpu"):
            node = slot if kind == "node" else int(plant.gpus.node[slot])
            ids += _names(nodes.ids, (nodes.part == nodes.part[node]) & nodes.present)
        elif kind == "switch":
            alike = _of(switches.part, switches.part[slot]) & (switches.role == switches.role[slot])
            ids += _names(switches.ids, alike & switches.present)
        elif kind == "loop":
            ids += _names(loops.ids, _of(loops.part, loops.part[slot]) & loops.present)
        elif kind == "power":
            alike = _of(power.part, power.part[slot]) & _of(power.kind, power.kind[slot])
            ids += _names(power.ids, alike & power.present)
        elif kind == "row":
            ids += _names(plant.rows.ids, plant.rows.present)
        else:
            ids.append(id)
    return _few(ids)


def same_row(plant: Plant, selection: Sequence[str]) -> tuple[str, ...]:
    """Return all racks of the rows that the selected things stand in."""
    rows = {int(plant.racks.row[rack]) for rack in racks_of(plant, selection)}
    chosen = np.isin(plant.racks.row, list(rows)) & plant.racks.present
    return _few(_names(plant.racks.ids, chosen))


def same_feed(plant: Plant, selection: Sequence[str]) -> tuple[str, ...]:
    """Return all racks that the same power items feed: they lose power together."""
    racks = plant.racks
    chosen = np.zeros(len(racks.ids), np.bool_)
    for rack in racks_of(plant, selection):
        pair = racks.feed_a[rack], racks.feed_b[rack]
        chosen |= (racks.feed_a == pair[0]) & (racks.feed_b == pair[1])
    return _few(_names(racks.ids, chosen & racks.present))


def same_job(plant: Plant, frame: Frame | None, selection: Sequence[str]) -> tuple[str, ...]:
    """Return all nodes that the jobs on the selected things run on now."""
    if frame is None:
        return ()
    nodes = plant.nodes
    chosen = np.zeros(len(nodes.ids), np.bool_)
    for id in selection:
        kind, slot = find(plant, id) or ("hall", -1)
        if kind == "gpu":
            chosen[plant.gpus.node[slot]] = True
        elif kind == "node":
            chosen[slot] = True
        else:
            chosen |= np.isin(nodes.rack, racks_of(plant, [id]))
    job = frame.values["gpu.job"]
    jobs = np.unique(job[chosen[plant.gpus.node] & plant.gpus.present])
    on = plant.gpus.node[np.isin(job, jobs[jobs >= 0]) & plant.gpus.present]
    chosen_nodes = np.zeros(len(nodes.ids), np.bool_)
    chosen_nodes[on] = True
    return _few(_names(nodes.ids, chosen_nodes))


def all_racks(plant: Plant) -> tuple[str, ...]:
    """Return all racks there are."""
    return _few(_names(plant.racks.ids, plant.racks.present))


def everything(plant: Plant) -> tuple[str, ...]:
    """Return all that stands: racks, machines and power items."""
    loops, power = plant.loops, plant.power
    ids = _names(plant.racks.ids, plant.racks.present) + _names(loops.ids, loops.present)
    return _few([*ids, *_names(power.ids, power.present), *plant.plants.ids])


def of_kind(plant: Plant, selection: Sequence[str]) -> tuple[str, ...]:
    """Return all things of the kinds of the selected ones, whatever their part; without a selection all racks."""
    tables = {
        "rack": (plant.racks.ids, plant.racks.present),
        "node": (plant.nodes.ids, plant.nodes.present),
        "switch": (plant.switches.ids, plant.switches.present),
        "loop": (plant.loops.ids, plant.loops.present),
        "power": (plant.power.ids, plant.power.present),
    }
    kinds = {(find(plant, id) or ("rack", -1))[0] for id in selection} or {"rack"}
    if "gpu" in kinds:  # they are chosen by node
        kinds.add("node")
    ids = [id for kind in tables if kind in kinds for id in _names(*tables[kind])]
    return _few([*ids, *(plant.plants.ids if "plant" in kinds else ())])


def racks_of(plant: Plant, selection: Sequence[str]) -> list[int]:
    """Return the racks (slots) that the selected things are or stand in."""
    found: dict[int, None] = {}
    for id in selection:
        kind, slot = find(plant, id) or ("hall", -1)
        if kind == "rack":
            found[slot] = None
        elif kind == "node":
            found[int(plant.nodes.rack[slot])] = None
        elif kind == "gpu":
            found[int(plant.nodes.rack[plant.gpus.node[slot]])] = None
        elif kind == "switch":
            found[int(plant.switches.rack[slot])] = None
        elif kind == "row":
            found |= dict.fromkeys(np.flatnonzero((plant.racks.row == slot) & plant.racks.present).tolist())
    return list(found)


def _of(names: list[str], name: str) -> NDArray[np.bool_]:
    return np.array([job == name for job in names], np.bool_)


def _names(ids: list[str], chosen: NDArray[np.bool_]) -> list[str]:
    return [ids[slot] for slot in np.flatnonzero(chosen).tolist()]


def _few(ids: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ids))[:MOST]
