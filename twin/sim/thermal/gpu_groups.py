"""Which GPUs draw power alike and are cooled alike: groups by (loop, part, trace, limit class), split and merged.

A slot is a node with those of its GPUs that are cooled as the node is, or, after all nodes, a GPU with a fault of its
own that is integrated alone. Every slot stands in one group.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from twin.arrays import Bools, Floats, IntP, row_numbers
from twin.physics.gpu_power import spread_points
from twin.physics.thermal_network import Groups, ThermalState, merge_groups, split_groups
from twin.sim.core.state import ArrayField, Derived, Fields, StateField, Stateful
from twin.sim.thermal.double_groups import STAND_IN, DoubleGroups
from twin.sim.thermal.leakiest_dies import LeakiestDies

Numbers = TypeVar("Numbers", int, IntP)
OFF, IDLE = 0, 1
FEW_SLOTS = 32
"""So many slots that move are told apart one by one."""
_WHOLE = np.zeros(1, np.intp)  # where the first and only part of an array begins

_SLOTS = (
    "slot_loop",
    "slot_part",
    "slot_limit",
    "slot_group",
    "slot_gpus",
    "slot_sum_s",
    "slot_front_s",
    "slot_back_s",
    "owner",
)
"""Arrays with an entry for each slot."""


def stepping(job: Numbers) -> Numbers:
    """Return the trace of GPUs that step in `job`; of those in many jobs, of each."""
    return 2 + 2 * job


def spinning(job: int) -> int:
    """Return the trace of GPUs of `job` that wait busily for a partner that is gone."""
    return 3 + 2 * job


@dataclass(frozen=True)
class Dies:
    """Every GPU of the plant: its node, whether it stands in the exhaust of another, and its power spread factor."""

    node: IntP
    behind: Bools
    spread: Floats


class Traces(Stateful):
    """Groups of slots with one power trace each, and the spread of the dies in them.

    Parameters
    ----------
    loop, part
        Loop and thermal part of each node, shape (N,).
    gpus
        GPUs of each node, shape (N,); 0 for a slot that is not there.
    dies
        The GPUs one by one.

    Attributes
    ----------
    slot_loop, slot_part, slot_limit, slot_group : ndarray of int, shape (N + E,)
        Loop, thermal part, limit class and group of each slot; group -1: no GPU of it is left, or it is not there.
    slot_gpus, slot_sum_s, slot_front_s, slot_back_s : ndarray, shape (N + E,)
        GPUs of each slot, the sum of their spread factors, and the largest of those in front and of those behind
        others; 0: none stands there.
    owner : ndarray of int, shape (N + E,)
        Node of each slot.
    alone : list of int
        GPUs that have a slot of their own, in the order of those slots.
    hot_s : ndarray, shape (G,)
        Spread factor of the leakiest die of each group.
    front_s, back_s : ndarray, shape (G,)
        The same of the dies in front and of those behind others; where none stands there, that of the others.
    behind : ndarray, shape (G,)
        1 where some die of a group stands behind another, else 0.
    limit : ndarray of int, shape (G,)
        Limit class of each group; `trace` and `groups` hold the rest of its key.
    splits : list of (int, int)
        Groups that others were split off, with those; whoever keeps figures by group clears it.
    version : int
        Grows whenever a slot changes its group.
    """

    def __init__(self, loop: IntP, part: IntP, gpus: Floats, dies: Dies) -> None:
        self.dies, self.nodes = dies, len(loop)
        self._whole_gpus = np.array(gpus, float)
        there = self._whole_gpus[dies.node] > 0
        self._there = there
        self._whole_sum_s = np.bincount(dies.node[there], dies.spread[there], minlength=self.nodes).astype(
            float
        )
        self._whole_front_s, self._whole_back_s = np.zeros(self.nodes), np.zeros(self.nodes)
        for most, place in (
            (self._whole_front_s, there & ~dies.behind),
            (self._whole_back_s, there & dies.behind),
        ):
            np.maximum.at(most, dies.node[place], dies.spread[place])
        self.slot_loop, self.slot_part = np.array(loop, np.intp), np.array(part, np.intp)
        self.slot_limit = np.zeros(self.nodes, np.intp)
        self.slot_gpus = self._whole_gpus.copy()
        self.slot_sum_s = self._whole_sum_s.copy()
        self.slot_front_s, self.slot_back_s = self._whole_front_s.copy(), self._whole_back_s.copy()
        self.owner = np.arange(self.nodes)
        self.alone: list[int] = []
        live = self.slot_gpus > 0
        keys, group = np.unique(
            np.stack([self.slot_loop[live], self.slot_part[live]]), axis=1, return_inverse=True
        )
        self.slot_group = np.full(self.nodes, -1, np.intp)
        self.slot_group[live] = group.reshape(-1)
        self.trace = np.full(keys.shape[1], IDLE, np.intp)
        self.limit = np.zeros(keys.shape[1], np.intp)
        self.groups = Groups.of(
            keys[0],
            keys[1],
            np.bincount(self.slot_group[live], self.slot_gpus[live]),
            np.bincount(self.slot_group[live], self.slot_sum_s[live]),
        )
        self.version = 0
        self.splits: list[tuple[int, int]] = []
        self._leaving: set[int] = set()
        self._leakiest, self._pairs = LeakiestDies(), DoubleGroups()
        self._measure()

    def _measure(self, touched: set[int] | None = None) -> None:
        """Sums and hottest die by group, afresh: so that no rounding adds up over a year of splits.

        `touched`: groups that slots have left or joined; none: any.
        """
        self.version += 1
        most_s = self.slot_front_s, self.slot_back_s
        if not self._leakiest.ranked:
            self.live = self.slot_gpus > 0
            self._full = bool(self.live.all())
            self._leakiest.rank(*most_s)
        front, back = self._leakiest.of_groups(self.slot_group, self.groups.size, most_s, touched)
        behind = back > 0
        self._some_behind = bool(np.count_nonzero(behind))
        hot = np.maximum(front, back) if self._some_behind else front
        self.hot_s = self.front_s = self.back_s = hot_s = np.where(hot > 0, hot, 1.0)
        if self._some_behind:
            self.front_s, self.back_s = np.where(front > 0, front, hot_s), np.where(behind, back, hot_s)
        self.behind = behind.astype(float)
        self.powered = (self.groups.n > 0) & (self.trace > OFF)
        self.working = self.trace > IDLE
        self._of_job: dict[int, list[tuple[int, IntP]]] | None = None
        self.dark_c = np.where(self.powered, 0.0, -np.inf)  # added to temperatures, leaves powered dies alone
        self._pairs.forget()
        self._points_s: Floats | None = None
        self._gpu_group: IntP | None = None
        self._moves: tuple[IntP, Bools] | None = None  # of which traces wanted, who stands in others

    @property
    def points_s(self) -> Floats:
        """Spread factors by which clock and power of the dies of each group are a line, shape (3, G).

        The last is that of the leakiest die of all groups with its key.
        """
        # Groups of one key work alike, so that they become alike and can be joined.
        if self._points_s is None:
            self._points_s = spread_points(self.pooled(self.hot_s) if self.doubled else self.hot_s)
        return self._points_s

    def hottest_c(self, state: ThermalState, behind_k: Floats) -> Floats:
        """Return the temperature of the hottest die of each group [C].

        `behind_k` is what the leakiest of those behind others has for its place, shape (G,); 0: there are none [K].
        """
        if not self._some_behind:
            return state.die_c(self.hot_s)
        dies = state.chain[:, 0]
        slope_k = dies[:, 1]
        hottest_c: Floats = self.back_s * slope_k
        hottest_c += behind_k
        np.maximum(hottest_c, self.front_s * slope_k, out=hottest_c)
        hottest_c += dies[:, 0]
        return hottest_c

    @property
    def node_group(self) -> IntP:
        """Group of each node, less its GPUs that stand alone, shape (N,); -1: none."""
        return self.slot_group[: self.nodes]

    @property
    def gpu_group(self) -> IntP:
        """Group of each GPU, shape (GPUs,); -1: not there."""
        if self._gpu_group is None:
            group = np.where(self._there, self.slot_group[self.dies.node], -1)
            group[self.alone] = self.slot_group[self.nodes :]
            self._gpu_group = group
        return self._gpu_group

    def dies_of(self, group: int) -> tuple[Floats, Floats]:
        """Return spread factors of the GPUs in `group`: of those in front, and of those behind others."""
        of_group = self.gpu_group == group
        return self.dies.spread[of_group & ~self.dies.behind], self.dies.spread[of_group & self.dies.behind]

    def gpu_w(self, base_w: Floats, dyn_w: Floats) -> Floats:
        """Return the power of the GPUs of each node, shape (N,), from that of a GPU by group: base + s dyn [W]."""
        if not self.groups.size:
            return np.zeros(self.nodes)
        group = self.slot_group if self._full else np.maximum(self.slot_group, 0)
        power_w: Floats = base_w.take(group)
        power_w *= self.slot_gpus
        if np.count_nonzero(dyn_w):
            power_w += dyn_w.take(group) * self.slot_sum_s
        if not self.alone:
            return power_w
        total: Floats = np.bincount(self.owner, power_w, minlength=self.nodes).astype(float)
        return total

    def are(self, wanted: IntP) -> bool:
        """Return whether every node stands in its wanted trace already, shape (N,)."""
        return not np.count_nonzero(self._moving(wanted)[: self.nodes])

    def _moving(self, wanted: IntP) -> Bools:
        """Which slots do not stand in the wanted traces of their nodes, shape (N + E,)."""
        known = self._moves
        if not self.groups.size:  # every rack is gone
            return np.zeros(len(self.slot_group), np.bool_)
        if known is None or known[0] is not wanted:
            moving = (wanted[self.owner] if self.alone else wanted) != self.trace.take(self.slot_group)
            if not self._full:
                moving &= self.live
            self._moves = known = wanted, moving
        return known[1]

    def gpus_alone(self, group: int) -> list[int]:
        """Return the GPUs of a group in which every GPU has a fault of its own; empty: it holds nodes too."""
        slots = np.flatnonzero(self.live & (self.slot_group == group))
        if not slots.size or slots[0] < self.nodes:
            return []
        return [self.alone[slot - self.nodes] for slot in slots.tolist()]

    # --- GPUs alone

    def is_there(self, gpu: int) -> bool:
        """Return whether a GPU of the plant is installed."""
        return bool(self._there[gpu])

    def is_live(self, node: int) -> bool:
        """Return whether a node is installed."""
        return bool(self._whole_gpus[node] > 0)

    def set_alone(self, gpus: list[int]) -> None:
        """Give a slot of its own to each of `gpus`; it stays in its group until `retrace` gives it another part.

        One that is no longer named keeps its slot until its group has joined that of its node (`merge`).
        """
        known = set(self.alone)
        new = [gpu for gpu in gpus if gpu not in known]
        for gpu in new:
            node = int(self.dies.node[gpu])
            self.alone.append(gpu)
            for name in _SLOTS:  # as its node
                entries = getattr(self, name)
                setattr(self, name, np.append(entries, entries[node]))
            spread, behind = float(self.dies.spread[gpu]), bool(self.dies.behind[gpu])
            self.slot_gpus[-1], self.slot_sum_s[-1] = 1.0, spread
            self.slot_front_s[-1], self.slot_back_s[-1] = (0.0, spread) if behind else (spread, 0.0)
            self._weigh(node)
        self._leaving = set(self.alone) - set(gpus)
        if new:
            self._measure()

    def _weigh(self, node: int) -> None:
        """Set what is left in the slot of `node` without its GPUs that stand alone."""
        self._leakiest.forget()
        out = [gpu for gpu in self.alone if self.dies.node[gpu] == node]
        self.slot_gpus[node] = self._whole_gpus[node] - len(out)
        spread = self.dies.spread
        self.slot_sum_s[node] = self._whole_sum_s[node] - float(spread[out].sum())
        of_slot = self.dies.node == node
        of_slot[out] = False
        self.slot_front_s[node] = float(spread[of_slot & ~self.dies.behind].max(initial=0.0))
        self.slot_back_s[node] = float(spread[of_slot & self.dies.behind].max(initial=0.0))
        if self.slot_gpus[node] == 0:
            self.slot_sum_s[node], self.slot_group[node] = 0.0, -1

    def _fold(self) -> bool:
        """Take GPUs back into their node where both stand in one group again; return whether any were."""
        back = []
        for gpu in self._leaving:
            slot, node = self.nodes + self.alone.index(gpu), int(self.dies.node[gpu])
            if self.slot_group[node] == -1:  # the first to come back to a node without any
                self.slot_group[node], self.slot_part[node] = self.slot_group[slot], self.slot_part[slot]
            if self.slot_group[slot] == self.slot_group[node]:
                back.append(gpu)
        for gpu in sorted(back):
            place = self.alone.index(gpu)
            del self.alone[place]
            for name in _SLOTS:
                setattr(self, name, np.delete(getattr(self, name), self.nodes + place))
            group = self.slot_group[self.dies.node[gpu]]
            self._weigh(int(self.dies.node[gpu]))
            self.slot_group[self.dies.node[gpu]] = group
        self._leaving = self._leaving - set(back)
        return bool(back)

    # --- splitting and joining

    def retrace(
        self, state: ThermalState, wanted: IntP, limit: IntP | None = None, part: IntP | None = None
    ) -> ThermalState:
        """Give every slot its wanted key; return the state with groups split where needed.

        Parameters
        ----------
        state
            Temperatures.
        wanted, limit
            Trace and limit class of each node, shape (N,); no limit: as they are.
        part
            Thermal part of each slot, shape (N + E,); none: as they are.
        """
        moving = self._moving(wanted).copy()
        if self.alone:
            wanted = wanted[self.owner]
        if limit is not None:
            self.slot_limit = limit[self.owner] if self.alone else limit.copy()
        if part is not None:
            self.slot_part = part
        if not self.groups.size:
            return state
        if limit is not None:
            moving |= self.slot_limit != self.limit[self.slot_group]
        if part is not None:
            moving |= part != self.groups.part[self.slot_group]
        if not self._full:
            moving &= self.live
        slots = moving.nonzero()[0]
        if not slots.size:
            return state
        state, touched = self._move(slots, wanted[slots], state)
        if self._leaving:
            self._fold()
        self._measure(touched)
        return state

    def _move(self, slots: IntP, wanted: IntP, state: ThermalState) -> tuple[ThermalState, set[int]]:
        """Split off, or rekey as a whole, the groups of `slots`; return the state, and groups they left or joined."""
        touched: set[int] = set()
        left: dict[int, float] = {}
        off, whole = [], []
        for key, members, n, sum_s in self._by_key(slots, wanted):
            source = key[0]
            left[source] = (left.get(source) or float(self.groups.n[source])) - n
            if left[source] > 0.5:
                off.append((key, members, (source, n, sum_s)))
            else:
                whole.append((key, source))
        if off:
            self.groups, state, targets = split_groups(self.groups, state, [part for *_, part in off])
            more = self.groups.size - len(self.trace)
            if more:
                self.trace = np.append(self.trace, np.full(more, STAND_IN))
                self.limit = np.append(self.limit, np.zeros(more, np.intp))
            for (key, members, _), target in zip(off, targets, strict=True):
                self.splits.append((key[0], target))
                touched |= {key[0], target}
                self.slot_group[members] = target
                whole.append((key, target))
        parts = self.groups.part
        for (_, trace, limit, part), target in whole:
            self.trace[target], self.limit[target] = trace, limit
            if self.groups.part[target] != part:
                parts = parts.copy() if parts is self.groups.part else parts
                parts[target] = part
        if parts is not self.groups.part:
            self.groups = replace(self.groups, part=parts)
        return state, touched

    def _by_key(self, slots: IntP, wanted: IntP) -> Iterator[tuple[tuple[int, ...], IntP, float, float]]:
        """Yield group, wanted trace, limit class and part, in order, and who has these: slots, GPUs, their spread."""
        given = (self.slot_group[slots], wanted, self.slot_limit[slots], self.slot_part[slots])
        if len(slots) <= FEW_SLOTS:
            few: dict[tuple[int, ...], list[int]] = {}
            for slot, *key in zip(slots.tolist(), *(column.tolist() for column in given), strict=True):
                few.setdefault(tuple(key), []).append(slot)
            for its, members in sorted(few.items()):
                there = np.array(members, np.intp)
                # As below to the last bit: `np.add.reduce` would add in another order.
                n, sum_s = (
                    np.add.reduceat(of.take(there), _WHOLE) for of in (self.slot_gpus, self.slot_sum_s)
                )
                yield its, there, float(n[0]), float(sum_s[0])
            return
        joined = row_numbers(*given)
        order = joined.argsort(kind="stable")
        joined, slots = joined[order], slots[order]
        begins = [0, *((joined[1:] != joined[:-1]).nonzero()[0] + 1).tolist()]
        firsts = order[begins]
        keys = zip(*(column[firsts].tolist() for column in given), strict=True)
        n_and_sum_s = (np.add.reduceat(all_of[slots], begins) for all_of in (self.slot_gpus, self.slot_sum_s))
        gpus = (sums.tolist() for sums in n_and_sum_s)
        for its, begin, end, n, sum_s in zip(keys, begins, [*begins[1:], len(slots)], *gpus, strict=True):
            yield its, slots[begin:end], n, sum_s

    def merge(self, state: ThermalState) -> tuple[ThermalState, bool]:
        """Join groups that have become alike, when some are doubled; return the state and whether any were.

        A few of them wait for others, unless all have become alike: each time all powers are recomputed.
        """
        alike = self._pairs.alike(state, at_once=bool(self._leaving)) if self.doubled else []
        if alike:
            self.groups, state = merge_groups(self.groups, state, alike)
            to = np.arange(self.groups.size + 1)  # the last: a slot without a group, -1
            to[-1] = -1
            for into, g in alike:
                to[g] = into
                self.trace[g], self.limit[g] = STAND_IN, 0
            self.slot_group = to[self.slot_group]
            if self._leaving:
                self._fold()
            self._measure({g for pair in alike for g in pair})
        return state, bool(alike)

    @property
    def of_job(self) -> dict[int, list[tuple[int, IntP]]]:
        """Groups that work, by job and, within it, by part."""
        if self._of_job is None:
            self._of_job = self._find_jobs()
        return self._of_job

    def _find_jobs(self) -> dict[int, list[tuple[int, IntP]]]:
        found: dict[int, list[tuple[int, IntP]]] = {}
        members: dict[int, dict[int, list[int]]] = {}
        working = self.working.nonzero()[0]
        jobs, parts = self.trace[working] // 2 - 1, self.groups.part[working]
        for group, job, part in zip(working.tolist(), jobs.tolist(), parts.tolist(), strict=True):
            members.setdefault(job, {}).setdefault(part, []).append(group)
        for job, by_part in sorted(members.items()):
            found[job] = [(part, np.array(groups, np.intp)) for part, groups in sorted(by_part.items())]
        return found

    @property
    def _doubles(self) -> IntP:
        """Pairs of groups of one loop, part, trace and limit class, shape (D, 2): first of its kind, another."""
        return self._pairs.pairs(self.groups, self.trace, self.limit)

    def pooled(self, values: Floats) -> Floats:
        """Return the highest value among the groups of one key, for each group; shape (..., G)."""
        first, other = self._doubles.T
        result = values.copy()
        np.maximum.at(result.T, first, values.T[other])
        result[..., other] = result[..., first]
        return result

    @property
    def doubled(self) -> bool:
        """Whether some groups wait to be joined."""
        return len(self._doubles) > 0

    def on_restored(self) -> None:
        """Work out sums and hottest dies of the groups."""
        self._measure()

    STATE = Fields(
        Derived("alone", lambda part: part.alone, lambda part, saved: part.set_alone(list(saved))),
        StateField("_leaving", set, sorted),
        *ArrayField.each("slot_group", "slot_part", "slot_limit", "trace", "limit", dtype=np.intp),
        StateField(
            "groups",
            lambda saved: Groups.of(*saved),
            lambda groups: [
                figures.tolist() for figures in (groups.loop, groups.part, groups.n, groups.sum_s)
            ],
        ),
    )
