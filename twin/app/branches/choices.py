"""What a branch can be told to do from its cut on, and the line that says so. No widgets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import get_args

from twin.app.faults.break_choices import CAP_SHARE
from twin.app.session.save_folder import is_of_program
from twin.language import tr
from twin.plant.tables import Plant
from twin.record.state_folder import state_folder
from twin.scenario.reading.extend import SUFFIX
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scheduling import Policy

MOST_THINGS = 400


class Sort(StrEnum):
    """Sorts of change a branch can begin with."""

    NOTHING = tr("Nothing yet: edit in the branch")
    FAULT = tr("A fault")
    CAP = tr("A power cap")
    CHECKPOINT = tr("Another checkpoint interval")
    POLICY = tr("Another scheduling policy")


def sorts_of(scenario: Scenario) -> list[Sort]:
    """Return the sorts of change that mean something in a scene."""
    jobs = bool(scenario.jobs)
    return [sort for sort in Sort if sort is not Sort.CHECKPOINT or jobs]


def breakable(plant: Plant) -> list[str]:
    """Return things on offer to be broken: machines first, then racks and nodes; any other can be typed."""
    loops, plants, power = plant.loops, plant.plants, plant.power
    racks = [plant.racks.ids[k] for k in range(len(plant.racks.ids)) if plant.racks.present[k]]
    nodes = [
        plant.nodes.ids[k] for k in range(min(len(plant.nodes.ids), MOST_THINGS)) if plant.nodes.present[k]
    ]
    machines = [loops.ids[k] for k in range(len(loops.ids)) if loops.present[k]]
    return [*machines, *plants.ids, *power.ids, *plant.switches.ids, *racks, *nodes][:MOST_THINGS]


def capped(scenario: Scenario) -> list[str]:
    """Return what a power cap can be put on: all jobs, one of them, rows and halls."""
    jobs = [job.id for job in scenario.jobs[:MOST_THINGS]]
    rows = [rows.id for hall in scenario.halls for rows in hall.rows]
    return ["all", *jobs, *rows, *(hall.id for hall in scenario.halls)]


def policies() -> Sequence[str]:
    """Return the names of the policies of the queue."""
    return get_args(Policy)


def cap_example(scenario: Scenario, target: str, gpu_max_w: float) -> str:
    """Return a cap that makes sense: per GPU for jobs, of the whole else."""
    if target == "all" or any(job.id == target for job in scenario.jobs):
        return f"{round(CAP_SHARE * gpu_max_w, -1):.0f} W"
    return "100 kW"


def file_stem(title: str) -> str:
    """Return a name for the file of a branch."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:48].strip("-") or "branch"


def free_path(folder: Path, title: str) -> Path:
    """Return where a branch of this title can be written, nothing lies there nor beside it as its run."""
    stem, number = file_stem(title), 1
    while True:
        path = folder / f"{stem}{'' if number == 1 else f'-{number}'}{SUFFIX}"
        if not path.exists() and not run_beside(path).exists():
            return path
        number += 1


def run_beside(path: Path) -> Path:
    """Return the run file of a branch: it lies beside it."""
    return path.with_name(path.name.removesuffix(SUFFIX) + ".twinrun")


def folder_of(path: Path | None) -> Path:
    """Return where the branches of a scene or recording lie: beside it, else in the program's own folder."""
    if path is None or is_of_program(path):
        made = state_folder() / "branches"
        made.mkdir(parents=True, exist_ok=True)
        return made
    return path.resolve().parent
