"""Alarms, breaking things by hand, trace and blast radius, and the story over the picture, in the real window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot
from usual_cases import usually

from twin.app.faults.break_dialog import BreakDialog
from twin.app.monitor.alarm_model import ALARM, STATE, WHEN, WHERE
from twin.app.shell.main_window import MainWindow
from twin.record.events import Event, Severity
from twin.scenario import parse_injection

UseWindow = Callable[[Path], MainWindow]
pytestmark = pytest.mark.gl
_LATER = 10**6
"""Rows of events that are made here: later than any picture."""


def event(window: MainWindow, kind: str, subject: str, severity: Severity = Severity.ALARM) -> None:
    """Let something happen 10 s after what this made before, and after all that the picture knows."""
    known = window.session.events
    made = sum(one.row >= _LATER for one in known)
    one = Event(_LATER + made, 10.0 * made, kind, subject, severity, f"{kind} of {subject}")
    known.append(one)
    window.session.events_added.emit([one])


def test_alarms_are_listed_counted_acknowledged_and_lead_to_their_place(
    use_window: UseWindow, qtbot: QtBot, lab: Path
) -> None:
    window = use_window(lab)
    dock, hall = window.docks.alarms, window.hall
    assert not hall.alarm_badge.isVisible()
    event(window, "pump_stop", "crah/0")
    assert dock.model.rowCount() == 0  # nobody sees it behind its tab
    window.docks.show("alarms")
    qtbot.waitUntil(lambda: dock.model.rowCount() == 1)
    event(window, "throttle_on", "crah/0", Severity.WARNING)
    assert hall.alarm_badge.words == "2 alarms"
    assert dock.model.rowCount() == 2
    accessible = Qt.ItemDataRole.AccessibleTextRole
    assert dock.model.index(0, ALARM).data(accessible) == "Alarm: pump stop"
    assert dock.model.index(0, STATE).data(accessible) == "● Active"
    assert dock.model.index(1, WHEN).data() == "00:00:10"
    assert "00:00:10 after the start" in dock.model.index(1, WHEN).data(Qt.ItemDataRole.ToolTipRole)
    event(window, "pump_start", "crah/0", Severity.NOTICE)
    assert hall.alarm_badge.words == "1 active, 2 not acknowledged"
    assert dock.model.alarm_at(0).kind == "throttle_on"  # the active one first
    window.menus.execute("run.acknowledge")
    assert dock.alarms.unseen_count == 0
    hall.alarm_badge.clicked.emit()
    dock.table.setCurrentIndex(dock.model.index(1, 0))
    QTest.keyClick(dock.table, Qt.Key.Key_Return)
    assert hall.state.selection == ("crah/0",)
    window.session.restart()
    assert len(dock.alarms) == 0
    assert not hall.alarm_badge.isVisible()


def test_the_alarm_list_sorts_with_active_ones_on_top(use_window: UseWindow, qtbot: QtBot, lab: Path) -> None:
    window = use_window(lab)
    for kind, subject in (("shutdown", "gpu/0/0/1"), ("pump_stop", "crah/0"), ("shutdown", "gpu/0/0/0")):
        event(window, kind, subject)
    event(window, "restarted", "gpu/0/0/0", Severity.INFO)
    model = window.docks.alarms.model
    window.docks.show("alarms")
    qtbot.waitUntil(lambda: model.rowCount() == 3)
    model.sort(WHERE)
    assert [model.alarm_at(row).subject for row in range(3)] == ["crah/0", "gpu/0/0/1", "gpu/0/0/0"]
    model.sort(WHERE, Qt.SortOrder.DescendingOrder)
    assert [model.alarm_at(row).subject for row in range(3)] == ["gpu/0/0/1", "crah/0", "gpu/0/0/0"]


def test_what_is_chosen_stays_chosen_and_in_sight_when_alarms_come(
    use_window: UseWindow, qtbot: QtBot, lab: Path
) -> None:
    window = use_window(lab)
    for number in range(40):
        event(window, "shutdown", f"gpu/0/0/{number}")
    window.docks.show("alarms")
    dock = window.docks.alarms
    qtbot.waitUntil(lambda: dock.table.verticalScrollBar().maximum() >= 20)
    dock.table.verticalScrollBar().setValue(20)
    top, chosen = dock.model.alarm_at(20), dock.model.alarm_at(22)
    dock.table.selectRow(22)
    for number in range(40, 45):
        event(window, "shutdown", f"gpu/0/0/{number}")
    assert [dock.model.alarm_at(i.row()) for i in dock.table.selectionModel().selectedRows()] == [chosen]
    assert dock.model.alarm_at(dock.table.indexAt(QPoint(0, 0)).row()) is top
    dock.acknowledge()
    assert chosen.acknowledged
    assert dock.alarms.unseen_count == 44


@pytest.mark.parametrize("width", usually([980, 1280, 1600], [980]))
def test_no_column_of_alarms_or_events_is_out_of_sight(use_window: UseWindow, lab: Path, width: int) -> None:
    window = use_window(lab)
    window.resize(width, 800)
    for name, table in (("events", window.docks.events.table), ("alarms", window.docks.alarms.table)):
        window.docks.show(name)
        QApplication.processEvents()
        header = table.horizontalHeader()
        assert header.length() <= table.width()
        shown = [column for column in range(header.count()) if not header.isSectionHidden(column)]
        assert len(shown) >= 3  # a narrow list leaves out where, which the words say as well
        assert all(header.sectionSize(column) >= 40 for column in shown)


def test_the_badge_wears_the_sign_of_the_worst_alarm(use_window: UseWindow, lab: Path) -> None:
    window = use_window(lab)
    told: list[Severity] = []
    window.docks.alarms.worst.connect(told.append)
    event(window, "throttle_on", "crah/0", Severity.WARNING)
    event(window, "pump_stop", "crah/0")
    event(window, "pump_start", "crah/0", Severity.NOTICE)
    assert told == [Severity.WARNING, Severity.ALARM, Severity.WARNING]


def test_a_gpu_is_broken_by_hand_and_the_picture_says_so(
    use_window: UseWindow, qtbot: QtBot, lab: Path
) -> None:
    window = use_window(lab)
    window.hall.state.selection = ("gpu/0/0/0",)
    window.menus.execute("run.break")
    dialog = next(child for child in window.children() if isinstance(child, BreakDialog))
    kinds = [dialog.fault_box.itemData(row) for row in range(dialog.fault_box.count())]
    assert kinds[0] == "fail"
    dialog.fault_box.setCurrentIndex(kinds.index("drain"))
    assert (dialog.windowTitle(), dialog.do_button.text()) == ("Drain gpu/0/0/0", "Drain it")
    dialog.fault_box.setCurrentIndex(0)
    assert (dialog.windowTitle(), dialog.do_button.text()) == ("Break gpu/0/0/0", "Break it")
    assert "blocked_plate" not in kinds  # air-cooled
    dialog.lasts_box.setCurrentText("10 parsecs")
    assert not dialog.do()
    assert not dialog.problem.isHidden()
    dialog.lasts_box.setCurrentText("10 min")
    dialog.when_box.setCurrentIndex(1)
    dialog.at_field.setText("99 day")
    assert not dialog.do()
    assert "is at 99 d, after the end of the run at" in dialog.problem.text()
    dialog.when_box.setCurrentIndex(0)
    assert dialog.line.endswith("fail gpu/0/0/0 for=10 min")
    assert dialog.do()
    qtbot.waitUntil(lambda: bool(window.session.by_hand))
    assert window.hall.mark.words.endswith("1 INJECTED")
    window.session.play()
    qtbot.waitUntil(lambda: any(e.kind == "injected_failure" for e in window.session.events))
    window.session.pause()
    window.session.restart()
    assert window.hall.mark.words == "SIMULATED"


def test_what_the_run_refuses_is_said(use_window: UseWindow, qtbot: QtBot, lab: Path) -> None:
    window = use_window(lab)
    window.session.intervene(parse_injection("0 s pump_stop no-such-loop/0"))
    qtbot.waitUntil(lambda: bool(window.notifications.notes))
    assert not window.session.by_hand


def test_trace_and_blast_radius_follow_the_selection_and_end_with_escape(
    use_window: UseWindow, lab: Path
) -> None:
    window = use_window(lab)
    hall = window.hall
    QTest.keyClick(window, Qt.Key.Key_T)
    assert hall.trace.told is None  # nothing is selected
    hall.state.selection = ("gpu/0/0/0/3",)
    QTest.keyClick(window, Qt.Key.Key_T)
    assert hall.trace.mode == "trace"
    assert hall.trace_plate.isVisible()
    assert any("utility" in line for line in hall.trace_plate.told.lines)  # type: ignore[union-attr]
    assert hall.view.shows_power
    window.menus.execute("view.blast")
    assert hall.trace.mode == "blast"
    assert hall.trace.told.lines == ("8 GPUs stop",)  # type: ignore[union-attr]
    assert hall.legend.legend is not None
    assert hall.legend.legend.title.startswith("If gpu/0/0/0/3")
    hall.state.selection = ("gpu/0/0",)
    assert hall.trace.thing == "gpu/0/0"
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert hall.trace.mode == ""
    assert not hall.trace_plate.isVisible()
    assert hall.legend.legend.title == "GPU temperature"


def test_the_menu_of_a_thing_offers_to_break_it(use_window: UseWindow, lab: Path) -> None:
    window = use_window(lab)
    menu = window.hall.thing_menu("gpu/0/0")  # deleted with the window
    assert menu is not None
    titles = [action.text() for action in menu.actions()]
    assert {"Trace power and heat", "Blast radius", "Break"} <= set(titles)
    faults = next(inner for inner in menu.findChildren(QMenu) if inner.title() == "Break")
    asked: list[tuple[object, str]] = []
    window.hall.menus.break_wanted.connect(lambda thing, kind: asked.append((thing, kind)))
    faults.actions()[0].trigger()
    assert asked == [("gpu/0/0", "fail")]


def test_power_items_loops_and_plants_have_facts(use_window: UseWindow, qtbot: QtBot, lab: Path) -> None:
    window = use_window(lab)
    window.session.play()
    qtbot.waitUntil(lambda: window.session.shown is not None and window.session.t_s > 10)
    window.session.pause()
    plant = window.session.plant
    assert plant is not None
    for thing, row in (
        (plant.power.ids[0], "State"),
        (plant.loops.ids[0], "Flow"),
        (plant.plants.ids[0], "Machines running"),
        (plant.halls.ids[0], "Dew point"),
    ):
        window.docks.inspector.show_thing(thing)
        facts = window.docks.inspector.facts
        assert facts is not None
        assert facts.id == thing
        rows = {one.label for section in facts.sections for one in section.rows}
        assert row in rows, (thing, rows)


def test_an_alarm_ends_when_the_picture_shows_that_nothing_is_down(use_window: UseWindow, lab: Path) -> None:
    """Of what a restart mends, and of a rack whose nodes come back one by one, no event tells the end."""
    window = use_window(lab)
    alarms, session = window.docks.alarms.alarms, window.session
    event(window, "injected_failure", "gpu/0/0")
    assert alarms.active_count == 1
    assert window.hall.alarm_badge.words == "1 alarm"
    assert session.frame is not None
    later = replace(session.frame, events=session.events[-1].row + 1)
    session.live.frame = later
    session.figures_changed.emit(later)
    assert alarms.active_count == 0
    assert window.hall.alarm_badge.words == "no active alarm, 1 not acknowledged"
