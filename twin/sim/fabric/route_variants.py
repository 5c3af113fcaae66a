"""Faults of the fabric that are in force together, and the routes that each set of them leaves.

Routing round one fault can be worse than routing round two: the second may move traffic off a link that the first
made narrow. Nobody could rely on that, and a picture of a hall where a lost cable speeds a job up is wrong. So a job
on its nodes has no more than any part of the faults in force would leave it. All parts of the oldest EXACT faults
count that its routes can tell apart; of later faults each alone, and all up to it in the order in which they came.
Hence the first EXACT faults may come and go in any order, and no further one ever helps; beyond them a repair may
for once cost a little.

A fault that only narrows a link (a flap) can be worse than one that takes it away: routes avoid a dead link, not one
that comes back and back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from twin.arrays import Bools, Floats, Ints64
from twin.plant.links import Links
from twin.plant.routes import Router
from twin.plant.tables import Plant

EXACT = 4
"""Oldest faults whose every combination counts: 16 routings of a job at most."""


@dataclass(frozen=True, eq=False)
class RouteFault:
    """One thing that is wrong.

    Parameters
    ----------
    id
        Of what failed.
    links
        That it takes bandwidth from, shape (n,).
    kept
        Share of their bandwidth that is left, below 1.
    """

    id: str
    links: Ints64
    kept: float = 0.0

    @property
    def key(self) -> str:
        """Two faults of one key are one."""
        return f"{self.id} {self.kept!r}"


Some = tuple[RouteFault, ...]
"""Some of the faults in force, oldest first."""


class FaultyRoutes:
    """Routers of all fabrics under the faults in force and under parts of them.

    Parameters
    ----------
    plant, links
        As built.
    """

    def __init__(self, plant: Plant, links: Links) -> None:
        self.plant, self.links = plant, links
        self.faults: Some = ()
        self._made: dict[tuple[int, frozenset[str]], Router] = {}

    def adopt(self, other: FaultyRoutes) -> None:
        """Take over the routes of the same links without faults."""
        self._made = {key: router for key, router in other._made.items() if not key[1]}

    def set(self, faults: Iterable[RouteFault]) -> None:
        """Let these be the faults in force, oldest first."""
        self.faults = tuple({fault.key: fault for fault in faults}.values())
        known = {fault.key for fault in self.faults}
        self._made = {key: router for key, router in self._made.items() if key[1] <= known}

    def on(self, fabric: int | None) -> Some:
        """Return the faults that concern a fabric."""
        if not self.faults:
            return ()
        of_fabric = self.links.fabric == fabric
        return tuple(fault for fault in self.faults if of_fabric[fault.links].any())

    def bytes_s(self, some: Some) -> Floats:
        """Return what some faults leave of every link [B/s]."""
        left = self.links.bytes_s.copy()
        for fault in some:
            left[fault.links] = np.minimum(left[fault.links], self.links.bytes_s[fault.links] * fault.kept)
        return left

    def router(self, fabric: int, some: Some) -> Router:
        """Return the routes of a fabric under some of its faults."""
        key = (fabric, frozenset(fault.key for fault in some))
        if key not in self._made:
            self._made[key] = Router(self.plant, self.links, fabric, self.bytes_s(some))
        return self._made[key]


def fault_sets(faults: Some, met: Callable[[Some], Bools]) -> Iterator[Some]:
    """Return the sets of faults that may leave a job less than all of them do; the empty set first.

    Parameters
    ----------
    faults
        In force, oldest first.
    met
        Tells of a set of faults which links carry the job's traffic under it; faults elsewhere change nothing then.
    """
    todo: list[tuple[int, ...]] = [()]
    seen = set(todo)
    while todo:
        chosen = todo.pop()
        some = tuple(faults[k] for k in chosen)
        yield some
        further = {k: tuple(sorted((*chosen, k))) for k in range(min(len(faults), EXACT)) if k not in chosen}
        new = [(k, more) for k, more in further.items() if more not in seen]
        used = met(some) if new else None
        for k, more in new:
            if used is not None and used[faults[k].links].any():
                seen.add(more)
                todo.append(more)
    used = met(())
    for k in range(EXACT, len(faults)):
        if used[faults[k].links].any():
            yield (faults[k],)
        yield faults[: k + 1]
