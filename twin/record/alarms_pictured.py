"""Alarms that a frame shows to be over without an event.

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
from twin.record.channels import PowerState
from twin.record.event_kinds import kind_of
from twin.record.frame import Frame


def over_in(plant: Plant, frame: Frame) -> Callable[[Alarm], bool]:
    """Return a function that says whether an alarm is over in a frame.

    Parameters
    ----------
    plant
        The hall of the picture.
    frame
        The frame; without detail no alarm is over.
    """
    values = frame.values

    def over(alarm: Alarm) -> bool:
        kind = kind_of(alarm.kind)
        shows = kind.evidence
        if shows is None:
            return False
        if shows.nodes:
            nodes = _nodes(plant, alarm.subject)
            if nodes is None:  # what is about gear has ends of its own
                return not shows.gear or _is_gone(plant, alarm.subject)
            stand = values["node.condition"][nodes]
            return (
                int(stand[0]) not in shows.nodes if len(stand) == 1 else not np.isin(stand, shows.nodes).any()
            )
        if shows.power:
            found = find(plant, alarm.subject)
            if found is None or found[0] != "power":
                return found is None
            state, charge = (values[f"power.{name}"][found[1]] for name in ("state", "charge"))
            return PowerState(int(state)) not in shows.power and (not shows.charged or float(charge) > 0.0)
        if shows.throttle:
            gpus = _gpus(plant, alarm.subject)
            return gpus is None or not (values["gpu.throttle"][gpus].astype(np.int64) & shows.throttle).any()
        return shows.gear and _is_gone(plant, alarm.subject)

    fits = len(values["node.condition"]) == len(plant.nodes.ids)
    return over if frame.detail and fits else lambda alarm: False


def _is_gone(plant: Plant, subject: str) -> bool:
    return "/" in subject and find(plant, subject) is None and find_link(plant, subject) is None


def _nodes(plant: Plant, subject: str) -> NDArray[np.integer] | None:
    """Return the nodes of a place; None for any other id."""
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
    inside_place = inside[kind] if kind in inside else racks.hall[nodes.rack] == slot
    return np.flatnonzero(inside_place & nodes.present)


def _gpus(plant: Plant, subject: str) -> NDArray[np.intp] | None:
    """Return the GPUs that a loop cools, or the named one; None: it no longer exists."""
    kind, slot = find(plant, subject) or ("", -1)
    if kind == "gpu":
        return np.array([slot])
    if kind != "loop":
        return None
    return np.flatnonzero((plant.nodes.loop[plant.gpus.node] == slot) & plant.gpus.present)
