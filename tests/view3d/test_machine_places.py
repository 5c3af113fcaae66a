"""Flights to machines, machines on free cooling, PDUs out of the way, one scale of coolant: no GL."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from twin.plant.build import build
from twin.plant.geometry import build_geometry
from twin.plant.tables import Plant
from twin.record.frame import Frame
from twin.scenario import load
from twin.view3d.base import palette
from twin.view3d.base.bounds import Box, box_of
from twin.view3d.base.camera import eye_m, project
from twin.view3d.base.palette import COLDEST_C, HOTTEST_C, coolant_rgb
from twin.view3d.base.state import CameraPose
from twin.view3d.colour.legend import coolant_legend
from twin.view3d.colour.machine_state import CoolingShown
from twin.view3d.colour.power_state import branch_of
from twin.view3d.layers.close_detail import HANDLE_M, NearTrays
from twin.view3d.place.picking import ROOM_M, Picker
from twin.view3d.place.presets import _corners, before_machines, open_side
from twin.view3d.place.site_plan import MOST_AT_ROW_END, site_plan
from twin.view3d.view.bench_hall import frame_of

SCENES = Path(__file__).parents[2] / "scenes"


def plant_of(scene: str) -> Plant:
    return build(load(SCENES / f"{scene}.twin.yaml").scenario)


@pytest.mark.parametrize("scene", ["superpod-h100", "pump-trip", "llama3-16k"])
def test_a_flight_ends_before_the_whole_machine_and_outside_of_everything(scene: str) -> None:
    plant = plant_of(scene)
    geometry = build_geometry(plant)
    plan = site_plan(plant, geometry, open_side(plant))
    picker = Picker(plant, geometry, plan)
    boxes: dict[str, Box | None] = {loop: box_of(plant, geometry, loop) for loop in plant.loops.ids[:4]}
    boxes |= {plant.power.ids[k]: plan.item_box(k) for k in range(0, len(plant.power.ids), 37)}
    boxes |= {plant.plants.ids[0]: plan.plant_box(0)}
    for id, box in boxes.items():
        assert box is not None, id
        pose = before_machines(CameraPose((0, 0, 0), 9.0, 0, 20), plant, [box], picker, 1.6)
        eye = eye_m(pose)
        out = np.maximum(np.maximum(picker.low.T - eye, eye - picker.high.T), 0.0)
        assert np.linalg.norm(out, axis=1).min() >= ROOM_M, id
        shown = project(pose, _corners(*box), 1600, 1000)
        assert (shown[:, 2] > 0.1).all(), id
        assert ((shown[:, :2] > 0) & (shown[:, :2] < [1600, 1000])).all(), id
        assert picker.seen(eye, _corners(*box), box).mean() >= 0.5, id


def test_no_row_stands_behind_its_pdus() -> None:
    plant = plant_of("llama3-16k")
    plan = site_plan(plant, build_geometry(plant), open_side(plant))
    pdus = np.array([kind == "pdu" for kind in plant.power.kind]) & plant.power.present
    halls = plant.halls
    middle = (plan.low + plan.high)[pdus, :2] / 2
    at_rows = (middle[:, 1] > halls.y0_m.min()) & (middle[:, 1] < halls.y1_m.max())
    assert at_rows.sum() <= MOST_AT_ROW_END * len(plant.rows.ids)
    low, high = plan.low[plant.power.present], plan.high[plant.power.present]
    for k in range(len(low)):
        meets = ((low[k] < high - 1e-6) & (low < high[k] - 1e-6)).all(axis=1)
        assert meets.sum() == 1


def cooling_frame(plant: Plant, *, units: int, free: float, supply_c: float) -> Frame:
    frame = frame_of(plant)
    values = frame.values
    values["plant.units"][:], values["plant.free"][:], values["plant.supply_c"][:] = units, free, supply_c
    values["plant.flow"][:], values["loop.flow"][:], values["loop.heat_w"][:] = 100.0, 100.0, 1e5
    return frame


def test_machines_on_free_cooling_are_alive_and_tripped_ones_are_not() -> None:
    plant = plant_of("superpod-h100")
    set_c = float(plant.plants.supply_c[0])
    free = CoolingShown.of(plant, cooling_frame(plant, units=0, free=100, supply_c=set_c))
    assert free.free.all()
    assert not free.dead.any()
    tripped = CoolingShown.of(plant, cooling_frame(plant, units=0, free=0, supply_c=set_c))
    assert tripped.dead.all()
    warm = CoolingShown.of(plant, cooling_frame(plant, units=0, free=100, supply_c=set_c + 9))
    assert warm.dead.all()
    runs = CoolingShown.of(plant, cooling_frame(plant, units=1, free=0, supply_c=set_c + 9))
    assert not runs.dead.any()
    dry = cooling_frame(plant, units=0, free=100, supply_c=set_c)
    dry.values["plant.flow"][:] = 0
    assert CoolingShown.of(plant, dry).dead.all()


def test_coolant_has_one_fixed_scale_that_tells_supply_temperatures_apart() -> None:
    cool, warm = coolant_rgb(np.array([27.0, 39.0]))
    assert np.abs(cool - warm).max() > 0.25
    ends = coolant_rgb(np.array([-5.0, COLDEST_C, HOTTEST_C, 95.0]))
    assert np.array_equal(ends[0], ends[1])
    assert np.array_equal(ends[2], ends[3])
    legend = coolant_legend()
    assert (legend.low, legend.high) == (COLDEST_C, HOTTEST_C)
    assert np.allclose(legend.stops[-1][1], palette.ramp("turbo", np.array([1.0]))[0])


def test_a_branch_is_what_an_item_hangs_on_and_what_hangs_on_it() -> None:
    plant = plant_of("superpod-h100")
    ids = plant.power.ids
    branch = {ids[k] for k in np.flatnonzero(branch_of(plant, [ids.index("ups-a/0")]))}
    assert {"utility/0", "main/0", "trafo-a/0", "ups-a/0", "pdu-a/0"} <= branch
    assert not any(id.startswith(("ups-b", "trafo-b", "pdu-b")) for id in branch)


def test_handles_stand_on_their_own_nodes() -> None:
    plant = plant_of("frontier")
    geometry = build_geometry(plant)
    trays = NearTrays.__new__(NearTrays)
    trays.plant, trays.geometry = plant, geometry
    columns = geometry.node_tiles.columns
    nodes = np.flatnonzero(plant.nodes.present)[:64]
    assert columns[nodes].max() > 1
    left, right = (trays.handles(nodes, side)["a_low"][:, 0] for side in (-1.0, 1.0))
    apart = right - left - HANDLE_M[0]
    wide = plant.racks.width_m[plant.nodes.rack[nodes]] / columns[nodes]
    beside = columns[nodes] > 1
    assert (apart[beside] < wide[beside]).all()
    pairs = np.unique(np.round(left[beside], 3))
    assert len(pairs) >= columns[nodes].max()
