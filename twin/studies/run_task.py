"""One run of a study, in whatever process or machine: a point, a seed, and the figures it comes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock

from twin.analysis.seeds import sample
from twin.record.inputs import versions
from twin.scenario.schema.document import Scenario
from twin.studies.study_figures import closed_forms


@dataclass(frozen=True)
class RunTask:
    """A run to be made.

    Attributes
    ----------
    point
        Number of the point.
    seed
        Of the run; None: only the closed forms, which need none.
    scenario
        The scene of the point.
    until_s
        Stop there [s]; None: at its end.
    program
        Versions of the program that asks; another one could come to other figures.
    """

    point: int
    seed: int | None
    scenario: Scenario
    until_s: float | None = None
    program: Mapping[str, str] = field(default_factory=lambda: _program())


@dataclass(frozen=True)
class RunOutcome:
    """What a run came to: figures by key, or the reason why it could not be.

    Attributes
    ----------
    point, seed
        As of the task.
    figures
        By key; None where a figure is unknown.
    reason
        In a sentence; "": it ran.
    lost
        It is the machine that failed, not the run, which may be made elsewhere or another time.
    """

    point: int
    seed: int | None
    figures: Mapping[str, float | None]
    reason: str = ""
    lost: bool = False


def run_task(task: RunTask) -> RunOutcome:
    """Return what a run comes to; what stops one point is its outcome, and costs no other."""
    here = _program()
    if task.program != here:
        other = [
            f"{name} {here[name]}, not {asked}" for name, asked in task.program.items() if asked != here[name]
        ]
        return RunOutcome(
            task.point, task.seed, {}, f"a worker has another program: {', '.join(other)}", True
        )
    try:
        with _ALONE:
            if task.seed is None:
                figures = closed_forms(task.scenario)
            else:
                figures = dict(sample(task.scenario, task.seed, task.until_s).figures)
    except Exception as error:  # noqa: BLE001 - whatever stops one point of a thousand, the others go on
        reason = (
            str(error)
            if isinstance(error, ValueError)
            else f"{type(error).__name__}: {error}".removesuffix(": ")
        )
        lost = isinstance(error, MemoryError | OSError)
        return RunOutcome(task.point, task.seed, {}, reason or type(error).__name__, lost)
    return RunOutcome(task.point, task.seed, figures)


_ALONE = Lock()
"""A process makes one run at a time, also where its scheduler gives it several threads."""


def _program() -> dict[str, str]:
    return {name: versions()[name] for name in ("twin", "model", "python", "numpy")}
