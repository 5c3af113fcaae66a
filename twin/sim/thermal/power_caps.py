"""Power caps on parts of the site: what GPUs give up so that a rack, row, hall or feed stays below its limit.

A cap is kept by the power limits of GPUs, as `nvidia-smi -pl` sets them: each GPU that computes counts with its limit,
since all GPUs of a synchronous job compute at the same moment and a breaker sees that moment, not the mean of a step.
A job keeps the limits of its GPUs while it restarts, as nobody lifts them for minutes. What nodes draw besides their
GPUs, switches, stores and the losses of power shelves is taken off first. An item of the power tree counts every rack
below it in full, also one that shares its load with a second feed: the limit then still holds when that one is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin import units
from twin.arrays import Bools, Floats, IntP
from twin.physics.gpu_power import leak_w
from twin.physics.power_sharing import Policy, share_out
from twin.plant.find import find
from twin.plant.tables import Plant
from twin.scenario.schema.electricity import PowerCap
from twin.sim.core.log import Log
from twin.sim.core.nodes import NodeTable
from twin.sim.core.slot_fields import Column
from twin.sim.core.slot_map import EditedPair
from twin.sim.core.state import Derived, Fields, Stateful
from twin.sim.thermal.clock_limits import ClockLimits
from twin.sim.thermal.clocks import EVERY_JOB, ROUNDING_W, Clocks

STEP_W = 5.0
"""Limits of GPUs are whole multiples of it, so that those of many racks are alike and few groups are integrated."""
FELT_W = 0.5
"""A GPU that gives up less than this is not limited."""
MANY = 5
"""Caps that begin or cease to hold at one moment and are still told one by one."""
UNLIT_NODE = -3
"""Holder of a node that is dark, beside those of `NodeTable.job`."""
Wanted = dict[int, dict[int, tuple[float, float]]]
"""Of each job, by thermal part: what a GPU wants and cannot go below [W]."""
LAST = -(10**9)
"""Priority of nodes that run no job."""


@dataclass
class Cap:
    """One cap in force.

    Parameters
    ----------
    target
        Id of what it limits; all: the whole site.
    limit_w
        Of everything in it, at the racks' input [W].
    share
        How GPUs share it.
    nodes, racks
        Slots of the nodes and racks in it.
    binds, broken
        Whether GPUs give up power for it, and whether that is not enough.
    asked_w, given_w, gpus
        What its GPUs ask for and may draw [W], and how many of them are limited, at the latest look.
    least_w
        What it would draw with all its GPUs at their lowest limit, at the latest look [W].
    lifted
        Whether it holds no longer.
    told_together
        Kinds of what happens with it that one event told of it and others.
    """

    target: str
    limit_w: float
    share: Policy
    nodes: IntP
    racks: IntP
    binds: bool = False
    broken: bool = False
    asked_w: float = 0.0
    given_w: float = 0.0
    gpus: int = 0
    least_w: float = 0.0
    lifted: bool = False
    told_together: frozenset[str] = frozenset()


class _WhileCapped(Column):
    """An entry for each node, of which a snapshot says nothing without a cap."""

    def saved(self, part: PowerCaps) -> list[Any]:
        """Return what a snapshot says of it."""
        entries: list[Any] = super().saved(part) if part.caps else []
        return entries

    def restore(self, part: PowerCaps, saved: list[Any]) -> None:
        """Let `part` have what a snapshot says, where it says something."""
        if part.caps:
            super().restore(part, saved)

    def carried(self, part: PowerCaps, old: PowerCaps, edit: EditedPair) -> list[Any]:
        """Return the entries of those that stay, and of newcomers those of `part`."""
        return edit.kept[self.table].column(super().saved(old), super().saved(part))


class PowerCaps(Stateful):
    """Caps of the scenario and of interventions; nested ones all hold, so the tightest decides."""

    def __init__(
        self,
        caps: Iterable[PowerCap],
        nodes: NodeTable,
        limits: ClockLimits,
        clocks: Clocks,
        node_part: IntP,
        log: Log,
    ) -> None:
        self.plant, self.nodes, self.limits, self.clocks, self.log = nodes.plant, nodes, limits, clocks, log
        self.node_part = node_part
        self.gpus = nodes.gpus.astype(float)
        self.caps: dict[str, Cap] = {}
        self._order: list[Cap] | None = []  # innermost first; None: to be sorted
        table = self.plant.nodes
        by_rack = np.argsort(np.where(table.present, table.rack, len(self.plant.racks.ids)), kind="stable")
        ends = np.cumsum(np.bincount(table.rack[table.present], minlength=len(self.plant.racks.ids)))
        self._of_rack = np.split(by_rack, ends)  # nodes of each rack; in the last place those that are absent
        self._lifted: list[Cap] = []  # since the latest look
        self._holder: IntP = np.full(len(self.gpus), -1, np.intp)
        self._rest_w: Floats = np.zeros(
            len(self.gpus)
        )  # most that nodes drew besides GPUs for their present job
        self._seen: tuple[Any, ...] | None = (
            None  # demand of the jobs, who holds the nodes, power besides GPUs
        )
        for cap in caps:
            self.set(f"cap {cap.id}", cap.target, cap.limit_w, cap.share)

    def set(self, key: str, target: str, limit_w: float, share: Policy = "proportional") -> None:
        """Put a cap in force, or change it.

        Parameters
        ----------
        key
            By which it is changed and cleared.
        target
            all, or the id of a hall, row, rack or item of the power tree.
        limit_w
            Of all that is in it, at the racks' input [W].
        share
            How GPUs share it.

        Raises
        ------
        ValueError
            When nothing that can be capped has this id.
        """
        racks = racks_of(self.plant, target)
        inside = [self._of_rack[rack] for rack in racks.tolist()]
        nodes = np.sort(np.concatenate(inside)) if inside else np.zeros(0, np.intp)
        new = Cap(target, limit_w, share, nodes, racks)
        old = self.caps.get(key)
        if old is not None and old.target == target:
            new.binds, new.broken, new.told_together = old.binds, old.broken, old.told_together
        self.caps[key] = new
        self._order = self._seen = None

    def clear(self, key: str) -> None:
        """Lift a cap; nothing happens when there is none of this key."""
        cap = self.caps.pop(key, None)
        if cap is not None:
            cap.lifted = True
            self._lifted.append(cap)
            self._order = self._seen = None

    def standing(self) -> list[Cap]:
        """Return the caps in force, innermost first: what a rack gives up for its own, its row need not ask for."""
        if self._order is None:
            self._order = sorted(
                self.caps.values(), key=lambda cap: (float(self.gpus[cap.nodes].sum()), cap.target)
            )
        return self._order

    def update(
        self,
        now_s: float,
        overhead_w: Floats,
        static_w: Floats,
        rack_loss_w: Callable[[Floats], Floats],
    ) -> bool:
        """Share out the caps again where anything they depend on has changed; return whether limits changed.

        Parameters
        ----------
        now_s
            Time, for events [s].
        overhead_w
            Power of each node besides its GPUs, shape (N,) [W].
        static_w
            Switches and stores of each rack, shape (R,) [W].
        rack_loss_w
            Losses of the power shelves of each rack when they deliver so much, shape (R,) [W].
        """
        if not self.caps and not self._lifted:
            return False
        jobs = {row.index: self.clocks.wanted_gpu_w(row.index) for row in self.clocks.jobs.active}
        dark = self.nodes.unlit()
        holder = np.where(dark, UNLIT_NODE, self.nodes.job).astype(np.intp)
        # While a job restarts its nodes draw less besides their GPUs; what they drew for it before will come back.
        rest_w = np.where(holder == self._holder, np.maximum(self._rest_w, overhead_w), overhead_w)
        self._holder, self._rest_w = holder, rest_w
        if self._unchanged(jobs, holder, rest_w, static_w):
            return False
        self._seen = (jobs, holder, rest_w, static_w.copy())
        asked_w, floor_w, priority = self._demand(jobs, holder)
        racks = len(static_w)
        by_node = self.gpus * asked_w + rest_w
        full_w = static_w + np.bincount(self.plant.nodes.rack, by_node, minlength=racks)
        fixed_w = static_w + np.bincount(self.plant.nodes.rack, rest_w, minlength=racks)
        fixed_w = fixed_w + rack_loss_w(full_w)
        given_w = asked_w.copy()
        earlier = [(cap, cap.binds, cap.broken) for cap in self._lifted]
        for cap in self._lifted:
            cap.binds = cap.broken = False
        self._lifted = []
        for cap in self.standing():
            nodes, count = cap.nodes, self.gpus[cap.nodes]
            before = given_w[nodes]
            fixed = float(fixed_w[cap.racks].sum())
            room_w = cap.limit_w - fixed
            shares = share_out(room_w, before, floor_w[nodes], count, cap.share, priority[nodes])
            given_w[nodes] = shares.unit_w
            felt = before - shares.unit_w > FELT_W
            cap.asked_w, cap.given_w = float(count @ before), float(count @ shares.unit_w)
            cap.gpus = int(count[felt].sum())
            cap.least_w = fixed + float(count @ np.minimum(floor_w[nodes], before))
            earlier.append((cap, cap.binds, cap.broken))
            cap.binds, cap.broken = bool(felt.any()), not shares.holds
        limited = (asked_w - given_w > FELT_W) & (self.gpus > 0)
        steps_w = np.maximum(np.floor(given_w / STEP_W) * STEP_W, np.ceil(floor_w - ROUNDING_W))
        before_w = self.limits.node_cap_w
        self.limits.set_caps(np.where(limited, steps_w, np.inf))
        self._tell(now_s, earlier)
        return not np.array_equal(before_w, self.limits.node_cap_w)

    def _unchanged(self, jobs: Wanted, *now: NDArray[Any]) -> bool:
        seen = self._seen
        if seen is None or seen[0] != jobs:
            return False
        return all(np.array_equal(a, b) for a, b in zip(seen[1:], now, strict=True))

    def _demand(self, jobs: Wanted, holder: IntP) -> tuple[Floats, ...]:
        """Return what a GPU of each node asks for and cannot go below [W], and the priority of its job.

        No GPU is given a limit below the floor of its part, as with a cap on its job; one that wants less keeps that.
        `holder` is the job of each node, shape (N,); -1: none, so it idles; -2: several, it may
        want all it can have; -3: it is dark.
        """
        clocks, models = self.clocks, self.clocks.models
        rows = len(clocks.jobs.rows) + 3
        ask, least = np.zeros((rows, len(models))), np.zeros((rows, len(models)))
        ask[2] = least[2] = [model.idle_w for model in models]
        least[1] = [model.floor_w for model in models]
        ask[1] = [model.cap_w for model in models]
        rank = np.full(rows, LAST, float)
        rank[1] = 0.0
        for job, by_part in jobs.items():
            rank[job + 3] = clocks.jobs.specs[job].priority
            top_w = min(clocks.cap_w.get(job, np.inf), clocks.cap_w.get(EVERY_JOB, np.inf))
            leaks = clocks.jobs.work[job].gpu_load is None  # a load that was measured leaks already
            for part, (high_w, low_w) in by_part.items():
                model = models[part]
                hot_w = high_w + leaks * float(leak_w(model, model.max_op_c, 1.0))
                ask[job + 3, part] = max(high_w, min(hot_w, model.cap_w, top_w))
                least[job + 3, part] = max(low_w, model.floor_w)
        at = holder + 3
        return ask[at, self.node_part], least[at, self.node_part], rank[at]

    def _tell(self, now_s: float, before: list[tuple[Cap, bool, bool]]) -> None:
        """Record which caps began or ceased to hold GPUs down, or to be broken."""
        began = [cap for cap, binds, _ in before if cap.binds and not binds]
        ended = [cap for cap, binds, _ in before if binds and not cap.binds]
        self._log_begun(now_s, "cap_on", began)
        self._log_ended(now_s, "cap_off", "cap_on", ended)
        self._log_begun(now_s, "cap_exceeded", [c for c, _, b in before if c.broken and not b])
        self._log_ended(now_s, "cap_kept", "cap_exceeded", [c for c, _, b in before if b and not c.broken])

    def _log_begun(self, now_s: float, kind: str, caps: list[Cap]) -> None:
        """Tell of caps one by one, or of many together."""
        if len(caps) <= MANY:
            self._log_each(now_s, kind, caps)
            return
        for cap in caps:
            cap.told_together |= {kind}
        self._log_together(now_s, kind, caps)

    def _log_ended(self, now_s: float, kind: str, begun: str, caps: list[Cap]) -> None:
        """Tell of the end as of the begin: of caps told of together when the last of them ends."""
        together = [cap for cap in caps if begun in cap.told_together]
        self._log_each(now_s, kind, [cap for cap in caps if begun not in cap.told_together])
        for cap in together:
            cap.told_together -= {begun}
        if together and not any(begun in cap.told_together for cap in self.caps.values()):
            self._log_together(now_s, kind, together)

    def _log_together(self, now_s: float, kind: str, caps: list[Cap]) -> None:
        gpus = sum(cap.gpus for cap in caps)
        text = f"{len(caps):,} power caps, {gpus:,} GPUs"
        self.log.add(now_s, kind, "site", text, caps=len(caps), gpus=gpus)

    def _log_each(self, now_s: float, kind: str, caps: list[Cap]) -> None:
        for cap in caps:
            subject = "site" if cap.target == "all" else cap.target
            self.log.add(
                now_s,
                kind,
                subject,
                _text(kind, cap),
                gpus=cap.gpus,
                limit_w=cap.limit_w,
                asked_w=float(cap.asked_w),
                given_w=float(cap.given_w),
            )

    def _saved_caps(self) -> list[list[Any]]:
        return [
            [
                *(key, c.target, c.limit_w, c.share, c.binds, c.broken, c.asked_w, c.given_w, c.gpus),
                sorted(c.told_together),
            ]
            for key, c in self.caps.items()
        ]

    def _take_caps(self, saved: list[list[Any]]) -> None:
        self.caps = {}
        for key, target, limit_w, share, *rest in saved:
            self.set(key, target, limit_w, share)
            cap = self.caps[key]
            cap.binds, cap.broken, cap.asked_w, cap.given_w, cap.gpus, together = rest
            cap.told_together = frozenset(together)

    STATE = Fields(
        Derived("caps", _saved_caps, _take_caps),
        _WhileCapped("_holder", "nodes", np.intp),
        _WhileCapped("_rest_w", "nodes", float),
    )


def _text(kind: str, cap: Cap) -> str:
    limit = units.render(cap.limit_w, "power", digits=4)
    if cap.lifted:
        return f"power cap {limit} removed"
    if kind == "cap_on":
        gives_w = cap.asked_w - cap.given_w
        share = 100 * gives_w / max(cap.asked_w, 1.0)
        gives = units.render(gives_w, "power", digits=3)
        return f"{cap.gpus:,} GPUs capped: -{gives} ({share:.0f} %), power cap {limit}"
    if kind == "cap_off":
        return f"no GPU capped: draw is below the power cap of {limit}"
    if kind == "cap_exceeded":
        least = units.render(cap.least_w, "power", digits=3)
        return f"power cap {limit} not achievable: minimum draw is {least}"
    return f"power cap {limit} achievable again"


def racks_of(plant: Plant, target: str) -> IntP:
    """Return the racks that a cap on `target` counts: slots, present ones only.

    Raises
    ------
    ValueError
        When nothing that can be capped has this id.
    """
    racks = plant.racks
    if target == "all":
        return np.flatnonzero(racks.present)
    kind, slot = find(plant, target) or ("", -1)
    if kind == "rack":
        counted = np.arange(len(racks.ids)) == slot
    elif kind == "row":
        counted = racks.row == slot
    elif kind == "hall":
        counted = racks.hall == slot
    elif kind == "power":
        below = items_below(plant.power.parent, slot)
        counted = below[racks.feed_a] & (racks.feed_a >= 0) | below[racks.feed_b] & (racks.feed_b >= 0)
    else:
        raise ValueError(f"{target!r} cannot be capped: it is no hall, row, rack or power item")
    return np.flatnonzero(counted & racks.present)


def items_below(parent: NDArray[np.int32], item: int) -> Bools:
    """Return which items of the power tree hang on `item`, itself included, shape (I,); parents come first."""
    below = np.zeros(len(parent), bool)
    below[item] = True
    added = parent == item
    while added.any():  # one level of the tree at a time
        below |= added
        added = below[parent] & (parent >= 0) & ~below
    return below
