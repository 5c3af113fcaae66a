"""A lesson file to a `Lesson`: bounded, nothing in it executed, errors with file, line and key."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from twin import resources
from twin.lessons.schema import FORMAT, NUMBER, VERSION, Lesson
from twin.record.state_folder import LESSON_SUFFIX
from twin.scenario.reading.extend import read
from twin.scenario.reading.validate import nearest, problems_of
from twin.scenario.schema.fields import FieldSpot
from twin.scenario.schema.quantity import FROM_FILE
from twin.scenario.text.parse import Tree, parsed
from twin.scenario.text.problem import NewerVersion, Problem, ScenarioError, shown

SUFFIX = LESSON_SUFFIX
ROOT = FieldSpot(models=(Lesson,))
MOST_LETTERS, MOST_FILLED = 200, 4000
"""Of a value of a variant, and of a text in which it is filled in."""
_NAME = re.compile(r"\{([a-z][a-z0-9_]{0,39})\}")
_BUILTIN = re.compile(r"builtin:([a-z0-9][a-z0-9-]{0,60})")
Draw = Mapping[str, str | float]


@dataclass(frozen=True)
class LessonFile:
    """A lesson as it was read.

    Attributes
    ----------
    id
        Name of the file without its suffix.
    path
        Where it is; its folder is all that it may read; None: a text without a place.
    text, tree
        What stands there, and the place of each key.
    """

    id: str
    path: Path | None
    text: str
    tree: Tree

    @property
    def digest(self) -> str:
        """Return the hash of its text, by which results name it."""
        return sha256(self.text.encode()).hexdigest()

    @property
    def folder(self) -> Path | None:
        """Return the folder whose files it may name."""
        return self.path.parent if self.path is not None else None

    def lesson(self, person: str | None = None) -> Lesson:
        """Return the lesson as one person has it; None: with the first of all variants.

        Raises
        ------
        ScenarioError
            With every key that is wrong, in the order of the file.
        """
        return self.drawn(self.draw(person))

    def draw(self, person: str | None) -> dict[str, str | float]:
        """Return what a person gets of each variant, and their number; the same each time."""
        drawn: dict[str, str | float] = {NUMBER: float(number_of(person, self.id))}
        variants = self.tree.plain().get("variants") if isinstance(self.tree.value, dict) else None
        for name, values in variants.items() if isinstance(variants, dict) else ():
            if isinstance(values, list) and values and not any(_too_long(value) for value in values):
                place = 0 if person is None else number_of(person, f"{self.id}/{name}") % len(values)
                value = values[place]
                drawn[str(name)] = value if isinstance(value, str | int | float) else str(value)
        return drawn

    def draws(self) -> list[dict[str, str | float]]:
        """Return draws among which each value of each variant but the first is, which is that of nobody."""
        variants = self.lesson().variants
        most = max((len(values) for values in variants.values()), default=0)
        first = self.draw(None)
        return [
            first | {name: values[place % len(values)] for name, values in variants.items() if values}
            for place in range(1, most)
        ]

    def drawn(self, draw: Draw) -> Lesson:
        """Return the lesson with the given values of its variants; raises as `lesson`."""
        plain = self.tree.plain()
        if isinstance(plain, dict):
            plain = {key: plain[key] if key == "variants" else _filled(plain[key], draw) for key in plain}
        try:
            return Lesson.model_validate_json(
                json.dumps(plain), strict=True, by_alias=True, by_name=False, context=FROM_FILE
            )
        except ValidationError as wrong:
            raise ScenarioError(
                problems_of(self.tree, wrong.errors(include_url=False, include_input=False), ROOT)
            ) from None


def number_of(person: str | None, about: str) -> int:
    """Return the number of a person for something, below 2^31; 1 for nobody."""
    if person is None:
        return 1
    name = " ".join(person.split()).casefold()
    return int.from_bytes(blake2b(f"{about}\n{name}".encode(), digest_size=4).digest()) >> 1


def load_lesson(path: Path | str) -> LessonFile:
    """Return the lesson of a file, or of ``builtin:NAME``, a shipped one.

    Raises
    ------
    NewerVersion
        When it needs a newer program.
    ScenarioError
        When it cannot be read or anything in it is wrong.
    """
    if isinstance(path, str) and path.startswith("builtin:"):
        path = _builtin(path)
    path = Path(path)
    source = read(path, path.name)
    return _lesson_file(source.text, path.name, path, source.tree)


def lesson_from(text: str, name: str = "lesson", folder: Path | None = None) -> LessonFile:
    """Return the lesson of a text; raises as `load_lesson`."""
    return _lesson_file(text, name, folder / name if folder is not None else None, parsed(text, name))


def is_lesson(name: str | Path) -> bool:
    """Return whether a name is that of the file of a lesson, by its ending, and there is one."""
    return str(name).endswith(SUFFIX) and Path(name).is_file()


def shipped_lessons() -> list[Path]:
    """Return the files of the lessons that come with the program, by name."""
    folder = Path(str(resources.folder("scenes"))) / "lessons"
    return sorted(folder.glob(f"*{SUFFIX}"))


def _lesson_file(text: str, name: str, path: Path | None, tree: Tree) -> LessonFile:
    if not isinstance(tree.value, dict):
        reason = "is not a lesson: it has no keys"
        raise ScenarioError([Problem(name, tree.mark.line, "", "", reason, f"begin with format: {FORMAT}")])
    for key, wanted in (("format", FORMAT), ("version", VERSION)):
        entry = tree.value.get(key)
        given = entry.tree.value if entry is not None else None
        if given == wanted and type(given) is type(wanted):
            continue
        line = entry.mark.line if entry is not None else 1
        if key == "version" and type(given) is int and given > VERSION:
            reason = f"needs a newer program, which knows version {given} of lessons"
            raise NewerVersion([Problem(name, line, key, shown(given), reason)], given)
        raise ScenarioError(
            [Problem(name, line, key, shown(given), f"must be {wanted}", f"write {key}: {wanted}")]
        )
    found = LessonFile(name.removesuffix(SUFFIX), path, text, tree)
    found.lesson()
    return found


def _too_long(value: Any) -> bool:
    """Return whether the schema refuses a value of a variant; it is not filled in then."""
    return isinstance(value, str) and len(value) > MOST_LETTERS


def _filled(value: Any, draw: Draw) -> Any:
    if isinstance(value, str) and len(value) > MOST_FILLED:
        return value  # longer than any text of a lesson
    if isinstance(value, str):
        return _NAME.sub(lambda name: _shown(draw, name), value)
    if isinstance(value, list):
        return [_filled(item, draw) for item in value]
    if isinstance(value, dict):
        return {key: _filled(item, draw) for key, item in value.items()}
    return value


def _shown(draw: Draw, name: re.Match[str]) -> str:
    if name[1] not in draw:
        return name[0]  # a figure of the text, or nothing: `check` tells
    value = draw[name[1]]
    return value if isinstance(value, str) else f"{value:.10g}"


def _builtin(name: str) -> Path:
    known = {path.name.removesuffix(SUFFIX): path for path in shipped_lessons()}
    match = _BUILTIN.fullmatch(name)
    if match is None or match[1] not in known:
        near = nearest(name.removeprefix("builtin:"), known)
        hint = f"did you mean builtin:{near}?" if near else f"known: {', '.join(known)}"
        raise ScenarioError([Problem(name[:80], 0, "", "", "is no shipped lesson", hint)])
    return known[match[1]]
