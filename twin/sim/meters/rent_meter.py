"""What rented nodes cost: time in use by the shape, billed in whole units, at the price of that time.

A shape is in use while any job holds a node of it, from its start to the moment it gives it back, whatever it does
there: lost work is billed too. What is reserved is in use all the time. What its owner has reclaimed is not billed.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from twin.arrays import Bools
from twin.economics.rent import billed_s
from twin.economics.rented_groups import HOUR_S, RentedGroup
from twin.sim.core.nodes import NodeTable
from twin.sim.core.slot_map import EditedPair
from twin.sim.core.state import Fields, StateField, Stateful
from twin.sim.core.weather import Weather

NO_RENTS: dict[str, Any] = {"books": {}, "since": {}}
"""State of a run in which nothing is rented."""


@dataclass
class RentBooks:
    """What one rental came to: uses that are over, time used and billed [GPU s], its price [USD]."""

    uses: int = 0
    used_gpu_s: float = 0.0
    billed_gpu_s: float = 0.0
    usd: float = 0.0

    def add(self, group: RentedGroup, shape: int, since_s: float, until_s: float, year_s: float) -> None:
        """Bill a use of a shape; `year_s`: from the start of the year to that of the run [s]."""
        terms, gpus = group.terms, float(group.gpus[shape])
        billed = float(billed_s(until_s - since_s, terms.billed_unit_s, terms.billed_least_s))
        self.uses += 1
        self.used_gpu_s += gpus * (until_s - since_s)
        self.billed_gpu_s += gpus * billed
        self.usd += group.usd(shape, since_s, since_s + billed, year_s)


class RentMeter(Stateful):
    """Uses of all rented shapes.

    Attributes
    ----------
    books
        By id of the rental, of uses that are over.
    since
        Of each use that goes on: when it began, by rental and shape [s].
    """

    def __init__(self, groups: tuple[RentedGroup, ...], nodes: NodeTable, weather: Weather) -> None:
        self.groups, self.nodes, self.weather = groups, nodes, weather
        self.books = {group.rental.id: RentBooks() for group in groups}
        self.since: dict[str, float] = {}
        self._shapes = {
            _name(group, shape): (group, shape) for group in groups for shape in range(len(group.names))
        }
        self._seen = -1

    def look(self, now_s: float) -> None:
        """Take note of which shapes are used from now on; called when nodes may have changed hands."""
        if self._seen == self.nodes.version:
            return
        self._seen = self.nodes.version
        installed = self.nodes.installed()
        if installed != self.nodes.ledger.installed:
            self.nodes.ledger.install(now_s, installed)
        for group in self.groups:
            used = self._used(group)
            for shape in range(len(group.names)):
                name = _name(group, shape)
                if used[shape] and name not in self.since:
                    self.since[name] = now_s
                elif not used[shape] and name in self.since:
                    self._end(group, shape, now_s)

    def _used(self, group: RentedGroup) -> Bools:
        there = ~self.nodes.away[group.nodes]
        used = there & (self.nodes.held[group.nodes] > 0) if group.by_use else there
        return np.bincount(group.shape, used, len(group.names)) > 0

    def _end(self, group: RentedGroup, shape: int, now_s: float) -> None:
        since_s = self.since.pop(_name(group, shape))
        self.books[group.rental.id].add(group, shape, since_s, now_s, self.weather.year_start_s)

    def figures(self, now_s: float) -> dict[str, dict[str, Any]]:
        """Return what each rental came to up to now, uses that go on as if they ended now; changes nothing."""
        books = {id: RentBooks(**asdict(of_one)) for id, of_one in self.books.items()}
        for name, since_s in self.since.items():
            group, shape = self._shapes[name]
            books[group.rental.id].add(group, shape, since_s, now_s, self.weather.year_start_s)
        return {
            id: {
                "uses": of_one.uses,
                "used_gpu_h": of_one.used_gpu_s / HOUR_S,
                "billed_gpu_h": of_one.billed_gpu_s / HOUR_S,
                "cost_usd": of_one.usd,
            }
            for id, of_one in books.items()
        }

    def on_restored(self) -> None:
        """Look at nodes again."""
        self._seen = -1

    def carried(self, old: RentMeter, edit: EditedPair) -> Any:
        """Return what this meter takes over: uses of what the edit took away end with it."""
        old.look(edit.at_s)
        for name in old.since.keys() - self._shapes.keys():
            old._end(*old._shapes[name], edit.at_s)
        return super().carried(old, edit)

    STATE = Fields(
        StateField(
            "books",
            lambda saved: {id: RentBooks(**figures) for id, figures in saved.items()},
            lambda books: {id: asdict(of_one) for id, of_one in books.items()},
        ),
        StateField("since", dict),
    )


def _name(group: RentedGroup, shape: int) -> str:
    return f"{group.rental.id} {group.names[shape]}"
