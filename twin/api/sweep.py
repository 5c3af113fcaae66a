"""Many designs of a scene, each with the same seeds, and what they come to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from twin.analysis.figures import ComparedFigure
from twin.analysis.run_pool import RunPool
from twin.api.arguments import MAX_SEED
from twin.api.compare import Counted
from twin.api.errors import BadInput
from twin.api.named import load_scene
from twin.scenario.file.set_option import set_texts
from twin.studies.adaptive import (
    generations_of,
    indices_of,
    optimised,
    optimising_design,
    saltelli_design,
)
from twin.studies.aim import aims_of, limits_of
from twin.studies.cluster import Cluster
from twin.studies.design import DesignKind, SweepDesign, design_of
from twin.studies.run_task import RunOutcome, RunTask, run_task
from twin.studies.sensitivity import SobolIndex
from twin.studies.study_error import StudyError
from twin.studies.sweep import SweepRunner
from twin.studies.sweep_file import SweepFile
from twin.studies.sweep_records import SweepContents, header_of
from twin.studies.varied_key import varied_keys

POOL = "pool"
"""Processes of this machine."""


@dataclass(frozen=True)
class SweepRequest:
    """What is to be swept.

    Attributes
    ----------
    scene, settings
        Name of the scene, and ``PATH=VALUE`` that hold at every point.
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
    limits: Sequence[str] = ()
    on: str = POOL
    certificates: Path | None = None

    def executor(self) -> RunPool[RunTask, RunOutcome] | Cluster:
        """Return where runs are made; raises `StudyError` when nobody answers there."""
        if self.on != POOL:
            return Cluster(self.on, self.certificates)
        if self.certificates is not None:
            raise StudyError("--certificates go with --on tls://HOST:PORT")
        return RunPool(run_task, self.workers)


def _unwatched(title: str) -> AbstractContextManager[None]:
    return nullcontext()


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
        Numbers of the best points, of an optimisation.
    figures
        What was optimised and limited.
    """

    contents: SweepContents
    lost: tuple[str, ...] = ()
    indices: Mapping[str, tuple[tuple[SobolIndex, ...] | None, int]] | None = None
    front: tuple[int, ...] | None = None
    figures: tuple[ComparedFigure, ...] = ()


def swept(
    asked: SweepRequest,
    figures: Sequence[ComparedFigure],
    counted: Counted = _unwatched,
    budget: Callable[[str], None] | None = None,
) -> SweepOutcome:
    """Return a sweep with its results.

    Parameters
    ----------
    asked
        What to sweep.
    figures
        What is asked for, beside what is optimised.
    counted
        Shows how many runs are done.
    budget
        Told how many runs there will be, where points multiply.

    Raises
    ------
    ScenarioError
        When the scene is wrong, or a key cannot vary.
    StudyError
        When the sweep or its file cannot be.
    SchedulerGone
        When nobody makes the runs any more.
    """
    document = set_texts(load_scene(asked.scene), asked.settings)
    keys = varied_keys(document, asked.vary)
    seeds = _seeds(document.scenario.seed if asked.seed is None else asked.seed, asked.seeds)
    aims, limits = aims_of(asked.optimise), limits_of(asked.limits)
    if (limits and not aims) or (aims and asked.indices):
        raise StudyError("--limit goes with --optimise, and neither with --indices")
    samples = None
    if aims:
        design = optimising_design(keys, aims, limits, asked.points)
    elif asked.indices:
        design, samples = saltelli_design(keys, asked.points, document.scenario.seed)
    else:
        design = design_of(document, keys, asked.design, asked.points)
    points = design.number if aims else len(design.points)
    title = f"{points:,} points, {len(seeds)} seed{'s' * (len(seeds) > 1)}"
    if budget is not None and (aims or asked.indices):
        budget(_budget(design, points, len(seeds)))
    header = header_of(document, design, seeds, asked.until_s, asked.scene, tuple(asked.settings))
    own = tuple(dict.fromkeys([*(aim.figure for aim in aims), *(limit.figure for limit in limits)]))
    with asked.executor() as executor, SweepFile(header, asked.out) as file, counted(title) as show:
        runner = SweepRunner(document, design, file, (*own, *figures), executor, show, points)
        contents, indices, front = file.contents, None, None
        if aims:
            front = tuple(optimised(runner, contents, design, aims, limits, document.scenario.seed))
        else:
            runner.run(list(enumerate(design.points)))
        if samples is not None:
            indices = {figure.key: indices_of(contents, figure, samples) for figure in figures}
        return SweepOutcome(contents, tuple(reason for _, reason in runner.lost), indices, front, own)


def _seeds(first: int, number: int) -> tuple[int, ...]:
    if first + number - 1 > MAX_SEED:
        raise BadInput(f"--seed: the seeds from {first} on go beyond {MAX_SEED}; begin with a smaller one")
    return tuple(range(first, first + number))


def _budget(design: SweepDesign, points: int, seeds: int) -> str:
    if design.points:
        made = f"{design.number:,} base samples for {len(design.keys)} keys are {points:,} points"
    else:
        generations, population = generations_of(points)
        points = generations * population
        made = f"{generations} generations of {population} points are {points:,} points"
    return f"budget: {made}; with {seeds} seed{'s' * (seeds > 1)} at most {points * seeds:,} runs"
