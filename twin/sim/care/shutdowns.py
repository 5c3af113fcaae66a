"""Nodes that go off because of heat, a leak or a lost supply, and how they come back.

A node boots as soon as it is supplied and what cools it works again; it draws idle power then, and is back after the
boot. Where supply or cooling goes again in between, it begins again once they are back.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from twin.plant.common_place import common_place, places
from twin.record.channels import JobState
from twin.record.events import Severity
from twin.sim.core.log import Log
from twin.sim.core.nodes import DARK, DOWN, OFF, NodeTable
from twin.sim.core.slot_fields import MemberSlots, Pairs
from twin.sim.core.state import Fields, StateField, Stateful
from twin.sim.core.timers import Timers
from twin.sim.fabric.outages import Outages
from twin.sim.hazard.failure_clocks import FailureClocks
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.recovery import RecoveryHandler
from twin.sim.thermal.cooling import CoolingSystem
from twin.sim.thermal.thermal_faults import Oddities

REBOOT_S = 600.0
"""From power and coolant back to a node that takes work: check, power on, health test [est]."""
THERMAL_SHUTDOWN = "thermal_shutdown"
POWER_LOSS = "power_loss"
LEAK = "leak"


def counted(number: int, noun: str) -> str:
    """Return "1 node" or "3 nodes".

    >>> counted(2, "node")
    '2 nodes'
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


class Shutdowns(Stateful):
    """Handler of the timer ``reboot``; which nodes are without supply, braked, or wait for their boot.

    Parameters
    ----------
    unexpected
        Interruptions of jobs by cause; counted here, shared with `Incidents`.
    arm
        Waits for the earliest failure, after nodes went off or came back.
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
        oddities: Oddities,
        outages: Outages,
        unexpected: Counter[str],
        arm: Callable[[], None],
    ) -> None:
        self.timers, self.log, self.nodes, self.jobs = timers, log, nodes, jobs
        self.recovery, self.failures, self.cooling = recovery, failures, cooling
        self.oddities, self.outages, self.unexpected, self.arm = oddities, outages, unexpected, arm
        self.plant = nodes.plant
        count = len(self.plant.nodes.ids)
        self.changed = False
        self.hot_halls: frozenset[int] = frozenset()  # without power until their air is cool
        self.was_off = np.zeros(count, bool)  # shut down at least once
        self.unsupplied = np.zeros(count, bool)
        self.braked = np.zeros(count, bool)
        self.waiting = np.zeros(count, bool)  # off, until they are supplied and cooled again
        self.boot_s = np.full(count, np.inf)  # when nodes that boot are back
        timers.handle("reboot", self._reboot)

    def shut_down(
        self,
        hot: list[int],
        why: str = "thermal shutdown (GPU above shutdown temperature)",
        cause: str = THERMAL_SHUTDOWN,
        how: str = "in thermal shutdown",
    ) -> None:
        """Switch off nodes, because of heat; they come back once their coolant flows and their room is cool."""
        now = self.timers.now_s
        hot = [node for node in hot if self.nodes.condition[node] not in (OFF, DOWN, DARK)]
        for node in hot:
            self.nodes.set_condition(now, node, OFF)
            self.was_off[node] = True
            self.failures.set_up(node, now, False)
        self.waiting[hot] = True
        self.follow()
        for place, count in places(self.plant, hot):
            text = why if count == 1 else f"{counted(count, 'node')}: {why}"
            self.log.add(now, "shutdown", place, text, nodes=count, cause=cause)
        self._stop_jobs_of(hot, cause, how)

    def follow(self) -> None:
        """Let nodes boot that can now, and wait that cannot any more."""
        pending = np.flatnonzero(self.waiting | np.isfinite(self.boot_s))
        if not len(pending):
            return
        fit, waits = self._fit(pending), self.waiting[pending]
        begin, stop = pending[fit & waits], pending[~fit & ~waits]
        if not (len(begin) or len(stop)):
            return
        self.boot_s[begin], self.boot_s[stop] = self.timers.now_s + REBOOT_S, np.inf
        self.waiting[begin], self.waiting[stop] = False, True
        self.changed = True
        self._await_boots()

    def _fit(self, off: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return which of the nodes that are off can boot: they have power, and what cools them works."""
        nodes = self.plant.nodes
        fit = ~self.unsupplied[off] & ~np.isin(self.plant.racks.hall[nodes.rack[off]], list(self.hot_halls))
        loops = nodes.loop[off]
        for loop in np.unique(loops).tolist():
            fit[loops == loop] &= self.cooling.fit(loop)
        # What a fault of its own made too hot would only go off again: it waits for the repair.
        for place in np.flatnonzero(fit & (self.nodes.condition[off] == OFF)).tolist():
            fit[place] = not self.oddities.touches(int(off[place]))
        return fit

    def renew(self) -> None:
        """Wait for the boots that are still to come: nodes have gone."""
        self._await_boots()

    def _await_boots(self) -> None:
        self.nodes.set_booting(np.isfinite(self.boot_s))
        due_s = float(self.boot_s.min(initial=np.inf))
        if np.isfinite(due_s):
            self.timers.set("reboot", 0, due_s)
        else:
            self.timers.cancel("reboot", 0)

    def _stop_jobs_of(self, nodes: list[int], cause: str, how: str) -> None:
        """Interrupt the jobs that hold any of the nodes that went off now, once each."""
        self.changed |= bool(nodes)
        by_job: dict[int, list[int]] = {}
        for node in nodes:
            by_job.setdefault(int(self.nodes.job[node]), []).append(node)
        for job, job_nodes in sorted(by_job.items()):
            if job < 0:
                continue
            row = self.jobs.rows[job]
            if row.state == JobState.WAITING:
                self.recovery.swap(row)
            elif row.state != JobState.DETECTING:  # one incident, whatever follows until it is noticed
                self.unexpected[cause] += 1
                on = common_place(self.plant, np.array(job_nodes))
                self.recovery.interrupt(row, None, f"{counted(len(job_nodes), 'node')} {how}", on=on)
        self.arm()

    # --- power

    def supply(self, dark: NDArray[np.bool_], dark_switches: NDArray[np.bool_]) -> None:
        """Take note which nodes and switches have no supply; nodes that have one again boot and come back."""
        nodes, now = self.nodes, self.timers.now_s
        present = self.plant.nodes.present
        lost = np.flatnonzero(dark & ~self.unsupplied & present)
        back = np.flatnonzero(~dark & self.unsupplied & present)
        self.unsupplied = dark.copy()
        self.boot_s[lost], self.waiting[lost] = np.inf, True
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
            if self.recovery.interrupt(row, None, "switches without power"):
                self.unexpected[POWER_LOSS] += 1
        if len(back):
            self.follow()
            text = f"power restored to {counted(len(back), 'node')}: booting"
            self.log.add(
                now, "nodes_supplied", common_place(self.plant, back), text, Severity.NOTICE, nodes=len(back)
            )
            self.changed = True

    def room(self, hall: int, too_hot: bool) -> None:
        """Cut the power of a hall whose air is too hot for anything in it, or let it come back."""
        self.hot_halls = self.hot_halls | {hall} if too_hot else self.hot_halls - {hall}
        name = self.plant.halls.ids[hall]
        self.changed = True
        if not too_hot:
            self.follow()
            self.log.add(
                self.timers.now_s,
                "room_cool",
                name,
                "room cooled down: nodes, switches and storage restart",
                Severity.NOTICE,
            )
            return
        self.log.add(
            self.timers.now_s,
            "room_too_hot",
            name,
            "EPO: room above the equipment limit",
            Severity.ALARM,
        )
        nodes = self.plant.nodes
        inside = nodes.present & (self.plant.racks.hall[nodes.rack] == hall)
        self.shut_down(np.flatnonzero(inside).tolist(), "shut down by the EPO of the room")

    def brake(self, braked: NDArray[np.bool_]) -> None:
        """Take note which nodes have too few supplies for full power: their GPUs are braked."""
        now = self.timers.now_s
        for mask, kind, text, severity in (
            (
                braked & ~self.braked,
                "power_brake_on",
                "too few PSUs for full load: HW power brake on (GPUs capped)",
                Severity.ALARM,
            ),
            (
                self.braked & ~braked & ~self.unsupplied,
                "power_brake_off",
                "enough PSUs for full load: HW power brake off",
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
        """Bring back all nodes whose boot is over."""
        self.follow()  # what has gone at this very time is no longer there
        now, nodes = self.timers.now_s, self.nodes
        back = np.flatnonzero(self.boot_s <= now)
        self.boot_s[back] = np.inf
        nodes.dark[back] = False
        # What is in repair comes back with that; what was repaired in the meantime is back.
        back = back[np.isin(nodes.condition[back], (OFF, DARK))]
        for node in back.tolist():
            nodes.bring_back(now, node)
            self.failures.set_up(node, now, True)
        for place, count in places(self.plant, back.tolist()):
            text = "restarted" if count == 1 else f"{counted(count, 'node')} restarted"
            self.log.add(now, "restarted", place, text, nodes=count)
        if len(back):
            self.changed = True
            self.recovery.node_usable()
            self.arm()
        self._await_boots()

    def on_restored(self) -> None:
        """Let nodes that boot draw power."""
        self.nodes.set_booting(np.isfinite(self.boot_s))

    STATE = Fields(
        StateField("hot_halls", frozenset, sorted),
        *MemberSlots.each("was_off", "unsupplied", "braked", "waiting", table="nodes"),
        Pairs("boot_s", "nodes", math.inf, rows=True, key="boots"),
    )
