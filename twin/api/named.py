"""Names that a person may give: a scene file, a shipped scene, a run file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from twin.scenario import Document

SCENE_SUFFIX = ".twin.yaml"
RUN_SUFFIX = ".twinrun"
_SQLITE = b"SQLite format 3\x00"
_MOST = 3
"""Files of a folder that are named."""


def is_run(name: str) -> bool:
    """Return whether `name` means a run file: by its ending, or because the file begins like one."""
    if name.endswith(RUN_SUFFIX):
        return True
    path = Path(name)
    if name.startswith("builtin:") or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def load_scene(name: str) -> Document:
    """Return the scene called `name`: a file, the same without its ending, or a shipped one.

    Raises
    ------
    ScenarioError
        When there is none, or it is wrong anywhere.
    """
    from twin.scenario import Problem, ScenarioError, load
    from twin.scenario.reading.extend import builtin_names

    path = Path(name)
    if name.startswith("builtin:"):
        return load(name)
    if path.exists() and is_run(name):
        reason = "this is a recorded run, and a scene is needed"
        hint = f"give a {SCENE_SUFFIX} file or a shipped scene, as the one that the run was made of"
        raise ScenarioError([Problem(name, 0, "", "", reason, hint)])
    if path.is_file():
        return load(path)
    if name in builtin_names():
        return load(f"builtin:{name}")
    if Path(name + SCENE_SUFFIX).is_file():
        return load(Path(name + SCENE_SUFFIX))
    if path.is_dir():
        scenes = any(path.glob(f"*{SCENE_SUFFIX}"))  # a few commands take runs as well
        reason, _, hint = a_folder(path, SCENE_SUFFIX, *([] if scenes else [RUN_SUFFIX])).partition("; ")
        raise ScenarioError([Problem(name, 0, "", "", reason, hint)])
    if path.exists():
        return load(path)
    hint = f"give a {SCENE_SUFFIX} file or a shipped scene: {', '.join(builtin_names())}"
    raise ScenarioError([Problem(name, 0, "", "", "there is no such file or shipped scene", hint)])


def a_folder(path: Path, *endings: str) -> str:
    """Return that a path is a folder, and which files in it may be meant."""
    found = [str(file) for ending in endings for file in sorted(path.glob(f"*{ending}"))]
    some = ", ".join(found[:_MOST]) + (f" and {len(found) - _MOST} more" if len(found) > _MOST else "")
    wanted = " or ".join(f"*{ending}" for ending in endings)
    return (
        f"this is a folder; give a file in it: {some}" if found else f"this is a folder; give a {wanted} file"
    )
