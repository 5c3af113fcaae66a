"""Which free nodes take the vacant places of a job: of the same NVLink domain first, else a domain moves whole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from twin.plant.tables import Ints


def filled(seats: Sequence[int], domain: Ints, free: NDArray[np.bool_], lost: Sequence[bool]) -> list[int]:
    """Return the node of each place of a job after spares were taken; -1 where none is left.

    A lost node is replaced by a free one of its own scale-up domain. Where that has none, all of the job's nodes in
    the domain move to another that has room for them, the tightest one: a group of ranks that shares NVLink goes on
    sharing it, and what it leaves behind stands by. Where no domain has room, spares come from wherever they are.

    Parameters
    ----------
    seats
        Node slot of each place in the order of ranks, of a lost node too; -1: vacant since before.
    domain
        Scale-up domain of every node slot.
    free
        Which nodes may be taken.
    lost
        Which places have to be filled, the vacant ones among them.
    """
    result = np.where(lost, -1, seats)
    homes = _homes(np.asarray(seats), domain)
    left = free.copy()
    for home in dict.fromkeys(homes[np.asarray(lost)].tolist()):
        places = np.flatnonzero(homes == home)
        vacant = places[result[places] < 0]
        near = np.flatnonzero(left & (domain == home))[: len(vacant)]
        if len(near) < len(vacant):
            away = _room(domain, left, home, len(places))
            if len(away):
                left[result[places[result[places] >= 0]]] = True
                vacant, near = places, away
        result[vacant[: len(near)]] = near
        left[near] = False
    rest = np.flatnonzero(left)
    vacant = np.flatnonzero(result < 0)[: len(rest)]
    result[vacant] = rest[: len(vacant)]
    filled_seats: list[int] = result.tolist()
    return filled_seats


def _homes(seats: NDArray[np.int64], domain: Ints) -> NDArray[np.int64]:
    """Return the domain of each place; one that was vacant before belongs to the nearest before it that was not."""
    known = np.where(seats >= 0, np.arange(len(seats)), -1)
    nearest = np.maximum.accumulate(known)
    homes: NDArray[np.int64] = np.where(nearest >= 0, domain[seats[nearest]], -1)
    return homes


def _room(domain: Ints, free: NDArray[np.bool_], home: int, count: int) -> NDArray[np.int64]:
    """Return the first free nodes of the domain that has room for `count` and least to spare; nothing: none has."""
    nodes = np.flatnonzero(free & (domain != home))
    room = np.bincount(domain[nodes], minlength=1)
    fits = np.flatnonzero(room >= count)
    tightest = fits[np.argmin(room[fits])] if len(fits) else -1
    found: NDArray[np.int64] = nodes[domain[nodes] == tightest][:count]
    return found
