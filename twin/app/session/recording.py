"""A run file opened by itself: its scene, what happened, what people did, and whether this program would run it so."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twin.analysis.rerun import settled
from twin.commands.edit.draft import Draft
from twin.commands.edit.draft_steps import edit_text
from twin.language import tr
from twin.plant.build import build
from twin.plant.tables import Plant
from twin.record.channels import Entity
from twin.record.contents import Header
from twin.record.events import Event
from twin.record.frame import FrameLayout
from twin.record.inputs import app_version, input_hashes
from twin.record.reader import Reader
from twin.record.runfile import RunFileError
from twin.record.state_folder import new_run_path
from twin.scenario import Change, Patch, loads
from twin.scenario.file.effective_text import show
from twin.scenario.file.patch_text import apply
from twin.scenario.file.scene_at import effective
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.faults import Intervention

SUFFIX = ".twinrun"


@dataclass(frozen=True)
class Recording:
    """What a run file holds beside its series.

    Attributes
    ----------
    draft
        Its scene, with every edit that was made while it ran.
    plant
        The hall at its beginning.
    seed
        Of its random draws.
    t_s, end_s
        How far it is recorded, and how long the run is to be [s].
    events
        All that happened.
    by_hand
        What people did to it, in order.
    summary
        What came of it; None: it has not come to its end.
    warning
        Why this program would perhaps not run it so, in one sentence; "": it would.
    """

    draft: Draft
    plant: Plant
    seed: int
    t_s: float
    end_s: float
    events: list[Event]
    by_hand: list[Intervention]
    summary: dict[str, Any] | None
    warning: str


def is_recording(path: Path) -> bool:
    """Return whether a file is meant as a run, by its name."""
    return path.name.endswith(SUFFIX)


def read_recording(path: Path) -> Recording:
    """Return what a run file holds.

    Raises
    ------
    RunFileError
        When it is none, is damaged, or is of a hall that this program builds otherwise.
    ScenarioError, PlantError, CatalogError, UnknownPart
        When this program can make no hall of its scene.
    """
    with Reader(path) as reader:
        header = reader.header
        found = settled(reader)
        document = loads(show(found.scene(header.scenario)), path.name)
        asked = [entry.done for entry in found.asked]
        edits = [request for request in asked if isinstance(request, Edit)]
        if edits:
            changes = [Change(f"edits[{edit.id}]", edit_text(edit)) for edit in edits]
            document = apply(document, Patch(tuple(changes)))
        first = effective(document, 0.0)
        plant = build(first.scenario)
        _must_fit(path, header, reader.epochs()[0][1], plant)
        reader.frame(0.0)  # one that cannot be shown is refused now
        return Recording(
            Draft(document),
            plant,
            header.seed,
            reader.t_end_s,
            header.end_s,
            reader.all_events(),
            [request for request in asked if isinstance(request, Intervention)],
            reader.summary,
            _warning(header.versions, header.inputs, input_hashes(header.scenario)),
        )


@dataclass(frozen=True)
class GoingOn:
    """A copy of a run file that is to go on.

    Attributes
    ----------
    scenario
        The scene it began with.
    copy
        Where the copy lies.
    t_s, events
        When its last snapshot was taken [s], from which it goes on, and how many events had been by then.
    """

    scenario: Scenario
    copy: Path
    t_s: float
    events: int


def copy_to_go_on(path: Path) -> GoingOn:
    """Copy a run file to where runs are recorded; raises RunFileError."""
    with Reader(path) as reader:
        scenario = reader.header.scenario
        copy = new_run_path(scenario.title)
        reader.save_copy(copy)
    with Reader(copy) as reader:  # the other one may have grown meanwhile
        last = reader.nearest_snapshot(math.inf)
    return GoingOn(scenario, copy, last.t_s if last else 0.0, last.events if last else 0)


def _warning(versions: Mapping[str, str], inputs: Mapping[str, str], own: Mapping[str, str]) -> str:
    made, here = versions.get("twin", "unknown"), app_version()
    differing = [name for name, digest in inputs.items() if own.get(name) != digest and name != "scenario"]
    if made == here and not differing:
        return ""
    with_what = (
        tr("version {made} of this program", made=made) if made != here else tr("this version of the program")
    )
    if differing:
        some = ", ".join(differing[:2]) + (
            tr(" and {differing_count} more", differing_count=len(differing) - 2)
            if len(differing) > 2
            else ""
        )
        with_what += tr(" and other data ({some})", some=some)
    return tr(
        "This run was made with {with_what}: a new run here may differ from the recording.",
        with_what=with_what,
    )


def _must_fit(path: Path, header: Header, first: FrameLayout, plant: Plant) -> None:
    """Refuse a recording whose values would be shown on other things than they are of."""
    counts = first.counts
    here: dict[Entity, int] = {
        "gpu": len(plant.gpus.node),
        "node": len(plant.nodes.ids),
        "rack": len(plant.racks.ids),
    }
    wrong = [
        f"{counts.get(kind, 0):,} {kind}s" for kind, count in here.items() if counts.get(kind, 0) != count
    ]
    if wrong:
        raise RunFileError(
            tr(
                "{path}: this run has {wrong}, but this version's catalogue builds another hall from "
                "its scene; open it with version {get}",
                path=path,
                wrong=" and ".join(wrong),
                get=header.versions.get("twin", "unknown"),
            )
        )
