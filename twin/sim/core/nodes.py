"""Nodes of the run: who holds each, and where its GPU-seconds go while no job does."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Ints32
from twin.plant.tables import Plant
from twin.sim.core.failure_counts import DownTime
from twin.sim.core.ledger import Ledger
from twin.sim.core.slot_fields import Column, MemberSlots, NamedNodes
from twin.sim.core.slot_map import EditedPair
from twin.sim.core.state import Child, Derived, Fields, Stateful

FREE, DOWN, DRAINED, OFF, CUT, DARK, AWAY = 0, 1, 2, 3, 4, 5, 6
"""Condition of a node: usable, in repair, cordoned by people, shut down, cut off from its fabric, without power, rented
and reclaimed by its owner."""
CONDITIONS = AWAY + 1
UNLIT = (DOWN, OFF, DARK, AWAY)
"""Conditions in which a node draws nothing, unless it boots."""
NOBODY, SHARED = -1, -2
"""Instead of a job: nobody holds anything of a node; one or several hold parts of it."""
SLICES = 7
"""Compute slices of one GPU (MIG)."""

_ACCOUNT = {
    DOWN: "idle_in_repair",
    DRAINED: "idle_drained",
    OFF: "idle_in_repair",
    CUT: "idle_in_repair",
    DARK: "idle_no_power",
}
_SOUND = ("idle_no_job", "idle_spare", "idle_fragmented", "idle_fragmented")
"""Where a usable node rests: whole, whole and wanted, in part, in part and wanted."""
_RESTS = (*dict.fromkeys(_SOUND), "idle_drained", "idle_in_repair", "idle_no_power")
_REST = np.array(
    [
        [_RESTS.index(_ACCOUNT.get(condition, sound)) for sound in _SOUND]
        for condition in (FREE, DOWN, DRAINED, OFF, CUT, DARK)
    ]
    + [[len(_RESTS)] * len(_SOUND)],
    np.intp,
)
"""Place among `_RESTS` of what nobody holds of a node, by its condition and the order of `_SOUND`; beyond: away."""
_UNLIT = np.isin(np.arange(CONDITIONS), UNLIT)
_NONE = [0.0] * len(_RESTS)
"""GPUs that rest of nodes which jobs hold as a whole."""


class NodeTable(Stateful):
    """Condition and holder of every node slot; keeps the ledger's resting counts true."""

    def __init__(self, plant: Plant, ledger: Ledger) -> None:
        self.plant = plant
        self.ledger = ledger
        self.cordoned = plant.nodes.drained.copy()  # people want no work on it, whatever else it goes through
        self.withheld = np.zeros(len(plant.nodes.ids), bool)  # a health check holds it or found something
        self.cut = np.zeros(len(plant.nodes.ids), bool)  # a card of it has no way to the others
        self.dark = np.zeros(len(plant.nodes.ids), bool)  # nothing supplies it, or it has not booted since
        self.warned = np.zeros(len(plant.nodes.ids), bool)  # its owner is about to reclaim it
        self.away = np.zeros(len(plant.nodes.ids), bool)  # its owner has reclaimed it
        self.booting = np.zeros(
            len(plant.nodes.ids), bool
        )  # off or dark yet, but on its way back: it draws power
        self.condition = np.where(self.cordoned, DRAINED, FREE).astype(np.int32)
        self.job = np.full(len(plant.nodes.ids), NOBODY, np.int32)
        self.down = DownTime()
        self.version = 0  # raised whenever a node gets another condition or another holder
        self._usable: tuple[int, NDArray[np.bool_]] | None = None  # of which version
        self._fit: NDArray[np.bool_] | None = None  # until a node gets another condition
        self._unlit: NDArray[np.bool_] | None = None  # likewise, or boots
        self.wanted = np.zeros(len(plant.nodes.ids), bool)  # it stands by for a live job: it rests as a spare
        self.gpus = np.where(plant.nodes.present, plant.nodes.gpu_count, 0).astype(np.int64)
        self.held = np.zeros(len(plant.nodes.ids))  # GPUs of it in the hands of jobs, slices as fractions
        self.slices = np.full(len(plant.gpus.node), SLICES, np.int8)  # of each GPU, that nobody holds
        self.left: list[int] = []  # nodes that jobs gave back since health checks last looked
        self._table: tuple[NDArray[np.intp], ...] | None = None  # of parts, until they change
        self._rows: dict[int, list[int]] = {}  # of that table, one behind the other, by node
        self.touched: set[int] = set()  # nodes whose parts changed hands since somebody last looked
        self.parts: dict[int, dict[int, list[tuple[int, int]]]] = {}  # node: job: (GPU, slices)
        self.free_gpus = self.gpus.copy()  # GPUs of each node that nobody holds any slice of
        self.free_slices = np.where(self.gpus > 0, SLICES, 0)  # most free slices of one GPU of each node
        ledger.install(0.0, float(self.gpus.sum()))
        for account, gpus in zip(_RESTS, self._counts(slice(None)), strict=True):
            ledger.move(0.0, gpus, None, account)

    def _counts(self, nodes: NDArray[np.intp] | slice) -> list[float]:
        """Return how many GPUs of `nodes` rest in each of `_RESTS`."""
        held, gpus = self.held[nodes], self.gpus[nodes]
        at = len(_SOUND) * self.condition[nodes]
        at += 2 * (held > 0)
        at += self.wanted[nodes]
        counts: list[float] = np.bincount(_REST.take(at), gpus - held, len(_RESTS))[: len(_RESTS)].tolist()
        return counts

    def set_booting(self, booting: NDArray[np.bool_]) -> None:
        """Let the marked nodes, shape (N,), boot, and no others."""
        if not np.array_equal(booting, self.booting):
            self.booting = booting.copy()
            self._turn()

    def boots(self) -> NDArray[np.bool_]:
        """Return which nodes are not usable yet but draw the power of a boot, shape (N,)."""
        boots: NDArray[np.bool_] = self.booting & ((self.condition == OFF) | (self.condition == DARK))
        return boots

    def unlit(self) -> NDArray[np.bool_]:
        """Return which nodes draw nothing, shape (N,), not to be written to."""
        if self._unlit is None:
            self._unlit = _UNLIT.take(self.condition) & ~self.boots()
        return self._unlit

    def _turn(self) -> None:
        """Take note that nodes have another condition, or boot."""
        self.version += 1
        self._fit = self._unlit = None

    def account(self, node: int) -> str | None:
        """Return the account in which what nobody holds of `node` rests; None while a job holds all, or it is away."""
        held = self.held[node]
        if held >= self.gpus[node] or self.condition[node] == AWAY:
            return None
        sound = "idle_fragmented" if held else "idle_spare" if self.wanted[node] else "idle_no_job"
        return _ACCOUNT.get(int(self.condition[node]), sound)

    def set_condition(self, t_s: float, node: int, condition: int) -> None:
        """Give `node` another condition at `t_s`."""
        before, was = self.account(node), self.condition[node]
        self.condition[node] = condition
        self._turn()
        if (was == DOWN) != (condition == DOWN):
            self.down.change(t_s, 1 if condition == DOWN else -1)
        self._moved(t_s, node, before)

    def cordon(self, t_s: float, node: int, cordoned: bool) -> None:
        """Give `node` no more work, or work again; one that is down or off stays so until it comes back."""
        self.cordoned[node] = cordoned
        if self.condition[node] in (FREE, DRAINED, CUT):
            self.bring_back(t_s, node)

    def withhold(self, t_s: float, nodes: NDArray[np.intp], withheld: bool) -> None:
        """Give `nodes` no more work because of a health check, or let them go; otherwise as `cordon`."""
        self.withheld[nodes] = withheld
        slots = nodes[np.isin(self.condition[nodes], (FREE, DRAINED, CUT))]
        before = self._counts(slots)
        drained = self.cordoned[slots] | self.withheld[slots] | self.warned[slots]
        self.condition[slots] = np.where(self.cut[slots], CUT, np.where(drained, DRAINED, FREE))
        self._turn()
        self._all_moved(t_s, before, self._counts(slots))

    def cut_off(self, t_s: float, node: int, cut: bool) -> None:
        """Take `node` off its fabric or put it back; one that is down or off stays so until it comes back."""
        self.cut[node] = cut
        if self.condition[node] in (FREE, DRAINED, CUT):
            self.bring_back(t_s, node)

    def lose_power(self, t_s: float, node: int) -> None:
        """Leave `node` without power; one in repair stays so, one that heat shut off is dark from now on."""
        self.dark[node] = True
        if self.condition[node] != DOWN:
            self.set_condition(t_s, node, DARK)

    def bring_back(self, t_s: float, node: int) -> None:
        """Let `node` be usable at `t_s`, unless it is cordoned, withheld, cut off or reclaimed."""
        drained = self.cordoned[node] or self.withheld[node] or self.warned[node]
        resting = AWAY if self.away[node] else CUT if self.cut[node] else DRAINED if drained else FREE
        self.set_condition(t_s, node, DARK if self.dark[node] else resting)

    def reclaim(self, t_s: float, node: int, *, warned: bool = False, away: bool = False) -> None:
        """Let the owner of `node` warn that it will be reclaimed, reclaim it, or give it back (neither)."""
        self.warned[node], self.away[node] = warned, away
        self.version += 1
        if self.condition[node] in (FREE, DRAINED, CUT, AWAY):
            self.bring_back(t_s, node)

    def installed(self) -> float:
        """Return the GPUs that are there: all but those that were reclaimed and that no job holds any more."""
        away = self.condition == AWAY
        return float(self.gpus.sum() - (self.gpus[away] - self.held[away]).sum())

    # --- who holds what

    def assign_all(self, t_s: float, nodes: Sequence[int] | NDArray[np.intp], job: int) -> None:
        """Put whole `nodes` into the hands of `job`; -1: those that a job holds into the hands of nobody, at `t_s`."""
        slots = np.asarray(nodes, np.intp)
        if slots.size:
            taken, gpus = job >= 0, self.gpus[slots]
            before = self._counts(slots) if taken else _NONE
            self.version += 1
            self.job[slots] = job
            if not taken:
                self.left.extend(slots.tolist())
            self.held[slots] = gpus if taken else 0.0
            self.free_gpus[slots] = 0 if taken else gpus
            self.free_slices[slots] = 0 if taken else SLICES * (gpus > 0)
            self._all_moved(t_s, before, _NONE if taken else self._counts(slots))

    def take(
        self,
        t_s: float,
        job: int,
        nodes: Sequence[int] | NDArray[np.intp],
        rest: int = 0,
        slices: int = 0,
        gpus: Sequence[int] = (),
    ) -> None:
        """Put `nodes` into the hands of `job`, but of the last one `rest` GPUs or `slices` of one GPU, if given.

        Parameters
        ----------
        gpus
            Numbers of these GPUs in their node; none: those that are cut already and fit tightest, then the first.

        Raises
        ------
        ValueError
            When the last node has not that much left: whoever chose it did not look.
        """
        if not (rest or slices):
            self.assign_all(t_s, nodes, job)
            return
        *whole, last = (int(node) for node in nodes)
        self.assign_all(t_s, whole, job)
        first = int(self.plant.nodes.gpu_first[last])
        left = self.slices[first : first + int(self.gpus[last])]
        fits = np.flatnonzero(left >= (slices or SLICES))
        if gpus:
            chosen = fits[np.isin(fits, gpus)]
        elif slices:
            chosen = fits[np.argsort(left[fits], kind="stable")[:1]]
        else:
            chosen = fits[:rest]
        if len(chosen) < max(rest, 1):
            raise ValueError(f"{self.plant.nodes.ids[last]} has no {rest or slices} free for job {job}")
        each = slices or SLICES
        parts = [(first + int(gpu), each) for gpu in chosen]
        self._part(t_s, last, job, parts)

    def _part(self, t_s: float, node: int, job: int, parts: list[tuple[int, int]]) -> None:
        """Put parts of `node` into the hands of `job`; no parts: give back what it has."""
        self.touched.add(node)
        self.version += 1
        self._table = None
        before, had = self.account(node), self._left(node)
        held = self.parts.setdefault(node, {})
        for gpu, slices in held.pop(job, []):
            self.slices[gpu] += slices
        for gpu, slices in parts:
            self.slices[gpu] -= slices
        if parts:
            held[job] = parts
        self._rows[node] = [
            entry
            for held_by, held_nodes in held.items()
            for gpu, slices in held_nodes
            for entry in (node, held_by, gpu, slices)
        ]
        if not held:
            del self.parts[node], self._rows[node]
            self.left.append(node)
        first, count = int(self.plant.nodes.gpu_first[node]), int(self.gpus[node])
        left = self.slices[first : first + count]
        self.job[node] = SHARED if held else NOBODY
        self.held[node] = (SLICES * count - int(left.sum())) / SLICES
        self.free_gpus[node] = np.count_nonzero(left == SLICES)
        self.free_slices[node] = int(left.max(initial=0))
        after, has = self.account(node), self._left(node)
        if before == after:
            self.ledger.move(t_s, has - had, None, after)
        else:
            self.ledger.move(t_s, had, before, None)
            self.ledger.move(t_s, has, None, after)

    def give_back(self, t_s: float, job: int, nodes: Sequence[int] | NDArray[np.intp]) -> None:
        """Take whatever `job` holds of `nodes` out of its hands."""
        slots = np.asarray(nodes, np.intp)
        holder = self.job[slots]
        for node in slots[holder == SHARED].tolist():
            self._part(t_s, node, job, [])
        self.assign_all(t_s, slots[holder == job], NOBODY)

    def jobs_on(self, node: int) -> tuple[int, ...]:
        """Return the jobs that hold `node` or parts of it, in the order in which they took them."""
        job = int(self.job[node])
        return (job,) if job >= 0 else tuple(self.parts[node]) if job == SHARED else ()

    def jobs_of(self, nodes: NDArray[np.intp] | Sequence[int]) -> list[int]:
        """Return the jobs that hold any part of `nodes`, lowest first."""
        slots = np.asarray(nodes, np.intp)
        job = self.job[slots]
        found = set(job[job >= 0].tolist())
        for node in slots[job == SHARED].tolist():
            found.update(self.parts[node])
        return sorted(found)

    def held_gpus(self, job: int, nodes: Sequence[int]) -> float:
        """Return how many GPUs of `nodes` the job holds, slices as fractions."""
        slots = np.asarray(nodes, np.intp)
        whole = float(self.gpus[slots[self.job[slots] == job]].sum())
        parts = [
            slices
            for node in slots[self.job[slots] == SHARED].tolist()
            for _, slices in self.parts[node].get(job, ())
        ]
        return whole + sum(parts) / SLICES

    def part_table(self) -> tuple[NDArray[np.intp], ...]:
        """Return node, job, GPU and slices of every part that a job holds, one array each."""
        if self._table is None:
            rows = list(chain.from_iterable(self._rows.values()))
            self._table = tuple(np.array(rows, np.intp).reshape(-1, 4).T)
        return self._table

    def gpu_jobs(self) -> Ints32:
        """Return the job of each GPU; of one in slices the job with most of them; -1: none."""
        found = self.job[self.plant.gpus.node]
        found[found == SHARED] = NOBODY
        _, job, gpu, slices = self.part_table()
        order = np.lexsort((job, slices, gpu))
        found[gpu[order]] = job[order]  # the last of a GPU stands
        return found

    def want(self, t_s: float, mask: NDArray[np.bool_]) -> None:
        """Mark the nodes that stand by for live jobs."""
        slots = np.flatnonzero(mask != self.wanted)
        if slots.size:
            before = self._counts(slots)
            self.wanted[slots] = mask[slots]
            self._all_moved(t_s, before, self._counts(slots))

    def _all_moved(self, t_s: float, before: list[float], after: list[float]) -> None:
        for account, had, has in zip(_RESTS, before, after, strict=True):
            if had != has:
                self.ledger.move(t_s, has - had, None, account)

    def _moved(self, t_s: float, node: int, before: str | None) -> None:
        after = self.account(node)
        if before != after:
            self.ledger.move(t_s, self._left(node), before, after)

    def _left(self, node: int) -> float:
        """Return the GPUs of `node` that nobody holds."""
        return float(self.gpus[node] - self.held[node])

    @property
    def fit(self) -> NDArray[np.bool_]:
        """Which nodes are there and can be used, whoever holds them; not to be written to."""
        if self._fit is None:
            self._fit = (self.condition == FREE) & self.plant.nodes.present
        return self._fit

    @property
    def usable(self) -> NDArray[np.bool_]:
        """Which nodes are usable and nobody holds any part of; not to be written to."""
        known = self._usable
        if known is None or known[0] != self.version:
            usable = self.fit & (self.held == 0)
            self._usable = known = self.version, usable
        return known[1]

    def free(self, allowed: NDArray[np.bool_]) -> Ints32:
        """Return the usable nodes of `allowed` that nobody holds, lowest slot first."""
        return np.flatnonzero(allowed & self.usable).astype(np.int32)

    def recount(self) -> None:
        """Count again where GPUs rest that nobody holds: nodes have come or gone."""
        self.ledger.resting[:] = 0.0
        self.ledger.install(self.ledger.since_s, self.installed())
        for account, gpus in zip(_RESTS, self._counts(slice(None)), strict=True):
            self.ledger.move(self.ledger.since_s, gpus, None, account)

    def on_restored(self) -> None:
        """Work out what each node has left; parts of nodes that jobs hold follow."""
        self._turn()
        whole = self.job >= 0
        self.held = np.where(whole, self.gpus, 0).astype(float)
        self.free_gpus = np.where(whole, 0, self.gpus)
        self.free_slices = np.where(whole | (self.gpus == 0), 0, SLICES)

    def _saved_parts(self) -> list[list[Any]]:
        return [[node, job, parts] for node, held in self.parts.items() for job, parts in held.items()]

    def _take_parts(self, saved: list[Any]) -> None:
        total, resting = self.ledger.total.copy(), self.ledger.resting.copy()
        for node, job, parts in saved:
            self._part(self.ledger.since_s, int(node), int(job), [(int(g), int(n)) for g, n in parts])
        self.ledger.total, self.ledger.resting = total, resting  # it was restored before

    def _carried_parts(self, old: NodeTable, edit: EditedPair) -> list[list[Any]]:
        return [
            [node, job, [(edit.numbers.gpu(gpu), slices) for gpu, slices in parts]]
            for node, job, parts in edit.kept["nodes"].rows(old._saved_parts())
        ]

    STATE = Fields(
        *Column.each("condition", "job", table="nodes", dtype=np.int32),
        *Column.each("cordoned", "wanted", table="nodes", dtype=bool),
        *MemberSlots.each("withheld", "cut", "dark", table="nodes"),
        *MemberSlots.each("warned", "away", table="nodes", missing=[], spare=True),
        NamedNodes("left", only=True),
        Child("down"),
        last=[Derived("parts", _saved_parts, _take_parts, carry=_carried_parts)],
    )
