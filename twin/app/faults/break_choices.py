"""What can be broken by hand on a thing, and with which options. No widgets."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from twin import units
from twin.app.toolkit.text import duration, quantity
from twin.app.world.job_lookup import job_place
from twin.language import tr
from twin.physics.reliability import REPAIR_CLASS, REPAIR_CLASSES
from twin.plant.find import find
from twin.plant.links import find_link
from twin.plant.tables import Plant
from twin.scenario.checks.fault_facts import facts_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.fault_kinds.kind import CAPPED, Dimension, FaultKind, TargetKind
from twin.scenario.schema.fault_kinds.needs import PARTITION, FaultFacts

_QUARTILE = 0.6745
"""Standard deviations from the median of a normal distribution to its quartiles."""
CAP_SHARE = 0.8
"""A power cap on offer is so much of what the thing may draw."""


@dataclass(frozen=True)
class Choice:
    """One way to break a thing.

    Parameters
    ----------
    kind, title, verb
        Kind of intervention, its words, and what a person does who asks for it.
    lasts
        Whether it can be told how long; then `repair` says in words how long it takes by itself.
    most, counted
        How many parts there are to lose, of what; 0: it takes no count.
    dimension, value_title, value
        What its value is, its words and one that makes sense; empty: it takes none.
    """

    kind: str
    title: str
    verb: str
    lasts: bool
    repair: str
    most: int
    counted: str
    dimension: Dimension
    value_title: str
    value: str


def target_kind(scenario: Scenario, plant: Plant, thing: str | None) -> tuple[TargetKind, int] | None:
    """Return what a thing is to interventions, and its slot; None when nothing can be done to it."""
    if thing is None:
        return "site", 0
    found = find(plant, thing)
    if found is not None:
        kind, slot = found
        return None if kind in ("store", "fabric") else (kind, slot)  # type: ignore[return-value]
    if find_link(plant, thing) is not None:
        return "link", 0
    job = job_place(scenario, thing)
    return ("job", job) if job is not None else None


def target_id(thing: str | None, kind: str) -> str:
    """Return how an intervention names a thing; the whole scene is "site", or "all" GPUs."""
    return thing if thing is not None else "all" if "all" in KINDS[kind].targets else "site"


def choices(scenario: Scenario, plant: Plant, thing: str | None) -> list[Choice]:
    """Return the ways to break a thing, in the order of the table of kinds; None: the whole scene."""
    at = target_kind(scenario, plant, thing)
    if at is None:
        return []
    facts = facts_of(scenario, plant.catalog, at[0], thing or "site")
    targets: set[TargetKind] = {at[0], "all"} if at[0] == "site" else {at[0]}
    return [
        _choice(kind, scenario, plant, facts or FaultFacts(), *at)
        for kind in KINDS.values()
        if targets & set(kind.targets) and not kind.refusal(at[0], facts)[0]
    ]


def injection(
    choice: Choice,
    target: str,
    *,
    at: str,
    lasts: str = "",
    count: int | None = None,
    value: str = "",
) -> str:
    """Return the line that ``--inject`` takes for a choice."""
    words = [f"{at} {choice.kind} {target}"]
    if lasts and choice.lasts:
        words.append(f"for={lasts.strip()}")
    if count is not None and choice.most and count < choice.most:
        words.append(f"count={count}")
    if value and choice.dimension:
        words.append(f"value={value.strip()}")
    return " ".join(words)


def _choice(
    kind: FaultKind, scenario: Scenario, plant: Plant, facts: FaultFacts, target: TargetKind, slot: int
) -> Choice:
    most, counted = _parts(kind, facts, plant, target, slot) if kind.counts(target) else (0, "")
    takes_value = "value" in kind.options
    return Choice(
        kind=kind.id,
        title=kind.title,
        verb=kind.verb,
        lasts="for" in kind.options,
        repair=_repair(kind, scenario, target),
        most=most,
        counted=counted,
        dimension=kind.value if takes_value else "",
        value_title=kind.value_title if takes_value else "",
        value=_value(kind, facts, plant, target, slot) if takes_value else "",
    )


def _repair(kind: FaultKind, scenario: Scenario, target: TargetKind) -> str:
    """Return how long a fault lasts by itself, as the run draws it; weather passes, nobody repairs it."""
    drawn_as = kind.drawn_by_class.get(target)
    if drawn_as is not None:  # from what a published fleet took
        constant_s = scenario.failures.repair_constant_s
        if constant_s is not None:
            return tr("repair time {duration}", duration=duration(constant_s))
        drawn = REPAIR_CLASSES["gpu" if drawn_as == "gpu" else REPAIR_CLASS[drawn_as]].repair
        return _spread("repair", drawn.median_s, drawn.p25_s, drawn.p75_s)
    if kind.repair_s is None:
        return ""
    median_s, sigma = kind.repair_s
    spread = math.exp(_QUARTILE * sigma)
    return _spread("lasts" if kind.passes else "repair", median_s, median_s / spread, median_s * spread)


def _spread(words: str, median_s: float, p25_s: float, p75_s: float) -> str:
    """Return a drawn time in words: its median, and where half of the draws lie."""
    return tr(
        "{words}: median {median_time}, half {p25_time} to {p75_time}",
        words=words,
        median_time=_about(median_s),
        p25_time=_about(p25_s),
        p75_time=_about(p75_s),
    )


def _about(t_s: float) -> str:
    """Return a length of time in its largest unit."""
    unit_s, unit = next((size for size in ((86400.0, "d"), (3600.0, "h")) if t_s >= size[0]), (60.0, "min"))
    return f"{t_s / unit_s:.2g} {unit}"


def _parts(
    kind: FaultKind, facts: FaultFacts, plant: Plant, target: TargetKind, slot: int
) -> tuple[int, str]:
    """Return how many parts of a thing a fault can take, and what they are."""
    if target == "plant" and kind.counted != "pumps":  # the scene may leave their number to the heat
        return int(plant.plants.units[slot]), kind.counted
    parts = facts.counts.get(kind.counted)
    return (0, "") if parts is None else parts


def _value(kind: FaultKind, facts: FaultFacts, plant: Plant, target: TargetKind, slot: int) -> str:
    """Return a value that makes sense for a thing."""
    if kind.needs.get(target) is PARTITION:
        return facts.partitions[0]
    if kind.value != "power":
        return kind.example
    if target not in CAPPED:  # of each GPU
        most_w = max((plant.catalog.gpu(part).tdp_w for part in plant.gpu_parts), default=math.inf)
        return kind.example if units.parse(kind.example, "power") <= most_w else _round_w(CAP_SHARE * most_w)
    if target == "power":
        whole_w = float(plant.power.capacity_w[slot])
    else:
        gpus = {
            "rack": plant.gpus.rack == slot,
            "row": plant.racks.row[plant.gpus.rack] == slot,
            "hall": plant.racks.hall[plant.gpus.rack] == slot,
        }[target]
        whole_w = 1.2e3 * float(np.count_nonzero(gpus & plant.gpus.present))
    return _round_w(CAP_SHARE * whole_w) if 0 < whole_w < math.inf else kind.example


def _round_w(power_w: float) -> str:
    return quantity(power_w, "W", 2).replace("\N{NO-BREAK SPACE}", " ").replace(",", "")
