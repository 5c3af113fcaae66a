"""The design of a room: network, cooling and power sized from the design load of its racks."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from twin.arrays import Floats
from twin.catalog import Catalog, CduPart, CrahPart, RdhxPart, SwitchPart
from twin.commands.edit.changes import metres, point
from twin.commands.edit.command import CommandError, EditedScene
from twin.commands.place.footprint import machine_size_m
from twin.commands.room.room_plan import RackStack, RoomError, RoomRequest, stack_of
from twin.commands.room.snippet import Fragment
from twin.commands.wiring.auto_coolant import LOOP_W
from twin.commands.wiring.cable_reach import cable_for
from twin.commands.wiring.power_chain import power_chain
from twin.commands.wiring.redundancy import PowerMeans, drives, facility, installed
from twin.language import tr
from twin.plant.build import build
from twin.plant.cabinet import CABINET_WIDTH_M
from twin.plant.cooling import HEAT_CAPACITY_J_M3K, KINDS, RISE_K, coolant_m3_s, shares
from twin.plant.design_load import machines_for, node_design_w, rack_design_w
from twin.plant.error import PlantError
from twin.plant.machines import GAP_M
from twin.plant.tables import LoopKind, Plant
from twin.scenario import Scenario, loads
from twin.scenario.checks.fabric_size import Misfit, Size, cards_of, down_ports, ports_of, size_of
from twin.scenario.schema.quantity import FROM_FILE
from twin.scenario.schema.systems import Fabric
from twin.scenario.text.emit import block

AISLE_M = 1.8
"""Between the back of one row and what stands behind it, in rooms that come in blocks."""
SWITCHES_U = 24
"""Units of a network rack that switches take, at most: the rest is for cables."""
STORE_BOXES = 8
"""Boxes of storage in a rack, at most."""
STORE_PART, FAN_WALL = "DDN-AI400X2", "FanWall-500"
AIR_GROUP_W = 3.0e6
"""Heat of air handlers with a spare of their own, about: six fan walls and one more."""
LEAST_FAN_WALLS = 4
"""That a group needs, from which fan walls are chosen: their spare is then a quarter at most."""
CDUS = ("CDU-inrow-1350", "CDU-L2L-2600")
"""That are chosen from; the first may stand in a row."""
WATER_C, AIR_C, COOLANT_C = 20.0, 24.0, 28.0
"""Supply of facility water, air and coolant: each some kelvin above the one before."""
PDU_ROOM_M = 1.6
"""Kept free at the end of a row for floor PDUs."""
LONGEST_CABLE = "SMF-800G-2xFR4"
"""Until the racks stand and the length of the cables is known."""
LEAST_LINE = 4
"""Racks of a line behind the rows, at least."""
EDITION = "2026.11"


@dataclass(frozen=True, eq=False)
class RoomDesign:
    """A finished design of a room.

    Attributes
    ----------
    room
        The request.
    fragment
        Its items; row 0 begins at the corner of the hall.
    """

    room: RoomRequest
    fragment: Fragment
    catalog: Catalog

    @cached_property
    def scene(self) -> EditedScene:
        """Return the room as a scene of its own, to be drawn and counted."""
        return scene_of(self.fragment, self.catalog)

    @property
    def document(self) -> dict[str, Any]:
        """Return the room as the keys of a scene with nothing but this in it."""
        return _document(self.fragment)


def design(room: RoomRequest, catalog: Catalog) -> RoomDesign:
    """Return the design of a room; about 60 ms at 16,384 GPUs.

    Raises
    ------
    RoomError
        When no such room is possible, with the figure to change.
    """
    stack = stack_of(room, catalog)
    fragment = Fragment([_compute(room, stack)])
    lines = _Lines(room, stack)
    fabric = _network(room, stack, catalog, fragment, lines)
    if room.storage:
        fragment.entries["storage"] = [
            {"id": "pfs", "part": STORE_PART, "count": room.storage, "racks": "store"}
        ]
        racks = math.ceil(room.storage / STORE_BOXES)
        fragment.rows.append(lines.line("store", "STORE", "storage", racks))
    plant = _built(fragment, catalog)
    if fabric is not None:
        _cable(fabric, plant, catalog)
    _cooling(room, stack, catalog, fragment, plant)
    means = PowerMeans.of(room.power, room.feeds, room.spare, room.generators)
    fragment.entries["power"] = power_chain(_built(fragment, catalog), catalog, means)
    return RoomDesign(room, fragment, catalog)


def _built(fragment: Fragment, catalog: Catalog) -> Plant:
    try:
        return build(_scenario(fragment), catalog)
    except PlantError as wrong:
        raise RoomError("part", str(wrong)) from None


def _compute(room: RoomRequest, stack: RackStack) -> dict[str, Any]:
    """Return the rows that hold the nodes."""
    racks: dict[str, Any] = {"count": room.racks}
    racks |= {"part": stack.rack} if stack.rack else {}
    racks["pitch"] = metres(room.rack_pitch_m or stack.width_m)
    if not stack.rack:
        racks["nodes"] = [{"part": stack.node.id, "count": stack.nodes, "first_u": stack.first_u}]
    rows: dict[str, Any] = {"id": "gpu"}
    rows |= {"count": room.rows} if room.rows > 1 else {}
    rows["at"] = point(0.0, 0.0)
    rows |= {"pitch": metres(room.row_pitch_m)} if room.rows > 1 else {}
    return rows | {"containment": room.containment, "racks": racks}


class _Lines:
    """Racks for network and storage behind the rows, in lines about as long as a row."""

    def __init__(self, room: RoomRequest, stack: RackStack) -> None:
        self._pitch_m = room.row_pitch_m
        rows_m = room.racks * (room.rack_pitch_m or stack.width_m)
        self._most = max(LEAST_LINE, int(rows_m / CABINET_WIDTH_M + 1e-9))
        self._row, self._taken = room.rows, 0

    def line(self, id: str, label: str, role: str, racks: int) -> dict[str, Any]:
        """Return a generator of racks: beside those present, or in lines of its own."""
        if self._taken and self._taken + racks > self._most:
            self._row, self._taken = self._row + 1, 0
        lines = math.ceil(racks / self._most)
        each = math.ceil(racks / lines)
        rows: dict[str, Any] = {"id": id, "label": label}
        rows |= {"count": lines} if lines > 1 else {}
        rows["at"] = point(self._taken * CABINET_WIDTH_M, self._row * self._pitch_m)
        rows |= {"pitch": metres(self._pitch_m)} if lines > 1 else {}
        rows["facing"] = "north" if self._row % 2 else "alternate" if lines > 1 else "south"
        self._row, self._taken = self._row + lines - 1, each
        return rows | {"racks": {"count": each, "role": role}}


# -- network ----


def _network(
    room: RoomRequest, stack: RackStack, catalog: Catalog, fragment: Fragment, lines: _Lines
) -> dict[str, Any] | None:
    """Add the network and its racks; the cable is chosen once their places are known."""
    found = sized_fabric(room, stack, catalog)
    if found is None:
        return None
    entry, size = found
    fragment.entries["fabrics"] = [entry]
    fragment.rows.append(lines.line("net", "NET", "network", network_racks(size)))
    return entry


def sized_fabric(room: RoomRequest, stack: RackStack, catalog: Catalog) -> tuple[dict[str, Any], Size] | None:
    """Return the network of a room as a file holds it, and its switches; None where there is none to be.

    Raises
    ------
    RoomError
        When no switch of the catalogue has the ports.
    """
    cards, card_bytes_s = cards_of(stack.node, catalog)
    nodes = stack.nodes * room.rows * room.racks
    if room.cabling == "none" or not cards:
        return None
    misfit = tr("no switch of the catalogue has such ports")
    for switch in _switches(room, catalog, card_bytes_s):
        entry = _fabric(room, stack, catalog, switch, nodes * cards, card_bytes_s)
        try:
            size = size_of(Fabric.model_validate(entry), catalog, nodes, cards, card_bytes_s)
        except Misfit as wrong:
            misfit = f"{switch.id}: {wrong.key} {wrong.reason}"
            continue
        if size.up and size.spines // size.spine_groups >= 2 * size.up:
            misfit = tr("{id} has too few ports for its spines to meet all leaves", id=switch.id)
            continue
        return entry, size
    raise RoomError("switch" if room.switch else "cabling", misfit, tr("other switches or a smaller room"))


def _switches(room: RoomRequest, catalog: Catalog, card_bytes_s: float) -> list[SwitchPart]:
    """Return the switches that fit, best first: just fast enough, with most ports."""
    if room.switch:
        if room.switch not in catalog or not isinstance(catalog.part(room.switch), SwitchPart):
            raise RoomError("switch", tr("the catalogue has no switch {switch!r}", switch=room.switch))
        chosen = catalog.switch(room.switch)
        if chosen.port_bandwidth_bytes_s < card_bytes_s * 0.999:
            reason = tr(
                "its ports have {port_bandwidth_bytes_s:.0f} Gb/s",
                port_bandwidth_bytes_s=chosen.port_bandwidth_bytes_s * 8e-09,
            )
            raise RoomError(
                "switch",
                tr(
                    "{reason}, below the NIC line rate of {card_bytes_s:.0f}",
                    reason=reason,
                    card_bytes_s=card_bytes_s * 8e-09,
                ),
                tr("a faster one"),
            )
        return [chosen]
    fast = (catalog.switch(name) for name in catalog.ids("switch"))
    fit = [
        candidate
        for candidate in fast
        if candidate.fabric == "scale-out" and _is_fast(candidate, card_bytes_s)
    ]
    return sorted(fit, key=lambda candidate: (candidate.port_bandwidth_bytes_s, -candidate.ports))


def _is_fast(switch: SwitchPart, card_bytes_s: float) -> bool:
    return switch.port_bandwidth_bytes_s >= card_bytes_s * 0.999


def _fabric(
    room: RoomRequest,
    stack: RackStack,
    catalog: Catalog,
    switch: SwitchPart,
    cables: int,
    card_bytes_s: float,
) -> dict[str, Any]:
    """Return the network as a file holds it: one switch if it has the ports; a unit of a rail has whole racks."""
    homes = 1 if room.network == "N" else 2
    ports = ports_of(catalog, switch.id, card_bytes_s / homes).count
    tier = {"part": switch.id, "racks": "net"}
    entry: dict[str, Any] = {"id": "net-a", "kind": room.cabling, "rows": ["gpu"]}
    entry |= {"homes": homes} if homes > 1 else {}
    if cables <= ports and homes == 1:
        return entry | {"kind": "single-switch", "leaf": tier, "cable": LONGEST_CABLE}
    if room.cabling == "rail-optimised":
        down = down_ports(ports, room.oversubscription)
        entry["unit_nodes"] = max(down // stack.nodes, 1) * stack.nodes if stack.nodes <= down else down
    if room.oversubscription > 1.0:
        entry["oversubscription"] = room.oversubscription
    return entry | {"leaf": tier, "spine": dict(tier), "cable": LONGEST_CABLE}


def network_racks(size: Size) -> int:
    """Return the network racks that hold the switches of a fabric."""
    units = 0
    for ports, count in ((size.leaf, size.leaves * max(1, size.units)), (size.spine, size.spines)):
        units += ports.height_u * count if ports is not None else 0
    return max(1, math.ceil(units / SWITCHES_U))


def _cable(fabric: dict[str, Any], plant: Plant, catalog: Catalog) -> None:
    """Choose the cheapest cable that is long and fast enough for all runs of the fabric."""
    longest_m = float(plant.bundles.length_m.max(initial=0.0))
    fastest_bytes_s = float(plant.bundles.cable_bytes_s.max(initial=0.0))
    try:
        fabric["cable"] = cable_for(catalog, longest_m, fastest_bytes_s)
    except CommandError as wrong:
        raise RoomError("rows", wrong.reason, tr("fewer or shorter rows")) from None


# -- cooling ----


def _cooling(room: RoomRequest, stack: RackStack, catalog: Catalog, fragment: Fragment, plant: Plant) -> None:
    """Add the loops and the facility loop, sized for the heat of nodes and other equipment at design load.

    Switches of a rack part are cooled as its GPUs are. `plant` is the room without its cooling.
    """
    most_w, gear_w = node_design_w(stack.node) * stack.nodes, float(plant.racks.gear_w.max())
    wet_w = most_w * stack.node.liquid_fraction
    dry_w = most_w - wet_w
    wet_w, dry_w = (wet_w + gear_w, dry_w) if wet_w else (0.0, dry_w + gear_w)
    air_w = rack_design_w(plant, catalog)
    air_w[plant.nodes.rack] = dry_w
    names = [str(rows["id"]) for rows in fragment.rows]
    loops = []
    if wet_w:
        loops.append(_coolant(room, stack, catalog, wet_w))
    flow_m3_s = np.zeros(len(air_w))
    flow_m3_s[plant.nodes.rack] = stack.node.airflow_m3_s * stack.nodes
    loops.append(_air(room, catalog, air_w, flow_m3_s, names))
    fragment.entries["cooling.loops"] = loops
    heat_w = wet_w * room.rows * room.racks + float(air_w.sum())
    fragment.entries["cooling.plants"] = [
        facility(catalog, "water", heat_w, room.cooling, f"{WATER_C:g} degC", room.spare)
    ]


def _coolant(room: RoomRequest, stack: RackStack, catalog: Catalog, rack_w: float) -> dict[str, Any]:
    """Return the coolant loops: one per row where CDUs stand in it or the heat requires it.

    The CDU is the part with the least spare capacity.
    """
    count, racks = _split(room, rack_w * room.rows * room.racks)
    flow_m3_s = coolant_m3_s(catalog, stack.node) * stack.nodes * racks

    def needed_of(part: CduPart) -> int:
        return machines_for(part, rack_w * racks, flow_m3_s)

    def units_of(part: CduPart) -> int:
        return installed(needed_of(part), room.cooling, room.spare)

    names = [room.cdu] if room.cdu else list(CDUS[: 1 if room.cdu_in_row else None])
    parts = [_cdu(catalog, cdu) for cdu in names]
    part = min(parts, key=lambda cdu: units_of(cdu) * cdu.capacity_w)
    name, units = part.id, units_of(part)
    entry: dict[str, Any] = {"id": "cdu", "kind": "liquid", "part": name}
    entry |= {"count": count} if count > 1 else {}
    entry |= {"units": units} if units > 1 else {}
    entry |= drives(needed_of(part), units)
    entry |= {"plant": "water", "serves": ["gpu"], "supply": f"{COOLANT_C:g} degC"}
    if room.cdu_in_row:
        width_m, _ = machine_size_m(catalog, name, KINDS["liquid"])
        row_m = room.racks * (room.rack_pitch_m or stack.width_m)
        first_m = row_m + PDU_ROOM_M + (units * (width_m + GAP_M) - GAP_M) / 2
        entry["places"] = {
            f"cdu/{row}": point(first_m, row * room.row_pitch_m + stack.depth_m / 2) for row in range(count)
        }
    return entry


def _cdu(catalog: Catalog, name: str) -> CduPart:
    part = catalog.part(name) if name in catalog else None
    if not isinstance(part, CduPart):
        raise RoomError("cdu", tr("the catalogue has no CDU {name!r}", name=name))
    if part.rejects_to == "room air":
        raise RoomError(
            "cdu", tr("{name} rejects its heat to the room", name=name), tr("one on facility water")
        )
    return part


def _air(
    room: RoomRequest, catalog: Catalog, rack_w: Floats, flow_m3_s: Floats, names: list[str]
) -> dict[str, Any]:
    """Return the air loops, or a rear door for every rack.

    Air mixes between the rows of a hall, so machines are grouped by heat alone: each group has what its heat needs,
    and one spare.
    """
    most_w = float(rack_w.max())
    count, group_w = _air_groups(rack_w, flow_m3_s)
    wall = catalog.part(FAN_WALL)
    assert isinstance(wall, CrahPart)
    large = group_w > (LEAST_FAN_WALLS - 1) * wall.capacity_w
    name = room.air or (FAN_WALL if large else "CRAH-chilled")
    part = catalog.part(name) if name in catalog else None
    entry: dict[str, Any] = {"id": "crah", "kind": "air", "part": name}
    if isinstance(part, RdhxPart):
        if most_w > part.capacity_w:
            reason = tr(
                "takes {capacity_w:g} kW, but a rack gives {most_w:.1f} kW to the air",
                capacity_w=part.capacity_w / 1000.0,
                most_w=most_w / 1000.0,
            )
            raise RoomError("air", f"{name} {reason}", tr("air handlers, or fewer nodes in a rack"))
        entry |= {"id": "door", "kind": "rear-door"}
        needed = units = 1
    elif isinstance(part, CrahPart):
        needed = machines_for(part, group_w)
        units = installed(needed, room.cooling, room.spare)
    else:
        raise RoomError("air", tr("the catalogue has no air handler {name!r}", name=name))
    entry |= {"count": count} if count > 1 else {}
    entry |= ({"units": units} if units > 1 else {}) | drives(needed, units)
    return entry | {"plant": "water", "serves": names, "supply": f"{AIR_C:g} degC"}


def _air_groups(rack_w: Floats, flow_m3_s: Floats) -> tuple[int, float]:
    """Return the number of air loops, and the heat of the largest.

    The fans of the nodes move the air: where a loop had many network racks and few nodes and its delta-T were too high,
    there are fewer loops.
    """
    wanted = min(max(1, round(float(rack_w.sum()) / AIR_GROUP_W)), len(rack_w))
    for count in range(wanted, 0, -1):
        group = shares(len(rack_w), count)
        heat_w, flow = np.bincount(group, rack_w), np.bincount(group, flow_m3_s)
        most_w = RISE_K[LoopKind.AIR] * HEAT_CAPACITY_J_M3K[LoopKind.AIR] * flow
        if (heat_w <= most_w)[flow > 0.0].all():
            break
    return count, float(heat_w.max())


def _split(room: RoomRequest, total_w: float) -> tuple[int, int]:
    """Return the number of coolant loops for some heat, and the racks with nodes of the largest.

    Loops have whole rows, as many as they can carry; only rows that are too hot for one have several.
    """
    row_w = total_w / room.rows
    if room.cdu_in_row or row_w > LOOP_W:
        count = room.rows if room.cdu_in_row else room.rows * max(1, round(row_w / LOOP_W))
    else:
        least = math.ceil(room.rows / (LOOP_W // row_w))
        count = next(loops for loops in range(least, room.rows + 1) if not room.rows % loops)
    count = min(count, room.rows * room.racks)
    return count, math.ceil(room.rows * room.racks / count)


# -- as a scene ----


def _document(fragment: Fragment) -> dict[str, Any]:
    """Return a scene with nothing but this in it."""
    sections = fragment.entries
    document: dict[str, Any] = {
        "format": "twin/scenario",
        "version": 3,
        "catalog": EDITION,
        "title": tr("Room"),
    }
    hall: dict[str, Any] = {"id": "hall", "rows": [_without(rows, "overrides") for rows in fragment.rows]}
    overrides = {item: keys for rows in fragment.rows for item, keys in rows.get("overrides", {}).items()}
    document["halls"] = [hall | ({"overrides": overrides} if overrides else {})]
    document |= {name: sections[name] for name in ("fabrics", "power", "storage") if name in sections}
    loops, plants = sections.get("cooling.loops", []), sections.get("cooling.plants", [])
    return document | ({"cooling": {"plants": plants, "loops": loops}} if loops else {})


def _without(group: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in group.items() if name != key}


def scene_of(fragment: Fragment, catalog: Catalog) -> EditedScene:
    """Return a scene with nothing but this in it."""
    document = _document(fragment)
    if catalog.own_texts:
        document["own_files"] = [text._asdict() for text in catalog.own_texts]
    return EditedScene.of(loads(block(document)), catalog=catalog)


def _scenario(fragment: Fragment) -> Scenario:
    """Return the scenario of a document without its text."""
    return Scenario.model_validate_json(
        json.dumps(_document(fragment)), strict=True, by_alias=True, by_name=False, context=FROM_FILE
    )
