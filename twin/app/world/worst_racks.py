"""The racks of a hall that are worst by what colours the hall: the first places to look."""

from __future__ import annotations

import numpy as np

from twin.app.world.rows import FactRow, World, gpus_of, number_text
from twin.language import counted
from twin.record.channels import BY_ID, State
from twin.view3d.base.ownership import GROUPED

MOST = 10
_LIVELESS = (State.FAILED, State.OFF, State.UNPOWERED, State.ABSENT)


def worst_racks(world: World, hall: int) -> list[FactRow]:
    """Return ten racks at most, the worst first: by their worst GPU that works, else by how many have failed.

    Where it is no quantity that colours the hall, only racks with failed GPUs are listed.
    """
    frame, plant = world.frame, world.plant
    if frame is None:
        return []
    gpus = gpus_of(plant, "hall", hall)
    gpus = gpus[gpus < len(frame.values["gpu.state"])]
    state, rack = np.asarray(frame.values["gpu.state"])[gpus], plant.gpus.rack[gpus]
    racks, place = np.unique(rack, return_inverse=True)
    failed = np.bincount(place, state == State.FAILED, len(racks)).astype(int)
    quantity = world.colour_by not in (*GROUPED, "gpu.state", "gpu.throttle")
    if not quantity:
        order = np.argsort(-failed, kind="stable")[:MOST]
        return [
            FactRow(plant.racks.ids[racks[k]], _failed(failed[k]), plant.racks.ids[racks[k]])
            for k in order.tolist()
            if failed[k]
        ]
    channel = BY_ID[world.colour_by]
    works = ~np.isin(state, _LIVELESS)
    sign = -1.0 if channel.low_is_worse else 1.0
    worst = np.full(len(racks), -np.inf)
    np.maximum.at(worst, place[works], sign * np.asarray(frame.values[channel.id], float)[gpus[works]])
    order = np.lexsort((racks, -failed, -worst))[:MOST]
    rows = []
    for k in order.tolist():
        words = [number_text(channel, sign * worst[k])] if np.isfinite(worst[k]) else []
        words += [_failed(failed[k])] if failed[k] else []
        id = plant.racks.ids[racks[k]]
        if words:
            rows.append(FactRow(id, ", ".join(words), id, channel=channel.id))
    return rows


def _failed(count: int) -> str:
    return f"✖ {counted(int(count), 'GPU')}"
