"""Habits of the 3D view in the real window: its menu, select all, going deeper and back up, the ways to look."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QToolButton, QWidget
from pytestqt.qtbot import QtBot
from usual_cases import usually

from tests.app.placing_hands import front_of, key, mouse, place_of, racks
from twin.app.shell.main_window import MainWindow
from twin.commands.place.place import AddPart
from twin.view3d.base import camera
from twin.view3d.base.camera import CameraPose

MakeWindow = Callable[..., MainWindow]
pytestmark = pytest.mark.gl


def click(window: MainWindow, at: QPointF) -> None:
    mouse(window, "press", at)
    mouse(window, "release", at)


def double_click(window: MainWindow, at: QPointF) -> None:
    QTest.mouseDClick(
        window.hall.view.native, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at.toPoint()
    )


def menu_at(window: MainWindow, at: QPointF) -> QMenu:
    window.hall.view.pointing.menu(at.x(), at.y())
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def test_the_right_button_has_what_the_outliner_has(open_rows: MakeWindow) -> None:
    window = open_rows()
    window.hall.state.selection = ("gpu/0/1", "gpu/0/2")
    menu = menu_at(window, front_of(window, "gpu/0/1", 1.9))
    titles = [action.text() for action in menu.actions()]
    listed = window.design.menu(window)
    assert listed is not None
    assert titles == [action.text() for action in listed.actions()]
    assert {"Hide", "Lock", "Duplicate", "Group\N{HORIZONTAL ELLIPSIS}", "Delete"} <= set(titles)
    assert set(window.hall.state.selection) == {"gpu/0/1", "gpu/0/2"}, "a click in the selection keeps it"
    next(action for action in menu.actions() if action.text() == "Delete").trigger()
    menu.close()
    listed.deleteLater()
    assert not {"gpu/0/1", "gpu/0/2"} & set(racks(window))


def test_select_all_and_again_all_of_the_kind(open_rows: MakeWindow) -> None:
    window = open_rows()
    window.hall.view.native.setFocus()
    window.hall.state.selection = ("crah/0",)
    key(window, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert set(racks(window)) | {"crah/0", "grid/0", "water"} == set(window.hall.state.selection)
    key(window, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert window.hall.state.selection == ("crah/0",)
    window.tools.select("everything")
    window.hall.state.selection = ()
    window.tools.select("everything")
    window.tools.select("everything")
    assert list(window.hall.state.selection) == racks(window)


def test_double_clicks_go_deeper_and_escape_comes_back_up(open_rows: MakeWindow) -> None:
    window = open_rows()
    view, state = window.hall.view, window.hall.state
    view.native.setFocus()
    plant = window.session.plant
    assert plant is not None
    node = next(id for id in plant.nodes.ids if id.startswith("gpu/0/1/"))
    state.camera = CameraPose((*_middle(window, "gpu/0/1"),), 60.0, -90.0, 0.0)
    at = _on_screen(window, f"{node}/0")
    click(window, at)
    assert state.selection == ("gpu/0/1",)
    double_click(window, at)
    assert state.selection == (node,), "far off it is the rack, and what is in it is chosen"
    assert window.hall.strip.crumbs.ids[-2:] == ("gpu/0/1", node)
    view.go(CameraPose((*_middle(window, node),), 7.0, -90.0, 0.0), animate=False)
    at = _on_screen(window, f"{node}/0")
    hit = view.pick(at.x(), at.y())
    assert hit is not None
    assert hit.id == node
    click(window, at)
    double_click(window, at)
    assert state.selection == (f"{node}/0",)
    key(window, Qt.Key.Key_Escape)
    assert state.selection == (node,)
    key(window, Qt.Key.Key_Escape)
    assert state.selection == ("gpu/0/1",)
    key(window, Qt.Key.Key_Escape)
    assert state.selection == ()
    state.selection = (f"{node}/0",)
    for expected in (node, "gpu/0/1", "gpu/0"):
        key(window, Qt.Key.Key_Backspace)
        assert state.selection == (expected,)


def _middle(window: MainWindow, id: str) -> tuple[float, float, float]:
    box = window.hall.view.standing(id)
    assert box is not None
    x, y, z = (box[0] + box[1]) / 2
    return float(x), float(y), float(z)


def _on_screen(window: MainWindow, id: str) -> QPointF:
    QApplication.processEvents()
    return place_of(window, *_middle(window, id))


@pytest.mark.parametrize("name", ["top", "front", "side"])
def test_drawings_have_no_perspective_and_turning_leaves_them(open_rows: MakeWindow, name: str) -> None:
    window = open_rows()
    view = window.hall.view
    view.preset(name, animate=False)
    assert view.pose.flat
    assert view.grab().std() > 5
    view.frame(["gpu/0/1"], animate=False)
    assert view.pose.flat
    room = view.framing.room
    hit = view.pick(room.x + room.width / 2, room.y + room.height / 2)
    assert hit is not None
    assert hit.id.startswith("gpu/0/1"), "what stands before it is left out"
    view.orbit(12.0, 8.0)
    assert not view.pose.flat


def test_a_row_has_one_name_everywhere(open_rows: MakeWindow) -> None:
    window = open_rows()
    window.hall.state.selection = ("gpu/1/2",)
    assert window.hall.strip.crumbs.ids == ("gpu/1", "gpu/1/2")
    words = [button.text() for button in window.hall.strip.crumbs.findChildren(QToolButton)]
    assert words[-2:] == ["Row B (gpu/1)", "rack 2"]
    window.docks.inspector.show_thing("gpu/1")
    shown = [each.text() for each in window.docks.inspector.findChildren(QLabel)]
    assert "Row B (gpu/1)" in shown


def test_colours_do_not_go_over_into_an_empty_hall(open_rows: MakeWindow, tmp_path: Path) -> None:
    window = open_rows()
    window.hall.state.colour_by = "gpu.job"
    draft = window.session.draft
    assert draft is not None
    draft.mark_saved()
    empty = tmp_path / "empty.twin.yaml"
    empty.write_text(
        'format: twin/scenario\nversion: 1\ncatalog: "2026.11"\ntitle: empty\nhalls: [{id: main}]\n'
    )
    assert window.files.open(empty)
    assert window.hall.state.colour_by == "gpu.temp_c"


@pytest.mark.parametrize("scale", usually([1.0, 1.5], [1.0]))
def test_legends_leave_the_racks_and_each_other_free(
    open_rows: MakeWindow, qtbot: QtBot, scale: float
) -> None:
    window = open_rows()
    hall = window.hall
    window.look.scale_text(scale)
    window.resize(1280, 800)
    qtbot.waitUntil(lambda: window.size().toTuple() == (1280, 800))
    hall.view.preset("overview", animate=False)
    qtbot.waitUntil(lambda: hall.view.framing.room[2:] != hall.view.size())
    try:
        shown = [plate for plate in (hall.legend, *hall.more_legends, hall.mark) if plate.isVisible()]
        assert hall.legend in shown
        rectangles = [plate.geometry().translated(0, -hall.view.native.y()) for plate in shown]
        assert not any(a.intersects(b) for a, b in combinations(rectangles, 2))
        corners = [place for id in racks(window) for place in _corners(window, id)]
        assert all(hall.view.native.rect().contains(place) for place in corners)
        assert not [place for place in corners for plate in rectangles if plate.contains(place)]
    finally:
        window.look.scale_text(1.0)


def _corners(window: MainWindow, id: str) -> list[QPoint]:
    box = window.hall.view.standing(id)
    assert box is not None
    ends = np.array(list(product(*zip(*box, strict=True))))
    at = camera.project(window.hall.view.pose, ends, *window.hall.view.size())
    return [QPoint(round(x), round(y)) for x, y, _ in at.tolist()]


def test_the_camera_follows_the_first_parts_of_a_hall_but_no_hand(
    use_window: MakeWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    empty = tmp_path / "empty.twin.yaml"
    empty.write_text(
        'format: twin/scenario\nversion: 1\ncatalog: "2026.11"\ntitle: empty\nhalls: [{id: main}]\n'
    )
    window = use_window(empty)
    view = window.hall.view
    qtbot.waitUntil(lambda: view.flies_to is None)
    far_m = view.pose.distance_m
    assert window.editing.editor.do(AddPart("GB200-NVL72", at=(5.0, 4.0)))
    qtbot.waitUntil(lambda: view.pose.distance_m < far_m / 2)
    qtbot.waitUntil(lambda: view.flies_to is None)
    rack = window.session.plant.racks.ids[0] if window.session.plant is not None else ""
    corners = _corners(window, rack)
    high = max(place.y() for place in corners) - min(place.y() for place in corners)
    assert high > view.size()[1] / 4, "it is large enough to be worked on"
    assert not [place for place in corners for card in window.hall.cards if _covers(window, card, place)]
    view.orbit(30.0, 0.0)
    pose = view.pose
    assert window.editing.editor.do(AddPart("GB200-NVL72", at=(25.0, 4.0)))
    assert view.flies_to is None
    assert view.pose == pose


def _covers(window: MainWindow, card: QWidget, place: QPoint) -> bool:
    top = window.hall.view.native.y()
    return card.isVisible() and card.geometry().translated(0, -top).contains(place)
