"""A drill in the real window: what is hidden stays so, acts are those of an operator, the score is that of the acts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from patient_bot import PatientBot

from twin.app.faults.break_dialog import BreakDialog
from twin.app.shell.drill_actions import DrillActions
from twin.app.shell.main_window import MainWindow
from twin.app.teach.drill_dialog import DrillDialog, DrillWish
from twin.app.teach.drill_dock import NO_DRILL, OVER, RUNNING
from twin.app.teach.drill_hall import DrillHall
from twin.lessons.drill import OperatorDrill
from twin.lessons.drill_result import read_drill
from twin.lessons.drill_score import score_of_acts
from twin.lessons.drill_sight import seen_of
from twin.record.reader import Reader
from twin.scenario import Change
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


def texts(window: MainWindow, drill: OperatorDrill) -> Iterator[str]:
    """Yield what the window tells of the run: scene, file, marks, events, alarms, acts, the queue ahead."""
    session = window.session
    assert session.draft is not None
    assert session.document is not None
    yield session.draft.file.text
    yield session.document.text if hasattr(session.document, "text") else ""
    yield from (event.text + str(dict(event.data)) for event in session.events)
    yield from (event.text for event in session.replay.events)
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
    session.set_speed(float("inf"))
    qtbot.waitUntil(lambda: session.t_s > first.at_s + 120.0 or session.finished)
    session.intervene(Intervention(at=session.t_s, kind="repair", target="crah/0"))
    qtbot.waitUntil(lambda: bool(session.live.by_hand) or session.finished or not hall.is_on)
    for text in texts(window, drill):
        assert all(
            "label:" in line for line in text.splitlines() if "inject" in line
        )  # buttons of chapters alone
        assert not any(
            f"kind='{fault.kind}'" in text or f"kind: {fault.kind}" in text for fault in drill.faults
        )
    assert all(
        at_s not in window.timeline.strip.shown.acts for at_s in [fault.at_s for fault in drill.faults]
    )

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
    assert replace(wish, level="light").level == "light"
    dialog.reject()
    entry = next(each for each in window.menus.entries() if each.title.startswith("Start a drill"))
    for word in ("drill", "exercise", "operator", "emergency", "training"):
        assert entry.score(word) is not None


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
