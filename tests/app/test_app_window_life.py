"""How a window begins and ends: the welcome page, a dropped file, a worker that dies, closing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from twin.app.session.session import DEFAULT_SPEED
from twin.app.shell.main_window import MainWindow

MakeWindow = Callable[..., MainWindow]
FindWorkers = Callable[[], list[psutil.Process]]
pytestmark = pytest.mark.gl


def test_the_welcome_page_lists_the_scenes_and_a_card_opens_one(
    make_window: MakeWindow, qtbot: QtBot, lab: Path
) -> None:
    window = make_window()
    cards = {card.path.name: card for card in window.welcome.cards}
    assert set(cards) >= {
        "lab-16.twin.yaml",
        "superpod-h100.twin.yaml",
        "llama3-16k.twin.yaml",
        "nvl72-row.twin.yaml",
        "video-ingest.twin.yaml",
    }
    qtbot.waitUntil(lambda: "GPUs" in cards["lab-16.twin.yaml"].size_label.text())
    for typed, title in (("drain", "Drain"), ("wire", "Connect equipment"), ("undo", "Undo")):
        window.open_palette()
        window.palette_popup.field.setText(typed)
        found = window.palette_popup.shown[0]
        assert (found.title, found.why_not) == (title, "open a scene first")
    window.palette_popup.hide()
    assert not window.transport.isVisible()
    QTest.mouseClick(cards["lab-16.twin.yaml"], Qt.MouseButton.LeftButton)
    assert window.session.document is not None
    assert window.transport.isVisible()
    assert window.session.playing
    assert window.session.speed == DEFAULT_SPEED
    assert window.settings.recent == [lab.resolve()]


def test_a_dropped_file_is_opened_and_plays(make_window: MakeWindow, qtbot: QtBot, lab: Path) -> None:
    window = make_window()
    drag = QMimeData()
    drag.setUrls([QUrl.fromLocalFile(str(lab))])
    rest = (Qt.DropAction.CopyAction, drag, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    enter = QDragEnterEvent(QPoint(50, 50), *rest)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(window, QDropEvent(QPointF(50, 50), *rest))
    assert window.session.document is not None
    assert window.session.playing
    dropped: list[str] = []
    window.hall.dropped.connect(lambda path: dropped.append(path))
    QApplication.sendEvent(window.hall.view.native, QDragEnterEvent(QPoint(50, 50), *rest))
    QApplication.sendEvent(window.hall.view.native, QDropEvent(QPointF(50, 50), *rest))
    assert dropped == [str(lab)]


def test_a_closed_window_has_no_worker_and_the_next_has_its_layout(
    make_window: MakeWindow, lab: Path, find_workers: FindWorkers
) -> None:
    first = make_window(lab)
    assert find_workers()
    first.docks.toggle("plots")
    first.close()
    assert not first.session.client.alive
    assert not find_workers()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)  # its canvas goes
    first.docks.checks.ask()
    second = make_window(lab)
    assert not second.docks.is_shown("plots")
    assert second.docks.is_shown("events")


def test_a_dead_worker_is_told_and_space_resumes(
    make_window: MakeWindow, qtbot: QtBot, lab: Path, find_workers: FindWorkers
) -> None:
    window = make_window(lab)
    window.session.play()
    qtbot.waitUntil(lambda: window.session.t_s > 0)
    workers = find_workers()
    assert len(workers) == 1
    workers[0].kill()
    qtbot.waitUntil(lambda: window.session.lost)
    assert [note.trouble.resumable for note in window.notifications.notes] == [True]
    QTest.keyClick(window, Qt.Key.Key_Space)
    assert not window.notifications.notes
    qtbot.waitUntil(lambda: window.session.t_s > 0 and window.session.playing)
