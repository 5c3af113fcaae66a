"""The typical year in the window: on the page of the scene, beside other places, and asked for in an empty hall."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

import twin
from twin.app.inspector.inspector import YEAR
from twin.app.inspector.year_dialog import YearDialog
from twin.app.palette.room_wizard import RoomWizard
from twin.app.shell.main_window import MainWindow
from twin.record.site_year import SiteYear

Open = Callable[[Path], MainWindow]
pytestmark = pytest.mark.gl


def test_a_new_scene_asks_for_its_place(use_window: Open, qtbot: QtBot, my_lab: Path) -> None:
    window = use_window(my_lab)
    window.new_scene()
    qtbot.waitUntil(window.hint.place.field.isVisible)
    window.docks.inspector.show_thing(None)
    inspector = window.docks.inspector
    assert inspector.facts is not None
    assert inspector.facts.subtitle == "Unnamed site, no place: a mean day of 15 °C"
    window.hint.place.entered.emit("india")
    assert "may be several places" in window.hint.place.told.text()
    window.hint.place.entered.emit("Arizona")
    document = window.session.document
    assert document is not None
    assert document.scenario.site.climate.place == "phoenix"
    assert document.scenario.site.timezone == "America/Phoenix"
    qtbot.waitUntil(lambda: "Phoenix" in inspector.facts.subtitle)  # type: ignore[union-attr]
    window.editing.editor.undo()
    qtbot.waitUntil(lambda: window.session.document.scenario.site.climate.place is None)  # type: ignore[union-attr]


def test_the_year_of_the_scene_and_of_other_places(
    use_window: Open, qtbot: QtBot, my_lab: Path, tmp_path: Path
) -> None:
    window = use_window(my_lab)
    inspector = window.docks.inspector
    inspector.show_thing(None)
    qtbot.waitUntil(lambda: inspector.months is not None and inspector.months.isVisible())
    assert inspector.facts is not None
    section = next(each for each in inspector.facts.sections if each.title == YEAR)
    words = {row.label: row.value for row in section.rows}
    expected = twin.load("lab-16").year()
    assert (words["Climate"], words["PUE over the year"]) == ("Frankfurt, Germany", f"{expected.pue:.3f}")
    assert inspector.months is not None
    assert max(inspector.months.values) > expected.pue > min(inspector.months.values) > 1.0
    entry = next(each for each in window.menus.entries() if each.title.startswith("Typical year"))
    assert all(word in entry.words for word in ("PUE over the year", "design day", "climate", "water"))
    entry.run()
    dialog = next(each for each in QApplication.topLevelWidgets() if isinstance(each, YearDialog))
    dialog.place.entered.emit("Dublin")
    here, there = dialog.years
    assert isinstance(here, SiteYear)
    assert isinstance(there, SiteYear)
    assert there.pue < here.pue
    assert dialog.figures[1]["pue"].text() == f"{there.pue:.3f}"
    dialog.load.field.setValue(50)  # type: ignore[union-attr]
    qtbot.waitUntil(
        lambda: isinstance(dialog.years[0], SiteYear) and dialog.years[0].load == pytest.approx(0.5)
    )
    year = dialog.years[1]
    assert isinstance(year, SiteYear)
    dialog.save_to(tmp_path / "year.csv", year)
    with (tmp_path / "year.csv").open() as table:
        assert len(list(csv.reader(table))) == 8761
    dialog.use_button.click()
    qtbot.waitUntil(lambda: window.session.document.scenario.site.climate.place == "dublin")  # type: ignore[union-attr]
    assert len(dialog.years) == 1
    dialog.close()


def test_the_wizard_asks_for_the_place_and_shows_the_year_there(
    use_window: Open, qtbot: QtBot, my_lab: Path
) -> None:
    window = use_window(my_lab)
    window.new_scene()
    qtbot.waitUntil(window.hint.isVisible)
    window.build_room()
    wizard = next(each for each in QApplication.topLevelWidgets() if isinstance(each, RoomWizard))
    assert "one mean day, which flatters" in wizard.figures["PUE"].text()
    assert not wizard.months.isVisible()
    wizard.place.entered.emit("Arizona")
    qtbot.waitUntil(wizard.months.isVisible)
    assert max(wizard.months.values) > 1.2
    assert "July" in wizard.figures["Design day"].text()
    wizard.build.click()
    qtbot.waitUntil(lambda: window.session.document.scenario.site.climate.place == "phoenix")  # type: ignore[union-attr]
    window.editing.editor.undo()  # one step
    qtbot.waitUntil(lambda: not window.session.document.scenario.power)  # type: ignore[union-attr]
    assert window.session.document is not None
    assert window.session.document.scenario.site.climate.place is None
