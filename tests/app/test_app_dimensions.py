"""Dimensions in the real window: taken by two clicks, exact, kept with the scene, on things that move; rulers."""

from __future__ import annotations

import json
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.app.placing_hands import key, mouse, place_of
from twin.app.bookmarks.view_file import View, read_view, view_path
from twin.app.documents.drawings_dialog import DrawingsDialog
from twin.app.shell.main_window import MainWindow
from twin.commands.place.properties import SetProperty
from twin.scenario import load
from twin.view3d.base.dimension import DimensionEnd, HallDimension, dimension_lines, measure
from twin.view3d.base.edit_shapes import Ghost

MakeWindow = Callable[..., MainWindow]
pytestmark = pytest.mark.gl


@pytest.fixture
def rows(open_rows: MakeWindow) -> Iterator[MainWindow]:
    """The two rows as a plan, with the tool for dimensions in hand."""
    window: MainWindow = weakref.proxy(
        open_rows()
    )  # what pytest keeps of the last test must not hold the window
    window.hall.view.preset("top", animate=False)
    QApplication.processEvents()
    window.menus.execute("view.measure")
    assert window.hall.measure.active
    yield window
    window.hall.measure.end()


def click(window: MainWindow, at: QPointF) -> None:
    mouse(window, "move", at)
    mouse(window, "press", at)
    mouse(window, "release", at)


def on(window: MainWindow, id: str, *share: float) -> QPointF:
    """Return where a point of a thing is on the widget, by shares of its box; its middle where none are said."""
    box = window.hall.view.part_box(id, 0)
    assert box is not None
    x, y, z = box[0] + (box[1] - box[0]) * np.array(share or (0.5, 0.5, 1.0))
    return place_of(window, x, y, z)


def lengths(window: MainWindow) -> list[float]:
    view = window.hall.view
    found = [measure(each, view.part_box) for each in view.state.dimensions]
    return [round(each.length_m, 6) for each in found if each is not None]


def test_two_clicks_tell_the_clear_distance_between_faces_and_of_a_thing_itself(rows: MainWindow) -> None:
    plant = rows.session.plant
    assert plant is not None
    first, second = (plant.slots[id][1] for id in ("gpu/0/1", "gpu/1/1"))
    aisle_m = float(plant.racks.y_m[second] - plant.racks.y_m[first] - plant.racks.depth_m[first])
    click(rows, on(rows, "gpu/0/1"))
    mouse(rows, "move", on(rows, "gpu/1/1"))
    assert rows.hall.measure.plate.isVisible()
    assert rows.hall.measure.plate.title == f"{aisle_m:.2f} m"
    assert "clear distance along y" in rows.hall.measure.plate.state
    click(rows, on(rows, "gpu/1/1"))
    assert lengths(rows) == [pytest.approx(aisle_m)]
    assert f"gpu/0/1 \N{EN DASH} gpu/1/1: {aisle_m:.2f} m" in rows.statusBar().currentMessage()
    for _ in range(2):
        click(rows, on(rows, "gpu/0/0"))
    assert lengths(rows)[1] == pytest.approx(float(plant.racks.width_m[first]))
    click(rows, on(rows, "gpu/0/1"))
    click(rows, on(rows, "gpu/0/2"))
    assert len(lengths(rows)) == 2
    assert "touch or overlap" in rows.statusBar().currentMessage()


def test_corners_draw_the_pointer_and_tab_asks_for_another_way(rows: MainWindow) -> None:
    click(rows, on(rows, "gpu/0/0", 0.0, 0.0, 1.0) + QPointF(2, 2))
    mouse(rows, "move", on(rows, "gpu/1/3", 1.0, 1.0, 1.0))
    lines = rows.hall.view.edit.ghost.lines
    box_a, box_b = (rows.hall.view.part_box(id, 0) for id in ("gpu/0/0", "gpu/1/3"))
    assert box_a is not None
    assert box_b is not None
    across_m, up_m = (box_b[1] - box_a[0])[:2]
    assert lines[-1].text or lines[-2].text, "what would be measured is drawn"
    key(rows, Qt.Key.Key_Tab)
    assert rows.hall.measure.active, "the keyboard stays in the hall"
    key(rows, Qt.Key.Key_Tab)
    click(rows, on(rows, "gpu/1/3", 1.0, 1.0, 1.0))
    assert lengths(rows) == [pytest.approx(min(across_m, up_m), abs=1e-6)]
    click(rows, on(rows, "gpu/0/0", 0.0, 0.0, 1.0))
    click(rows, on(rows, "gpu/1/3", 1.0, 1.0, 1.0))
    assert lengths(rows)[1] == pytest.approx(np.hypot(across_m, up_m), abs=1e-6)


def test_what_was_measured_is_named_and_rulers_follow_the_pointer(rows: MainWindow) -> None:
    rulers = rows.hall.rulers
    rows.hall.tick()
    low, high = rows.hall.view.part_box("gpu/0/0", 0) or (np.zeros(3), np.zeros(3))

    def marks() -> dict[str, float | None]:
        return {strip.axis.name: strip.pointed_m for strip in rulers.strips if strip.axis is not None}

    mouse(rows, "move", on(rows, "gpu/0/0", 0.0, 0.0, 1.0) + QPointF(2, 2))
    assert marks() == pytest.approx({"x": low[0], "y": low[1]})
    click(rows, on(rows, "gpu/0/0", 0.0, 0.0, 1.0))
    click(rows, on(rows, "gpu/1/1"))
    told = rows.statusBar().currentMessage()
    assert told.startswith("Corner of gpu/0/0 \N{EN DASH} gpu/1/1: "), "it is no clear distance"
    key(rows, Qt.Key.Key_Escape)
    rows.hall.state.selection = ("gpu/0/0",)
    mouse(rows, "press", on(rows, "gpu/0/0"))
    mouse(rows, "move", on(rows, "gpu/0/0") + QPointF(0, 10))
    mouse(rows, "move", on(rows, "gpu/0/0", 1.0, 1.0, 1.0))
    assert marks() == pytest.approx({"x": high[0], "y": high[1]})
    key(rows, Qt.Key.Key_Escape)
    mouse(rows, "release", on(rows, "gpu/0/0"))


def test_a_dimension_moves_with_what_it_measures(rows: MainWindow) -> None:
    click(rows, on(rows, "gpu/0/1"))
    click(rows, on(rows, "gpu/1/1"))
    key(rows, Qt.Key.Key_Escape)
    assert not rows.hall.measure.active
    before = lengths(rows)[0]
    rows.hall.state.selection = ("gpu/0/1",)
    held = on(rows, "gpu/0/1")
    mouse(rows, "press", held)
    mouse(rows, "move", held + QPointF(0, 10))
    to = place_of(rows, 3.9, 1.8, 2.29)
    mouse(rows, "move", to)
    assert f"{before + 1.8:.2f} m" in [line.text for line in rows.hall.view.edit.ghost.lines]
    mouse(rows, "release", to)
    plant = rows.session.plant
    assert plant is not None
    assert float(plant.racks.y_m[plant.slots["gpu/0/1"][1]]) == pytest.approx(1.8)
    assert lengths(rows)[0] == pytest.approx(before + 1.8)
    rows.editing.editor.undo()
    assert lengths(rows)[0] == pytest.approx(before)


def test_a_drag_tells_no_length_to_a_machine_that_finds_its_place_by_itself(
    use_window: MakeWindow, my_lab: Path
) -> None:
    window = use_window(my_lab)
    window.hall.view.preset("top", animate=False)
    QApplication.processEvents()
    crah = HallDimension(DimensionEnd("gpu/0/0"), DimensionEnd("crah/0"), "x")
    racks = HallDimension(DimensionEnd("gpu/0/0"), DimensionEnd("gpu/0/1"), "x")
    for shown, count in (((racks,), 1), ((crah,), 0)):
        window.hall.state.dimensions = shown
        window.hall.state.selection = ("gpu/0/0",)
        held = on(window, "gpu/0/0")
        mouse(window, "press", held)
        mouse(window, "move", held + QPointF(0, 10))
        mouse(window, "move", held + QPointF(-30, 30))
        live = [line for line in window.hall.view.edit.ghost.lines if line.tone == "live" and line.text]
        assert len(live) == count
        window.tools.place.cancel()
        mouse(window, "release", held)


def test_lengths_on_the_way_are_not_written_over_kept_ones(rows: MainWindow) -> None:
    click(rows, on(rows, "gpu/0/1"))
    click(rows, on(rows, "gpu/1/1"))
    view = rows.hall.view
    view.native.repaint()
    lines = dimension_lines(view.state.dimensions[-1], view.part_box, "live")
    view.edit.show_ghost(Ghost(lines=tuple(lines)))
    view.native.repaint()
    told, kept = view.edit.layer.words_px, view.scene.names.taken_px
    assert len(told)
    assert len(kept)
    apart = (told[:, None, :2] >= kept[None, :, 2:]) | (told[:, None, 2:] <= kept[None, :, :2])
    assert apart.any(axis=2).all()
    view.edit.show_ghost()


def test_escape_goes_back_and_delete_removes_what_is_chosen(rows: MainWindow) -> None:
    for other in ("gpu/1/0", "gpu/1/3"):
        click(rows, on(rows, "gpu/0/1"))
        click(rows, on(rows, other))
    state = rows.hall.state
    first, second = state.dimensions
    (line,) = [each for each in dimension_lines(first, rows.hall.view.part_box, "ink") if each.text]
    click(rows, place_of(rows, *((np.array(line.start) + np.array(line.stop)) / 2)))
    assert state.dimension_chosen == 0
    key(rows, Qt.Key.Key_Delete)
    assert state.dimensions == (second,)
    click(rows, on(rows, "gpu/0/1"))
    key(rows, Qt.Key.Key_Escape)
    assert rows.hall.measure.active
    rows.menus.execute("view.clear")  # Esc, wherever the keyboard is
    assert not rows.hall.measure.active
    key(rows, Qt.Key.Key_Delete)
    assert state.dimensions == (second,), "without the tool, Delete means the selection"
    rows.menus.execute("view.measure_clear")
    assert state.dimensions == ()


def test_a_drag_slides_the_drawing_where_one_measures(rows: MainWindow) -> None:
    view = rows.hall.view
    at, before = on(rows, "gpu/1/1"), view.pose
    mouse(rows, "press", at)
    mouse(rows, "move", at + QPointF(40, 30))
    mouse(rows, "release", at + QPointF(40, 30))
    assert view.pose.flat
    assert view.pose.distance_m == before.distance_m
    assert on(rows, "gpu/1/1").x() == pytest.approx(at.x() + 40)
    assert rows.hall.measure.first is None, "it was no click"


def test_two_selected_things_are_measured_by_a_key(rows: MainWindow) -> None:
    key(rows, Qt.Key.Key_Escape)
    rows.hall.state.selection = ("gpu/0/1", "gpu/1/1")
    rows.hall.view.native.setFocus()
    QTest.keyClick(rows.hall.view.native, Qt.Key.Key_D)
    assert len(lengths(rows)) == 1
    assert not rows.hall.measure.active


def test_dimensions_are_kept_beside_the_scene_and_only_those_of_things_that_are_there(
    use_window: MakeWindow, my_lab: Path, qtbot: QtBot
) -> None:
    window = use_window(my_lab)
    racks = HallDimension(DimensionEnd("gpu/0/0"), DimensionEnd("crah/0"), "x")
    corner = HallDimension(
        DimensionEnd("gpu/0/1", 0, (1.0, 0.0, 0.0)), DimensionEnd(at=(4.0, 2.0, 0.0)), "xy"
    )
    window.hall.state.dimensions = (racks, corner)
    before = lengths(window)
    assert window.editing.file.save()
    kept = read_view(view_path(my_lab))
    assert kept is not None
    assert [each.dimension for each in kept.dimensions] == [racks, corner]
    window = use_window(my_lab)
    assert window.hall.state.dimensions == (racks, corner)
    assert lengths(window) == before
    data = json.loads(view_path(my_lab).read_text())
    data["dimensions"][0]["start"]["id"] = "gone/7"
    view_path(my_lab).write_text(json.dumps(data))
    window = use_window(my_lab)
    assert window.hall.state.dimensions == (corner,)
    assert "1 dimension left out" in window.statusBar().currentMessage()


def test_walls_columns_and_doors_are_measured_and_dimensions_stick_to_them(
    use_window: MakeWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    scene = tmp_path / "built.twin.yaml"
    built = load("builtin:repair-shop")
    scene.write_text(built.files[0].text)
    window = use_window(scene)
    view, plant = window.hall.view, window.session.plant
    view.preset("top", animate=False)
    QApplication.processEvents()
    window.menus.execute("view.measure")
    shape = plant.halls.buildings[0]
    column, door = shape.columns[0], shape.doors[0]
    boxes = {id: view.part_box(id, 0) for id in (column.id, door.id, f"{plant.halls.ids[0]}/0")}
    assert all(box is not None for box in boxes.values())
    x0, y0, x1, y1 = column.area
    below = next(n for n, wall in enumerate(shape.walls) if wall.start[1] == wall.stop[1] == shape.bounds[1])
    wall = f"{plant.halls.ids[0]}/{below}"
    away_m = y0 - shape.bounds[1]
    measure_tool = window.hall.measure
    for click_at in ((x0 + x1) / 2, (y0 + y1) / 2, 0.9), (x0 + (x1 - x0) / 3, shape.bounds[1] - 0.1, 0.9):
        click(window, place_of(window, *click_at))
    (kept,) = window.hall.state.dimensions
    assert {kept.start.id, kept.stop.id} == {column.id, wall}
    assert lengths(window) == [pytest.approx(away_m)]
    assert "wall 1 of" in window.statusBar().currentMessage().lower()
    assert window.editing.file.save()
    assert read_view(view_path(scene)).dimensions[0].dimension == kept
    window.menus.execute("file.drawings")
    (dialog,) = window.findChildren(DrawingsDialog)
    assert f"{1e3 * away_m:,.0f}" in [words.text for words in dialog.sheets[0].words]
    dialog.close()
    grid = column.id.partition("/")[0]
    move = SetProperty((grid,), "at.y", f"{built.scenario.halls[0].building.columns[0].at.y_m + 0.25:.2f} m")
    assert window.editing.editor.do(move)
    qtbot.waitUntil(lambda: lengths(window) == [pytest.approx(away_m + 0.25)])
    measure_tool.end()


def test_a_plan_drawn_from_the_window_has_them(use_window: MakeWindow, lab: Path) -> None:
    window = use_window(lab)
    window.hall.state.dimensions = (HallDimension(DimensionEnd("gpu/0/0"), DimensionEnd("crah/0"), "x"),)
    (length_m,) = lengths(window)
    window.menus.execute("file.drawings")
    (dialog,) = window.findChildren(DrawingsDialog)
    texts = [words.text for words in dialog.sheets[0].words]
    window.hall.state.dimensions = ()
    dialog.close()
    window.menus.execute("file.drawings")
    (plain,) = [each for each in window.findChildren(DrawingsDialog) if each is not dialog]
    without = [words.text for words in plain.sheets[0].words]
    assert sorted(texts) == sorted([*without, f"{1e3 * length_m:,.0f}"])
    plain.close()


def test_drawings_have_rulers_that_tell_places_of_the_scene(
    use_window: MakeWindow, lab: Path, qtbot: QtBot
) -> None:
    window = use_window(lab)
    rulers, view = window.hall.rulers, window.hall.view
    window.hall.tick()
    assert not rulers.thick_px, "a view with perspective has none"
    view.preset("front", animate=False)
    window.hall.tick()
    assert rulers.thick_px
    box = view.part_box("gpu/0/1", 0)
    assert box is not None
    at = on(window, "gpu/0/1", 1.0, 1.0, 1.0)
    rulers.point(at.x() - 3, at.y() + 2)
    assert rulers.level.pointed_m == pytest.approx(box[1][0]), "drawn to the corner"
    assert rulers.upright.pointed_m == pytest.approx(box[1][2])
    assert rulers.level.place_px(box[1][0]) == pytest.approx(at.x(), abs=0.01)
    assert rulers.upright.place_px(box[1][2]) + rulers.thick_px == pytest.approx(at.y(), abs=0.01)
    covered = [
        plate
        for plate in (window.hall.legend, window.hall.mark, window.hall.alarm_badge)
        if plate.isVisible()
    ]
    assert covered
    assert not any(plate.geometry().intersects(strip) for plate in covered for strip in rulers.areas)
    window.menus.execute("view.rulers")
    window.hall.tick()
    assert not rulers.thick_px
    window.menus.execute("view.rulers")
    view.orbit(30, 10)
    window.hall.tick()
    assert not rulers.thick_px, "turned, it is a view again"


@pytest.mark.parametrize("name", ["top", "front", "side"])
def test_parallel_racks_are_equally_wide_in_a_drawing(open_rows: MakeWindow, name: str) -> None:
    window = open_rows()
    view = window.hall.view
    view.preset(name, animate=False)
    widths = []
    for id in ("gpu/0/0", "gpu/0/3", "gpu/1/1"):
        ends = [on(window, id, *([share] * 3)) for share in (0.0, 1.0)]
        widths.append((abs(ends[1].x() - ends[0].x()), abs(ends[1].y() - ends[0].y())))
    assert widths[1:] == [pytest.approx(widths[0])] * 2


def test_view_files_of_before_are_still_read(tmp_path: Path) -> None:
    path = tmp_path / "old.twin-view.json"
    path.write_text(
        json.dumps({"format": "twin/view", "version": 1, "layers": ["racks"], "locked": ["gpu/0"]})
    )
    assert read_view(path) == View(layers=("racks",), locked=("gpu/0",))
