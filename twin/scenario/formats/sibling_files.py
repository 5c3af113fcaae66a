"""Files that lie beside a scene and that it names: finding them inside its folder, reading their text."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path as FilePath

from twin.scenario.text.problem import Problem, ScenarioError, shown


@dataclass(frozen=True, slots=True)
class FileLimit:
    """Largest size of a file [B], and a name of its contents, for the error."""

    size_bytes: int
    what: str


@dataclass(frozen=True, slots=True)
class Origin:
    """A file that was found: its path, and the attributes that distinguish its versions."""

    name: str
    path: FilePath
    size: int
    changed_ns: int


def found(name: str, folder: FilePath | None, place: Problem, most: FileLimit) -> Origin:
    """Return the file that a scene in `folder` names.

    Parameters
    ----------
    name
        A path inside the folder.
    folder
        Of the scene; None: its text lies nowhere yet.
    place
        File, line and key that name it, for the error.
    most
        How large it may be.

    Raises
    ------
    ScenarioError
        When it leaves the folder, also by a link, is missing, no file, or too large.
    """

    def wrong(reason: str, hint: str = "") -> ScenarioError:
        return ScenarioError([Problem(place.file, place.line, place.key, shown(name), reason, hint)])

    inside = FilePath(name)
    if not _stays(name):
        raise wrong("must be a path inside the folder of its file", "copy the file into it")
    if folder is None:
        raise wrong("is a path, but this text has no folder yet", "save it first")
    try:
        path = (folder / inside).resolve()
        if not path.is_relative_to(folder.resolve()):
            raise wrong("leaves the folder of the scene", "copy the file into it")
        status = os.stat(path)
    except FileNotFoundError:
        near = get_close_matches(inside.name, _names(folder / inside.parent), 1, 0.5)
        raise wrong("does not exist", f"did you mean {near[0]!r}?" if near else "") from None
    except (OSError, RuntimeError) as bad:
        raise wrong(f"cannot be read: {getattr(bad, 'strerror', None) or bad}") from None
    if not stat.S_ISREG(status.st_mode):
        raise wrong("is not a regular file")
    if status.st_size > most.size_bytes:
        raise wrong(f"is larger than {_size(most.size_bytes)}, too large for {most.what}")
    return Origin(name, path, status.st_size, status.st_mtime_ns)


def is_inside(name: str, folder: FilePath) -> bool:
    """Return whether a path stays in a folder, also through links."""
    try:
        return _stays(name) and (folder / name).resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):
        return False


def _stays(name: str) -> bool:
    inside = FilePath(name)
    return (
        bool(name)
        and "\x00" not in name
        and len(name) <= 400
        and not inside.is_absolute()
        and ".." not in inside.parts
    )


def text_of(origin: Origin, most: FileLimit) -> str:
    """Return the text of a file, no more of it than allowed; raises `ScenarioError` when it is none."""
    try:
        with origin.path.open("rb") as file:
            data = file.read(most.size_bytes + 1)
        return data.decode("utf-8-sig")
    except OSError as bad:
        raise ScenarioError(
            [Problem(origin.name, 0, "", "", f"cannot be read: {bad.strerror or bad}")]
        ) from None
    except UnicodeDecodeError as bad:
        line = data[: bad.start].count(b"\n") + 1
        reason = "is not UTF-8 text"
        raise ScenarioError([Problem(origin.name, line, "", "", reason, "save it in UTF-8")]) from None


def _size(size_bytes: int) -> str:
    return f"{size_bytes // 1_000_000} MB" if size_bytes >= 1_000_000 else f"{size_bytes // 1000} kB"


def _names(folder: FilePath) -> list[str]:
    try:
        return [path.name for path in folder.iterdir()] if folder.is_dir() else []
    except OSError:
        return []
