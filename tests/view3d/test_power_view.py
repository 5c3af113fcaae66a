"""Power paths, gear and lamps on screen: load is colour, states have a pattern and a word, a click selects gear."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from twin import scenario
from twin.plant.build import build
from twin.plant.geometry import Geometry, build_geometry
from twin.plant.tables import Plant
from twin.record.channels import PowerState
from twin.record.frame import Frame, FrameLayout
from twin.scenario.schema.document import Scenario
from twin.view3d.base import camera, palette
from twin.view3d.base.highlight import Lit, Reach
from twin.view3d.base.state import SHOWN_AT_FIRST, CameraPose, ViewState
from twin.view3d.colour.machine_state import CoolingShown, badges
from twin.view3d.colour.power_state import DEAD_RGB, ICON, WORDS, Pattern, PowerShown
from twin.view3d.layers.outdoor_gear import gear_quads
from twin.view3d.layers.power_paths import duct_mesh
from twin.view3d.place.power_lines import feed_of_items, power_lines
from twin.view3d.place.site_plan import SitePlan, site_plan, with_yard_pipes
from twin.view3d.view.hall_view import HallView

MakeView = Callable[..., HallView]


@pytest.fixture(scope="module")
def fed() -> Plant:
    """Two rows of four racks on feeds A and B, two UPS, a dry cooler, two liquid loops."""
    stages: list[dict[str, object]] = [{"id": "grid", "kind": "utility"}]
    for feed in ("a", "b"):
        stages.append({"id": f"ups-{feed}", "kind": "ups", "from": "grid", "capacity": "1 MW"})
        stages.append(
            {
                "id": f"pdu-{feed}",
                "kind": "pdu",
                "count": 2,
                "from": f"ups-{feed}",
                "feeds": ["gpu"],
                "capacity": "400 kW",
            }
        )
    return build(
        Scenario.model_validate(
            {
                "format": "twin/scenario",
                "version": 3,
                "catalog": "2026.11",
                "title": "Fed twice",
                "halls": [
                    {
                        "id": "hall",
                        "rows": [{"id": "gpu", "count": 2, "racks": {"count": 4, "part": "GB200-NVL72"}}],
                    }
                ],
                "power": stages,
                "cooling": {
                    "plants": [{"id": "water"}],
                    "loops": [
                        {
                            "id": "cdu",
                            "kind": "liquid",
                            "part": "CDU-inrow-1350",
                            "count": 2,
                            "pumps": 2,
                            "plant": "water",
                            "serves": ["gpu"],
                        }
                    ],
                },
            }
        )
    )


@pytest.fixture(scope="module")
def fed_geometry(fed: Plant) -> Geometry:
    return build_geometry(fed)


@pytest.fixture(scope="module")
def plan(fed: Plant, fed_geometry: Geometry) -> SitePlan:
    return site_plan(fed, fed_geometry, -1.0)


def frame_of(plant: Plant) -> Frame:
    counts = {
        "gpu": len(plant.gpus.present),
        "node": len(plant.nodes.present),
        "rack": len(plant.racks.present),
        "power": len(plant.power.ids),
        "loop": len(plant.loops.ids),
        "hall": 1,
        "plant": 1,
        "site": 1,
    }
    frame = Frame.empty(FrameLayout(counts, plant.epoch))  # type: ignore[arg-type]
    values = frame.values
    values["gpu.temp_c"][:], values["gpu.state"][:] = 55.0, 3
    values["power.load"][:] = 50.0
    values["loop.flow"][:], values["loop.pumps"][:] = 100.0, plant.loops.pumps
    values["loop.supply_c"][:], values["loop.return_c"][:] = 28.0, 40.0
    values["plant.flow"][:], values["plant.units"][:] = 100.0, plant.plants.units
    values["plant.supply_c"][:], values["plant.return_c"][:] = 24.0, 32.0
    return frame


def item(plant: Plant, id: str) -> int:
    return plant.power.ids.index(id)


# -- without GL ----


def test_every_item_has_a_way_up_and_a_feed(fed: Plant, fed_geometry: Geometry, plan: SitePlan) -> None:
    drawn = power_lines(fed, fed_geometry, plan.low, plan.high)
    ways = set(zip(drawn.item.tolist(), drawn.above.tolist(), strict=True))
    for child, parent in enumerate(fed.power.parent.tolist()):
        assert parent < 0 or (child, parent) in ways
    feed = feed_of_items(fed)
    assert feed[item(fed, "ups-a/0")] == 0
    assert feed[item(fed, "ups-b/0")] == 1
    assert feed[item(fed, "grid/0")] == -1
    steps = np.abs(np.diff(drawn.lines.points, axis=0))
    inside = np.ones(len(steps), bool)
    inside[drawn.lines.first[1:-1] - 1] = False
    assert ((steps[inside] > 1e-6).sum(axis=1) <= 1).all()  # every piece runs along one axis
    mesh = duct_mesh(drawn)
    assert np.isfinite(mesh["a_position"]).all()
    assert len(mesh) == 24 * int(inside.sum())


def test_gear_stands_apart_and_out_of_the_hall(fed: Plant, plan: SitePlan) -> None:
    standing = [k for k in range(len(fed.power.ids)) if not plan.hung[k]]
    boxes = [(plan.low[k], plan.high[k]) for k in standing]
    boxes += list(zip(plan.yard.low, plan.yard.high, strict=True))
    for n, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:n]:
            assert (low >= other_high - 1e-6).any() or (high <= other_low + 1e-6).any()
    assert (plan.yard.high[:, 0] < fed.halls.x0_m.min()).all()
    assert plan.low[item(fed, "ups-a/0"), 1] > fed.halls.y1_m[0]


def test_pipes_reach_the_yard_in_flow_direction(fed_geometry: Geometry, plan: SitePlan) -> None:
    pipes = with_yard_pipes(fed_geometry.pipes, plan.yard)
    assert len(pipes.lines) > len(fed_geometry.pipes.lines)
    assert len(pipes.kind) == len(pipes.radius_m) == len(pipes.lines)
    ends_x = pipes.lines.points[pipes.lines.first[1:] - 1, 0]
    begins_x = pipes.lines.points[pipes.lines.first[:-1], 0]
    outside = np.arange(len(pipes.lines)) >= len(fed_geometry.pipes.lines)
    assert (begins_x[outside & (pipes.kind == 0)] < ends_x[outside & (pipes.kind == 0)]).all()
    assert (begins_x[outside & (pipes.kind == 1)] > ends_x[outside & (pipes.kind == 1)]).all()


def test_every_state_has_an_icon_a_word_and_a_pattern(fed: Plant) -> None:
    assert set(ICON) == set(WORDS) == set(PowerState)
    frame = frame_of(fed)
    frame.values["power.state"][0] = PowerState.DEAD
    frame.values["power.state"][1] = PowerState.OVERLOAD
    shown = PowerShown.of(fed, frame)
    assert shown.pattern()[:3].tolist() == [Pattern.DASHED, Pattern.HAZARD, Pattern.PLAIN]
    assert shown.rgb()[0].tolist() == list(DEAD_RGB)
    assert shown.unwell.sum() == 2


def test_what_is_not_well_is_named_the_worst_first(fed: Plant, plan: SitePlan) -> None:
    frame = frame_of(fed)
    well = badges(fed, CoolingShown.of(fed, frame), PowerShown.of(fed, frame), plan.tops_m)
    assert well == []
    frame.values["loop.pumps"][0], frame.values["loop.flow"][0] = 1, 75.0
    frame.values["power.state"][item(fed, "ups-a/0")] = PowerState.FAILED
    named = badges(fed, CoolingShown.of(fed, frame), PowerShown.of(fed, frame), plan.tops_m)
    assert [badge.weight for badge in named] == [2, 1]
    assert "ups-a/0: failed" in named[0].text
    assert "1 of 2 pumps, 75 % flow" in named[1].text


def test_frames_of_older_runs_let_plants_flow_as_their_loops_do(fed: Plant) -> None:
    frame = frame_of(fed)
    for name in ("plant.flow", "plant.units", "loop.pumps"):
        frame.values[name][:] = 0
    frame.values["loop.flow"][:] = [100.0, 50.0]
    shown = CoolingShown.of(fed, frame)
    assert shown.plant_flow.tolist() == [75.0]
    assert shown.pumps.tolist() == [2, 1]


# -- with GL ----


@pytest.fixture
def view(make_view: MakeView, qapp: QApplication, fed: Plant) -> HallView:
    made = make_view(ViewState(layers=SHOWN_AT_FIRST - {"labels"}))
    made.set_plant(fed)
    qapp.processEvents()
    made.set_frame(frame_of(fed))
    return made


def changed(one: np.ndarray, other: np.ndarray) -> int:
    return int((np.abs(one.astype(int) - other.astype(int)).max(axis=2) > 40).sum())


@pytest.mark.gl
def test_the_layer_shows_itself_when_power_is_selected_or_fails(view: HallView, fed: Plant) -> None:
    plain = view.grab()
    assert not view.shows_power
    view.state.selection = ("pdu-a/0",)
    assert view.shows_power
    assert changed(view.grab(), plain) > 400
    view.state.selection = ()
    frame = frame_of(fed)
    frame.values["power.state"][item(fed, "pdu-a/0")] = PowerState.TRIPPED
    view.set_frame(frame)
    assert view.shows_power
    assert changed(view.grab(), plain) > 400
    view.set_frame(frame_of(fed))
    assert not view.shows_power


@pytest.mark.gl
def test_a_busway_takes_the_colour_of_its_load_and_dashes_when_dead(view: HallView, fed: Plant) -> None:
    view.state.layers = frozenset({"power"})
    view.grab()  # lines are made when they are drawn
    lines = view.scene.power.drawn.lines
    middle = lines.points[lines.first[0] : lines.first[1]].mean(axis=0)
    view.state.camera = CameraPose(tuple(middle.tolist()), 2.5, -60.0, 60.0, 30.0)

    def row() -> np.ndarray:
        picture = view.grab()
        high, wide = picture.shape[:2]
        return (
            picture[high // 2 - 2 : high // 2 + 2, wide // 2 - 3 : wide // 2 + 3].reshape(-1, 3).mean(axis=0)
        )

    seen = []
    for load in (10.0, 60.0, 110.0):
        frame = frame_of(fed)
        frame.values["power.load"][:] = load
        view.set_frame(frame)
        seen.append(row())
    assert seen[0][2] > seen[0][1]  # violet
    assert seen[2][0] > seen[0][0]
    assert seen[2][1] > seen[1][1] > seen[0][1]  # towards yellow
    frame.values["power.state"][:] = PowerState.DEAD
    frame.values["power.load"][:] = 0.0
    view.set_frame(frame)
    grey = view.grab()
    assert (grey.max(axis=2).astype(int) - grey.min(axis=2) > 70).mean() < 0.02  # no colour is left


def red(picture: np.ndarray) -> int:
    return int(((picture[..., 0] > 110) & (picture[..., 1] < 0.25 * picture[..., 0])).sum())


@pytest.mark.gl
def test_still_water_is_marked_and_does_not_move(view: HallView, fed: Plant) -> None:
    view.state.layers = frozenset({"pipes"})
    frame = frame_of(fed)
    flowing = view.grab()
    frame.values["loop.flow"][:] = 0.0
    frame.values["loop.pumps"][:] = 0
    view.set_frame(frame)
    still = view.grab()
    assert red(still) > red(flowing) + 30
    frame.values["plant.flow"][:] = 0.0
    view.set_frame(frame)
    first = view.grab()
    assert not view.scene.coolant.advance(0.3)
    assert changed(view.grab(), first) == 0


@pytest.mark.gl
def test_a_stopped_pump_shows_on_its_machine(view: HallView, fed: Plant) -> None:
    view.state.layers = frozenset({"racks"})
    loops = fed.loops
    at = (float(loops.x_m[0]), float(loops.y_m[0]), float(loops.height_m[0]) - 0.2)
    view.state.camera = CameraPose(at, 3.0, -100.0, 10.0, 40.0)
    both = view.grab().astype(int)
    frame = frame_of(fed)
    frame.values["loop.pumps"][0] = 1
    view.set_frame(frame)
    one = view.grab().astype(int)
    lost = (both[..., 1] > 150) & (both[..., 0] < 120) & (one[..., 1] < 120)
    assert lost.sum() > 20


@pytest.mark.gl
def test_gear_is_picked_and_outlined(view: HallView, fed: Plant) -> None:
    for id, kind in (("ups-a/0", "power"), ("water", "plant")):
        view.fly_to(id, animate=False)
        box = view.standing(id)
        assert box is not None
        x, y, _ = camera.project(view.pose, ((box[0] + box[1]) / 2)[None], *view.canvas.size)[0]
        hit = view.pick(float(x), float(y))
        assert hit is not None
        assert (hit.kind, hit.id) == (kind, id)


@pytest.mark.gl
def test_the_reach_of_a_fault_colours_gpus_and_a_trace_lets_the_rest_fade(view: HallView, fed: Plant) -> None:
    nodes = len(fed.nodes.ids)
    lost, thinned = np.zeros(nodes, bool), np.zeros(nodes, bool)
    lost[: nodes // 2], thinned[nodes // 2 :] = True, True
    before = view.grab()
    view.light(None, Reach(lost, thinned))
    codes = view.values.staging.reshape(-1)[: len(fed.gpus.present)]
    assert set(codes.tolist()) == {palette.LOST, palette.THINNED}
    assert changed(view.grab(), before) > 1000
    view.light(
        Lit(power_a=(item(fed, "pdu-a/0"), item(fed, "ups-a/0")), loops=(0,), plants=(0,)), None, ["cdu/0"]
    )
    assert view.shows_power
    assert changed(view.grab(), before) > 500
    view.light()
    assert not view.shows_power
    assert changed(view.grab(), before) < 50


@pytest.mark.parametrize("name", ["lab-16", "llama3-16k", "blackout"])
def test_no_load_bar_lies_over_its_lamp(name: str) -> None:
    plant = build(scenario.load(f"builtin:{name}").scenario)
    quads = gear_quads(plant, site_plan(plant, build_geometry(plant), -1.0))
    bars, lamps = quads.corners.reshape(2, -1, 4, 3)
    right = bars[:, 1] - bars[:, 0]
    right /= np.linalg.norm(right, axis=1)[:, None]
    begins = ((bars[:, 0] - lamps[:, 1]) * right).sum(axis=1)
    assert len(begins)
    assert begins.min() > 0.005
