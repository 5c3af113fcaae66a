"""`twin check`: what is wrong with a scene, before it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from twin.cli.options import Json, Scene

if TYPE_CHECKING:
    from twin.scenario import Document

EXAMPLE = "Example: twin check my-hall.twin.yaml --json"


def check_scene(
    scene: Scene,
    json: Json = False,
) -> None:
    """Check a scene before it runs.

    Its text, its references, what stands in the halls, and whether its jobs can run.

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
        rows, counts = findings(document)
        if json:
            print_json({"scene": document.name, "readable": True, **counts, "findings": rows})
        else:
            for row in rows:
                print(f"{row['file']}: {row['reason']}", file=sys.stderr)
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
    from twin.plant.error import PlantError
    from twin.scenario.expand import counts
    from twin.sim.engine import Engine
    from twin.sim.parts import UncooledNode
    from twin.sim.plan import UnplaceableJob

    scenario = document.scenario
    made = {**asdict(counts(scenario, load_catalog())), "jobs": len(scenario.jobs)}
    try:
        engine = Engine(scenario)
    except (PlantError, UncooledNode, UnplaceableJob, PlanError, ProfileError) as error:
        return [_row(document.name, 0, "", "", str(error), "")], made
    except UnknownPart as error:
        return [_row(document.name, 0, "", "", str(error.args[0]), "")], made
    refused = [event for event in engine.events(0) if event.kind == "refused"]
    return [_row(document.name, 0, "interventions", event.subject, event.text, "") for event in refused], made


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
