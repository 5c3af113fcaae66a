"""`twin completion`: completion for a shell; and which scenes and runs a word may become.

A shell asks at every press of its key: nothing heavy is imported here.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

EXAMPLE = """Example: twin completion bash >> ~/.bashrc

For zsh: twin completion zsh >> ~/.zshrc; for fish: twin completion fish > ~/.config/fish/completions/twin.fish. Then
open a new terminal."""

ASKED = "_TWIN_COMPLETE"
"""Variable of the environment with which a shell asks for words."""
_SCENE, _RUN, _LESSON = ".twin.yaml", ".twinrun", ".twin-lesson.yaml"


class Shell(StrEnum):
    """Shells that can be helped."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"


def print_completion(
    shell: Annotated[Shell, typer.Argument(help="Shell to print the script for.", show_default=False)],
) -> None:
    """Print the script that completes commands, options and scenes in a shell."""
    from typer._completion_shared import get_completion_script

    from twin.cli.errors import reporting_errors

    with reporting_errors():
        print(get_completion_script(prog_name="twin", complete_var=ASKED, shell=shell.value))


def prepare() -> None:
    """Let the shells be answered that `print_completion` has scripts for."""
    from typer._completion_classes import completion_init

    completion_init()


def shipped_scenes() -> list[str]:
    """Return the names of the shipped scenes."""
    from twin import resources

    names = (path.name for path in resources.folder("scenes").iterdir())
    return sorted(name.removesuffix(_SCENE) for name in names if name.endswith(_SCENE))


def lessons(incomplete: str) -> list[str]:
    """Return shipped lessons that begin with `incomplete`."""
    from twin import resources

    names = (path.name for path in (resources.folder("scenes") / "lessons").iterdir())
    known = sorted(name.removesuffix(_LESSON) for name in names if name.endswith(_LESSON))
    return [name for name in known if name.startswith(incomplete)]


def scenes_and_runs(incomplete: str) -> list[str]:
    """Return shipped scenes, and files of scenes and runs, that begin with `incomplete`."""
    return [*_shipped_like(incomplete), *_files_like(incomplete, _SCENE, _RUN)]


def scenes(incomplete: str) -> list[str]:
    """Return shipped scenes, and files of scenes, that begin with `incomplete`."""
    return [*_shipped_like(incomplete), *_files_like(incomplete, _SCENE)]


def runs(incomplete: str) -> list[str]:
    """Return run files that begin with `incomplete`."""
    return _files_like(incomplete, _RUN)


def names_scene_or_run(word: str) -> bool:
    """Return whether a first word is meant as a scene or run, not as a command."""
    if word.endswith((_SCENE, _RUN)) or word.startswith("builtin:") or Path(word).name != word:
        return True
    return Path(word).exists() or Path(word + _SCENE).is_file() or word in shipped_scenes()


def _shipped_like(incomplete: str) -> list[str]:
    return [name for name in shipped_scenes() if name.startswith(incomplete)]


def _files_like(incomplete: str, *endings: str) -> list[str]:
    """Return files with one of some endings, and folders, that begin with `incomplete`."""
    head, slash, begin = incomplete.rpartition("/")
    folder = Path(head + slash) if slash else Path()
    if not folder.is_dir():
        return []
    found = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith(begin) and (begin.startswith(".") or not path.name.startswith(".")):
            if path.is_dir():
                found.append(f"{head}{slash}{path.name}/")
            elif path.name.endswith(endings):
                found.append(f"{head}{slash}{path.name}")
    return found
