"""What is still to come in a run is taken out with the pointer on its mark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

EDIT = """
edits:
  - {id: later, at: 6 h, title: A better name, changes: [{path: "halls[lab].title", value: Basement}]}
"""


def test_an_edit_ahead_is_taken_out_at_its_mark(
    make_window: Callable[..., MainWindow], lab: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    own = tmp_path / "own.twin.yaml"
    own.write_text(lab.read_text(encoding="utf-8") + EDIT, encoding="utf-8")
    window = make_window(own)
    strip, draft = window.timeline.strip, window.session.draft
    assert draft is not None
    assert [one.id for one in draft.file.scenario.edits] == ["later"]
    window.session.pause()
    place = QPoint(round(strip.scale.x(6 * 3600.0)), strip.height() // 2)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, strip.mapToGlobal(place))
    QApplication.sendEvent(strip, event)
    menu = window.timeline.findChild(QMenu, "time menu")
    assert menu is not None
    words = [one.text() for one in menu.actions()]
    assert any("06:00" in one and "A better name" in one for one in words)
    assert not any("Go to" in one and "06:00" in one for one in words)  # nothing is there to be looked at
    next(one for one in menu.actions() if one.text().startswith("Remove from the run")).trigger()
    menu.close()
    qtbot.waitUntil(lambda: not draft.file.scenario.edits)
