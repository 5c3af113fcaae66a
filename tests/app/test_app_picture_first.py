"""What can wait lets the picture of a changed hall go first."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from twin.app.hall.redraw_first import PictureDue
from twin.app.shell.gui_thread_gc import GuiCollector
from twin.app.teach import lesson_cards
from twin.app.toolkit.read_only_dialog import Prose
from twin.commands.place.properties import SetProperty
from twin.view3d.base.state import ViewState
from twin.view3d.view.hall_view import HallView

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

pytestmark = pytest.mark.gl


def test_a_picture_is_due_from_the_change_until_behind_its_drawing(qtbot: QtBot) -> None:
    view = HallView(ViewState(), size=(320, 200))
    qtbot.addWidget(view.native)
    due = PictureDue(view)
    due.expect()
    assert not due(), "nobody sees it"
    with qtbot.waitExposed(view.native):
        view.native.show()
    qtbot.waitUntil(lambda: not due())
    due.expect()
    assert due()
    view.canvas.update()
    qtbot.waitUntil(lambda: not due())
    due.expect()
    view.canvas.events.draw(
        region=None
    )  # of the hall before the next change, which comes before the turn is over
    due.expect()
    QApplication.processEvents()
    assert due(), "that picture was of the hall before"
    view.canvas.update()
    qtbot.waitUntil(lambda: not due())
    asking = PictureDue(view, lambda: True)
    assert asking(), "while an edit waits for its answer the worker is to have the processors"
    assert not asking.undrawn()
    view.close()


def test_a_hall_that_is_due_does_not_move_on_before(
    make_window: Callable[..., MainWindow], lab: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window(lab)
    hall, ticks = window.hall, []
    qtbot.waitUntil(lambda: not hall.picture_due())
    monkeypatch.setattr(hall.view, "tick", lambda wall_s, way: ticks.append(wall_s))
    hall.picture_due.expect()
    hall.tick()
    assert not ticks
    hall.view.canvas.update()
    qtbot.waitUntil(lambda: bool(ticks))
    assert not hall.picture_due()


def test_facts_and_a_new_run_wait_for_the_picture_of_a_changed_hall(
    make_window: Callable[..., MainWindow], lab: Path, qtbot: QtBot
) -> None:
    window = make_window(lab)
    session, inspector, story = window.session, window.docks.inspector, window.docks.story
    qtbot.waitUntil(lambda: inspector.facts is not None and not window.hall.picture_due())
    due, begun, asked = [True], [], []
    session.picture_due = lambda: (asked.append(True), bool(due))[1]
    session.run_started.connect(lambda: begun.append(True))
    facts, prose = inspector.facts, story.findChild(Prose)
    window.editing.editor.do(SetProperty(("",), "title", "Another hall"))
    assert session.document is not None
    assert session.document.scenario.title == "Another hall"
    qtbot.waitUntil(lambda: len(asked) > 20)  # facts ask each 30 ms, a new run after 250 ms
    assert inspector.facts is facts
    assert not begun
    due.clear()
    qtbot.waitUntil(lambda: bool(begun) and inspector.facts is not facts)
    assert inspector.facts is not None
    assert "Another hall" in (inspector.facts.title, inspector.facts.subtitle)
    assert story.title.text() == "Another hall"
    assert story.findChild(Prose) is prose, "only its title has changed"


def test_lessons_are_read_when_their_cards_are_on_screen(
    make_window: Callable[..., MainWindow], lab: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []
    entries = lesson_cards.lesson_entries
    monkeypatch.setattr(lesson_cards, "lesson_entries", lambda own: (read.append(own), entries(own))[1])
    window = make_window(lab)
    cards = window.lessons.cards
    soon = cards.findChild(QTimer)
    qtbot.waitUntil(lambda: not soon.isActive())
    read.clear()
    cards.refresh([], "")
    qtbot.waitUntil(lambda: not soon.isActive())
    assert not read, "a hall is on screen"
    window.show_welcome()
    qtbot.waitUntil(lambda: bool(read))
    assert len(cards.cards) > 1


def test_plots_wait_for_the_picture(
    make_window: Callable[..., MainWindow], lab: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window(lab)
    session, plots = window.session, window.docks.plots
    qtbot.waitUntil(lambda: len(session.curves.history) > 0)
    plots.areas.clear()
    due, asked = [True], []
    session.picture_due = lambda: (asked.append(True), bool(due))[1]
    plots.page_box.currentIndexChanged.emit(plots.page_box.currentIndex())
    qtbot.waitUntil(lambda: len(asked) > 1)
    assert plots.area is None
    due.clear()
    qtbot.waitUntil(lambda: plots.area is not None)


def test_what_is_loaded_is_frozen_behind_the_first_picture() -> None:
    due = [True]
    collector = GuiCollector(waits_for=lambda: bool(due))
    before = gc.get_freeze_count()
    collector.start()
    try:
        assert not gc.isenabled()
        collector.findChild(QTimer).timeout.emit()
        assert gc.get_freeze_count() == before
        due.clear()
        collector.findChild(QTimer).timeout.emit()
        assert gc.get_freeze_count() > before
    finally:
        collector.stop()
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0
