"""The timeline in the real window: scrubbed by mouse and keys, looped, bookmarked, and back to live."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from twin.app.bookmarks.goto_dialog import GotoDialog, NoteDialog
from twin.app.bookmarks.moments_dialog import MomentsDialog
from twin.app.bookmarks.view_file import read_view, view_path
from twin.commands.place.place import AddPart
from twin.record.channels import NodeCondition
from twin.record.events import Severity
from twin.record.recorder import Recorder
from twin.scenario import load
from twin.scenario.schema.edit import Edit
from twin.sim.engine.engine import Engine

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

UseWindow = Callable[[Path], "MainWindow"]
_LEFT, _PLAIN = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
_FAILED_S = 32_400.0  # nine in the morning


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The laboratory's day, in a folder of its own."""
    path = tmp_path_factory.mktemp("runs") / "lab.twinrun"
    engine = Engine(load(Path(__file__).parents[2] / "scenes" / "lab-16.twin.yaml").scenario)
    recorder = Recorder(engine, path)
    while engine.now_s < engine.end_s:
        engine.advance(min(recorder.next_s, engine.end_s))
        recorder.observe()
    recorder.finish(engine.summary())
    return path


@pytest.fixture
def window(
    request: pytest.FixtureRequest, use_window: UseWindow, lab: Path, run: Path, qtbot: QtBot
) -> Iterator[MainWindow]:
    """The window with the recording, dropped on it, at its beginning and standing."""
    window = use_window(lab)
    window.hall.dropped.emit(str(run))
    assert window.session.recording == run
    window.session.pause()
    window.timeline.scrub(0.0)
    curves = window.session.curves
    qtbot.waitUntil(lambda: len(curves.history) > 900)
    yield window
    del window
    request.node.funcargs.clear()  # pytest keeps what the last test was given until after the window is gone


def _at(window: MainWindow, t_s: float) -> QPoint:
    strip = window.timeline.strip
    return QPoint(round(strip.scale.x(t_s)), strip.height() // 2)


def _settled(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until figures and lists are those of the time on screen."""
    session = window.session
    count = sum(event.t_s <= session.shown_s for event in session.live.events)
    qtbot.waitUntil(lambda: session.shown is session.frame and len(session.events) == count)


def test_a_drag_scrubs_and_all_docks_follow(window: MainWindow, qtbot: QtBot) -> None:
    strip, session = window.timeline.strip, window.session
    QTest.mousePress(strip, _LEFT, _PLAIN, _at(window, _FAILED_S + 3600.0))
    assert session.looking_s == pytest.approx(_FAILED_S + 3600.0, abs=strip.scale.px_s)
    _settled(window, qtbot)
    assert session.frame is not None
    assert np.any(session.frame.values["node.condition"] == NodeCondition.IN_REPAIR)
    assert window.docks.events.model.total == len(session.events) > 10
    assert window.docks.alarms.alarms.active_count > 0
    assert "10:00" in window.transport.clock_label.text()
    assert "RECORDING" in window.timeline.state_label.text()
    assert "NOT LIVE" in window.hall.mark.words
    dark = window.hall.view.grab()
    window.docks.alarms.acknowledge_all()
    QTest.mouseMove(strip, _at(window, 7_200.0))
    QTest.mouseRelease(strip, _LEFT, _PLAIN, _at(window, 7_200.0))
    session.poll()
    assert session.shown is session.frame  # figures wait no more when the button is let go of
    _settled(window, qtbot)
    assert session.looking_s == pytest.approx(7_200.0, abs=strip.scale.px_s)
    assert window.docks.alarms.alarms.active_count == 0
    assert all(event.t_s <= session.shown_s for event in session.events)
    assert np.count_nonzero(np.any(dark != window.hall.view.grab(), axis=2)) > 200  # the dead GPU is alive
    window.timeline.scrub(_FAILED_S + 3600.0)
    _settled(window, qtbot)
    assert window.docks.alarms.alarms.unseen_count == 0  # what was seen stays seen


def test_the_wheel_zooms_to_a_second_about_the_pointer_and_the_middle_button_pans(window: MainWindow) -> None:
    strip = window.timeline.strip
    place = QPointF(_at(window, _FAILED_S))
    at_s = strip.scale.t_s(place.x())
    for _ in range(70):
        turn = QWheelEvent(
            place, strip.mapToGlobal(place), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton, _PLAIN,
            Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(strip, turn)
    assert strip.scale.span_s == 1.0
    assert strip.scale.x(at_s) == pytest.approx(place.x(), abs=0.5)
    before = strip.scale.from_s
    QTest.mousePress(strip, Qt.MouseButton.MiddleButton, _PLAIN, QPoint(300, 20))
    QTest.mouseMove(strip, QPoint(200, 20))
    QTest.mouseRelease(strip, Qt.MouseButton.MiddleButton, _PLAIN, QPoint(200, 20))
    assert strip.scale.from_s == pytest.approx(before + 100 * strip.scale.px_s)
    assert window.session.looking_s == 0.0
    window.menus.execute("timeline.whole")
    assert strip.scale.is_whole


def test_keys_move_step_and_loop(window: MainWindow, qtbot: QtBot) -> None:
    session, strip, replay = window.session, window.timeline.strip, window.session.replay
    strip.setFocus()
    qtbot.waitUntil(strip.hasFocus)
    QTest.keyClick(strip, Qt.Key.Key_Right)
    assert session.looking_s == 864.0
    QTest.keyClick(strip, Qt.Key.Key_End)
    assert session.looking_s == 86_400.0
    QTest.keyClick(strip, Qt.Key.Key_Home)
    assert session.looking_s == 0.0
    window.menus.execute("timeline.trouble_after")
    assert session.looking_s == _FAILED_S
    QTest.keyClick(strip, Qt.Key.Key_I)
    QTest.keyClick(strip, Qt.Key.Key_Period)
    after_s = session.shown_s
    assert after_s > _FAILED_S
    QTest.keyClick(strip, Qt.Key.Key_O)
    assert replay.loop == (_FAILED_S, after_s)
    QTest.keyClick(strip, Qt.Key.Key_Comma)
    assert session.looking_s == _FAILED_S
    QTest.keyClick(strip, Qt.Key.Key_Plus)
    assert strip.scale.span_s == 43_200.0
    window.menus.execute("timeline.loop")
    assert replay.loop is None


def test_a_picture_that_is_older_than_the_clock_says_so(window: MainWindow, tmp_path: Path) -> None:
    session, mark = window.session, window.hall.mark
    window.timeline.scrub(40_000.0)
    assert session.frame is not None
    taken_s = session.frame.t_s
    assert taken_s < 40_000.0 - 1.0
    assert mark.words.endswith(f"FIGURES AS OF {session.clock.says(taken_s)}")
    assert "figures as of" in mark.accessibleName()
    window.files.save_picture(tmp_path / "then.png")
    assert float(QImage(str(tmp_path / "then.png")).text("Simulated time s")) == pytest.approx(
        taken_s, abs=1e-3
    )
    window.timeline.scrub(taken_s)
    assert mark.words.endswith("NOT LIVE")
    assert "figures" not in mark.accessibleName()
    session.set_speed(3600.0)  # an hour in a second: what is a minute old is as good as new
    window.timeline.scrub(40_000.0)
    assert "AS OF" in mark.words
    window.transport.play_button.click()
    assert "AS OF" not in mark.words
    session.pause()
    assert session.replay.behind(session.frame.t_s) == ("AS OF" in mark.words)


def test_it_plays_forwards_and_backwards(window: MainWindow, qtbot: QtBot) -> None:
    session = window.session
    session.set_speed(3600.0)
    window.timeline.scrub(40_000.0)
    window.timeline.backwards_button.click()
    assert session.playing
    qtbot.waitUntil(lambda: session.shown_s < 39_000.0)
    window.transport.play_button.click()
    assert not session.playing
    now_s = session.shown_s
    window.transport.play_button.click()
    qtbot.waitUntil(lambda: session.shown_s > now_s + 500.0)
    session.pause()
    window.transport.restart_button.click()
    assert session.looking_s == 0.0


def test_times_are_bookmarked_with_notes_and_kept_beside_the_run(window: MainWindow, run: Path) -> None:
    window.timeline.scrub(_FAILED_S)
    window.menus.execute("timeline.bookmark")
    dialog = window.findChild(NoteDialog)
    assert dialog is not None
    QTest.keyClicks(dialog.field, "Here the GPU dies")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    window.menus.execute("timeline.goto")
    goto = window.findChild(GotoDialog)
    assert goto is not None
    for none, why in (
        ("nonsense", "'nonsense' is not a time"),
        ("5 parsecs", "is a length"),
        (" ", "For example"),
    ):
        goto.field.setText("3 h")
        assert goto.do_button.isEnabled()
        goto.field.setText(none)
        assert not goto.do_button.isEnabled()
        assert why in goto.said.text()
    goto.field.clear()
    QTest.keyClicks(goto.field, "60 d")
    assert "beyond the record" in goto.said.text()
    assert not goto.do_button.isEnabled()
    QTest.keyClick(goto.field, Qt.Key.Key_Return)
    assert goto.isVisible()
    goto.field.setText("3 h 30 min")
    assert goto.do_button.isEnabled()
    QTest.keyClick(goto.field, Qt.Key.Key_Return)
    assert window.session.looking_s == 12_600.0
    window.menus.execute("timeline.bookmarks")
    listed = window.findChild(MomentsDialog)
    assert listed is not None
    assert "Here the GPU dies" in listed.list.item(0).text()
    listed.go_button.click()
    assert window.session.looking_s == _FAILED_S
    assert "Here the GPU dies" in window.timeline.strip.said_at(QPointF(_at(window, _FAILED_S)))
    window.views.keep()
    kept = read_view(view_path(run))
    assert kept is not None
    assert [(one.t_s, one.note) for one in kept.moments] == [(_FAILED_S, "Here the GPU dies")]
    listed.delete_button.click()
    assert not window.views.moments
    listed.close()


def test_an_edit_of_a_time_that_is_over_asks_for_a_branch(window: MainWindow) -> None:
    wanted: list[object] = []
    window.session.branch_wanted.connect(wanted.append)
    window.timeline.scrub(_FAILED_S)
    before = window.session.live.document
    assert window.editing.editor.do(AddPart("DGX-H100", at=(20.0, 20.0)))
    assert not window.editing.editor.undo()
    window.session.branch_wanted.disconnect(wanted.append)
    (edit,) = wanted
    assert isinstance(edit, Edit)
    assert edit.at_s == _FAILED_S
    assert window.session.live.document is before


def test_a_live_run_is_looked_back_on_and_gone_back_to(
    use_window: UseWindow, lab: Path, qtbot: QtBot
) -> None:
    window = use_window(lab)
    session, line = window.session, window.timeline
    session.go_on_to(40_000.0)
    qtbot.waitUntil(lambda: session.t_s == 40_000.0 and not session.running)
    session.stop_s = math.inf
    session.set_speed(21_600.0)
    session.play()
    assert line.state_label.text() == "LIVE"
    assert not line.live_button.isVisible()
    QTest.mouseClick(line.strip, _LEFT, _PLAIN, _at(window, 10_000.0))
    assert session.looking_s is not None
    assert line.live_button.isVisible()
    assert "LOOKING AT" in line.state_label.text()
    live_s = session.t_s
    qtbot.waitUntil(lambda: session.t_s > live_s + 10_000.0)
    assert session.shown_s < 11_000.0
    _settled(window, qtbot)
    assert window.docks.alarms.alarms.active_count == 0
    line.live_button.click()
    assert session.looking_s is None
    assert session.running
    qtbot.waitUntil(lambda: window.docks.events.model.total == len(session.live.events))
    assert any(event.severity == Severity.ALARM for event in session.events)


def test_a_click_on_a_curve_looks_at_that_time(window: MainWindow, qtbot: QtBot) -> None:
    window.docks.show("plots")
    qtbot.waitUntil(lambda: window.docks.plots.area is not None)
    area = window.docks.plots.area
    assert area is not None
    plot = area.plots[0]
    box = plot.getPlotItem().getViewBox()
    while box.viewRange()[0][1] <= 80_000.0:
        QTest.qWait(20)
    window.timeline.scrub(1_000.0)
    place = plot.mapFromScene(box.sceneBoundingRect().center())
    QTest.mouseClick(plot.viewport(), _LEFT, _PLAIN, place)
    looking_s = window.session.looking_s
    assert looking_s is not None
    assert looking_s == pytest.approx(sum(box.viewRange()[0]) / 2, rel=0.05)
    assert area.cursors[0].t_s == looking_s
