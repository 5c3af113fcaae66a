"""A drill in the real window: what is hidden stays so, acts are those of an operator, the score is that of the acts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from patient_bot import PatientBot
from PySide6.QtWidgets import QFileDialog, QMessageBox

from twin.app.faults.break_dialog import BreakDialog
from twin.app.shell.drill_actions import _KEPT_FROM, DrillActions
from twin.app.shell.main_window import MainWindow
from twin.app.teach.drill_dialog import DrillDialog, DrillWish
from twin.app.teach.drill_dock import NO_DRILL, OVER, RUNNING
from twin.app.teach.drill_hall import DrillHall
from twin.commands.edit.command import Given
from twin.lessons.drill import LENGTHS_S, LEVELS, DrillError, OperatorDrill
from twin.lessons.drill_result import read_drill
from twin.lessons.drill_score import score_of_acts
from twin.lessons.drill_sight import HIDDEN, SIGHTS, seen_of
from twin.record.reader import Reader
from twin.scenario import Change, Patch
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.faults import Intervention

pytestmark = pytest.mark.gl
SEED = 3


@pytest.fixture
def wish(lab: Path) -> DrillWish:
    return DrillWish(lab, "medium", SEED, 1800.0)


def drills(window: MainWindow) -> DrillActions:
    assert isinstance(window.drills, DrillActions)
    return window.drills


def begin(window: MainWindow, wish: DrillWish, qtbot: PatientBot) -> tuple[DrillHall, OperatorDrill]:
    hall = drills(window).hall
    assert drills(window).begin(wish)
    drill = hall.drill
    assert drill is not None
    qtbot.waitUntil(lambda: window.session.frame is not None)
    return hall, drill


def run_to(window: MainWindow, t_s: float, qtbot: PatientBot) -> None:
    """Let a drill go on to a time before its end, and stand there: it is not over, however fast the machine is."""
    session = window.session
    assert t_s < drills(window).hall.drill.length_s  # type: ignore[union-attr]
    session.play(math.inf, t_s)
    qtbot.waitUntil(lambda: session.t_s >= t_s)


def told_by(fault: Intervention) -> Iterator[str]:
    """Yield the kinds of events that tell of a fault, where an operator sees others or none."""
    for events in KINDS[fault.kind].events:
        for kind in (events.begins, events.clears):
            if kind in HIDDEN or (kind in SIGHTS and SIGHTS[kind].kind):
                yield kind


def texts(window: MainWindow, drill: OperatorDrill) -> Iterator[str]:
    """Yield what the window tells of the run: scene, file, marks, events, alarms, acts, the queue ahead."""
    session = window.session
    assert session.draft is not None
    assert session.document is not None
    yield session.draft.file.text
    yield session.document.text if hasattr(session.document, "text") else ""
    yield from (f"event {event.kind}: {event.text} {dict(event.data)}" for event in session.events)
    yield from (f"event {event.kind}: {event.text}" for event in session.replay.events)
    yield from (alarm.text for alarm in window.docks.alarms.alarms.all())
    yield str(window.timeline.strip.shown.acts)
    yield str(session.document.scenario.interventions)


def test_hidden_faults_stay_hidden_acts_are_an_operators_and_the_end_reveals(
    make_window: Callable[..., MainWindow], lab: Path, wish: DrillWish, qtbot: PatientBot
) -> None:
    window = make_window(lab)
    session, dock = window.session, window.docks.drill
    assert dock.pages.currentIndex() == NO_DRILL
    hall, drill = begin(window, wish, qtbot)
    assert dock.pages.currentIndex() == RUNNING
    assert window.docks.is_shown("alarms")
    assert session.run_file is None  # no dock reads causes from the record

    refused: list[str] = []
    session.refused.connect(lambda _act, reason: refused.append(reason))
    session.intervene(Intervention(at=0.0, kind="fail", target="gpu/0/0/0"))
    assert "no such act" in refused[0]
    assert window.editing.editor.permit((Change("halls[lab].rows[gpu].racks.count", "3"),))
    assert not window.editing.editor.permit((Change("cooling.loops[crah].supply", "20 degC"),))
    qt_actions = window.menus.qt_actions
    for action in ("run.restart", "run.branch", "run.step", "file.report"):
        assert not qt_actions[action].isEnabled()
        assert "In a drill" in qt_actions[action].toolTip()
    reasons = {entry.title: entry.why_not for entry in window.menus.entries()}
    assert any("In a drill" in reason for reason in reasons.values())
    window.going.to("crah/0")
    offered = {entry.title: entry.why_not for entry in window.faults.entries()}
    assert all(why for title, why in offered.items() if title.startswith("Fails"))
    assert any(not why for title, why in offered.items() if title.startswith("Send a technician"))

    asked = BreakDialog(window.look, session, "crah/0", window)
    assert [choice.kind for choice in asked.choices] == ["repair"]
    asked.close()

    first = drill.faults[0]
    assert session.begun
    assert not window.transport.restart_button.isEnabled()
    assert not window.transport.step_button.isEnabled()
    session.restart()
    assert session.begun  # it goes on
    run_to(window, first.at_s + 120.0, qtbot)
    session.intervene(Intervention(at=session.t_s, kind="repair", target="crah/0"))
    qtbot.waitUntil(lambda: bool(session.live.by_hand))
    run_to(window, drill.faults[-1].at_s + 120.0, qtbot)
    for text in texts(window, drill):
        assert all(
            "label:" in line for line in text.splitlines() if "inject" in line
        )  # buttons of chapters alone
        assert not any(
            f"kind='{fault.kind}'" in text or f"kind: {fault.kind}" in text for fault in drill.faults
        )
        assert not any(f"event {kind}: " in text for fault in drill.faults for kind in told_by(fault))
    assert all(
        at_s not in window.timeline.strip.shown.acts for at_s in [fault.at_s for fault in drill.faults]
    )

    assert hall.is_on  # all of that was seen while it went on

    seen = list(session.events)
    hall.finish()
    qtbot.waitUntil(lambda: hall.end is not None)
    assert hall.end is not None
    with Reader(hall.end.run_file) as reader:
        raw = [event for event in reader.all_events() if event.row <= seen[-1].row]
    assert seen == list(seen_of(raw)) != raw
    assert dock.pages.currentIndex() == OVER
    assert session.recording is not None
    assert session.document is not None
    assert session.document.scenario.interventions[: len(drill.faults)] == drill.faults
    assert qt_actions["run.branch"].isEnabled()
    assert session.permit(Intervention(at=0.0, kind="fail", target="gpu/0/0/0")) == ""
    end = hall.end
    assert end is not None
    told = [moment for moment in end.moments if moment.what == "fault"]
    assert [moment.t_s for moment in told] == [
        fault.at_s for fault in drill.faults if fault.at_s <= end.until_s
    ]
    assert dock.moments.count() == len(end.moments)
    dock.go(1)
    dock.moments.setCurrentRow(end.moments.index(told[0]))
    qtbot.waitUntil(lambda: session.looking_s is not None and abs(session.looking_s - told[0].t_s) < 1.0)

    assert window.files.open(lab, ask=False)
    assert hall.end is None
    assert dock.pages.currentIndex() == NO_DRILL


@pytest.mark.slow
def test_the_score_is_that_of_the_acts_and_a_file_keeps_them(
    make_window: Callable[..., MainWindow], lab: Path, wish: DrillWish, qtbot: PatientBot, tmp_path: Path
) -> None:
    window = make_window(lab)
    session, dock = window.session, window.docks.drill
    hall, drill = begin(window, wish, qtbot)
    session.set_speed(float("inf"))
    qtbot.waitUntil(lambda: session.t_s > drill.faults[0].at_s or session.finished)
    session.intervene(Intervention(at=session.t_s, kind="repair", target="crah/0"))
    qtbot.waitUntil(lambda: bool(session.live.by_hand) or not hall.is_on)
    hall.finish()
    qtbot.waitUntil(lambda: hall.ranking is not None)
    end, ranking = hall.end, hall.ranking
    assert end is not None
    assert ranking is not None
    yours = next(way for way in ranking.others if way.who == "yours")
    assert yours.acts == end.acts
    assert yours.score == score_of_acts(end.drill, end.acts, end.until_s)
    assert ranking.best.score.value_gpu_h >= yours.score.value_gpu_h
    assert "GPU-hours" in dock.headline.text() or "nothing" in dock.headline.text()

    file = tmp_path / "mine.twin-drill.json"
    drills(window).save_to(file)
    kept = read_drill(file)
    assert kept.done == end.acts
    assert kept.drill().faults == drill.faults


def test_the_dialog_offers_scenes_and_draws_a_seed(make_window: Callable[..., MainWindow], lab: Path) -> None:
    window = make_window(lab)
    drills(window).choose()
    dialog = drills(window).dialog
    assert isinstance(dialog, DrillDialog)
    before = dialog.seed_box.value()
    for _ in range(5):
        dialog.surprise()
        if dialog.seed_box.value() != before:
            break
    assert dialog.seed_box.value() != before
    wish = dialog.wish
    assert wish is not None
    assert wish.path == lab
    dialog.level_box.setCurrentIndex(list(LEVELS).index("light"))
    dialog.length_box.setCurrentIndex(0)
    dialog.seed_box.setValue(7)
    assert dialog.wish == DrillWish(lab, "light", 7, LENGTHS_S[0])
    drills(window).choose()  # asked once more: it is the same one
    assert drills(window).dialog is dialog
    dialog.reject()
    entry = next(each for each in window.menus.entries() if each.title.startswith("Start a drill"))
    for word in ("drill", "exercise", "operator", "emergency", "training"):
        assert entry.score(word) is not None


@pytest.mark.slow
def test_the_runbook_follows_the_alarm_that_is_chosen(
    make_window: Callable[..., MainWindow], lab: Path, wish: DrillWish, qtbot: PatientBot
) -> None:
    window = make_window(lab)
    dock = window.docks.drill
    hall, _ = begin(window, wish, qtbot)
    session, alarms = window.session, window.docks.alarms
    session.set_speed(float("inf"))
    qtbot.waitUntil(lambda: len(alarms.alarms) > 0 or session.finished)
    assert len(alarms.alarms)
    window.docks.show("alarms")
    qtbot.waitUntil(lambda: alarms.model.rowCount() > 0)
    alarms.table.selectRow(alarms.model.rowCount() - 1)
    chosen = alarms.model.alarm_at(alarms.model.rowCount() - 1)
    assert chosen.subject in dock.alarm_name.text()
    assert window.files.open(lab, ask=False)  # whoever opens another scene leaves the drill
    assert not hall.is_on
    assert not session.veil.covers(session.draft)


Answers = list[QMessageBox.StandardButton]


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Answers:
    """Return the answers that the next questions get, the first one first."""
    given: Answers = []
    monkeypatch.setattr(QMessageBox, "exec", lambda _: given.pop(0))
    return given


BUTTON = QMessageBox.StandardButton


@pytest.mark.slow
def test_a_drill_of_an_own_scene_is_never_written_into_its_file_nor_left_unasked(
    make_window: Callable[..., MainWindow],
    my_lab: Path,
    qtbot: PatientBot,
    answers: Answers,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    window = make_window(my_lab)
    session, file, before = window.session, window.editing.file, my_lab.read_bytes()
    wish = DrillWish(my_lab, "light", SEED, 1800.0)
    hall, _ = begin(window, wish, qtbot)
    warmer = Patch((Change("cooling.loops[crah].supply", "20 degC"),), "Warmer air")
    assert window.editing.editor.do(Given(warmer))
    qtbot.waitUntil(lambda: session.draft is not None and session.draft.dirty)
    assert session.draft is not None
    assert session.draft.dirty
    assert file.path is None
    answers[:] = [BUTTON.Cancel]
    assert not file.may_leave()
    answers[:] = [BUTTON.Discard]  # nobody is asked whether the stripped hall is to be saved
    assert file.may_leave()
    assert not answers
    assert my_lab.read_bytes() == before
    assert file.journal.path is None

    drill = hall.drill
    assert not drills(window).begin(wish)  # one goes on
    assert hall.drill is drill
    session.set_speed(float("inf"))
    qtbot.waitUntil(lambda: session.t_s > 60.0 or session.finished)
    hall.finish()
    qtbot.waitUntil(lambda: hall.end is not None)

    answers[:] = [BUTTON.Cancel]  # its result is not saved yet
    assert not file.may_leave()
    monkeypatch.setattr("twin.app.shell.drill_actions.drill_of", _refused)
    answers[:] = [BUTTON.Discard]
    assert not drills(window).begin(wish)  # no other one came of it: the result of this one is still there
    assert hall.end is not None
    assert window.docks.drill.pages.currentIndex() == OVER
    monkeypatch.undo()
    monkeypatch.setattr(QMessageBox, "exec", lambda _: answers.pop(0))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "mine"), ""))
    window.settings.keep("lesson_person", ["cobalt-7"])
    save = next(each for each in window.menus.entries() if each.title.startswith("Save the result"))
    for word in ("drill", "result", "hand in", "file"):
        assert save.score(word) is not None
    answers[:] = [BUTTON.Save]
    assert file.may_leave()
    assert file.may_leave()  # it is saved: nothing is to be asked
    assert read_drill(tmp_path / "mine.twin-drill.json").person == "cobalt-7"
    assert my_lab.read_bytes() == before


def _refused(*_: object) -> OperatorDrill:
    raise DrillError("nothing in this scene can fail")


def test_what_a_drill_keeps_from_is_an_action_of_the_window(
    make_window: Callable[..., MainWindow], lab: Path
) -> None:
    assert set(_KEPT_FROM) <= set(make_window(lab).menus.qt_actions)
