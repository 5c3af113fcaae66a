"""What stays the same from one decision to the next: jobs, nodes, and what is allowed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from twin.scenario.scheduling import Green
from twin.schedule.gates import Quotas
from twin.schedule.placement import Placement
from twin.schedule.queue import YEAR_S, Bools, Ints, Labels, Place, Requests
from twin.schedule.windows import Window
from twin.schedule.zones import Isolation

MOST_OCCURRENCES = 100
"""Occurrences of one window that are looked ahead: a quarter of daily ones."""


@dataclass(frozen=True)
class Rules:
    """What stays the same from one decision to the next.

    Parameters
    ----------
    node_class, member
        Class of every node, shape (N,), and the classes of each group of each place.
    of_window
        Classes of each window, shape (windows, classes).
    """

    requests: Requests
    places: tuple[Place, ...]
    labels: Labels
    windows: tuple[Window, ...]
    isolation: Isolation | None
    quotas: Quotas
    green: Green
    placement: Placement
    node_class: Ints
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
    def kind(self) -> Ints:
        """Number of each job's kind, shape (J,): two of a kind may stand in the same places and take as much."""
        requests, windows = self.requests, self.windows
        slices = [row.slices for row in requests.rows]
        columns = [requests.whole, requests.rest, slices, requests.place, requests.tenant]
        columns += [[job in window.jobs for job in range(len(slices))] for window in windows if window.jobs]
        kind: Ints = np.unique(np.array(columns, np.int64), axis=1, return_inverse=True)[1].reshape(-1)
        return kind

    def lasts_s(self, job: int) -> float:
        """Return how long `job` is believed to run, a year if nobody knows [s]."""
        return min(float(self.requests.estimate_s[job]), YEAR_S)
