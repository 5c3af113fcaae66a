"""The commands by name, and the default one: a scene alone opens the app."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from twin.cli import (
    branch,
    calibrate,
    catalog,
    check,
    compare,
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
from twin.cli.commands import Commands
from twin.cli.terminal import guard

_EPILOG = """Example: twin run llama3-16k --seed 1 --json

A SCENE is a *.twin.yaml file, or a shipped scene by its name (llama3-16k, or builtin:llama3-16k); a RUN is a *.twinrun
file. Exit codes: 0 done, 1 findings or divergence, 2 unreadable input, 3 run failed, 130 interrupted."""


app = typer.Typer(
    name="twin",
    cls=Commands,
    help="Digital twin of a GPU data centre. Without a command it opens the window.",
    epilog=_EPILOG,
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


app.command("open", epilog=open_app.EXAMPLE)(open_app.open_scene)
app.command("run", epilog=run.EXAMPLE)(run.run_scene)
app.command("check", epilog=check.EXAMPLE)(check.check_scene)
app.command("diff", epilog=diff.EXAMPLE)(diff.diff_scenes)
app.command("show", epilog=show.EXAMPLE)(show.show_scene)
app.command("incidents", epilog=incidents.EXAMPLE)(incidents.show_incidents)
app.command("shot", epilog=shot.EXAMPLE)(shot.take_picture)
app.command("estimate", epilog=estimate.EXAMPLE)(estimate.estimate_cases)
app.command("plan", epilog=plan.EXAMPLE)(plan.plan_scene)
app.command("risk", epilog=risk.EXAMPLE)(risk.risk_of_scene)
app.command("jobs", epilog=jobs.EXAMPLE)(jobs.show_jobs)
app.command("grow", epilog=grow.EXAMPLE)(grow.grow_scene)
app.command("calibrate", epilog=calibrate.EXAMPLE)(calibrate.calibrate_profile)
app.command("validate", epilog=validate.EXAMPLE)(validate.validate_tables)
app.command("compare", epilog=compare.EXAMPLE)(compare.compare_runs)
app.command("export", epilog=export.EXAMPLE)(export.export_run)
app.command("verify", epilog=verify.EXAMPLE)(verify.verify_run)
app.command("branch", epilog=branch.EXAMPLE)(branch.branch_run)
app.command("explain", epilog=explain.EXAMPLE)(explain.explain_run)
app.command("report", epilog=report.EXAMPLE)(report.write_report)
app.command("video", epilog=video.EXAMPLE)(video.make_video)
app.add_typer(catalog.app, name="catalog")
app.command("bench", epilog=bench.EXAMPLE)(bench.measure_speed)

COMMANDS = (
    "open",
    "run",
    "check",
    "diff",
    "show",
    "estimate",
    "plan",
    "risk",
    "jobs",
    "grow",
    "calibrate",
    "validate",
    "compare",
    "verify",
    "branch",
    "explain",
    "report",
    "export",
    "incidents",
    "shot",
    "video",
    "catalog",
    "bench",
)


def with_command(words: list[str]) -> list[str]:
    """Return the arguments with `open` put in where no command is named.

    >>> with_command(["llama3-16k"])
    ['open', 'llama3-16k']
    >>> with_command(["run", "lab-16"]), with_command(["--help"]), with_command([])
    (['run', 'lab-16'], ['--help'], ['open'])
    """
    if words and (words[0] in COMMANDS or words[0] in ("--help", "--version")):
        return words
    return ["open", *words]


def main() -> None:
    """Run the command of this process' arguments, and exit with its code."""
    guard()
    app(args=with_command(sys.argv[1:]))
