"""The lessons there are, by course, and how far a person is in each. No widgets."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from twin.app.toolkit.settings import UserSettings
from twin.language import tr
from twin.lessons.attempt import progress_path, unfinished_attempts
from twin.lessons.lesson_file import LessonFile, load_lesson, shipped_lessons
from twin.lessons.result import LessonResult, ResultError, read_result
from twin.lessons.schema import Lesson
from twin.scenario.text.problem import ScenarioError

_OWN = "own_lessons"
_MOST_OWN = 20


@dataclass(frozen=True)
class LessonEntry:
    """A lesson of a list."""

    path: Path
    id: str
    digest: str
    lesson: Lesson


def lesson_entries(own: Iterable[Path] = ()) -> list[LessonEntry]:
    """Return the lessons by course and place, those of one's own after the shipped; what is no lesson is left out."""
    entries = []
    for path in (*shipped_lessons(), *own):
        try:
            entries.append(_entry(lesson_file(path), path))
        except ScenarioError:
            continue
    courses = list(dict.fromkeys(entry.lesson.course for entry in entries))
    return sorted(entries, key=lambda entry: (courses.index(entry.lesson.course), entry.lesson.place))


def lesson_file(path: Path) -> LessonFile:
    """Return the lesson of a file, read once as long as the file stays as it is; raises `ScenarioError`."""
    try:
        status = path.stat()
    except OSError:
        return load_lesson(path)
    return _lesson_file(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=64)
def _lesson_file(path: Path, _changed_ns: int, _size: int) -> LessonFile:
    return load_lesson(path)


_ENTRIES: dict[Path, LessonEntry] = {}


def _entry(file: LessonFile, path: Path) -> LessonEntry:
    """Return the entry of a lesson, read once for each text of it; raises `ScenarioError`."""
    found = _ENTRIES.get(path)
    if found is None or found.digest != file.digest:
        found = _ENTRIES[path] = LessonEntry(path, file.id, file.digest, file.lesson())
    return found


def own_lessons(settings: UserSettings) -> list[Path]:
    """Return the lessons of the person's own that were opened or written, the newest first."""
    shipped = [path.resolve() for path in shipped_lessons()]
    return [path for text in settings.kept(_OWN) if (path := Path(text)).is_file() and path not in shipped]


def remember_lesson(settings: UserSettings, path: Path) -> None:
    """Keep a lesson among those of the person's own, unless it is a shipped one."""
    path = path.resolve()
    if path not in [each.resolve() for each in shipped_lessons()]:
        text = str(path)
        settings.keep(_OWN, [text, *(each for each in settings.kept(_OWN) if each != text)][:_MOST_OWN])


def progress_of(path: Path, person: str) -> LessonResult | None:
    """Return what a person did in a lesson; None: nothing, or of another text of it."""
    try:
        file = lesson_file(path)
        found = read_result(progress_path(file, person))
    except (ScenarioError, ResultError, OSError):
        return None
    return found if found.digest == file.digest else None


def state_words(entry: LessonEntry, person: str) -> str:
    """Return how far a person is in a lesson, "" where they never opened it."""
    result = progress_of(entry.path, person) if person else None
    if result is None:
        return ""
    if result.finished:
        return tr("done")
    return tr(
        "at step {number} of {steps}",
        number=place_of(result, entry.lesson) + 1,
        steps=len(entry.lesson.steps),
    )


def place_of(result: LessonResult, lesson: Lesson) -> int:
    """Return the place of the step that a person stands at, from 0."""
    ids = [step.id for step in lesson.steps]
    return ids.index(result.at) if result.at in ids else 0


def unfinished(own: Iterable[Path], left_out: Container[str] = ()) -> tuple[LessonEntry, LessonResult] | None:
    """Return the lesson that was left unfinished last and what was done in it, if it is here as it was then.

    Parameters
    ----------
    left_out
        Results that are passed over, by their ids.
    """
    entries: dict[tuple[str, str], LessonEntry] = {}
    for result in unfinished_attempts():
        if not entries:  # only then is any lesson read
            entries = {(entry.id, entry.digest): entry for entry in lesson_entries(own)}
        entry = entries.get((result.lesson, result.digest))
        if entry is not None and result.id not in left_out:
            return entry, result
    return None


def next_entry(path: Path, own: Iterable[Path]) -> LessonEntry | None:
    """Return the lesson after one in its course; None: it is the last."""
    entries = lesson_entries(own)
    path = path.resolve()
    here = next((place for place, entry in enumerate(entries) if entry.path.resolve() == path), None)
    if here is None or here + 1 >= len(entries):
        return None
    after = entries[here + 1]
    return after if after.lesson.course == entries[here].lesson.course else None
