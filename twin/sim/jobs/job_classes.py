"""Kinds of jobs: those that differ in nothing but name, owner, times and rank are worked out once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twin.scenario.schema.work import Job


def kinds_of(jobs: Sequence[Job]) -> list[int]:
    """Return the number of the kind of each job: the place of the first one like it.

    Jobs of a stream share their parts, so that nearly all are told apart by identity alone.
    """
    first: dict[Any, int] = {}
    same = _Same()
    return [
        first.setdefault(
            (
                same(job.workload),
                same(job.checkpoint),
                same(job.recovery),
                job.nodes,
                job.gpus,
                job.mig,
                job.rows,
                job.partition,
                job.storage,
            ),
            index,
        )
        for index, job in enumerate(jobs)
    ]


class _Same:
    """Gives equal parts the same number, and looks at each object once."""

    def __init__(self) -> None:
        self._by_id: dict[int, int] = {}
        self._by_value: dict[Any, int] = {}

    def __call__(self, part: Any) -> int:
        known = self._by_id.get(id(part))
        if known is None:
            try:
                known = self._by_value.setdefault(part, len(self._by_id))
            except TypeError:  # it holds something that cannot be compared that way: only itself is the same
                known = len(self._by_id)
            self._by_id[id(part)] = known
        return known
