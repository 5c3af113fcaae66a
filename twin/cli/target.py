"""Output files of commands: never over their own input, a scene or a recorded run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from twin.cli.errors import BadInput
from twin.cli.scene import RUN_SUFFIX, SCENE_SUFFIX, is_run


def must_be_free(
    path: Path,
    option: str,
    *inputs: str | Path,
    endings: Sequence[str] = (),
    replace: bool | None = None,
) -> None:
    """Refuse a place that a file cannot be written to, or at which somebody's work would be lost.

    Parameters
    ----------
    path, option
        What was given, and as which option.
    inputs
        What the command reads: files, or names that mean something else.
    endings
        Of what is written, another one would lie; none: any. A name without an ending may be.
    replace
        Whether `--replace` was given, without which no file is lost; None: the command has none, and writes over one.

    Raises
    ------
    BadInput
        With what would be right.
    """
    if path.is_dir():
        raise BadInput(f"{option}: {path} is a folder; name a file in it")
    must_have_folder(path, option)
    if path.exists() and any(Path(source).exists() and path.samefile(source) for source in inputs):
        raise BadInput(f"{option}: {path} is the input, and would be overwritten; name another file")
    if path.name.endswith((RUN_SUFFIX, SCENE_SUFFIX)) or is_run(str(path)):
        kind = "scene" if path.name.endswith(SCENE_SUFFIX) else "recorded run"
        right = f"; end it with {endings[0]}" if endings else "; name another file"
        raise BadInput(f"{option}: {path} is a {kind}, or named like one{right}")
    if endings and path.suffix and path.suffix.lower() not in endings:
        raise BadInput(f"{option} must end in {endings[0]}, not {path.suffix}: {path}")
    if replace is False and path.exists():
        raise BadInput(
            f"{option}: {path} exists already; name another file, or give --replace to overwrite it"
        )


def must_have_folder(path: Path, option: str) -> None:
    """Refuse a file to write whose folder does not exist; raises `BadInput`."""
    if not path.parent.is_dir():
        raise BadInput(f"{option}: no folder {path.parent}; create it first")


def must_not_lose_a_run(path: Path, option: str, replace: bool) -> None:
    """Refuse to record over a run unless that was asked for: nobody knows whether it is the only one of its kind.

    Parameters
    ----------
    path, option
        What was given, and as which option.
    replace
        Whether `--replace` was given too.

    Raises
    ------
    BadInput
        With what the run is that would be lost, and where its folder does not exist.
    """
    must_have_folder(path, option)
    if not replace and path.is_file() and path.stat().st_size and is_run(str(path)):
        raise BadInput(
            f"{option}: {path} is a recorded run already{_which(path)}; name another file, or give "
            "--replace to overwrite it"
        )


def _which(path: Path) -> str:
    """Return which run a file holds, in brackets; nothing of one that cannot be read."""
    from twin.cli.errors import input_errors
    from twin.record.reader import Reader
    from twin.units import spoken

    try:
        with Reader(path) as reader:
            title, seed = reader.header.scenario.title, reader.header.seed
            return f" ({title}, seed {seed}, {spoken(reader.t_end_s)})"
    except input_errors():
        return ""


def must_be_folder(path: Path, option: str) -> None:
    """Refuse a folder to write into that cannot be one, since a file is in its way; raises `BadInput`."""
    nearest = next((folder for folder in (path, *path.parents) if folder.exists()), None)
    if nearest is not None and not nearest.is_dir():
        kind = "a recorded run" if is_run(str(nearest)) else "a file"
        raise BadInput(
            f"{option}: {nearest} is {kind} and no folder; name another folder, which is made where needed"
        )
