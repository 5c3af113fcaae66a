"""The Availability dock of the real window: figures of the hall, the way to what costs most, and what edits change."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from twin.app.monitor.availability_model import AVAILABLE, OUTAGES, WHAT


def test_availability_is_told_gone_to_and_follows_edits(use_window, qtbot, lab: Path) -> None:
    window = use_window(lab)
    dock = window.docks.availability
    window.docks.enter("design")
    window.docks.show("availability")
    qtbot.waitUntil(lambda: dock.found is not None)
    rows = [dock.model.index(row, WHAT).data() for row in range(dock.model.rowCount())]
    assert rows[:4] == ["Power", "Cooling", "Network", "Power and cooling"]
    assert rows[4].startswith("Job ")
    assert dock.model.index(0, AVAILABLE).data() == "99.951 %"
    assert dock.model.index(0, OUTAGES).data() == "36"
    assert dock.words.text() == "Not in runs of this scene"

    chiller = rows.index("Chiller (water)")
    place = dock.table.visualRect(dock.model.index(chiller, WHAT)).center()
    dock.table.scrollTo(dock.model.index(chiller, WHAT))
    place = dock.table.visualRect(dock.model.index(chiller, WHAT)).center()
    QTest.mouseClick(dock.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert dock.model.rows[chiller].targets == ("water",)
    dock.table.setFocus()
    dock.table.setCurrentIndex(dock.model.index(rows.index("PDU (pdu/0); 2 such cases"), WHAT))
    QTest.keyClick(dock.table, Qt.Key.Key_Return)
    assert set(window.hall.state.selection) == {"pdu/0", "pdu/1"}


def test_the_dock_is_found_by_the_words_of_its_users(use_window, lab: Path) -> None:
    window = use_window(lab)
    for words in ("uptime", "MTBF", "outages a year", "downtime"):
        window.open_palette()
        QTest.keyClicks(window.palette_popup.field, words)
        assert "Show Availability" in [entry.title for entry in window.palette_popup.shown[:3]], words
        window.palette_popup.hide()


def test_nothing_is_worked_out_for_a_dock_behind_another_tab(use_window, qtbot, lab: Path) -> None:
    window = use_window(lab)
    dock = window.docks.availability
    window.docks.enter("design")
    window.docks.show("availability")
    window.docks.show("checks")
    qtbot.waitUntil(lambda: not dock.waits)
    dock.found = None
    window.session.plant_changed.emit(window.session.plant)
    qtbot.waitUntil(lambda: not dock.waits)
    assert dock.found is None
    assert dock.table.none == "Figures are being worked out"
    window.docks.show("availability")
    qtbot.waitUntil(lambda: dock.found is not None)
    assert dock.table.none == "No machines in this hall yet"
