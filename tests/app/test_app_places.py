"""A climate is chosen from a list and found by the words of people, in a field of its own kind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QWidget
from pytestqt.qtbot import QtBot

from twin.app.form.field import Field, FieldState
from twin.app.form.places import NO_PLACE, PLACE_KEY, place_named, place_titles
from twin.app.form.row import FieldRow, form_grid
from twin.app.inspector.property_fields import properties
from twin.app.inspector.property_values import command, standing
from twin.app.toolkit.look import Look
from twin.commands.edit.command import CommandError, EditedScene
from twin.scenario import load
from twin.scenario.file.patch_text import edit


@pytest.fixture
def row(qapp: QApplication, qtbot: QtBot) -> Iterator[FieldRow]:
    look = Look(qapp, "dark")
    page = QWidget()
    grid = form_grid(page)
    made = FieldRow(look, Field(PLACE_KEY, "Place", "Climate", kind="place", optional=True))
    made.put_into(grid, 0)
    made.show(FieldState("phoenix", resettable=True))
    qtbot.addWidget(page)
    page.show()
    qtbot.waitExposed(page)
    page.activateWindow()
    yield made
    look.close()


def test_the_list_comes_with_the_focus_and_says_what_it_is_like_there(row: FieldRow, qtbot: QtBot) -> None:
    combo = row.field
    assert isinstance(combo, QComboBox)
    assert combo.currentText() == "Phoenix, Arizona, United States"
    combo.setFocus()
    qtbot.waitUntil(lambda: combo.count() == len(place_titles()) + 1)
    assert combo.itemText(0) == NO_PLACE
    assert any(combo.itemText(at) == "Singapore: 28 °C, wet bulb 25 °C" for at in range(combo.count()))


@pytest.mark.parametrize(
    ("typed", "meant"), [("Arizona", set()), ("phoenix", set()), ("Dublin", {"dublin"}), ("india", {"india"})]
)
def test_what_is_typed_is_told_as_it_is_meant(row: FieldRow, typed: str, meant: set[str]) -> None:
    told: list[object] = []
    row.entered.connect(told.append)
    combo = row.field
    assert isinstance(combo, QComboBox)
    combo.setFocus()
    line = combo.lineEdit()
    assert line is not None
    line.selectAll()
    QTest.keyClicks(line, typed)
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert set(told) == meant


def test_one_that_is_picked_is_told_by_its_name(row: FieldRow, qtbot: QtBot) -> None:
    told: list[object] = []
    row.entered.connect(told.append)
    combo = row.field
    assert isinstance(combo, QComboBox)
    combo.setFocus()
    qtbot.waitUntil(lambda: combo.count() > 1)
    combo.setCurrentIndex(combo.findData("oslo"))
    combo.activated.emit(combo.currentIndex())
    assert told == ["oslo"]


def test_words_that_mean_several_or_none_are_refused_with_what_may_be_meant() -> None:
    with pytest.raises(CommandError, match="may be several places; did you mean Chennai, India or Hyderabad"):
        place_named("india")
    with pytest.raises(CommandError, match="no climate is known of 'Phenix'; did you mean Phoenix, Arizona"):
        place_named("Phenix")
    with pytest.raises(CommandError, match="choose the nearest one from the list"):
        place_named("xyzzy")


def test_the_page_of_the_scene_takes_the_words_of_people() -> None:
    scene = EditedScene.of(load("builtin:lab-16"))
    field = next(each for each in properties(scene, "") if each.key == "site.climate.place")
    assert (field.kind, standing(scene, ("",), field).text) == ("place", "frankfurt")
    patch = command(scene, ("",), field, "Arizona").patch(scene)
    after = edit(scene.document, patch)[0]
    assert after.scenario.site.climate.place == "phoenix"
    assert after.scenario.site.timezone == "Europe/Berlin"  # as the file says
