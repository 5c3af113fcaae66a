"""Which nodes a rental has, in which shapes, and its terms: what the scene says, else what the catalogue has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from twin.catalog import Catalog
from twin.catalog.cloud_parts import ShapePart
from twin.scenario.formats.grid_file import PER_1000_HOURS
from twin.scenario.generators import expand
from twin.scenario.generators.expand import GeneratedNode
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.hourly_text import HOURS, unpack
from twin.scenario.schema.rental import RECLAIMED, RENT_HOURS, PriceStep, Rental

HOUR_S = 3600.0
YEAR_S = HOURS * HOUR_S
HOST_BILLED_S = 1.0
"""Hosts of no known cloud are billed by the second."""


@dataclass(frozen=True)
class RentalTerms:
    """Terms of a rental.

    Parameters
    ----------
    reclaim_per_s
        Of one shape [1/s].
    notice_s, away_s
        From the notice to the reclaim; mean time until it comes back [s].
    billed_unit_s, billed_least_s
        Unit in whole ones of which use is billed, and the least that is [s].
    price_usd_s
        Of one GPU, the mean of a year, or of hosts [USD/s].
    low, high
        Ends of that price over it; both 1 where the scene says it [-].
    """

    reclaim_per_s: float
    notice_s: float
    away_s: float
    billed_unit_s: float
    billed_least_s: float
    price_usd_s: float
    low: float = 1.0
    high: float = 1.0


def is_member(rental: Rental, node: str) -> bool:
    """Return whether a node is rented, by its id."""
    return not rental.members or any(f"{node}/".startswith(f"{member}/") for member in rental.members)


def nodes_of(rental: Rental, scenario: Scenario, catalog: Catalog) -> Iterator[GeneratedNode]:
    """Yield the nodes with GPUs of a rental, in the order of the hall; raises as `expand.rows`."""
    for row in expand.rows(scenario, catalog):
        for rack in row.racks:
            yield from (node for node in rack.nodes if node.gpus and is_member(rental, node.id))


def shapes_of(gpus: Iterable[int], each: int | None) -> list[int]:
    """Return the number of its shape for each node, in their order; a shape ends once it has `each` GPUs.

    Examples
    --------
    >>> shapes_of([4, 4, 4, 4], 8)
    [0, 0, 1, 1]
    """
    numbers, shape, held = [], 0, 0
    for count in gpus:
        numbers.append(shape)
        held += count
        if each is None or held >= each:
            shape, held = shape + 1, 0
    return numbers


def shape_part(rental: Rental, catalog: Catalog) -> ShapePart | None:
    """Return the shape of a cloud that is rented; None: hosts of their own."""
    return next((shape for shape in catalog.shapes if shape.id == rental.shape), None)


def terms_of(rental: Rental, shapes: int, catalog: Catalog) -> RentalTerms:
    """Return the terms of a rental of so many shapes."""
    part = shape_part(rental, catalog)
    rate = 0.0
    if rental.terms in RECLAIMED:
        if rental.up_s is not None:
            rate = 1.0 / rental.up_s
        elif rental.reclaim_per_s is not None:
            rate = rental.reclaim_per_s
        elif part is not None:
            rate = part.reclaim_per_s
        rate /= shapes if rental.per == "gang" and shapes else 1
    notice_s = rental.notice_s if rental.notice_s is not None else part.notice_s if part is not None else 0.0
    price, low, high = _price(rental, part, catalog)
    return RentalTerms(
        rate,
        notice_s,
        rental.away_s,
        HOST_BILLED_S if part is None else part.billed_unit_s,
        0.0 if part is None else part.billed_least_s,
        price,
        low,
        high,
    )


def series_of(rental: Rental) -> np.ndarray | None:
    """Return the price of a GPU in each hour of a year, shape (8760,) [USD/s]; None: it has no file."""
    if rental.hours is None:
        return None
    return unpack(rental.hours, RENT_HOURS)["price"] * PER_1000_HOURS


def _price(rental: Rental, part: ShapePart | None, catalog: Catalog) -> tuple[float, float, float]:
    """Return the mean price of one GPU [USD/s], and its low and high end over it."""
    series = series_of(rental)
    if rental.price_usd_s is not None:
        return rental.price_usd_s, 1.0, 1.0
    if rental.price_steps:
        return _mean_of_year(rental.price_steps), 1.0, 1.0
    if series is not None or rental.host_prices:
        return float(np.mean(series if series is not None else rental.host_prices)), 1.0, 1.0
    if part is None or part.price_usd is None:
        return 0.0, 1.0, 1.0
    share = {"on-demand": 1.0, "reserved": part.reserved}.get(rental.terms, part.spot)
    likely = part.price_usd / part.n_gpu / HOUR_S * share
    figures = [catalog.provenance(part.id, "price_usd")]
    if rental.terms != "on-demand":
        figures.append(catalog.provenance(part.id, "reserved" if rental.terms == "reserved" else "spot"))
    low = float(np.prod([(f.value if f.low is None else f.low) / f.value for f in figures]))
    high = float(np.prod([(f.value if f.high is None else f.high) / f.value for f in figures]))
    return likely, low, high


def _mean_of_year(steps: Sequence[PriceStep]) -> float:
    """Return the mean of a price that changes, over a year from the start of a run on [USD/s]; the last step stays."""
    ends = [min(step.at_s / YEAR_S, 1.0) for step in steps[1:]]
    lasts = np.diff([0.0, *ends, 1.0])
    return float(np.dot(lasts, [step.price_usd_s for step in steps]))
