"""`twin check`: what is wrong with a scene, before it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli.completion import scenes
from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json, Settings

if TYPE_CHECKING:
    from twin.rules import Finding, Found, Report
    from twin.scenario import Document

EXAMPLE = "Example: twin check my-hall.twin.yaml --json"
FORMAT = JsonFormat("check")
CONTROLS_FORMAT = JsonFormat("tenant-controls")
FAILURES_FORMAT = JsonFormat("failure-table")
RULES_FORMAT = JsonFormat("design-rules")


def check_scene(
    scene: Annotated[
        str,
        typer.Argument(
            metavar="SCENE",
            help="A *.twin.yaml file or the name of a shipped scene.",
            show_default=False,
            autocompletion=scenes,
        ),
    ] = "",
    set_: Settings = None,
    json: Json = False,
    security: Annotated[
        bool, typer.Option("--security", help="Check only the controls between tenants, as a checklist.")
    ] = False,
    failures: Annotated[
        bool,
        typer.Option(
            "--failures", help="List what fails by itself: causes, rates, repairs, failures a year."
        ),
    ] = False,
    rules: Annotated[
        bool, typer.Option("--rules", help="List the design rules and where their limits come from.")
    ] = False,
) -> None:
    """Check a scene against the schema and the design rules.

    Its text, its references, the design rules of space, power, cooling, fabric, tenancy, work and data, and whether
    its jobs can run. The hall is checked as it begins and after each of its edits, which are tried on the engine.
    Findings that the scene accepts under `exclusions` are listed with the reason and count for nothing; exclusions
    that match nothing are counted. With --security, every control that keeps tenants apart with pass, fail or not
    applicable, after edits too; it is no certificate.

    Exit code 0: no error and no warning; there may be notices. 1: errors or warnings. 2: it cannot be read.
    """
    from twin.cli.errors import BadInput, ExitCode, reporting_errors
    from twin.cli.output import print_json
    from twin.cli.scene import load_scene
    from twin.scenario import ScenarioError
    from twin.scenario.file.set_option import set_texts

    with reporting_errors(scene):
        if rules:
            _print_rules(json)
            raise typer.Exit(ExitCode.DONE)
        if not scene:
            raise BadInput("check needs a scene, such as lab-16; with --rules it lists the rules alone")
        try:
            document = set_texts(load_scene(scene), set_ or [])
        except ScenarioError as error:
            if not json:
                raise
            rows = [_row(p.file, p.line, p.key, p.value, p.reason, p.hint) for p in error.problems]
            print_json(FORMAT, {"scene": scene, "readable": False, "failed": True, "findings": rows})
            raise typer.Exit(ExitCode.UNREADABLE) from None
        if failures:
            from twin.cli.failure_table import plain, print_failures, table_of_scene

            table = table_of_scene(document)
            if json:
                print_json(FAILURES_FORMAT, {"scene": document.name, **plain(table)})
            else:
                print_failures(table)
            raise typer.Exit(ExitCode.DONE)
        if security:
            from twin.cli.security import checklist, print_checklist

            controls = checklist(document)
            if json:
                print_json(CONTROLS_FORMAT, {"scene": document.name, "readable": True, "controls": controls})
            else:
                print_checklist(document.name, controls)
            failed = any(control["status"] == "fail" for control in controls)
            raise typer.Exit(ExitCode.FINDINGS if failed else ExitCode.DONE)
        report, counts = report_of(document)
        if json:
            rows = [{**_located(document, finding), **finding.plain()} for finding in report.findings]
            head = {
                "scene": document.name,
                "readable": True,
                **counts,
                "exclusions": _exclusions(document, report),
            }
            print_json(FORMAT, {**head, **report.plain(), "findings": rows})
        else:
            _print_report(document, report, counts)
        raise typer.Exit(ExitCode.FINDINGS if report.failed else ExitCode.DONE)


def report_of(document: Document) -> tuple[Report, dict[str, int]]:
    """Return the findings in a readable scene, and its numbers of racks, nodes, GPUs and jobs."""
    from dataclasses import asdict

    from twin.catalog import UnknownPart
    from twin.planning.job.job import PlanError
    from twin.planning.network.connectivity import NotJoined
    from twin.planning.profile.figures import ProfileError
    from twin.plant.build import build
    from twin.plant.error import PlantError
    from twin.rules import Found, after_edits, check, unbuilt
    from twin.rules.engine_findings import at_the_start, of_an_edit, of_the_year, size_of
    from twin.runtime.typical_year import year_or_reason
    from twin.scenario.generators.all_jobs import jobs_of
    from twin.scenario.generators.expand import counts
    from twin.scenario.schema.scene_catalog import catalog_of
    from twin.sim.engine.edit_check import trials
    from twin.sim.engine.engine import Engine
    from twin.sim.jobs.plan import UnplaceableJob
    from twin.sim.thermal.cooling_draw import SplitHall
    from twin.sim.thermal.part_models import UncooledNode

    scenario, catalog = document.scenario, catalog_of(document.scenario)
    made = {**asdict(counts(scenario, catalog)), "jobs": len(jobs_of(scenario))}
    try:
        plant = build(scenario, catalog)
    except (PlantError, UnknownPart) as error:
        return unbuilt(scenario, str(error.args[0])), made
    of_start: list[tuple[str, Found]] = []
    of_edits: dict[str, list[tuple[str, Found]]] = {}
    try:
        engine = Engine(scenario)
        of_start = list(at_the_start(scenario, engine.events(0)))
        places = {edit.id: place for place, edit in enumerate(scenario.edits)}
        of_edits = {
            trial.edit.id: of_an_edit(
                trial.edit.id, places[trial.edit.id], stage, trial.refusal, trial.misfits
            )
            for trial, stage in zip(trials(engine), document.stages.made, strict=True)
        }
    except NotJoined as error:
        at, ids = size_of(scenario, error.job), (error.job,)
        of_start = [("job-fits", Found(at=at, reason=error.reason, fix=error.hint, ids=ids))]
    except UncooledNode as error:
        if (plant.nodes.loop[plant.nodes.present] >= 0).all():  # else a rule of cooling says it
            of_start = [("run-impossible", Found(at=(), reason=str(error)))]
    except SplitHall:
        pass  # a rule of cooling says it
    except (PlantError, UnplaceableJob, PlanError, ProfileError) as error:
        of_start = [("run-impossible", Found(at=(), reason=str(error)))]
    except UnknownPart as error:
        of_start = [("run-impossible", Found(at=(), reason=str(error.args[0])))]
    of_start += of_the_year(scenario, plant, year_or_reason(scenario, plant, catalog))
    report = check(scenario, plant, catalog, of_start)
    return after_edits(report, scenario, document.stages, catalog, of_edits), made


def _located(document: Document, finding: Finding) -> dict[str, Any]:
    """Return the place of a finding in the file, and the text there."""
    from twin.scenario.file.warnings import problem_at

    problem = problem_at(document, finding.at, finding.reason, finding.fix)
    return _row(problem.file, problem.line, finding.key, problem.value, finding.reason, finding.fix)


def _print_report(document: Document, report: Report, counts: dict[str, int]) -> None:
    """Print the findings as a table, the worst first, then those that are accepted, then one line for all."""
    from rich.text import Text

    from twin.cli.tables import console, table_of

    to = console()
    styles = {"error": "bold red", "warning": "yellow", "notice": "cyan"}
    table = table_of()
    for head in ("", "rule", "line"):
        table.add_column(head, no_wrap=True)
    table.add_column("what", ratio=1, overflow="fold")
    for column in ("is", "limit"):
        table.add_column(column, justify="right", no_wrap=True)
    for finding in report.open:
        place = _located(document, finding)
        own = place["file"] == document.name
        line = str(place["line"] or "")
        line = line if own else f"{place['file'].removesuffix('.twin.yaml')}:{line}"
        value = finding.value.text if finding.value is not None else ""
        limit = finding.limit.text if finding.limit is not None else ""
        sentence = (
            f"{finding.sentence}\n\N{RIGHTWARDS ARROW} {finding.fix}" if finding.fix else finding.sentence
        )
        severity = Text(finding.severity, style=styles[finding.severity])
        table.add_row(severity, finding.rule, line, Text(sentence), value, limit)
    if report.open:
        to.print(table)
    for finding in report.findings:
        if finding.excluded:
            text = f"accepted  {finding.rule} at {finding.target}: {finding.sentence}  \N{EM DASH} {finding.comment}"
            to.print(Text(text, style="dim"), soft_wrap=True)
    found = [f"{n:,} {noun}{'s' if n > 1 else ''}" for noun, n in report.counts().items() if n]
    if not report.failed:
        found = ["nothing found", *(f"but {count}" for count in found)]
    exclusions = _exclusions(document, report)
    found += [f"{exclusions['accepted']:,} accepted"] if exclusions["accepted"] else []
    if exclusions["unmatched"]:
        match = "match" if exclusions["unmatched"] > 1 else "matches"
        found.append(f"{exclusions['unmatched']:,} of {exclusions['written']:,} exclusions {match} nothing")
    made = ", ".join(f"{noun} {number:,}" for noun, number in counts.items())
    to.print(Text(f"{document.name}: {', '.join(found)} ({made})"), soft_wrap=True)


def _exclusions(document: Document, report: Report) -> dict[str, int]:
    """Return how many exclusions the file has, how many of them match nothing, and how many findings are accepted."""
    from twin.rules.data import UNMATCHED

    written = len(document.scenario.exclusions)
    idle = sum(finding.rule == UNMATCHED for finding in report.findings)
    accepted = len(report.findings) - len(report.open)
    return {"written": written, "accepted": accepted, "unmatched": idle}


def _print_rules(json: bool) -> None:
    """Print the table of rules."""
    from twin.cli.output import print_json
    from twin.cli.tables import print_table
    from twin.rules import RULES

    keys = ("id", "title", "family", "severity", "checks", "source")
    rows = [{key: getattr(rule, key) for key in keys} for rule in RULES]
    if json:
        print_json(RULES_FORMAT, {"rules": rows})
    else:
        cells = [
            tuple(str(row[key]) for key in ("id", "severity", "family", "checks", "source")) for row in rows
        ]
        print_table(("rule", "severity", "of", "checks", "limit from"), cells)


def _row(file: str, line: int, key: str, value: str, reason: str, hint: str) -> dict[str, Any]:
    """Return the place of one finding, for JSON; unknown values are null."""
    return {
        "file": file,
        "line": line or None,
        "key": key or None,
        "said": value or None,
        "reason": reason,
        "hint": hint or None,
    }
