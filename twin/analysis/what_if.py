"""What-if comparisons: a run and its branch to one end, once or over seeds after the cut."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from twin.analysis.branch import end_of_branch
from twin.analysis.compare import Basis, Comparison, Sample, compare, sample_of
from twin.analysis.rerun import acts_of, scenario_of_run, settled
from twin.analysis.run_cost import recorded_cost
from twin.analysis.seeds import PastKept, samples
from twin.record.branching import serving_snapshot
from twin.record.reader import Reader
from twin.record.runfile import RunFileError
from twin.scenario.schema.document import Scenario

RUN_SUFFIX = ".twinrun"
NEAR_S = 1e-3
"""Two ends so near are one [s]."""


@dataclass(frozen=True)
class WhatIf:
    """A what-if question that can be answered without the run file.

    Parameters
    ----------
    parent, branch
        Both runs with their common past.
    until_s
        Where both end [s]; None: at the end of their scenes.
    at_s
        Where they part [s].
    over
        Results of the run, where it was run to that end; None: it has to be continued.
    """

    parent: PastKept
    branch: PastKept
    at_s: float
    until_s: float | None
    over: Sample | None

    @property
    def end_s(self) -> float:
        """Return where both end, unless their last job ends before [s]."""
        end_s = self.parent.scenario.duration_s
        return end_s if self.until_s is None else min(self.until_s, end_s)


def what_if(reader: Reader, branch: Scenario, at_s: float, until_s: float | None = None) -> WhatIf:
    """Return the what-if of `branch`, cut from a run at `at_s` [s].

    Parameters
    ----------
    until_s
        Where both end [s]; None: where the run was stopped, or else at the end of its scene.

    Raises
    ------
    RunFileError
        When the run file is damaged.
    """
    header, found = reader.header, settled(reader)  # nothing that was taken out may lie ahead
    until_s = end_of_branch(reader, at_s) if until_s is None else until_s
    before = serving_snapshot(reader, at_s, found.spans)
    data = None if before is None else before.data
    parent, changed = (
        PastKept(scenario, header.seed, at_s, data, header.redraws)
        for scenario in (scenario_of_run(reader), branch)
    )
    return WhatIf(parent, changed, at_s, until_s, _over(reader, until_s))


def futures(
    asked: WhatIf,
    seeds: Sequence[int],
    progress: Callable[[int, int], None] | None = None,
    workers: int | None = None,
) -> Comparison:
    """Return the comparison over seeds: each draws another future after the common past, the same for both.

    Parameters
    ----------
    progress
        Called with (runs done, runs in all).
    workers
        Processes; None: as many as this one may use.
    """
    a, b = samples((asked.parent, asked.branch), seeds, asked.until_s, progress, workers, priced=True)
    return answered(asked, a, b, seeds)


def answered(asked: WhatIf, a: Sequence[Sample], b: Sequence[Sample], seeds: Sequence[int]) -> Comparison:
    """Return the comparison of runs of the parent and of the branch, one of each for each seed."""
    return compare(a, b, seeds, Basis.SAME_PAST, asked.at_s)


def whole_run(reader: Reader, folder: Path, asked: WhatIf) -> tuple[Path, bool]:
    """Return a file in `folder` with the run, and whether it has to be continued to the end of the branch.

    It is the run file itself or a copy; a recorded file is never continued.

    Raises
    ------
    RunFileError
        When it cannot be written.
    """
    stem = reader.path.name.removesuffix(RUN_SUFFIX)
    for number in count(1):
        path = folder / f"{stem}{'' if number == 1 else f'-{number}'}{RUN_SUFFIX}"
        if not path.exists():
            reader.save_copy(path)
            return path, asked.over is None
        if path.resolve() == reader.path.resolve():
            if asked.over is not None:
                return path, False
        elif _is_so_far(path, reader, asked.until_s):
            return path, False
    raise AssertionError("there is always another number")


def _is_so_far(path: Path, reader: Reader, until_s: float | None) -> bool:
    """Return whether a file holds the run of `reader`, with its interventions and edits, to its end."""
    try:
        with Reader(path) as kept:
            heads = [
                (run.header.scenario_text, run.header.seed, run.header.redraws) for run in (kept, reader)
            ]
            done = [[(each.at_s, each.done, each.out) for each in acts_of(run)] for run in (kept, reader)]
            return heads[0] == heads[1] and done[0] == done[1] and _over(kept, until_s) is not None
    except RunFileError:
        return False


def _over(reader: Reader, until_s: float | None) -> Sample | None:
    """Return the results of a run if it ends at `until_s` [s] or at its own end before; else None."""
    summary, header = reader.summary, reader.header
    if summary is None or not isinstance(summary.get("ledger_gpu_s"), dict):
        return None
    wanted_s = header.end_s if until_s is None else min(until_s, header.end_s)
    ended_with_jobs = header.scenario.ends != "duration" and end_of_branch(reader, -math.inf) is None
    if abs(reader.t_end_s - wanted_s) <= NEAR_S or (ended_with_jobs and reader.t_end_s <= wanted_s):
        return sample_of(summary, recorded_cost(reader))
    return None
