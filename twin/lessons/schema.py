"""The document of a lesson: steps, tasks, conditions, questions, hints, solutions and mistakes."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from twin.lessons.measure import ActKind, Measure
from twin.scenario.schema.base import DocumentPart, Id
from twin.scenario.schema.quantity import Moment

FORMAT, VERSION = "twin/lesson", 1
MOST_STEPS = 40
NUMBER = "number"
"""Name that stands for the number drawn for a person, beside the names of `variants`."""

Line = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Prose = Annotated[str, StringConstraints(min_length=1, max_length=4000)]
"""A text in Markdown."""


def _joined(text: str) -> str:
    """Return a text in which a line that ends goes on, and an empty line begins a paragraph."""
    return re.sub(r"(?<!\n)\n(?!\n)", " ", text.strip())


Told = Annotated[Prose, AfterValidator(_joined)]
"""Plain sentences said to a person."""
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Value = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
Bound = float | Annotated[str, StringConstraints(min_length=1, max_length=60)]


class StepCondition(DocumentPart):
    """One thing that must hold for a step to be solved."""

    text: Line = Field(description="what must hold, for people")
    measure: Measure = Field(description="what is measured")
    at_least: Bound | None = Field(
        default=None, description="in the unit of what is measured, or with a unit"
    )
    at_most: Bound | None = Field(default=None, description="in the unit of what is measured, or with a unit")
    equals: Bound | bool | None = Field(default=None, description="exactly this, also a word of the scene")

    @model_validator(mode="after")
    def _bounded(self) -> StepCondition:
        bounds = [bound is not None for bound in (self.at_least, self.at_most, self.equals)]
        if not any(bounds) or (bounds[2] and sum(bounds) > 1):
            raise ValueError("needs at_least, at_most (or both), or equals")
        return self


class AnswerChoice(DocumentPart):
    """One answer to choose."""

    text: Line = Field(description="the answer")
    right: bool = Field(default=False, description="whether it is right")
    why: Told = Field(description="what is said when it was chosen")


class ChoiceQuestion(DocumentPart):
    """A question with answers to choose from."""

    kind: Literal["choice"] = Field(description="one of several answers")
    ask: Prose = Field(description="the question")
    choices: tuple[AnswerChoice, ...] = Field(min_length=2, max_length=8, description="one or more are right")

    @model_validator(mode="after")
    def _answerable(self) -> ChoiceQuestion:
        right = sum(choice.right for choice in self.choices)
        if not right or right == len(self.choices):
            raise ValueError("needs a right answer and a wrong one: set right: true on some choices")
        return self


class NumberQuestion(DocumentPart):
    """A question for a figure, which is known or read off the hall."""

    kind: Literal["number"] = Field(description="a figure typed in")
    ask: Prose = Field(description="the question")
    unit: str = Field(default="", max_length=40, description="unit of the answer, shown beside the field")
    right: float | None = Field(default=None, description="the right figure; none: that of `measure`")
    measure: Measure | None = Field(default=None, description="where the hall says the right figure")
    scale: float = Field(default=1.0, gt=0, description="the answer is what is measured times this")
    within: float = Field(default=0.05, ge=0, le=1, description="how far off an answer may be, as a share")
    too_low: Told = Field(description="what is said to a lower answer")
    too_high: Told = Field(description="what is said to a higher answer")

    @model_validator(mode="after")
    def _known(self) -> NumberQuestion:
        if (self.right is None) == (self.measure is None):
            raise ValueError("needs either `right` or `measure`")
        return self


Question = Annotated[ChoiceQuestion | NumberQuestion, Field(discriminator="kind")]
Answer = float | tuple[int, ...]
"""A figure, or which choices were taken, from 0."""


class Hint(DocumentPart):
    """A help that costs points."""

    text: Told = Field(description="the hint")
    cost: int = Field(default=1, ge=0, le=10, description="points it costs; a step has 10")


class Way(DocumentPart):
    """What a person may do in a step, as a script."""

    settings: dict[Value, Value] = Field(
        default={}, max_length=50, description="values set in the scene before it runs: path: value"
    )
    acts: tuple[Line, ...] = Field(
        default=(),
        max_length=50,
        description="T KIND TARGET [k=v], or T set PATH=VALUE, as --inject takes them",
    )
    answer: float | tuple[int, ...] | None = Field(
        default=None, description="to the question; of a choice the places, from 0; none: the right one"
    )


class Mistake(Way):
    """A plausible way that does not solve the step, and what is said to those who go it."""

    title: Line = Field(description="what was tried")
    why: Told = Field(description="why it does not do, said when it is recognised")
    when: tuple[StepCondition, ...] = Field(
        default=(), max_length=5, description="how it is recognised; none: only the script is tried"
    )


class Pointer(DocumentPart):
    """Where the person should look."""

    dock: str | None = Field(default=None, max_length=60, description="name of a dock")
    thing: str | None = Field(default=None, max_length=100, description="id of a thing, which is framed")
    colour_by: str | None = Field(
        default=None, max_length=60, description="what colours GPUs, such as temperature"
    )


class Allowed(DocumentPart):
    """What a person may do to the hall in a step."""

    acts: tuple[ActKind, ...] = Field(default=(), max_length=60, description="kinds of interventions")
    keys: tuple[Line, ...] = Field(
        default=(), max_length=60, description="keys of the scene that may change: jobs, halls[hall].rows"
    )


class Step(DocumentPart):
    """One step: something to read, to answer, or to do."""

    id: Id = Field(description="name of the step")
    title: Line = Field(description="one line")
    text: Prose = Field(description="what to know; Markdown without HTML; {name} shows a figure of the hall")
    scene: str | None = Field(
        default=None,
        max_length=200,
        description="the hall: builtin:NAME, or a file in the folder of the lesson; none: that of the step before",
    )
    settings: dict[Value, Value] = Field(
        default={}, max_length=50, description="values of this scene that differ: path: value"
    )
    inject: tuple[Line, ...] = Field(
        default=(),
        max_length=50,
        description="what happens: T KIND TARGET [k=v]; instead of what the scene has",
    )
    begins_s: Moment | None = Field(
        default=None,
        alias="begins",
        ge=0,
        description="where the run stands when the step begins; none: as for the step before",
    )
    ends_s: Moment | None = Field(
        default=None, alias="ends", ge=0, description="limit in simulated time; none: the end of the run"
    )
    speed: float | None = Field(default=None, gt=0, le=1e7, description="simulated seconds per second")
    look: Pointer = Field(default=Pointer(), description="where to look")
    figures: dict[Name, Measure] = Field(
        default={}, max_length=20, description="figures shown in the texts of the step by {name}"
    )
    task: Prose | None = Field(default=None, description="what to do; none: read, or answer")
    allowed: Allowed = Field(default=Allowed(), description="what may be touched")
    conditions: tuple[StepCondition, ...] = Field(default=(), max_length=12, description="all must hold")
    question: Question | None = Field(default=None, description="to be answered")
    hints: tuple[Hint, ...] = Field(default=(), max_length=5, description="in their order")
    solved: Told | None = Field(default=None, description="what is said when it is solved")
    solution: Way | None = Field(default=None, description="a script that solves it; the answer key")
    mistakes: tuple[Mistake, ...] = Field(default=(), max_length=6, description="ways that do not solve it")

    @property
    def is_task(self) -> bool:
        """Return whether there is something to do or to answer."""
        return bool(self.conditions) or self.question is not None

    @model_validator(mode="after")
    def _whole(self) -> Step:
        if self.conditions and self.task is None:
            raise ValueError("has conditions but no `task` that says what to do")
        if self.conditions and self.solution is None:
            raise ValueError("has conditions but no `solution`: nobody knows whether they can be met")
        if (self.settings or self.inject) and self.scene is None:
            raise ValueError("changes a scene: name it under `scene`")
        if self.begins_s is not None and self.ends_s is not None and self.ends_s < self.begins_s:
            raise ValueError("ends before it begins")
        return self


class Lesson(DocumentPart):
    """A whole lesson, as a frozen value."""

    format: Literal["twin/lesson"] = Field(description="always twin/lesson")
    version: Literal[1] = Field(description="of this schema")
    title: Line = Field(description="one line")
    course: Line = Field(description="course it belongs to")
    place: int = Field(default=1, ge=1, le=100, description="place in the course")
    audience: Line = Field(description="for whom")
    minutes: int = Field(ge=1, le=180, description="how long it takes")
    learnt: tuple[Line, ...] = Field(min_length=1, max_length=8, description="what is learnt")
    sources: tuple[Line, ...] = Field(min_length=1, max_length=20, description="where its figures come from")
    variants: dict[Name, tuple[Line | float, ...]] = Field(
        default={},
        max_length=20,
        description="names and the values they may have, one drawn for each person: {name} in texts, settings, "
        "acts, conditions; {number} is a number of the person",
    )
    steps: tuple[Step, ...] = Field(min_length=1, max_length=MOST_STEPS, description="in their order")

    @model_validator(mode="after")
    def _orderly(self) -> Lesson:
        ids = [step.id for step in self.steps]
        twice = next((id for id in ids if ids.count(id) > 1), None)
        if twice is not None:
            raise ValueError(f"two steps are called {twice!r}")
        if self.steps[0].scene is None:
            raise ValueError("the first step needs a `scene`")
        return self
