"""The lessons that come with the program: each is solved by its solution alone, and names its sources."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest

from twin.app.shell.dock_table import DOCKS
from twin.lessons.judgement import judge
from twin.lessons.lesson_check import check_lesson
from twin.lessons.lesson_file import LessonFile, load_lesson, shipped_lessons
from twin.lessons.measure import FindingMeasure
from twin.lessons.recount import recount
from twin.lessons.replay import answer_of, needs_run, walked
from twin.lessons.schema import Lesson, Way
from twin.lessons.script import scripted_result
from twin.lessons.step_hall import place_of_hall
from twin.lessons.values import StepEvidence, value_of
from twin.record.channels import COLOUR_BY
from twin.scenario import load

LESSONS = shipped_lessons()
SCENES = sorted({path for lesson in LESSONS for path in lesson.parent.glob("*.twin.yaml")})
PERSONS = ("Ada", "Bob")
"""Two who draw other variants than the first ones."""


@pytest.fixture(scope="module", autouse=True)
def recordings() -> None:
    """As they are for people: what is shipped is solved, or not, by all of their samples."""


def _id(path: object) -> str:
    return str(path).rsplit("/", 1)[-1].split(".")[0]


@pytest.fixture(params=LESSONS, ids=_id)
def file(request: pytest.FixtureRequest) -> LessonFile:
    return load_lesson(request.param)


_QUICK = ("cutting-a-model", "experts", "gpu-node-rack")
"""Lessons whose steps all run in a second: they are checked whole each time, of others the first run."""


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=() if _id(path) in _QUICK else pytest.mark.slow, id=_id(path))
        for path in LESSONS
    ],
)
def test_lesson_is_solved_by_its_solution_alone(path: Path) -> None:
    assert [str(problem) for problem in check_lesson(load_lesson(path))] == []


@pytest.mark.parametrize("path", [path for path in LESSONS if _id(path) not in _QUICK], ids=_id)
def test_first_run_of_a_lesson_is_solved_by_its_solution_and_not_by_nothing(path: Path) -> None:
    file = load_lesson(path)
    lesson = file.lesson()
    place = next(at for at, step in enumerate(lesson.steps) if step.conditions and needs_run(step))
    step = lesson.steps[place]
    before = [earlier.solution or Way() for earlier in lesson.steps[place_of_hall(lesson, place) : place]]
    for way, solves in ((step.solution or Way(), True), (Way(), False)):
        with walked(file, lesson, place, way, before) as evidence:
            verdict = judge(step, evidence, answer_of(step, way, evidence))
        assert replace(verdict, asked=verdict.asked and solves).solved is solves


@pytest.mark.slow
@pytest.mark.parametrize("person", PERSONS)
def test_lesson_is_solved_with_the_variants_of_others(file: LessonFile, person: str) -> None:
    assert [str(problem) for problem in check_lesson(file, person)] == []


def test_lesson_is_whole(file: LessonFile) -> None:
    lesson = file.lesson()
    assert 10 <= lesson.minutes <= 25
    assert 4 <= len(lesson.steps) <= 7
    assert all(len(source) > 20 for source in lesson.sources)
    assert sum(step.is_task for step in lesson.steps) >= 3
    assert sum(len(step.mistakes) for step in lesson.steps) >= 3
    assert (
        sum(bool(step.conditions) or _measured(lesson, place) for place, step in enumerate(lesson.steps)) >= 3
    )
    for step in lesson.steps:
        assert not step.conditions or step.mistakes, f"{step.id}: nothing tells of a way that does not do"
        assert step.look.dock is None or step.look.dock in {dock.name for dock in DOCKS}
        assert step.look.colour_by is None or step.look.colour_by in COLOUR_BY


_AT_ONE_INSTANT = ("cutting-a-model", "experts")
"""Lessons of which several steps are done at the same time of the run."""


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=() if _id(path) in _AT_ONE_INSTANT else pytest.mark.slow, id=_id(path))
        for path in shipped_lessons()
    ],
)
def test_who_solves_a_lesson_is_accused_of_nothing(path: Path) -> None:
    file = load_lesson(path)
    found = recount(file, scripted_result(file, "Ada"))
    assert found.findings == ()
    assert found.points == found.most_points


def test_neighbours_have_other_halls(file: LessonFile) -> None:
    drawn = {tuple(file.draw(f"person {number}").items())[1:] for number in range(30)}
    assert len(drawn) >= 4


@pytest.mark.parametrize("path", SCENES, ids=_id)
def test_hall_of_a_lesson_keeps_the_design_rules(path: Path) -> None:
    assert value_of(FindingMeasure(kind="findings"), StepEvidence(load(path).scenario)) == 0


def _measured(lesson: Lesson, place: int) -> bool:
    question = lesson.steps[place].question
    return question is not None and question.kind == "number"


def test_texts_hold_no_html(file: LessonFile) -> None:
    lesson = file.lesson()
    texts = chain.from_iterable(
        (step.text, step.task or "", step.solved or "", *(hint.text for hint in step.hints))
        for step in lesson.steps
    )
    assert not any("<" in text and ">" in text for text in texts)
