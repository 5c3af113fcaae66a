"""A scene made ready and run in this process, for both ``twin run`` and `Scene.run`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from twin.api.changes import with_changes
from twin.api.errors import BadInput, Warn

if TYPE_CHECKING:
    from twin.planning.risk.random_incidents import Level
    from twin.record.redraw import Redraw
    from twin.runtime.inline import Result
    from twin.scenario import Document, Scenario


def prepared(
    document: Document,
    settings: Sequence[str],
    injections: Sequence[str],
    until_s: float | None,
    work: Callable[[Scenario], Scenario] | None = None,
    incidents: str | None = None,
    seed: int | None = None,
    *,
    warn: Warn,
) -> Scenario:
    """Return a scene with all that changes it before it runs.

    Parameters
    ----------
    document
        The scene.
    settings, injections
        As for `with_changes`.
    until_s
        Where the run is to end [s]; None: where the scene does.
    work
        Gives it other jobs.
    incidents, seed
        Level of random incidents, None: none; and what they are drawn from, None: the seed of the scene.
    warn
        Takes what to say of injections that come too late.

    Raises
    ------
    ScenarioError
        When something does not fit the scene.
    BadInput
        When the run would end after the scene.
    """
    from twin.planning.risk.random_incidents import random_incidents
    from twin.units import spoken

    end_s = math.inf if until_s is None else until_s
    scenario = with_changes(document, settings, injections, work, end_s, warn=warn)
    if incidents is not None:
        found = random_incidents(scenario, cast("Level", incidents), scenario.seed if seed is None else seed)
        scenario = scenario.model_copy(update={"interventions": (*scenario.interventions, *found)})
    if until_s is not None and until_s > scenario.duration_s:
        until = spoken(until_s)
        raise BadInput(
            f"--until: {until!r} lies after the end of the scene; for a longer run: --set duration={until!r}"
        )
    return scenario


def recorded(
    scenario: Scenario,
    name: str,
    seed: int | None,
    until_s: float | None,
    path: Path | None,
    redraws: Sequence[Redraw] = (),
    progress: Callable[[float, float], None] | None = None,
    *,
    warn: Warn,
) -> Result:
    """Run a scene that is ready, and report the parts of it that were not done.

    Parameters
    ----------
    scenario, name
        The scene, and what the person calls it.
    seed, until_s, path, redraws, progress
        As for `twin.runtime.inline.run`; `path` is the run file.
    warn
        Takes interventions that were refused, jobs that do not fit, and a branch whose past is another.

    Raises
    ------
    RunFileError
        When the run file cannot be written.
    """
    from twin.analysis.branch import other_past
    from twin.runtime.inline import run

    result = run(
        scenario, seed=seed, until_s=until_s, record=path, progress=progress, paced=True, redraws=redraws
    )
    events = result.engine.events(0)
    for event in events:
        if event.kind == "refused":
            warn(f"not done: {event.subject}: {event.text}")
        elif event.kind == "does_not_fit":
            warn(f"{name}: job {event.text}; it runs here all the same")
    branch = scenario.branch
    if (
        branch is not None
        and result.engine.now_s > branch.at_s
        and (divergence := other_past(branch, events, scenario.own_files))
    ):
        warn(f"{name}: {divergence}")
    return result


def summary_of(result: Result) -> dict[str, Any]:
    """Return the summary of a run as ``twin run --json`` prints it: with the time and memory that it took here."""
    return {
        **result.engine.summary(),
        "wall_s": result.wall_s,
        "cpu_s": result.cpu_s,
        "peak_rss_bytes": result.peak_rss_bytes,
        "run_file": None if result.run_file is None else str(result.run_file.resolve()),
    }
