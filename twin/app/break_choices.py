"""What can be broken by hand on a thing, and with which options. No widgets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.app.scene_jobs import job_place
from twin.app.text import duration, quantity
from twin.physics.reliability import REPAIR_CLASS, REPAIR_CLASSES
from twin.plant.find import find
from twin.plant.links import find_link
from twin.plant.tables import LoopKind, Plant
from twin.scenario.document import Scenario
from twin.scenario.fault_kinds import KINDS, PLACES, Dimension, FaultKind, TargetKind
from twin.scenario.faults import InterventionKind
from twin.scenario.population import jobs_of

MOST_SUPPLIES = 12
"""Power supplies of a node or shelves of a rack that can be asked for; the run says how many there are."""
_PASSING = frozenset({"heat_wave"})
CAP_SHARE = 0.8
"""A power cap on offer is so much of what the thing may draw."""
_VALUE_WORDS: dict[str, str] = {
    "power_cap": "At most",
    "flap": "Share of time down",
    "valve_stuck": "Opening",
    "blocked_plate": "Flow left",
    "bad_contact": "Times the resistance",
    "heat_wave": "Warmer by",
    "slow": "Clock left",
    "pcie": "Bandwidth left",
    "move": "To partition",
    "drain": "Running jobs leave",
}


@dataclass(frozen=True)
class Choice:
    """One way to break a thing.

    Parameters
    ----------
    kind, title
        Kind of intervention, and its words.
    lasts
        Whether it can be told how long; then `repair` says in words how long it takes by itself.
    most, counted
        How many parts there are to lose, of what; 0: it takes no count.
    dimension, value_title, value
        What its value is, its words and one that makes sense; empty: it takes none.
    """

    kind: InterventionKind
    title: str
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


def target_id(thing: str | None, kind: InterventionKind) -> str:
    """Return how an intervention names a thing; the whole scene is "site", or "all" GPUs."""
    return thing if thing is not None else "all" if kind == "power_cap" else "site"


def choices(scenario: Scenario, plant: Plant, thing: str | None) -> list[Choice]:
    """Return the ways to break a thing, in the order of the table of kinds; None: the whole scene."""
    at = target_kind(scenario, plant, thing)
    if at is None:
        return []
    targets: set[TargetKind] = {at[0], "all"} if at[0] == "site" else {at[0]}
    return [
        _choice(name, kind, scenario, plant, *at)
        for name, kind in KINDS.items()
        if targets & set(kind.targets)
        and _fits(name, plant, *at)
        and (name != "move" or _elsewhere(scenario, at[1]))
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
    name: InterventionKind, kind: FaultKind, scenario: Scenario, plant: Plant, target: TargetKind, slot: int
) -> Choice:
    most, counted = _parts(name, plant, target, slot) if "count" in kind.options else (0, "")
    takes_value = "value" in kind.options
    return Choice(
        kind=name,
        title=kind.title,
        lasts="for" in kind.options,
        repair=_repair(name, kind, scenario, target),
        most=most,
        counted=counted,
        dimension=kind.value if takes_value else "",
        value_title=_VALUE_WORDS.get(name, "Value") if takes_value else "",
        value=_value(name, kind, scenario, plant, target, slot) if takes_value else "",
    )


def _repair(name: InterventionKind, kind: FaultKind, scenario: Scenario, target: TargetKind) -> str:
    """Return how long a fault lasts by itself; weather and the grid pass, nobody mends them."""
    if kind.repair_s is None:
        return ""
    if name == "fail" and target != "power":  # the run draws these from what a published fleet took
        constant_s = scenario.failures.repair_constant_s
        if constant_s is not None:
            return f"until mended, {duration(constant_s)}"
        drawn = REPAIR_CLASSES["gpu" if target in PLACES else REPAIR_CLASS["cable"]].repair
        return f"until mended: {_about(drawn.p25_s)} to {_about(drawn.p75_s)} in half of the cases"
    words = "lasts about" if name in _PASSING else "until mended, about"
    return f"{words} {duration(kind.repair_s[0])}"


def _about(t_s: float) -> str:
    """Return a length of time in its largest unit."""
    unit_s, unit = next((one for one in ((86400.0, "d"), (3600.0, "h")) if t_s >= one[0]), (60.0, "min"))
    return f"{t_s / unit_s:.0f} {unit}"


def _parts(name: InterventionKind, plant: Plant, target: TargetKind, slot: int) -> tuple[int, str]:
    if target == "loop":
        loops = plant.loops
        by_air = LoopKind(int(loops.kind[slot])).by_air
        return int(loops.pumps[slot]), "fans" if by_air else "pumps"
    if target == "plant":
        if name == "pump_stop":
            return int(plant.plants.pumps[slot]), "pumps"
        return int(plant.plants.units[slot]), "fans" if name == "fan_stop" else "machines"
    if target == "power":
        return int(plant.power.units[slot]), "machines"
    if name == "fail":
        return 0, ""  # GPUs, nodes and cables fail as a whole
    return (MOST_SUPPLIES, "supplies") if name == "psu_loss" else (MOST_SUPPLIES, "fans")


def _elsewhere(scenario: Scenario, job: int) -> list[str]:
    """Return the partitions a job could be moved to."""
    spec = jobs_of(scenario)[job]
    return [
        one.id
        for one in scenario.partitions
        if one.id != spec.partition and (not one.tenants or spec.tenant in one.tenants)
    ]


def _value(
    name: InterventionKind, kind: FaultKind, scenario: Scenario, plant: Plant, target: TargetKind, slot: int
) -> str:
    if name == "move":
        return _elsewhere(scenario, slot)[0]
    if name == "power_cap" and target == "power":
        capacity_w = float(plant.power.capacity_w[slot])
        if np.isfinite(capacity_w):
            return _round_w(CAP_SHARE * capacity_w)
    if name == "power_cap" and target in ("rack", "row", "hall"):
        gpus = {
            "rack": plant.gpus.rack == slot,
            "row": plant.racks.row[plant.gpus.rack] == slot,
            "hall": plant.racks.hall[plant.gpus.rack] == slot,
        }[target]
        return _round_w(CAP_SHARE * 1.2e3 * float(np.count_nonzero(gpus & plant.gpus.present)))
    return kind.example


def _round_w(power_w: float) -> str:
    return quantity(power_w, "W", 2).replace("\N{NO-BREAK SPACE}", " ").replace(",", "")


def _fits(name: InterventionKind, plant: Plant, target: TargetKind, slot: int) -> bool:
    """Return whether a kind means something for this very thing, not only for its kind."""
    power, loops, nodes, racks = plant.power, plant.loops, plant.nodes, plant.racks
    if target == "power":
        return {
            "battery_empty": bool(power.energy_j[slot] > 0),
            "no_start": power.kind[slot] == "generator",
            "trip": bool(np.isfinite(power.breaker_w[slot])),
        }.get(name, True)
    if target == "loop":
        by_air = LoopKind(int(loops.kind[slot])).by_air
        return {
            "pump_stop": bool(loops.kind[slot] != LoopKind.AIR),
            "fan_stop": by_air,
            "valve_stuck": bool(loops.valve[slot]),
            "leak": bool(loops.kind[slot] != LoopKind.AIR),
        }.get(name, True)
    if target == "rack":
        return {
            "leak": bool(racks.loop[slot] >= 0),
            "blocked_plate": bool(racks.loop[slot] >= 0),
            "psu_loss": bool(racks.shelves[slot] > 0 and (nodes.rack[nodes.present] == slot).any()),
        }.get(name, True)
    if target in ("node", "gpu"):
        node = slot if target == "node" else int(plant.gpus.node[slot])
        liquid, own = bool(nodes.liquid[node]), bool(racks.shelves[nodes.rack[node]] == 0)
        wired = bool(np.any(plant.node_links.node == node))
        fits = {"blocked_plate": liquid, "fan_stop": not liquid, "psu_loss": own, "pcie": wired}
        return fits.get(name, True)
    if target == "plant" and name == "chiller_trip":
        return "chiller" in plant.plants.kind[slot]
    return True
