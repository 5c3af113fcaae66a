"""What is written from afar: halls with figures, failures counted, no words over one another, none that flicker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from twin.plant.geometry import LabelKind, build_geometry
from twin.plant.tables import Plant
from twin.record.channels import State
from twin.view3d.base import camera
from twin.view3d.base.label_layout import BUDGET, SPACING_PX
from twin.view3d.base.state import CameraPose, ViewState
from twin.view3d.base.tile_levels import DRAWN, TileLevel, TilePlaces
from twin.view3d.colour.tile_values import TileSums, gpu_values
from twin.view3d.colour.tile_words import BETWEEN_FIGURES, hall_figures
from twin.view3d.colour.value_codes import gpu_codes
from twin.view3d.gl import labels
from twin.view3d.place.hall_names import HallNames
from twin.view3d.place.presets import preset_pose
from twin.view3d.place.row_names import rank_of
from twin.view3d.place.tile_labels import TileLabels
from twin.view3d.view.bench_hall import frame_of, hall_of
from twin.view3d.view.hall_view import HallView


@pytest.fixture(scope="module")
def site() -> Plant:
    return hall_of(512, racks_per_row=4, halls=3)


def test_marks_count_every_failed_gpu_of_rows_and_halls(site: Plant) -> None:
    geometry = build_geometry(site)
    places = TilePlaces.of(site, geometry)
    frame = frame_of(site)
    state = frame.values["gpu.state"]
    state[:] = State.RUNNING
    state[[0, 1, 2, 200, len(state) - 1]] = State.FAILED
    codes, values = gpu_codes("gpu.temp_c", site, frame), gpu_values("gpu.temp_c", site, frame)
    shown = TileSums(site, places).of(codes, values, "mean")
    labels = TileLabels(site, geometry.labels, places)
    labels.count(shown)
    for level, column in ((TileLevel.ROW, site.racks.row), (TileLevel.HALL, site.racks.hall)):
        counted = {
            int(places.slot[mark.tile]): mark.text
            for mark in labels.marks
            if places.level[mark.tile] == level
        }
        of_gpu = column[site.gpus.rack][state == State.FAILED]
        assert counted == {int(slot): f"✖ {(of_gpu == slot).sum()}" for slot in np.unique(of_gpu)}
    figures = hall_figures(site, places, shown, "gpu.temp_c", "mean")
    live = (state != State.FAILED) & (site.racks.hall[site.gpus.rack] == 0)
    assert figures[0] == f"{frame.values['gpu.temp_c'][live].mean():.0f} °C   ✖ 4"
    assert "✖" not in figures[1]


def test_names_do_not_flicker_at_their_least_size(site: Plant) -> None:
    geometry = build_geometry(site)
    labels = TileLabels(site, geometry.labels, TilePlaces.of(site, geometry))
    pose = preset_pose("top", site, geometry, 1.6)
    rows = geometry.labels.kind == LabelKind.ROW

    def named(distance_m: float) -> bool:
        return bool(~labels.too_small(replace(pose, distance_m=distance_m), 800)[rows].all())

    ways = np.geomspace(20.0, 2000.0, 200)
    out = next(way for way in ways if not named(way))
    assert not named(out * 0.95), "it comes back a little nearer than it went"
    back = next(way for way in ways[::-1] if named(way))
    assert back < out * 0.85
    assert named(out * 0.95), "and stays until it is as small as before"


def are_apart(view: HallView) -> None:
    """Assert that no two labels of the picture are nearer to one another than they may be."""
    boxes = np.array([box for _, box in view.scene.names.standing])
    assert len(boxes)
    for place, (left, top, wide, high) in enumerate(boxes):
        rest = np.delete(boxes, place, axis=0)
        apart = (left + wide + SPACING_PX <= rest[:, 0]) | (rest[:, 0] + rest[:, 2] + SPACING_PX <= left)
        apart |= (top + high + SPACING_PX <= rest[:, 1]) | (rest[:, 1] + rest[:, 3] + SPACING_PX <= top)
        assert apart.all()


def seen_from(view: HallView, away: float) -> list[str]:
    """Return what is written from the overview, so many times as far away."""
    view.preset("overview", animate=False)
    pose = view.pose
    view.look(CameraPose(pose.centre_m, pose.distance_m * away, pose.azimuth_deg, pose.elevation_deg))
    view.grab()
    are_apart(view)
    return [text for text, _ in view.scene.names.standing]


@pytest.mark.gl
@pytest.mark.parametrize("away", [1.0, 2.5, 8.0])
def test_no_words_lie_over_others_on_a_site_of_several_halls(
    make_view: Callable[..., HallView], site: Plant, away: float
) -> None:
    view = make_view(ViewState())
    view.set_plant(site)
    frame = frame_of(site)
    frame.values["gpu.state"][::97] = State.FAILED
    view.set_frame(frame)
    words = seen_from(view, away)
    if away > 2:
        assert any(title in text for title in site.halls.titles for text in words), "halls are named first"


@pytest.mark.gl
@pytest.mark.parametrize("larger", [1.0, 1.5])
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_every_hall_has_its_name_where_halls_are_plates(
    make_view: Callable[..., HallView], theme: str, larger: float
) -> None:
    plant = hall_of(1024, racks_per_row=4, halls=10)
    plant.halls.titles[:] = [f"Site {letter}" for letter in "ABCDEFGHIJ"]
    view = make_view(ViewState(theme=theme, label_scale=larger))  # type: ignore[arg-type]
    view.set_plant(plant)
    frame = frame_of(plant)
    frame.values["gpu.state"][::97] = State.FAILED
    view.set_frame(frame)
    places, forms = view.scene.tiles.places, set()
    for away in np.geomspace(1.0, 40.0, 16):
        words = seen_from(view, float(away))
        told = places.of_halls(places.fades(view.pose, view.canvas.physical_size[1])) > 0.5
        if not told.all():
            continue
        names = [text for text in words if not text.startswith("✖")]
        if names == ["Site A to Site J"]:
            forms.add("together")
            continue
        for title in plant.halls.titles:
            forms_of = (title, title.replace(" ", "\n"), title[-1])
            found = [
                text for text in names if text in forms_of or text.split("\n")[0].split("   ")[0] == title
            ]
            assert len(found) == 1, (away, title, names)
        forms |= {"below" if "\n" in text else "alone" for text in names}
    assert "together" in forms, "from farthest away one name for all"
    assert len(forms) > 1


def test_a_hall_with_failures_has_no_higher_name_than_others() -> None:
    plant = hall_of(512, racks_per_row=4, halls=2)
    geometry = build_geometry(plant)
    names = HallNames(plant, geometry.labels, TilePlaces.of(plant, geometry))
    below = names.texts(["62 °C", BETWEEN_FIGURES.join(["61 °C", "✖ 4"])])[2:4]
    assert [text.count("\n") for text in below] == [1, 1]
    assert below[1].endswith("\n61 °C   ✖ 4")


def test_the_form_of_names_does_not_change_to_and_fro() -> None:
    plant = hall_of(512, racks_per_row=4, halls=3)
    geometry = build_geometry(plant)
    names = HallNames(plant, geometry.labels, TilePlaces.of(plant, geometry))
    sizes = np.repeat([[120.0, 20.0], [60.0, 40.0], [40.0, 20.0], [25.0, 40.0], [15.0, 20.0]], 3, axis=0)
    told = np.ones(3, bool)

    def form(pitch_px: float) -> int | None:
        points = np.array([[pitch_px * place, 100.0, 9.0] for place in range(3)])
        return names.form(points, sizes, told, 1.0)

    for pitch_px, stands in (
        (200, 0),
        (127, 0),
        (124, 1),
        (67, 1),
        (64, 2),
        (47, 2),
        (44, 3),
        (32, 3),
        (29, 4),
        (23, 4),
        (19, None),
    ):
        assert form(pitch_px) == stands
    for pitch_px, stands in (
        (23, None),
        (34, 4),
        (44, 3),
        (47, 3),
        (59, 2),
        (67, 2),
        (79, 1),
        (127, 1),
        (139, 0),
    ):
        assert form(pitch_px) == stands, "a longer one waits for more room"
    assert form(65) == 2
    assert form(67) == 2
    names.settle()
    assert form(67) == 1, "where the camera rests the longest that fits stands"


@pytest.mark.gl
def test_rows_have_no_names_in_halls_that_are_named_from_afar(
    make_view: Callable[..., HallView], site: Plant
) -> None:
    view = make_view(ViewState())
    view.set_plant(site)
    view.set_frame(frame_of(site))
    titles = site.halls.titles
    assert any(", row " in text for text in seen_from(view, 0.5))
    far = seen_from(view, 3.0)
    assert all(any(title in text for text in far) for title in titles)
    assert not any(", row " in text or text.startswith("Row ") for text in far)


@pytest.mark.gl
def test_rows_are_named_with_their_hall_only_beside_rows_of_another(
    make_view: Callable[..., HallView],
) -> None:
    site = hall_of(2048, racks_per_row=4, halls=2)
    site.rows.labels[:] = [f"{'AB'[hall]} {letter}" for hall in (0, 1) for letter in "ABCDEFGHIJKLMNOP"]
    site.halls.titles[:] = ["First hall", "Second hall"]
    view = make_view(ViewState())
    view.set_plant(site)
    view.set_frame(frame_of(site))

    def rows_from(pose: CameraPose) -> set[str]:
        view.look(pose)
        view.grab()
        are_apart(view)
        return {text for text, _ in view.scene.names.standing if "row " in text.lower()}

    view.preset("overview", animate=False)
    both = rows_from(replace(view.pose, distance_m=0.6 * view.pose.distance_m))
    assert {text.split(", ")[0] for text in both} == {"First hall", "Second hall"}
    assert both <= {f"{hall}, row {letter}" for hall in site.halls.titles for letter in "ABCDEFGHIJKLMNOP"}
    view.preset("overview", animate=False)
    at = float(site.rows.x1_m[4]), float(site.rows.y_m[4]), 1.0
    one = rows_from(replace(view.pose, centre_m=at, distance_m=12.0))
    assert one
    assert one <= {f"Row {letter}" for letter in "ABCDEFGHIJKLMNOP"}


@pytest.mark.gl
def test_only_names_that_are_seen_are_painted(
    make_view: Callable[..., HallView], monkeypatch: pytest.MonkeyPatch
) -> None:
    painted = []
    draw_atlas = labels.draw_atlas

    def counted(texts: list[str], *more: object) -> labels.Atlas:
        painted.append(texts)
        return draw_atlas(texts, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(labels, "draw_atlas", counted)
    view = make_view(ViewState())
    view.set_plant(hall_of(8192, racks_per_row=2, halls=2))
    assert len(view.geometry.labels.text) > 4 * BUDGET
    view.preset("overview", animate=False)
    view.grab()
    names = view.scene.names
    assert painted[-1] == [text for text, _ in names.standing]
    assert 0 < len(painted[-1]) <= BUDGET
    wide, high = np.array([box[2:] for _, box in names.standing]).T
    assert np.allclose(labels.sizes_of(painted[-1], labels.label_font(1.0), 1.0).T, [wide, high])
    count = len(painted)
    names.place_anew()
    view.grab()
    assert len(painted) == count, "where the same stands nothing is painted anew"


def test_where_rows_have_no_room_those_that_are_named_stand_evenly() -> None:
    rank = rank_of(np.repeat(np.array([0, 1], np.int32), [90, 7]))
    for hall in (rank[:90], rank[90:]):
        order = np.argsort(-hall, kind="stable")
        for first in range(3, len(hall)):
            gaps = np.diff([*np.sort(order[:first]), len(hall)])
            assert gaps[:-1].max() <= 2 * gaps[:-1].min()
            assert gaps[-1] <= 2 * gaps.max()


def test_a_hall_round_the_eye_is_not_named_as_one_from_afar() -> None:
    plant = hall_of(4096, racks_per_row=4, halls=2)
    geometry = build_geometry(plant)
    places = TilePlaces.of(plant, geometry)
    names = HallNames(plant, geometry.labels, places)
    fades = places.fades(preset_pose("row", plant, geometry, 1.6), 60.0)
    assert places.of_halls(fades).min() > DRAWN, "most racks are far in a picture so small"
    assert names.told(fades).tolist() == [False, True]


@pytest.mark.gl
def test_where_no_form_has_room_one_name_of_all_halls_stands_over_those_at_the_lower_edge(
    make_view: Callable[..., HallView],
) -> None:
    plant = hall_of(1024, racks_per_row=4, halls=10)
    plant.halls.titles[:] = [f"{letter * 30}" for letter in "ABCDEFGHIJ"]
    view = make_view(ViewState())
    view.set_plant(plant)
    view.set_frame(frame_of(plant))
    view.preset("overview", animate=False)
    pose = view.pose
    up = camera.axes(pose)[1] * pose.distance_m
    view.look(
        replace(
            pose,
            centre_m=tuple((np.asarray(pose.centre_m) + 3 * 0.2 * up).tolist()),
            distance_m=3 * pose.distance_m,
        )
    )
    view.grab()
    assert f"{'A' * 30} to {'J' * 30}" in [text for text, _ in view.scene.names.standing]
