"""The table of what fails in a scene, for `twin check --failures` and `twin risk`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from twin.planning.risk.failure_table import FailureRow, FailureTable
    from twin.scenario import Document


def table_of_scene(document: Document) -> FailureTable:
    """Return what fails in a scene."""
    from twin.planning.risk.failure_table import failure_table
    from twin.plant.build import build
    from twin.scenario.schema.scene_catalog import catalog_of

    catalog = catalog_of(document.scenario)
    return failure_table(document.scenario, build(document.scenario, catalog), catalog)


def plain(table: FailureTable) -> dict[str, Any]:
    """Return the table for JSON; of a scene without failures the sums are null, not 0."""
    found = asdict(table) | {"rows": [asdict(row) for row in table.rows]}
    if table.none:
        found |= {"per_year": None, "planned_per_year": None, "job_per_year": None}
    found["job"] = table.job or None
    return found


def print_failures(table: FailureTable) -> None:
    """Print the causes, most frequent first, and what they sum to."""
    from twin.cli.tables import console, print_table
    from twin.planning.risk.failure_table import NO_FAILURES, OFFER

    show = console().print
    if table.none:
        show(f"{NO_FAILURES}; {OFFER}", soft_wrap=True)
    if table.rows:
        heads = ("cause", "on", "a year", "rate", "repair", "from")
        print_table(heads, [_cells(row) for row in table.rows], right=0)
    for words in summary(table):
        show(words, soft_wrap=True)


def summary(table: FailureTable) -> Sequence[str]:
    """Return the sums in sentences; none where nothing fails."""
    from twin.planning.risk.failure_table import TWICE, YEAR_S
    from twin.units import spoken

    if table.none:
        return ()
    planned = f", and {table.planned_per_year:.1f} planned" if table.planned_per_year else ""
    lines = [f"expected in this hall: {table.per_year:.1f} failures a year{planned}"]
    if table.job_per_year:
        between = spoken(YEAR_S / table.job_per_year)
        lines.append(
            f"job {table.job} on {table.job_nodes:,} nodes: {table.job_per_year:.1f} interruptions in a year of work, "
            f"one in {between}"
        )
    if table.adds_up:
        lines.append(TWICE)
    return lines


def _cells(row: FailureRow) -> tuple[str, ...]:
    from twin.planning.risk.failure_table import rate_words, repair_words

    on = "on" if row.acts else "off"
    return (row.title, on, f"{row.per_year:.2f}", rate_words(row), repair_words(row), row.standing)
