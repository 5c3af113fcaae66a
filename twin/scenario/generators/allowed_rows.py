"""Hardware that a job may use, without building the plant."""

from __future__ import annotations

import math
from collections.abc import Collection

from twin.catalog import Catalog
from twin.scenario.generators import expand
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.work import Job


def rows_of(scenario: Scenario, job: Job) -> tuple[str, ...]:
    """Return the row generators `job` may use: its own, of its partition only; none: any."""
    return rows_within(scenario, job.rows, job.partition)


def rows_within(scenario: Scenario, rows: tuple[str, ...], partition: str | None) -> tuple[str, ...]:
    """Return those of `rows` that `partition` has; either of them may say nothing."""
    within = next((entry.rows for entry in scenario.partitions if entry.id == partition), ())
    if not rows or not within:
        return rows or within
    return tuple(name for name in rows if name in within)


def node_kinds(scenario: Scenario, catalog: Catalog, rows: Collection[str]) -> dict[tuple[str, int], int]:
    """Return how many nodes there are of each (part, GPUs) in the named row generators; none named: in all.

    Raises
    ------
    UnknownPart
        When the catalogue lacks a part.
    """
    kinds: dict[tuple[str, int], int] = {}
    for name, counts in expand.node_counts(scenario, catalog).items():
        if not rows or name in rows:
            for part, number in counts.items():
                kind = (part, catalog.node(part).n_gpu)
                kinds[kind] = kinds.get(kind, 0) + number
    return kinds


class RowNodes:
    """Nodes of row generators, counted once for each choice of them."""

    def __init__(self, scenario: Scenario, catalog: Catalog) -> None:
        self.scenario, self.catalog = scenario, catalog
        self._kinds: dict[tuple[str, ...], dict[tuple[str, int], int]] = {}

    def kinds(self, rows: tuple[str, ...]) -> dict[tuple[str, int], int]:
        """Return how many nodes there are of each (part, GPUs)."""
        if rows not in self._kinds:
            self._kinds[rows] = node_kinds(self.scenario, self.catalog, rows)
        return self._kinds[rows]

    def per_node(self, rows: tuple[str, ...]) -> int:
        """Return the GPUs of a node; the most there are where nodes differ."""
        return max((gpus for _, gpus in self.kinds(rows)), default=1)


def split(gpus: int, per_node: int) -> tuple[int, int | None]:
    """Return (nodes, `gpus` of the job or None for whole nodes) of a job that asks for `gpus` GPUs.

    Examples
    --------
    >>> split(16, 8), split(12, 8), split(1, 8)
    ((2, None), (2, 12), (1, 1))
    """
    return math.ceil(gpus / per_node), gpus if gpus % per_node else None
