"""The job page and the menus of things in the real window."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot
from window_steps import action, pixels, run_to, share

from twin.app.jobs.event_table import JobEventTable
from twin.app.jobs.events import EventFilter, EventLine
from twin.app.shell.main_window import MainWindow
from twin.app.toolkit.account_colours import colour
from twin.app.toolkit.clock import Clock
from twin.record.channels import NodeCondition
from twin.record.events import Event, Severity
from twin.scenario.schema.faults import Intervention

UseWindow = Callable[[Path], MainWindow]
pytestmark = pytest.mark.gl

_SCENES = Path(__file__).parents[2] / "scenes"


def test_the_page_follows_the_job_and_its_lines_lead_to_time_and_place(
    use_window: UseWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    lab = tmp_path / "lab.twin.yaml"  # it ends at the moment that is looked at
    lab.write_text(
        'format: twin/scenario\nversion: 3\ncatalog: "2026.11"\nextends: builtin:lab-16\nduration: 52000 s\n'
    )
    window = use_window(lab)
    QTest.keyClick(window, Qt.Key.Key_J, Qt.KeyboardModifier.ShiftModifier)
    dock = window.docks.job
    qtbot.waitUntil(dock.waterfall.isVisible)
    assert dock.job_id == "llama3"
    run_to(window, qtbot, 52_000.0)
    qtbot.waitUntil(lambda: dock.page is not None and dock.page.progress.now_s == 52_000.0)
    page = dock.page
    assert page is not None
    assert sum(piece.value for piece in page.time.pieces) == pytest.approx(page.time.whole_s)
    theme = window.look.theme
    assert dock.waterfall.alone  # losses of a quarter: drawn by themselves, and true to each other
    for account in ("idle_reserved", "lost_work"):
        assert share(pixels(dock.waterfall), colour(theme, account)) > 0.0003, account
    assert share(pixels(dock.progress), theme.accent) > 0.05
    fall, steps = dock.waterfall, range(1, len(dock.waterfall.rows) - 1)
    assert any("Lost work" in fall.said_at(fall.spot(number).center()) for number in steps)
    wide = [fall.bar(number).width() for number in steps]
    long_s = [piece.value for piece in page.time.pieces[:-1]]
    scale = [pixel / second for pixel, second in zip(wide, long_s, strict=True) if pixel > 2.0]
    assert len(scale) > 1
    assert scale == pytest.approx([scale[0]] * len(scale))
    begins = [fall.bar(number).left() for number in range(1, len(fall.rows))]
    assert begins == sorted(begins, reverse=True)  # each loss begins where the one before it ends
    for spark in dock.sparks:
        assert share(pixels(spark), theme.accent, near=80) > 0.0005  # a thin line is mixed with its ground

    dock.which_buttons[EventFilter.TROUBLE].click()
    model = dock.table.lines
    qtbot.waitUntil(lambda: model.rowCount() == 2)
    row = next(k for k, line in enumerate(model.shown) if line.event.kind == "job_interrupted")
    spot = dock.table.visualRect(model.index(row, 1)).center()
    QTest.mouseClick(dock.table.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert window.hall.state.selection == ("gpu/0/1/0",)
    assert dock.job_id == "llama3"  # the page stays
    chosen = window.docks.events.table.selectionModel().selectedRows()
    assert window.docks.events.model.event_at(chosen[0].row()).kind == "job_interrupted"
    dock.which_buttons[EventFilter.CHECKPOINTS].click()
    assert all(line.event.kind == "checkpoint" for line in model.shown)


def test_a_low_and_narrow_page_has_room_for_every_loss(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1280, 800)
    window.docks.show("job")
    dock = window.docks.job
    run_to(window, qtbot, 40_000.0)
    fall = dock.waterfall
    qtbot.waitUntil(lambda: fall.isVisible() and len(fall.rows) > 3)
    qtbot.waitUntil(lambda: fall.height() >= fall.spot(len(fall.rows) - 1).bottom())
    assert dock.title.width() > dock.title.fontMetrics().horizontalAdvance(dock.title.text())
    qtbot.waitUntil(lambda: all(spark.y() >= fall.geometry().bottom() for spark in dock.sparks))


def test_a_list_begins_at_its_newest_line_however_far_one_had_gone_in_another(
    window: MainWindow, qtbot: QtBot
) -> None:
    """Checkpoints come every few minutes: who went down among them and asks for failures wants the last one first."""
    table = JobEventTable(window.look)
    qtbot.addWidget(table)
    kinds = ("job_interrupted", "checkpoint")
    events = [Event(n, 60.0 * n, kinds[n % 2], "llama3", Severity.WARNING, "", {}) for n in range(80)]
    clock = Clock(datetime.fromisoformat("2026-01-05T00:00"), dated=True)
    table.lines.show_lines([EventLine(event, event.kind, "", "", "") for event in reversed(events)], clock)
    table.resize(400, 120)
    table.show()
    table.scrollToBottom()
    assert table.verticalScrollBar().value() > 0
    table.list_only(EventFilter.TROUBLE)
    assert table.lines.shown[0].event.row == 78
    assert len(table.lines.shown) == 40
    assert table.verticalScrollBar().value() == 0


def test_lines_that_come_soon_after_others_are_shown_although_nothing_follows(
    use_window: UseWindow, qtbot: QtBot, lab: Path
) -> None:
    window = use_window(lab)
    QTest.keyClick(window, Qt.Key.Key_J, Qt.KeyboardModifier.ShiftModifier)
    dock, session = window.docks.job, window.session
    qtbot.waitUntil(lambda: dock.job_id == "llama3" and session.frame is not None)
    for number in range(3):  # the first is shown at once, the others within half a second of it
        event = Event(1000 + number, 1.0, "job_interrupted", "llama3", Severity.WARNING, "for a test", {})
        session.live.events.append(event)
        session.looking.tell([event])
        session.figures_changed.emit(session.frame)
    assert dock.table.lines.rowCount() < dock.events.count("llama3")
    qtbot.waitUntil(lambda: dock.table.lines.rowCount() == dock.events.count("llama3"))


def test_the_menu_of_a_thing_drains_and_undrains_and_ends_jobs(
    use_window: UseWindow, qtbot: QtBot, lab: Path
) -> None:
    window = use_window(lab)
    run_to(window, qtbot, 1200.0, speed=3600.0)
    session = window.session
    menu = window.hall.thing_menu("gpu/0/0")
    assert menu is not None
    ways = ("Now", "At the next checkpoint", "When its jobs end")
    drains = [action(menu, "Drain", way) for way in ways]
    assert all("llama3" in way.toolTip() for way in drains)
    asked: list[Intervention] = []
    window.hall.menus.act_wanted.connect(asked.append)
    assert not action(menu, "Undrain").isEnabled()
    for way in reversed(drains):
        way.trigger()
    assert [one.value for one in asked] == ["end", "checkpoint", "now"]
    session.play()
    qtbot.waitUntil(
        lambda: (
            session.shown is not None
            and int(session.shown.values["node.condition"][0]) == NodeCondition.DRAINED
        ),
    )
    menu = window.hall.thing_menu("gpu/0/0/0")
    assert menu is not None
    assert not action(menu, "Drain").isEnabled()
    action(menu, "Undrain").trigger()
    qtbot.waitUntil(lambda: any(e.kind == "undrained" for e in session.events))

    action(menu, "Colour by", "Job").trigger()
    assert window.hall.state.colour_by == "gpu.job"
    menu = window.hall.thing_menu("llama3")
    assert menu is not None
    action(menu, "Open job page").trigger()
    qtbot.waitUntil(window.docks.job.waterfall.isVisible)
    assert window.docks.inspector.job == "llama3"
    action(menu, "Cancel").trigger()
    qtbot.waitUntil(lambda: any(e.kind == "job_cancelled" for e in session.events))
    page = window.docks.job
    qtbot.waitUntil(lambda: page.page is not None and page.page.state_words == "cancelled")
    menu = window.hall.thing_menu("llama3")
    assert menu is not None
    assert not action(menu, "Cancel").isEnabled()


def test_lists_of_what_happened_have_the_menus_of_things(
    use_window: UseWindow, qtbot: QtBot, lab: Path
) -> None:
    window = use_window(lab)
    docks = window.docks
    run_to(window, qtbot, 33_000.0, speed=40_000.0)  # its one failure was at 9 o'clock
    for name, table in (("events", docks.events.table), ("alarms", docks.alarms.table)):
        docks.show(name)
        qtbot.waitUntil(table.isVisible)
        before = set(window.hall.findChildren(QMenu))
        table.customContextMenuRequested.emit(table.visualRect(table.model().index(0, 0)).center())
        made = [menu for menu in window.hall.findChildren(QMenu) if menu not in before]
        assert any(a.text() == "Break" for menu in made for a in menu.actions()), name
        for menu in made:
            menu.close()


def test_lists_of_jobs_have_the_menu_of_a_job(use_window: UseWindow, qtbot: QtBot, lab: Path) -> None:
    window = use_window(lab)
    window.docks.show("jobs")
    table = window.docks.jobs.table
    qtbot.waitUntil(table.isVisible)
    qtbot.waitUntil(lambda: window.docks.jobs.model.rowCount() == 1)
    before = set(window.hall.findChildren(QMenu))
    table.customContextMenuRequested.emit(table.visualRect(table.model().index(0, 0)).center())
    made = [menu for menu in window.hall.findChildren(QMenu) if menu not in before]
    assert any(a.text() == "Open job page" for menu in made for a in menu.actions())
    for menu in made:
        menu.close()
    empty = QPoint(5, table.viewport().height() - 2)
    table.customContextMenuRequested.emit(empty)
    table.activated.emit(table.model().index(0, 0))
    qtbot.waitUntil(window.docks.job.waterfall.isVisible)
