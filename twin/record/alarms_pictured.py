"""Alarms that the picture of the hall shows to be over though no event says so.

Of a rack broken by hand each node comes back by itself, and no event counts them; of a part of the power tree only the
uppermost item is told when it comes back; what a restart mends, a hang and what is carried away end without a word.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from twin.plant.find import find
from twin.plant.links import find_link
from twin.plant.tables import Plant
from twin.record.alarms import Alarm
from twin.record.channels import NodeCondition, PowerState
from twin.record.frame import Frame

_DOWN = (
    NodeCondition.IN_REPAIR,
    NodeCondition.NO_PART,
    NodeCondition.NO_HANDS,
    NodeCondition.BURN_IN,
    NodeCondition.REPLACED,
)
_CONDITIONS: dict[str, tuple[NodeCondition, ...]] = {
    "failure": _DOWN,
    "injected_failure": _DOWN,
    "node_found": _DOWN,
    "lemon_out": (*_DOWN, NodeCondition.LEMON),
    "shutdown": (*_DOWN, NodeCondition.OFF),
    "nodes_unpowered": (*_DOWN, NodeCondition.UNPOWERED),
}
"""Alarms about nodes, and how at least one of them stands while they last."""
_OF_GEAR = frozenset(
    (
        "fabric_fault",
        "node_degraded",
        "power_failure",
        "breaker_trip",
        "psu_loss",
        "pump_stop",
        "fans_stop",
        "valve_stuck",
        "leak",
        "leak_shut",
        "supply_warm",
        "blocked_plate",
        "bad_contact",
        "power_brake_on",
    )
)
"""Alarms about things that may be carried away, which ends them."""
_DARK = (PowerState.DEAD, PowerState.TRIPPED, PowerState.FAILED)
_HEAT = 0x20 | 0x40
"""Bits of the throttle reason (NVML): slowed by heat."""


def over_in(plant: Plant, frame: Frame) -> Callable[[Alarm], bool]:
    """Return what tells whether an alarm is over in a picture.

    Parameters
    ----------
    plant
        The hall of the picture.
    frame
        The picture; without detail it tells nothing.
    """
    values = frame.values

    def over(alarm: Alarm) -> bool:
        kind = alarm.kind
        if kind in _CONDITIONS:
            nodes = _nodes(plant, alarm.subject)
            if nodes is None:  # failures of switches, links and gear have ends of their own
                return kind != "failure" or _is_gone(plant, alarm.subject)
            stand, meant = values["node.condition"][nodes], _CONDITIONS[kind]
            return int(stand[0]) not in meant if len(stand) == 1 else not np.isin(stand, meant).any()
        found = find(plant, alarm.subject)
        if kind in ("power_lost", "battery_empty", "on_battery"):
            if found is None or found[0] != "power":
                return found is None
            state = PowerState(int(values["power.state"][found[1]]))
            if kind == "on_battery":
                return state != PowerState.ON_BATTERY
            return state not in _DARK and (kind == "power_lost" or values["power.charge"][found[1]] > 0.0)
        if kind == "throttle_on":
            gpus = _gpus(plant, alarm.subject)
            return gpus is None or not (values["gpu.throttle"][gpus].astype(np.int64) & _HEAT).any()
        return kind in _OF_GEAR and _is_gone(plant, alarm.subject)

    fits = len(values["node.condition"]) == len(plant.nodes.ids)
    return over if frame.detail and fits else lambda alarm: False


def _is_gone(plant: Plant, subject: str) -> bool:
    return "/" in subject and find(plant, subject) is None and find_link(plant, subject) is None


def _nodes(plant: Plant, subject: str) -> NDArray[np.integer] | None:
    """Return the nodes of a place; None: it is none."""
    nodes, racks = plant.nodes, plant.racks
    if subject == "site":
        return np.flatnonzero(nodes.present)
    kind, slot = find(plant, subject) or ("", -1)
    if kind == "node":
        return np.array([slot])
    if kind == "gpu":
        return plant.gpus.node[slot : slot + 1]
    if kind not in ("rack", "row", "hall"):
        return None
    inside = {"rack": nodes.rack == slot, "row": racks.row[nodes.rack] == slot}
    mine = inside[kind] if kind in inside else racks.hall[nodes.rack] == slot
    return np.flatnonzero(mine & nodes.present)


def _gpus(plant: Plant, subject: str) -> NDArray[np.intp] | None:
    """Return the GPUs that a loop cools, or the one that is named; None: there is no such thing any more."""
    kind, slot = find(plant, subject) or ("", -1)
    if kind == "gpu":
        return np.array([slot])
    if kind != "loop":
        return None
    return np.flatnonzero((plant.nodes.loop[plant.gpus.node] == slot) & plant.gpus.present)
