"""`twin run`: a scene from beginning to end, as fast as possible."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli.incidents import IncidentLevel, Incidents
from twin.cli.json_formats import JsonFormat
from twin.cli.options import Format, Injections, Json, Maps, Replace, Scene, Seed, Seeds, Settings, a_file

if TYPE_CHECKING:
    from twin.record.redraw import Redraw
    from twin.scenario import Scenario

EXAMPLE = "Example: twin run nvl72-row --seed 2 --inject '1 h pump_stop cdu/0 for=20s' --json"
FORMAT = JsonFormat("run-summary")


class SchedulerPolicy(StrEnum):
    """Named combinations of order and backfill: those of `twin.scenario.schema.scheduling`, which loads much."""

    fifo = "fifo"
    shortest = "shortest"
    easy = "easy"
    conservative = "conservative"
    priority = "priority"


def run_scene(
    scene: Scene,
    seed: Seed = None,
    seeds: Seeds = None,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="Stop at this time, such as '10 day' (default: the end of the scene)."
        ),
    ] = None,
    set_: Settings = None,
    inject: Injections = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="FILE",
            parser=a_file,
            help="Run file to write (default: one in the state folder).",
        ),
    ] = None,
    replace: Replace = False,
    record: Annotated[bool, typer.Option(help="Write a run file.")] = True,
    jobs: Annotated[
        Path | None,
        typer.Option(
            metavar="TRACE",
            help="Job trace to run instead of the jobs of the scene, until its last job has ended: SWF, "
            "Slurm sacct -P, Philly JSON, Helios or Acme CSV, Gavel.",
        ),
    ] = None,
    format: Format = None,
    maps: Maps = None,
    keep_jobs: Annotated[
        bool, typer.Option("--keep-jobs", help="With --jobs: run the jobs of the scene, too.")
    ] = False,
    policy: Annotated[
        SchedulerPolicy | None, typer.Option(help="Scheduling policy (default: the scene's).")
    ] = None,
    incidents: Incidents = None,
    redraw: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TIME=SEED",
            help="Take random draws from another seed after a time, and keep the past: '5 h=7' is the future of "
            "seed 7 of twin branch --seeds. May be repeated.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Run a scene to its end and print the summary."""
    from twin.api.job_trace import work_of
    from twin.cli.errors import BadInput, reporting_errors, warn
    from twin.cli.output import print_json
    from twin.cli.scene import time_of
    from twin.cli.target import must_not_lose_a_run

    with reporting_errors(scene):
        if out is not None and not record:
            raise BadInput("--out and --no-record exclude each other; give one of them")
        if replace and out is None:
            raise BadInput("--replace says that an older run at --out FILE may be overwritten; give both")
        if out is not None:
            must_not_lose_a_run(out, "--out", replace)
        if jobs is None and (format or maps or keep_jobs):
            raise BadInput(
                "--format, --map and --keep-jobs say how to take the jobs of --jobs TRACE; name that file"
            )
        if seeds is not None and redraw:
            raise BadInput(
                "--redraw and --seeds exclude each other; twin branch --seeds runs futures of one past"
            )
        settings = [*(set_ or []), *([f"scheduler.policy={policy.value}"] if policy else [])]
        work = None
        if jobs is not None:
            until_s = None if until is None else time_of(until, "--until")
            work = work_of(jobs, format, maps or [], keep_jobs, settings, until_s, warn)
        summary = summary_of_run(
            scene, seed, until, settings, inject or [], out, record, work, incidents, redraw or [], seeds
        )
        if json:
            print_json(FORMAT, summary_json(summary))
        else:
            from twin.cli.text.summary import print_summary

            print_summary(summary)


def summary_of_run(
    scene: str,
    seed: int | None,
    until: str | None,
    settings: list[str],
    injections: list[str],
    out: Path | None,
    record: bool,
    work: Callable[[Scenario], Scenario] | None = None,
    incidents: IncidentLevel | None = None,
    redraws: Sequence[str] = (),
    seeds: int | None = None,
) -> dict[str, Any]:
    """Run a scene and return what ``--json`` prints; the parameters are those of the command, `work` gives it jobs."""
    from twin.api.running import prepared, recorded, summary_of
    from twin.cli.errors import Failure, warn
    from twin.cli.progress import counted, progress
    from twin.cli.scene import load_scene, time_of
    from twin.record.runfile import RunFileError
    from twin.record.state_folder import KEPT_RUNS, new_run_path, prune_runs, pruned_words

    until_s = None if until is None else time_of(until, "--until")
    document = load_scene(scene)
    scenario = prepared(document, settings, injections, until_s, work, incidents, seed, warn=warn)
    again = [_redraw(text, scenario) for text in redraws]
    path = (out if out is not None else new_run_path(scenario.title)) if record else None
    if path is not None and out is None and (gone := prune_runs(KEPT_RUNS - 1)):
        warn(f"{pruned_words(gone)} (--out keeps a recording)")
    try:
        with progress(scenario.title) as show:
            result = recorded(scenario, scene, seed, until_s, path, again, show, warn=warn)
    except RunFileError as error:
        raise Failure(str(error)) from error
    summary = summary_of(result)
    if seeds is not None:
        from twin.studies.bands import bands_beside

        with counted(f"{seeds - 1} more seeds") as many:
            summary["bands"] = bands_beside(
                summary, scenario, summary["seed"], seeds, until_s, many
            ).as_json()
    return summary


def summary_json(summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return what ``--json`` prints of a summary: its `version`, of the program that ran, is called `app_version`."""
    own = ("scene", "seed", "gpus", "nodes", "version")
    return {
        "app_version" if key == "version" else key: summary[key]
        for key in (*own, *(key for key in summary if key not in own))
        if key in summary
    }


def _redraw(text: str, scenario: Scenario) -> Redraw:
    """Return what ``TIME=SEED`` means in the run of a scene; raises `BadInput` where it is none."""
    from twin.cli.errors import BadInput
    from twin.cli.scene import time_of
    from twin.record.redraw import Redraw

    time, equals, seed = (part.strip() for part in text.rpartition("="))
    if not equals or not seed.isdecimal() or int(seed) >= 2**63:
        raise BadInput(f"--redraw: {text!r} is not TIME=SEED; write it like '5 h=7'")
    return Redraw(time_of(time, "--redraw", scenario, scenario.duration_s), int(seed))
