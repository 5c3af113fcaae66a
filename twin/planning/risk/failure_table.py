"""What fails in a hall: each cause with its rate and what that rests on, its repair, and its failures a year."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.catalog import Catalog
from twin.physics.reliability import MAINTENANCE_S, REPAIR_CLASS, REPAIR_CLASSES, RepairQuantiles
from twin.plant.failure_components import weights_of
from twin.plant.node_contents import counts_of_nodes
from twin.plant.tables import Plant
from twin.scenario.file.catalog_causes import STANDINGS, catalog_causes
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.faults import Cause
from twin.shown_text import capitalised, spelled
from twin.units import spoken

YEAR_S = 365.25 * 86400.0
NO_FAILURES = "nothing fails by itself in this scene"
"""What is said wherever reliability is shown of a scene without failures."""
TWICE = "Causes of the scene act beside those of the catalogue: switch off what is counted twice."
"""What is said where both act."""
OFFER = "failures: {rates: catalog} takes the published rates"
"""What helps."""
_ALONE = ("node", "rack", "nvlink", "row")
"""Components whose failure takes nodes in proportion to how many there are, for the job's share."""


@dataclass(frozen=True, slots=True)
class FailureRow:
    """One cause.

    Attributes
    ----------
    id, title
        Id in the scene, and name for people.
    each
        What the rate is of: gpu, nic, node, link, leaf ...
    count
        How many of them the halls have.
    rate_s, low_s, high_s
        Failures of one of them, and the range of that; None where nothing is told of it [1/s].
    repair, repair_s
        Repair class, and its mean time away; 0: a restart is enough [s].
    per_year
        Failures expected in a year of these halls, if it acts.
    acts
        Whether it is on.
    planned
        Planned maintenance, counted apart.
    standing, source
        What the rate rests on in these halls, and where it is from.
    of_catalog
        Whether it is the catalogue's; else the scene's own.
    """

    id: str
    title: str
    each: str
    count: float
    rate_s: float
    low_s: float | None
    high_s: float | None
    repair: str
    repair_s: float
    per_year: float
    acts: bool
    planned: bool
    standing: str
    source: str
    of_catalog: bool


@dataclass(frozen=True, slots=True)
class FailureTable:
    """All causes of a scene, those of which the halls have nothing left out.

    Attributes
    ----------
    enabled
        Whether failures are on at all.
    rows
        Causes, most frequent first.
    per_year, planned_per_year
        Failures, and planned maintenance, expected in a year of these halls.
    job, job_nodes
        Largest job and its nodes; "" and 0 without one.
    job_per_year
        Interruptions of that job expected in a year of work.
    """

    enabled: bool
    rows: tuple[FailureRow, ...]
    per_year: float
    planned_per_year: float
    job: str
    job_nodes: int
    job_per_year: float

    @property
    def none(self) -> bool:
        """Return whether nothing fails by itself."""
        return self.per_year == 0 and self.planned_per_year == 0

    @property
    def adds_up(self) -> bool:
        """Return whether causes of the scene act beside those of the catalogue: some may be counted twice."""
        return len({row.of_catalog for row in self.rows if row.acts and not row.planned}) > 1


_REPAIRS = {"gpu": "GPU", "cpu": "CPU", "nic": "network adapter", "power_supply": "power supply"}
EACH = {
    "gpu": "GPU",
    "nic": "adapter",
    "psu": "power supply",
    "nvlink_tray": "NVLink tray",
    "pdu": "PDU",
    "cdu": "CDU",
}
"""What a rate is of, where people call it otherwise."""


def rate_words(row: FailureRow) -> str:
    """Return the rate of one of what it is of: "0.167 per 1000 GPU-days"."""
    return f"{row.rate_s * 86400e3:.3g} per 1000 {EACH.get(row.each, row.each)}-days"


def repair_words(row: FailureRow) -> str:
    """Return what is repaired and how long that takes on average: "GPU, mean 6 d 11 h"."""
    if row.repair == "restart":
        return "restart, no repair"
    return f"{_REPAIRS.get(row.repair, row.repair)}, mean {spoken(row.repair_s)}"


def failure_table(scenario: Scenario, plant: Plant, catalog: Catalog) -> FailureTable:
    """Return what fails in the halls of a scene, and how often it interrupts the largest job."""
    failures = scenario.failures
    acting = {cause.id for cause in failures.acting}
    rows, hits = [], 0.0
    counts: dict[tuple[str, str], float] = {}
    jobs = jobs_of(scenario)
    largest = max(jobs, key=lambda job: job.nodes) if jobs else None
    nodes = max(1, int((plant.nodes.present & (plant.nodes.gpu_count > 0)).sum()))
    share = largest.nodes / nodes if largest is not None else 0.0
    for cause in failures.causes:
        what = cause.on, cause.each
        if what not in counts:
            counts[what] = _count(plant, cause, catalog)
        count = counts[what]
        if not count:
            continue
        row = _row(cause, count, cause.id in acting, failures.repair_constant_s, plant, catalog)
        rows.append(row)
        if row.acts and cause.stops and not cause.planned and cause.on in _ALONE:
            hits += row.per_year * share
    return FailureTable(
        failures.enabled,
        tuple(sorted(rows, key=lambda row: -row.per_year)),
        sum(row.per_year for row in rows if row.acts and not row.planned),
        sum(row.per_year for row in rows if row.acts and row.planned),
        largest.id if largest is not None else "",
        largest.nodes if largest is not None else 0,
        hits,
    )


def fails(scenario: Scenario) -> bool:
    """Return whether anything of a scene fails by itself: by rates, or as recorded elsewhere."""
    failures = scenario.failures
    return any(cause.per_node_s > 0 for cause in failures.acting) or (
        failures.enabled and failures.trace is not None
    )


def repair_of(cause: Cause, constant_s: float | None) -> float | RepairQuantiles:
    """Return how long a cause takes a node away: 0, a constant [s], or the quantiles of its class."""
    if cause.repair == "restart":
        return 0.0
    if constant_s is not None:
        return constant_s
    if cause.repair == "maintenance":
        return MAINTENANCE_S
    return REPAIR_CLASSES[REPAIR_CLASS[cause.repair]].repair


def _count(plant: Plant, cause: Cause, catalog: Catalog) -> float:
    slots, weight = weights_of(plant, cause.on)
    if cause.on not in ("node", "nvlink"):
        return float(weight.sum())
    return float((weight * counts_of_nodes(plant, cause.each, catalog)[slots]).sum())


def _row(
    cause: Cause, count: float, acts: bool, constant_s: float | None, plant: Plant, catalog: Catalog
) -> FailureRow:
    repair = repair_of(cause, constant_s)
    of_catalog = cause in catalog_causes()
    title, low_s, high_s = capitalised(spelled(cause.id.replace("_", " "))), None, None
    standing = "of the scene"
    if of_catalog:
        part = next(part for part in catalog.causes if part.id == cause.id)
        figure = catalog.provenance(part.id, "rate_per_s")
        title, low_s, high_s = part.title, figure.low, figure.high
        standing = _standing(STANDINGS[figure.status], part.counted_on, plant)
    return FailureRow(
        id=cause.id,
        title=title,
        each=cause.each if cause.each != "node" else cause.on,
        count=count,
        rate_s=cause.per_node_s,
        low_s=low_s,
        high_s=high_s,
        repair=cause.repair,
        repair_s=repair.mean_s if isinstance(repair, RepairQuantiles) else repair,
        per_year=cause.per_node_s * count * YEAR_S,
        acts=acts,
        planned=cause.planned,
        standing=standing,
        source=cause.source,
        of_catalog=of_catalog,
    )


def _standing(words: str, counted_on: str, plant: Plant) -> str:
    """Return what a rate rests on in these halls: a count on other GPUs is carried over."""
    there = np.unique(plant.gpus.part[plant.gpus.present]).tolist()
    others = [plant.gpu_parts[part] for part in there if plant.gpu_parts[part] != counted_on]
    if counted_on and others:
        return f"estimated: carried over from {counted_on}"
    return f"{words} on {counted_on}" if counted_on else words
