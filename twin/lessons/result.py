"""The result of one person: what they did and answered, as a file. Nothing in it is believed: it is recomputed."""

from __future__ import annotations

import json
import stat
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AwareDatetime, Field, StringConstraints, ValidationError, model_validator

from twin.lessons.schema import Answer
from twin.lessons.step_hall import Act
from twin.record.scenario_json import part_to_json
from twin.scenario.schema.base import DocumentPart, Id
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.faults import Intervention
from twin.whole_file import PRIVATE, write_whole

SUFFIX = ".twin-result.json"
MAX_BYTES = 4_000_000
MOST_ANSWERS = 200
"""Kept of a step: the last ones."""
NOTE = (
    "What this person did and answered in a lesson: a pseudonym, edits, answers, hints taken, times of this computer. "
    "It holds no score: twin lesson report runs the lesson again from it."
)
Person = Annotated[str, StringConstraints(min_length=1, max_length=60, pattern=r"^[^\x00-\x1f\x7f]+$")]
Hex = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{8,128}$")]
Result = TypeVar("Result", bound=DocumentPart)
Seconds = Annotated[float, Field(ge=0, le=1e10, allow_inf_nan=False)]
_POINTS, _WRONG, _AGAIN = 10, 2, 1
"""Of a step, and what a wrong answer and another try cost."""


class ResultError(ValueError):
    """A result file cannot be used; the message says which and why."""


class DoneAct(DocumentPart):
    """One act of the person, in the hall of their run."""

    intervention: Intervention | None = Field(default=None, description="what was done to the run")
    edit: Edit | None = Field(default=None, description="what was changed in the scene")

    @model_validator(mode="after")
    def _one(self) -> DoneAct:
        if (self.intervention is None) == (self.edit is None):
            raise ValueError("is either an intervention or an edit")
        return self

    @property
    def act(self) -> Act:
        """Return what was done."""
        done = self.intervention or self.edit
        assert done is not None
        return done

    @classmethod
    def of(cls, act: Act) -> DoneAct:
        """Return the record of an act."""
        return cls(edit=act) if isinstance(act, Edit) else cls(intervention=act)


class HallRecord(DocumentPart):
    """What the person did in one hall, of as many steps as play in it."""

    step: Id = Field(description="the step that brought the hall")
    scene: str | None = Field(
        default=None,
        max_length=500_000,
        description="text of the scene as its run began; none: as the lesson has it",
    )
    acts: tuple[DoneAct, ...] = Field(default=(), max_length=2000, description="in their order")
    until_s: Seconds = Field(default=0.0, description="how far the run came")
    events: int = Field(default=0, ge=0, le=10**8, description="events of the run at the last check")
    event_hash: str = Field(default="", max_length=128, description="hash of these events")


class StepRecord(DocumentPart):
    """What the person did about one step."""

    step: Id = Field(description="the step")
    answers: tuple[Answer, ...] = Field(
        default=(), max_length=MOST_ANSWERS, description="all that were given; the last counts"
    )
    hints: int = Field(default=0, ge=0, le=20, description="hints that were taken")
    tries: int = Field(default=1, ge=1, le=1000, description="how often the step was begun")
    checked_s: Seconds | None = Field(default=None, description="time of the run at the last check")
    acts: int = Field(default=0, ge=0, le=2000, description="acts in the hall at the last check")
    solved: bool = Field(default=False, description="whether the window called it solved")
    opened: AwareDatetime | None = Field(default=None, description="by the clock of the computer, unverified")
    closed: AwareDatetime | None = Field(default=None, description="by the clock of the computer, unverified")

    def points(self, hint_costs: tuple[int, ...], wrong: int) -> int:
        """Return the points of a solved step: 10 less hints, wrong answers and further tries, at least 1."""
        spent = sum(hint_costs[: self.hints]) + _WRONG * wrong + _AGAIN * (self.tries - 1)
        return max(1, _POINTS - spent)


class LessonResult(DocumentPart):
    """The result of one person in one lesson."""

    format: Literal["twin/lesson-result"] = "twin/lesson-result"
    version: Literal[1] = 1
    note: str = Field(default=NOTE, max_length=1000)
    id: Hex = Field(description="drawn when the lesson was begun")
    lesson: Annotated[str, StringConstraints(min_length=1, max_length=100)] = Field(
        description="name of the lesson"
    )
    digest: Hex = Field(description="hash of the file of the lesson")
    person: Person = Field(description="pseudonym")
    number: int = Field(ge=0, lt=2**31, description="number of the person, by which variants are drawn")
    program: str = Field(default="", max_length=60, description="version of the program")
    at: Id = Field(description="the step the person stands at")
    finished: bool = Field(default=False, description="whether they came to the end")
    halls: tuple[HallRecord, ...] = Field(default=(), max_length=40)
    steps: tuple[StepRecord, ...] = Field(default=(), max_length=40)

    @model_validator(mode="after")
    def _once(self) -> LessonResult:
        for name, ids in (
            ("halls", [hall.step for hall in self.halls]),
            ("steps", [step.step for step in self.steps]),
        ):
            if len(set(ids)) < len(ids):
                raise ValueError(f"names a step twice under {name}")
        return self

    def hall(self, step: str) -> HallRecord:
        """Return the record of the hall that a step brought."""
        return next((hall for hall in self.halls if hall.step == step), HallRecord(step=step))

    def step(self, id: str) -> StepRecord:
        """Return the record of a step."""
        return next((step for step in self.steps if step.step == id), StepRecord(step=id))

    def with_hall(self, hall: HallRecord) -> LessonResult:
        """Return the result with another record of a hall."""
        others = tuple(other for other in self.halls if other.step != hall.step)
        return self.model_copy(update={"halls": (*others, hall)})

    def with_step(self, step: StepRecord) -> LessonResult:
        """Return the result with another record of a step."""
        others = tuple(other for other in self.steps if other.step != step.step)
        return self.model_copy(update={"steps": (*others, step)})


def write_result(result: LessonResult, path: Path) -> None:
    """Write a result, whole or not at all, for its owner's eyes only; raises `OSError`."""
    write_private(result, path)


def write_private(result: DocumentPart, path: Path) -> None:
    """Write what somebody did, whole or not at all, for its owner's eyes only; raises `OSError`."""
    write_whole(path, (result_text(result) + "\n").encode(), PRIVATE)


def result_text(result: DocumentPart) -> str:
    """Return a result as JSON text."""
    plain: dict[str, Any] = json.loads(part_to_json(result))
    return json.dumps(plain, indent=1, ensure_ascii=False)


def read_result(path: Path) -> LessonResult:
    """Return the result of a file.

    Raises
    ------
    ResultError
        When it cannot be read, is too large, or is no result.
    """
    return read_private(path, LessonResult, "a lesson")


def result_from(data: bytes | str, name: str = "result") -> LessonResult:
    """Return the result that a text holds; raises `ResultError`."""
    return _result_in(data, name, LessonResult, "a lesson")


def read_private(path: Path, kind: type[Result], of: str) -> Result:
    """Return the result of a kind that a file holds, `of` a lesson or a drill; raises `ResultError`."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # opening a pipe would wait for somebody to write into it
            raise ResultError(f"{path.name}: is not a regular file")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ResultError(f"{path.name}: cannot be read: {error.strerror or error}") from None
    if len(data) > MAX_BYTES:
        raise ResultError(f"{path.name}: is larger than {MAX_BYTES // 1_000_000} MB, too large for a result")
    return _result_in(data, path.name, kind, of)


def _result_in(data: bytes | str, name: str, kind: type[Result], of: str) -> Result:
    try:
        return kind.model_validate_json(data)
    except (ValidationError, RecursionError, UnicodeDecodeError) as wrong:
        if not isinstance(wrong, ValidationError):
            raise ResultError(f"{name}: is no result of {of}") from None
        first = wrong.errors(include_url=False, include_input=False)[0]
        key = ".".join(str(step) for step in first["loc"])
        raise ResultError(f"{name}: {key or 'the file'}: {first['msg']}") from None


def now() -> datetime:
    """Return the time of this computer, to the second."""
    return datetime.now().astimezone().replace(microsecond=0)
