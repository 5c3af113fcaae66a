"""Which free nodes take the vacant places of a job: of the same NVLink domain first, else a domain moves whole."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from twin.record.node_list import node_list
from twin.sim.core.log import Log
from twin.sim.core.nodes import NodeTable
from twin.sim.jobs.job_row import JobRow

FEW = 4
"""Lost domains up to this many have their places looked for one by one."""


class Grouping:
    """Members of each part of a whole, in order; parts are numbered from zero.

    Parameters
    ----------
    part
        Which part each member belongs to.
    """

    def __init__(self, part: NDArray[np.integer]) -> None:
        self.part = part
        self._order = np.argsort(part, kind="stable")
        self._ends = np.cumsum(np.bincount(part, minlength=1))

    @property
    def count(self) -> int:
        """Return how many parts there are."""
        return len(self._ends)

    def of(self, part: int) -> NDArray[np.intp]:
        """Return the members of a part."""
        members: NDArray[np.intp] = self._order[self._ends[part - 1] if part else 0 : self._ends[part]]
        return members


def filled(seats: ArrayLike, domains: Grouping, free: NDArray[np.bool_], lost: ArrayLike) -> NDArray[np.intp]:
    """Return the node of each place of a job after spares were taken; -1 where none is left.

    A lost node is replaced by a free one of its own scale-up domain. Where that has none, all of the job's nodes in
    the domain move to another that has room for them, the tightest one: a group of ranks that shares NVLink continues
    sharing it, and what it leaves behind stands by. Where no domain has room, spares come from wherever they are.

    Parameters
    ----------
    seats
        Node slot of each place in the order of ranks, of a lost node too; -1: vacant since before.
    domains
        Scale-up domains of the node slots.
    free
        Which nodes may be taken.
    lost
        Which places have to be filled, the vacant ones among them.
    """
    before, gone = np.asarray(seats, np.intp), np.asarray(lost, bool)
    result = np.where(gone, -1, before)
    homes = _homes(before, domains.part)
    standing, lost_homes = _Standing(domains, free), dict.fromkeys(homes[gone].tolist())
    # Sorting all places is worth it for many; the first part are places that never had a node.
    sitting = Grouping(homes + 1) if len(lost_homes) > FEW else None
    for home in lost_homes:
        places = np.flatnonzero(homes == home) if sitting is None else sitting.of(home + 1)
        vacant = places[result[places] < 0]
        near = standing.of(home, len(vacant))
        if len(near) < len(vacant):
            away = standing.elsewhere(home, len(places))
            if len(away):
                standing.free(home, result[places[result[places] >= 0]])
                vacant, near = places, away
        result[vacant[: len(near)]] = near
        standing.take(near)
    rest = np.flatnonzero(standing.left)
    vacant = np.flatnonzero(result < 0)[: len(rest)]
    result[vacant] = rest[: len(vacant)]
    return result


class _Standing:
    """Nodes that stand by, by domain."""

    def __init__(self, domains: Grouping, free: NDArray[np.bool_]) -> None:
        self.left = free.copy()
        self._domains = domains
        self._room = np.bincount(domains.part[free], minlength=domains.count)

    def of(self, home: int, count: int) -> NDArray[np.intp]:
        """Return the first of a domain, at most so many; -1 is no domain."""
        if home < 0 or not self._room[home]:
            return np.zeros(0, np.intp)
        members = self._domains.of(home)
        return members[self.left[members]][:count]

    def elsewhere(self, home: int, count: int) -> NDArray[np.intp]:
        """Return the first nodes of the domain that has room for `count` and least to spare; nothing: none has."""
        fits = self._room >= count
        if home >= 0:
            fits[home] = False
        if not fits.any():
            return np.zeros(0, np.intp)
        return self.of(int(np.argmin(np.where(fits, self._room, len(self.left) + 1))), count)

    def free(self, home: int, nodes: NDArray[np.intp]) -> None:
        """Let nodes of a domain stand by."""
        self.left[nodes] = True
        self._room[home] += len(nodes)

    def take(self, nodes: NDArray[np.intp]) -> None:
        """Take nodes of one domain."""
        if len(nodes):
            self.left[nodes] = False
            self._room[self._domains.part[nodes[0]]] -= len(nodes)


def _homes(seats: NDArray[np.int64], domain: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the domain of each place; one that was vacant before belongs to the nearest before it that was not."""
    known = np.where(seats >= 0, np.arange(len(seats)), -1)
    nearest = np.maximum.accumulate(known)
    homes: NDArray[np.int64] = np.where(nearest >= 0, domain[seats[nearest]], -1)
    return homes


def seats_of(row: JobRow, slots: ArrayLike, count: int) -> NDArray[np.intp]:
    """Return the node of each place of a job that holds `slots`, in the order of ranks; -1 where one is missing.

    What it returns is not to be written to: it may be what the job holds.
    """
    held = np.asarray(slots, np.intp)
    if len(held) == count and not row.vacant:
        return held
    seats, there = np.full(count, -1, np.intp), np.ones(count, bool)
    there[np.asarray(row.vacant, np.intp)] = False
    seats[there] = held
    return seats


def exchange(
    nodes: NodeTable, log: Log, now: float, row: JobRow, kept: NDArray[np.intp], after: NDArray[np.intp]
) -> bool:
    """Hand the nodes over that `row` takes, having kept `kept` so far; return whether it leaves some."""
    ids = nodes.plant.nodes.ids
    had, has = np.zeros((2, len(ids)), bool)
    had[kept] = has[after[after >= 0]] = True
    left, taken = np.flatnonzero(had & ~has), np.flatnonzero(has & ~had)
    nodes.assign_all(now, left, -1)
    for node in left.tolist():
        text = f"standby: {row.id} needs complete NVLink domains"
        log.add(now, "spare_left", ids[node], text, job_id=row.id)
    nodes.assign_all(now, taken, row.index)
    where = node_list(np.flatnonzero(has)) if len(taken) else ""
    for node in taken.tolist():
        text = f"joined {row.id}"
        log.add(now, "spare_taken", ids[node], text, where=where, node=node, job_id=row.id)
    return bool(len(left))
