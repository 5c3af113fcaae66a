"""Cost of a GPU-hour when owned, and the utilisation above which owning is cheaper than renting.

Symbols: K capital for one GPU with its share of everything, i interest, n years, o yearly operations over K, u
utilisation, p power at full load. A GPU that is idle draws `IDLE_SHARE` of what a busy one does, its share of the
machine included.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from twin.economics.finance import HOURS_PER_YEAR, capital_recovery

IDLE_SHARE = 0.4
"""Power of an idle GPU with its share of the node, over that of a busy one [est]."""


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


def owned_usd_gpu_h(owned: OwnershipCost, utilisation: ArrayLike) -> NDArray[np.float64]:
    """Return the cost of one useful GPU-hour [USD].

    Parameters
    ----------
    owned
        What owning one means.
    utilisation
        Share of the hours in which it works, 0..1; 0 gives infinity.

    Examples
    --------
    >>> h100 = OwnershipCost(50_000, 4, 0.10, 0.03, 1050, 1.15, 0.08)
    >>> owned_usd_gpu_h(h100, [1.0, 0.8, 0.6]).round(2).tolist()
    [2.07, 2.57, 3.41]
    """
    busy = np.asarray(utilisation, np.float64)
    hourly, drawn = _hourly_usd(owned), _energy_usd(owned)
    with np.errstate(divide="ignore"):
        cost = (hourly + drawn * (IDLE_SHARE + (1 - IDLE_SHARE) * busy)) / busy
    return np.asarray(cost, np.float64)


def break_even_utilisation(owned: OwnershipCost, rent_usd_gpu_h: float) -> float:
    """Return the utilisation above which owning is cheaper than renting; above 1: it never is.

    Examples
    --------
    >>> h100 = OwnershipCost(50_000, 4, 0.10, 0.03, 1050, 1.15, 0.08)
    >>> round(break_even_utilisation(h100, 2.95), 2)
    0.7
    """
    saved = rent_usd_gpu_h - (1 - IDLE_SHARE) * _energy_usd(owned)
    return (_hourly_usd(owned) + IDLE_SHARE * _energy_usd(owned)) / saved if saved > 0 else math.inf


def _hourly_usd(owned: OwnershipCost) -> float:
    """Return capital and operations of one hour, whether it works or not [USD]."""
    yearly = float(capital_recovery(owned.interest, owned.years)) + owned.operations
    return owned.capital_usd * yearly / HOURS_PER_YEAR


def _energy_usd(owned: OwnershipCost) -> float:
    """Return the energy of one hour at full load [USD]."""
    return owned.power_w / 1e3 * owned.pue * owned.price_usd_kwh
