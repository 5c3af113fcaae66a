"""What people do to nodes and machines, and what happens to those by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twin import units
from twin.plant.graph import find
from twin.record.channels import JobState
from twin.record.events import Severity
from twin.record.scenario_json import part_from_json, part_to_json
from twin.scenario.action import value_of
from twin.scenario.fault_kinds import KINDS
from twin.scenario.faults import Bursts, Effect, Intervention, InterventionKind
from twin.scenario.validate import nearest
from twin.sim.clocks import EVERY_JOB, Clocks
from twin.sim.clockwork import ENDING, INTERVENTION, Timers
from twin.sim.cloud import Clouds
from twin.sim.cooling import Cooling
from twin.sim.degraded import HANG, Degraded
from twin.sim.facility_faults import FacilityFaults
from twin.sim.failures import FailureClocks
from twin.sim.jobs import JobRow, Jobs
from twin.sim.log import Log
from twin.sim.moves import Moves
from twin.sim.nodes import DOWN, FREE, Nodes
from twin.sim.outages import Outages
from twin.sim.recovery import Recovery
from twin.sim.removal import stands
from twin.sim.repairs import Repairs
from twin.sim.settings import Settings
from twin.sim.shutdowns import LEAK, Shutdowns
from twin.sim.strikes import Strikes
from twin.sim.tally import INJECTED, Tally

EFFECT_OF: dict[InterventionKind, Effect] = {"slow": "slow", "pcie": "pcie", "corrupt": "corrupt"}


class Incidents:
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
        nodes: Nodes,
        jobs: Jobs,
        recovery: Recovery,
        failures: FailureClocks,
        cooling: Cooling,
        clocks: Clocks,
        settings: Settings,
        outages: Outages,
        facility: FacilityFaults,
        repairs: Repairs,
        degraded: Degraded,
        bursts: Bursts | None,
    ) -> None:
        self.timers, self.log, self.nodes, self.jobs = timers, log, nodes, jobs
        self.recovery, self.failures, self.cooling, self.clocks = recovery, failures, cooling, clocks
        self.settings, self.outages, self.facility = settings, outages, facility
        self.repairs, self.degraded = repairs, degraded
        self.plant = nodes.plant
        self.moves: Moves  # set by the engine, which plans anew whom they move
        self.clouds: Clouds
        self.tally: Tally = degraded.tally
        self.unexpected, self.planned = self.tally.unexpected, self.tally.planned
        self.asked: list[Intervention] = []
        self.struck: list[Intervention] = []
        self.heard = 0
        self.withdrawn: list[Intervention] = []
        self.acting: list[Intervention] = []  # of them, what lasts now
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
        self.arm = self.strikes.arm
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
        for kind in ("do", "undo"):
            timers.handle(kind, getattr(self, f"_{kind}"))
        repairs.arm = self.arm
        self.arm()

    @property
    def machines_changed(self) -> bool:
        """Whether nodes or machines changed since this was last set false."""
        return self._changed or self.shutdowns.changed or self.repairs.changed or self.degraded.changed

    @machines_changed.setter
    def machines_changed(self, changed: bool) -> None:
        self._changed = changed
        if not changed:
            self.shutdowns.changed = self.repairs.changed = self.degraded.changed = False

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
        return i.kind == "set" or stands(self.plant, i) or any(row.id == i.target for row in self.jobs.rows)

    def refusal(self, i: Intervention) -> str | None:
        """Return why something cannot be done to the hall as it stands, or None."""
        if i.kind in ("cancel", "requeue"):
            named = any(row.id == i.target for row in self.jobs.rows)
            return None if named else f"there is no job {i.target!r}; name a job of the scene"
        if i.kind not in ("fail", "flap", "drain", "undrain", "power_cap", "set") or self.facility.concerns(
            i
        ):
            return self.facility.refusal(i) or self._without_cards(i)
        if i.kind == "power_cap":
            if i.target != "all" and i.target not in {row.id for row in self.jobs.rows}:
                return f"there is no job {i.target!r}; name a job, or all"
            try:
                cap_w = units.parse(i.value or "", "power")
            except units.UnitError as error:
                return f"power_cap needs value=, a power per GPU: {error}"
            low_w, high_w = self.clocks.cap_range_w()
            if low_w <= cap_w <= high_w:
                return None
            return f"power_cap takes {low_w:.0f} W to {high_w:.0f} W for the GPUs of this hall, not {i.value}"
        if i.kind == "set":
            return self.settings.refusal(i.target, i.value)
        if i.kind == "flap" or "~" in i.target:
            return self.outages.refusal(i)
        found = find(self.plant, i.target)
        wanted = {
            "fail": ("gpu", "node", "rack", "row", "switch", "power"),
        }.get(i.kind, ("gpu", "node", "rack", "row"))
        if found is None:
            near = nearest(i.target, self.plant.slots)
            hint = f"; did you mean {near!r}?" if near else ""
            return f"there is nothing called {i.target!r} in this scene{hint}"
        if found[0] not in wanted:
            return f"{i.kind} works on a {' or '.join(wanted)}; {i.target!r} is a {found[0]}"
        known = self.failures.known
        if i.cause is not None and i.cause not in known:
            return f"the scene has no cause {i.cause!r}; it knows {', '.join(sorted(known)) or 'none'}"
        return None

    def _without_cards(self, i: Intervention) -> str | None:
        """Return why fewer lanes would change nothing; None: they do."""
        if i.kind != "pcie" or any(self.outages.cards(node).any() for node in self._nodes_of(i.target)):
            return None
        return f"{i.target} has no card on a fabric: with fewer lanes it works as before"

    def _nodes_of(self, target: str) -> list[int]:
        found = find(self.plant, target)
        if found is None:
            return []
        kind, slot = found
        nodes = self.plant.nodes
        if kind == "node":
            mask = np.arange(len(nodes.ids)) == slot
        elif kind == "gpu":
            mask = np.arange(len(nodes.ids)) == self.plant.gpus.node[slot]
        elif kind == "rack":
            mask = nodes.rack == slot
        else:
            mask = self.plant.racks.row[nodes.rack] == slot
        return np.flatnonzero(mask & nodes.present).tolist()

    def _do(self, index: int) -> None:
        i = self.asked[index]
        refusal = self.refusal(i) if self.edited_by(self.timers.now_s) else None
        if refusal is not None:
            self._say("refused", i.target, refusal, Severity.WARNING)
            return
        if self._done(i, index):
            return
        lasts = f" for {units.spoken(i.duration_s)}" if i.duration_s is not None else ""
        getattr(self, f"_do_{i.kind}")(i, lasts)
        if i.duration_s is not None and hasattr(self, f"_undo_{i.kind}"):
            self.timers.set("undo", index, self.timers.now_s + i.duration_s, ENDING)

    def _struck(self, i: Intervention) -> None:
        """Let something of fabric or facility fail by itself."""
        self.struck.append(i)
        self._done(i, -len(self.struck))

    def _one(self, index: int) -> Intervention:
        """Return what has a number: from 0 on what people asked for, below it what came by itself."""
        return self.asked[index] if index >= 0 else self.struck[-1 - index]

    def end_at_once(self, i: Intervention) -> None:
        """End what goes on at a thing that will stand no more."""
        index = -1 - self.struck.index(i) if i in self.struck else self.asked.index(i)
        self.timers.cancel("undo", index)
        self._undo(index)

    def _done(self, i: Intervention, index: int) -> bool:
        """Let a fault of facility or fabric begin, if it is one; return whether it is."""
        if self.facility.concerns(i):
            self._begin_facility(i, index)
        elif self.outages.concerns(i):
            self._begin_outage(i, index)
        else:
            return False
        return True

    def _undo(self, index: int) -> None:
        i = self._one(index)
        if self.facility.concerns(i):
            self.facility.end(i)
            self.machines_changed = True
            return
        if self.outages.concerns(i):
            self.outages.end(i)
            self.machines_changed = True
            return
        if i in self.acting:
            self.acting.remove(i)
        getattr(self, f"_undo_{i.kind}")(i)

    def _begin_outage(self, i: Intervention, index: int) -> None:
        """Let a switch or link fail or flap, and stop whom it cuts off."""
        lasts_s = i.duration_s if i.kind == "flap" else self.outages.repair_s(i, index)
        for row in self.outages.begin(i, lasts_s):
            if self.outages.stop(row, i):
                self.tally.interrupted(self.failures.known.get(i.cause or ""))
        self.machines_changed = True
        if lasts_s is not None:
            self.timers.set("undo", index, self.timers.now_s + lasts_s, ENDING)

    def _begin_facility(self, i: Intervention, index: int) -> None:
        """Let something of the facility fail; its repair ends that."""
        lasts_s = self.facility.repair_s(i, index)
        self.facility.begin(i, lasts_s)
        self.machines_changed = True
        leaking = self.facility.leaking(i)
        if leaking:
            self.shutdowns.shut_down(leaking, "its rack leaks: power off", LEAK, "off because of a leak")
        if lasts_s is not None:
            self.timers.set("undo", index, self.timers.now_s + lasts_s, ENDING)

    def _in_force(self, i: Intervention) -> list[Intervention]:
        """Return what is done now to the target of `i` in its way, the latest last: such things may overlap."""
        return [other for other in self.acting if (other.kind, other.target) == (i.kind, i.target)]

    def _say(self, kind: str, subject: str, text: str, severity: Severity = Severity.ALARM) -> None:
        self.log.add(self.timers.now_s, kind, subject, text, severity)

    def _do_fail(self, i: Intervention, lasts: str) -> None:
        cause = self.failures.known.get(i.cause or "")
        struck: dict[int, list[int]] = {}  # by job
        self.tally.struck[INJECTED if cause is None else cause.id] += 1
        self._say(
            "injected_failure", i.target, (i.cause or "failure").replace("_", " ") + f", by hand{lasts}"
        )
        for node in self._nodes_of(i.target):
            repair_s = i.duration_s if i.duration_s is not None else self.failures.drawn_repair_s(node, cause)
            if (
                self.nodes.condition[node] == DOWN
            ):  # it is in repair already: that lasts as long as the longer one
                self.repairs.prolong(node, repair_s)
                continue
            if i.duration_s is None:
                self.repairs.failed(node, repair_s, "gpu" if cause is None else cause.repair)
            elif repair_s > 0:
                self.repairs.take_down(node, repair_s)
            for job in self.nodes.jobs_on(node):
                struck.setdefault(job, []).append(node)
        for job in sorted(struck):
            why = f"{i.target} failed by hand"
            if self.recovery.interrupt(self.jobs.rows[job], cause, why, on=i.target, struck=struck[job]):
                self.tally.interrupted(cause)
        self.arm()

    def _do_slow(self, i: Intervention, _: str) -> None:
        self._degrade(i, value_of(i))

    def _do_pcie(self, i: Intervention, _: str) -> None:
        self._degrade(i, value_of(i))

    def _do_corrupt(self, i: Intervention, _: str) -> None:
        self._degrade(i, 1.0)

    def _degrade(self, i: Intervention, left: float) -> None:
        """Let a node work badly until somebody finds it, or for as long as told."""
        lasts_s = self.facility.repair_s(i, self.asked.index(i))
        kind, slot = find(self.plant, i.target) or ("node", -1)
        node = int(self.plant.gpus.node[slot]) if kind == "gpu" else slot
        gpu = int(self.plant.gpus.index[slot]) if kind == "gpu" else -1
        self._say("injected_failure", i.target, f"{KINDS[i.kind].title.lower()}, by hand", Severity.NOTICE)
        passes = i.kind != "corrupt"
        repair_s = 0.0 if passes else self.failures.drawn_repair_s(node, None)
        self.degraded.begin(node, EFFECT_OF[i.kind], left, lasts_s, repair_s=repair_s, gpu=gpu, passes=passes)

    def _do_hang(self, i: Intervention, _: str) -> None:
        rows = [row for row in self.jobs.active if row.id == i.target]
        if not rows:
            rows = [self.jobs.rows[job] for job in self.nodes.jobs_of(self._nodes_of(i.target))]
        self._say("injected_failure", i.target, "hangs, by hand")
        self.degraded.hang(rows, -1, HANG, 0.0)

    def _do_drain(self, i: Intervention, lasts: str) -> None:
        stay = {
            "checkpoint": "; its jobs leave behind their next checkpoint",
            "end": "; its jobs go on to their end",
        }
        text = f"given no more work{lasts}{stay.get(i.value or '', '')}"
        self._say("drained", i.target, text, Severity.NOTICE)
        jobs = [self.jobs.rows[job] for job in self._cordon(i.target, True)]
        for row in jobs:
            if i.value == "checkpoint":
                self.recovery.vacate(row)
            elif i.value != "end" and self.recovery.interrupt(
                row, None, f"{i.target} is drained", on=i.target
            ):
                self.planned["drain"] += 1

    def _undo_drain(self, i: Intervention) -> None:
        self._do_undrain(i, "")

    def _do_undrain(self, i: Intervention, _: str) -> None:
        self._say("undrained", i.target, "takes work again", Severity.NOTICE)
        self._cordon(i.target, False)
        self.recovery.node_usable()

    def _cordon(self, target: str, cordoned: bool) -> list[int]:
        """Give nodes no more work, or work again; return the jobs on those that took work until now."""
        left: set[int] = set()
        for node in self._nodes_of(target):
            was_free = self.nodes.condition[node] == FREE
            self.nodes.cordon(self.timers.now_s, node, cordoned)
            if cordoned and was_free:
                left.update(self.nodes.jobs_on(node))
        return sorted(left)  # nobody draws another power for that: a job that leaves says so itself

    def _do_cancel(self, i: Intervention, _: str) -> None:
        row = self._job(i.target)
        if row.state == JobState.REMOTE:
            self.clouds.stop(row, "cancelled by hand")
        elif not self.recovery.kill(row, "cancelled", "cancelled by hand"):
            self._say("refused", i.target, f"{row.id} has ended", Severity.NOTICE)
        self.machines_changed = True

    def _do_requeue(self, i: Intervention, _: str) -> None:
        row = self._job(i.target)
        if not self.recovery.requeue(row, "by hand"):
            self._say("refused", i.target, f"{row.id} does not run here", Severity.NOTICE)
        self.machines_changed = True

    def _job(self, name: str) -> JobRow:
        return next(row for row in self.jobs.rows if row.id == name)

    def _do_power_cap(self, i: Intervention, lasts: str) -> None:
        self.acting.append(i)
        self._cap(i)
        self._say("power_cap", i.target, f"{i.value} per GPU{lasts}", Severity.NOTICE)

    def _undo_power_cap(self, i: Intervention) -> None:
        self._cap(i)
        now = next((f"{other.value} per GPU" for other in reversed(self._in_force(i))), "default power limit")
        self._say("power_cap_off", i.target, f"{now} again", Severity.NOTICE)

    def _cap(self, i: Intervention) -> None:
        """Let the latest cap that is in force hold, or none."""
        job = EVERY_JOB if i.target == "all" else next(r.index for r in self.jobs.rows if r.id == i.target)
        self.clocks.cap_w.pop(job, None)
        for other in self._in_force(i):
            self.clocks.cap_w[job] = units.parse(other.value or "", "power")
        self.machines_changed = True

    def _do_move(self, i: Intervention, _: str) -> None:
        self.moves.move(i.target, i.value or "")

    def _do_set(self, i: Intervention, _: str) -> None:
        self.settings.apply(i.target, i.value or "")
        self._say("set", i.target, f"is {i.value} from now on", Severity.NOTICE)
        self.machines_changed = True
        if i.target.startswith("scheduler"):
            self.recovery.node_usable()  # who waits may start by the new rules

    def state(self) -> dict[str, Any]:
        """Return what a snapshot needs."""
        return {
            "tally": self.tally.state(),
            "strikes": self.strikes.state(),
            "degraded": self.degraded.state(),
            "set": self.settings.done,
            "asked": [part_to_json(i) for i in self.asked],
            "struck": [part_to_json(i) for i in self.struck],
            "heard": self.heard,
            "withdrawn": [part_to_json(i) for i in self.withdrawn],
            "acting": [part_to_json(i) for i in self.acting],
            "outages": [part_to_json(i) for i in self.outages.acting],
            "shutdowns": self.shutdowns.state(),
            "unlit": np.flatnonzero(self.outages.unlit).tolist(),
            "facility": [part_to_json(i) for i in self.facility.acting],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over what `state` returned."""
        self.tally.restore(state["tally"])
        self.strikes.restore(state["strikes"])
        self.degraded.restore(state["degraded"])
        self.shutdowns.restore(state["shutdowns"])
        for path, value in state["set"]:
            self.settings.apply(path, value)
        self.asked = [part_from_json(Intervention, text) for text in state["asked"]]
        self.struck = [part_from_json(Intervention, text) for text in state["struck"]]
        self.heard = state["heard"]
        self.withdrawn = [part_from_json(Intervention, text) for text in state.get("withdrawn", ())]
        self.acting = [part_from_json(Intervention, text) for text in state["acting"]]
        outages = [part_from_json(Intervention, text) for text in state["outages"]]
        self.outages.restore(outages, state["unlit"])
        self.facility.restore([part_from_json(Intervention, text) for text in state["facility"]])
