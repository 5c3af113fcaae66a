"""Lists of names in the inspector: typed, completed, chosen one by one, and checked against what there is."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from twin.app.form.names_field import NamesField
from twin.app.inspector.property_fields import Property, common
from twin.app.inspector.property_row import PropertyRow
from twin.app.inspector.property_values import command, standing
from twin.app.shell.main_window import MainWindow
from twin.commands.edit.command import CommandError, EditedScene
from twin.scenario import load, loads
from twin.scenario.file.patch_text import edit

_SCENES = Path(__file__).parents[2] / "scenes"
BURST = load(_SCENES / "hybrid-burst.twin.yaml")
VARIANT = f"""format: twin/scenario
version: 3
catalog: "{BURST.scenario.catalog}"
extends: builtin:hybrid-burst
title: Another line
"""


def field(scene: EditedScene, id: str, key: str) -> Property:
    return next(one for one in common(scene, (id,)) if one.key == key)


def after(scene: EditedScene, id: str, key: str, text: str | None) -> EditedScene:
    """Return the scene with a list set; the way back leads to the same text."""
    patch = command(scene, (id,), field(scene, id, key), text).patch(scene)
    done, inverse = edit(scene.document, patch)
    assert edit(done, inverse)[0].text == scene.document.text
    return EditedScene.of(done)


@pytest.mark.parametrize("typed", ["gpu, net, water", "[gpu, net, water]", "gpu net water", "gpu,net,water,"])
def test_names_are_taken_as_people_type_them(typed: str) -> None:
    done = after(EditedScene.of(BURST), "pdu-a/1", "feeds", typed)
    (stage,) = [one for one in done.scenario.power if one.id == "pdu-a"]
    assert stage.feeds == ("gpu", "net", "water")
    assert standing(done, ("pdu-a",), field(done, "pdu-a", "feeds")).text == "gpu, net, water"


def test_what_may_stand_in_a_list_depends_on_the_list() -> None:
    scene = EditedScene.of(BURST)
    assert field(scene, "pdu-a", "feeds").choices == ("gpu", "net", "store", "crah", "water")
    assert field(scene, "crah/0", "serves").choices == ("gpu", "net", "store")
    assert field(scene, "pfs", "tenants").choices == ("lab", "desk")
    assert field(scene, "ib", "rows").choices == ("gpu", "net", "store")


@pytest.mark.parametrize(
    ("key", "typed", "told"),
    [
        ("feeds", "gpu, ned", "'ned' is not an item here.*did you mean 'net'"),
        ("feeds", "gpu, net, gpu", "'gpu' is given twice"),
        ("feeds", "lab", "there are gpu, net, store, crah, water"),
    ],
)
def test_what_is_no_such_name_is_told_with_what_would_be_right(key: str, typed: str, told: str) -> None:
    scene = EditedScene.of(BURST)
    with pytest.raises(CommandError, match=told):
        command(scene, ("pdu-a",), field(scene, "pdu-a", key), typed)


def test_no_name_is_what_the_schema_says_none_is() -> None:
    scene = EditedScene.of(BURST)
    assert standing(scene, ("large",), field(scene, "large", "rows")).ghost == "any"
    done = after(scene, "pfs", "tenants", "")
    assert done.scenario.storage[0].tenants == ()
    assert "tenants: [lab" not in done.document.text
    assert standing(done, ("pfs",), field(done, "pfs", "tenants")).ghost == "everybody"


def test_a_variant_can_say_that_a_list_is_empty() -> None:
    scene = EditedScene.of(loads(VARIANT, "variant.twin.yaml"))
    done = after(scene, "pfs", "tenants", "")
    assert done.scenario.storage[0].tenants == ()
    assert "tenants: []" in done.document.text


@pytest.fixture
def window(use_window: Callable[[Path], MainWindow], tmp_path: Path) -> Iterator[MainWindow]:
    scene = tmp_path / "own.twin.yaml"
    scene.write_bytes((_SCENES / "hybrid-burst.twin.yaml").read_bytes())
    window = use_window(scene)
    window.docks.enter("design")
    window.docks.show("inspector")
    window.docks.inspector.show_page("properties")
    yield weakref.proxy(window)
    if window.session.draft is not None:
        window.session.draft.mark_saved()  # nobody is there to be asked


def row_of(window: MainWindow, id: str, key: str) -> PropertyRow:
    window.docks.inspector.show_thing(id)
    window.docks.inspector.properties.refresh()
    return window.docks.inspector.properties.row(key)


def line(window: MainWindow, start: str) -> str:
    draft = window.session.draft
    assert draft is not None
    return next(one for one in draft.file.text.splitlines() if one.strip().startswith(start))


def test_a_list_is_typed_and_chosen_in_the_window(window: MainWindow, qtbot: QtBot) -> None:
    draft = window.session.draft
    assert draft is not None
    text = draft.file.text
    row = row_of(window, "pdu-a/0", "feeds")
    names = row.field
    assert isinstance(names, NamesField)
    assert names.text() == "gpu, net, store, crah"
    names.selectAll()
    QTest.keyClicks(names, "gpu, net, nix")
    QTest.keyClick(names, Qt.Key.Key_Return)
    assert "'nix' is not an item here" in row.told.text()
    assert draft.file.text == text
    names.selectAll()
    QTest.keyClicks(names, "gpu, net, crah")
    QTest.keyClick(names, Qt.Key.Key_Return)
    assert "feeds: [gpu, net, crah]" in line(window, "- {id: pdu-a")
    names = row_of(window, "pdu-a/0", "feeds").field
    assert isinstance(names, NamesField)
    menu: QMenu = names.menu()
    assert [(one.text(), one.isChecked()) for one in menu.actions()] == [
        ("gpu", True),
        ("net", True),
        ("crah", True),
        ("store", False),
        ("water", False),
    ]
    menu.actions()[3].trigger()
    menu.close()
    assert "feeds: [gpu, net, crah, store]" in line(window, "- {id: pdu-a")
    names = row_of(window, "crah", "serves").field
    assert isinstance(names, NamesField)
    menu = names.menu()
    next(one for one in menu.actions() if one.text() == "store").trigger()
    menu.close()
    assert "serves: [gpu, net]" in line(window, "- {id: crah")
    for _ in range(3):
        window.editing.editor.undo()
    assert draft.file.text == text


def test_the_name_that_is_typed_is_completed(window: MainWindow, qtbot: QtBot) -> None:
    names = row_of(window, "crah", "serves").field
    assert isinstance(names, QLineEdit)
    names.selectAll()
    QTest.keyClicks(names, "gpu, sto")
    completer = names.completer()
    assert completer.currentCompletion() == "gpu, store"
    QTest.keyClick(names, Qt.Key.Key_Escape)
    QTest.keyClick(names, Qt.Key.Key_Escape)


def test_a_third_feed_is_told_under_the_field(window: MainWindow, qtbot: QtBot) -> None:
    row = row_of(window, "ups", "feeds")
    assert isinstance(row.field, NamesField)
    row.field.setFocus()
    QTest.keyClicks(row.field, "gpu")
    QTest.keyClick(row.field, Qt.Key.Key_Return)
    assert "at most two feeds" in row.told.text()
    row.restore()


def test_a_rack_goes_to_another_hall_by_its_field(
    use_window: Callable[[Path], MainWindow], tmp_path: Path
) -> None:
    text = (_SCENES / "lab-16.twin.yaml").read_text()
    rack = "{id: solo, at: {x: 6 m}, racks: {count: 1, nodes: [{part: DGX-H100, count: 1}]}}"
    text = text.replace("\nfabrics:", f"\n  - id: annex\n    rows:\n      - {rack}\n\nfabrics:", 1)
    text = text.replace("serves: [gpu]", "serves: [gpu, solo]").replace("feeds: [gpu]", "feeds: [gpu, solo]")
    scene = tmp_path / "annex.twin.yaml"
    scene.write_text(text)
    window = use_window(scene)
    window.docks.enter("design")
    window.docks.show("inspector")
    window.docks.inspector.show_page("properties")
    draft = window.session.draft
    assert draft is not None
    row = row_of(window, "gpu/0/1", "@hall")
    row.entered.emit("annex")
    assert "one of 2 racks of gpu" in row.told.text()
    row = row_of(window, "solo/0/0", "@hall")
    assert isinstance(row.field, QComboBox)
    assert [row.field.itemText(k) for k in range(row.field.count())] == ["lab", "annex"]
    row.field.setCurrentText("lab")
    row.field.activated.emit(0)
    assert [one.id for one in draft.file.scenario.halls[0].rows] == ["gpu", "solo"]
    assert row_of(window, "solo/0/0", "@hall").text == "lab"
    window.editing.editor.undo()
    assert draft.file.text == text
    draft.mark_saved()


def test_a_list_changes_while_the_run_goes_on(window: MainWindow, qtbot: QtBot) -> None:
    session = window.session
    session.play()
    qtbot.waitUntil(lambda: session.t_s > 1.0)
    session.pause()
    row = row_of(window, "pdu-a/0", "feeds")
    assert isinstance(row.field, NamesField)
    row.field.selectAll()
    QTest.keyClicks(row.field, "gpu, net, store")
    QTest.keyClick(row.field, Qt.Key.Key_Return)
    draft = session.draft
    assert draft is not None
    qtbot.waitUntil(lambda: bool(draft.file.scenario.edits))
    assert draft.file.scenario.edits[0].changes[0].value == "[gpu, net, store]"
    assert session.plant is not None
    assert session.plant.epoch == 1
