"""What people do to nodes and machines, and what happens to those by itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from twin.plant.links import stands
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.faults import Bursts, Intervention
from twin.sim.care.degraded import Degraded
from twin.sim.care.repairs import RepairShop
from twin.sim.care.shutdowns import Shutdowns
from twin.sim.core.failure_counts import FailureTally
from twin.sim.core.log import Log
from twin.sim.core.nodes import NodeTable
from twin.sim.core.settings import ScenarioInForce
from twin.sim.core.slot_fields import MemberSlots
from twin.sim.core.slot_map import EditedPair
from twin.sim.core.state import Child, Derived, Documents, Fields, StateField, Stateful
from twin.sim.core.timers import ENDING, INTERVENTION, Timers
from twin.sim.fabric.outages import Outages
from twin.sim.hazard.failure_clocks import FailureClocks
from twin.sim.hazard.machine_clocks import MachineClocks
from twin.sim.incidents.actuators import Actuators
from twin.sim.incidents.facility_faults import FacilityFaults
from twin.sim.incidents.fault_handler import Handler
from twin.sim.incidents.fault_handlers import HANDLERS
from twin.sim.incidents.machine_failures import NO_MACHINES, MachineFailures
from twin.sim.incidents.random_failures import Strikes
from twin.sim.incidents.reclaims import NO_RECLAIMS, Reclaims
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.recovery import RecoveryHandler
from twin.sim.meters.rent_meter import NO_RENTS, RentMeter
from twin.sim.thermal.clocks import Clocks
from twin.sim.thermal.cooling import CoolingSystem

CALL_S = 1.0
"""What ends so close to the call of a technician and their work is ended by them [s]."""


class Incidents(Stateful):
    """Handlers of the timers ``do`` and ``undo``.

    Attributes
    ----------
    edited_by
        Whether the hall is edited up to a time, that time included; the engine sets it.
    asked, struck
        What people asked for, in their order, and what came by itself, which moves none of their numbers.
    heard
        How many people asked for, those of the scene included that it refused when it began.
    withdrawn
        What the scene asks for and people took out again before its time.
    """

    def __init__(
        self,
        timers: Timers,
        log: Log,
        nodes: NodeTable,
        jobs: Jobs,
        recovery: RecoveryHandler,
        failures: FailureClocks,
        cooling: CoolingSystem,
        clocks: Clocks,
        settings: ScenarioInForce,
        outages: Outages,
        facility: FacilityFaults,
        repairs: RepairShop,
        degraded: Degraded,
        bursts: Bursts | None,
        rents: RentMeter,
    ) -> None:
        self.timers, self.log = timers, log
        self.settings, self.outages, self.facility = settings, outages, facility
        self.repairs, self.degraded = repairs, degraded
        self.plant = nodes.plant
        self.tally: FailureTally = degraded.tally
        self.unexpected, self.planned = self.tally.unexpected, self.tally.planned
        self.asked: list[Intervention] = []
        self.struck: list[Intervention] = []
        self.heard = 0
        self.withdrawn: list[Intervention] = []
        self._changed = False
        self.edited_by: Callable[[float], bool] = lambda t_s: False
        self.strikes = Strikes(
            timers,
            log,
            nodes,
            jobs,
            recovery,
            failures,
            outages,
            repairs,
            degraded,
            self.tally,
            bursts,
            self._struck,
        )
        self.machines = MachineFailures(
            timers,
            self.plant,
            facility.power,
            MachineClocks(
                self.plant,
                facility.catalog,
                facility.draws,
                timers.now_s,
                settings.scenario.failures,
            ),
            self._struck,
        )
        self.rents = rents
        self.reclaims = Reclaims(
            timers, log, nodes, jobs, recovery, failures, self.tally, facility.draws, rents.groups
        )
        self.shutdowns = Shutdowns(
            timers,
            log,
            nodes,
            jobs,
            recovery,
            failures,
            cooling,
            facility.oddities,
            outages,
            self.unexpected,
            self.arm,
        )
        self.on = Actuators(
            timers,
            log,
            nodes,
            jobs,
            recovery,
            failures,
            clocks,
            settings,
            outages,
            facility,
            repairs,
            degraded,
            self.shutdowns,
            self.tally,
            self.arm,
            self._hasten,
        )
        for kind in ("do", "undo"):
            timers.handle(kind, getattr(self, f"_{kind}"))
        repairs.arm = self.arm
        self.arm()

    def arm(self) -> None:
        """Wait for the earliest failure of anything."""
        self.strikes.arm()
        self.machines.arm()
        self.reclaims.arm()

    @property
    def machines_changed(self) -> bool:
        """Whether nodes or machines changed since this was last set false."""
        gone = self.reclaims.changed or self.repairs.changed or self.degraded.changed
        return self._changed or self.shutdowns.changed or gone

    @machines_changed.setter
    def machines_changed(self, changed: bool) -> None:
        self._changed = changed
        if not changed:
            self.shutdowns.changed = self.repairs.changed = self.degraded.changed = False
            self.reclaims.changed = False

    # --- people

    def ask(self, intervention: Intervention, now_s: float) -> str | None:
        """Take an intervention to be done at its time, not before `now_s`; return why it is refused, or None."""
        refusal = self.refusal(intervention)
        if refusal is not None and not self._is_there(intervention) and self.edited_by(intervention.at_s):
            refusal = None  # an edit may bring it: it is looked at again when its time has come
        if refusal is None:
            self.asked.append(intervention)
            self.heard += 1
            if intervention in self.withdrawn:  # it was put back
                self.withdrawn.remove(intervention)
            self.timers.set("do", len(self.asked) - 1, max(now_s, intervention.at_s), INTERVENTION)
        return refusal

    def _is_there(self, i: Intervention) -> bool:
        return KINDS[i.kind].is_setting or stands(self.plant, i.target) or self.on.job(i.target) is not None

    def handler(self, i: Intervention) -> Handler:
        """Return who does it to its target."""
        return HANDLERS[i.kind].of(self.on, i)

    def refusal(self, i: Intervention) -> str | None:
        """Return why something cannot be done to the hall as it stands, or None."""
        return self.handler(i).refusal(self.on, i)

    def lasts_s(self, i: Intervention, number: int) -> float | None:
        """Return how long it lasts [s], had it a number; None: until somebody ends it."""
        return self.handler(i).lasts_s(self.on, i, number)

    def _do(self, index: int) -> None:
        i = self.asked[index]
        refusal = self.refusal(i) if self.edited_by(self.timers.now_s) else None
        if refusal is not None:
            self.on.say("refused", i.target, refusal, asked=i.kind)
            return
        self._begin(i, index)

    def _struck(self, i: Intervention) -> None:
        """Let something of fabric or facility fail by itself."""
        self.struck.append(i)
        self._begin(i, -len(self.struck))

    def _begin(self, i: Intervention, number: int) -> None:
        """Let it begin, and wait for its end where the run ends it."""
        handler = self.handler(i)
        lasts_s = handler.lasts_s(self.on, i, number)
        handler.begin(self.on, i, lasts_s)
        self._changed |= handler.alters
        if lasts_s is not None and handler.timed:
            self.timers.set("undo", number, self.timers.now_s + lasts_s, ENDING)

    def _one(self, index: int) -> Intervention:
        """Return what has a number: from 0 on what people asked for, below it what came by itself."""
        return self.asked[index] if index >= 0 else self.struck[-1 - index]

    def end_at_once(self, i: Intervention) -> None:
        """End what lasts at a component that is removed."""
        index = -1 - self.struck.index(i) if i in self.struck else self.asked.index(i)
        self.timers.cancel("undo", index)
        self._undo(index)

    def _hasten(self, target: str) -> tuple[float | None, bool]:
        """Let what is broken at a thing end once hands on site are done.

        Returns how long they take [s], None if hands can end nothing sooner; and whether others are at work already.
        """
        found: list[float] = []
        left: list[float] = []
        now_s = self.timers.now_s
        called = (i for i in self.asked if i.kind == "repair" and i.target == target)
        before_s = [i.at_s for i in called if i.at_s < now_s]
        kind = self.on.target_kind(target)
        acting = (*self.facility.acting, *self.outages.acting)
        for number in (*range(len(self.asked)), *range(-len(self.struck), 0)):
            i = self._one(number)
            hands_s = next((s for of, s in KINDS[i.kind].hands_s.items() if of == kind), None)
            if i.target != target or hands_s is None or i not in acting:
                continue
            due_s, ready_s = self.timers.due_s("undo", number), now_s + hands_s
            if due_s is None or ready_s < due_s:
                self.timers.set("undo", number, ready_s, ENDING)
                found.append(hands_s)
            elif any(math.isclose(at_s + hands_s, due_s, abs_tol=CALL_S) for at_s in before_s):
                left.append(due_s - now_s)
        return (max(found), False) if found else (max(left, default=None), bool(left))

    def _undo(self, index: int) -> None:
        i = self._one(index)
        handler = self.handler(i)
        handler.end(self.on, i)
        self._changed |= handler.alters

    def on_restored(self) -> None:
        """Let what depends on faults follow; the machines of the facility restore themselves."""
        self.outages.resume()

    def _take_settings(self, saved: list[tuple[str, Any]]) -> None:
        for path, value in saved:
            self.settings.apply(path, value)

    def _carried_settings(self, old: Incidents, edit: EditedPair) -> list[tuple[str, Any]]:
        return [change for change in old.settings.done if self.settings.refusal(*change) is None]

    STATE = Fields(
        Child("tally"),
        Child("strikes"),
        Child("machines", missing=NO_MACHINES, spare=True),
        Child("reclaims", missing=NO_RECLAIMS, spare=True),
        Child("rents", missing=NO_RENTS, spare=True),
        Child("degraded"),
        Child("shutdowns"),
        Derived("set", lambda part: part.settings.done, _take_settings, carry=_carried_settings),
        *Documents.each("asked", "struck", kind=Intervention),
        StateField("heard"),
        Documents("withdrawn", Intervention, missing=[]),
        Documents("on.capped", Intervention, key="acting"),
        Documents("outages.acting", Intervention, key="outages"),
        MemberSlots("outages.unlit", "switches"),
        Documents("facility.acting", Intervention, key="facility"),
    )
