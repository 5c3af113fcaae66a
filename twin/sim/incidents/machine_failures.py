"""Machines of the facility that fail by themselves: chillers, pumps, the grid; and engines that do not start.

Each failure is a fault as a person could ask for it, with a repair time of its own, so what follows is the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from twin.physics import reliability
from twin.plant.facility_machines import BOTH_GRIDS, RUNS, STARTS, FacilityMachine, target_of
from twin.plant.tables import Plant
from twin.scenario.schema.faults import Intervention
from twin.sim.core.slot_map import EditedPair
from twin.sim.core.state import Child, Fields, Items, Stateful
from twin.sim.core.timers import Timers
from twin.sim.hazard.machine_clocks import MachineClocks
from twin.sim.power.item_state import GeneratorPhase
from twin.sim.power.system import PowerSystem

NO_MACHINES: dict[str, Any] = {"clocks": {"count": [], "back_s": [], "due_s": []}, "starts": []}
"""State of a run in which no machine fails by itself."""


class MachineFailures(Stateful):
    """Handler of the timers ``machine``, ``engine_asked`` and ``engine_runs``.

    Parameters
    ----------
    act
        Does to the hall what a person could do to it.

    Attributes
    ----------
    starts
        How often each engine was asked to start, by slot.
    """

    def __init__(
        self,
        timers: Timers,
        plant: Plant,
        power: PowerSystem,
        clocks: MachineClocks,
        act: Callable[[Intervention], None],
    ) -> None:
        self.timers, self.plant, self.power, self.clocks, self.act = timers, plant, power, clocks, act
        self.starts: dict[int, int] = {}
        self._engines = {machine.slot: machine for machine in clocks.on_demand if machine.rate == STARTS}
        timers.handle("machine", self._fails)
        timers.handle("engine_asked", self._asked)
        timers.handle("engine_runs", self._stops)
        if self._engines:
            power.asked_to_start = self._take_note

    def arm(self) -> None:
        """Wait for the earliest failure."""
        due_s = self.clocks.earliest_s()
        if math.isinf(due_s):
            self.timers.cancel("machine", 0)
        elif self.timers.due_s("machine", 0) != due_s:
            self.timers.set("machine", 0, due_s)

    def redraw(self, now_s: float) -> None:
        """Redraw how long each machine still works."""
        self.clocks.redraw(now_s)

    def _fails(self, _: int) -> None:
        if self.clocks.earliest_s() <= self.timers.now_s:  # else an edit took the machine away
            machine, repair_s = self.clocks.take(self.timers.now_s)
            self._strike(machine, machine.fault, repair_s)
        self.arm()

    def _strike(self, machine: FacilityMachine, fault: str, repair_s: float) -> None:
        plant = self.plant
        targets = [target_of(plant, machine)]
        if machine.rate == BOTH_GRIDS:
            there = zip(plant.power.ids, plant.power.kind, plant.power.present, strict=True)
            targets = [id for id, kind, present in there if kind == "utility" and present]
        for target in targets:
            done: dict[str, Any] = {"at": self.timers.now_s, "kind": fault, "target": target, "for": repair_s}
            self.act(Intervention.model_validate(done | {"count": machine.takes or None}))

    # --- engines, which fail when they are needed

    def _take_note(self, slot: int) -> None:
        if slot in self._engines:
            self.timers.set("engine_asked", slot, self.timers.now_s)

    def _asked(self, slot: int) -> None:
        """Let the units of an engine that is starting refuse to, each by chance."""
        machine, number = self._engines[slot], self.starts.get(slot, 0)
        self.starts[slot] = number + 1
        rate = self.clocks.rates[STARTS]
        for unit in range(machine.machines):
            if self._uniform(slot, unit, "engine start", number) < (rate.fails_to_start or 0.0):
                drawn = -math.log(self._uniform(slot, unit, "engine repair", number))
                self._strike(machine, machine.fault, drawn * rate.repair_s)
        self._wait_for_stop(slot)

    def _wait_for_stop(self, slot: int) -> None:
        """Wait for the first of the units of an engine to fail while it runs."""
        machine, number = self._engines[slot], self.starts[slot]
        rate_s = (self.clocks.rates[RUNS].rate_per_s or 0.0) * machine.machines
        if rate_s:
            life_s = -math.log(self._uniform(slot, 0, "engine runs", number)) / rate_s
            self.timers.set("engine_runs", slot, self.timers.now_s + life_s)

    def _stops(self, slot: int) -> None:
        if slot in self._engines and self.power.condition.phase[slot] == int(GeneratorPhase.RUNNING):
            drawn = -math.log(self._uniform(slot, 0, "engine run repair", self.starts[slot]))
            self._strike(self._engines[slot], "fail", drawn * self.clocks.rates[RUNS].repair_s)

    def _uniform(self, slot: int, unit: int, stream: str, number: int) -> float:
        key = reliability.component_keys([f"machine {self.plant.power.ids[slot]} {unit}"])
        return float(reliability.hash_uniform(self.clocks.draws.seed, key, stream, number)[0])

    def _carried_starts(self, old: MachineFailures, edit: EditedPair) -> list[Any]:
        return [[slot, number] for slot, number in sorted(old.starts.items()) if slot in self._engines]

    STATE = Fields(Child("clocks"), Items("starts", int, sort=True, carry=_carried_starts))
