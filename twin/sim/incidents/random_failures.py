"""Failures that come by themselves: of nodes, switches, links and fault domains, alone or in bursts."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from twin import units
from twin.physics import reliability
from twin.plant.failure_components import domains_of_nodes, nodes_of_nvlink, target_of
from twin.record.events import Severity
from twin.scenario.schema.fault_kinds import REMAP, fault_of
from twin.scenario.schema.faults import Bursts, Cause, Intervention
from twin.sim.care.degraded import Degraded
from twin.sim.care.repairs import RepairShop
from twin.sim.core.failure_counts import FailureTally
from twin.sim.core.log import Log
from twin.sim.core.nodes import DOWN, NodeTable
from twin.sim.core.slot_map import EditedPair
from twin.sim.core.state import Fields, Items, StateField, Stateful
from twin.sim.core.timers import Timers
from twin.sim.fabric.outages import Outages
from twin.sim.hazard.failure_clocks import FailureClocks, Strike
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.recovery import RecoveryHandler

RESET_S = 60.0
"""Time that a switch, link, PDU or pump is away where a restart is all it needs [est]."""


class Strikes(Stateful):
    """Handler of the timers ``failure`` and ``burst``.

    Parameters
    ----------
    act
        Does to the hall what a person could do to it: faults of switches, links, power and coolant.
    """

    def __init__(
        self,
        timers: Timers,
        log: Log,
        nodes: NodeTable,
        jobs: Jobs,
        recovery: RecoveryHandler,
        failures: FailureClocks,
        outages: Outages,
        repairs: RepairShop,
        degraded: Degraded,
        tally: FailureTally,
        bursts: Bursts | None,
        act: Callable[[Intervention], None],
    ) -> None:
        self.timers, self.log, self.nodes, self.jobs = timers, log, nodes, jobs
        self.recovery, self.failures, self.outages = recovery, failures, outages
        self.repairs, self.degraded, self.tally, self.act = repairs, degraded, tally, act
        self.bursts = bursts
        self.plant = nodes.plant
        self.domain = (
            domains_of_nodes(self.plant, bursts.domain) if bursts is not None else np.zeros(0, np.int64)
        )
        self.pending: dict[int, tuple[int, str, float, int]] = {}  # of bursts: node, cause, repair, GPU
        self.bursted = 0
        timers.handle("failure", self._failure)
        timers.handle("burst", self._follower)

    def arm(self) -> None:
        """Wait for the earliest failure."""
        due_s = self.failures.earliest_s()
        if math.isfinite(due_s):
            self.timers.set("failure", 0, due_s)
        else:
            self.timers.cancel("failure", 0)

    def _failure(self, _: int) -> None:
        strike = self.failures.take(self.timers.now_s)
        if strike.on == "node":
            self.hit(strike.slot, strike.cause, strike.repair_s, strike.gpu)
            if self.bursts is not None and not strike.cause.planned:
                self._burst(strike, self.bursts)
        elif strike.on == "nvlink":
            self._domain(strike, nodes_of_nvlink(self.plant, strike.slot))
        elif strike.on in ("rack", "row"):
            rack = self.plant.nodes.rack
            place = rack if strike.on == "rack" else self.plant.racks.row[rack]
            self._domain(strike, np.flatnonzero((place == strike.slot) & self.plant.nodes.present).tolist())
        else:
            self._machine(strike)
        self.arm()

    # --- nodes

    def hit(self, node: int, cause: Cause, repair_s: float, gpu: int) -> None:
        """Let `cause` strike a node, with its repair time [s] and the GPU hit."""
        self.tally.struck[cause.id] += 1
        now, jobs = self.timers.now_s, self.nodes.jobs_on(node)
        fault = fault_of(cause.effect, "node")
        if not cause.stops:
            lasts_s = None
            if cause.found_s is not None:
                key = self.failures.keys[node : node + 1]
                before = self.degraded.begun[self.plant.nodes.ids[node]]
                drawn = reliability.unit_exponential(self.failures.seed, key, "found", before)
                lasts_s = float(drawn[0]) * cause.found_s
            alone = gpu if cause.repair == "gpu" and fault is not None and "gpu" in fault.targets else -1
            self.degraded.begin(
                node, cause.effect, cause.left, lasts_s, cause=cause, repair_s=repair_s, gpu=alone
            )
            return
        name = cause.id.replace("_", " ")
        if cause.effect == REMAP:
            repair_s = 0.0
            name += ": row remapping (ECC)"
        subject = self.plant.nodes.ids[node] + (f"/{gpu}" if cause.repair == "gpu" else "")
        away = f"; repair time {units.spoken(repair_s)}" if repair_s else ""
        kind = "maintenance" if cause.planned else "failure"
        severity = Severity.NOTICE if cause.planned or not jobs else Severity.ALARM
        first = jobs[0] if jobs else -1
        if fault is not None and fault.silent and jobs:
            self.degraded.hang([self.jobs.rows[job] for job in jobs], node, cause, repair_s)
            return
        self.log.add(
            now,
            kind,
            subject,
            f"{name}{away}",
            severity,
            repair=int(repair_s),
            job=first,
            cause=cause.id,
            effect=cause.effect,
            lasts_s=repair_s,
        )
        self.repairs.failed(node, repair_s, cause.repair)
        for job in jobs:
            if self.recovery.interrupt(
                self.jobs.rows[job], cause, f"{name} on {subject}", on=subject, struck=[node]
            ):
                self.tally.interrupted(cause)

    def _domain(self, strike: Strike, nodes: list[int]) -> None:
        """Let all nodes of a rack, row or scale-up domain fail at once."""
        cause, name = strike.cause, strike.cause.id.replace("_", " ")
        self.tally.struck[cause.id] += 1
        target = target_of(self.plant, strike.on, strike.slot)
        jobs = self.nodes.jobs_of(nodes)
        what = "NVLink domain of " if strike.on == "nvlink" else ""
        away = f"; repair time {units.spoken(strike.repair_s)}" if strike.repair_s else ""
        severity = Severity.ALARM if jobs else Severity.NOTICE
        text = f"{what}{target} failed: {name}{away}"
        self.log.add(
            self.timers.now_s,
            "failure",
            target,
            text,
            severity,
            nodes=len(nodes),
            cause=cause.id,
            effect=cause.effect,
            lasts_s=strike.repair_s,
        )
        for node in nodes:
            if self.nodes.condition[node] == DOWN:
                self.repairs.prolong(node, strike.repair_s)
            elif strike.repair_s > 0:
                self.repairs.take_down(node, strike.repair_s)
        for job in jobs:
            if self.recovery.interrupt(self.jobs.rows[job], cause, f"{name} on {target}", on=target):
                self.tally.interrupted(cause)

    # --- what has machines of its own

    def _machine(self, strike: Strike) -> None:
        """Let a switch, link, PDU or the pumps of a loop fail, as a person could make them."""
        cause, target = strike.cause, target_of(self.plant, strike.on, strike.slot)
        self.tally.struck[cause.id] += 1
        lasts_s = max(strike.repair_s, RESET_S)
        name = cause.id.replace("_", " ")
        text = f"{name}; repair time {units.spoken(lasts_s)}"
        self.log.add(
            self.timers.now_s,
            "failure",
            target,
            text,
            Severity.WARNING,
            repair=int(lasts_s),
            cause=cause.id,
            effect=cause.effect,
            lasts_s=lasts_s,
        )
        kind = fault_of(cause.effect, strike.on)
        assert kind is not None  # or the cause was refused
        done: dict[str, Any] = {"at": self.timers.now_s, "kind": kind.id, "target": target, "for": lasts_s}
        done["value"] = kind.value_text(cause.left)
        several = strike.on == "link" and self.outages.network.links.cables[strike.slot] > 1
        done["count"] = 1 if several and kind.keeps == "nothing" else None
        done["cause"] = cause.id if "cause" in kind.options else None
        self.act(Intervention.model_validate(done))

    # --- bursts

    def _burst(self, strike: Strike, bursts: Bursts) -> None:
        """Let a failure pull neighbours of its domain along."""
        seed, keys, node = self.failures.seed, self.failures.keys, strike.slot
        name = f"{strike.clocks.name} {self.plant.nodes.ids[node]}"
        own_key = keys[node : node + 1]
        chance, size = (
            float(reliability.hash_uniform(seed, own_key, f"{stream}{strike.clocks.name}", strike.number)[0])
            for stream in ("burst", "burst size")
        )
        if chance >= bursts.chance or self.domain[node] < 0:
            return
        near = np.flatnonzero((self.domain == self.domain[node]) & self.plant.nodes.present)
        near = near[near != node]
        order = np.argsort(
            reliability.hash_uniform(seed, keys[near], f"burst{name}", strike.number), kind="stable"
        )
        chosen = near[order][: int(reliability.geometric(bursts.mean, size))]
        if not len(chosen):
            return
        for follower in chosen.tolist():
            key = keys[follower : follower + 1]
            delay, repair, gpu = (
                float(reliability.hash_uniform(seed, key, f"{stream}{name}", strike.number)[0])
                for stream in ("burst delay", "burst repair", "burst gpu")
            )
            self.pending[self.bursted] = (
                follower,
                strike.cause.id,
                self.failures.repair_s(strike.cause, repair),
                int(gpu * int(self.failures.gpu_count[follower])),
            )
            self.timers.set("burst", self.bursted, self.timers.now_s + delay * bursts.within_s)
            self.bursted += 1
        count = len(chosen)
        text = f"failure burst: {count} more node{'s' * (count > 1)} of its {bursts.domain} affected"
        self.log.add(
            self.timers.now_s,
            "burst",
            self.plant.nodes.ids[node],
            text,
            nodes=count,
            domain=bursts.domain,
            within_s=bursts.within_s,
        )

    def _follower(self, number: int) -> None:
        node, cause, repair_s, gpu = self.pending.pop(number)
        if self.nodes.condition[node] != DOWN:
            self.hit(node, self.failures.known[cause], repair_s, gpu)
            self.arm()

    def _carried_pending(self, old: Strikes, edit: EditedPair) -> list[Any]:
        return [
            (number, (edit.numbers.node(node), *rest))
            for number, (node, *rest) in sorted(old.pending.items())
        ]

    STATE = Fields(Items("pending", tuple, sort=True, carry=_carried_pending), StateField("bursted"))
