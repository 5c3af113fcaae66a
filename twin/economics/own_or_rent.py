"""Owning beside renting, for the GPUs of any site: cost of useful hours over utilisation, and where both are equal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from twin.arrays import Floats
from twin.catalog.cloud_parts import ShapePart
from twin.economics.books import SiteBooks, Statement
from twin.economics.finance import HOURS_PER_YEAR
from twin.economics.ownership import IDLE_SHARE, break_even_utilisation, owned_usd_gpu_h
from twin.economics.price_draws import pert_quantile, uniform_draws
from twin.economics.rent import HOUR_S, RentTerms, billed_s, kept_on_spot, rented_usd_gpu_h, shapes_for
from twin.economics.run_work import WorkDone

UTILISATIONS = np.linspace(0.05, 1.0, 20)
"""Of the curves [-]."""
INTERVAL_S, WRITE_S, RESTART_S = 1800.0, 20.0, 600.0
"""Checkpoints of rented work: between two, blocking time of a write, from a reclaim to the next step [est]."""
GANG_GPUS = 64
"""GPUs of a gang that spot reclaims together [est]; a larger hall is many gangs."""
WAYS = ("on_demand", "reserved", "spot")
BY_THE_HOUR = ("on_demand", "spot")
"""Ways in which idle GPUs are given back; what is reserved is paid all the time, as what is owned."""


@dataclass(frozen=True)
class RentOffer:
    """One shape beside the own site.

    Parameters
    ----------
    shape
        What is rented.
    usd_gpu_h
        One useful GPU-hour by way of renting, over `UTILISATIONS`, shape (U, samples) each [USD].
    break_even
        Utilisation above which owning is cheaper than each of `BY_THE_HOUR`, shape (samples,) each; above 1: never.
    jobs_usd
        What the jobs of a run cost on demand, in whole shapes and billed time, shape (samples,) [USD]; None: no run.
    """

    shape: ShapePart
    usd_gpu_h: dict[str, Floats]
    break_even: dict[str, Floats]
    jobs_usd: Floats | None


@dataclass(frozen=True)
class OwnOrRent:
    """Owning and renting over utilisation.

    Parameters
    ----------
    fixed_usd_h, energy_usd_h
        Of an own GPU and hour: whether it works or not, and energy at full load, shape (samples,) [USD].
    offers
        Of the clouds that have the site's GPU.
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
    bill, prices, use = books.bill, statement.capital.prices, books.use
    hours = HOURS_PER_YEAR * max(1, bill.gpu_count)
    fixed = (statement.capital.yearly_usd + statement.operation.fixed_usd) / hours
    load = use.it_kwh / (bill.it_w / 1e3 * use.period_s / 3600.0) if bill.it_w else 1.0
    energy = statement.operation.by_use_usd / hours / max(load, IDLE_SHARE)
    gpu = max(bill.gpus, key=lambda part: bill.gpus[part], default="")
    offers = [
        _offer(shape, books, bill.gpus[gpu], fixed, energy, prices.samples)
        for shape in books.catalog.shapes
        if shape.gpu == gpu
    ]
    return OwnOrRent(fixed, energy, tuple(offers))


def _offer(
    shape: ShapePart, books: SiteBooks, gpus: int, fixed: Floats, energy: Floats, samples: int
) -> RentOffer:
    def drawn(key: str) -> Floats:
        figure = books.catalog.provenance(shape.id, key)
        if samples == 1:
            return np.array([figure.value])
        draws = uniform_draws(f"{shape.id} {key}", "rent", samples, books.seed)
        low = figure.value if figure.low is None else figure.low
        high = figure.value if figure.high is None else figure.high
        return pert_quantile(low, figure.value, high, draws)

    hour = drawn("price_usd")
    terms = RentTerms(hour, hour * drawn("reserved"), hour * drawn("spot"))
    gang = min(gpus, GANG_GPUS) / shape.n_gpu
    kept = kept_on_spot(np.ceil(gang), drawn("reclaim_per_s"), shape.notice_s, INTERVAL_S, WRITE_S, RESTART_S)
    usd = rented_usd_gpu_h(terms, gpus, shape.n_gpu, UTILISATIONS, kept)
    even = {way: break_even_utilisation(fixed, energy, usd[way][0]) for way in BY_THE_HOUR}
    return RentOffer(shape, usd, even, _jobs_usd(shape, books.work, hour))


def _jobs_usd(shape: ShapePart, work: WorkDone | None, hour_usd: Floats) -> Floats | None:
    if work is None or not work.jobs:
        return None
    shapes = shapes_for([job.gpus for job in work.jobs], shape.n_gpu)
    billed = billed_s([job.held_s for job in work.jobs], shape.billed_unit_s, shape.billed_least_s)
    return np.asarray(hour_usd * float((shapes * billed).sum()) / HOUR_S, np.float64)
