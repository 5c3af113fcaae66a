"""The lessons there are, and which was left unfinished last: each text of a lesson is read once."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from twin.app.teach.courses import (
    lesson_entries,
    lesson_file,
    next_entry,
    own_lessons,
    remember_lesson,
    unfinished,
)
from twin.app.toolkit.settings import UserSettings
from twin.lessons.attempt import begun_attempt
from twin.lessons.lesson_file import LessonFile, shipped_lessons

LAB = Path(__file__).parents[1] / "lessons" / "lab.twin-lesson.yaml"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A lesson of the person's own."""
    return Path(shutil.copy(LAB, tmp_path))


def test_the_lesson_that_was_left_last_is_found_without_reading_each_again(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert unfinished([own]) is None
    attempts = [begun_attempt(lesson_file(own), f"pupil {number}") for number in range(5)]
    for number, attempt in enumerate(attempts):
        assert attempt.path is not None
        os.utime(attempt.path, (number, number))
    read: list[str] = []
    lesson = LessonFile.lesson

    def counted(file: LessonFile, *person: str) -> object:
        read.append(file.id)
        return lesson(file, *person)

    monkeypatch.setattr(LessonFile, "lesson", counted)
    left = unfinished([own])
    assert left is not None
    assert left[0].path == own
    assert left[1].id == attempts[4].result.id
    second = unfinished([own], {left[1].id})
    assert second is not None
    assert second[1].id == attempts[3].result.id
    assert read.count("lab") <= 1
    own.write_text(f"{own.read_text()}# another text\n")
    assert unfinished([own]) is None


def test_a_shipped_lesson_is_listed_once_under_whatever_path(own: Path, tmp_path: Path) -> None:
    settings = UserSettings(tmp_path / "settings.ini")
    shipped = shipped_lessons()[0]
    link = tmp_path / "lessons"
    link.symlink_to(shipped.parent)
    before = own_lessons(settings)
    remember_lesson(settings, link / shipped.name)
    assert own_lessons(settings) == before
    remember_lesson(settings, own)
    assert own_lessons(settings)[0] == own.resolve()
    first = lesson_entries()[0]
    assert next_entry(link / first.path.name, ()) == next_entry(first.path, ())
