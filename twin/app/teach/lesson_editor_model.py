"""A lesson in writing: its frozen drafts one after another, the saved one, and the step in hand. No widgets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from psygnal import Signal
from pydantic import ValidationError

from twin.language import tr
from twin.lessons.draft import LessonDraft
from twin.lessons.lesson_file import SUFFIX, LessonFile, load_lesson, shipped_lessons
from twin.lessons.schema import Lesson, Step
from twin.whole_file import write_whole

ABOUT = -1
"""Place of what is said of the whole lesson, before its steps."""
MOST_DRAFTS = 200


class LessonInWriting:
    """The lesson that a teacher writes.

    Attributes
    ----------
    draft
        As it stands; None: none is written.
    path
        Where it is saved; None: nowhere yet.
    folder
        Whose files it may name; None: only shipped scenes.
    place
        Of the step in hand, or `ABOUT`.
    """

    changed = Signal()

    def __init__(self) -> None:
        self.draft: LessonDraft | None = None
        self.path: Path | None = None
        self.folder: Path | None = None
        self.place = ABOUT
        self._saved: LessonDraft | None = None
        self._done: list[tuple[LessonDraft, int]] = []
        self._undone: list[tuple[LessonDraft, int]] = []

    def begin(self, draft: LessonDraft, path: Path | None, folder: Path | None) -> None:
        """Write another lesson; one without a path is not saved yet."""
        self.draft, self.path, self.folder = draft, path, folder
        self._saved = draft if path is not None else None
        self._done, self._undone = [], []
        self.place = 0
        self.changed.emit()

    def open(self, path: Path) -> None:
        """Go on writing the lesson of a file, of a shipped one a copy; raises `ScenarioError`."""
        shipped = path.resolve() in [each.resolve() for each in shipped_lessons()]
        self.begin(LessonDraft.of(load_lesson(path)), None if shipped else path, path.parent)

    def close(self) -> None:
        """Write none any more."""
        self.draft = self.path = self.folder = self._saved = None
        self._done, self._undone = [], []
        self.place = ABOUT
        self.changed.emit()

    @property
    def lesson(self) -> Lesson:
        """Return the lesson as it stands."""
        assert self.draft is not None
        return self.draft.lesson

    @property
    def step(self) -> Step | None:
        """Return the step in hand; None: there is none."""
        return self.lesson.steps[self.place] if self.draft is not None and self.place >= 0 else None

    @property
    def names_files(self) -> bool:
        """Return whether it plays in scenes that lie beside it."""
        scenes = [step.scene for step in self.lesson.steps if step.scene is not None]
        return any(not scene.startswith("builtin:") for scene in scenes)

    @property
    def dirty(self) -> bool:
        """Return whether something is not saved."""
        return self.draft is not None and self.draft != self._saved

    @property
    def can_undo(self) -> bool:
        """Return whether a change can be taken back."""
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        """Return whether a change that was taken back can be made again."""
        return bool(self._undone)

    @property
    def name(self) -> str:
        """Return the name of its file."""
        assert self.draft is not None
        return f"{self.draft.id}{SUFFIX}"

    def file(self) -> LessonFile:
        """Return it as a file that was read; raises `ScenarioError`."""
        assert self.draft is not None
        return self.draft.file(self.folder)

    def take(self, draft: LessonDraft, place: int | None = None) -> None:
        """Go on with a changed draft, and with another step in hand."""
        assert self.draft is not None
        if draft != self.draft:
            self._done = [*self._done, (self.draft, self.place)][-MOST_DRAFTS:]
            self._undone = []
        self._stand(draft, self.place if place is None else place)

    def set(self, path: Sequence[str | int], value: object) -> None:
        """Set a value of the lesson; raises `ValueError` where it does not fit."""
        assert self.draft is not None
        self.take(self.draft.with_value(path, value))

    def go(self, place: int) -> None:
        """Take another step in hand."""
        if self.draft is not None and place != self.place:
            self._stand(self.draft, place)

    def undo(self) -> None:
        """Take the last change back."""
        if self._done and self.draft is not None:
            self._undone.append((self.draft, self.place))
            self._stand(*self._done.pop())

    def redo(self) -> None:
        """Make the change again that was taken back last."""
        if self._undone and self.draft is not None:
            self._done.append((self.draft, self.place))
            self._stand(*self._undone.pop())

    def save(self, path: Path) -> None:
        """Write it whole, or not at all; raises `OSError`."""
        assert self.draft is not None
        draft = LessonDraft(path.name.removesuffix(SUFFIX), self.draft.lesson)
        write_whole(path, draft.text.encode())
        self.draft = self._saved = draft
        self.path, self.folder = path, path.parent
        self.changed.emit()

    def _stand(self, draft: LessonDraft, place: int) -> None:
        assert self.draft is not None
        self.draft = LessonDraft(self.draft.id, draft.lesson)
        self.place = min(place, len(draft.lesson.steps) - 1)
        self.changed.emit()


def reason_of(wrong: ValueError) -> str:
    """Return why a value was refused, in one sentence."""
    if not isinstance(wrong, ValidationError):
        return " ".join(str(wrong).split())
    first = wrong.errors(include_url=False, include_input=False)[0]
    bounds = first.get("ctx", {})
    if first["type"] == "string_too_short":
        return tr("write something here")
    if first["type"] == "string_too_long":
        return tr("at most {most} letters", most=bounds.get("max_length", 0))
    if first["type"] == "too_short":
        return tr("at least {least} of these", least=bounds.get("min_length", 0))
    if first["type"] == "too_long":
        return tr("at most {most} of these", most=bounds.get("max_length", 0))
    return first["msg"].removeprefix("Value error, ")
