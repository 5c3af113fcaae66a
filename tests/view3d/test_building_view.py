"""The building in the picture: seen, hidden by its layer, made anew by an edit, and never in the way of picking."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from twin.plant.build import build
from twin.scenario import load
from twin.scenario.file.set_option import set_texts
from twin.view3d.base.state import ViewState
from twin.view3d.layers.building import underlays
from twin.view3d.view.hall_view import HallView

pytestmark = pytest.mark.gl
PLAN = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><path d="M0 9H40V11H0Z" fill="#0a0"/></svg>'
)


def picture(view: HallView) -> np.ndarray:
    view.preset("overview", animate=False)
    return view.grab().astype(int)


def test_walls_columns_and_doors_are_seen_and_not_picked(make_view: Callable[..., HallView]) -> None:
    document = load("builtin:repair-shop")
    view = make_view(ViewState())
    view.set_plant(build(document.scenario))
    view.set_frame(None)
    with_all = picture(view)
    spots = [(x, y) for x in range(20, 640, 60) for y in range(20, 400, 40)]
    hits = [view.pick(*spot) for spot in spots]
    view.state.layers = view.state.layers - {"building"}
    without = picture(view)
    seen = np.abs(with_all - without).max(axis=2) > 8
    assert 0.02 < seen.mean() < 0.4
    assert [view.pick(*spot) for spot in spots] == hits
    view.state.layers = view.state.layers | {"building"}
    fewer = set_texts(
        document,
        ["halls[hall].building.columns[column].across=1", "halls[hall].building.doors[goods].swing=out"],
    )
    view.set_plant(build(fewer.scenario))
    view.set_frame(None)
    edited = picture(view)
    assert (np.abs(edited - with_all).max(axis=2) > 8).mean() > 1e-4
    view.set_plant(build(document.scenario))
    view.set_frame(None)
    assert np.abs(picture(view) - with_all).max() <= 3


def test_a_drawing_lies_where_the_scene_says(make_view: Callable[..., HallView], tmp_path: Path) -> None:
    (tmp_path / "plan.svg").write_text(PLAN)
    scene = tmp_path / "hall.twin.yaml"
    scene.write_text(
        'format: twin/scenario\nversion: 3\nextends: builtin:lab-16\ncatalog: "2026.11"\ntitle: T\n'
        "halls: [{id: lab, building: {underlay: {file: plan.svg, width: 8 m, at: {x: -3 m, y: -2 m}}}}]\n"
    )
    plant = build(load(scene).scenario)
    ((_, corners),) = underlays(plant.halls.buildings)
    assert corners.tolist() == [[-3, -2], [5, -2], [5, 2], [-3, 2]]
    view = make_view(ViewState())
    view.set_plant(plant)
    view.set_frame(None)
    drawn = picture(view)
    view.state.layers = view.state.layers - {"building"}
    bare = picture(view)
    changed = np.abs(drawn - bare).max(axis=2) > 8
    assert changed.mean() > 0.002
    more = (drawn - bare)[changed].mean(axis=0)
    assert more[1] > more[0], "it is green"
    assert more[1] > more[2]
