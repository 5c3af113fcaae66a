"""PDUs without a place of their own stand side by side past their row's end, clear of all else on the floor."""

from __future__ import annotations

import numpy as np
import pytest

from twin.catalog import Catalog, load_catalog
from twin.commands.room.room import RoomRequest, design
from twin.plant.build import build
from twin.plant.row_ends import PDU_DEPTH_M, PDU_WIDTH_M, TOUCH_M
from twin.plant.tables import LoopKind, Plant
from twin.resources import folder
from twin.scenario import load, loads

_ROW = """\
format: twin/scenario
version: 3
catalog: "2026.11"
title: One row
halls:
  - id: hall
    rows:
      - {id: gpu, racks: {count: 4, nodes: [{part: DGX-H100, count: 4}]}}
power:
  - {id: pdu-a, kind: pdu, part: floor-PDU, count: 2, feeds: [gpu]PLACES}
  - {id: pdu-b, kind: pdu, part: floor-PDU, count: 2, feeds: [gpu]}
"""


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog()


def struck(plant: Plant) -> list[tuple[str, str]]:
    """Return every PDU that feeds a rack or a loop and what it stands in."""
    power, racks, machines, loops = plant.power, plant.racks, plant.machines, plant.loops
    feeds = np.unique(np.concatenate([racks.feed_a, racks.feed_b, loops.feed_a, loops.feed_b]))
    cabinets = [k for k in feeds[feeds >= 0].tolist() if power.kind[k] == "pdu"]
    boxes = [(power.ids[k], power.x_m[k], power.y_m[k], PDU_WIDTH_M, PDU_DEPTH_M) for k in cabinets]
    others = [
        (racks.ids[k], racks.x_m[k], racks.y_m[k], racks.width_m[k], racks.depth_m[k])
        for k in np.flatnonzero(racks.present).tolist()
    ]
    others += [
        (f"machine {k}", machines.x_m[k], machines.y_m[k], machines.width_m[k], machines.depth_m[k])
        for k in range(len(machines.loop))
        if plant.loops.kind[machines.loop[k]] != LoopKind.REAR_DOOR
    ]
    return [
        (one[0], other[0])
        for place, one in enumerate(boxes)
        for other in [*boxes[place + 1 :], *others]
        if abs(one[1] - other[1]) < (one[3] + other[3]) / 2 - 2 * TOUCH_M
        and abs(one[2] - other[2]) < (one[4] + other[4]) / 2 - 2 * TOUCH_M
    ]


@pytest.mark.parametrize("name", ["pump-trip", "superpod-h100", "fat-tree-1k", "video-ingest", "llama3-16k"])
def test_no_pdu_of_a_shipped_scene_stands_in_anything(name: str, catalog: Catalog) -> None:
    scenario = load(folder("scenes") / f"{name}.twin.yaml").scenario
    assert not struck(build(scenario, catalog))


@pytest.mark.parametrize(
    "room",
    [
        RoomRequest(),
        RoomRequest(rows=4, part="GB200-NVL72", storage=6),
        RoomRequest(rows=4, part="GB200-NVL72", storage=6, cdu_in_row=True),
        RoomRequest(rows=3, racks=20, storage=4),
        RoomRequest(rows=8, racks=8, part="GB200-NVL72", cabling="none"),
        RoomRequest(rows=2, racks=8, cabling="none"),
    ],
)
def test_no_pdu_of_a_room_stands_in_anything(room: RoomRequest, catalog: Catalog) -> None:
    assert not struck(design(room, catalog).scene.plant)


def test_feeds_stand_on_two_sides_and_the_next_of_a_feed_behind_the_first(catalog: Catalog) -> None:
    plant = build(loads(_ROW.replace("PLACES", "")).scenario, catalog)
    power, end_m, y_m = plant.power, float(plant.rows.x1_m[0]), float(plant.rows.y_m[0])
    assert power.ids == ["pdu-a/0", "pdu-a/1", "pdu-b/0", "pdu-b/1"]
    assert np.allclose(power.x_m - end_m, [0.75, 1.45, 0.75, 1.45])
    assert np.allclose(power.y_m - y_m, [-0.5, -0.5, 0.5, 0.5])


def test_what_somebody_placed_stays_and_the_others_keep_clear_of_it(catalog: Catalog) -> None:
    free = build(loads(_ROW.replace("PLACES", "")).scenario, catalog)
    x_m, y_m = float(free.power.x_m[0]), float(free.power.y_m[0])
    said = f', places: {{pdu-a/1: {{x: "{x_m} m", y: "{y_m} m"}}}}'
    plant = build(loads(_ROW.replace("PLACES", said)).scenario, catalog)
    assert (plant.power.x_m[1], plant.power.y_m[1]) == pytest.approx((x_m, y_m))
    assert plant.power.x_m[0] > x_m + PDU_WIDTH_M - TOUCH_M
    assert not struck(plant)


@pytest.mark.parametrize(("name", "floor_m"), [("superpod-h100", 11.4), ("llama3-16k", 22.2)])
def test_the_floor_does_not_grow_for_those_that_are_drawn_behind_it(
    name: str, floor_m: float, catalog: Catalog
) -> None:
    plant = build(load(folder("scenes") / f"{name}.twin.yaml").scenario, catalog)
    assert float(plant.halls.x1_m[0]) == pytest.approx(floor_m)
