"""What happens to nodes and machines: failures, repairs, heat shutdowns, and what people do to them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin import units
from twin.plant.common_place import common_place, places
from twin.plant.graph import find
from twin.record.channels import JobState
from twin.record.events import Severity
from twin.record.scenario_json import part_from_json, part_to_json
from twin.scenario.faults import Cause, Intervention
from twin.scenario.validate import nearest
from twin.sim.clocks import EVERY_JOB, Clocks
from twin.sim.clockwork import INTERVENTION, Timers
from twin.sim.cooling import Cooling
from twin.sim.facility_faults import FacilityFaults
from twin.sim.failures import FailureClocks
from twin.sim.jobs import Jobs
from twin.sim.log import Log
from twin.sim.nodes import DARK, DOWN, FREE, OFF, Nodes
from twin.sim.outages import Outages
from twin.sim.recovery import Recovery
from twin.sim.settings import Settings

REBOOT_S = 600.0
"""From coolant back to a node that takes work: check, power on, health test [est]."""
INJECTED = "injected"
THERMAL_SHUTDOWN = "thermal_shutdown"
POWER_LOSS = "power_loss"
LEAK = "leak"


def counted(number: int, noun: str) -> str:
    """Return "1 node" or "3 nodes".

    >>> counted(2, "node")
    '2 nodes'
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


class Incidents:
    """Handlers of the timers ``failure``, ``repair``, ``reboot``, ``do`` and ``undo``."""

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
    ) -> None:
        self.timers, self.log, self.nodes, self.jobs = timers, log, nodes, jobs
        self.recovery, self.failures, self.cooling, self.clocks = recovery, failures, cooling, clocks
        self.settings, self.outages, self.facility = settings, outages, facility
        self.plant = nodes.plant
        self.unexpected: Counter[str] = Counter({c.id: 0 for c in failures.causes if not c.planned})
        self.planned: Counter[str] = Counter({c.id: 0 for c in failures.causes if c.planned})
        self.asked: list[Intervention] = []
        self.acting: list[Intervention] = []  # of them, what lasts now
        self.machines_changed = False
        self.hot_halls: frozenset[int] = frozenset()  # without power until their air is cool
        self.unsupplied = np.zeros(len(self.plant.nodes.ids), bool)
        self.braked = np.zeros(len(self.plant.nodes.ids), bool)
        self.boot_s = np.full(len(self.plant.nodes.ids), np.inf)  # when nodes that are off try to come back
        self.was_off = np.zeros(len(self.plant.nodes.ids), bool)  # shut down by heat at least once
        for kind in ("failure", "repair", "reboot", "do", "undo"):
            timers.handle(kind, getattr(self, f"_{kind}"))
        self.arm()

    def arm(self) -> None:
        """Wait for the earliest failure."""
        due_s, _ = self.failures.next()
        if np.isfinite(due_s):
            self.timers.set("failure", 0, due_s)
        else:
            self.timers.cancel("failure", 0)

    # --- failures and repairs

    def _failure(self, _: int) -> None:
        now = self.timers.now_s
        node = self.failures.next()[1]
        cause, repair_s, gpu = self.failures.strike(node, now)
        self._hit(node, cause, repair_s, gpu)
        self.arm()

    def _hit(self, node: int, cause: Cause, repair_s: float, gpu: int) -> None:
        name = cause.id.replace("_", " ")
        subject = self.plant.nodes.ids[node] + (f"/{gpu}" if cause.repair == "gpu" else "")
        away = f", away for {units.render(repair_s, 'duration', digits=3)}" if repair_s else ""
        kind = "maintenance" if cause.planned else "failure"
        job = int(self.nodes.job[node])
        severity = Severity.NOTICE if cause.planned or job < 0 else Severity.ALARM
        self.log.add(
            self.timers.now_s, kind, subject, f"{name}{away}", severity, repair=int(repair_s), job=job
        )
        if repair_s > 0:
            self._take_down(node, repair_s)
        if job >= 0:
            (self.planned if cause.planned else self.unexpected)[cause.id] += 1
            self.recovery.interrupt(self.jobs.rows[job], cause, f"{name} on {subject}")

    def _take_down(self, node: int, repair_s: float) -> None:
        now = self.timers.now_s
        self.nodes.set_condition(now, node, DOWN)
        self.failures.set_up(node, now, False)
        self.timers.set("repair", node, now + repair_s)
        self.machines_changed = True

    def _repair(self, node: int) -> None:
        self._bring_back(node, "repaired", "back from repair")

    def _bring_back(self, node: int, kind: str, text: str) -> None:
        now = self.timers.now_s
        self.nodes.bring_back(now, node)
        self.failures.set_up(node, now, True)
        self.log.add(now, kind, self.plant.nodes.ids[node], text, job=int(self.nodes.job[node]))
        self.machines_changed = True
        self.recovery.node_usable()
        self.arm()

    # --- heat

    def shut_down(
        self,
        hot: list[int],
        why: str = "a die passed its shutdown limit: power off",
        cause: str = THERMAL_SHUTDOWN,
        how: str = "shut down by heat",
    ) -> None:
        """Switch off nodes, because of heat; they come back once their coolant flows and their room is cool."""
        now = self.timers.now_s
        hot = [node for node in hot if self.nodes.condition[node] not in (OFF, DOWN, DARK)]
        for node in hot:
            self.nodes.set_condition(now, node, OFF)
            self.was_off[node] = True
            self.failures.set_up(node, now, False)
        self._boot(hot)
        for place, count in places(self.plant, hot):
            text = why if count == 1 else f"{counted(count, 'node')}: {why}"
            self.log.add(now, "shutdown", place, text, Severity.ALARM, nodes=count)
        self._stop_jobs_of(hot, cause, how)

    def _boot(self, nodes: list[int]) -> None:
        """Let nodes try to come back after the time of a boot."""
        self.boot_s[nodes] = self.timers.now_s + REBOOT_S
        self._await_boots()

    def _await_boots(self) -> None:
        due_s = float(self.boot_s.min(initial=np.inf))
        if np.isfinite(due_s):
            self.timers.set("reboot", 0, due_s)
        else:
            self.timers.cancel("reboot", 0)

    def _stop_jobs_of(self, nodes: list[int], cause: str, how: str) -> None:
        """Interrupt the jobs that hold any of the nodes that went off now, once each."""
        self.machines_changed |= bool(nodes)
        by_job: Counter[int] = Counter(int(self.nodes.job[node]) for node in nodes)
        for job, count in sorted(by_job.items()):
            if job < 0:
                continue
            row = self.jobs.rows[job]
            if row.state == JobState.WAITING:
                self.recovery.swap(row)
            elif row.state != JobState.DETECTING:  # one incident, whatever follows until it is noticed
                self.unexpected[cause] += 1
                self.recovery.interrupt(row, None, f"{counted(count, 'node')} {how}")
        self.arm()

    # --- power

    def supply(self, dark: NDArray[np.bool_], dark_switches: NDArray[np.bool_]) -> None:
        """Take note which nodes and switches have no supply; nodes that have one again boot and come back."""
        nodes, now = self.nodes, self.timers.now_s
        present = self.plant.nodes.present
        lost = np.flatnonzero(dark & ~self.unsupplied & present)
        back = np.flatnonzero(~dark & self.unsupplied & present)
        self.unsupplied = dark.copy()
        self.boot_s[lost] = np.inf
        self._await_boots()
        for node in lost.tolist():
            nodes.lose_power(now, node)
            self.failures.set_up(node, now, False)
        if len(lost):
            where = common_place(self.plant, lost)
            text = f"{counted(len(lost), 'node')} without power"
            self.log.add(now, "nodes_unpowered", where, text, Severity.ALARM, nodes=len(lost))
            self._stop_jobs_of(lost.tolist(), POWER_LOSS, "without power")
        for row in self.outages.unlight(dark_switches):
            self.unexpected[POWER_LOSS] += 1
            self.recovery.interrupt(row, None, "switches without power")
        if len(back):
            self._boot(back[nodes.dark[back]].tolist())
            text = f"{counted(len(back), 'node')} supplied again: they boot"
            self.log.add(
                now, "nodes_supplied", common_place(self.plant, back), text, Severity.NOTICE, nodes=len(back)
            )
            self.machines_changed = True

    def room(self, hall: int, too_hot: bool) -> None:
        """Cut the power of a hall whose air is too hot for anything in it, or let it come back."""
        self.hot_halls = self.hot_halls | {hall} if too_hot else self.hot_halls - {hall}
        name = self.plant.halls.ids[hall]
        self.machines_changed = True
        if not too_hot:
            self._say("room_cool", name, "cool again: nodes, switches and stores come back", Severity.NOTICE)
            return
        self._say("room_too_hot", name, "too hot for switches, stores and nodes: emergency power off")
        nodes = self.plant.nodes
        inside = nodes.present & (self.plant.racks.hall[nodes.rack] == hall)
        self.shut_down(np.flatnonzero(inside).tolist(), "emergency power off of the room")

    def brake(self, braked: NDArray[np.bool_]) -> None:
        """Take note which nodes have too few supplies for full power: their GPUs are braked."""
        now = self.timers.now_s
        for mask, kind, text, severity in (
            (
                braked & ~self.braked,
                "power_brake_on",
                "too few supplies left: GPUs are braked",
                Severity.ALARM,
            ),
            (
                self.braked & ~braked & ~self.unsupplied,
                "power_brake_off",
                "enough supplies again",
                Severity.NOTICE,
            ),
        ):
            nodes = np.flatnonzero(mask & self.plant.nodes.present)
            if len(nodes):
                where = common_place(self.plant, nodes)
                self.log.add(
                    now, kind, where, f"{counted(len(nodes), 'node')}: {text}", severity, nodes=len(nodes)
                )
        self.braked = braked.copy()

    def _reboot(self, _: int) -> None:
        """Bring back all nodes whose boot is over: they have power, and what cools them works."""
        now, nodes = self.timers.now_s, self.nodes
        ready = np.flatnonzero(self.boot_s <= now)
        self.boot_s[ready] = np.inf
        halls = self.plant.racks.hall[self.plant.nodes.rack[ready]]
        fit = ~np.isin(halls, list(self.hot_halls))
        loops = self.plant.nodes.loop[ready]
        for loop in np.unique(loops).tolist():
            fit[loops == loop] &= self.cooling.fit(loop)
        # What a fault of its own made too hot would only go off again: it waits for the repair.
        odd, off = self.facility.oddities, nodes.condition[ready] == OFF
        fit &= ~off | np.array([not odd.touches(node) for node in ready.tolist()], bool)
        self.boot_s[ready[~fit]] = now + REBOOT_S
        back = ready[fit]
        nodes.dark[back] = False
        back = back[nodes.condition[back] != DOWN]  # else its repair brings it back
        for node in back.tolist():
            nodes.bring_back(now, node)
            self.failures.set_up(node, now, True)
        for place, count in places(self.plant, back.tolist()):
            text = (
                "back after it was off"
                if count == 1
                else f"{counted(count, 'node')} back after they were off"
            )
            self.log.add(now, "restarted", place, text, nodes=count)
        if len(back):
            self.machines_changed = True
            self.recovery.node_usable()
            self.arm()
        self._await_boots()

    # --- people

    def ask(self, intervention: Intervention, now_s: float) -> str | None:
        """Take an intervention to be done at its time, not before `now_s`; return why it is refused, or None."""
        refusal = self._refusal(intervention)
        if refusal is None:
            self.asked.append(intervention)
            self.timers.set("do", len(self.asked) - 1, max(now_s, intervention.at_s), INTERVENTION)
        return refusal

    def _refusal(self, i: Intervention) -> str | None:
        if i.kind not in ("fail", "flap", "drain", "undrain", "power_cap", "set") or self.facility.concerns(
            i
        ):
            return self.facility.refusal(i)
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
        if self.facility.concerns(i):
            self._begin_facility(i, index)
            return
        if self.outages.concerns(i):
            self._begin_outage(i, index)
            return
        lasts = f" for {units.render(i.duration_s, 'duration', digits=3)}" if i.duration_s is not None else ""
        getattr(self, f"_do_{i.kind}")(i, lasts)
        if i.duration_s is not None and hasattr(self, f"_undo_{i.kind}"):
            self.timers.set("undo", index, self.timers.now_s + i.duration_s, INTERVENTION)

    def _undo(self, index: int) -> None:
        i = self.asked[index]
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
                cause = self.failures.known.get(i.cause or "")
                count = self.planned if cause is not None and cause.planned else self.unexpected
                count[i.cause or INJECTED] += 1
        self.machines_changed = True
        if lasts_s is not None:
            self.timers.set("undo", index, self.timers.now_s + lasts_s, INTERVENTION)

    def _begin_facility(self, i: Intervention, index: int) -> None:
        """Let something of the facility fail; its repair ends that."""
        lasts_s = self.facility.repair_s(i, index)
        self.facility.begin(i, lasts_s)
        self.machines_changed = True
        leaking = self.facility.leaking(i)
        if leaking:
            self.shut_down(leaking, "its rack leaks: power off", LEAK, "off because of a leak")
        if lasts_s is not None:
            self.timers.set("undo", index, self.timers.now_s + lasts_s, INTERVENTION)

    def _in_force(self, i: Intervention) -> list[Intervention]:
        """Return what is done now to the target of `i` in its way, the latest last: such things may overlap."""
        return [other for other in self.acting if (other.kind, other.target) == (i.kind, i.target)]

    def _say(self, kind: str, subject: str, text: str, severity: Severity = Severity.ALARM) -> None:
        self.log.add(self.timers.now_s, kind, subject, text, severity)

    def _do_fail(self, i: Intervention, lasts: str) -> None:
        cause = self.failures.known.get(i.cause or "")
        struck: set[int] = set()
        self._say(
            "injected_failure", i.target, (i.cause or "failure").replace("_", " ") + f", by hand{lasts}"
        )
        for node in self._nodes_of(i.target):
            if self.nodes.condition[node] in (DOWN, OFF, DARK):
                continue
            repair_s = i.duration_s if i.duration_s is not None else self.failures.drawn_repair_s(node, cause)
            if repair_s > 0:
                self._take_down(node, repair_s)
            if self.nodes.job[node] >= 0:
                struck.add(int(self.nodes.job[node]))
        for job in sorted(struck):
            count = self.planned if cause is not None and cause.planned else self.unexpected
            count[i.cause or INJECTED] += 1
            self.recovery.interrupt(self.jobs.rows[job], cause, f"{i.target} failed by hand")
        self.arm()

    def _do_drain(self, i: Intervention, lasts: str) -> None:
        self._say("drained", i.target, f"given no more work{lasts}", Severity.NOTICE)
        self._cordon(i.target, True)

    def _undo_drain(self, i: Intervention) -> None:
        self._do_undrain(i, "")

    def _do_undrain(self, i: Intervention, _: str) -> None:
        self._say("undrained", i.target, "takes work again", Severity.NOTICE)
        self._cordon(i.target, False)
        self.recovery.node_usable()

    def _cordon(self, target: str, cordoned: bool) -> None:
        left = set()
        for node in self._nodes_of(target):
            was_free = self.nodes.condition[node] == FREE
            self.nodes.cordon(self.timers.now_s, node, cordoned)
            if cordoned and was_free and self.nodes.job[node] >= 0:
                left.add(int(self.nodes.job[node]))
        self.machines_changed = True
        for job in sorted(left):
            self.planned["drain"] += 1
            self.recovery.interrupt(self.jobs.rows[job], None, f"{target} is drained")

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

    def _do_set(self, i: Intervention, _: str) -> None:
        self.settings.apply(i.target, i.value or "")
        self._say("set", i.target, f"is {i.value} from now on", Severity.NOTICE)
        self.machines_changed = True

    def state(self) -> dict[str, Any]:
        """Return what a snapshot needs."""
        return {
            "unexpected": dict(self.unexpected),
            "planned": dict(self.planned),
            "hot_halls": sorted(self.hot_halls),
            "was_off": np.flatnonzero(self.was_off).tolist(),
            "set": self.settings.done,
            "asked": [part_to_json(i) for i in self.asked],
            "acting": [part_to_json(i) for i in self.acting],
            "outages": [part_to_json(i) for i in self.outages.acting],
            "unlit": np.flatnonzero(self.outages.unlit).tolist(),
            "facility": [part_to_json(i) for i in self.facility.acting],
            "boots": [[n, float(self.boot_s[n])] for n in np.flatnonzero(np.isfinite(self.boot_s)).tolist()],
            "braked": np.flatnonzero(self.braked).tolist(),
            "unsupplied": np.flatnonzero(self.unsupplied).tolist(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take over what `state` returned."""
        self.unexpected = Counter(state["unexpected"])
        self.planned = Counter(state["planned"])
        self.hot_halls = frozenset(state["hot_halls"])
        self.was_off[np.array(state["was_off"], int)] = True
        for path, value in state["set"]:
            self.settings.apply(path, value)
        self.asked = [part_from_json(Intervention, text) for text in state["asked"]]
        self.acting = [part_from_json(Intervention, text) for text in state["acting"]]
        outages = [part_from_json(Intervention, text) for text in state["outages"]]
        self.outages.restore(outages, state["unlit"])
        self.facility.restore([part_from_json(Intervention, text) for text in state["facility"]])
        self.unsupplied[np.array(state["unsupplied"], int)] = True
        self.braked[np.array(state["braked"], int)] = True
        for node, due_s in state["boots"]:
            self.boot_s[node] = due_s
