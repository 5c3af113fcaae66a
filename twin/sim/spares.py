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
    result = [-1 if gone else node for node, gone in zip(seats, lost, strict=True)]
    left = free.copy()
    for home, places in _by_home(seats, domain).items():
        vacant = [place for place in places if result[place] < 0]
        if not vacant:
            continue
        near = np.flatnonzero(left & (domain == home))[: len(vacant)].tolist() if home >= 0 else []
        if len(near) < len(vacant):
            away = _room(domain, left, home, len(places))
            if len(away):
                left[[result[place] for place in places if result[place] >= 0]] = True
                vacant, near = places, away
        for place, node in zip(vacant, near, strict=False):
            result[place] = node
            left[node] = False
    rest = iter(np.flatnonzero(left).tolist())
    return [node if node >= 0 else next(rest, -1) for node in result]


def _by_home(seats: Sequence[int], domain: Ints) -> dict[int, list[int]]:
    """Return the places of each domain; a place that was vacant before belongs to the one before it."""
    homes: dict[int, list[int]] = {}
    home = next((int(domain[node]) for node in seats if node >= 0), -1)
    for place, node in enumerate(seats):
        home = int(domain[node]) if node >= 0 else home
        homes.setdefault(home, []).append(place)
    return homes


def _room(domain: Ints, free: NDArray[np.bool_], home: int, count: int) -> list[int]:
    """Return the first free nodes of the domain that has room for `count` and least to spare; nothing: none has."""
    nodes = np.flatnonzero(free & (domain != home))
    room = np.bincount(domain[nodes], minlength=1)
    fits = np.flatnonzero(room >= count)
    if not len(fits):
        return []
    chosen = fits[np.argmin(room[fits])]
    found: list[int] = nodes[domain[nodes] == chosen][:count].tolist()
    return found
