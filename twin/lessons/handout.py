"""A lesson on paper: the handout of the learner, and the answer key of the teacher, as one HTML file."""

from __future__ import annotations

from twin.lessons.judgement import right_answer, value_words
from twin.lessons.lesson_file import LessonFile
from twin.lessons.replay import walked
from twin.lessons.schema import Lesson, Question, Step, Way
from twin.lessons.step_hall import hall_of, place_of_hall
from twin.lessons.values import NoValue, StepEvidence, value_of
from twin.markdown_text import MarkdownError, as_html, read_markdown, with_figures
from twin.record.inputs import app_version
from twin.report.markup import Child, Markup, joined, tag
from twin.report.pages import document

_BOX, _TICKED = "\N{BALLOT BOX}", "\N{BALLOT BOX WITH CHECK}"
_BLANK = "\N{HORIZONTAL ELLIPSIS}" * 6


def handout(file: LessonFile, person: str | None = None, *, key: bool = False) -> str:
    """Return a lesson as a page to print.

    Parameters
    ----------
    file
        The lesson.
    person
        Whose variants it shows; None: the first ones.
    key
        With right answers, figures of the hall, solutions and mistakes, for the teacher.

    Raises
    ------
    ScenarioError, ValueError
        When it cannot be read, or its solutions cannot be run.
    """
    lesson = file.lesson(person)
    sections: list[tuple[str, str, Child]] = [("about", "What is learnt", _about(lesson))]
    before: list[Way] = []
    for place, step in enumerate(lesson.steps):
        if place_of_hall(lesson, place) == place:
            before = []
        figures, answer = _measured(file, lesson, place, before) if key else ({}, "")
        content = joined([_step(step, figures), _key(step, answer, figures) if key else None])
        sections.append((f"step-{place + 1}", f"{place + 1}. {step.title}", content))
        before.append(step.solution or Way())
    sections.append(("sources", "Sources", tag("ul", [tag("li", source) for source in lesson.sources])))
    kind = "Answer key" if key else "Handout"
    variants = ", ".join(
        f"{name} {_word(value)}" for name, value in file.draw(person).items() if name != "number"
    )
    whose = f" Variants: {variants}." if variants and key else ""
    lead = f"{kind}. {lesson.course}, about {lesson.minutes} minutes, for {lesson.audience}.{whose}"
    return document(lesson.title, lead, sections, app_version())


def _about(lesson: Lesson) -> Child:
    return tag("ul", [tag("li", learnt) for learnt in lesson.learnt])


def _measured(file: LessonFile, lesson: Lesson, place: int, before: list[Way]) -> tuple[dict[str, str], str]:
    """Return the figures of a step after its solution, in words, and the right answer to its question."""
    step = lesson.steps[place]
    question = step.question
    if not step.figures and (question is None or question.kind == "choice" or question.measure is None):
        known = StepEvidence(hall_of(file, lesson, place).scenario)  # nothing is read off the run
        return {}, "" if question is None else _answer(question, right_answer(question, known))
    figures: dict[str, str] = {}
    with walked(file, lesson, place, step.solution or Way(), before, run=True) as evidence:
        for name, measure in step.figures.items():
            try:
                figures[name] = value_words(value_of(measure, evidence), measure.unit)
            except NoValue:
                figures[name] = _BLANK
        if step.question is None:
            return figures, ""
        answer = right_answer(step.question, evidence)
    return figures, _answer(step.question, answer)


def _answer(question: Question, answer: float | tuple[int, ...]) -> str:
    if question.kind == "choice":
        places = answer if isinstance(answer, tuple) else ()
        return "; ".join(question.choices[place].text for place in places)
    within = f", within {100 * question.within:g} %"
    return f"{answer:.4g} {question.unit}".rstrip() + within


def _step(step: Step, figures: dict[str, str]) -> Markup:
    parts: list[Child] = [markdown(step.text, figures)]
    if step.task is not None:
        parts += [tag("p", tag("b", "Task")), markdown(step.task, figures)]
        parts.append(tag("ul", [tag("li", f"{_BOX} {condition.text}") for condition in step.conditions]))
    question = step.question
    if question is not None:
        parts += [tag("p", tag("b", "Question")), markdown(question.ask, figures)]
        if question.kind == "choice":
            parts.append(tag("ul", [tag("li", f"{_BOX} {choice.text}") for choice in question.choices]))
        else:
            parts.append(tag("p", f"{_BLANK} {question.unit}"))
    return joined(parts)


def _key(step: Step, answer: str, figures: dict[str, str]) -> Markup:
    parts: list[Child] = []
    question = step.question
    if question is not None:
        parts.append(tag("p", tag("b", "Right answer: "), answer))
        if question.kind == "choice":
            why = [
                tag("li", f"{_TICKED if c.right else _BOX} {c.text}", markdown(c.why, figures))
                for c in question.choices
            ]
            parts.append(tag("ul", why))
    if step.solution is not None and step.is_task:
        parts += [tag("p", tag("b", "Solution")), _way(step.solution)]
    for mistake in step.mistakes:
        parts += [tag("p", tag("b", f"Does not do: {mistake.title}")), markdown(mistake.why, figures)]
        parts.append(_way(mistake))
    for hint in step.hints:
        parts.append(tag("div", f"Hint ({hint.cost})", markdown(hint.text, figures), class_="note"))
    return tag("div", parts, class_="key") if parts else Markup("")


def _way(way: Way) -> Markup:
    lines = [f"set {path} = {value}" for path, value in way.settings.items()] + list(way.acts)
    return tag("ul", [tag("li", line, class_="mono") for line in lines]) if lines else Markup("")


def markdown(text: str, figures: dict[str, str]) -> Markup:
    """Return a text of a lesson as markup of our own, with figures in it; what is no Markdown stands as it is."""
    try:
        blocks = read_markdown(text, pictures=True)
    except MarkdownError:
        return tag("p", text)
    return Markup(as_html(with_figures(blocks, lambda name: figures.get(name, _BLANK))))


def _word(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:g}"
