"""How a step stands while its run goes on: conditions, answer and figures, measured bit by bit."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

from twin.lessons.attempt import Attempt, figure_words
from twin.lessons.judgement import ConditionState, StepVerdict, condition_words, judging
from twin.lessons.schema import Step
from twin.record.reader import Reader
from twin.scenario.schema.document import Scenario


@dataclass(frozen=True)
class Review:
    """What was measured.

    Attributes
    ----------
    verdict
        How the step stands, with the answer that was given last.
    figures
        Of the text, in words.
    at_s
        Time of the run up to which it was measured [s].
    """

    verdict: StepVerdict
    figures: dict[str, str]
    at_s: float


def reviewing(attempt: Attempt, scenario: Scenario, run_file: Path | None) -> Generator[None, None, Review]:
    """Measure a step, with a rest between one measure and the next.

    Parameters
    ----------
    attempt
        With what was done, as it was kept last.
    scenario
        As it stands.
    run_file
        As far as it is written; None: there is no run.

    Raises
    ------
    RunFileError
        When it is damaged.
    """
    reader = Reader(run_file) if run_file is not None else None
    try:
        at_s = reader.t_end_s if reader is not None else 0.0
        step, given = attempt.step, attempt.record.answers
        evidence = attempt.evidence(scenario, reader, at_s)
        yield
        verdict = yield from judging(step, evidence, given[-1] if given else None)
        figures = {}
        for name, measure in step.figures.items():
            yield
            figures[name] = figure_words(measure, evidence)
        return Review(verdict, figures, at_s)
    finally:
        if reader is not None:
            reader.close()


def value_shown(step: Step, verdict: StepVerdict, place: int) -> str:
    """Return the value behind a condition in words, "" where there is none."""
    if place >= len(verdict.outcomes):
        return ""
    outcome = verdict.outcomes[place]
    if outcome.value is None:
        return ""
    return condition_words(step.conditions[place], outcome.value)


def unmet(step: Step, verdict: StepVerdict) -> list[str]:
    """Return the conditions that do not hold, each with the value that was measured."""
    found = []
    for place, (condition, outcome) in enumerate(zip(step.conditions, verdict.outcomes, strict=True)):
        if outcome.state in (ConditionState.OPEN, ConditionState.BROKEN):
            value = value_shown(step, verdict, place)
            found.append(f"{condition.text}: {value}" if value else condition.text)
    return found
