"""The incident dock: a click on what failed tells what that cost, as known at the time on screen."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from twin.app.toolkit.row_table import RowTable
from twin.record.events import Severity

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from twin.app.shell.main_window import MainWindow

pytestmark = [pytest.mark.gl, pytest.mark.usefixtures("coarse_workers")]


def click(table: RowTable, row: int) -> None:
    index = table.model().index(row, 1)
    table.scrollTo(index)
    place = table.visualRect(index).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)


def in_front(window: MainWindow) -> bool:
    return not window.docks.incident.visibleRegion().isEmpty()


def test_each_red_mark_leads_to_what_it_cost(use_window, lab: Path, qtbot: QtBot) -> None:
    """The GPU of lab-16 fails at 9 h; its job waits 3 h for a node."""
    window = use_window(lab)
    session, docks = window.session, window.docks
    session.set_speed(math.inf)
    session.play()
    qtbot.waitUntil(lambda: session.finished)
    page = docks.incident.page

    def cost() -> str:
        return page.card.cost if page.card is not None and in_front(window) else ""

    def away() -> None:
        docks.incident.close()
        qtbot.waitUntil(lambda: not docks.incident.isVisible())

    # a row of the event list
    docks.events.severity_buttons[Severity.ALARM].click()
    click(docks.events.table, 0)
    qtbot.waitUntil(lambda: cost() == "31.4 GPU-hours")
    assert (page.card.title, page.card.place) == ("Faulty GPU", "gpu/0/1/0")
    assert [phase.title for phase in page.phases.phases][:3] == ["lost work", "detect", "wait for node"]
    assert not page.now_button.isVisible()
    away()
    # an alarm
    docks.show("alarms")
    qtbot.waitUntil(lambda: docks.alarms.model.rowCount() > 0)
    window.going.nowhere()
    model = docks.alarms.model
    subjects = [model.alarm_at(row).subject for row in range(model.rowCount())]
    click(docks.alarms.table, subjects.index("gpu/0/1/0"))
    qtbot.waitUntil(lambda: cost() == "31.4 GPU-hours")
    assert window.hall.state.selection == ("gpu/0/1/0",)
    away()
    # the job page, the inspector, and the key
    docks.show("job")
    docks.job.incident_button.click()
    qtbot.waitUntil(lambda: cost() == "31.4 GPU-hours")
    away()
    window.go_to("gpu/0/1/0/3")
    window.menus.qt_actions["run.incident"].trigger()
    qtbot.waitUntil(lambda: cost() == "31.4 GPU-hours")
    away()
    # a mark of the timeline: it goes to that time, when less was known, and to the node
    window.going.nowhere()
    strip = window.timeline.strip
    x = round((9 * 3600.0 - strip.scale.from_s) / strip.scale.px_s)
    QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(x + 1, 20))
    qtbot.waitUntil(lambda: session.looking_s == 9 * 3600.0)
    qtbot.waitUntil(lambda: cost() == "6.64 GPU-hours")
    assert window.hall.state.selection == ("gpu/0/1/0",)
    assert page.cost_words.startswith("6.64 GPU-hours so far, 31.4 GPU-hours by now\n")
    assert page.card.spare == "none yet"
    assert (page.now_button.isVisible(), page.now_button.text()) == (True, "Show the whole incident")
    away()
    # the status over the hall, which keeps the click from what lies under it
    window.going.nowhere()
    plate = window.hall.story_plate
    qtbot.waitUntil(lambda: plate.told is not None and bool(plate.told.rows) and plate.isVisible())
    line = QPoint(round(20 * plate.scale), plate.height() - round(10 * plate.scale))  # the last one
    assert window.hall.childAt(plate.mapTo(window.hall, line)) is plate
    QTest.mouseClick(plate, Qt.MouseButton.LeftButton, pos=line)
    qtbot.waitUntil(lambda: cost() == "6.64 GPU-hours")
    assert window.hall.state.selection == ("gpu/0/1/0",)
    page.now_button.click()
    qtbot.waitUntil(lambda: cost() == "31.4 GPU-hours")
    assert page.cost_words.startswith("31.4 GPU-hours\n")
    # all of them, and back
    page.list_button.click()
    assert docks.incident.incident is None
    assert docks.incident.words.text() == "1 incident, 1 job stop: 31.4 GPU-hours."
    causes = docks.incident.cause_table
    assert causes.textElideMode() == Qt.TextElideMode.ElideRight
    others_px = causes.viewport().width() - causes.columnWidth(0)
    left_px = docks.incident.minimumWidth() - others_px
    assert left_px > causes.fontMetrics().horizontalAdvance("Network switch cable") + 8
    for column in range(1, 4):
        title = docks.incident.causes.headerData(column, Qt.Orientation.Horizontal)
        assert causes.columnWidth(column) > causes.header.fontMetrics().horizontalAdvance(title) + 8, title
    click(docks.incident.table, 0)
    assert docks.incident.incident is not None
    # what leads on
    page.hour_button.click()
    assert not docks.why.visibleRegion().isEmpty()
    page.interval_button.click()
    dialog = window.branching.dialog
    assert dialog is not None
    assert dialog.sort == "Another checkpoint interval"
    dialog.close()


def test_the_failed_gpu_says_why_and_until_when_and_the_next_event_is_one_that_is_listed(
    use_window, lab: Path, qtbot: QtBot
) -> None:
    window = use_window(lab)
    session = window.session
    qtbot.waitUntil(lambda: session.frame is not None)
    session.set_speed(math.inf)
    for _ in range(6):
        if any(event.kind == "job_interrupted" for event in session.events):
            break
        before = len(session.events)
        session.step()
        qtbot.waitUntil(lambda before=before: len(session.events) > before and not session.running)
        last_s = session.events[-1].t_s
        assert any(event.severity >= Severity.NOTICE for event in session.events if event.t_s == last_s)
    window.go_to("gpu/0/1/0/3")
    inspector = window.docks.inspector

    def rows() -> dict[str, str]:
        facts = inspector.facts
        return (
            {}
            if facts is None
            else {row.label: row.value for section in facts.sections for row in section.rows}
        )

    qtbot.waitUntil(lambda: rows().get("Cause") == "Faulty GPU")
    assert rows()["Expected back"].endswith("12:00:00")
    assert inspector.incident_button.isVisibleTo(inspector)


def test_each_red_gpu_leads_to_what_took_it_down(use_window, lab: Path, tmp_path: Path, qtbot: QtBot) -> None:
    """GPU 3 takes its node down, a PDU the other rack: none of the other GPUs is named by any event."""
    scene = tmp_path / "red.twin.yaml"
    struck = "- {id: bus-error, at: 9 h, kind: fail, target: gpu/0/1/0/3, cause: faulty_gpu}"
    dark = "- {id: dark, at: 9.5 h, kind: fail, target: pdu/0, for: 4 h}"
    before = "- {id: bus-error, at: 9 h, kind: fail, target: gpu/0/1/0, cause: faulty_gpu}"
    assert before in lab.read_text()
    text = lab.read_text().replace(before, f"{struck}\n  {dark}")
    scene.write_text(text.replace("duration: 1 day", "duration: 10 h"))
    window = use_window(scene)
    session, dock = window.session, window.docks.incident
    session.set_speed(math.inf)
    session.play()
    qtbot.waitUntil(lambda: session.finished)
    for gpu, behind in (("gpu/0/1/0/4", "gpu/0/1/0/3"), ("gpu/0/1/0/3",) * 2, ("gpu/0/0/0/5", "pdu/0")):
        dock.show_list()
        window.going.to(gpu)
        qtbot.waitUntil(lambda: window.docks.inspector.incident_button.isVisibleTo(window.docks.inspector))
        window.docks.inspector.incident_button.click()
        assert dock.incident is not None, gpu
        assert dock.incident.subject == behind
        assert in_front(window)
