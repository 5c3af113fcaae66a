"""Fixed inputs of scheduling decisions: jobs, nodes and permissions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from twin.arrays import Bools, Ints64
from twin.scenario.schema.scheduling import Green
from twin.schedule.gates import Quotas
from twin.schedule.placement import Placement
from twin.schedule.queue import YEAR_S, NodeLabels, Place, Requests
from twin.schedule.windows import Calendar, Window
from twin.schedule.zones import Isolation

MOST_OCCURRENCES = 100
"""Occurrences of one window that are looked ahead: a quarter of daily ones."""


@dataclass(frozen=True)
class Rules:
    """Fixed inputs of all scheduling decisions.

    Parameters
    ----------
    node_class, member
        Class of every node, shape (N,), and the classes of each group of each place.
    of_window
        Classes of each window, shape (windows, classes).
    """

    requests: Requests
    places: tuple[Place, ...]
    labels: NodeLabels
    windows: tuple[Window, ...]
    isolation: Isolation | None
    quotas: Quotas
    green: Green
    placement: Placement
    node_class: Ints64
    member: tuple[tuple[Bools, ...], ...]
    of_window: Bools
    depth: int

    @cached_property
    def reach(self) -> tuple[Bools, ...]:
        """Nodes of all groups of each place together, shape (N,)."""
        return tuple(np.logical_or.reduce(place) for place in self.places)

    @cached_property
    def classes(self) -> int:
        """How many classes of nodes there are."""
        return int(self.of_window.shape[1])

    @cached_property
    def kind(self) -> Ints64:
        """Number of each job's kind, shape (J,): two of a kind may stand in the same places and take as much."""
        requests, windows = self.requests, self.windows
        slices = [row.slices for row in requests.rows]
        named: dict[int, tuple[int, ...]] = {}  # windows that name a job
        for number, window in enumerate(windows):
            for job in window.jobs:
                named[job] = (*named.get(job, ()), number)
        let = {numbers: place for place, numbers in enumerate(sorted(set(named.values())), 1)}
        lets = [let[named[job]] if job in named else 0 for job in range(len(slices))]
        columns = [requests.whole, requests.rest, slices, requests.place, requests.tenant, lets]
        kind: Ints64 = np.unique(np.array(columns, np.int64), axis=1, return_inverse=True)[1].reshape(-1)
        return kind

    @cached_property
    def kinds(self) -> int:
        """How many kinds there are."""
        return int(self.kind.max(initial=-1)) + 1

    @cached_property
    def calendar(self) -> Calendar:
        """When the windows come."""
        return Calendar(self.windows)

    @cached_property
    def _shut(self) -> dict[int, Ints64]:
        return {}

    def shut(self, job: int) -> Ints64:
        """Return the numbers of the windows that keep `job` out."""
        kind = int(self.kind[job])
        if kind not in self._shut:
            tenant, windows = int(self.requests.tenant[job]), enumerate(self.windows)
            numbers = [number for number, window in windows if not window.lets(job, tenant)]
            self._shut[kind] = np.array(numbers, np.int64)
        return self._shut[kind]

    def in_windows(self, numbers: Ints64) -> Bools:
        """Return the nodes of any of these windows, shape (N,)."""
        classes: Bools = np.logical_or.reduce(self.of_window[numbers], axis=0)
        result: Bools = classes[self.node_class]
        return result

    @cached_property
    def window_masks(self) -> Bools:
        """Classes of the windows, each choice of nodes once, shape (masks, classes)."""
        return np.unique(self.of_window, axis=0)

    @cached_property
    def mask_of_window(self) -> Ints64:
        """Row of each window there, shape (windows,)."""
        rows = {mask.tobytes(): row for row, mask in enumerate(self.window_masks)}
        return np.array([rows[mask.tobytes()] for mask in self.of_window], np.int64)

    @cached_property
    def window_nodes(self) -> list[Ints64]:
        """Nodes of each window, in order."""
        return [window.nodes.nonzero()[0] for window in self.windows]

    def lasts_s(self, job: int) -> float:
        """Return how long `job` is believed to run, a year if nobody knows [s]."""
        return self._lasts_s[job]

    @cached_property
    def _lasts_s(self) -> list[float]:
        lasts_s: list[float] = np.minimum(self.requests.estimate_s, YEAR_S).tolist()
        return lasts_s
