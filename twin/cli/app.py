"""The commands by name and group, and the default one: a scene alone opens the app."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from twin import language
from twin.cli import (
    branch,
    branch_tree,
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
    incident_text,
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
    year,
)
from twin.cli.bench import command as bench
from twin.cli.commands import CommandEntry, Commands, show_help
from twin.cli.json_formats import JsonFormat
from twin.cli.lessons import lesson
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

GROUPS: dict[str, tuple[CommandEntry, ...]] = {
    "See and run": (
        CommandEntry("open", open_app.open_scene, open_app.EXAMPLE),
        CommandEntry("run", run.run_scene, run.EXAMPLE, (run.FORMAT,)),
        CommandEntry("show", show.show_scene, show.EXAMPLE, (show.FORMAT,)),
        CommandEntry("year", year.year_of_scene, year.EXAMPLE, (year.FORMAT,)),
    ),
    "Check and edit": (
        CommandEntry(
            "check",
            check.check_scene,
            check.EXAMPLE,
            (check.FORMAT, check.CONTROLS_FORMAT, check.FAILURES_FORMAT, check.RULES_FORMAT),
        ),
        CommandEntry("diff", diff.diff_scenes, diff.EXAMPLE, (diff.FORMAT,)),
        CommandEntry("grow", grow.grow_scene, grow.EXAMPLE, (grow.FORMAT,)),
        CommandEntry("incidents", incidents.show_incidents, incidents.EXAMPLE, (incidents.FORMAT,)),
    ),
    "Plan a job": (
        CommandEntry("plan", plan.plan_scene, plan.EXAMPLE, (plan.FORMAT,)),
        CommandEntry("estimate", estimate.estimate_cases, estimate.EXAMPLE, (estimate.FORMAT,)),
        CommandEntry("calibrate", calibrate.calibrate_profile, calibrate.EXAMPLE, (calibrate.FORMAT,)),
        CommandEntry("risk", risk.risk_of_scene, risk.EXAMPLE, (risk.FORMAT,)),
        CommandEntry("jobs", jobs.show_jobs, jobs.EXAMPLE, (jobs.FORMAT,)),
    ),
    "Compare and explain": (
        CommandEntry("compare", compare.compare_runs, compare.EXAMPLE, (compare.FORMAT,)),
        CommandEntry("branch", branch.branch_run, branch.EXAMPLE, (branch.FORMAT, branch_tree.FORMAT)),
        CommandEntry(
            "explain",
            explain.explain_run,
            explain.EXAMPLE,
            (explain.FORMAT, incident_text.LIST_FORMAT, incident_text.INCIDENT_FORMAT),
        ),
        CommandEntry("verify", verify.verify_run, verify.EXAMPLE, (verify.FORMAT,)),
    ),
    "Reports and export": (
        CommandEntry("report", report.write_report, report.EXAMPLE),
        CommandEntry("export", export.export_run, export.EXAMPLE),
        CommandEntry("shot", shot.take_picture, shot.EXAMPLE),
        CommandEntry("video", video.make_video, video.EXAMPLE),
    ),
    "Teach": (
        CommandEntry(
            "lesson", lesson.app, "", (lesson.LIST_FORMAT, lesson.CHECK_FORMAT, lesson.REPORT_FORMAT)
        ),
    ),
    "This installation": (
        CommandEntry(
            "catalog", catalog.app, "", (catalog.LIST_FORMAT, catalog.PART_FORMAT, catalog.CHECK_FORMAT)
        ),
        CommandEntry("validate", validate.validate_tables, validate.EXAMPLE, (validate.FORMAT,)),
        CommandEntry("bench", bench.measure_speed, bench.EXAMPLE, (bench.FORMAT,)),
        CommandEntry("completion", completion.print_completion, completion.EXAMPLE),
        CommandEntry("help", show_help, "Example: twin help run"),
    ),
}
"""The commands by the heads that `twin --help` shows them under."""


def command_names() -> list[str]:
    """Return the names of all commands."""
    return [entry.name for group in GROUPS.values() for entry in group]


def json_formats() -> list[JsonFormat]:
    """Return the formats that commands print as JSON."""
    return [format for group in GROUPS.values() for entry in group for format in entry.formats]


def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    if version:
        from twin.record.inputs import app_version

        print(app_version())
        raise typer.Exit


def make_app() -> typer.Typer:
    """Return the program with all commands."""
    made = typer.Typer(
        name="twin",
        cls=Commands,
        help="Digital twin of a GPU data centre. Without a command it opens the window.",
        epilog=_EPILOG,
        context_settings={"help_option_names": ["--help", "-h"]},
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    made.callback(invoke_without_command=True)(_root)
    for head, group in GROUPS.items():
        for entry in group:
            if isinstance(entry.run, typer.Typer):
                made.add_typer(entry.run, name=entry.name, rich_help_panel=head)
            else:
                made.command(entry.name, epilog=entry.example, rich_help_panel=head)(entry.run)
    return made


app = make_app()


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
    if first in command_names() or first in ("-h", "--help", "--version"):
        return words
    if not first or first.startswith("-") or completion.names_scene_or_run(first):
        return ["open", *words]
    return words


def main() -> None:
    """Run the command of this process' arguments, and exit with its code."""
    guard()
    if completion.ASKED in os.environ:
        completion.prepare()
    words = with_command(sys.argv[1:])
    if words[:1] != ["open"]:
        os.environ.pop(language.FOLDER, None)  # only the window speaks another language than English
    try:
        app(args=words, prog_name="twin")
    finally:
        sys.stdout.flush()  # a reader that has left is told here, not when Python ends
