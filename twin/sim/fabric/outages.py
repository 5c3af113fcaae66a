"""Faults of the fabric: switches and links that fail or flap, whom that cuts off, and what the others lose."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from twin import units
from twin.arrays import Bools
from twin.physics import reliability
from twin.plant.find import find
from twin.plant.links import LinkKind, find_link, link_id
from twin.plant.tables import SwitchRole
from twin.record.channels import JobState
from twin.record.events import Severity
from twin.scenario.checks.interventions import value_of
from twin.scenario.reading.validate import nearest
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.faults import Intervention
from twin.sim.core.log import Log
from twin.sim.core.nodes import NodeTable
from twin.sim.core.timers import Timers
from twin.sim.fabric.fabric_state import FabricState
from twin.sim.fabric.route_variants import RouteFault
from twin.sim.hazard.failure_clocks import FailureClocks
from twin.sim.jobs.job_row import JobRow
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.recovery import RecoveryHandler

_DISCONNECTED = "disconnected from the fabric"
NOTICEABLE = 5e-3
"""Lost share of a job's bandwidth that is worth a word."""


class Outages:
    """What is down in the fabrics now, by intervention; nodes cut off by it are not usable until it is over."""

    def __init__(
        self,
        timers: Timers,
        log: Log,
        nodes: NodeTable,
        jobs: Jobs,
        recovery: RecoveryHandler,
        failures: FailureClocks,
        network: FabricState,
    ) -> None:
        self.timers, self.log, self.nodes, self.jobs = timers, log, nodes, jobs
        self.recovery, self.failures, self.network = recovery, failures, network
        self.plant = nodes.plant
        self.acting: list[Intervention] = []
        self.unlit = np.zeros(len(self.plant.switches.ids), np.bool_)  # switches without power

    # --- targets

    def _links(self, target: str) -> Bools | None:
        """Return which links a fault of `target` acts on: of a node those of its cards; None when there are none."""
        links = self.network.links
        found = find(self.plant, target)
        if found is not None and found[0] == "switch":
            return links.of_switches(np.arange(links.switches) == found[1])
        if found is not None and found[0] == "node":
            return self.cards(found[1])
        link = find_link(self.plant, target)
        return None if link is None else np.arange(len(links)) == link

    def cards(self, node: int) -> Bools:
        """Return which links end at the cards of `node`."""
        result: Bools = (self.network.links.node_a == node) | (self.network.links.node_b == node)
        return result

    def refusal(self, i: Intervention) -> str | None:
        """Return why a fault of a switch or link cannot be, or None; also for targets that look like one."""
        if KINDS[i.kind].targets == ("link",):
            if find_link(self.plant, i.target) is None:
                return (
                    f"{i.kind} needs a link as target; no link is called {i.target!r}{self._near(i.target)}"
                )
            return self._wrong_value(i)
        if "~" in i.target and find_link(self.plant, i.target) is None:
            return f"no link is called {i.target!r}{self._near(i.target)}"
        return None

    @staticmethod
    def _wrong_value(i: Intervention) -> str | None:
        kind = KINDS[i.kind]
        if kind.limits is None:
            return None
        try:
            if kind.limits.holds(units.parse(i.value or "", "fraction")):
                return None
        except units.UnitError as error:
            return f"{i.kind} needs value=, the {kind.value_needed}: {error}"
        return f"{i.kind} takes {kind.limits.words}, not {i.value}"

    def _near(self, target: str) -> str:
        """Return the nearest id of a link with the same first end, as a hint."""
        links, first = self.network.links, target.partition("~")[0]
        slot = self.plant.slots.get(first)
        if slot is not None and slot[0] in ("node", "switch"):
            end = slot[1] + (links.switches if slot[0] == "node" else 0)
            a, b = links.vertex
            candidates = np.flatnonzero((a == end) | (b == end)).tolist()[:200]
        else:
            candidates = list(range(min(len(links), 2000)))
        near = nearest(target, [link_id(self.plant, link) for link in candidates])
        return f"; did you mean {near!r}?" if near else ""

    def describe(self, target: str) -> str:
        """Return what a target is in one or two words: leaf, spine, core, card, cable."""
        found = find(self.plant, target)
        if found is not None and found[0] == "node":
            return "PCIe of its NICs"
        if found is not None:
            return SwitchRole(int(self.plant.switches.role[found[1]])).name.lower()
        link = find_link(self.plant, target)
        kinds = {LinkKind.NODE: "cable", LinkKind.SWITCH: "cables", LinkKind.PEER: "cables"}
        return "link" if link is None else kinds[LinkKind(int(self.network.links.kind[link]))]

    # --- what happens

    def repair_s(self, i: Intervention, index: int) -> float:
        """Return how long a failed switch or link is away [s]: as told, else drawn as for cables."""
        if i.duration_s is not None:
            return i.duration_s
        key = reliability.component_keys([i.target])
        uniform = float(reliability.hash_uniform(self.failures.seed, key, "injected", index)[0])
        cause = self.failures.known.get(i.cause or "")
        if cause is not None:
            return self.failures.repair_s(cause, uniform)
        constant = self.failures.constant_repair_s
        drawn = reliability.repair_time_s(
            reliability.REPAIR_CLASSES[reliability.REPAIR_CLASS["cable"]].repair, uniform
        )
        return float(drawn) if constant is None else constant

    def begin(self, i: Intervention, lasts_s: float | None) -> list[JobRow]:
        """Let a fault begin; return the jobs it stops, which the caller books under their cause."""
        self.acting.append(i)
        before = self._left()
        self._follow()
        cut = self.network.cut_off()
        fresh = np.flatnonzero(cut & ~self.nodes.cut)
        stopped = self.nodes.jobs_of(fresh)
        rows = [self.jobs.rows[job] for job in stopped]
        self._say_begin(i, lasts_s, fresh, rows, before)
        for node in fresh.tolist():
            self.nodes.cut_off(self.timers.now_s, node, True)
        return [row for row in rows if row.state != JobState.DETECTING]

    def stop(self, row: JobRow, i: Intervention) -> bool:
        """Stop a job that lost nodes; return whether that is an interruption of its own."""
        if row.state == JobState.WAITING:
            self.recovery.swap(row)
            return False
        return self.recovery.interrupt(
            row, self.failures.known.get(i.cause or ""), f"{i.target} failed", on=i.target
        )

    def unlight(self, dark: Bools) -> list[JobRow]:
        """Let exactly the switches of `dark` have no power; return the jobs that stops, as `begin` does."""
        if np.array_equal(dark, self.unlit):
            return []
        self.unlit = dark.copy()
        self._follow()
        cut, now = self.network.cut_off(), self.timers.now_s
        fresh, back = np.flatnonzero(cut & ~self.nodes.cut), np.flatnonzero(self.nodes.cut & ~cut)
        stopped = self.nodes.jobs_of(fresh)
        for node in fresh.tolist():
            self.nodes.cut_off(now, node, True)
        for node in back.tolist():
            self.nodes.cut_off(now, node, False)
        if len(back):
            self.recovery.node_usable()
        rows = [self.jobs.rows[job] for job in stopped]
        return [row for row in rows if row.state != JobState.DETECTING]

    def end(self, i: Intervention) -> None:
        """Let a fault be over."""
        self.acting.remove(i)
        self._follow()
        cut = self.network.cut_off()
        back = np.flatnonzero(self.nodes.cut & ~cut).tolist()
        now = self.timers.now_s
        for node in back:
            self.nodes.cut_off(now, node, False)
        what = f"{self.describe(i.target)} restored"
        joined = f": {len(back):,} node{'s' * (len(back) != 1)} reconnected" if back else ""
        self.log.add(now, "fabric_back", i.target, what + joined, nodes=len(back), effect=i.kind)
        if back:
            self.recovery.node_usable()

    def _follow(self) -> None:
        """Tell the fabric which faults are in force."""
        faults, cut = [], Counter(i.target for i in self.acting if i.count is not None)
        for i in self.acting:
            affected = self._links(i.target)
            if affected is not None:
                links = np.flatnonzero(affected)
                faults.append(RouteFault(i.target, links, self._kept(i, links, cut[i.target])))
        if self.unlit.any():
            dark = self.network.links.of_switches(self.unlit)
            faults.append(RouteFault("no power", np.flatnonzero(dark), 0.0))
        self.network.set_faults(faults)

    def _kept(self, i: Intervention, links: NDArray[np.intp], cut: int) -> float:
        """Return the share of their bandwidth that a fault leaves its links; `cut`: cables of them that are cut."""
        kind = KINDS[i.kind]
        if kind.keeps != "nothing":
            return kind.left(value_of(i))
        if i.count is None or not len(links):
            return 0.0
        return max(0.0, 1.0 - cut / int(self.network.links.cables[links[0]]))

    def _left(self) -> dict[int, float]:
        left = {row.index: self.network.left(row.index) for row in self.jobs.active if row.held and row.nodes}
        return {index: value for index, value in left.items() if value is not None}

    def _say_begin(
        self,
        i: Intervention,
        lasts_s: float | None,
        cut: NDArray[np.intp],
        stopped: list[JobRow],
        before: dict[int, float],
    ) -> None:
        lasts = "" if lasts_s is None else f" for {units.spoken(lasts_s)}"
        verb = KINDS[i.kind].sentence.format(value=i.value)
        if i.count is not None:
            verb = "lost one cable" if i.count == 1 else f"lost {i.count} cables"
        parts = []
        if len(cut):
            parts.append(f"{len(cut):,} node{'s' * (len(cut) != 1)} {self._lost(i.target)}")
        gone = {row.index for row in stopped}
        after = self._left()
        for index, was in sorted(before.items()):
            loss = 1.0 - after.get(index, was) / was
            if index not in gone and loss > NOTICEABLE:
                parts.append(f"{100 * loss:.0f} % less bandwidth for {self.jobs.rows[index].id}")
        standing = (JobState.DETECTING, JobState.WAITING)
        names = [row.id for row in stopped if row.state not in standing]
        parts.append(f"{', '.join(names)} interrupted" if names else "no job interrupted")
        severity = Severity.ALARM if stopped else Severity.WARNING
        text = f"{self.describe(i.target)} {verb}{lasts}: {'; '.join(parts)}"
        self.log.add(
            self.timers.now_s,
            "fabric_fault",
            i.target,
            text,
            severity,
            nodes=len(cut),
            effect=i.kind,
            cables=i.count,
            lasts_s=lasts_s,
            stopped_jobs=len(names),
        )

    def _lost(self, target: str) -> str:
        """Return what the nodes behind a target lose: their rail where it serves one, else the fabric."""
        found = find(self.plant, target)
        if found is not None:
            rail = int(self.plant.switches.rail[found[1]])
            return f"lost rail {rail}" if rail >= 0 else _DISCONNECTED
        link = find_link(self.plant, target)
        if link is not None and self.network.links.kind[link] == LinkKind.NODE:
            return f"lost rail {int(self.plant.node_links.rail[link])}"
        return _DISCONNECTED

    @property
    def down(self) -> Bools:
        """Return which links are down altogether."""
        result: Bools = self.network.bytes_s <= 0
        return result

    def dead_switches(self) -> list[int]:
        """Return the switches that have failed."""
        found = [find(self.plant, i.target) for i in self.acting if KINDS[i.kind].keeps == "nothing"]
        return sorted({place[1] for place in found if place is not None and place[0] == "switch"})

    def resume(self) -> None:
        """Let links follow the faults of a snapshot; nodes know themselves that they are cut off."""
        if self.acting or self.unlit.any():
            self._follow()
