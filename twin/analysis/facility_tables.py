"""Electricity and heat of whole scenes beside published figures: the facility tables of ``twin validate``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from twin.analysis.facility_runs import RUNS
from twin.planning.table.reference import reference_table
from twin.planning.table.validation import TableComparison, ValidationRow

TABLES: tuple[TableComparison, ...] = (
    TableComparison(
        "facility-frontier",
        "Frontier from its scene file: switchgear power and conversion losses",
        "ExaDigiT RAPS config/frontier.yaml @6c142bfd; Brewer et al., SC 2024",
        "kW",
        goals={"worst_pct": 0.1},
    ),
    TableComparison(
        "facility-power",
        "Power of nodes, racks and scalable units, energy of a job",
        "tests/reference/facility.yaml, row by row",
        "as stated",
        goals={"worst_pct": 0.5},
        note="where a range was published, a figure inside it has no error",
    ),
    TableComparison(
        "facility-heat",
        "Temperatures and temperature rises",
        "tests/reference/facility.yaml, row by row",
        "as stated",
        goals={"worst_pct": 0.5},
        note="where a range was published, a figure inside it has no error",
    ),
)
TABLE_NAMES: tuple[str, ...] = tuple(table.name for table in TABLES)


def compare(names: Sequence[str] = ()) -> tuple[TableComparison, ...]:
    """Return the facility tables filled from runs of scenes, those of `names` or all: takes some seconds."""
    wanted = [table for table in TABLES if not names or table.name in names]
    figures: dict[str, float] = {}
    for tables, run in RUNS:
        if any(table.name in tables for table in wanted):
            figures.update(run())
    published = reference_table("facility").rows
    return tuple(
        replace(
            table,
            rows=tuple(
                _row(row, figures[str(row["key"])]) for row in published if row["table"] == table.name
            ),
        )
        for table in wanted
    )


def _row(published: object, ours: float) -> ValidationRow:
    row = dict(published)  # type: ignore[call-overload]
    low, high = float(row["low"]), float(row["high"])
    between = f"{low:g}" if low == high else f"{low:g}-{high:g}"
    return ValidationRow(f"{row['label']} ({between} {row['unit']})", min(max(ours, low), high), ours)
