"""The outliner and the editable inspector in the real window: listed, found, named, hidden, locked, set and reset."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QFontMetrics, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QMenu
from pytestqt.qtbot import QtBot
from usual_cases import usually

from tests.app.two_rows import ROWS
from twin.app.inspector.property_row import PropertyRow
from twin.app.outliner.model import EYE, LOCK, NAME, NOTE
from twin.app.outliner.tree import MODES
from twin.app.shell.main_window import MainWindow
from twin.app.toolkit import theme
from twin.commands.place.move import MoveThings
from twin.commands.room.copies import Array

UseWindow = Callable[[Path], MainWindow]
pytestmark = pytest.mark.gl

_SCENE = (
    ROWS
    + """\
power:
  - {id: utility, kind: utility, capacity: 2 MW, feeds: [gpu]}
cooling:
  plants: [{id: water, kind: chiller}]
  loops: [{id: crah, kind: air, part: CRAH-chilled, count: 2, units: 3, plant: water, serves: [gpu], supply: 22 degC}]
tenants: [{id: lab, title: The lab}]
"""
)


@pytest.fixture
def window(use_window: UseWindow, tmp_path: Path) -> Iterator[MainWindow]:
    scene = tmp_path / "rows.twin.yaml"
    scene.write_text(_SCENE)
    window = use_window(scene)
    window.docks.enter("design")
    window.docks.show("outliner")
    window.docks.show("inspector")
    window.docks.inspector.show_page("properties")
    outliner = window.docks.outliner
    outliner.search.clear()
    outliner.sort_by("place")
    window.docks.inspector.properties.refresh()
    yield weakref.proxy(window)  # what pytest keeps of the last test must not hold the window
    if window.session.draft is not None:
        window.session.draft.mark_saved()  # nobody is there to be asked


def text_of(window: MainWindow) -> str:
    draft = window.session.draft
    assert draft is not None
    return draft.file.text


def lines(window: MainWindow) -> list[str]:
    """Return the titles of all lines that are on screen, open or below an open one."""
    tree, model = window.docks.outliner.tree, window.docks.outliner.model
    assert model is not None
    found: list[str] = []

    def look(parent: QModelIndex) -> None:
        for row in range(model.rowCount(parent)):
            index = model.index(row, NAME, parent)
            found.append(index.data())
            if tree.isExpanded(index):
                look(index)

    look(QModelIndex())
    return found


def line(window: MainWindow, id: str) -> QModelIndex:
    """Return the line of a thing, opened as far as it takes."""
    outliner = window.docks.outliner
    window.hall.state.selection = ()
    outliner.choose((id,), scroll=True)
    index = outliner.tree.currentIndex()
    assert outliner.model is not None
    assert outliner.model.id_at(index) == id
    return index


def enter(row: PropertyRow, words: str) -> None:
    """Type into a field, and press Enter."""
    assert isinstance(row.field, QLineEdit)
    row.field.setFocus()
    row.field.selectAll()
    QTest.keyClicks(row.field, words)
    QTest.keyClick(row.field, Qt.Key.Key_Return)


@pytest.mark.parametrize(("width_px", "whole"), usually([(224, False), (272, True)], [(224, False)]))
def test_every_way_to_sort_is_readable_in_a_narrow_dock(
    window: MainWindow, width_px: int, whole: bool
) -> None:
    switch = window.docks.outliner.switch
    for mode in MODES:
        window.docks.outliner.sort_by(mode)
        switch.resize(width_px - 16, switch.height())
        for button in switch.buttons.values():
            metrics = QFontMetrics(theme.font(bold=button.isChecked()))
            assert metrics.horizontalAdvance(button.text()) <= button.width() - 4
        titles = [title for title, _ in MODES.values()]
        assert ([button.text() for button in switch.buttons.values()] == titles) is whole
    assert switch.minimumSizeHint().width() <= 224 - 16
    assert switch.buttons["coolant"].toolTip().startswith("Coolant: from facility water")


def test_names_have_most_of_a_narrow_tree(window: MainWindow) -> None:
    tree = window.docks.outliner.tree
    tree.resize(222, 300)
    assert tree.columnWidth(NAME) > tree.columnWidth(NOTE) + 20


def test_names_have_the_room_they_need_before_notes_do(window: MainWindow, qtbot: QtBot) -> None:
    tree = window.docks.outliner.tree
    tree.collapseAll()
    tree.resize(272, 300)
    tree.share_width()
    least = theme.scaled(40)
    needed = tree.sizeHintForColumn(NOTE)
    assert tree.columnWidth(NOTE) == max(needed, least)  # nothing of a note is cut while names leave room
    index = tree.model().index(0, NAME)
    while tree.model().hasChildren(index):  # hall, row, rack, node
        tree.expand(index)
        index = tree.model().index(0, NAME, index)
    qtbot.waitUntil(lambda: tree.sizeHintForColumn(NOTE) > needed)
    qtbot.waitUntil(lambda: least <= tree.columnWidth(NOTE) < tree.sizeHintForColumn(NOTE))  # names go first
    room = tree.sizeHintForColumn(NAME)
    assert tree.columnWidth(NAME) >= room or tree.columnWidth(NOTE) == least
    assert tree.textElideMode() == Qt.TextElideMode.ElideMiddle
    tree.collapse(tree.model().index(0, NAME))
    qtbot.waitUntil(lambda: tree.columnWidth(NOTE) == max(tree.sizeHintForColumn(NOTE), least))


def test_the_tree_is_sorted_five_ways(window: MainWindow) -> None:
    tops = {}
    for mode, button in window.docks.outliner.switch.buttons.items():
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        assert window.docks.outliner.mode == mode
        tops[mode] = lines(window)
    assert set(tops) == set(MODES)
    assert tops["place"][:2] == ["main", "gpu"]
    assert {"Racks", "Nodes", "Tenants"} <= set(tops["type"])
    assert tops["power"] == ["utility/0"]
    assert tops["coolant"] == ["water"]
    assert tops["network"] == []


def test_a_search_opens_what_holds_what_it_finds(window: MainWindow, qtbot: QtBot) -> None:
    outliner = window.docks.outliner
    QTest.keyClicks(outliner.search, "gpu/1/2/")
    qtbot.waitUntil(lambda: "gpu/1/2/0" in lines(window))
    assert lines(window) == ["main", "gpu", "Row B (gpu/1)", "gpu/1/2", "gpu/1/2/1", "gpu/1/2/0"]
    outliner.search.setText("nothing of the kind")
    qtbot.waitUntil(outliner.none.isVisible)
    assert lines(window) == []


def test_hall_and_tree_choose_the_same(window: MainWindow) -> None:
    outliner = window.docks.outliner
    window.hall.state.selection = ("gpu/0/1", "gpu/1/3")
    assert set(outliner.ids) == {"gpu/0/1", "gpu/1/3"}
    assert window.docks.inspector.properties.ids == ("gpu/0/1", "gpu/1/3")
    place = outliner.tree.visualRect(line(window, "gpu/0/2")).center()
    QTest.mouseClick(outliner.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.hall.state.selection == ("gpu/0/2",)
    place = outliner.tree.visualRect(line(window, "gpu")).center()
    QTest.mouseClick(outliner.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.hall.state.selection == ("gpu/0", "gpu/1")  # a generator is its rows there
    assert window.docks.inspector.properties.ids == ("gpu",)
    window.hall.state.selection = ("gpu/0/1/1/5",)
    assert outliner.ids == ("gpu/0/1/1/5",)


def test_no_line_is_lit_that_is_not_chosen(window: MainWindow, lab: Path, qtbot: QtBot) -> None:
    """A selection without a line, and one that is over, take the light from what was chosen before."""
    outliner = window.docks.outliner

    def click() -> None:
        place = outliner.tree.visualRect(line(window, "gpu/1/2")).center()
        QTest.mouseClick(outliner.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)

    outliner.search.setText("gpu/1/2")
    outliner.refresh()
    click()
    assert window.hall.state.selection == outliner.ids == ("gpu/1/2",)
    outliner.search.textChanged.emit("gpu/1/2")  # the tree is to be made anew, as after an edit
    window.hall.state.selection = ("gpu/0/0",)
    window.hall.state.selection = ()
    outliner.refresh()
    assert outliner.ids == ()
    click()
    assert window.hall.state.selection == ("gpu/1/2",)
    outliner.search.textChanged.emit("gpu/1/2")
    window.hall.state.selection = ()
    click()  # on a line that is lit still
    assert window.hall.state.selection == ("gpu/1/2",)
    window.hall.state.selection = ("gpu/0/0",)
    outliner.refresh()
    assert outliner.ids == ()
    window.files.open(lab, ask=False)
    qtbot.waitUntil(lambda: not outliner.search.text())


def test_keys_fly_rename_hide_and_lock(window: MainWindow, qtbot: QtBot) -> None:
    outliner, tree = window.docks.outliner, window.docks.outliner.tree
    before = window.hall.view.pose
    tree.setCurrentIndex(line(window, "gpu/1/3"))
    tree.setFocus()
    QTest.keyClick(tree, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.hall.view.pose != before)
    window.design.hide()
    assert window.design.marks.is_hidden("gpu/1/3/0")
    assert window.hall.view.plant is not None
    assert int(window.hall.view.plant.racks.present.sum()) == 7
    assert int(window.session.plant.racks.present.sum()) == 8
    window.design.show_all()
    assert int(window.hall.view.plant.racks.present.sum()) == 8
    outliner.sort_by("type")
    tree.expandAll()
    tree.setCurrentIndex(line(window, "lab"))
    QTest.keyClick(tree, Qt.Key.Key_F2)
    editor = tree.findChild(QLineEdit)
    assert editor is not None
    editor.selectAll()
    QTest.keyClicks(editor, "Physics")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "title: Physics" in text_of(window))
    outliner.sort_by("place")
    tree.setCurrentIndex(line(window, "gpu/1/3"))  # one rack of a row has no name of its own
    before_text = text_of(window)
    window.design.rename()
    assert "that can be renamed" in window.statusBar().currentMessage()
    assert text_of(window) == before_text


def test_marks_are_clicked_and_a_lock_refuses_edits(window: MainWindow) -> None:
    outliner = window.docks.outliner
    index = line(window, "gpu/0/1")
    for column in (EYE, LOCK):
        place = outliner.tree.visualRect(index.siblingAtColumn(column)).center()
        QTest.mouseClick(outliner.tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.hall.state.hidden == {"gpu/0/1"}
    assert window.hall.state.locked == {"gpu/0/1"}
    assert text_of(window) == _SCENE  # marks are no part of the scene
    told: list[str] = []
    window.editing.editor.refused.connect(told_to := lambda title, reason: told.append(reason))
    assert not window.editing.editor.do(MoveThings(("gpu/0/1",), (0.0, 2.0)))
    window.editing.editor.refused.disconnect(told_to)
    assert told == ["gpu/0/1 is locked: unlock it in the outliner first"]
    assert text_of(window) == _SCENE
    window.design.marks.lock(("gpu/0/1",), False)
    window.design.show_all()
    assert not window.design.marks.is_locked("gpu/0/1")


def test_a_node_is_dragged_onto_a_rack(window: MainWindow) -> None:
    outliner = window.docks.outliner
    assert outliner.model is not None
    node = line(window, "gpu/0/0/1")
    rack = line(window, "gpu/0/1")
    data = outliner.model.mimeData([node])
    action = Qt.DropAction.MoveAction
    assert outliner.model.canDropMimeData(data, action, -1, -1, rack)
    assert not outliner.model.canDropMimeData(data, action, -1, -1, line(window, "gpu"))
    outliner.model.dropMimeData(data, action, -1, -1, rack)
    plant = window.session.plant
    assert plant is not None
    held = plant.nodes.rack[plant.slots["gpu/0/0/1"][1]]
    assert plant.racks.ids[held] == "gpu/0/1"


def test_the_menu_of_a_line_does_what_the_hall_does_and_more(window: MainWindow) -> None:
    window.hall.state.selection = ("gpu/0/1", "gpu/0/2")
    parent = QMenu(window.docks.outliner)
    menu = window.design.menu(parent)
    assert menu is not None
    titles = [action.text() for action in menu.actions()]
    assert {"Fly there", "Hide", "Lock", "Duplicate", "Delete"} <= set(titles)
    assert any(title.startswith("Array") for title in titles)
    next(action for action in menu.actions() if action.text() == "Delete").trigger()
    assert text_of(window).count("absent: true") == 2
    menu.deleteLater()
    parent.deleteLater()


def test_a_property_takes_any_unit_and_is_reset(window: MainWindow) -> None:
    window.docks.inspector.show_thing("crah/0")
    panel = window.docks.inspector.properties
    panel.refresh()
    row = panel.row("supply")
    assert (row.text, row.badge.text()) == ("22 degC", "set")
    enter(row, "68 degF")
    assert "supply: 68 degF" in text_of(window)
    panel.refresh()
    assert row.text == "20 degC"
    QTest.mouseClick(row.reset, Qt.MouseButton.LeftButton)
    assert "supply" not in text_of(window)
    panel.refresh()
    assert (row.text, row.badge.text()) == ("28 degC", "default")
    window.editing.editor.undo()
    window.editing.editor.undo()
    assert text_of(window) == _SCENE


def test_a_wrong_value_is_told_in_its_field_and_changes_nothing(window: MainWindow) -> None:
    window.docks.inspector.show_thing("crah/0")
    panel = window.docks.inspector.properties
    panel.refresh()
    for typed, told in (("20 kW", "temperature"), ("90 degC", "60")):
        row = panel.row("supply")
        row.field.setFocus()
        enter(row, typed)
        row = panel.row("supply")
        assert told in row.told.text()
        assert row.told.isVisible()
        assert row.text == typed  # it stays there to be put right
        assert text_of(window) == _SCENE
    window.hall.view.native.setFocus()
    assert row.text == "22 degC", "what stands is shown once the field is left"
    assert "90 degC" in row.told.text()
    assert row.told.isVisible()
    row.field.setFocus()
    QTest.keyClick(row.field, Qt.Key.Key_Escape)
    assert row.told.isHidden()
    assert row.text == "22 degC"


def test_a_place_out_of_reach_is_told_in_its_field(window: MainWindow) -> None:
    window.docks.inspector.show_thing("gpu/0/1")
    panel = window.docks.inspector.properties
    panel.refresh()
    enter(panel.row("@x"), "6000000 mi")
    row = panel.row("@x")
    assert "at most 10 km" in row.told.text()
    assert row.told.isVisible()
    assert text_of(window) == _SCENE
    QTest.keyClick(row.field, Qt.Key.Key_Escape)


def test_several_things_are_set_in_one_step(window: MainWindow) -> None:
    window.hall.state.selection = ("gpu/0/0/0", "gpu/0/1/0", "gpu/0/2/1")
    panel = window.docks.inspector.properties
    panel.refresh()
    row = panel.row("drained")
    row.field.click()
    plant, draft = window.session.plant, window.session.draft
    assert plant is not None
    assert draft is not None
    assert int(plant.nodes.drained.sum()) == 3
    assert len(draft.done) == 1
    window.editing.editor.undo()
    assert text_of(window) == _SCENE
    window.hall.state.selection = ("gpu/0/0", "gpu/0/1")
    panel.refresh()
    row = panel.row("@x")
    assert row.badge.text() == "mixed"
    assert isinstance(row.field, QLineEdit)
    assert (row.text, row.field.placeholderText()) == ("", "mixed")


def test_a_generator_that_shrinks_tells_first_what_goes_along(window: MainWindow) -> None:
    from twin.commands.place.groups import MakeGroup

    assert window.editing.editor.do(MakeGroup(("gpu/1/0", "gpu/0/0"), "pair"))
    before = text_of(window)
    window.docks.inspector.show_thing("gpu")
    panel = window.docks.inspector.properties
    panel.refresh()
    row = panel.row("count")
    enter(row, "1")
    assert text_of(window) == before
    assert "groups" in row.told.text()
    QTest.mouseClick(row.apply_button, Qt.MouseButton.LeftButton)
    assert window.session.plant is not None
    assert int(window.session.plant.racks.present.sum()) == 4
    window.editing.editor.undo()
    assert text_of(window) == before


def test_who_asks_for_an_array_does_so_no_more_in_another_scene(window: MainWindow, lab: Path) -> None:
    window.hall.state.selection = ("gpu/0/0",)
    window.design.ask_array()
    assert window.design.array_dialog is not None
    window.files.open(lab, ask=False)
    assert window.design.array_dialog is None
    assert window.hall.view.edit.ghost.boxes == ()


def test_an_array_is_seen_before_it_is_made(window: MainWindow) -> None:
    window.hall.state.selection = ("gpu/0/0", "gpu/0/1", "gpu/0/2", "gpu/0/3")
    window.design.ask_array()
    dialog = window.design.array_dialog
    assert dialog is not None
    dialog.columns.setValue(1)
    dialog.rows.setValue(2)
    dialog.pitch_y.setText("12 m")
    assert "4 racks" in dialog.figures.text()
    assert "64 GPUs" in dialog.figures.text()
    assert len([box for box in window.hall.view.edit.ghost.boxes if not box.flat]) >= 4
    dialog.pitch_y.setText("0.3 m")
    assert not dialog.make_button.isEnabled()
    dialog.pitch_y.setText("12 m")
    dialog.make_button.click()
    assert window.session.plant is not None
    assert int(window.session.plant.racks.present.sum()) == 12
    assert window.hall.view.edit.ghost.boxes == ()
    window.editing.editor.undo()
    assert text_of(window) == _SCENE
    assert Array(("gpu/0/0",), 2, 1, (1.0, 0.0)).title


def test_edits_land_in_a_run_that_goes_on(window: MainWindow, qtbot: QtBot) -> None:
    window.session.play()
    qtbot.waitUntil(lambda: window.session.t_s > 1.0)
    window.session.pause()
    window.docks.inspector.show_thing("crah/0")
    panel = window.docks.inspector.properties
    panel.refresh()
    enter(panel.row("supply"), "19 degC")
    qtbot.waitUntil(lambda: "edits:" in text_of(window))
    panel.refresh()
    assert panel.row("supply").text == "19 degC"
    window.editing.editor.undo()
    qtbot.waitUntil(lambda: not window.editing.editor.busy)


def test_a_heading_that_the_keys_are_on_is_framed(window: MainWindow, qtbot: QtBot) -> None:
    tree, model = window.docks.outliner.tree, window.docks.outliner.model
    assert model is not None
    heading = next(
        index
        for row in range(model.rowCount(QModelIndex()))
        if not model.id_at(index := model.index(row, NAME, QModelIndex()))
    )
    tree.scrollTo(heading)
    place = tree.visualRect(heading)

    def frame() -> str:
        return tree.viewport().grab().toImage().pixelColor(place.center().x(), place.top()).name()

    tree.setCurrentIndex(model.index(0, NAME, QModelIndex()))
    plain = frame()
    window.activateWindow()
    tree.setFocus()
    tree.setCurrentIndex(heading)
    qtbot.waitUntil(tree.hasFocus)
    assert not tree.selectionModel().isSelected(heading)
    assert frame() == tree.palette().color(QPalette.ColorRole.Accent).name() != plain
    tree.clearFocus()
    assert frame() == plain
