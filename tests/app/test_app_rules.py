"""The Checks dock of the real window: findings are listed, marked in the hall, gone to, accepted and undone."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialogButtonBox

from twin.app.monitor.checks_model import RULE, WHAT, WHERE
from twin.app.monitor.exclusion_dialog import ExcludeDialog
from twin.app.monitor.falls_list import GPUS, TARGET, THING, WORDS
from twin.runtime import typical_year

MOVED = """\
format: twin/scenario
version: 3
catalog: "2026.11"
extends: builtin:lab-16
title: A rack too near
halls:
  - {id: lab, overrides: {gpu/0/1: {at: {x: 0.5 m, y: 0.6 m}}}}
"""


@pytest.fixture
def too_near(tmp_path: Path) -> Path:
    file = tmp_path / "near.twin.yaml"
    file.write_text(MOVED)
    return file


def test_findings_are_listed_gone_to_accepted_and_undone(use_window, qtbot, too_near: Path) -> None:
    window = use_window(too_near)
    dock = window.docks.checks
    window.docks.show("checks")
    qtbot.waitUntil(lambda: bool(dock.report.findings))
    worst = dock.model.finding_at(0)
    assert (worst.rule, worst.severity, worst.ids) == ("rack-collision", "error", ("gpu/0/1", "gpu/0/0"))
    assert dock.model.index(0, RULE).data() == "Racks overlap"
    assert dock.model.index(0, WHERE).data() == "gpu/0/1 +1"
    assert not dock.model.index(0, RULE).data(Qt.ItemDataRole.DecorationRole).isNull()
    assert dock.windowTitle() == "Checks (1)"
    assert dock.filters["error"].text() == "1"
    said = [badge.text for badge in window.hall.view.scene.found]
    assert said == ["✖ Racks overlap"] * 2

    place = dock.table.visualRect(dock.model.index(0, WHAT)).center()
    QTest.mouseClick(dock.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert set(window.hall.state.selection) == {"gpu/0/0", "gpu/0/1"}

    rows = dock.model.rowCount()
    QTest.mouseClick(dock.filters["notice"], Qt.MouseButton.LeftButton)
    assert dock.model.rowCount() == 1 < rows

    QTest.mouseClick(dock.accept_button, Qt.MouseButton.LeftButton)
    (dialog,) = window.findChildren(ExcludeDialog)
    ok = dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)
    assert not ok.isEnabled()
    QTest.keyClicks(dialog.why, "moved for the photographer")
    QTest.mouseClick(ok, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not dock.report.failed)
    assert "moved for the photographer" in window.session.draft.file.text
    assert dock.windowTitle() == "Checks"
    assert window.hall.view.scene.found == []
    assert [one.comment for one in dock.report.findings if one.rule == "rack-collision"] == [
        "moved for the photographer"
    ]
    assert dock.model.rowCount() == 0
    assert window.focusWidget() is dock.empty_label  # no button that Space would press
    QTest.mouseClick(dock.filters["accepted"], Qt.MouseButton.LeftButton)
    accepted = [dock.model.finding_at(row).rule for row in range(dock.model.rowCount())]
    assert accepted == ["rack-collision", "spares"]

    dock.table.setCurrentIndex(dock.model.index(0, RULE))
    assert dock.accept_button.text() == "Undo acceptance"
    QTest.mouseClick(dock.accept_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dock.report.failed)
    assert "photographer" not in window.session.draft.file.text
    assert window.editing.editor.undo()
    qtbot.waitUntil(lambda: not dock.report.failed)
    assert window.editing.editor.undo()
    qtbot.waitUntil(lambda: dock.report.failed)
    assert window.session.draft.file.text == MOVED

    window.menus.qt_actions["view.falls"].trigger()
    falls = dock.falls.shown
    qtbot.waitUntil(lambda: falls.rowCount() > 0)
    assert not dock.table.isVisible()
    rows = [tuple(falls.index(row, column).data() for column in (THING, GPUS, TARGET)) for row in range(2)]
    assert rows == [("utility/0", "16", "no target"), ("pdu/0", "16", "no target")]
    assert falls.index(0, WORDS).data() == "lose power or cooling; job llama3 cannot go on"
    crah = next(row for row in range(falls.rowCount()) if falls.fall_at(row).point.id == "crah/0")
    place = dock.falls.visualRect(falls.index(crah, WORDS)).center()
    QTest.mouseClick(dock.falls.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.hall.state.selection == ("crah/0",)
    QTest.mouseClick(dock.falls_button, Qt.MouseButton.LeftButton)
    assert dock.table.isVisible()


@pytest.mark.slow
def test_connecting_does_what_can_be_and_offers_what_is_missing(use_window, qtbot, tmp_path: Path) -> None:
    file = tmp_path / "lab.twin.yaml"
    text = Path("scenes/lab-16.twin.yaml").read_text()
    file.write_text(text[: text.index("fabrics:")] + text[text.index("power:") :])
    window = use_window(file)
    window.editing.connect()
    (note,) = window.notifications.notes
    assert note.trouble.title == "Equipment is missing"
    assert "there is no switch for 2 nodes of gpu" in note.trouble.text
    QTest.mouseClick(note.buttons["Add what is missing"], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(window.session.document.scenario.fabrics))


def test_the_typical_year_of_a_hall_that_has_not_changed_is_known(
    use_window, qtbot, too_near: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dock = use_window(too_near).docks.checks
    qtbot.waitUntil(lambda: bool(dock.report.findings))
    before, worked_out = dock.report, []
    monkeypatch.setattr(typical_year, "import_module", worked_out.append)
    dock.ask()
    assert worked_out == []
    assert dock.report == before
