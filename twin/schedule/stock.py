"""Nodes left during a decision, and room for one more job."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Bools, Ints64
from twin.schedule.queue import NOBODY, SEVERAL, SLICES, Requests, SiteView, Start


@dataclass(frozen=True, slots=True)
class FreeRoom:
    """Room that is free for some time.

    Parameters
    ----------
    whole
        Nodes that are free for all of it, shape (N,).
    gpus
        Of each node, GPUs that are wholly free for all of it.
    slices
        Of each GPU, shape (N, GPUs of the largest node); None: no job asks for slices.
    """

    whole: Bools
    gpus: Ints64
    slices: NDArray[np.int8] | Ints64 | None = None

    def part(self, rest: int, slices: int, fit: Bools) -> int | None:
        """Return the partly used node among `fit` with the tightest fit; None: there is none.

        A GPU that is cut already is taken before a whole one.
        """
        fits = fit & ~self.whole
        if slices:
            assert self.slices is not None
            holds = np.where(self.slices >= slices, self.slices, SLICES + 1).min(axis=1).astype(np.int64)
            fits &= holds <= SLICES
            tightness = holds * (int(self.gpus.max(initial=0)) + 1) + self.gpus
        else:
            fits &= self.gpus >= rest
            tightness = self.gpus
        nodes = fits.nonzero()[0]
        return int(nodes[np.argmin(tightness[nodes])]) if len(nodes) else None

    def gpus_of(self, node: int, rest: int, slices: int) -> tuple[int, ...]:
        """Return which GPUs of `node` a part of it takes; none where any will do."""
        if self.slices is None or not (rest or slices):
            return ()
        left = self.slices[node]
        if slices:
            return (int(np.argmin(np.where(left >= slices, left, SLICES + 1))),)
        return tuple(np.flatnonzero(left == SLICES)[:rest].tolist())


class Stock:
    """The nodes as a decision leaves them; `SiteView` describes each attribute.

    Attributes
    ----------
    left
        Free nodes.
    """

    def __init__(self, requests: Requests, site: SiteView) -> None:
        self.requests, self.site, self.now_s = requests, site, site.now_s
        self.free, self.used, self.power_w = site.free.copy(), site.used.copy(), site.power_w
        self.free_gpus = site.free_gpus.copy() if requests.any_partial else site.free_gpus
        self.slices = site.slices.copy() if site.slices is not None else None
        self.end_s, self.holder = site.end_s.copy(), site.tenant.copy()
        self.left = int(np.count_nonzero(self.free))

    def room(self) -> FreeRoom:
        """Return the room that may be taken now, for any duration."""
        return FreeRoom(self.free, self.free_gpus, self.slices)

    def take(self, start: Start, until_s: float) -> None:
        """Give a job its nodes until `until_s` [s]."""
        job, nodes, requests = start.job, start.nodes, self.requests
        tenant = int(requests.tenant[job])
        whole = nodes[: int(requests.whole[job])]
        self.used[tenant] += requests.gpus[job]
        self.power_w += float(requests.power_w[job])
        self.left -= int(np.count_nonzero(self.free[nodes]))
        if requests.partial[job]:
            self._take_part(start, until_s)
        self.free[whole] = False
        self.end_s[whole] = until_s
        self.holder[whole] = tenant
        if requests.any_partial:
            self.free_gpus[whole] = 0
            if self.slices is not None:
                self.slices[whole] = 0

    def _take_part(self, start: Start, until_s: float) -> None:
        node, row = int(start.nodes[-1]), self.requests.rows[start.job]
        if self.slices is not None:
            self.slices[node, list(start.gpus)] -= row.slices or SLICES
            self.free_gpus[node] = np.count_nonzero(self.slices[node] == SLICES)
        else:
            self.free_gpus[node] -= row.rest
        self.free[node] = False
        self.end_s[node] = max(float(self.end_s[node]), until_s)
        self.holder[node] = row.tenant if self.holder[node] in (NOBODY, row.tenant) else SEVERAL
