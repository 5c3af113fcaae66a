"""Whole scenes reach the published power, heat and temperature."""

from __future__ import annotations

import pytest

from twin.analysis import facility_tables
from twin.analysis.facility_tables import RUNS
from twin.planning.table.reference import reference_table


@pytest.fixture(scope="module")
def tables() -> dict[str, facility_tables.TableComparison]:
    return {table.name: table for table in facility_tables.compare()}


def test_every_published_row_is_run(tables: dict[str, facility_tables.TableComparison]) -> None:
    rows = reference_table("facility").rows
    assert sum(len(table.rows) for table in tables.values()) == len(rows) == 17
    assert {row["table"] for row in rows} == set(facility_tables.TABLE_NAMES)
    assert {name for names, _ in RUNS for name in names} == set(facility_tables.TABLE_NAMES)


def test_frontier_is_within_a_thousandth_from_its_scene_file(
    tables: dict[str, facility_tables.TableComparison],
) -> None:
    table = tables["facility-frontier"]
    assert [row.measured for row in table.rows] == [7306.5, 22954.5, 28227.9, 570.8, 1497.1, 1809.3]
    assert all(abs(row.ratio - 1) < 1e-3 for row in table.rows)


@pytest.mark.parametrize("name", facility_tables.TABLE_NAMES)
def test_goals_are_reached(name: str, tables: dict[str, facility_tables.TableComparison]) -> None:
    assert tables[name].passed, tables[name].missed


def test_one_table_alone_runs_only_its_own_scenes(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    runs = tuple((names, lambda n=names, r=run: (asked.append(n), r())[1]) for names, run in RUNS)
    monkeypatch.setattr(facility_tables, "RUNS", runs)
    (one,) = facility_tables.compare(["facility-heat"])
    assert one.name == "facility-heat"
    assert all("facility-heat" in names for names in asked)
