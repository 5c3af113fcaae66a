"""Cost of a GPU-hour when owned, and the utilisation above which owning is cheaper than renting.

Symbols: K capital for one GPU with its share of everything, i interest, n years, o yearly operations over K, u
utilisation, p power at full load. A GPU that is idle draws `IDLE_SHARE` of what a busy one does, its share of the
machine included.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from twin.arrays import Floats
from twin.economics.finance import HOURS_PER_YEAR, capital_recovery

IDLE_SHARE = 0.4
"""Power of an idle GPU with its share of the node, over that of a busy one [est]."""
QUANTILES = (0.05, 0.5, 0.95)
_NEVER = 1e9
"""In place of infinity, between two of which no quantile is known [-]."""


@dataclass(frozen=True)
class OwnershipCost:
    """Cost of owning one GPU.

    Parameters
    ----------
    capital_usd
        For one GPU, with network, building, power and cooling [USD].
    years
        Of use, after which nothing is left [years].
    interest, operations
        Of a year, over the capital [-].
    power_w
        Of one GPU with its share of node and network when it works [W].
    pue
        Facility energy over IT energy [-].
    price_usd_kwh
        Of energy [USD/kWh].
    """

    capital_usd: float
    years: float
    interest: float
    operations: float
    power_w: float
    pue: float
    price_usd_kwh: float

    @property
    def fixed_usd_h(self) -> float:
        """Return capital and operations of one hour, whether it works or not [USD]."""
        yearly = float(capital_recovery(self.interest, self.years)) + self.operations
        return self.capital_usd * yearly / HOURS_PER_YEAR

    @property
    def energy_usd_h(self) -> float:
        """Return the energy of one hour at full load [USD]."""
        return self.power_w / 1e3 * self.pue * self.price_usd_kwh


def owned_usd_gpu_h(fixed_usd_h: ArrayLike, energy_usd_h: ArrayLike, utilisation: ArrayLike) -> Floats:
    """Return the cost of one useful GPU-hour [USD].

    Parameters
    ----------
    fixed_usd_h : array_like
        Of one GPU and hour, whether it works or not [USD].
    energy_usd_h : array_like
        Energy of one hour at full load [USD].
    utilisation : array_like
        Share of the hours in which it works, 0..1; 0 gives infinity. Arguments broadcast together.

    Examples
    --------
    >>> h100 = OwnershipCost(50_000, 4, 0.10, 0.03, 1050, 1.15, 0.08)
    >>> owned_usd_gpu_h(h100.fixed_usd_h, h100.energy_usd_h, [1.0, 0.8, 0.6]).round(2).tolist()
    [2.07, 2.57, 3.41]
    """
    fixed, energy = np.asarray(fixed_usd_h, np.float64), np.asarray(energy_usd_h, np.float64)
    busy = np.asarray(utilisation, np.float64)
    with np.errstate(divide="ignore"):
        return np.asarray((fixed + energy * (IDLE_SHARE + (1 - IDLE_SHARE) * busy)) / busy, np.float64)


def break_even_utilisation(
    fixed_usd_h: ArrayLike, energy_usd_h: ArrayLike, rent_usd_gpu_h: ArrayLike
) -> Floats:
    """Return the utilisation above which owning is cheaper than renting by the hour; above 1: it never is.

    Parameters
    ----------
    fixed_usd_h, energy_usd_h : array_like
        As for `owned_usd_gpu_h` [USD].
    rent_usd_gpu_h : array_like
        Of one GPU-hour that is used [USD]; at no more than its energy nothing is saved: infinity.

    Examples
    --------
    >>> h100 = OwnershipCost(50_000, 4, 0.10, 0.03, 1050, 1.15, 0.08)
    >>> round(float(break_even_utilisation(h100.fixed_usd_h, h100.energy_usd_h, 2.95)), 2)
    0.7
    """
    fixed, energy = np.asarray(fixed_usd_h, np.float64), np.asarray(energy_usd_h, np.float64)
    saved = np.asarray(rent_usd_gpu_h, np.float64) - (1 - IDLE_SHARE) * energy
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(saved > 0, (fixed + IDLE_SHARE * energy) / saved, np.inf), np.float64)


def owned_from(break_even: Floats) -> tuple[float, float, float]:
    """Return P5, P50 and P95 of utilisations from which owning is cheaper; inf: never, as no hall is used above 100 %.

    Examples
    --------
    >>> owned_from(np.array([0.5, 0.5, 1.2, np.inf]))
    (0.5, 0.85, inf)
    """
    found = np.quantile(np.minimum(break_even, _NEVER), QUANTILES)
    low, middle, high = np.where(found > 1.0, np.inf, found).tolist()
    return low, middle, high
