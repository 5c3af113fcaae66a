"""Machines of the facility that fail by themselves: what there is, how many carry the load, and what a failure does.

The engine lets them fail by this list, and availability is worked out from it, so that both speak of the same hall.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from twin.arrays import Floats, Ints64
from twin.catalog import Catalog
from twin.catalog.machine_failure import MachineFailurePart
from twin.plant.design_load import DesignLoad, loop_machines_needed
from twin.plant.find import entity_id
from twin.plant.tables import Kind, LoopKind, Plant, SwitchRole

EVERY = 500
"""More than there are machines of anything."""
UNNOTICED_S = 0.02
"""A dead time up to this has no effect: supplies ride through it [s]."""
STATIC, MECHANICAL = "static_switch", "ats"
LEAF = "leaf_switch"
BOTH_GRIDS, STARTS, RUNS = "utility_both", "generator_start", "generator_run"


class FacilityMachine(NamedTuple):
    """Machines of one thing that fail alike, each at the rate `rate`.

    Attributes
    ----------
    rate
        Entry of the catalogue.
    kind, slot
        The thing they belong to.
    machines, needed
        How many there are, and how many carry the load.
    fault, takes
        Kind of fault that a failure of one is, and how many pumps, fans or units it takes; 0: the whole thing.
    told_apart
        How many of them a run tells apart: an air loop of 20 air handlers may have two fans.
    """

    rate: str
    kind: Kind
    slot: int
    machines: int
    needed: int
    fault: str
    takes: int = 0
    told_apart: int = EVERY

    @property
    def on_demand(self) -> bool:
        """Whether it fails when it is asked to start, and not by a clock."""
        return self.rate in (STARTS, RUNS)


_STAGE = {"utility": "utility", "transformer": "transformer", "ups": "ups_module", "pdu": "pdu"}
"""Entry of the catalogue by kind of stage: each unit of such an item."""
WITHOUT_RATE = {
    "switchgear": "switchgear",
    "busbar": "busbars",
    "gas": "gas engines",
    "smr": "reactors",
    "solar": "solar fields",
    "battery": "batteries",
    "dry-cooler": "dry coolers",
    "cooling-tower": "cooling towers",
    "rear-door": "rear doors",
}
"""What the catalogue has no rate for, by kind of stage, plant or loop, in words."""


def facility_machines(plant: Plant, catalog: Catalog, *, switches: bool = True) -> list[FacilityMachine]:
    """Return all machines of the facility that fail by themselves, in the order of the tables.

    Parameters
    ----------
    switches
        Whether leaf switches are among them: a scene with causes of its own for switches has them there.
    """
    found = [*_of_power(plant, catalog), *_of_loops(plant, catalog), *_of_plants(plant)]
    leaves = np.flatnonzero(plant.switches.present & (plant.switches.role == SwitchRole.LEAF))
    return found + [
        FacilityMachine(LEAF, "switch", slot, 1, 1, "fail") for slot in leaves.tolist() * switches
    ]


def target_of(plant: Plant, machine: FacilityMachine) -> str:
    """Return the id of what a machine belongs to."""
    return entity_id(plant, machine.kind, machine.slot)


def without_rate(plant: Plant) -> list[str]:
    """Return what of the facility never fails here, as the catalogue has no rate for it, in words."""
    power, loops, plants = plant.power, plant.loops, plant.plants
    kinds = {kind for kind, there in zip(power.kind, power.present, strict=True) if there}
    kinds |= {kind for kind, there in zip(plants.kind, plants.present, strict=True) if there}
    if (loops.present & (loops.kind == LoopKind.REAR_DOOR)).any():
        kinds.add("rear-door")
    return [words for kind, words in WITHOUT_RATE.items() if kind in kinds]


def _of_power(plant: Plant, catalog: Catalog) -> list[FacilityMachine]:
    power = plant.power
    carry = _units_needed(plant, DesignLoad(plant, catalog).beside(np.zeros(len(power.ids))).most_w())
    found: list[FacilityMachine] = []
    grids = sum(
        kind == "utility" and bool(there) for kind, there in zip(power.kind, power.present, strict=True)
    )
    for slot in np.flatnonzero(power.present).tolist():
        kind, units = power.kind[slot], int(power.units[slot])
        needed = int(carry[slot])
        if kind in _STAGE:
            found.append(FacilityMachine(_STAGE[kind], "power", slot, units, needed, "fail", 1))
        if kind == "utility":
            found.append(FacilityMachine("utility_dip", "power", slot, 1, 1, "fail"))
            if grids > 1:
                found.append(FacilityMachine(BOTH_GRIDS, "power", slot, 1, 1, "fail"))
        if kind == "ups":
            found.append(FacilityMachine(STATIC, "power", slot, 1, 1, "fail"))
        if kind == "generator":
            found.append(FacilityMachine(STARTS, "power", slot, units, needed, "no_start", 1))
            found.append(FacilityMachine(RUNS, "power", slot, units, needed, "fail", 1))
        if power.spare_parent[slot] >= 0:
            switch = STATIC if power.transfer_s[slot] <= UNNOTICED_S else MECHANICAL
            found.append(FacilityMachine(switch, "power", slot, 1, 1, "fail"))
        if np.isfinite(power.breaker_w[slot]):
            found.append(FacilityMachine("breaker", "power", slot, 1, 1, "trip"))
    return found


def _units_needed(plant: Plant, load_w: Floats) -> Ints64:
    """Return how many units of each item carry what hangs on it, should nothing else help; at most those meant to."""
    power = plant.power
    of_item = np.where(power.bus >= 0, load_w[power.bus], load_w)  # engines carry the bus that they stand at
    unit_w = power.capacity_w / np.maximum(power.needed, 1)
    units = np.ceil(np.divide(of_item, unit_w, out=np.zeros_like(unit_w), where=unit_w > 0) - 1e-9)
    most = power.needed.astype(np.float64)
    return np.where(np.isnan(unit_w), most, np.clip(units, 1, most)).astype(np.int64)


def _of_loops(plant: Plant, catalog: Catalog) -> list[FacilityMachine]:
    """Return CDUs and their pumps, and air handlers; a machine of several takes its share of the pumps or fans."""
    loops = plant.loops
    carry = loop_machines_needed(plant, catalog)
    found: list[FacilityMachine] = []
    for slot in np.flatnonzero(loops.present).tolist():
        kind, units, pumps = int(loops.kind[slot]), int(loops.units[slot]), max(1, int(loops.pumps[slot]))
        if kind == LoopKind.REAR_DOOR:
            continue
        needed = min(int(carry[slot]), units)
        rate, fault = ("crah", "fan_stop") if kind == LoopKind.AIR else ("cdu", "pump_stop")
        alone = min(units, pumps)
        takes = 0 if alone == 1 else pumps // alone
        found.append(FacilityMachine(rate, "loop", slot, units, needed, fault, takes, alone))
        if kind != LoopKind.AIR:
            found.append(FacilityMachine("pump", "loop", slot, pumps, 1, "pump_stop", 1))
    return found


def _of_plants(plant: Plant) -> list[FacilityMachine]:
    plants = plant.plants
    found: list[FacilityMachine] = []
    for slot in np.flatnonzero(plants.present).tolist():
        units, pumps = int(plants.units[slot]), max(1, int(plants.pumps[slot]))
        if plants.kind[slot] == "chiller":
            needed = int(plants.needed[slot])
            found.append(FacilityMachine("chiller", "plant", slot, units, needed, "chiller_trip", 1))
        found.append(FacilityMachine("pump", "plant", slot, pumps, 1, "pump_stop", 1))
    return found


def rate_per_s(
    machine: FacilityMachine, machines: Sequence[FacilityMachine], rates: Mapping[str, MachineFailurePart]
) -> float:
    """Return how often each of some machines fails while it works [1/s].

    Of several grids the outages of all together are counted apart.
    """
    own_s = rates[machine.rate].rate_per_s or 0.0
    if machine.rate == "utility" and any(other.rate == BOTH_GRIDS for other in machines):
        own_s -= rates[BOTH_GRIDS].rate_per_s or 0.0
    return own_s
