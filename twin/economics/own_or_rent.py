"""Owning beside renting, for the GPUs of any site: cost of useful hours over utilisation, and where both are equal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from twin.arrays import Floats
from twin.catalog.cloud_parts import ShapePart
from twin.economics.books import SiteBooks, Statement
from twin.economics.finance import HOURS_PER_YEAR
from twin.economics.ownership import IDLE_SHARE, break_even_utilisation, owned_from, owned_usd_gpu_h
from twin.economics.price_draws import pert_quantile, uniform_draws
from twin.economics.prices import Prices
from twin.economics.rent import BY_THE_HOUR, HOUR_S, billed_s, kept_on_spot, rented_usd_gpu_h, shapes_for
from twin.economics.rented_groups import RentedGroup, rent_entry
from twin.economics.run_work import WorkDone
from twin.language import tr
from twin.scenario.generators.rented import shape_part

UTILISATIONS = np.linspace(0.05, 1.0, 20)
"""Of the curves [-]."""
INTERVAL_S, WRITE_S, RESTART_S = 1800.0, 20.0, 600.0
"""Checkpoints of rented work: between two, blocking time of a write, from a reclaim to the next step [est]."""
GANG_GPUS = 64
"""GPUs of a gang that spot reclaims together [est]; a larger hall is many gangs."""


@dataclass(frozen=True)
class RentOffer:
    """One shape beside the own site: of a cloud, or of the rented nodes of the scene.

    Parameters
    ----------
    id, vendor, title
        Of a shape of the catalogue, or of a rental; whose it is, and what.
    gpus
        Of a shape.
    usd_gpu_h
        One useful GPU-hour by each way of `WAYS` that is offered, over `UTILISATIONS`, shape (U, samples) each [USD].
    break_even
        Utilisation above which owning is cheaper than each `BY_THE_HOUR`, shape (samples,) each; above 1: never.
    jobs_usd
        What the jobs of a run cost by the first of these, in whole shapes and billed time, shape (samples,) [USD];
        None: no run, or it is offered reserved alone.
    """

    id: str
    vendor: str
    title: str
    gpus: int
    usd_gpu_h: dict[str, Floats]
    break_even: dict[str, Floats]
    jobs_usd: Floats | None

    def owned_from(self, way: str = "") -> tuple[float, float, float] | None:
        """Return the utilisation from which owning is cheaper: P5, P50, P95; inf: never.

        Parameters
        ----------
        way
            Of `BY_THE_HOUR`; "": the first that is offered. None is returned where it is offered reserved alone.
        """
        even = self.break_even.get(way or next(iter(self.break_even), ""))
        return None if even is None else owned_from(even)


@dataclass(frozen=True)
class OwnOrRent:
    """Owning and renting over utilisation.

    Parameters
    ----------
    fixed_usd_h, energy_usd_h
        Of an own GPU and hour: whether it works or not, and energy at full load, shape (samples,) [USD].
    offers
        Of the scene's own rentals, then of the clouds that have the site's GPU.
    """

    fixed_usd_h: Floats
    energy_usd_h: Floats
    offers: tuple[RentOffer, ...]

    @cached_property
    def owned_usd_gpu_h(self) -> Floats:
        """Return one useful own GPU-hour over `UTILISATIONS`, shape (U, samples) [USD]."""
        return owned_usd_gpu_h(self.fixed_usd_h, self.energy_usd_h, UTILISATIONS[:, None])


def own_or_rent(books: SiteBooks, statement: Statement) -> OwnOrRent:
    """Return owning beside renting the most frequent GPU of a site.

    Parameters
    ----------
    books, statement
        Of the site, and which of its sets of prices; the prices of clouds are drawn by the same seed.
    """
    rented = books.rented
    if books.owned is not None:  # beside what the same site would cost with all its nodes owned
        prices = statement.capital.prices
        is_drawn = statement is books.drawn
        books = books.owned
        statement = books.drawn if is_drawn else books.likely
        own = [_own_terms(group, books, prices) for group in rented]
    else:
        own = []
    bill, prices, use = books.bill, statement.capital.prices, books.use
    hours = HOURS_PER_YEAR * max(1, bill.gpu_count)
    fixed = (statement.capital.yearly_usd + statement.operation.fixed_usd) / hours
    load = use.it_kwh / (bill.it_w / 1e3 * use.period_s / 3600.0) if bill.it_w else 1.0
    energy = statement.operation.by_use_usd / hours / max(load, IDLE_SHARE)
    gpu = max(bill.gpus, key=lambda part: bill.gpus[part], default="")
    listed = [
        _listed_terms(shape, books, prices.samples) for shape in books.catalog.shapes if shape.gpu == gpu
    ]
    offers = [_offer(terms, books, bill.gpus[gpu], fixed, energy) for terms in (*own, *listed) if gpu]
    return OwnOrRent(fixed, energy, tuple(offers))


@dataclass(frozen=True)
class _Terms:
    """What is asked for a shape: whose, prices, and reclaims of what is on spot."""

    id: str
    vendor: str
    title: str
    gpus: int
    hour_usd: Mapping[str, Floats]
    reclaim_per_s: Floats
    notice_s: float
    billed_unit_s: float
    billed_least_s: float


def _listed_terms(shape: ShapePart, books: SiteBooks, samples: int) -> _Terms:
    def drawn(key: str) -> Floats:
        figure = books.catalog.provenance(shape.id, key)
        if samples == 1:
            return np.array([figure.value])
        draws = uniform_draws(f"{shape.id} {key}", "rent", samples, books.seed)
        low = figure.value if figure.low is None else figure.low
        high = figure.value if figure.high is None else figure.high
        return pert_quantile(low, figure.value, high, draws)

    hour = drawn("price_usd")
    by_way = {"on_demand": hour, "reserved": hour * drawn("reserved"), "spot": hour * drawn("spot")}
    return _Terms(
        shape.id,
        shape.vendor,
        shape.title,
        shape.n_gpu,
        by_way,
        drawn("reclaim_per_s"),
        shape.notice_s,
        shape.billed_unit_s,
        shape.billed_least_s,
    )


def _own_terms(group: RentedGroup, books: SiteBooks, prices: Prices) -> _Terms:
    """Return the terms of a rental: by its own way alone."""
    rental, terms = group.rental, group.terms
    gpus = int(group.gpus[0]) if group.gpus.size else 1
    asked = np.broadcast_to(prices[rent_entry(rental.id)] * terms.price_usd_s * HOUR_S * gpus, prices.shape)
    shape = shape_part(rental, books.catalog)
    return _Terms(
        rental.id,
        tr("This scene"),
        (rental.title or rental.id) + ("" if shape is None else f" ({shape.vendor} {shape.title})"),
        gpus,
        {rental.terms.replace("-", "_"): asked},
        np.array([terms.reclaim_per_s]),
        terms.notice_s,
        terms.billed_unit_s,
        terms.billed_least_s,
    )


def _offer(terms: _Terms, books: SiteBooks, gpus: int, fixed: Floats, energy: Floats) -> RentOffer:
    gang = np.ceil(min(gpus, GANG_GPUS) / terms.gpus)
    kept = kept_on_spot(gang, terms.reclaim_per_s, terms.notice_s, INTERVAL_S, WRITE_S, RESTART_S)
    usd = rented_usd_gpu_h(terms.hour_usd, gpus, terms.gpus, UTILISATIONS, kept)
    even = {way: break_even_utilisation(fixed, energy, usd[way][0]) for way in BY_THE_HOUR if way in usd}
    jobs = _jobs_usd(terms, books.work)
    return RentOffer(terms.id, terms.vendor, terms.title, terms.gpus, usd, even, jobs)


def _jobs_usd(terms: _Terms, work: WorkDone | None) -> Floats | None:
    hour_usd = next((terms.hour_usd[way] for way in BY_THE_HOUR if way in terms.hour_usd), None)
    if hour_usd is None or work is None or not work.jobs:
        return None
    shapes = shapes_for([job.gpus for job in work.jobs], terms.gpus)
    billed = billed_s([job.held_s for job in work.jobs], terms.billed_unit_s, terms.billed_least_s)
    return np.asarray(hour_usd * float((shapes * billed).sum()) / HOUR_S, np.float64)
