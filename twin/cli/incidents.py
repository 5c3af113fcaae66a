"""`twin incidents`: random faults that fit a scene, as text that can be pasted into it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from twin.cli.json_formats import JsonFormat
from twin.cli.options import Json, Scene, Seed, Settings

EXAMPLE = (
    "Example: twin incidents nvl72-row --level heavy --seed 3; twin run nvl72-row --incidents heavy --seed 3"
)
FORMAT = JsonFormat("incidents")


class IncidentLevel(StrEnum):
    """Severity of random incidents."""

    light = "light"
    medium = "medium"
    heavy = "heavy"


Incidents = Annotated[
    IncidentLevel | None,
    typer.Option(
        help="Add random incidents, drawn by the seed: light: no job should notice; medium: jobs are interrupted every "
        "few hours; heavy: cascades with faults of the facility. twin incidents prints them."
    ),
]


def show_incidents(
    scene: Scene,
    level: Annotated[
        IncidentLevel, typer.Option(help="Severity: light, medium or heavy.")
    ] = IncidentLevel.medium,
    seed: Seed = None,
    from_: Annotated[
        str, typer.Option("--from", metavar="TIME", help="First time of an incident, such as '2 h'.")
    ] = "0 s",
    until: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Last time of an incident (default: the end of the scene)."),
    ] = None,
    set_: Settings = None,
    json: Json = False,
) -> None:
    """Print random incidents that fit a scene, to paste into it."""
    from twin.cli.errors import BadInput, reporting_errors
    from twin.cli.output import print_json
    from twin.cli.scene import load_scene, time_of, with_changes
    from twin.planning.risk.random_incidents import random_incidents
    from twin.scenario.file.effective_text import plain
    from twin.scenario.text.emit import block
    from twin.units import spoken

    with reporting_errors(scene):
        scenario = with_changes(load_scene(scene), set_ or [], [])
        from_s = time_of(from_, "--from")
        until_s = scenario.duration_s if until is None else time_of(until, "--until")
        if from_s >= until_s:
            end = "--until" if until is not None else f"the end of the scene, {spoken(until_s)}"
            raise BadInput(f"--from: {from_} is not before {end}: no incident can begin")
        chosen = scenario.seed if seed is None else seed
        found = random_incidents(scenario, level.value, chosen, from_s, until_s)
        shown = {"interventions": [plain(incident) for incident in found]}
        if json:
            print_json(FORMAT, {"level": level.value, "seed": chosen, **shown})
        else:
            typer.echo(f"# {level.value} incidents, seed {chosen}\n{block(shown)}", nl=False)
