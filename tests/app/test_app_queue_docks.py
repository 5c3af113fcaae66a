"""Queue, tenants and jobs in the real window: what is seen, clicked, dragged and moved."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot
from window_steps import pixels, run_to, share

from twin.app.jobs.model import GPUS, JobFilter
from twin.app.queue.moves import JOBS_MIME
from twin.app.shell.main_window import MainWindow
from twin.app.world.wait_reasons import why_waiting
from twin.commands.place.properties import SetProperty
from twin.record.channels import WaitReason

UseWindow = Callable[[Path], MainWindow]
pytestmark = pytest.mark.gl

_SPEED = 7200.0
_SCENE = """
format: twin/scenario
version: 3
catalog: "2026.11"
title: Twelve nodes for two
start: 2026-03-09T08:00+01:00
duration: 12 h
halls:
  - id: hall
    rows:
      - {id: big, racks: {count: 4, nodes: [{part: DGX-H100, count: 2, first_u: 3}]}}
      - {id: small, racks: {count: 2, nodes: [{part: DGX-H100, count: 2, first_u: 3}]}}
cooling:
  plants: [{id: water, kind: chiller, part: chiller-air-cooled, supply: 17 degC}]
  loops: [{id: crah, kind: air, part: CRAH-chilled, units: 3, plant: water, serves: [big, small], supply: 22 degC}]
tenants:
  - {id: uni, title: University, quota: 64}
  - {id: bank, title: Bank, quota: 64}
partitions:
  - {id: long, title: Long, rows: [big]}
  - {id: short, title: Short, rows: [small], tenants: [uni]}
jobs:
  - {id: climate, tenant: uni, partition: long, nodes: 5, run: 6 h, limit: 8 h, workload: &w {kind: load, gpu: 80 %}}
  - {id: risk, tenant: bank, partition: long, nodes: 3, run: 2 h, limit: 3 h, workload: *w}
  - {id: fluids, tenant: uni, partition: long, nodes: 2, run: 1 h, limit: 2 h, submit: 10 min, workload: *w}
  - {id: prices, tenant: bank, partition: long, nodes: 2, run: 1 h, limit: 2 h, submit: 20 min, workload: *w}
"""


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    path = tmp_path / "twelve.twin.yaml"
    path.write_text(_SCENE)
    return path


def _spot(window: MainWindow, job: str) -> QPointF:
    """Return the middle of the first box of a job in the chart."""
    chart, history = window.docks.queue.chart, window.docks.queue_feed.history
    assert history is not None
    spans, place = history.spans, chart.place
    box = int(np.flatnonzero(spans.job == history.index[job])[0])
    end_s = min(float(spans.end_s[box]), window.session.t_s)
    middle = place.box(
        float(spans.begin_s[box]), end_s, float(spans.low[box]), float(spans.high[box])
    ).center()
    return QPointF(middle.x(), middle.y())


def _click(widget: QWidget, spot: QPointF) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=spot.toPoint())


def test_boxes_have_the_colours_of_jobs_and_a_click_lets_one_stand_out(
    use_window: UseWindow, qtbot: QtBot, scene: Path
) -> None:
    window = use_window(scene)
    QTest.keyClick(window, Qt.Key.Key_Q, Qt.KeyboardModifier.ShiftModifier)
    dock = window.docks.queue
    qtbot.waitUntil(dock.chart.isVisible)
    run_to(window, qtbot, 3600.0, _SPEED)
    blue, orange = "#2f9bea", "#f2a93b"  # climate and risk, as in the hall
    before = pixels(dock.chart)
    assert share(before, blue) > 0.05
    assert share(before, orange) > 0.03
    _click(dock.chart, _spot(window, "climate"))
    assert window.docks.inspector.job == "climate"
    assert window.hall.state.focus_job == 0
    after = pixels(dock.chart)
    assert share(after, blue) > 0.05
    assert share(after, orange) < 0.5 * share(before, orange)
    assert "climate" in dock.chart.said_at(_spot(window, "climate"))
    held = np.asarray(window.session.frame.values["gpu.job"]) == 0  # type: ignore[union-attr]
    assert held.sum() == 40
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert window.hall.state.focus_job is None
    dock.colour_buttons["tenant"].click()
    assert share(pixels(dock.chart), blue) >= share(before, blue)


def test_the_wheel_zooms_at_the_pointer_and_a_drag_moves(
    use_window: UseWindow, qtbot: QtBot, scene: Path
) -> None:
    window = use_window(scene)
    window.docks.show_roomy("queue")
    chart = window.docks.queue.chart
    qtbot.waitUntil(chart.isVisible)
    run_to(window, qtbot, 3600.0, _SPEED)
    spot = _spot(window, "risk")
    at_s, extent_s = chart.place.times.value(spot.x()), chart.across.high - chart.across.low
    for modifier in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier):
        wheel = QWheelEvent(
            spot,
            chart.mapToGlobal(spot),
            QPoint(0, 0),
            QPoint(0, 240),
            Qt.MouseButton.NoButton,
            modifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(chart, wheel)
    assert chart.across.high - chart.across.low < 0.7 * extent_s
    assert chart.place.times.value(spot.x()) == pytest.approx(at_s)
    assert not chart.down.whole
    low_s = chart.across.low
    QTest.mousePress(chart, Qt.MouseButton.LeftButton, pos=spot.toPoint())
    QTest.mouseMove(chart, spot.toPoint() - QPoint(30, 0))
    QTest.mouseMove(chart, spot.toPoint() - QPoint(60, 0))
    QTest.mouseRelease(chart, Qt.MouseButton.LeftButton, pos=spot.toPoint() - QPoint(60, 0))
    assert chart.across.low > low_s
    assert window.docks.inspector.job is None  # a drag is no click
    chart.setFocus()
    QTest.keyClick(chart, Qt.Key.Key_0)
    assert chart.down.whole
    assert chart.following


def test_waiting_jobs_are_listed_and_move_by_menu_and_by_drop(
    use_window: UseWindow, qtbot: QtBot, scene: Path
) -> None:
    window = use_window(scene)
    window.docks.show_roomy("queue")
    window.docks.show("tenants")
    table = window.docks.queue.waiting
    run_to(window, qtbot, 2400.0, _SPEED)
    qtbot.waitUntil(lambda: len(table.queue.order) == 2)
    assert [table.queue.job_id(row) for row in range(2)] == ["fluids", "prices"]
    assert table.queue.data(table.queue.index(0, 4))  # it says why

    target = window.docks.tenants.partition_table
    assert target.partition_ids == ["long", "short"]
    data = QMimeData()
    data.setData(JOBS_MIME, b"prices")
    place = QPointF(target.visualRect(target.model().index(1, 0)).center())
    held, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    begin = QDragEnterEvent(place.toPoint(), Qt.DropAction.CopyAction, data, held, none)
    QApplication.sendEvent(target.viewport(), begin)
    over = QDragMoveEvent(place.toPoint(), Qt.DropAction.CopyAction, data, held, none)
    QApplication.sendEvent(target.viewport(), over)
    assert "not for bank" in window.statusBar().currentMessage()
    QApplication.sendEvent(target.viewport(), QDropEvent(place, Qt.DropAction.CopyAction, data, held, none))
    assert window.statusBar().currentMessage().startswith("Not moved: Short is for uni")

    table.selectRow(0)
    menu = table.job_menu(table.selected()[0])
    assert menu is not None
    assert "Open job page" in [action.text() for action in menu.actions()]
    menu = table.move_menu()
    assert menu is not None
    next(action for action in menu.actions() if action.text() == "Short").trigger()
    qtbot.waitUntil(lambda: any(e.kind == "job_moved" for e in window.session.events))
    history = window.docks.queue_feed.history
    assert history is not None
    assert history.partition_of(history.index["fluids"]) == "short"
    window.session.play()  # its new nodes are free
    qtbot.waitUntil(lambda: history.index["fluids"] in history.started_s)
    window.session.pause()
    assert set(history.nodes_of(history.index["fluids"])) <= {8, 9, 10, 11}


def test_the_hall_is_coloured_by_tenant_and_partition(
    use_window: UseWindow, qtbot: QtBot, scene: Path
) -> None:
    window = use_window(scene)
    window.docks.show("tenants")
    window.hall.view.preset("close", animate=False)
    run_to(window, qtbot, 1800.0, _SPEED)
    before = window.hall.view.grab()
    QTest.keyClick(window, Qt.Key.Key_Y)
    assert window.hall.state.colour_by == "gpu.tenant"
    assert window.hall.legend.legend is not None
    counts = {c.label: c.count for c in window.hall.legend.legend.categories}
    assert (counts["University"], counts["Bank"]) == (40, 24)
    tenant = window.hall.view.grab()
    assert np.mean(np.abs(tenant.astype(int) - before).max(axis=2) > 24) > 0.003
    table = window.docks.tenants.partition_table
    QTest.mouseClick(
        table.viewport(), Qt.MouseButton.LeftButton, pos=table.visualRect(table.model().index(0, 0)).center()
    )
    assert window.hall.state.colour_by == "gpu.partition"
    lines = window.docks.tenants.tenants.texts
    assert [line[:3] for line in lines] == [("University", "40", "64"), ("Bank", "24", "64")]


def test_jobs_are_sorted_and_filtered_and_dragged_rows_carry_them(
    use_window: UseWindow, qtbot: QtBot, scene: Path
) -> None:
    window = use_window(scene)
    dock = window.docks.jobs
    window.docks.show("jobs")
    run_to(window, qtbot, 2400.0, _SPEED)
    dock.table.sortByColumn(GPUS, Qt.SortOrder.DescendingOrder)
    assert [dock.model.job_at(row).id for row in range(2)] == ["climate", "risk"]
    dock.which_buttons[JobFilter.WAIT].click()
    assert {dock.model.job_at(row).id for row in range(dock.model.rowCount())} == {"fluids", "prices"}
    dock.search.setText("bank")
    assert [dock.model.job_at(row).id for row in range(dock.model.rowCount())] == ["prices"]
    visible = dock.table.visualRect(dock.model.index(0, 0))
    assert isinstance(visible, QRect)
    QTest.mouseClick(dock.table.viewport(), Qt.MouseButton.LeftButton, pos=visible.center())
    assert window.docks.inspector.job == "prices"
    window.docks.show_roomy("queue")
    model = window.docks.queue.waiting.queue
    qtbot.waitUntil(lambda: len(model.order) == 2)
    carried = model.mimeData([model.index(0, 0), model.index(0, 1), model.index(1, 0)])
    assert bytes(carried.data(JOBS_MIME).data()) == b"fluids\nprices"


def test_a_new_run_begins_with_an_empty_chart(use_window: UseWindow, qtbot: QtBot, scene: Path) -> None:
    window = use_window(scene)
    window.session.set_speed(math.inf)
    window.session.play()
    qtbot.waitUntil(lambda: window.session.finished)
    history = window.docks.queue_feed.history
    assert history is not None
    assert history.spans.count
    assert not history.started_s
    window.session.restart()
    assert window.docks.queue_feed.history is not history
    assert not window.docks.queue_feed.history.spans.count  # type: ignore[union-attr]


def test_the_list_of_waiting_jobs_comes_back_when_the_dock_is_widened(
    use_window: UseWindow, qtbot: QtBot, scene: Path
) -> None:
    dock = use_window(scene).docks.queue
    dock.setFloating(True)
    dock.show()
    for width_px, seen in ((600, False), (900, True), (500, False), (800, True)):
        dock.resize(width_px, 300)
        qtbot.waitUntil(lambda seen=seen: dock.waiting.isVisible() == seen)  # no moment passes meanwhile
    dock.setFloating(False)


def test_a_quota_is_typed_and_undone_and_both_tables_follow_at_once(
    use_window: UseWindow, qtbot: QtBot, scene: Path
) -> None:
    window = use_window(scene)
    dock, editor = window.docks.tenants, window.editing.editor
    window.menus.execute("edit.quota")
    field = dock.tenant_table.findChild(QLineEdit)
    assert field is not None
    field.setText("48")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: dock.tenants.texts[0][2] == "48")
    editor.undo()
    qtbot.waitUntil(lambda: dock.tenants.texts[0][2] == "64")
    editor.do(SetProperty(("",), "partitions[short].title", "Brief"))
    qtbot.waitUntil(lambda: dock.partitions.texts[1][0] == "Brief")
    editor.undo()


def test_no_partition_is_full_where_there_is_none() -> None:
    full = int(WaitReason.PARTITION)
    assert why_waiting(full, partitions=True) == "partition is full"
    assert why_waiting(full, partitions=False) == "too few free nodes"
