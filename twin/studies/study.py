"""A study as it is asked for: planned, so that its budget is known, then run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from twin.analysis.figures import ComparedFigure
from twin.analysis.run_pool import RunPool
from twin.arrays import Ints64
from twin.scenario import Document
from twin.studies.adaptive import (
    generations_of,
    indices_of,
    optimised,
    optimising_design,
    saltelli_design,
)
from twin.studies.aim import Aim, FigureLimit, aims_of, limits_of
from twin.studies.cluster import Cluster
from twin.studies.design import DesignKind, SweepDesign, design_of
from twin.studies.run_task import RunOutcome, RunTask, run_task
from twin.studies.sensitivity import SobolIndex
from twin.studies.study_error import StudyError
from twin.studies.sweep import (
    Halted,
    Progress,
    StudyHalted,
    SweepRunner,
    must_be_few_runs,
    never_halted,
    seeds_of_point,
)
from twin.studies.sweep_file import SweepFile
from twin.studies.sweep_records import MAX_SEED, SweepContents, header_of
from twin.studies.varied_key import varied_keys

POOL = "pool"
"""Processes of this machine."""


@dataclass(frozen=True)
class SweepRequest:
    """What is to be swept.

    Attributes
    ----------
    scene, settings
        What the scene is called, and the ``PATH=VALUE`` that made it what it is.
    vary
        ``PATH=A,B,...`` or ``PATH=LOW..HIGH`` for each key.
    design, points
        As `twin.studies.design.design_of` takes them.
    seeds, seed
        Runs of each point, and the first seed; None: the scene's.
    until_s
        Runs stop there [s]; None: at their end.
    out
        The sweep file; None: none.
    workers
        Processes; None: as many as there are processors.
    indices
        Whether Sobol' indices are asked for; `points` are then base samples.
    optimise, limits
        ``FIGURE:min`` or ``FIGURE:max`` each, and ``FIGURE<=VALUE`` or ``FIGURE>=VALUE``; `points` are then the budget.
    on, certificates
        ``pool``, or the address of a scheduler, as `twin.studies.cluster.Cluster` takes it.
    """

    scene: str
    vary: Sequence[str]
    design: DesignKind = "grid"
    points: int | None = None
    seeds: int = 1
    seed: int | None = None
    until_s: float | None = None
    settings: Sequence[str] = ()
    out: Path | None = None
    workers: int | None = None
    indices: bool = False
    optimise: Sequence[str] = ()
    limits: Sequence[str | FigureLimit] = ()
    on: str = POOL
    certificates: Path | None = None

    def executor(self) -> RunPool[RunTask, RunOutcome] | Cluster:
        """Return where runs are made; raises `StudyError` when nobody answers there."""
        if self.on != POOL:
            return Cluster(self.on, self.certificates)
        if self.certificates is not None:
            raise StudyError("--certificates go with --on tls://HOST:PORT")
        return RunPool(run_task, self.workers)


@dataclass(frozen=True)
class SweepOutcome:
    """A sweep, with what follows from it.

    Attributes
    ----------
    contents
        What was run.
    lost
        Why runs were lost, if any were.
    indices
        By key of a figure: the indices of each key that varies, and of how many base samples they are.
    front
        Numbers of the best points, of an optimisation that lost no runs.
    figures
        What was optimised and limited.
    halted
        Whether somebody halted it before its last run began.
    """

    contents: SweepContents
    lost: tuple[str, ...] = ()
    indices: Mapping[str, tuple[tuple[SobolIndex, ...] | None, int]] | None = None
    front: tuple[int, ...] | None = None
    figures: tuple[ComparedFigure, ...] = ()
    halted: bool = False


@dataclass(frozen=True)
class SweepPlan:
    """A study whose points are known, or how many there will be.

    Attributes
    ----------
    asked
        What it was made from.
    design, seeds
        What is run.
    samples
        Which point each base sample is, where indices are asked for.
    aims, limits
        What is optimised.
    shown
        Figures that are asked for beside.
    """

    asked: SweepRequest
    design: SweepDesign
    seeds: tuple[int, ...]
    samples: Ints64 | None
    aims: tuple[Aim, ...]
    limits: tuple[FigureLimit, ...]
    shown: tuple[ComparedFigure, ...]

    @property
    def points(self) -> int:
        """Return how many points are run, at most."""
        if not self.aims:
            return len(self.design.points)
        generations, population = generations_of(self.design.number)
        return generations * population

    @property
    def runs(self) -> int:
        """Return how many runs there are at most, closed forms of a point as one."""
        return self.points * len(seeds_of_point(self.seeds, (*self.figures, *self.shown)))

    @property
    def budget(self) -> str:
        """Return in a sentence how many runs there are."""
        design, seeds = self.design, len(self.seeds)
        made = f"{self.points:,} points"
        if self.aims:
            generations, population = generations_of(design.number)
            made = f"{generations} generations of {population} points are {made}"
        elif self.samples is not None:
            made = f"{design.number:,} base samples for {len(design.keys)} keys are {made}"
        return f"budget: {made}; with {seeds} seed{'s' * (seeds > 1)} at most {self.points * seeds:,} runs"

    @property
    def figures(self) -> tuple[ComparedFigure, ...]:
        """Return what is optimised and limited."""
        return tuple(
            dict.fromkeys([*(aim.figure for aim in self.aims), *(limit.figure for limit in self.limits)])
        )


def planned(document: Document, asked: SweepRequest, figures: Sequence[ComparedFigure]) -> SweepPlan:
    """Return the plan of a study over a scene to which its settings have been applied.

    Parameters
    ----------
    document, asked
        The scene, and what is asked of it.
    figures
        What is asked for, beside what is optimised.

    Raises
    ------
    ScenarioError
        When a key cannot vary.
    StudyError
        When the study cannot be, or takes more runs than fit in a sweep.
    """
    keys = varied_keys(document, asked.vary)
    own = document.scenario.seed
    first = own if asked.seed is None else asked.seed
    if first + asked.seeds - 1 > MAX_SEED:
        raise StudyError(f"--seed: the seeds from {first} on go beyond {MAX_SEED}; begin with a smaller one")
    seeds = tuple(range(first, first + asked.seeds))
    aims, limits = aims_of(asked.optimise), limits_of(asked.limits)
    if (limits and not aims) or (aims and asked.indices):
        raise StudyError("--limit goes with --optimise, and neither with --indices")
    samples = None
    if aims:
        design = optimising_design(keys, aims, limits, asked.points)
    elif asked.indices:
        design, samples = saltelli_design(keys, asked.points, own)
    else:
        design = design_of(document, keys, asked.design, asked.points)
    plan = SweepPlan(asked, design, seeds, samples, aims, limits, tuple(figures))
    must_be_few_runs(plan.runs)
    return plan


def carried_out(
    document: Document, plan: SweepPlan, progress: Progress | None = None, halted: Halted = never_halted
) -> SweepOutcome:
    """Run a study, or what its file lacks of it.

    Parameters
    ----------
    document, plan
        As of `planned`.
    progress
        Told as runs end.
    halted
        Asked before each run; those in flight end.

    Raises
    ------
    StudyError
        When its file cannot be continued.
    SchedulerGone
        When nobody makes the runs any more.
    """
    asked, design, own = plan.asked, plan.design, plan.figures
    header = header_of(document, design, plan.seeds, asked.until_s, asked.scene, tuple(asked.settings))
    with asked.executor() as executor, SweepFile(header, asked.out) as file:
        figures = (*own, *plan.shown)
        runner = SweepRunner(document, design, file, figures, executor, progress, plan.points, halted)
        contents, indices, front = file.contents, None, None
        try:
            if plan.aims:
                seed = document.scenario.seed
                best = optimised(runner, contents, design, plan.aims, plan.limits, seed)
                front = None if best is None else tuple(best)
            else:
                runner.run(list(enumerate(design.points)))
        except StudyHalted:
            return SweepOutcome(contents, _reasons(runner), figures=own, halted=True)
        if plan.samples is not None:
            indices = {figure.key: indices_of(contents, figure, plan.samples) for figure in plan.shown}
        return SweepOutcome(contents, _reasons(runner), indices, front, own)


def _reasons(runner: SweepRunner) -> tuple[str, ...]:
    """Return why runs were lost."""
    return tuple(reason for _, reason in runner.lost)
