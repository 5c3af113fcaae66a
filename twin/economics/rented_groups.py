"""Rented nodes of a hall as slots of its plant, shape by shape, and what time on them costs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from twin.arrays import Bools, Floats, IntP
from twin.catalog import Catalog
from twin.economics.finance import SECONDS_PER_YEAR
from twin.plant.tables import Plant
from twin.scenario.generators.rented import (
    RentalTerms,
    is_member,
    series_of,
    shape_part,
    shapes_of,
    terms_of,
)
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.rental import Rental

HOUR_S = 3600.0


@dataclass(frozen=True)
class RentedGroup:
    """The nodes of one rental.

    Parameters
    ----------
    rental, terms
        As the scene has it, and what that comes to.
    nodes, shape
        Their slots, and the number of the shape of each, shape (N,).
    names
        Of the shapes: those of their first nodes.
    gpus
        Of each shape, shape (shapes,).
    """

    rental: Rental
    terms: RentalTerms
    nodes: IntP
    shape: IntP
    names: tuple[str, ...]
    gpus: Floats
    _year: Floats | None = field(default=None, repr=False)

    @property
    def by_use(self) -> bool:
        """Return whether it is billed while a job uses it; else it is all the time."""
        return self.rental.terms != "reserved"

    def usd(self, shape: int, since_s: float, until_s: float, second_of_year: float) -> float:
        """Return the price of a shape for a time of a run [USD].

        Parameters
        ----------
        shape
            Its number.
        since_s, until_s
            Of the run [s].
        second_of_year
            Of the site's standard time at the start of the run [s].
        """
        hosts, steps = self.rental.host_prices, self.rental.price_steps
        gpus = float(self.gpus[shape])
        if self._year is not None:
            return gpus * (
                self._since_new_year(second_of_year + until_s)
                - self._since_new_year(second_of_year + since_s)
            )
        if steps:
            edges = [-math.inf, *(step.at_s for step in steps[1:]), math.inf]
            spans = zip(edges, edges[1:], steps, strict=False)
            return gpus * math.fsum(
                step.price_usd_s * max(0.0, min(until_s, end_s) - max(since_s, begin_s))
                for begin_s, end_s, step in spans
            )
        price = hosts[shape % len(hosts)] if hosts else self.terms.price_usd_s
        return gpus * price * (until_s - since_s)

    def _since_new_year(self, t_s: float) -> float:
        """Return what a GPU costs from a new year until a time, by the hourly series [USD]."""
        assert self._year is not None
        years, hours = divmod(t_s / HOUR_S, self._year.size)
        whole = int(hours)
        spent = self._year[:whole].sum() + (hours - whole) * self._year[whole]
        return float(years * self._year.sum() + spent) * HOUR_S


def rent_entry(rental: str) -> str:
    """Return the id of the price of a rental among those of the books: a factor on what it costs at likely prices."""
    return f"rent-{rental}"


def rented_groups(scenario: Scenario, plant: Plant, catalog: Catalog) -> tuple[RentedGroup, ...]:
    """Return the rented nodes of a hall, those of each rental in the order of their slots."""
    groups = []
    there = np.flatnonzero(plant.nodes.present & (plant.nodes.gpu_count > 0)) if scenario.rentals else ()
    for rental in scenario.rentals:
        part = shape_part(rental, catalog)
        nodes = np.array([node for node in there if is_member(rental, plant.nodes.ids[node])], np.intp)
        counts = plant.nodes.gpu_count[nodes]
        shape = np.array(shapes_of(counts.tolist(), None if part is None else part.n_gpu), np.intp)
        first = np.unique(shape, return_index=True)[1]
        names = tuple(plant.nodes.ids[node] for node in nodes[first])
        gpus = np.bincount(shape, counts, len(names)).astype(float)
        terms = terms_of(rental, len(names), catalog)
        groups.append(RentedGroup(rental, terms, nodes, shape, names, gpus, series_of(rental)))
    return tuple(groups)


def rent_of_year(groups: Iterable[RentedGroup], load: float) -> dict[str, float]:
    """Return what rentals cost in a year at the mean of their prices, by id [USD].

    Parameters
    ----------
    load
        Share of the hours in which their capacity is wanted; what is reserved is paid in all [-].
    """
    found = {}
    for group in groups:
        terms, hosts = group.terms, group.rental.host_prices
        there = 1.0 / (1.0 + terms.reclaim_per_s * (terms.away_s + terms.notice_s))
        share = load * there if group.by_use else 1.0
        gpu_usd_s = [
            hosts[shape % len(hosts)] if hosts else terms.price_usd_s for shape in range(len(group.names))
        ]
        found[group.rental.id] = float(np.dot(group.gpus, gpu_usd_s)) * share * SECONDS_PER_YEAR
    return found


def rented_nodes(groups: Iterable[RentedGroup], plant: Plant) -> Bools:
    """Return which nodes of a hall are rented, shape (N,)."""
    rented = np.zeros(len(plant.nodes.ids), np.bool_)
    for group in groups:
        rented[group.nodes] = True
    return rented


def reclaims_per_node_s(groups: tuple[RentedGroup, ...], nodes: int) -> float:
    """Return how often a node is reclaimed without notice, the mean of a hall [1/s]: jobs count on it as a failure."""
    rate = math.fsum(
        group.terms.reclaim_per_s * len(group.nodes) for group in groups if group.terms.notice_s <= 0.0
    )
    return rate / nodes if nodes else 0.0
