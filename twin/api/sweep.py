"""Many designs of a scene, each with the same seeds, and what they come to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

from twin.analysis.figures import ComparedFigure
from twin.api.compare import Counted
from twin.api.named import load_scene
from twin.scenario.file.set_option import set_texts
from twin.studies.study import SweepOutcome, SweepRequest, carried_out, planned


def _unwatched(title: str) -> AbstractContextManager[None]:
    return nullcontext()


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
        What to sweep, and the name of the scene.
    figures
        What is asked for, beside what is optimised.
    counted
        Shows how many runs are done.
    budget
        Told in a sentence how many runs there will be.

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
    plan = planned(document, asked, figures)
    if budget is not None:
        budget(plan.budget)
    with counted(f"{plan.points:,} points") as show:
        return carried_out(document, plan, show)
