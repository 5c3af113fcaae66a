"""Walls, columns, doors and underlays in the real window: found, added, set, refused, taken away."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot
from window_steps import action

from tests.app.placing_hands import SCENE, look_at_rows, place_of
from twin.app.placing.payload import carried_part
from twin.app.shell.main_window import MainWindow
from twin.commands.place.snap import Snap
from twin.scenario.schema.building import Building

pytestmark = pytest.mark.gl
_WORDS = {
    "wall": "Add a wall",
    "walls": "Add walls",
    "partition": "Add a wall",
    "column": "Add a column",
    "pillar": "Add a column",
    "door": "Add a door",
    "underlay": "Underlay",
    "floor plan": "Underlay",
    "floor load": "Floor load and ceiling",
    "ceiling": "Floor load and ceiling",
    "raised floor": "Floor load and ceiling",
}
_PLAN = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><path d="M0 0H40V20H0Z" stroke="#d00"/></svg>'


@pytest.fixture
def window(use_window: Callable[..., MainWindow], tmp_path: Path) -> Iterator[MainWindow]:
    scene = tmp_path / "rows.twin.yaml"
    scene.write_text(SCENE)
    window = use_window(scene)
    window.docks.enter("design")
    window.docks.show("outliner")
    window.docks.show("inspector")
    yield weakref.proxy(window)  # what pytest keeps of the last test must not hold the window
    window.tools.place.cancel()
    if window.session.draft is not None:
        window.session.draft.mark_saved()  # nobody is there to be asked


def building(window: MainWindow) -> Building | None:
    document = window.session.document
    assert document is not None
    return document.scenario.halls[0].building


def keep(window: MainWindow, name: str) -> None:
    """Keep a picture of the window where somebody wants to look at it."""
    if folder := os.environ.get("TWIN_PICTURES"):
        window.grab().save(str(Path(folder) / f"{name}.png"))


def test_it_is_found_by_the_words_of_people(window: MainWindow) -> None:
    palette = window.palette_popup
    window.open_palette()
    for typed, title in _WORDS.items():
        palette.field.setText(typed)
        found = [entry.title for entry in palette.shown]
        assert any(entry.startswith(title) for entry in found), (typed, found)
    for typed in ("wall", "walls", "column", "door"):
        palette.field.setText(typed)
        assert palette.shown[0].title.startswith("Add "), (typed, "before a fan wall or a rear door")
    palette.close()


def test_a_hall_gets_walls_a_column_and_a_door(window: MainWindow, qtbot: QtBot) -> None:
    window.clear_selection()
    look_at_rows(window)
    window.menus.execute("edit.building_door")
    assert window.statusBar().currentMessage() == "Add walls first: a door stands in one"
    window.menus.execute("edit.building_walls")
    qtbot.waitUntil(lambda: building(window) is not None)
    inspector, plant = window.docks.inspector, window.session.plant
    assert plant is not None
    assert inspector.thing == plant.halls.ids[0]
    wanted = {("floor_load", False), ("building.height", False), ("building.walls.width", False)}
    qtbot.waitUntil(lambda: wanted <= set(inspector.properties.rows))
    inspector.properties.rows["building.walls.width", False].entered.emit("16 m")
    qtbot.waitUntil(lambda: (made := building(window)) is not None and made.walls.width_m == 16.0)
    halls = window.session.plant.halls
    menu = QMenu()
    window.hall.floor_menu(menu, (float(halls.x0_m[0]) + 1.0, float(halls.y1_m[0]) - 1.0))
    action(menu, "Add a column here").trigger()
    qtbot.waitUntil(lambda: len(building(window).columns) == 1)
    assert inspector.thing == "column"
    inspector.properties.rows["along", False].entered.emit("2")
    qtbot.waitUntil(lambda: building(window).columns[0].along == 2)
    assert window.session.draft.undo_title == "Set columns along the rows of column to 2"
    menu.clear()
    window.hall.floor_menu(menu, (float(halls.x0_m[0]) + 1.0, float(halls.y1_m[0]) - 3.0))
    action(menu, "Add a door in the nearest wall").trigger()
    qtbot.waitUntil(lambda: len(building(window).doors) == 1)
    door = building(window).doors[0]
    assert (door.at.x_m, door.at.y_m) == (
        round(float(halls.x0_m[0]), 4),
        pytest.approx(float(halls.y1_m[0]) - 3.0),
    )
    assert inspector.thing == "door"
    window.hall.view.preset("overview", animate=False)
    keep(window, "building")
    outliner = window.docks.outliner
    outliner.sort_by("place")
    qtbot.waitUntil(lambda: outliner.choose(("door",), scroll=True) or outliner.ids == ("door",))
    window.design.delete()
    qtbot.waitUntil(lambda: not building(window).doors)
    for _ in range(6):
        window.editing.editor.undo()
    qtbot.waitUntil(lambda: building(window) is None)
    assert window.session.draft.file.text == SCENE


def test_a_column_is_carried_to_its_place(window: MainWindow, qtbot: QtBot) -> None:
    look_at_rows(window)
    window.menus.execute("edit.building_column")
    place = window.tools.place
    assert place.active
    assert place.carried.title == "Column"
    assert "R: turn" not in place.plate.keys, "it has no front"
    assert "PgUp" not in place.plate.keys, "nor stands in a rack"
    at = place_of(window, 8.4, 4.0)
    place.point(at.x(), at.y(), set())
    assert place.plate.keys == "Alt: anywhere   Shift: one axis   Esc: cancel"
    assert place.ok, place.plate.reason
    landing = place.landing
    place.drop()
    qtbot.waitUntil(lambda: building(window) is not None)
    at = building(window).columns[0].at
    assert (at.x_m, at.y_m) == pytest.approx((landing.place.x_m, landing.place.y_m), abs=1e-4)


def test_a_door_is_carried_along_the_nearest_wall_and_stands_where_its_ghost_stood(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.menus.execute("edit.building_walls")
    qtbot.waitUntil(lambda: building(window) is not None)
    look_at_rows(window)
    place, halls = window.tools.place, window.session.plant.halls
    window.menus.execute("edit.building_door")
    left_m, middle_m = float(halls.x0_m[0]), float(halls.y0_m[0] + halls.y1_m[0]) / 2
    at = place_of(window, left_m + 0.5, middle_m)
    place.point(at.x(), at.y(), set())
    assert place.ok, place.plate.reason
    assert place.plate.keys == "Esc: cancel", "it goes along its wall"
    landing = place.landing
    assert landing.place.x_m == pytest.approx(left_m)
    assert landing.place.y_m == pytest.approx(middle_m, abs=0.1)
    (ghost,) = (box for box in window.hall.view.edit.ghost.boxes if box.outlined)
    wide_m, deep_m, _ = np.ptp(ghost.corners, axis=0)
    assert deep_m > 4 * wide_m, "along its wall"
    place.drop()
    qtbot.waitUntil(lambda: bool(building(window).doors))
    at = building(window).doors[0].at
    shift_m = float(halls.shift_x_m[0])
    assert (at.x_m + shift_m, at.y_m) == pytest.approx((landing.place.x_m, landing.place.y_m), abs=1e-3)


def test_a_wall_is_put_between_two_clicks_and_undone(window: MainWindow, qtbot: QtBot) -> None:
    look_at_rows(window)
    window.menus.execute("edit.building_wall")
    tool, view = window.design.building.wall, window.hall.view
    assert tool.active
    at, to = place_of(window, 8.4, 4.0), place_of(window, 11.4, 6.0)
    tool.click(at.x(), at.y())
    tool.hover(to.x(), to.y())
    assert view.edit.ghost.lines[0].text.endswith(" m"), "its length"
    assert "click where it ends" in window.statusBar().currentMessage()
    tool.back()
    assert tool.active
    assert tool.start is None
    tool.click(at.x(), at.y())
    tool.click(to.x(), to.y())
    qtbot.waitUntil(lambda: building(window) is not None)
    assert not tool.active
    (wall,) = building(window).inner_walls
    shift_m = float(window.session.plant.halls.shift_x_m[0])
    ends = [(end.x_m + shift_m, end.y_m) for end in (wall.start, wall.end)]
    assert ends == [pytest.approx((8.4, 4.0), abs=0.06), pytest.approx((11.4, 6.0), abs=0.06)]
    inspector = window.docks.inspector
    assert inspector.thing == wall.id
    qtbot.waitUntil(lambda: {("thickness", False), ("end.x", False)} <= set(inspector.properties.rows))
    inspector.properties.rows["thickness", False].entered.emit("20 cm")
    qtbot.waitUntil(lambda: building(window).inner_walls[0].thickness_m == 0.2)
    window.menus.execute("edit.building_door")
    place, middle = window.tools.place, place_of(window, 9.9, 5.0)
    place.point(middle.x(), middle.y(), set())
    assert place.ok, place.plate.reason
    (ghost,) = (box for box in view.edit.ghost.boxes if box.outlined)
    keep(window, "inner-door-ghost")
    place.drop()
    qtbot.waitUntil(lambda: bool(building(window).doors))
    (door,) = window.session.plant.halls.buildings[0].doors
    assert door.line.slanted
    stands = np.array(door.line.quad(0.0, door.width_m, -0.2, 0.0))
    foot = ghost.corners[:4, :2]
    away_m = np.linalg.norm(foot[:, None] - stands, axis=2)
    assert away_m.min(axis=0).max() < 2e-3, "its ghost lay in the wall, as thick as that"
    view.preset("overview", animate=False)
    keep(window, "inner-wall")
    for _ in range(3):
        window.editing.editor.undo()
    qtbot.waitUntil(lambda: building(window) is None)
    assert window.session.draft.file.text == SCENE


def test_a_ghost_on_a_column_says_what_the_rule_would_say(window: MainWindow, qtbot: QtBot) -> None:
    scene = window.session.document.path
    parts = "building: {columns: [{id: c, at: {x: 9.3 m, y: 4.2 m}}]}"
    scene.write_text(SCENE.replace("    rows:\n", f"    {parts}\n    rows:\n", 1))
    window.files.open(scene, ask=False)
    qtbot.waitUntil(lambda: building(window) is not None)
    place = window.tools.place
    assert place.begin(carried_part(window.session.catalog, "GB200-NVL72"))
    look_at_rows(window)
    at = place_of(window, 9.3, 4.2)
    place.point(at.x(), at.y(), {"Alt"})
    assert isinstance(place.landing, Snap)
    assert not place.ok
    assert window.statusBar().currentMessage() == "GB200-NVL72 would stand on column c/0/0"
    keep(window, "ghost")


def test_a_drawing_is_laid_on_the_floor_and_another_refused(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    drawing = elsewhere / "plan.svg"
    drawing.write_text(_PLAN)
    look_at_rows(window)
    before = np.asarray(window.hall.view.grab(), np.int64)
    assert window.design.building.lay(drawing)
    qtbot.waitUntil(lambda: building(window) is not None)
    assert (tmp_path / "plan.svg").read_text() == _PLAN
    underlay = building(window).underlay
    assert underlay.file == "plan.svg"
    assert window.docks.inspector.thing == window.session.plant.halls.ids[0], "its width can be set there"
    window.hall.view.preset("overview", animate=False)
    keep(window, "underlay")
    look_at_rows(window)
    after = np.asarray(window.hall.view.grab(), np.int64)
    assert (np.abs(after - before).max(axis=2) > 20).mean() > 0.02, "it is seen on the floor"
    bad = elsewhere / "bad.svg"
    bad.write_text(_PLAN.replace("<path", '<image href="file:///etc/passwd"/><path'))
    assert not window.design.building.lay(bad)
    assert (
        window.statusBar().currentMessage() == "bad.svg has a <image>; only lines, shapes and text are drawn"
    )
    assert not (tmp_path / "bad.svg").exists()


def test_the_menu_of_the_bare_floor_offers_them(window: MainWindow) -> None:
    look_at_rows(window)
    at = place_of(window, 9.0, 1.0)
    window.hall.view.menu_wanted.emit(None, (at.x(), at.y()))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    titles = [action.text() for action in menu.actions()]
    menu.close()
    assert {"Add a column here", "Add a door in the nearest wall", "Floor load, ceiling, walls"} <= set(
        titles
    )
