"""The commands by name and group, and the default one: a scene alone opens the app."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer

from twin import language
from twin.cli import completion
from twin.cli.commands import CommandEntry, Commands, CommandsOnDemand
from twin.cli.json_formats import JsonFormat
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
        CommandEntry("open", "twin.cli.open_app:open_scene"),
        CommandEntry("run", "twin.cli.run:run_scene", ("FORMAT",)),
        CommandEntry("show", "twin.cli.show:show_scene", ("FORMAT",)),
        CommandEntry("year", "twin.cli.year:year_of_scene", ("FORMAT",)),
    ),
    "Check and edit": (
        CommandEntry(
            "check",
            "twin.cli.check:check_scene",
            ("FORMAT", "CONTROLS_FORMAT", "FAILURES_FORMAT", "RULES_FORMAT"),
        ),
        CommandEntry("diff", "twin.cli.diff:diff_scenes", ("FORMAT",)),
        CommandEntry("grow", "twin.cli.grow:grow_scene", ("FORMAT",)),
        CommandEntry("incidents", "twin.cli.incidents:show_incidents", ("FORMAT",)),
    ),
    "Plan a job": (
        CommandEntry("plan", "twin.cli.plan:plan_scene", ("FORMAT",)),
        CommandEntry("estimate", "twin.cli.estimate:estimate_cases", ("FORMAT",)),
        CommandEntry("calibrate", "twin.cli.calibrate:calibrate_profile", ("FORMAT",)),
        CommandEntry("risk", "twin.cli.risk:risk_of_scene", ("FORMAT",)),
        CommandEntry("jobs", "twin.cli.jobs:show_jobs", ("FORMAT",)),
    ),
    "Compare and explain": (
        CommandEntry(
            "compare", "twin.cli.compare:compare_runs", ("FORMAT", "twin.cli.study.compare_designs:FORMAT")
        ),
        CommandEntry("branch", "twin.cli.branch:branch_run", ("FORMAT", "twin.cli.branch_tree:FORMAT")),
        CommandEntry(
            "explain",
            "twin.cli.explain:explain_run",
            ("FORMAT", "twin.cli.incident_text:LIST_FORMAT", "twin.cli.incident_text:INCIDENT_FORMAT"),
        ),
        CommandEntry("merge", "twin.cli.documents.merge:merge_scenes", ("FORMAT",)),
        CommandEntry("install-git-driver", "twin.cli.documents.git_driver:install_driver"),
        CommandEntry("git-diff", "twin.cli.documents.git_driver:show_difference"),
        CommandEntry("git-merge", "twin.cli.documents.git_driver:merge_revisions"),
        CommandEntry("verify", "twin.cli.verify:verify_run", ("FORMAT",)),
    ),
    "Decide": (
        CommandEntry("cost", "twin.cli.cost:cost_of", ("FORMAT",)),
        CommandEntry("ask", "twin.cli.study.ask:app", ("FORMAT", "LIST_FORMAT")),
        CommandEntry("sweep", "twin.cli.study.sweep:sweep_scene", ("FORMAT",)),
        CommandEntry("design", "twin.cli.study.design:design_need", ("FORMAT",)),
    ),
    "Reports and export": (
        CommandEntry("report", "twin.cli.report:write_report"),
        CommandEntry("handover", "twin.cli.documents.handover:hand_over"),
        CommandEntry("draw", "twin.cli.documents.draw:draw_scene"),
        CommandEntry("bom", "twin.cli.documents.lists:list_parts", ("FORMAT",)),
        CommandEntry("cables", "twin.cli.documents.lists:list_cables"),
        CommandEntry("ports", "twin.cli.documents.lists:list_ports"),
        CommandEntry("addresses", "twin.cli.documents.lists:list_addresses"),
        CommandEntry("racks", "twin.cli.documents.lists:list_racks"),
        CommandEntry("export", "twin.cli.export:export_run"),
        CommandEntry("shot", "twin.cli.shot:take_picture"),
        CommandEntry("video", "twin.cli.video:make_video"),
    ),
    "Teach and train": (
        CommandEntry("lesson", "twin.cli.teach.lesson:app", ("LIST_FORMAT", "CHECK_FORMAT", "REPORT_FORMAT")),
        CommandEntry("drill", "twin.cli.teach.drill:rank_drill", ("FORMAT",)),
    ),
    "This installation": (
        CommandEntry("catalog", "twin.cli.catalog:app", ("LIST_FORMAT", "PART_FORMAT", "CHECK_FORMAT")),
        CommandEntry("validate", "twin.cli.validate:validate_tables", ("FORMAT",)),
        CommandEntry("bench", "twin.cli.bench.command:measure_speed", ("FORMAT",)),
        CommandEntry("completion", "twin.cli.completion:print_completion"),
        CommandEntry("help", "twin.cli.commands:show_help"),
    ),
}
"""The commands by the heads that `twin --help` shows them under."""


def command_names() -> list[str]:
    """Return the names of all commands."""
    return [entry.name for group in GROUPS.values() for entry in group]


def json_formats() -> list[JsonFormat]:
    """Return the formats that commands print as JSON."""
    return [made for group in GROUPS.values() for entry in group for made in entry.json_formats()]


def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    if version:
        from twin.record.inputs import app_version

        print(app_version())
        raise typer.Exit


class AllCommands(Commands):
    """All commands, each made when somebody asks for it."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = CommandsOnDemand(GROUPS)


def make_app() -> typer.Typer:
    """Return the program with all commands."""
    made = typer.Typer(
        name="twin",
        cls=AllCommands,
        help="Digital twin of a GPU data centre. Without a command it opens the window.",
        epilog=_EPILOG,
        context_settings={"help_option_names": ["--help", "-h"]},
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    made.callback(invoke_without_command=True)(_root)
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
