"""Arguments of the command line: a scene file, a shipped scene, a run file, a time, a change."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from twin.api import changes
from twin.api.changes import refusals, time_of
from twin.api.named import RUN_SUFFIX, SCENE_SUFFIX, a_folder, is_run, load_scene
from twin.cli.errors import BadInput, warn

if TYPE_CHECKING:
    from twin.scenario import Document, Scenario

__all__ = [
    "RUN_SUFFIX",
    "SCENE_SUFFIX",
    "is_run",
    "load_scene",
    "must_be_run",
    "refusals",
    "run_path",
    "scene_path",
    "time_of",
    "warn_if_late",
    "with_changes",
]


def must_be_run(name: str) -> None:
    """Refuse an argument that cannot be a recorded run, naming what it is; the file itself is not read yet.

    Raises
    ------
    BadInput
        When it is a folder, or a scene.
    """
    from twin.scenario.reading.extend import builtin_names

    path = Path(name)
    if path.is_dir():
        raise BadInput(f"{name}: {a_folder(path, RUN_SUFFIX)}")
    shipped = not path.exists() and name.removeprefix("builtin:") in builtin_names()
    scene = path if path.exists() else Path(name + SCENE_SUFFIX)
    if shipped or (scene.is_file() and scene.name.endswith(SCENE_SUFFIX)):
        kind = "a shipped scene" if shipped else "a scene"
        stem = path.name.removeprefix("builtin:").removesuffix(SCENE_SUFFIX)
        raise BadInput(
            f"{name}: this is {kind}, and a recorded run is needed; make one with: "
            f"twin run {name} --out {stem}{RUN_SUFFIX}"
        )


def scene_path(name: str) -> Path:
    """Return the file of a scene that exists; raises as `load_scene`."""
    path = load_scene(name).path
    if path is None:
        raise BadInput(f"{name}: this scene lies in no file")
    return path


def run_path(name: str) -> Path:
    """Return the file of a run that can be read; raises RunFileError."""
    from twin.record.reader import Reader

    with Reader(name) as reader:
        _ = reader.header
    return Path(name)


def with_changes(
    document: Document,
    settings: Sequence[str],
    injections: Sequence[str],
    work: Callable[[Scenario], Scenario] | None = None,
    end_s: float = math.inf,
) -> Scenario:
    """Return the scenario after all changes, see `twin.api.changes`; warnings go to standard error."""
    return changes.with_changes(document, settings, injections, work, end_s, warn=warn)


def warn_if_late(injection: str, at_s: float, end_s: float) -> None:
    """Warn on standard error of an injection at a time that a run to `end_s` never reaches [s]."""
    changes.warn_if_late(injection, at_s, end_s, warn)
