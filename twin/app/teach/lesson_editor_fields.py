"""The fields of a lesson and of its steps, for the forms of the editor: place, kind and words. No widgets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel

from twin.app.form.field import Field, field_of
from twin.app.form.typed import names_in, text_of, typed_value
from twin.language import tr
from twin.lessons.measure import EDIT
from twin.lessons.schema import AnswerChoice, Hint, Lesson, Mistake, NumberQuestion, Step
from twin.scenario.schema.fault_kinds import KINDS as FAULT_KINDS

Shape = Literal["field", "prose", "lines", "pairs"]
ValuePath = tuple[str | int, ...]


@dataclass(frozen=True)
class EditorField:
    """A value of the lesson that can be written.

    Attributes
    ----------
    path
        Where it stands in the lesson.
    of
        What it is, for people.
    shape
        One field, a text of several lines, a list with a line for each, or lines with PATH=VALUE.
    timed
        Whether it is a time of the run, which can be taken from the clock.
    shown
        Whether the text is shown below as learners see it.
    """

    path: ValuePath
    of: Field
    shape: Shape = "field"
    timed: bool = False
    shown: bool = False

    def value(self, words: str) -> object:
        """Return what was typed as the lesson holds it; raises `ValueError`."""
        words = words.strip()
        if self.shape == "lines":
            return tuple(line.strip() for line in words.splitlines() if line.strip())
        if self.shape == "pairs":
            return dict(_pair(line) for line in words.splitlines() if line.strip())
        if self.of.kind == "names":
            return tuple(names_in(words)) if not self.of.choices else typed_value(self.of, words) or ()
        if self.of.optional and not words:
            return None
        return typed_value(self.of, words)

    def words(self, value: object) -> str:
        """Return a value of the lesson as people write it."""
        if self.shape == "lines" and isinstance(value, tuple):
            return "\n".join(value)
        if self.shape == "pairs" and isinstance(value, dict):
            return "\n".join(f"{path}={each}" for path, each in value.items())
        return text_of(self.of, value)


FieldSection = tuple[str, tuple[EditorField, ...]]


def lesson_sections() -> tuple[FieldSection, ...]:
    """Return the fields of the whole lesson under their headings."""
    return (
        (
            tr("The lesson"),
            (
                _field(Lesson, (), "title", tr("Title")),
                _field(Lesson, (), "course", tr("Course")),
                _field(Lesson, (), "place", tr("Place in the course")),
                _field(Lesson, (), "audience", tr("For whom")),
                _field(Lesson, (), "minutes", tr("Minutes")),
                _text((), "learnt", tr("What is learnt"), tr("One thing a line"), "lines"),
                _text((), "sources", tr("Sources"), tr("Where its figures come from, one a line"), "lines"),
            ),
        ),
    )


def step_sections(step: Step, place: int) -> tuple[FieldSection, ...]:
    """Return the fields of a step under their headings."""
    at: ValuePath = ("steps", place)
    hall = (
        _field(Step, at, "scene", tr("Scene")),
        _text(at, "settings", tr("Settings"), tr("Values of the scene that differ: PATH=VALUE"), "pairs"),
        _text(at, "inject", tr("What happens"), tr("T KIND TARGET, such as 10 min fail gpu/0/1"), "lines"),
    )
    acts = ("acts", tr("Acts allowed"), (EDIT, *FAULT_KINDS))
    hints = tuple(
        each for row, _ in enumerate(step.hints) for each in _hint((*at, "hints", row), number=row + 1)
    )
    solution = (_text((*at, "solution"), "acts", tr("Script"), _SCRIPT, "lines"),) if step.solution else ()
    return (
        (
            tr("What is read"),
            (
                _field(Step, at, "title", tr("Title")),
                _text(at, "text", tr("Text"), tr("What to know; Markdown without HTML"), shown=True),
                _text(at, "task", tr("Task"), tr("What to do; empty: read, or answer"), optional=True),
                _text(at, "solved", tr("When solved"), tr("What is said then"), optional=True),
            ),
        ),
        (
            tr("Time of the run"),
            (
                _field(Step, at, "begins", tr("Begins"), timed=True),
                _field(Step, at, "ends", tr("Ends"), timed=True),
                _field(Step, at, "speed", tr("Speed")),
            ),
        ),
        (tr("The hall"), hall if step.scene is not None else ()),
        (
            tr("What may be touched"),
            (
                _field(Step, at, f"allowed.{acts[0]}", acts[1], choices=acts[2]),
                _field(Step, at, "allowed.keys", tr("Keys allowed")),
            ),
        ),
        (
            tr("Where to look"),
            (_field(Step, at, "look.dock", tr("Dock")), _field(Step, at, "look.thing", tr("Thing"))),
        ),
        (tr("Hints"), hints),
        (tr("Solution"), solution),
    )


def mistake_fields(place: int, row: int) -> tuple[EditorField, ...]:
    """Return the fields of a mistake that a step knows."""
    at: ValuePath = ("steps", place, "mistakes", row)
    return (
        _field(Mistake, at, "title", tr("What was tried")),
        _text(at, "why", tr("Answer"), tr("Why it does not do")),
        _text(at, "acts", tr("Script"), _SCRIPT, "lines"),
    )


def question_fields(step: Step, place: int) -> tuple[EditorField, ...]:
    """Return the fields of the question of a step; none: it asks nothing."""
    at: ValuePath = ("steps", place, "question")
    question = step.question
    if question is None:
        return ()
    ask = _text(at, "ask", tr("Question"), tr("What is asked"))
    if question.kind == "choice":
        return ask, *(
            each for row, _ in enumerate(question.choices) for each in _choice((*at, "choices", row), row + 1)
        )
    right = (_field(NumberQuestion, at, "right", tr("Right figure")),) if question.measure is None else ()
    return (
        ask,
        *right,
        _field(NumberQuestion, at, "unit", tr("Unit")),
        _field(NumberQuestion, at, "within", tr("Tolerance")),
        _text(at, "too_low", tr("Said if too low"), tr("What is said to a lower answer")),
        _text(at, "too_high", tr("Said if too high"), tr("What is said to a higher answer")),
    )


_SCRIPT = tr("One act a line: T KIND TARGET, or T set PATH=VALUE")


def _choice(at: ValuePath, number: int) -> tuple[EditorField, ...]:
    return (
        _field(AnswerChoice, at, "text", tr("Answer {number}", number=number)),
        _field(AnswerChoice, at, "right", tr("Answer {number} is right", number=number)),
        _text(at, "why", tr("Said to it"), tr("What is said when it was chosen")),
    )


def _hint(at: ValuePath, number: int) -> tuple[EditorField, ...]:
    return (
        _text(at, "text", tr("Hint {number}", number=number), tr("A help that costs points")),
        _field(Hint, at, "cost", tr("Cost in points")),
    )


def _field(
    model: type[BaseModel], at: ValuePath, key: str, title: str, *, timed: bool = False, **said: Any
) -> EditorField:
    found = field_of(model, key, Field, title=title, **said)
    assert found is not None, key
    name = {"begins": "begins_s", "ends": "ends_s"}.get(key, key)
    return EditorField((*at, *name.split(".")), found, timed=timed)


def _text(
    at: ValuePath,
    key: str,
    title: str,
    tip: str,
    shape: Shape = "prose",
    *,
    optional: bool = False,
    shown: bool = False,
) -> EditorField:
    return EditorField((*at, key), Field(key, title, tip, optional=optional), shape, shown=shown)


def _pair(line: str) -> tuple[str, str]:
    path, sign, value = line.partition("=")
    if not sign or not path.strip() or not value.strip():
        raise ValueError(tr("{line!r} is no PATH=VALUE", line=line.strip()))
    return path.strip(), value.strip()
