"""What is written from afar: halls with figures, failures counted, no words over one another, none that flicker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from twin.plant.geometry import LabelKind, build_geometry
from twin.plant.tables import Plant
from twin.record.channels import State
from twin.view3d.base.label_layout import SPACING_PX, Placed, place_labels
from twin.view3d.base.state import CameraPose, ViewState
from twin.view3d.base.tile_levels import TileLevel, TilePlaces
from twin.view3d.colour.tile_values import TileSums, gpu_values
from twin.view3d.colour.tile_words import hall_figures
from twin.view3d.colour.value_codes import gpu_codes
from twin.view3d.place import label_texts
from twin.view3d.place.presets import preset_pose
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


@pytest.mark.gl
@pytest.mark.parametrize("away", [1.0, 2.5, 8.0])
def test_no_words_lie_over_others_on_a_site_of_several_halls(
    make_view: Callable[..., HallView],
    qapp: QApplication,
    site: Plant,
    monkeypatch: pytest.MonkeyPatch,
    away: float,
) -> None:
    seen: list[tuple[list[Placed], np.ndarray]] = []

    def placed(points: np.ndarray, sizes: np.ndarray, *rest: object, **more: object) -> list[Placed]:
        out = place_labels(points, sizes, *rest, **more)  # type: ignore[arg-type]
        seen.append((out, sizes))
        return out

    monkeypatch.setattr(label_texts, "place_labels", placed)
    view = make_view(ViewState())
    view.set_plant(site)
    frame = frame_of(site)
    frame.values["gpu.state"][::97] = State.FAILED
    view.set_frame(frame)
    view.preset("overview", animate=False)
    pose = view.pose
    view.look(CameraPose(pose.centre_m, pose.distance_m * away, pose.azimuth_deg, pose.elevation_deg))
    view.grab()
    labels, sizes = seen[-1]
    boxes = np.array([[each.left_px, each.top_px, *sizes[each.index]] for each in labels])
    assert len(boxes)
    for place, (left, top, wide, high) in enumerate(boxes):
        rest = np.delete(boxes, place, axis=0)
        apart = (left + wide + SPACING_PX <= rest[:, 0]) | (rest[:, 0] + rest[:, 2] + SPACING_PX <= left)
        apart |= (top + high + SPACING_PX <= rest[:, 1]) | (rest[:, 1] + rest[:, 3] + SPACING_PX <= top)
        assert apart.all()
    words = build_geometry(site).labels.text
    named = {words[each.index] for each in labels if each.index < len(words)}
    if away > 2:
        assert set(site.halls.titles) & named, "halls are named first"
