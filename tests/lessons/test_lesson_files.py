"""What a lesson needs beside it is copied with it, and nothing that is there is written over."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from twin.lessons.lesson_file import load_lesson, shipped_lessons
from twin.lessons.lesson_files import copy_beside, files_beside

SHIPPED = {path.name.split(".")[0]: path for path in shipped_lessons()}


def test_scenes_are_copied_with_what_they_extend(tmp_path: Path) -> None:
    file = load_lesson(SHIPPED["queue"])
    names = files_beside(file)
    assert "sixteen-nodes.twin.yaml" in names
    assert sorted(copy_beside(file, tmp_path)) == sorted(names)
    copy = load_lesson(shutil.copy(SHIPPED["queue"], tmp_path))
    assert files_beside(copy) == names
    assert copy_beside(file, tmp_path) == []  # they are there
    assert copy_beside(copy, tmp_path) == []


def test_pictures_are_copied_and_other_files_stay(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    (own / "pictures").mkdir(parents=True)
    other.mkdir()
    (own / "pictures" / "row.png").write_bytes(b"picture")
    (tmp_path / "secret.twin.yaml").write_text("secret")
    text = SHIPPED["breaker"].read_text().replace("liquid-row.twin.yaml", "builtin:nvl72-row")
    text = text.replace(
        "    text: |\n", "    text: |\n      ![A row](pictures/row.png)\n      ![no](../secret.png)\n\n", 1
    )
    path = own / "mine.twin-lesson.yaml"
    path.write_text(text.replace("- Three racks", "../secret.twin.yaml"))
    file = load_lesson(path)
    assert files_beside(file) == ["pictures/row.png"]
    assert copy_beside(file, other) == ["pictures/row.png"]
    assert (other / "pictures" / "row.png").read_bytes() == b"picture"
    (other / "pictures" / "row.png").write_bytes(b"another")
    with pytest.raises(FileExistsError) as told:
        copy_beside(file, other)
    assert str(other / "pictures" / "row.png") == told.value.filename
    assert (other / "pictures" / "row.png").read_bytes() == b"another"
