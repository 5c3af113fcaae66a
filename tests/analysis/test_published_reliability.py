"""Failures, checkpoints and queues reach the published figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from twin.analysis import reliability_tables
from twin.planning.table.validation import TableComparison, ValidationRow

QUICK = ("reliability-mttf", "reliability-lemons", "schedule-cases")
SHARED = Path(__file__).parents[3] / "shared" / "reference"


@pytest.mark.parametrize("name", QUICK)
def test_goals_are_reached(name: str) -> None:
    (table,) = reliability_tables.compare([name])
    assert table.passed, table.missed
    assert all(row.basis and row.within is not None for row in table.rows)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["reliability-ettr", "reliability-llama3", "schedule-mm8"])
def test_goals_of_long_runs_are_reached(name: str) -> None:
    (table,) = reliability_tables.compare([name])
    assert table.passed, table.missed


def test_the_fault_trace_of_infinitehbd_is_replayed_exactly() -> None:
    if not (SHARED / reliability_tables.TRACE).is_file():
        pytest.skip(f"{SHARED / reliability_tables.TRACE} is not there")
    (table,) = reliability_tables.compare(["reliability-infinitehbd"], SHARED)
    assert table.passed, table.missed
    assert [round(row.predicted, 2) for row in table.rows] == [9.26, 31.0, 35.0]


def test_without_the_trace_its_table_is_skipped_with_a_reason(tmp_path: Path) -> None:
    for folder in (None, tmp_path):
        (table,) = reliability_tables.compare(["reliability-infinitehbd"], folder)
        assert "give --data DIR with traces/infinitehbd/fault_trace.json" in table.skipped
        assert table.passed is None


def test_a_row_further_off_than_allowed_is_a_missed_goal() -> None:
    near, far = ValidationRow("a", 1.0, 1.02, within=0.03), ValidationRow("b", 1.0, 1.04, within=0.03)
    assert TableComparison("t", "", "", "h", rows=(near,)).passed
    table = TableComparison("t", "", "", "h", rows=(near, far))
    assert table.passed is False
    assert table.missed == ("b: 1.04 is not within 0.03 of 1",)
    assert TableComparison("t", "", "", "h", rows=(ValidationRow("c", 1.0, 2.0),)).passed is None
    assert (
        TableComparison("t", "", "", "h", rows=(ValidationRow("d", 1.0, float("nan"), within=1.0),)).passed
        is False
    )
