"""The run of a step, made again from the scene and what a person did; the same run as in the window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from twin.lessons.judgement import right_answer
from twin.lessons.lesson_file import LessonFile
from twin.lessons.measure import OF_THE_SCENE
from twin.lessons.schema import Answer, Lesson, Step, Way
from twin.lessons.step_hall import Act, acts_of_lines, edited_by, hall_of, place_of_hall, with_acts
from twin.lessons.values import StepEvidence
from twin.record.reader import Reader
from twin.runtime import inline
from twin.scenario.checks import check
from twin.scenario.schema.document import Scenario


@contextmanager
def replayed(scenario: Scenario, acts: Sequence[Act], until_s: float) -> Iterator[Reader]:
    """Yield the run of a scene with acts of a person up to a time [s]; its file is gone afterwards.

    Raises
    ------
    ValueError
        When the scene cannot be run.
    """
    with TemporaryDirectory(prefix="twin-lesson-") as folder:
        path = Path(folder) / "hall.twinrun"
        inline.run(with_acts(scenario, acts), until_s=until_s, record=path)
        with Reader(path) as reader:
            yield reader


def span_of(lesson: Lesson, place: int, scenario: Scenario) -> tuple[float, float]:
    """Return when a step begins and ends at the latest, in time of its run [s]."""
    first = place_of_hall(lesson, place)
    begins_s = 0.0
    for step in lesson.steps[first : place + 1]:
        begins_s = begins_s if step.begins_s is None else step.begins_s
    ends_s = lesson.steps[place].ends_s
    return begins_s, scenario.duration_s if ends_s is None else min(ends_s, scenario.duration_s)


@contextmanager
def walked(
    file: LessonFile, lesson: Lesson, place: int, way: Way, before: Sequence[Way] = (), *, run: bool = False
) -> Iterator[StepEvidence]:
    """Yield the evidence of a step after somebody went a way, to the end of the step.

    Parameters
    ----------
    file, lesson
        The lesson, and as a person has it.
    place
        Of the step.
    way
        What is done in the step.
    before
        What was done in the steps before it that play in the same hall.
    run
        Whether the hall runs even where the step asks nothing of the run.

    Raises
    ------
    ScenarioError
        When something of the way is not understood, or does not fit the scene.
    ValueError
        When the scene cannot be run, or refuses an act.
    """
    settings = [f"{path}={value}" for done in (*before, way) for path, value in done.settings.items()]
    document = hall_of(file, lesson, place, settings)
    scenario = document.scenario
    acts = acts_of_lines([line for done in (*before, way) for line in done.acts], scenario)
    check.check(with_acts(scenario, acts), document.tree)
    begins_s, ends_s = span_of(lesson, place, scenario)
    if not run and not needs_run(lesson.steps[place]):
        yield StepEvidence(edited_by(scenario, acts), None, acts, begins_s, ends_s, begins_s)
        return
    with replayed(scenario, acts, ends_s) as reader:
        refused = reader.events_where(kinds=("refused",))
        if refused:
            raise ValueError(f"the hall refuses {refused[0].subject}: {refused[0].text}")
        yield StepEvidence(edited_by(scenario, acts), reader, acts, begins_s, ends_s, ends_s)


def needs_run(step: Step) -> bool:
    """Return whether a step asks about the run, or only about its scene."""
    measures = [condition.measure for condition in step.conditions]
    measures += [condition.measure for mistake in step.mistakes for condition in mistake.when]
    question = step.question
    if question is not None and question.kind == "number" and question.measure is not None:
        measures.append(question.measure)
    return any(not isinstance(measure, OF_THE_SCENE) for measure in measures)


def answer_of(step: Step, way: Way, evidence: StepEvidence) -> Answer | None:
    """Return the answer of a way; where it gives none, the right one."""
    if step.question is None:
        return None
    return right_answer(step.question, evidence) if way.answer is None else way.answer
