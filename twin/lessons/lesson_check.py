"""A lesson checked as a whole: what it names exists, each solution solves, and nothing else does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from twin.lessons.judgement import ConditionState, StepVerdict, bound_of, judge, value_words
from twin.lessons.lesson_file import LessonFile
from twin.lessons.measure import ChannelMeasure, LedgerMeasure, Measure, PlanMeasure, SceneMeasure
from twin.lessons.replay import answer_of, span_of, walked
from twin.lessons.schema import NUMBER, Lesson, Step, StepCondition, Way
from twin.lessons.step_hall import hall_of, place_of_hall, problem_at
from twin.lessons.values import NoValue, scene_value
from twin.markdown_text import MarkdownError, figures_of, read_markdown
from twin.plant.build import build
from twin.plant.find import find
from twin.plant.tables import Plant
from twin.record.channels import BY_ID, COLOUR_BY, colours_named
from twin.record.runfile import RunFileError
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.document import Scenario
from twin.scenario.text.problem import Problem, ScenarioError

Told = Callable[[str], None]


def check_lesson(file: LessonFile, person: str | None = None, told: Told | None = None) -> list[Problem]:
    """Return what is wrong with a lesson as one person has it; nothing: it can be taught.

    Each step with a task is run with its solution, with nothing, and with each of its mistakes, as the person has it;
    that what it names exists is checked with all values of its variants.

    Parameters
    ----------
    file
        The lesson.
    person
        Whose variants are tried; None: the first ones.
    told
        Is told which step is tried.

    Raises
    ------
    ScenarioError
        When the lesson cannot be read as this person has it.
    """
    lesson = file.lesson(person)
    problems = [*_static(file, lesson)]
    for draw in file.draws():
        if not problems:
            problems = [*_static(file, file.drawn(draw))]
    if problems:
        return problems
    before: list[Way] = []
    for place, step in enumerate(lesson.steps):
        if place_of_hall(lesson, place) == place:
            before = []
        if step.is_task:
            if told is not None:
                told(step.id)
            problems += _tried(file, lesson, place, before)
        if step.solution is not None:
            before.append(step.solution)
    return problems


def _static(file: LessonFile, lesson: Lesson) -> Iterator[Problem]:
    scenario: Scenario | None = None
    for place, step in enumerate(lesson.steps):
        yield from _texts(file, lesson, step, place)
        if step.scene is not None:
            try:
                scenario = hall_of(file, lesson, place).scenario
            except ScenarioError as error:
                yield from error.problems
                scenario = None
        if scenario is not None:
            yield from _things(file, lesson, step, place, scenario)


def _texts(file: LessonFile, lesson: Lesson, step: Step, place: int) -> Iterator[Problem]:
    known = {*step.figures, *lesson.variants, NUMBER}
    for path, text in texts_of(step, place):
        try:
            names = figures_of(read_markdown(text, pictures=path[-1] == "text" and len(path) == 3))
        except MarkdownError as wrong:
            yield problem_at(file, path, wrong.reason, wrong.right, repr(wrong.found))
            continue
        unknown = next((name for name in names if name not in known), None)
        if unknown is not None:
            yield problem_at(
                file,
                path,
                f"shows {{{unknown}}}, which is neither a figure of the step nor a variant",
                f"known: {', '.join(sorted(known))}",
            )


def _things(
    file: LessonFile, lesson: Lesson, step: Step, place: int, scenario: Scenario
) -> Iterator[Problem]:
    """Yield measures of things that are not there, bounds in the wrong unit, and times beyond the run."""
    begins_s, ends_s = span_of(lesson, place, scenario)
    if step.ends_s is not None and step.ends_s > scenario.duration_s:
        yield problem_at(file, ("steps", place, "ends"), "lies after the end of the scene", "an earlier time")
    if begins_s > ends_s:
        yield problem_at(
            file, ("steps", place, "begins"), "lies after the end of the step", "an earlier time"
        )
    if step.begins_s is not None:
        yield from _too_early(file, lesson, place, begins_s, scenario)
    jobs = [job.id for job in jobs_of(scenario)]
    plant = build(scenario)
    ids, fabrics = ids_of(scenario, plant), [fabric.id for fabric in scenario.fabrics]
    colour = step.look.colour_by
    if colour is not None and len(colours_named(colour)) != 1:
        yield problem_at(
            file,
            ("steps", place, "look", "colour_by"),
            "names no one colour-by",
            f"known: {', '.join(COLOUR_BY)}",
        )
    thing = step.look.thing
    if thing is not None and thing not in ids["job"] and find(plant, thing) is None and thing not in fabrics:
        yield problem_at(file, ("steps", place, "look", "thing"), "is not in the scene", "", repr(thing))
    for path, measure in measures_of(step, place):
        if isinstance(measure, ChannelMeasure) and measure.of is not None:
            known = ids.get(BY_ID[measure.channel].entity, ())
            if measure.of not in known:
                shown = ", ".join(known[:12]) or "none"
                reason = f"is no {BY_ID[measure.channel].entity} of the scene"
                yield problem_at(file, (*path, "of"), reason, f"there are: {shown}", repr(measure.of))
        job = getattr(measure, "job", None)
        if isinstance(measure, LedgerMeasure | PlanMeasure) and job is not None and job not in jobs:
            yield problem_at(
                file, (*path, "job"), "is no job of the scene", f"there are: {', '.join(jobs)}", repr(job)
            )
        if isinstance(measure, SceneMeasure):
            try:
                scene_value(scenario, measure.path)
            except NoValue as none:
                # A task may be to make it; then only the solution has it.
                if step.solution is None:
                    yield problem_at(file, (*path, "path"), str(none))
        late_s = getattr(measure, "until_s", None)
        if late_s is not None and late_s > ends_s:
            yield problem_at(file, (*path, "until"), "lies after the end of the step", "an earlier time")
    for path, condition in conditions_of(step, place):
        for key in ("at_least", "at_most"):
            bound = getattr(condition, key)
            if bound is None:
                continue
            try:
                bound_of(bound, condition.measure)
            except NoValue as none:
                yield problem_at(file, (*path, key), str(none))


def _too_early(
    file: LessonFile, lesson: Lesson, place: int, begins_s: float, scenario: Scenario
) -> Iterator[Problem]:
    """Yield a step before it in its hall in which people may act later than where the step begins."""
    for before in range(place_of_hall(lesson, place), place):
        earlier, may = lesson.steps[before], lesson.steps[before].allowed
        ends_s = span_of(lesson, before, scenario)[1]
        if (may.acts or may.keys) and ends_s > begins_s:
            yield problem_at(
                file,
                ("steps", place, "begins"),
                f"lies before the end of step {earlier.id!r}: what is done there later would be lost",
                f"let {earlier.id!r} end by then, or name the scene again",
            )
            return


def ids_of(scenario: Scenario, plant: Plant) -> dict[str, tuple[str, ...]]:
    """Return the ids of everything of which channels tell, by kind of entity."""
    return {
        "rack": tuple(plant.racks.ids),
        "switch": tuple(plant.switches.ids),
        "store": tuple(plant.stores),
        "power": tuple(plant.power.ids),
        "loop": tuple(plant.loops.ids),
        "hall": tuple(plant.halls.ids),
        "plant": tuple(plant.plants.ids),
        "job": tuple(job.id for job in jobs_of(scenario)),
    }


def conditions_of(step: Step, place: int) -> Iterator[tuple[tuple[str | int, ...], StepCondition]]:
    """Yield the conditions of a step, and those by which its mistakes are recognised, with their places."""
    for row, condition in enumerate(step.conditions):
        yield ("steps", place, "conditions", row), condition
    for row, mistake in enumerate(step.mistakes):
        for number, condition in enumerate(mistake.when):
            yield ("steps", place, "mistakes", row, "when", number), condition


def texts_of(step: Step, place: int) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield all texts of a step that are Markdown, with their places in the file."""
    at: tuple[str | int, ...] = ("steps", place)
    for key in ("text", "task", "solved"):
        yield (*at, key), getattr(step, key) or ""
    for row, hint in enumerate(step.hints):
        yield (*at, "hints", row, "text"), hint.text
    for row, mistake in enumerate(step.mistakes):
        yield (*at, "mistakes", row, "why"), mistake.why
    question = step.question
    if question is None:
        return
    yield (*at, "question", "ask"), question.ask
    if question.kind == "choice":
        for row, choice in enumerate(question.choices):
            yield (*at, "question", "choices", row, "why"), choice.why
    else:
        for key in ("too_low", "too_high"):
            yield (*at, "question", key), getattr(question, key)


def measures_of(step: Step, place: int) -> Iterator[tuple[tuple[str | int, ...], Measure]]:
    """Yield all measures of a step with their places in the file."""
    at: tuple[str | int, ...] = ("steps", place)
    for path, condition in conditions_of(step, place):
        yield (*path, "measure"), condition.measure
    for name, measure in step.figures.items():
        yield (*at, "figures", name), measure
    question = step.question
    if question is not None and question.kind == "number" and question.measure is not None:
        yield (*at, "question", "measure"), question.measure


def _tried(file: LessonFile, lesson: Lesson, place: int, before: list[Way]) -> Iterator[Problem]:
    """Run a step with its solution, with nothing, and with each mistake; yield what does not come out as it should."""
    step = lesson.steps[place]
    at: tuple[str | int, ...] = ("steps", place)
    solution = step.solution or Way()
    solved = _verdict(file, lesson, place, solution, before, (*at, "solution"))
    if isinstance(solved, Problem):
        yield solved
    elif not solved.solved:
        yield problem_at(file, (*at, "solution"), f"does not solve the step: {reason_of(step, solved)}")
    if step.conditions:
        idle = _verdict(file, lesson, place, Way(), before, (*at, "conditions"))
        if isinstance(idle, Problem):
            yield idle
        elif replace(idle, asked=False).solved:
            yield problem_at(file, (*at, "conditions"), "hold when nothing is done: the step solves itself")
    for row, mistake in enumerate(step.mistakes):
        tried = _verdict(file, lesson, place, mistake, before, (*at, "mistakes", row))
        if isinstance(tried, Problem):
            yield tried
        elif tried.solved:
            yield problem_at(
                file, (*at, "mistakes", row), "solves the step", "take it out, or sharpen the conditions"
            )
        elif mistake.when and (tried.mistake is None or tried.mistake.title != mistake.title):
            yield problem_at(file, (*at, "mistakes", row, "when"), "does not recognise its own script")


def _verdict(
    file: LessonFile,
    lesson: Lesson,
    place: int,
    way: Way,
    before: list[Way],
    path: tuple[str | int, ...],
) -> StepVerdict | Problem:
    step = lesson.steps[place]
    try:
        with walked(file, lesson, place, way, before) as evidence:
            return judge(step, evidence, answer_of(step, way, evidence))
    except (ScenarioError, RunFileError, NoValue, ValueError) as error:
        return problem_at(file, path, f"cannot be tried: {' '.join(str(error).split())[:300]}")


def reason_of(step: Step, verdict: StepVerdict) -> str:
    """Return the first reason why a step is not solved."""
    if verdict.forbidden:
        return "it does what the step does not allow"
    for condition, outcome in zip(step.conditions, verdict.outcomes, strict=True):
        if outcome.state is not ConditionState.MET:
            value = outcome.reason or f"it is {value_words(outcome.value or 0.0, condition.measure.unit)}"
            return f"{condition.text!r} does not hold ({value})"
    return "the answer is not right" if not verdict.answered else ""
