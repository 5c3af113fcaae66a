"""Changes of a scene before its run: values by their paths, interventions, and the times in both."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from twin.api.errors import BadInput, Warn

if TYPE_CHECKING:
    from twin.scenario import Document, Scenario


def with_changes(
    document: Document,
    settings: Sequence[str],
    injections: Sequence[str],
    work: Callable[[Scenario], Scenario] | None = None,
    end_s: float = math.inf,
    *,
    warn: Warn,
) -> Scenario:
    """Return the scenario after all ``PATH=VALUE`` and with each ``T KIND TARGET [k=v]`` among its interventions.

    The settings are one change: they are checked together, in whatever order they are given. `work` gives it other
    jobs after them, and before the injections. `warn` takes what to say of an injection after `end_s` [s], or after
    the end of the scene.

    Raises
    ------
    ScenarioError
        When one of them is not understood or does not fit the scene.
    """
    from twin.scenario import parse_injection
    from twin.scenario.checks import check
    from twin.scenario.file.set_option import set_texts
    from twin.scenario.text.problem import ScenarioError

    document = set_texts(document, settings)
    scenario = document.scenario
    if work is not None:
        scenario = work(scenario).model_copy(update={"chapters": ()})  # they tell of other jobs
        check.check(scenario, document.tree)
    before = scenario
    for injection in injections:
        intervention = parse_injection(injection, scenario.start)
        scenario = scenario.model_copy(update={"interventions": (*scenario.interventions, intervention)})
        try:
            check.check(scenario, document.tree)
        except ScenarioError as error:
            raise ScenarioError(
                replace(problem, file=f"--inject {injection!r}", line=0, key=problem.key.rpartition(".")[2])
                for problem in error.problems
            ) from None
        warn_if_late(injection, intervention.at_s, min(end_s, scenario.duration_s), warn)
    if injections:
        _must_be_accepted(scenario, before)
    return scenario


def warn_if_late(injection: str, at_s: float, end_s: float, warn: Warn) -> None:
    """Warn of an injection at a time that a run to `end_s` never reaches [s]."""
    from twin.scenario.checks.horizon import too_late

    if at_s > end_s:
        warn(f"--inject {injection!r}: {too_late(at_s, end_s)}")


def refusals(scenario: Scenario) -> list[tuple[str, str]]:
    """Return what interventions of a scene the engine refuses to do, as (target, reason)."""
    from twin.runtime.loading import engine_type
    from twin.runtime.protocol import ENGINE

    events = engine_type(ENGINE)(scenario).events(0)
    return [(event.subject, event.text) for event in events if event.kind == "refused"]


def _must_be_accepted(scenario: Scenario, before: Scenario) -> None:
    """Raise `BadInput` when the engine refuses an added intervention, such as a failure by a cause that is off."""
    refused = refusals(scenario)
    if refused and len(refused) > len(refusals(before)):
        raise BadInput(f"--inject: {': '.join(refused[-1])}")


def time_of(text: str, option: str, scenario: Scenario | None = None, end_s: float = math.inf) -> float:
    """Return the simulated time of an option [s]; raises `BadInput`.

    Parameters
    ----------
    text
        Such as "22 day 16 h".
    option
        Its name, for the complaint.
    scenario
        What it is a time of: dates, times of day and "end" are understood too; None: only lengths of time are.
    end_s
        What "end" stands for [s].
    """
    from twin.scenario.reading.run_times import NoTime, Times, length_s

    try:
        seconds = length_s(text) if scenario is None else Times(scenario.start, 0.0, end_s).meant(text)
    except NoTime as error:
        raise BadInput(f"{option}: {error}") from None
    if seconds < 0:
        raise BadInput(f"{option}: {text!r} lies before the start; give a time after it")
    return seconds
