"""`twin check`: what is wrong with a scene, before it runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twin.cli.options import Json, Scene

if TYPE_CHECKING:
    from twin.planning.joined import NotJoined
    from twin.runtime.protocol import Engine
    from twin.scenario import Document, Problem

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
    from twin.sim.engine import Engine
    from twin.sim.parts import UncooledNode
    from twin.sim.plan import UnplaceableJob

    scenario = document.scenario
    made = {**asdict(counts(scenario, load_catalog())), "jobs": len(scenario.jobs)}
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

    row = [job.id for job in document.scenario.jobs].index(error.job)
    at = ("jobs", row, "nodes")
    mark = locate(document.tree, at)
    value = str(document.scenario.jobs[row].nodes)
    return Problem(mark.file, mark.line, written(at, document.tree), value, error.reason, error.hint)


def _said_at_the_start(document: Document, engine: Engine) -> Iterator[Problem]:
    """Yield what the engine refuses or warns of before anything has run."""
    from twin.scenario import Problem
    from twin.scenario.tree import locate, written

    for event in engine.events(0):
        if event.kind not in ("refused", "does_not_fit"):
            continue
        things: Sequence[Any] = document.scenario.jobs
        at: tuple[str | int, ...] = ("jobs", 0, "workload", "parallelism")
        same = [job.id == event.subject for job in things]
        if event.kind == "refused":
            things, at = document.scenario.interventions, ("interventions", 0)
            same = [one.target == event.subject for one in things]
        row = same.index(True)
        at = (at[0], row, *at[2:])
        if event.kind == "does_not_fit" and not hasattr(things[row].workload, "parallelism"):
            at = at[:3]  # not every workload is cut by degrees
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
