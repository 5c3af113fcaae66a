"""Jobs in snapshots: those that have ended stay as they are, so that each is written as text once for all snapshots."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from twin.sim.jobs.job_row import JobRow
    from twin.sim.jobs.step_pace import Pace


class JobTable(Protocol):
    """The table of jobs, as far as snapshots write it."""

    rows: list[JobRow]
    pace: list[Pace]

    def state(self, but: Collection[int] = ()) -> dict[str, Any]:
        """Return what a snapshot needs, but of some jobs."""

    def saved_row(self, row: JobRow) -> dict[str, Any]:
        """Return what a snapshot says of a job."""

    def saved_pace(self, index: int) -> list[Any] | None:
        """Return what it says of its pace; None: it is as planned."""


class JobTexts:
    """What snapshots say of the jobs of one run."""

    def __init__(self, jobs: JobTable) -> None:
        self.jobs = jobs
        self._known: dict[int, tuple[tuple[object, ...], Pace, str]] = {}

    def state(self) -> dict[str, Any]:
        """Return `Jobs.state`, with all about the jobs that have ended as one text."""
        jobs, texts = self.jobs, []
        over = {row.index for row in jobs.rows if row.outcome and not row.in_flight}
        for index in sorted(over):
            row, pace = jobs.rows[index], jobs.pace[index]
            values = tuple(vars(row).values())
            known = self._known.get(index)
            if known is None or known[1] is not pace or known[0] != values:
                self._known[index] = known = values, pace, self._text(row)
            texts.append(known[2])
        return jobs.state(over) | {"over": "\n".join(texts)}

    def _text(self, row: JobRow) -> str:
        saved = self.jobs.saved_row(row), self.jobs.saved_pace(row.index)
        return json.dumps(saved, separators=(",", ":"))


def untold(state: dict[str, Any]) -> dict[str, Any]:
    """Return the state of `Jobs` that `JobTexts.state` made, as `Jobs.state` would have said it."""
    rows, pace = list(state["rows"]), list(state["pace"])
    for line in state.get("over", "").splitlines():
        row, own_pace = json.loads(line)
        rows.append(row)
        if own_pace is not None:
            pace.append(own_pace)
    return {
        "rows": sorted(rows, key=lambda row: row["index"]),
        "pace": sorted(pace, key=lambda entry: entry[0]),
    }
