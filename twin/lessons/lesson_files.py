"""The files that a lesson needs beside it: scenes, what they extend and read, and pictures; copies of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any

from twin.lessons.lesson_file import LessonFile
from twin.markdown_text import MarkdownError, read_markdown
from twin.scenario import load
from twin.scenario.formats.sibling_files import FileLimit, found
from twin.scenario.text.parse import parse
from twin.scenario.text.problem import Problem, ScenarioError
from twin.whole_file import write_whole

_LIMIT = FileLimit(64_000_000, "a file of a lesson")
_MOST_LETTERS = 400
_SCENES = (".yaml", ".yml")


def files_beside(file: LessonFile) -> list[str]:
    """Return the names of the files in the folder of a lesson that it needs, in the order in which it names them.

    A file is needed that is there and that the lesson names, or a scene that it needs.
    """
    if file.folder is None:
        return []
    needed: dict[str, None] = {}
    waiting = [("", file.tree.plain())]
    while waiting:
        under, value = waiting.pop(0)
        for named in _texts(value):
            name = str(PurePath(under) / named)
            if name in needed or not _lies(name, file.folder):
                continue
            needed[name] = None
            if name.endswith(_SCENES):
                text = (file.folder / name).read_text(encoding="utf-8-sig")
                waiting.append((str(PurePath(name).parent), parse(text, name).plain()))
                for own in load(file.folder / name).scenario.own_files:
                    needed[str(PurePath(name).parent / own.file)] = None
    return list(needed)


def copy_beside(file: LessonFile, folder: Path) -> list[str]:
    """Copy the files that a lesson needs into another folder; return the names of those that were copied.

    Raises
    ------
    FileExistsError
        When another file of such a name is there; nothing is copied then. It names the file.
    OSError
        When one cannot be read or written.
    ScenarioError
        When a scene cannot be read.
    """
    if file.folder is None or file.folder.resolve() == folder.resolve():
        return []
    texts = {name: (file.folder / name).read_bytes() for name in files_beside(file)}
    missing = {}
    for name, text in texts.items():
        target = folder / name
        if not target.exists():
            missing[target] = text
        elif not target.is_file() or target.read_bytes() != text:
            raise FileExistsError(0, "", str(target))
    for target, text in missing.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, text)
    return [str(target.relative_to(folder)) for target in missing]


def _lies(name: str, folder: Path) -> bool:
    try:
        found(name, folder, Problem(name, 0, "", "", ""), _LIMIT)
    except ScenarioError:
        return False
    return True


def _texts(value: Any) -> Iterator[str]:
    """Yield what may be the name of a file: texts of one line with an ending, and pictures of Markdown."""
    if isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str):
        if "](" in value:
            yield from _pictures(value)
        if len(value) <= _MOST_LETTERS and "\n" not in value and PurePath(value).suffix:
            yield value


def _pictures(text: str) -> Iterator[str]:
    try:
        yield from (block.picture for block in read_markdown(text, pictures=True) if block.picture)
    except MarkdownError:
        return
