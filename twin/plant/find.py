"""From an id to its slot and back, and a description in one line."""

from __future__ import annotations

import numpy as np

from twin.language import counted, tr
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


def row_words(label: str) -> tuple[str, str]:
    """Return the word that a scene has for rows, "" for the usual one, and the letter of a row, of its label.

    A label of one letter names the hall.

    >>> row_words("ROW AB"), row_words("A C"), row_words("STORE B"), row_words("NET"), row_words("A")
    (('', 'AB'), ('', 'C'), ('Store', 'B'), ('Net', ''), ('', 'A'))
    """
    word, _, letter = label.rpartition(" ")
    if word == "ROW" or len(word or label) == 1:
        return "", letter
    if not word:
        word, letter = letter, ""
    return word.title() if word.isupper() else word, letter


def row_title(label: str) -> str:
    """Return what people call a row within its hall, by its label.

    >>> row_title("A C"), row_title("STORE B"), row_title("NET")
    ('Row C', 'Store B', 'Net')
    """
    word, letter = row_words(label)
    return f"{word} {letter}".strip() if word else tr("Row {letter}", letter=letter)


def row_name(plant: Plant, row: int) -> str:
    """Return a row's title with its id, "Row F (gpu/5)"; "Row gpu/5" where it has none."""
    title, id = row_title(plant.rows.labels[row]), plant.rows.ids[row]
    return tr("Row {id}", id=id) if title == "Row" else f"{title} ({id})"


def describe(plant: Plant, kind: Kind, slot: int) -> str:
    """Return one line for people, such as "H100-SXM, GPU 3 of node gpu/0/2/1"."""
    nodes, racks, loops = plant.nodes, plant.racks, plant.loops
    if kind == "gpu":
        node, part = int(plant.gpus.node[slot]), plant.gpu_parts[int(plant.gpus.part[slot])]
        index = int(plant.gpus.index[slot])
        return tr("{part}, GPU {index} of node {node}", part=part, index=index, node=nodes.ids[node])
    if kind == "node":
        return tr(
            "{part} with {gpus} GPUs, unit {u} of rack {rack}",
            part=plant.node_parts[int(nodes.part[slot])],
            gpus=int(nodes.gpu_count[slot]),
            u=int(nodes.u[slot]),
            rack=racks.ids[int(nodes.rack[slot])],
        )
    if kind == "rack":
        return tr(
            "{rack} in {row} with {nodes}",
            rack=racks.part[slot] or tr("{purpose} rack", purpose=RackKind(int(racks.kind[slot])).words),
            row=row_name(plant, int(racks.row[slot])),
            nodes=counted(int(nodes.present[_nodes_of_rack(plant, slot)].sum()), "node"),
        )
    if kind in ("row", "hall"):
        within = racks.row if kind == "row" else racks.hall
        return tr(
            "{thing} with {racks}",
            thing=row_name(plant, slot) if kind == "row" else plant.halls.titles[slot],
            racks=counted(int((racks.present & (within == slot)).sum()), "rack"),
        )
    if kind == "switch":
        return _describe_switch(plant, slot)
    if kind == "loop":
        column = racks.air_loop if LoopKind(loops.kind[slot]).by_air else racks.loop
        return tr(
            "{loop} ({machines}) for {racks}",
            loop=loops.labels[slot],
            machines=_several(int(loops.units[slot]), loops.part[slot]),
            racks=counted(int((racks.present & (column == slot)).sum()), "rack"),
        )
    if kind == "plant":
        machines = _several(int(plant.plants.units[slot]), plant.plants.part[slot])
        return tr("facility water {id} from {machines}", id=plant.plants.ids[slot], machines=machines)
    if kind == "power":
        return _describe_power(plant, slot)
    if kind == "store":
        return tr("store {id}", id=plant.stores[slot])
    table, id = plant.fabric_table, plant.fabrics[slot]
    topology, technology = table.kind[slot].replace("-", " "), table.technology[slot]
    if technology:
        return tr("fabric {id}, {topology} of {technology}", id=id, topology=topology, technology=technology)
    return tr("fabric {id}, {topology}", id=id, topology=topology)


def _several(units: int, part: str) -> str:
    return part if units == 1 else f"{units} x {part or tr('machine')}"


def _describe_power(plant: Plant, slot: int) -> str:
    power = plant.power
    part = _several(int(power.units[slot]), power.part[slot])
    thing = f"{power.kind[slot]} {power.ids[slot]}" + (f" ({part})" if part else "")
    above, bus = int(power.parent[slot]), int(power.bus[slot])
    if above >= 0:
        return tr("{thing} under {above}", thing=thing, above=power.ids[above])
    return tr("{thing} at {bus}", thing=thing, bus=power.ids[bus]) if bus >= 0 else thing


def _nodes_of_rack(plant: Plant, rack: int) -> np.ndarray:
    return np.flatnonzero(plant.nodes.rack == rack)


def _describe_switch(plant: Plant, slot: int) -> str:
    switches = plant.switches
    fabric, unit = int(switches.fabric[slot]), int(switches.unit[slot])
    rail, plane = int(switches.rail[slot]), int(switches.plane[slot])
    said = [
        tr(
            "{part}, {role} of fabric {fabric}",
            part=switches.part[slot],
            role=SwitchRole(int(switches.role[slot])).words,
            fabric=plant.fabrics[fabric],
        )
    ]
    if unit >= 0:
        groups = {"fat-tree": tr("pod {unit}", unit=unit), "dragonfly-plus": tr("group {unit}", unit=unit)}
        said.append(groups.get(plant.fabric_table.kind[fabric]) or tr("unit {unit}", unit=unit))
    if rail >= 0:
        said.append(tr("rail {rail}", rail=rail))
    if plane >= 0:
        said.append(tr("plane {plane}", plane=plane))
    return ", ".join(said)
