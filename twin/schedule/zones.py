"""Isolation: nodes that a tenant may not use because another holds them, their leaf or their rack."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from twin.arrays import Bools, Floats, Ints64
from twin.schedule.queue import NOBODY, SEVERAL, NodeLabels, Requests

NONE, NODE, LEAF, RACK = range(4)
LEVELS = ("none", "node", "leaf", "rack")
"""Words of a scenario for them, in this order."""


@dataclass(frozen=True)
class Isolation:
    """Isolation of tenants: what they share with no other.

    Parameters
    ----------
    level
        Of each tenant, an index of `LEVELS`, shape (tenants,).
    alone
        Nodes that two tenants never share, whoever they are, shape (N,).
    """

    level: Ints64
    alone: Bools
    labels: NodeLabels

    @property
    def zones(self) -> tuple[tuple[int, Ints64], ...]:
        """The levels above nodes that any tenant asks for, and the zone of every node there."""
        both = ((LEAF, self.labels.leaf), (RACK, self.labels.rack))
        return tuple((level, label) for level, label in both if (self.level == level).any())

    def shut(self, tenant: int, holder: Ints64) -> Bools | None:
        """Return the nodes that `tenant` may not use while `holder` holds them, shape (N,); None: it may use all."""
        shut: Bools | None = None
        for level, zone in self.zones:
            foreign = self._foreign(tenant, level, holder)
            if foreign.any():
                hit = (np.bincount(zone, foreign) > 0)[zone]
                shut = hit if shut is None else shut | hit
        return shut

    def opens_s(self, tenant: int, holder: Ints64, end_s: Floats) -> Floats:
        """Return when `tenant` may use each node whole, shape (N,): when all others have left its zone."""
        result = end_s
        for level, zone in self.zones:
            foreign = self._foreign(tenant, level, holder)
            if foreign.any():
                last = np.full(int(zone.max()) + 1, -np.inf)
                np.maximum.at(last, zone[foreign], end_s[foreign])
                result = np.maximum(result, last[zone])
        return result

    def closed(self, tenant: int, nodes: Ints64, holders: Ints64) -> Iterator[tuple[Ints64, Bools]]:
        """Yield, by level, the zone of every node and which of `nodes` close theirs to `tenant`.

        Parameters
        ----------
        nodes, holders
            Nodes that are held in whole or in part, and by which tenant; a node may come more than once.
        """
        of_others = holders != tenant
        apart = (self.level[holders] != NONE) | (self.level[tenant] != NONE) | self.alone[nodes]
        if (of_others & apart).any():
            yield np.arange(len(self.alone)), of_others & apart
        for level, zone in self.zones:
            closed = of_others & ((self.level[holders] == level) | (self.level[tenant] == level))
            if closed.any():
                yield zone, closed

    def _foreign(self, tenant: int, level: int, holder: Ints64) -> Bools:
        """Nodes of tenants that conflict at a level: of all others if it is isolated, else of isolated ones."""
        of_others: Bools = (holder != NOBODY) & (holder != tenant)
        if self.level[tenant] != level:
            of_others &= (holder != SEVERAL) & (self.level[holder] == level)
        return of_others

    def shares(self, job: int, requests: Requests, holder: Ints64) -> Bools:
        """Return which nodes, held in parts, a job may share by whom it meets there, shape (N,)."""
        tenant = int(requests.tenant[job])
        own: Bools = (holder == NOBODY) | (holder == tenant)
        if self.level[tenant] != NONE:
            return own
        kept = self.alone | ((holder != SEVERAL) & (self.level[holder] != NONE))
        result: Bools = own | ~kept
        return result
