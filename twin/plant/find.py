"""From an id to its slot and back, and a description in one line."""

from __future__ import annotations

import numpy as np

from twin.plant.tables import Kind, LoopKind, Plant, RackKind, SwitchRole


def find(plant: Plant, id: str) -> tuple[Kind, int] | None:
    """Return (kind, slot) of the id of any component in `Kind`; None when none has it now.

    Examples
    --------
    ``find(plant, "gpu/3/12/1/7")`` is ``("gpu", slot)``.
    """
    if id in plant.slots:
        return plant.slots[id]
    node_id, _, number = id.rpartition("/")
    kind, node = plant.slots.get(node_id, ("hall", -1))
    if kind != "node" or not number.isdecimal() or str(int(number)) != number:
        return None
    if int(number) >= plant.nodes.gpu_count[node]:
        return None
    gpu = int(plant.nodes.gpu_first[node]) + int(number)
    return ("gpu", gpu) if plant.gpus.present[gpu] else None


def entity_id(plant: Plant, kind: Kind, slot: int) -> str:
    """Return the id of a slot; the inverse of `find`."""
    if kind == "gpu":
        return plant.gpu_id(slot)
    ids: dict[Kind, list[str]] = {
        "hall": plant.halls.ids,
        "row": plant.rows.ids,
        "rack": plant.racks.ids,
        "node": plant.nodes.ids,
        "switch": plant.switches.ids,
        "loop": plant.loops.ids,
        "plant": plant.plants.ids,
        "power": plant.power.ids,
        "store": plant.stores,
        "fabric": plant.fabrics,
    }
    return ids[kind][slot]


def holder(plant: Plant, id: str) -> str | None:
    """Return the id of what holds a thing: of a GPU its node, of a node or switch its rack, of a rack its row."""
    kind, slot = find(plant, id) or ("hall", -1)
    if kind == "gpu":
        return plant.nodes.ids[int(plant.gpus.node[slot])]
    if kind == "rack":
        row = int(plant.racks.row[slot])
        return plant.rows.ids[row] if row >= 0 else None
    if kind in ("node", "switch"):
        rack = int((plant.nodes if kind == "node" else plant.switches).rack[slot])
        return plant.racks.ids[rack] if rack >= 0 else None
    return None


def holders(plant: Plant, id: str) -> list[str]:
    """Return what holds a thing, from the row down to the nearest."""
    found: list[str] = []
    outer = holder(plant, id)
    while outer is not None:
        found.insert(0, outer)
        outer = holder(plant, outer)
    return found


def row_name(plant: Plant, row: int) -> str:
    """Return a row's label as it stands in the hall with its id, "Row F (gpu/5)"; "Row gpu/5" where it has none."""
    label, id = plant.rows.labels[row].title(), plant.rows.ids[row]
    return f"Row {id}" if label == "Row" else f"{label} ({id})"


def describe(plant: Plant, kind: Kind, slot: int) -> str:
    """Return one line for people, such as "H100-SXM, GPU 3 of node gpu/0/2/1"."""
    nodes, racks, loops, power = plant.nodes, plant.racks, plant.loops, plant.power
    if kind == "gpu":
        node, part = int(plant.gpus.node[slot]), plant.gpu_parts[int(plant.gpus.part[slot])]
        return f"{part}, GPU {int(plant.gpus.index[slot])} of node {nodes.ids[node]}"
    if kind == "node":
        part, gpus = plant.node_parts[int(nodes.part[slot])], int(nodes.gpu_count[slot])
        rack = racks.ids[int(nodes.rack[slot])]
        return f"{part} with {gpus} GPUs, unit {int(nodes.u[slot])} of rack {rack}"
    if kind == "rack":
        name = racks.part[slot] or f"{RackKind(int(racks.kind[slot])).name.lower()} rack"
        held = int(nodes.present[_nodes_of_rack(plant, slot)].sum())
        return f"{name} in {row_name(plant, int(racks.row[slot]))} with {held} nodes"
    if kind == "row":
        count = int((racks.present & (racks.row == slot)).sum())
        return f"{row_name(plant, slot)} with {count} racks"
    if kind == "hall":
        standing = int((racks.present & (racks.hall == slot)).sum())
        return f"{plant.halls.titles[slot]} with {standing} racks"
    if kind == "switch":
        return _describe_switch(plant, slot)
    if kind == "loop":
        units = int(loops.units[slot])
        column = racks.air_loop if LoopKind(loops.kind[slot]).by_air else racks.loop
        served = int((racks.present & (column == slot)).sum())
        machines = loops.part[slot] if units == 1 else f"{units} x {loops.part[slot]}"
        return f"{loops.labels[slot]} ({machines}) for {served} racks"
    if kind == "plant":
        units, part = int(plant.plants.units[slot]), plant.plants.part[slot]
        machines = part if units == 1 else f"{units} x {part}"
        return f"facility water {plant.plants.ids[slot]} from {machines}"
    if kind == "power":
        units = int(power.units[slot])
        part = power.part[slot] if units == 1 else f"{units} x {power.part[slot] or 'machine'}"
        above, bus = int(power.parent[slot]), int(power.bus[slot])
        where = f" under {power.ids[above]}" if above >= 0 else f" at {power.ids[bus]}" if bus >= 0 else ""
        return f"{power.kind[slot]} {power.ids[slot]}{f' ({part})' if part else ''}{where}"
    if kind == "store":
        return f"store {plant.stores[slot]}"
    table = plant.fabric_table
    technology = f" of {table.technology[slot]}" if table.technology[slot] else ""
    return f"fabric {plant.fabrics[slot]}, {table.kind[slot].replace('-', ' ')}{technology}"


def _nodes_of_rack(plant: Plant, rack: int) -> np.ndarray:
    return np.flatnonzero(plant.nodes.rack == rack)


def _describe_switch(plant: Plant, slot: int) -> str:
    switches = plant.switches
    role = SwitchRole(int(switches.role[slot])).name.lower()
    of = f"{switches.part[slot]}, {role} of fabric {plant.fabrics[int(switches.fabric[slot])]}"
    rail, unit = int(switches.rail[slot]), int(switches.unit[slot])
    plane = int(switches.plane[slot])
    groups = {"fat-tree": "pod", "dragonfly-plus": "group"}
    kind = plant.fabric_table.kind[int(switches.fabric[slot])]
    where = [f"{groups.get(kind, 'unit')} {unit}"] * (unit >= 0)
    where += [f"rail {rail}"] * (rail >= 0) + [f"plane {plane}"] * (plane >= 0)
    return ", ".join([of, *where])
