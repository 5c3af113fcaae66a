"""Nodes are rented in the real window: found in the palette, by the menu of what is chosen, set, undone, deleted."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from window_steps import action

from tests.app.two_rows import ROWS
from twin.app.form.names_field import NamesField
from twin.app.shell.main_window import MainWindow

pytestmark = pytest.mark.gl
_POWER = """power:
  - {id: utility, kind: utility, capacity: 2 MW, feeds: [gpu]}
cooling:
  plants: [{id: water, kind: chiller}]
  loops: [{id: crah, kind: air, part: CRAH-chilled, count: 2, units: 3, plant: water, serves: [gpu], supply: 22 degC}]
"""
_WORDS = ("rent", "rental", "spot", "cloud", "marketplace", "reserved", "on demand")


@pytest.fixture
def window(use_window: Callable[..., MainWindow], tmp_path: Path) -> Iterator[MainWindow]:
    scene = tmp_path / "rows.twin.yaml"
    scene.write_text(ROWS + _POWER)
    window = use_window(scene)
    window.docks.enter("design")
    window.docks.show("outliner")
    window.docks.show("inspector")
    yield weakref.proxy(window)  # what pytest keeps of the last test must not hold the window
    if window.session.draft is not None:
        window.session.draft.mark_saved()  # nobody is there to be asked


def rentals(window: MainWindow) -> list[tuple[str, tuple[str, ...]]]:
    document = window.session.document
    assert document is not None
    return [(one.id, one.members) for one in document.scenario.rentals]


def text_of(window: MainWindow) -> str:
    draft = window.session.draft
    assert draft is not None
    return draft.file.text


def test_it_is_found_by_the_words_of_people(window: MainWindow) -> None:
    palette = window.palette_popup
    window.open_palette()
    for word in _WORDS:
        palette.field.setText(word)
        found = [entry.title for entry in palette.shown]
        assert any(title.startswith("Rent nodes: ") for title in found), (word, found)
    palette.field.setText("rent spot")
    assert palette.shown[0].title == "Rent nodes: Spot"
    palette.close()


def test_during_a_run_nodes_are_rented_from_its_start(window: MainWindow, qtbot: QtBot) -> None:
    session = window.session
    session.play(600.0, 60.0)
    qtbot.waitUntil(lambda: session.t_s == 60.0)
    window.clear_selection()
    window.menus.execute("edit.rent_spot")
    qtbot.waitUntil(lambda: [note.trouble.title for note in window.notifications.notes] == ["Change refused"])
    assert not rentals(window)
    (from_start,) = window.notifications.notes[-1].buttons.values()
    from_start.click()
    qtbot.waitUntil(lambda: rentals(window) == [("spot", ("gpu/0",))])
    qtbot.waitUntil(lambda: not window.notifications.notes)
    assert not session.begun
    window.editing.editor.undo()
    qtbot.waitUntil(lambda: not rentals(window))


def test_the_first_row_is_rented_set_and_undone(window: MainWindow, qtbot: QtBot) -> None:
    editor, before = window.editing.editor, text_of(window)
    window.clear_selection()
    window.menus.execute("edit.rent_spot")
    qtbot.waitUntil(lambda: rentals(window) == [("spot", ("gpu/0",))])
    inspector = window.docks.inspector
    assert inspector.thing == "spot"
    assert inspector.page_buttons["properties"].isChecked()
    wanted = {(key, False) for key in ("title", "terms", "shape", "price", "away")}
    qtbot.waitUntil(lambda: wanted <= set(inspector.properties.rows))
    assert editor.undo_title == "Rent nodes: Spot"
    inspector.properties.rows["price", False].entered.emit("1.9 USD/h")
    qtbot.waitUntil(lambda: "price: 1.9 USD/h" in text_of(window))
    editor.undo()
    editor.undo()
    qtbot.waitUntil(lambda: not rentals(window))
    assert text_of(window) == before


def test_what_is_chosen_is_rented_by_its_menu_and_deleted(window: MainWindow, qtbot: QtBot) -> None:
    window.hall.state.selection = ("gpu/1/0", "gpu/1/1")
    menu = window.design.menu(window.docks.outliner)
    assert menu is not None
    action(menu, "Rent nodes", "Reserved").trigger()
    qtbot.waitUntil(lambda: rentals(window) == [("reserved", ("gpu/1/0", "gpu/1/1"))])
    window.menus.execute("edit.rent_reserved")
    assert len(rentals(window)) == 1, "they are rented already"
    outliner = window.docks.outliner
    outliner.sort_by("type")
    window.hall.state.selection = ()
    outliner.choose(("reserved",), scroll=True)
    assert outliner.ids == ("reserved",)
    window.design.delete()
    qtbot.waitUntil(lambda: not rentals(window))


def test_members_are_added_and_taken_by_menu_and_in_the_list(window: MainWindow, qtbot: QtBot) -> None:
    menus, state = window.menus, window.hall.state
    state.selection = ("gpu/0/0",)
    menus.execute("edit.rent_reserved")
    qtbot.waitUntil(lambda: rentals(window) == [("reserved", ("gpu/0/0",))])
    state.selection = ("gpu/0/1", "gpu/1/0")
    menus.execute("edit.rent_more")
    qtbot.waitUntil(lambda: rentals(window) == [("reserved", ("gpu/0/0", "gpu/0/1", "gpu/1/0"))])
    properties = window.docks.inspector.properties
    qtbot.waitUntil(lambda: ("members", False) in properties.rows)
    field = properties.rows["members", False].field
    assert isinstance(field, NamesField)
    assert field.text() == "gpu/0/0, gpu/0/1, gpu/1/0"
    menu = field.menu()
    offered = {entry.text(): entry for entry in menu.actions()}
    assert offered["gpu/1/0"].isChecked()
    assert not offered["gpu/1/1"].isChecked()
    offered["gpu/1/1"].trigger()
    qtbot.waitUntil(lambda: rentals(window)[0][1][-1] == "gpu/1/1")
    menu.close()
    state.selection = ("gpu/1/0/0", "gpu/1/1")
    menu = window.design.menu(window.docks.outliner)
    assert menu is not None
    action(menu, "Rent nodes", "Take from rentals").trigger()
    qtbot.waitUntil(lambda: rentals(window)[0][1] == ("gpu/0/0", "gpu/0/1", "gpu/1/0/1"))
    window.editing.editor.undo()
    qtbot.waitUntil(lambda: rentals(window)[0][1][-1] == "gpu/1/1")
