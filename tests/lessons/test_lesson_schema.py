"""The committed schema of lessons is that of the program, and every shipped lesson fits it."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft7Validator

from twin import resources
from twin.lessons.lesson_file import load_lesson, shipped_lessons
from twin.lessons.lesson_schema import FILE_NAME, json_schema


def test_the_committed_schema_is_that_of_the_program() -> None:
    committed = (resources.folder("assets") / "schema" / FILE_NAME).read_text(encoding="utf-8")
    assert json.loads(committed) == json_schema()


@pytest.mark.parametrize("path", shipped_lessons(), ids=lambda path: path.name)
def test_shipped_lessons_fit_the_schema(path: str) -> None:
    errors = list(Draft7Validator(json_schema()).iter_errors(load_lesson(path).tree.plain()))
    assert [f"{list(error.absolute_path)}: {error.message[:200]}" for error in errors] == []
