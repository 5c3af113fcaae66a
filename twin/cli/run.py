"""`twin run`: a scene from beginning to end, as fast as possible."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from twin.cli.options import Injections, Json, Scene, Seed, Settings

EXAMPLE = "Example: twin run nvl72-row --seed 2 --inject '1 h pump_stop cdu/0 for=20s' --json"


def run_scene(
    scene: Scene,
    seed: Seed = None,
    until: Annotated[
        str | None, typer.Option(metavar="TIME", help="Stop at this time, such as '10 day'.")
    ] = None,
    set_: Settings = None,
    inject: Injections = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Run file to write; without it one in the state folder."),
    ] = None,
    record: Annotated[bool, typer.Option(help="Whether to write a run file at all.")] = True,
    json: Json = False,
) -> None:
    """Run a scene to its end and print the summary."""
    from twin.cli.errors import BadInput, told
    from twin.cli.output import print_json

    with told(scene):
        if out is not None and not record:
            raise BadInput("--out and --no-record exclude each other; give one of them")
        summary = summary_of_run(scene, seed, until, set_ or [], inject or [], out, record)
        if json:
            print_json(summary)
        else:
            from twin.cli.summary_text import print_summary

            print_summary(summary)


def summary_of_run(
    scene: str,
    seed: int | None,
    until: str | None,
    settings: list[str],
    injections: list[str],
    out: Path | None,
    record: bool,
) -> dict[str, Any]:
    """Run a scene and return what ``--json`` prints; the parameters are those of the command."""
    from twin.cli.errors import BadInput, Failure, warn
    from twin.cli.progress import progress
    from twin.cli.scene import load_scene, time_of, with_changes
    from twin.record.runfile import RunFileError
    from twin.record.state_folder import new_run_path
    from twin.runtime.inline import run

    until_s = None if until is None else time_of(until, "--until")
    scenario = with_changes(load_scene(scene), settings, injections)
    if until_s is not None and until_s > scenario.duration_s:
        raise BadInput(
            f"--until: {until!r} lies after the end of the scene; for a longer run: --set duration={until!r}"
        )
    path = (out if out is not None else new_run_path(scenario.title)) if record else None
    try:
        with progress(scenario.title) as show:
            result = run(scenario, seed=seed, until_s=until_s, record=path, progress=show)
    except RunFileError as error:
        raise Failure(str(error)) from error
    for event in result.engine.events(0):
        if event.kind == "refused":
            warn(f"not done: {event.subject}: {event.text}")
        elif event.kind == "does_not_fit":
            warn(f"{scene}: job {event.text}; it runs here all the same")
    return {
        **result.engine.summary(),
        "wall_s": result.wall_s,
        "cpu_s": result.cpu_s,
        "peak_rss_bytes": result.peak_rss_bytes,
        "run_file": None if path is None else str(path.resolve()),
    }
