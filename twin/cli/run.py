"""`twin run`: a scene from beginning to end, as fast as possible."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli.incidents import Incidents, Level
from twin.cli.options import Format, Injections, Json, Maps, Replace, Scene, Seed, Settings, a_file

if TYPE_CHECKING:
    from twin.record.redraw import Redraw
    from twin.scenario import Scenario

EXAMPLE = "Example: twin run nvl72-row --seed 2 --inject '1 h pump_stop cdu/0 for=20s' --json"


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
    from twin.cli.errors import BadInput, told
    from twin.cli.output import print_json
    from twin.cli.target import must_not_lose_a_run

    with told(scene):
        if out is not None and not record:
            raise BadInput("--out and --no-record exclude each other; give one of them")
        if replace and out is None:
            raise BadInput("--replace says that an older run at --out FILE may be lost; give both")
        if out is not None:
            must_not_lose_a_run(out, "--out", replace)
        if jobs is None and (format or maps or keep_jobs):
            raise BadInput(
                "--format, --map and --keep-jobs say how to take the jobs of --jobs TRACE; name that file"
            )
        settings = [*(set_ or []), *([f"scheduler.policy={policy.value}"] if policy else [])]
        work = None if jobs is None else _work_of(jobs, format, maps or [], keep_jobs, settings, until)
        summary = summary_of_run(
            scene, seed, until, settings, inject or [], out, record, work, incidents, redraw or []
        )
        if json:
            print_json("run-summary", summary_json(summary))
        else:
            from twin.cli.text.summary import print_summary

            print_summary(summary)


def _work_of(
    trace: Path, format: str | None, maps: list[str], keep: bool, settings: list[str], until: str | None
) -> Callable[[Scenario], Scenario]:
    """Return what gives a scene the jobs of a trace; it lasts until the last of them unless a time is named."""
    from twin.cli.jobs_trace import rules_of, trace_of, with_trace
    from twin.cli.scene import time_of

    until_s = None if until is None else time_of(until, "--until")
    timed = until_s is not None or any(text.partition("=")[0].strip() == "duration" for text in settings)
    read = trace_of(trace, format, rules_of(maps))

    def work(scenario: Scenario) -> Scenario:
        if until_s is not None:
            scenario = scenario.model_copy(update={"duration_s": until_s})
        return with_trace(scenario, read, keep, lasts=not timed)

    return work


def summary_of_run(
    scene: str,
    seed: int | None,
    until: str | None,
    settings: list[str],
    injections: list[str],
    out: Path | None,
    record: bool,
    work: Callable[[Scenario], Scenario] | None = None,
    incidents: Level | None = None,
    redraws: Sequence[str] = (),
) -> dict[str, Any]:
    """Run a scene and return what ``--json`` prints; the parameters are those of the command, `work` gives it jobs."""
    from twin.cli.errors import BadInput, Failure, warn
    from twin.cli.incidents import with_incidents
    from twin.cli.progress import progress
    from twin.cli.scene import load_scene, time_of, with_changes
    from twin.record.runfile import RunFileError
    from twin.record.state_folder import KEPT_RUNS, new_run_path, prune_runs, pruned_words
    from twin.runtime.inline import run

    until_s = None if until is None else time_of(until, "--until")
    end_s = math.inf if until_s is None else until_s
    scenario = with_changes(load_scene(scene), settings, injections, work, end_s)
    scenario = with_incidents(scenario, incidents, seed)
    if until_s is not None and until_s > scenario.duration_s:
        raise BadInput(
            f"--until: {until!r} lies after the end of the scene; for a longer run: --set duration={until!r}"
        )
    again = [_redraw(text, scenario) for text in redraws]
    path = (out if out is not None else new_run_path(scenario.title)) if record else None
    if path is not None and out is None and (gone := prune_runs(KEPT_RUNS - 1)):
        warn(f"{pruned_words(gone)} (--out keeps a recording)")
    try:
        with progress(scenario.title) as show:
            result = run(
                scenario, seed=seed, until_s=until_s, record=path, progress=show, paced=True, redraws=again
            )
    except RunFileError as error:
        raise Failure(str(error)) from error
    for event in result.engine.events(0):
        if event.kind == "refused":
            warn(f"not done: {event.subject}: {event.text}")
        elif event.kind == "does_not_fit":
            warn(f"{scene}: job {event.text}; it runs here all the same")
    if scenario.branch is not None and result.engine.now_s > scenario.branch.at_s:
        from twin.analysis.branch_check import other_past

        if other := other_past(scenario.branch, result.engine.events(0)):
            warn(f"{scene}: {other}")
    return {
        **result.engine.summary(),
        "wall_s": result.wall_s,
        "cpu_s": result.cpu_s,
        "peak_rss_bytes": result.peak_rss_bytes,
        "run_file": None if path is None else str(path.resolve()),
    }


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
