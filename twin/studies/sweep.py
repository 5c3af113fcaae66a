"""A sweep: every point of a design with the same seeds, on a pool of processes or elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from twin.analysis.figures import ComparedFigure
from twin.analysis.run_pool import RunLost
from twin.scenario import Document
from twin.scenario.text.problem import ScenarioError
from twin.studies.design import SweepDesign, Values, scene_at
from twin.studies.run_task import RunOutcome, RunTask
from twin.studies.study_error import StudyError
from twin.studies.study_figures import is_closed
from twin.studies.sweep_file import SweepFile
from twin.studies.sweep_records import MOST_RUNS, PointRecord, RunRecord
from twin.studies.varied_key import MOST_LETTERS

Progress = Callable[[int, int], None]
"""Takes runs done, and in all."""
Halted = Callable[[], bool]
"""Says whether no more runs are to begin."""


def never_halted() -> bool:
    """Return that runs go on to the last."""
    return False


class StudyHalted(Exception):
    """No more runs were begun, as somebody wanted; those in flight have ended, and are kept."""


class Executor(Protocol):
    """Where runs are made: processes of this machine (`twin.analysis.run_pool.RunPool`), or other machines."""

    def results(self, tasks: Iterable[RunTask]) -> Iterator[tuple[RunTask, RunOutcome | RunLost]]:
        """Yield each task with what came of it, as they end; tasks are taken as there is room."""
        ...


def seeds_of_point(seeds: tuple[int, ...], figures: Sequence[ComparedFigure]) -> tuple[int | None, ...]:
    """Return the seed of each run that figures of a point take; None: its closed forms."""
    closed = [is_closed(figure) for figure in figures]
    return (*(() if all(closed) else seeds), *((None,) if any(closed) else ()))


def must_be_few_runs(number: int) -> None:
    """Raise `StudyError` where runs are too many for a sweep."""
    if number > MOST_RUNS:
        raise StudyError(f"{number:,} runs are too many; at most {MOST_RUNS:,} fit in a sweep")


class SweepRunner:
    """Runs points with the same seeds, and keeps what they come to; what is in the file already is not run again.

    Parameters
    ----------
    document
        The scene as it stands.
    design
        What varies.
    file
        Where results are kept.
    figures
        What is asked for: closed forms need no runs, and runs no closed forms.
    executor
        Where runs are made.
    progress
        Told as runs end.
    points
        How many will be run in all, if in several goes.
    halted
        Asked before each run.

    Attributes
    ----------
    lost
        Runs whose process ended, with the reason. They are not in the file, and are run when it is continued.
    """

    def __init__(
        self,
        document: Document,
        design: SweepDesign,
        file: SweepFile,
        figures: Sequence[ComparedFigure],
        executor: Executor,
        progress: Progress | None = None,
        points: int = 0,
        halted: Halted = never_halted,
    ) -> None:
        self._document, self._keys, self._file = document, design.keys, file
        self._executor, self._progress = executor, progress
        self._halted, self._is_cut = halted, False
        header = file.contents.header
        self._until_s = header.until_s
        self._seeds = seeds_of_point(header.seeds, figures)
        self._done, self._of = 0, points * len(self._seeds)
        self.lost: list[tuple[RunTask, str]] = []

    def run(self, points: Sequence[tuple[int, Values]]) -> None:
        """Run numbered points.

        Raises
        ------
        StudyError
            When the file has other values for one of them, when there are too many, or the executor is gone.
        StudyHalted
            When it was halted before the last run of these points began.
        """
        number = self._done + len(points) * len(self._seeds)
        must_be_few_runs(number)
        self._of = max(self._of, number)
        there = self._file.contents.runs
        self._done += sum((point, seed) in there for point, _ in points for seed in self._seeds)
        self._tell()
        for task, made in self._executor.results(self._tasks(points)):
            if isinstance(made, RunLost) or made.lost:
                self.lost.append((task, str(made) if isinstance(made, RunLost) else made.reason))
                continue
            self._file.add(
                RunRecord(
                    point=made.point,
                    seed=made.seed,
                    figures=dict(made.figures),
                    reason=made.reason[:MOST_LETTERS],
                )
            )
            self._done += 1
            self._tell()
        self._tell()  # points that are no valid scenes count as done
        if self._is_cut:
            raise StudyHalted

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self._done, self._of)

    def _tasks(self, points: Sequence[tuple[int, Values]]) -> Iterator[RunTask]:
        """Yield what has not been run; a point that is no valid scene is known before any run of it."""
        contents = self._file.contents
        for number, values in points:
            known = contents.points.get(number)
            if known is not None and known.values != values:
                raise StudyError(
                    f"{self._file.path} has other values for point {number}; name another file with --out"
                )
            missing = [seed for seed in self._seeds if (number, seed) not in contents.runs]
            if known is not None and (known.reason or not missing):
                self._done += len(missing)
                continue
            try:
                scenario, reason = scene_at(self._document, self._keys, values), ""
            except ScenarioError as error:
                reason = str(error)[:MOST_LETTERS]
            self._file.add(PointRecord(point=number, values=values, reason=reason))
            if reason:
                self._done += len(missing)
                continue
            for seed in missing:
                if self._halted():
                    self._is_cut = True
                    return
                yield RunTask(number, seed, scenario, self._until_s)
