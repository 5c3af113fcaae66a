"""When machines of the facility fail: a clock per machine, whose draws are hashed from (seed, machine id, count).

A machine works for an exponential time, is repaired for another, and works again; what it does then decides nothing of
it. So its whole history depends on the seed and its own id, whatever else stands in the hall.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from twin.arrays import Floats
from twin.catalog import Catalog
from twin.physics import reliability
from twin.plant.facility_machines import (
    BOTH_GRIDS,
    FacilityMachine,
    facility_machines,
    rate_per_s,
    target_of,
)
from twin.plant.tables import Plant
from twin.scenario.schema.faults import Failures
from twin.sim.core.draws import Draws
from twin.sim.core.slot_map import EditedPair
from twin.sim.core.state import ArrayField, Fields, Stateful


class MachineStrike(NamedTuple):
    """A machine that fails now, and how long its repair takes [s]."""

    machine: FacilityMachine
    repair_s: float


class MachineClocks(Stateful):
    """Clocks of all machines of a hall that a run tells apart; those that fail on demand have none.

    Parameters
    ----------
    plant, catalog
        As built, and its parts with their rates.
    draws
        Seeds of the run.
    now_s
        When the clocks of newcomers start [s].
    failures
        Say whether they run at all.

    Attributes
    ----------
    count
        Failures of each so far.
    back_s
        Until when each is in repair [s].
    due_s
        When each fails next [s].
    """

    def __init__(
        self, plant: Plant, catalog: Catalog, draws: Draws, now_s: float, failures: Failures
    ) -> None:
        self.draws, self.rates = draws, catalog.machine_failures
        on = failures.machines_fail
        machines = facility_machines(plant, catalog, switches=not failures.of_switches) if on else []
        self.on_demand = [machine for machine in machines if machine.on_demand]
        self.machines: list[FacilityMachine] = []
        names, rates, repairs = [], [], []
        both = False
        for machine in machines:
            if machine.on_demand or (machine.rate == BOTH_GRIDS and both):
                continue
            both |= machine.rate == BOTH_GRIDS
            place = "" if machine.rate == BOTH_GRIDS else f" {target_of(plant, machine)}"
            for number in range(min(machine.machines, machine.told_apart)):
                self.machines.append(machine)
                names.append(f"machine {machine.rate}{place} {number}")
                rates.append(rate_per_s(machine, machines, self.rates))
                repairs.append(self.rates[machine.rate].repair_s)
        self.keys = reliability.component_keys(names)
        self._rate, self._repair_s = np.array(rates, float), np.array(repairs, float)
        self.count = np.zeros(len(names), np.int64)
        self.back_s = np.full(len(names), now_s)
        self.due_s: Floats = now_s + self._lives(slice(None), "machine")

    def _lives(self, which: slice | list[int], stream: str) -> Floats:
        drawn = reliability.unit_exponential(self.draws.seed, self.keys[which], stream, self.count[which])
        rate = self._rate[which]
        result: Floats = np.divide(drawn, rate, out=np.full(len(drawn), math.inf), where=rate > 0)
        return result

    def earliest_s(self) -> float:
        """Return when the next machine fails [s]; infinity when none does."""
        return float(self.due_s.min(initial=math.inf))

    def take(self, now_s: float) -> MachineStrike:
        """Take the earliest failure, which is due now; its machine works again after the repair."""
        place = int(np.argmin(self.due_s))
        key, count = self.keys[place : place + 1], int(self.count[place])
        drawn = reliability.unit_exponential(self.draws.seed, key, "machine repair", count)
        repair_s = float(drawn[0] * self._repair_s[place])
        self.count[place] += 1
        self.back_s[place] = now_s + repair_s
        self.due_s[place] = self.back_s[place] + self._lives([place], "machine")[0]
        return MachineStrike(self.machines[place], repair_s)

    def redraw(self, now_s: float) -> None:
        """Redraw how long each still works, from now on or from the end of its repair on."""
        beyond = self._lives(slice(None), f"machine beyond {now_s!r}")
        self.due_s = np.maximum(self.back_s, now_s) + beyond

    STATE = Fields(ArrayField("count", np.int64), *ArrayField.each("back_s", "due_s", dtype=float))

    def carried(self, old: MachineClocks, edit: EditedPair) -> dict[str, Any]:
        """Return what these clocks take over: each machine keeps its own, by its key."""
        _, there, here = np.intersect1d(old.keys, self.keys, return_indices=True)
        saved = {}
        for name in ("count", "back_s", "due_s"):
            values = getattr(self, name).copy()
            values[here] = getattr(old, name)[there]
            saved[name] = values.tolist()
        return saved
