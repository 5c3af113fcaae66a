"""`twin open`: the window."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from twin.cli import completion
from twin.cli.options import Seed

EXAMPLE = "Example: twin open llama3-16k --seed 3      (or just: twin llama3-16k)"


def open_scene(
    scene: Annotated[
        str | None,
        typer.Argument(
            metavar="SCENE|RUN|LESSON|F.zip",
            help="A scene by file or name, a run file, a lesson, or a package that was handed over "
            "(default: the last scene).",
            show_default=False,
            autocompletion=completion.scenes_and_runs,
        ),
    ] = None,
    seed: Seed = None,
    play: Annotated[bool, typer.Option(help="Start playing immediately.")] = True,
) -> None:
    """Open the window on a scene, a run or a lesson.

    A run opens as it was recorded, at any time, without simulating it again.
    """
    from twin.cli.errors import BadInput, Failure, reporting_errors

    with reporting_errors(scene or ""):
        from twin.cli.display import has_display
        from twin.cli.scene import is_run, run_path, scene_path
        from twin.handover.unpack import SUFFIX, PackageError, unpacked_scene
        from twin.lessons.lesson_file import is_lesson

        path: Path | Callable[[], Path] | None = None
        if scene is not None and is_run(scene) and seed is not None:
            raise BadInput(
                f"--seed: {scene} is a recorded run and keeps its seed; open its scene for another seed"
            )
        if scene is not None:
            if scene.lower().endswith(SUFFIX):
                try:
                    scene = str(unpacked_scene(Path(scene)))
                except PackageError as error:
                    raise BadInput(str(error)) from None
                print(f"unpacked: {scene}")
            if is_lesson(scene):
                path = Path(scene)
            else:
                path = run_path(scene) if is_run(scene) else partial(scene_path, scene)
        if not has_display():
            if callable(path):
                path()  # what is wrong with it is told first
            raise Failure(
                "there is no display to open a window on; use `twin run` and `twin shot`, which need none"
            )
        from twin.app.shell.start import run_app

        code = run_app(path, seed=seed, play=play)
    raise typer.Exit(code)
