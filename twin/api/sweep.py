"""Many designs of a scene, each with the same seeds, and what they come to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from twin.analysis.figures import ComparedFigure
from twin.analysis.run_pool import RunPool
from twin.api.arguments import MAX_SEED
from twin.api.errors import BadInput
from twin.api.named import load_scene
from twin.scenario.file.set_option import set_texts
from twin.studies.cluster import Cluster
from twin.studies.design import DesignKind, design_of
from twin.studies.run_task import RunOutcome, RunTask, run_task
from twin.studies.study_error import StudyError
from twin.studies.sweep import SweepRunner
from twin.studies.sweep_file import SweepFile
from twin.studies.sweep_records import SweepContents, header_of
from twin.studies.varied_key import varied_keys

POOL = "pool"
"""Processes of this machine."""
Counted = Callable[[str], AbstractContextManager[Callable[[int, int], None] | None]]
"""Takes what is counted, and gives what takes (done, in all); None: nobody watches."""


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


def swept(
    asked: SweepRequest, figures: Sequence[ComparedFigure], counted: Counted = _unwatched
) -> tuple[SweepContents, list[str]]:
    """Return a sweep with its results, and why runs were lost, if any were.

    Parameters
    ----------
    asked
        What to sweep.
    figures
        What is asked for.
    counted
        Shows how many runs are done.

    Raises
    ------
    ScenarioError
        When the scene is wrong, or a key cannot vary.
    StudyError
        When the sweep or its file cannot be.
    """
    document = set_texts(load_scene(asked.scene), asked.settings)
    keys = varied_keys(document, asked.vary)
    design = design_of(document, keys, asked.design, asked.points)
    first = document.scenario.seed if asked.seed is None else asked.seed
    seeds = tuple(range(first, first + asked.seeds))
    if seeds[-1] > MAX_SEED:
        raise BadInput(f"--seed: the seeds from {first} on go beyond {MAX_SEED}; begin with a smaller one")
    header = header_of(document, design, seeds, asked.until_s, asked.scene, tuple(asked.settings))
    runs = f"{len(design.points)} points, {asked.seeds} seed{'s' * (asked.seeds > 1)}"
    with (
        SweepFile(header, asked.out) as file,
        asked.executor() as executor,
        counted(runs) as show,
    ):
        runner = SweepRunner(document, design, file, figures, executor, show)
        runner.run(list(enumerate(design.points)))
        return file.contents, [reason for _, reason in runner.lost]
