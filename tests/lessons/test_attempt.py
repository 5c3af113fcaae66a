"""A person at work: what solved a step is kept, what a step took away is not solved any more."""

from __future__ import annotations

from pathlib import Path

import pytest

from twin.lessons.attempt import Attempt
from twin.lessons.judgement import ConditionState, fits, outcome_of
from twin.lessons.lesson_file import LessonFile, lesson_from, load_lesson
from twin.lessons.recount import recount
from twin.lessons.result import MOST_ANSWERS, read_result
from twin.lessons.schema import StepCondition
from twin.lessons.values import StepEvidence
from twin.scenario.schema.quantity import FROM_FILE
from twin.scenario.text.problem import ScenarioError

QUESTIONS = """
format: twin/lesson
version: 1
title: Two questions
course: Tests
audience: tests
minutes: 10
learnt: [nothing]
sources: [the scene lab-16]
steps:
  - id: first
    title: First
    text: A question.
    scene: builtin:lab-16
    question: {kind: number, ask: Three?, right: 3, too_low: More., too_high: Less.}
"""


@pytest.fixture
def lesson() -> LessonFile:
    """Return a lesson of one question."""
    return lesson_from(QUESTIONS, "questions.twin-lesson.yaml")


def evidence(attempt: Attempt) -> StepEvidence:
    """Return what the open step is held against, in a hall that has not run."""
    return attempt.evidence(attempt.document().scenario, None, 0.0)


def test_what_solved_a_step_is_kept_when_it_is_checked_again(lesson: LessonFile) -> None:
    attempt = Attempt(lesson, "Ada")
    assert not attempt.check(evidence(attempt), 2.0).solved
    assert attempt.check(evidence(attempt), 3.0).solved
    assert not attempt.check(evidence(attempt), 4.0).solved
    assert attempt.record.answers == (2.0, 3.0)
    found = recount(lesson, attempt.result)
    assert found.findings == ()
    assert found.steps[0].points == 8


def test_ever_so_many_answers_can_be_read_back(lesson: LessonFile, tmp_path: Path) -> None:
    attempt = Attempt(lesson, "Ada", path=tmp_path / "ada.twin-result.json")
    for answer in range(10, 15 + MOST_ANSWERS):
        attempt.result = attempt.result.with_step(
            attempt.record.model_copy(
                update={"answers": (*attempt.record.answers, float(answer))[-MOST_ANSWERS:]}
            )
        )
    attempt.check(evidence(attempt), 1.0)
    assert attempt.path is not None
    assert len(read_result(attempt.path).step("first").answers) == MOST_ANSWERS


def test_again_in_a_later_step_undoes_what_it_takes_away() -> None:
    shipped = Path(__file__).parents[2] / "scenes" / "lessons" / "experts.twin-lesson.yaml"
    from twin.lessons.script import scripted_result

    file = load_lesson(shipped)
    result = scripted_result(file, "Ada")
    attempt = Attempt(file, "Ada", result)
    lesson = attempt.lesson
    places = [place for place, step in enumerate(lesson.steps) if step.begins_s is None and place > 0]
    assert places
    attempt.go(places[-1])
    attempt.again()
    accused = [doubt for doubt in recount(file, attempt.result).findings if doubt.accuses]
    assert accused == []


def test_words_and_things_to_be_made_break_nothing(lesson: LessonFile) -> None:
    attempt = Attempt(lesson, "Ada")
    asked = StepCondition.model_validate(
        {
            "text": "by the rule of Young",
            "measure": {"kind": "scene", "path": "jobs[llama3].checkpoint.interval"},
            "equals": "young",
        },
        context=FROM_FILE,
    )
    assert not fits(asked, 1800.0)
    assert fits(asked, "young")
    new = asked.model_copy(update={"measure": asked.measure.model_copy(update={"path": "jobs[new].nodes"})})
    found = evidence(attempt)
    assert outcome_of(new, found).state is ConditionState.OPEN


def test_a_small_file_stays_small() -> None:
    text = QUESTIONS.replace("steps:", f"variants: {{a: [{'x' * 200_000}]}}\nsteps:")
    text = text.replace("text: A question.", f"text: '{'{a}' * 300_000}'")
    with pytest.raises(ScenarioError, match="at most"):
        lesson_from(text, "large.twin-lesson.yaml")
