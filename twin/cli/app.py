"""The commands by name and group, and the default one: a scene alone opens the app."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from twin.cli import (
    branch,
    calibrate,
    catalog,
    check,
    compare,
    completion,
    diff,
    estimate,
    explain,
    export,
    grow,
    incidents,
    jobs,
    open_app,
    plan,
    report,
    risk,
    run,
    shot,
    show,
    validate,
    verify,
    video,
)
from twin.cli.bench import command as bench
from twin.cli.commands import Commands, show_help
from twin.cli.terminal import guard

_EPILOG = """Example: twin run llama3-16k --seed 1 --json

A SCENE is a *.twin.yaml file, or a shipped scene by its name (llama3-16k, or builtin:llama3-16k); a RUN is a *.twinrun
file. A scene or run alone opens the window: twin llama3-16k. More on a command: twin help COMMAND.

\b
Exit codes:
  0    done
  1    done, with findings: of check, verify, diff, a goal that is missed
  2    the command line or a file cannot be read
  3    the run or a picture failed
  130  interrupted (Ctrl-C)"""

_GROUPS = {
    "See and run": (
        ("open", open_app.open_scene, open_app.EXAMPLE),
        ("run", run.run_scene, run.EXAMPLE),
        ("show", show.show_scene, show.EXAMPLE),
    ),
    "Check and edit": (
        ("check", check.check_scene, check.EXAMPLE),
        ("diff", diff.diff_scenes, diff.EXAMPLE),
        ("grow", grow.grow_scene, grow.EXAMPLE),
        ("incidents", incidents.show_incidents, incidents.EXAMPLE),
    ),
    "Plan a job": (
        ("plan", plan.plan_scene, plan.EXAMPLE),
        ("estimate", estimate.estimate_cases, estimate.EXAMPLE),
        ("calibrate", calibrate.calibrate_profile, calibrate.EXAMPLE),
        ("risk", risk.risk_of_scene, risk.EXAMPLE),
        ("jobs", jobs.show_jobs, jobs.EXAMPLE),
    ),
    "Compare and explain": (
        ("compare", compare.compare_runs, compare.EXAMPLE),
        ("branch", branch.branch_run, branch.EXAMPLE),
        ("explain", explain.explain_run, explain.EXAMPLE),
        ("verify", verify.verify_run, verify.EXAMPLE),
    ),
    "Reports and export": (
        ("report", report.write_report, report.EXAMPLE),
        ("export", export.export_run, export.EXAMPLE),
        ("shot", shot.take_picture, shot.EXAMPLE),
        ("video", video.make_video, video.EXAMPLE),
    ),
    "This installation": (
        ("catalog", catalog.app, ""),
        ("validate", validate.validate_tables, validate.EXAMPLE),
        ("bench", bench.measure_speed, bench.EXAMPLE),
        ("completion", completion.print_completion, completion.EXAMPLE),
        ("help", show_help, "Example: twin help run"),
    ),
}
"""The commands by the heads that `twin --help` shows them under: name, what it does, example."""

COMMANDS = tuple(name for group in _GROUPS.values() for name, _, _ in group)

app = typer.Typer(
    name="twin",
    cls=Commands,
    help="Digital twin of a GPU data centre. Without a command it opens the window.",
    epilog=_EPILOG,
    context_settings={"help_option_names": ["--help", "-h"]},
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    if version:
        from twin.record.inputs import app_version

        print(app_version())
        raise typer.Exit


for _head, _group in _GROUPS.items():
    for _name, _command, _example in _group:
        if isinstance(_command, typer.Typer):
            app.add_typer(_command, name=_name, rich_help_panel=_head)
        else:
            app.command(_name, epilog=_example, rich_help_panel=_head)(_command)


def with_command(words: list[str]) -> list[str]:
    """Return the arguments with `open` put in where a scene, a run or nothing comes first.

    A word that is neither a command nor a scene or run stays, to be told as a mistyped command.

    >>> with_command(["llama3-16k"])
    ['open', 'llama3-16k']
    >>> with_command(["run", "lab-16"]), with_command(["--help"]), with_command([])
    (['run', 'lab-16'], ['--help'], ['open'])
    >>> with_command(["runn", "lab-16"])
    ['runn', 'lab-16']
    """
    first = words[0] if words else ""
    if first in COMMANDS or first in ("-h", "--help", "--version"):
        return words
    if not first or first.startswith("-") or completion.names_scene_or_run(first):
        return ["open", *words]
    return words


def main() -> None:
    """Run the command of this process' arguments, and exit with its code."""
    guard()
    if completion.ASKED in os.environ:
        completion.prepare()
    try:
        app(args=with_command(sys.argv[1:]), prog_name="twin")
    finally:
        sys.stdout.flush()  # a reader that has left is told here, not when Python ends
