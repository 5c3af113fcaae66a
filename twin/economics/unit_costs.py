"""Cost of one unit of what a site gives: a GPU-hour of each kind, a million tokens, a PFLOP-day.

One numerator for all: capital and operation of the period. What a job costs is in the ledger (`ledger_usd`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.arrays import Floats
from twin.economics.books import SiteBooks

MILLION = 1e6
UNITS = (
    "gpu_h_installed",
    "gpu_h_available",
    "gpu_h_allocated",
    "gpu_h_productive",
    "million_tokens",
    "pflop_day",
)


@dataclass(frozen=True)
class UnitCost:
    """Cost of one unit; None: no run says how many there were.

    Parameters
    ----------
    amount
        Units of the period.
    likely_usd, drawn_usd
        At likely prices, shape (1,), and in the samples, shape (samples,) [USD].
    """

    amount: float | None
    likely_usd: Floats | None
    drawn_usd: Floats | None


def unit_costs(books: SiteBooks) -> dict[str, UnitCost]:
    """Return what one of each unit costs, by the names of `UNITS`."""
    work = books.work
    amounts: tuple[float | None, ...] = (None,) * len(UNITS)
    if work is not None:
        hours, tokens = work.hours, work.tokens
        amounts = (
            hours.installed,
            hours.available,
            hours.allocated,
            hours.productive,
            None if tokens is None else tokens / MILLION,
            work.pflop_days,
        )
    likely, drawn = books.period_usd(books.likely), books.period_usd(books.drawn)
    return {
        name: UnitCost(amount, _over(likely, amount), _over(drawn, amount))
        for name, amount in zip(UNITS, amounts, strict=True)
    }


def _over(usd: Floats, amount: float | None) -> Floats | None:
    return np.asarray(usd / amount, np.float64) if amount else None
