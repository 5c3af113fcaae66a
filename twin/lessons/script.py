"""A lesson done by script: by its solutions, by nothing, by mistakes; results as a person would leave them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from twin.lessons.attempt import Attempt
from twin.lessons.lesson_file import LessonFile
from twin.lessons.replay import answer_of, span_of, walked
from twin.lessons.result import LessonResult
from twin.lessons.schema import Step, Way
from twin.lessons.step_hall import hall_of, place_of_hall
from twin.lessons.values import NoValue

Choose = Callable[[Step], Way | None]


def solution_of(step: Step) -> Way:
    """Return the way that solves a step."""
    return step.solution or Way()


def nothing_in(_step: Step) -> None:
    """Return the way of somebody who does nothing, and answers nothing."""


def scripted_result(
    file: LessonFile, person: str, choose: Choose = solution_of, path: Path | None = None
) -> LessonResult:
    """Return the result of a person who goes in each step the way that `choose` returns.

    Raises
    ------
    ScenarioError, ValueError
        When a way cannot be gone.
    """
    attempt = Attempt(file, person, path=path)
    before: list[Way] = []
    for place, step in enumerate(attempt.lesson.steps):
        attempt.go(place)
        if place_of_hall(attempt.lesson, place) == place:
            before = []
        chosen = choose(step)
        way = chosen or Way()
        if step.is_task or way.acts or way.settings:
            _do(attempt, way, before, answers=chosen is not None)
        before.append(way)
    attempt.finish()
    return attempt.result


def _do(attempt: Attempt, way: Way, before: Sequence[Way], *, answers: bool) -> None:
    file, lesson, place = attempt.file, attempt.lesson, attempt.place
    settings = [f"{path}={value}" for done in (*before, way) for path, value in done.settings.items()]
    scene = hall_of(file, lesson, place, settings).text if settings else None
    with walked(file, lesson, place, way, before) as evidence:
        now_s = (
            span_of(lesson, place, evidence.scenario)[1] if evidence.reader is not None else evidence.now_s
        )
        attempt.did(evidence.acts, now_s, scene)
        try:
            answer = answer_of(attempt.step, way, evidence) if answers else None
        except NoValue:
            answer = None
        reader = evidence.reader
        if reader is None:
            attempt.check(evidence, answer)
        else:
            attempt.check(evidence, answer, reader.event_count, reader.event_hash)
