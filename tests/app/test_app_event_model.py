"""The list of events goes back to an earlier time: what it then shows is what a list made anew would."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QItemSelectionModel
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QTableView

from twin.app.monitor.event_model import EventModel
from twin.app.toolkit.look import Look
from twin.record.events import Event, Severity

EVENTS = [Event(k, 10.0 * k, f"kind_{k % 3}", f"gpu/0/{k}", Severity(k % 4), f"event {k}") for k in range(60)]


@pytest.fixture
def look(qapp: QApplication) -> Iterator[Look]:
    made = Look(qapp, "dark")
    yield made
    made.close()


@pytest.mark.parametrize("least", list(Severity))
@pytest.mark.parametrize("count", [60, 59, 31, 1, 0])
def test_what_is_kept_is_what_had_happened(look: Look, least: Severity, count: int) -> None:
    model, anew = EventModel(look), EventModel(look)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    for each in (model, anew):
        each.filter(least, "")
    model.append(EVENTS)
    model.keep(count)
    anew.append(EVENTS[:count])
    shown = [[each.event_at(row) for row in range(each.rowCount())] for each in (model, anew)]
    assert shown[0] == shown[1]
    assert model.total == count
    model.append(EVENTS[count:])
    assert [model.event_at(row) for row in range(model.rowCount())] == [
        event for event in reversed(EVENTS) if event.severity >= least
    ]
    del tester


def test_what_is_chosen_stays_chosen_where_it_had_happened(look: Look) -> None:
    model, table = EventModel(look), QTableView()
    table.setModel(model)
    model.filter(Severity.INFO, "")
    model.append(EVENTS)
    rows = QItemSelectionModel.SelectionFlag.Rows
    for row in (50, 5):  # events 9 and 54
        table.selectionModel().select(model.index(row, 0), QItemSelectionModel.SelectionFlag.Select | rows)
    model.keep(30)
    assert [model.event_at(index.row()).row for index in table.selectionModel().selectedRows()] == [9]
    table.deleteLater()
