"""The worst racks of a hall, by what colours it: the same as counted one by one."""

from __future__ import annotations

import numpy as np
import pytest

from twin.app.world.rows import World
from twin.app.world.worst_racks import MOST, worst_racks
from twin.catalog import load_catalog
from twin.plant.tables import Plant
from twin.record.channels import State
from twin.record.frame import Frame
from twin.scenario import load
from twin.view3d.view.bench_hall import frame_of, hall_of


def _world(plant: Plant, frame: Frame, colour_by: str) -> World:
    return World(load("builtin:lab-16"), plant, load_catalog(), frame, (), colour_by)


@pytest.mark.parametrize("colour_by", ["gpu.temp_c", "gpu.clock_mhz"])
def test_racks_come_by_their_worst_gpu_that_works(colour_by: str) -> None:
    plant = hall_of(512, racks_per_row=4, halls=2)
    frame = frame_of(plant)
    frame.values["gpu.state"][100:104] = State.FAILED
    state, values = frame.values["gpu.state"], frame.values[colour_by]
    lives = ~np.isin(state, [State.FAILED, State.OFF, State.UNPOWERED])
    worst = {}
    for rack in np.flatnonzero(plant.racks.hall == 1).tolist():
        gpus = np.flatnonzero((plant.gpus.rack == rack) & lives)
        worst[plant.racks.ids[rack]] = (min if colour_by == "gpu.clock_mhz" else max)(values[gpus])
    rows = worst_racks(_world(plant, frame, colour_by), 1)
    assert len(rows) == MOST
    wanted = sorted(worst.values(), reverse=colour_by != "gpu.clock_mhz")[:MOST]
    assert [worst[row.link] for row in rows] == wanted
    assert all(row.link == row.label for row in rows)


def test_without_a_quantity_racks_come_by_what_has_failed() -> None:
    plant = hall_of(512, racks_per_row=4, halls=2)
    frame = frame_of(plant)
    frame.values["gpu.state"][:] = State.RUNNING
    first, second = np.flatnonzero(plant.racks.hall == 0)[[3, 7]].tolist()
    for rack, count in ((first, 1), (second, 5)):
        frame.values["gpu.state"][np.flatnonzero(plant.gpus.rack == rack)[:count]] = State.FAILED
    rows = worst_racks(_world(plant, frame, "gpu.state"), 0)
    assert [(row.link, row.value) for row in rows] == [
        (plant.racks.ids[second], "✖ 5 GPUs"),
        (plant.racks.ids[first], "✖ 1 GPU"),
    ]
    assert worst_racks(_world(plant, frame, "gpu.state"), 1) == []
