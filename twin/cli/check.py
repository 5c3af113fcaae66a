"""`twin check`: what is wrong with a scene, before it runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli.options import Json, Scene

if TYPE_CHECKING:
    from twin.planning.joined import NotJoined
    from twin.runtime.protocol import Engine
    from twin.scenario import Document, Problem, Scenario
    from twin.scenario.streams import JobStream
    from twin.scenario.tree import Path
    from twin.scenario.work import Job

EXAMPLE = "Example: twin check my-hall.twin.yaml --json"


def check_scene(
    scene: Scene,
    json: Json = False,
    security: Annotated[
        bool, typer.Option("--security", help="Only the controls between tenants, as a checklist.")
    ] = False,
) -> None:
    """Check a scene before it runs.

    Its text, its references, what stands in the halls, and whether its jobs can run. With --security, every control
    that keeps tenants apart with pass, fail or not applicable; it is no certificate.

    Exit code 0: nothing found. 1: it can be read, but does not work out. 2: it cannot be read.
    """
    import sys

    from twin.cli.errors import ExitCode, told
    from twin.cli.output import print_json
    from twin.cli.scene import load_scene
    from twin.scenario import ScenarioError

    with told(scene):
        try:
            document = load_scene(scene)
        except ScenarioError as error:
            if not json:
                raise
            rows = [_row(p.file, p.line, p.key, p.value, p.reason, p.hint) for p in error.problems]
            print_json({"scene": scene, "readable": False, "findings": rows})
            raise typer.Exit(ExitCode.UNREADABLE) from None
        if security:
            from twin.cli.security import checklist, print_checklist

            controls = checklist(document)
            if json:
                print_json({"scene": document.name, "readable": True, "controls": controls})
            else:
                print_checklist(document.name, controls)
            failed = any(control["status"] == "fail" for control in controls)
            raise typer.Exit(ExitCode.FINDINGS if failed else ExitCode.DONE)
        rows, counts = findings(document)
        if json:
            print_json({"scene": document.name, "readable": True, **counts, "findings": rows})
        else:
            for row in rows:
                print(_told(row), file=sys.stderr)
            if not rows:
                made = ", ".join(f"{what} {number:,}" for what, number in counts.items())
                print(f"{document.name}: nothing found ({made})")
        raise typer.Exit(ExitCode.FINDINGS if rows else ExitCode.DONE)


def findings(document: Document) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Return what does not work out in a readable scene, and how many racks, nodes, GPUs and jobs it has."""
    from dataclasses import asdict

    from twin.catalog import UnknownPart, load_catalog
    from twin.planning.figures import ProfileError
    from twin.planning.job import PlanError
    from twin.planning.joined import NotJoined
    from twin.plant.doubts import facility_doubts
    from twin.plant.error import PlantError
    from twin.scenario.doubts import doubts
    from twin.scenario.expand import counts
    from twin.scenario.population import jobs_of
    from twin.sim.engine import Engine
    from twin.sim.parts import UncooledNode
    from twin.sim.plan import UnplaceableJob

    scenario = document.scenario
    made = {**asdict(counts(scenario, load_catalog())), "jobs": len(jobs_of(scenario))}
    try:
        engine = Engine(scenario)
    except NotJoined as error:
        problems = [*doubts(document, load_catalog()), _not_joined(document, error)]
        return [_row(p.file, p.line, p.key, p.value, p.reason, p.hint) for p in problems], made
    except (PlantError, UncooledNode, UnplaceableJob, PlanError, ProfileError) as error:
        return [_row(document.name, 0, "", "", str(error), "")], made
    except UnknownPart as error:
        return [_row(document.name, 0, "", "", str(error.args[0]), "")], made
    problems = [
        *doubts(document, load_catalog()),
        *facility_doubts(document, engine.plant, load_catalog()),
        *_said_at_the_start(document, engine),
    ]
    return [_row(p.file, p.line, p.key, p.value, p.reason, p.hint) for p in problems], made


def _not_joined(document: Document, error: NotJoined) -> Problem:
    """Return a job whose nodes nothing joins as a finding about how many it asks for."""
    from twin.scenario import Problem
    from twin.scenario.tree import locate, written

    at, value = _place_of(document.scenario, error.job)
    mark = locate(document.tree, at)
    return Problem(mark.file, mark.line, written(at, document.tree), value, error.reason, error.hint)


def _place_of(scenario: Scenario, job: str) -> tuple[Path, str]:
    """Return the key that says how large a job is, or of which stream or trace it is, with its value."""
    written = {one.id: i for i, one in enumerate(scenario.jobs)}
    if job in written:
        return ("jobs", written[job], "nodes"), str(scenario.jobs[written[job]].nodes)
    streams = {one.id: i for i, one in enumerate(scenario.streams)}
    stem = job.rpartition("-")[0]
    if stem in streams:
        return ("streams", streams[stem], "sizes"), job
    traces = (i for i, one in enumerate(scenario.traces) if job.startswith(f"{one.id}-"))
    return ("traces", next(traces, 0), "map"), job


def _cuts_of(scenario: Scenario, job: str) -> Path:
    """Return the key that says how the work of a job is cut over its GPUs."""
    at, _ = _place_of(scenario, job)
    if at[0] == "traces":
        return (*at, "workload")
    things: Sequence[Job | JobStream] = scenario.jobs if at[0] == "jobs" else scenario.streams
    workload = things[int(at[1])].workload
    cut = ("parallelism",) if hasattr(workload, "parallelism") else ()  # not every workload is cut by degrees
    return (at[0], at[1], "workload", *cut)


def _said_at_the_start(document: Document, engine: Engine) -> Iterator[Problem]:
    """Yield what the engine refuses or warns of before anything has run."""
    from twin.scenario import Problem
    from twin.scenario.tree import locate, written

    told: set[Path] = set()
    for event in engine.events(0):
        if event.kind not in ("refused", "does_not_fit"):
            continue
        if event.kind == "refused":
            same = [one.target == event.subject for one in document.scenario.interventions]
            at: Path = ("interventions", same.index(True))
        else:
            at = _cuts_of(document.scenario, event.subject)
            if at in told:
                continue  # another job of the same stream or trace
            told.add(at)
        mark = locate(document.tree, at)
        value = event.subject if event.kind == "refused" else ""
        yield Problem(mark.file, mark.line, written(at, document.tree), value, event.text)


def _told(row: Mapping[str, Any]) -> str:
    """Return one finding as a sentence."""
    from twin.scenario import Problem

    said = {key: row[key] or "" for key in ("file", "key", "value", "reason", "hint")}
    return str(Problem(line=row["line"] or 0, **said))


def _row(file: str, line: int, key: str, value: str, reason: str, hint: str) -> dict[str, Any]:
    """Return one finding for JSON; what is not known is null."""
    return {
        "file": file,
        "line": line or None,
        "key": key or None,
        "value": value or None,
        "reason": reason,
        "hint": hint or None,
    }
