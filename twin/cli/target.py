"""Where a command writes: into a file of its own, never over what it reads, a scene or a recorded run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from twin.cli.errors import BadInput, Failure
from twin.cli.scene import RUN_SUFFIX, SCENE_SUFFIX, is_run


def must_be_free(path: Path, option: str, *inputs: str | Path, endings: Sequence[str] = ()) -> None:
    """Refuse a place that a file cannot be written to, or at which somebody's work would be lost.

    Parameters
    ----------
    path, option
        What was given, and as which option.
    inputs
        What the command reads: files, or names that mean something else.
    endings
        Of what is written, another one would lie; none: any. A name without an ending may be.

    Raises
    ------
    BadInput
        With what would be right.
    Failure
        Where there is no such folder.
    """
    if path.is_dir():
        raise BadInput(f"{option}: {path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise Failure(f"{option}: there is no folder {path.parent} to write {path.name} into; make it first")
    if path.exists() and any(Path(one).exists() and path.samefile(one) for one in inputs):
        raise BadInput(f"{option}: {path} is what is read, and would be lost; name another file")
    if path.name.endswith((RUN_SUFFIX, SCENE_SUFFIX)) or is_run(str(path)):
        kind = "scene" if path.name.endswith(SCENE_SUFFIX) else "recorded run"
        right = f"; end it with {endings[0]}" if endings else "; name another file"
        raise BadInput(f"{option}: {path} is a {kind}, or named like one{right}")
    if endings and path.suffix and path.suffix.lower() not in endings:
        raise BadInput(f"{option}: {path} is not named like what is written; end it with {endings[0]}")


def must_be_folder(path: Path, option: str) -> None:
    """Refuse a folder to write into that cannot be one, since a file is in its way; raises `BadInput`."""
    there = next((one for one in (path, *path.parents) if one.exists()), None)
    if there is not None and not there.is_dir():
        kind = "a recorded run" if is_run(str(there)) else "a file"
        raise BadInput(
            f"{option}: {there} is {kind} and no folder; name another folder, which is made where needed"
        )
