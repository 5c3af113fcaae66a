"""`twin show`: a scene as it takes effect, or the summary of a run."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json, SceneOrRun, Settings

EXAMPLE = "Example: twin show nvl72-row | less"
FORMAT = JsonFormat("scenario", 3)  # version of the scene format


def show_scene(
    scene_or_run: SceneOrRun,
    json: Json = False,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="Show the scene as its edits have made it by this time, such as '2 h'."
        ),
    ] = None,
    set_: Settings = None,
) -> None:
    """Print a scene in full, or the summary of a run.

    In full: after inheritance, with every default filled in.
    """
    from twin.cli.errors import BadInput, reporting_errors
    from twin.cli.output import print_json
    from twin.cli.scene import is_run, load_scene

    with reporting_errors(scene_or_run):
        if is_run(scene_or_run):
            if at is not None:
                raise BadInput("--at shows a scene as edited by then, not a recorded run; name the scene")
            if set_:
                raise BadInput("--set changes a scene, not a recorded run; name the scene instead")
            summary = recorded_summary(scene_or_run)
            if json:
                from twin.cli.run import FORMAT as SUMMARY_FORMAT
                from twin.cli.run import summary_json

                print_json(SUMMARY_FORMAT, summary_json(summary))
            else:
                from twin.cli.text.summary import print_summary

                print_summary(summary)
            return
        from twin.scenario.file.effective_text import plain, show
        from twin.scenario.file.set_option import set_texts

        document = set_texts(load_scene(scene_or_run), set_ or [])
        if at is not None:
            from twin.cli.scene import time_of
            from twin.scenario.file.scene_at import effective

            document = effective(
                document, time_of(at, "--at", document.scenario, document.scenario.duration_s)
            )
        if json:
            print_json(FORMAT, plain(document.scenario))
        else:
            print(show(document), end="")


def recorded_summary(path: str) -> dict[str, Any]:
    """Return the summary that a run file holds; raises `RunFileError`, and `BadInput` while there is none."""
    from twin.cli.errors import BadInput
    from twin.cli.older import tell_if_older
    from twin.record.reader import Reader
    from twin.units import spoken

    with Reader(path) as reader:
        tell_if_older(reader)
        summary = reader.summary
        if summary is None:
            raise BadInput(
                f"{path}: this run ended at {spoken(reader.t_end_s)} of {spoken(reader.header.end_s)}, before its "
                "summary was written; run the scene again"
            )
    return summary
