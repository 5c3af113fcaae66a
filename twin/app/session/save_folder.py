"""Where files of the open scene or run are offered to be saved: beside it, or at home if it lies with the program."""

from __future__ import annotations

from pathlib import Path

from twin import resources
from twin.record.state_folder import state_folder


def is_shipped(path: Path) -> bool:
    """Return whether a scene came with the program."""
    return path.resolve().is_relative_to(Path(str(resources.folder("scenes"))).resolve())


def is_of_program(path: Path) -> bool:
    """Return whether a scene came with the program, or a recording lies where the program keeps its own."""
    return is_shipped(path) or path.resolve().is_relative_to((state_folder() / "runs").resolve())


def save_folder(path: Path | None) -> Path:
    """Return where a dialog begins that saves something of a scene or run."""
    return Path.home() if path is None or is_of_program(path) else path.resolve().parent
