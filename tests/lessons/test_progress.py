"""What a person did in a lesson is kept for them alone, and nothing that was kept is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from twin.lessons.attempt import begun_attempt, progress_path
from twin.lessons.lesson_file import LessonFile, lesson_from

TEXT = Path(__file__).with_name("hall.twin-lesson.yaml").read_text()


@pytest.fixture
def lesson(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LessonFile:
    """Return a lesson; what is kept goes to a folder of the test."""
    monkeypatch.setenv("TWIN_STATE_DIR", str(tmp_path))
    return lesson_from(TEXT, "hall.twin-lesson.yaml")


def test_names_that_look_alike_in_a_file_name_are_kept_apart(lesson: LessonFile) -> None:
    names = ("Мария", "李", "Ada B", "ada-b", "!")
    assert len({progress_path(lesson, name) for name in names}) == len(names)
    for place, name in enumerate(names):
        begun_attempt(lesson, name).go(place % 2)
    for place, name in enumerate(names):
        assert begun_attempt(lesson, name).place == place % 2
        assert begun_attempt(lesson, f" {name.upper()} ").place == place % 2  # the same name to people


def test_another_text_of_a_lesson_begins_anew_beside_the_old_one(lesson: LessonFile) -> None:
    begun_attempt(lesson, "Ada").go(1)
    changed = lesson_from(TEXT.replace("minutes: 10", "minutes: 12"), "hall.twin-lesson.yaml")
    assert begun_attempt(changed, "Ada").place == 0
    assert begun_attempt(lesson, "Ada").place == 1


def test_damaged_progress_is_put_aside(lesson: LessonFile) -> None:
    path = progress_path(lesson, "Ada")
    path.write_text("{")
    assert begun_attempt(lesson, "Ada").place == 0
    assert path.with_name(f"{path.name}.damaged").read_text() == "{"
