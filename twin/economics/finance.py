"""Time value of money: capital recovery, annuities with salvage, net present value, levelised cost.

Rates are per year, years are whole or fractional numbers of years, money is in the unit of its argument. All functions
take arrays and broadcast; samples are the first axis where there are any.

References
----------
Grant, Ireson, Leavenworth, "Principles of Engineering Economy": capital recovery factor, annuity with salvage.
numpy-financial: the convention of `npv`, the first flow undiscounted (spreadsheets discount it by a year).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from twin.arrays import Floats

HOURS_PER_YEAR = 8760.0
SECONDS_PER_YEAR = HOURS_PER_YEAR * 3600.0


def capital_recovery(interest: ArrayLike, years: ArrayLike) -> Floats:
    """Return the yearly payment over the loan, i (1+i)^n / ((1+i)^n - 1) [1/year].

    Parameters
    ----------
    interest : array_like
        Of a year [-], above -1; 0 gives 1/n.
    years : array_like
        Of the loan [years], above 0.

    Raises
    ------
    ValueError
        When a number of years is not above 0, or an interest rate not above -1.

    Examples
    --------
    >>> round(float(capital_recovery(0.10, 4)), 4), float(capital_recovery(0.0, 4))
    (0.3155, 0.25)
    """
    rate, term = np.asarray(interest, np.float64), np.asarray(years, np.float64)
    if np.any(term <= 0.0) or np.any(rate <= -1.0):
        raise ValueError("years must be above 0, and an interest rate above -100 %")
    grown = np.expm1(term * np.log1p(rate))
    small = np.abs(rate * term) < 1e-12
    safe = np.where(small, 1.0, grown)
    return np.asarray(np.where(small, 1.0 / term, rate * (grown + 1.0) / safe), np.float64)


def annuity(capital: ArrayLike, residual: ArrayLike, interest: ArrayLike, years: ArrayLike) -> Floats:
    """Return the equal yearly payment that repays capital less what is left of it, (K - S/(1+i)^n) CRF(i, n).

    Parameters
    ----------
    capital, residual : array_like
        K spent at the start, and S that it is worth after its life [money].
    interest : array_like
        Of a year [-].
    years : array_like
        Its life [years]; inf: it never wears out, and costs its interest.

    Returns
    -------
    ndarray
        [money/year]; the present values of n of them sum to K less that of S.

    Examples
    --------
    >>> round(float(annuity(1000.0, 100.0, 0.10, 5)), 3)
    247.418
    """
    value, left = np.asarray(capital, np.float64), np.asarray(residual, np.float64)
    rate, term = np.asarray(interest, np.float64), np.asarray(years, np.float64)
    for_ever = np.isinf(term)
    finite = np.where(for_ever, 1.0, term)
    worn = (value - left * (1.0 + rate) ** -finite) * capital_recovery(rate, finite)
    return np.asarray(np.where(for_ever, value * rate, worn), np.float64)


def npv(rate: ArrayLike, flows: ArrayLike) -> Floats:
    """Return the net present value of yearly flows, the first of them undiscounted.

    Parameters
    ----------
    rate : array_like
        Discount rate of a year [-]; broadcasts against the leading axes of `flows`.
    flows : array_like
        Money at the ends of years 0, 1, ..., on the last axis [money].

    Examples
    --------
    >>> round(float(npv(0.08, [-40_000, 5_000, 8_000, 12_000, 30_000])), 2)
    3065.22
    """
    money = np.asarray(flows, np.float64)
    interest = np.asarray(rate, np.float64)[..., None]
    years = np.arange(money.shape[-1])
    return np.asarray((money / (1.0 + interest) ** years).sum(axis=-1), np.float64)


def levelised(rate: ArrayLike, costs: ArrayLike, amounts: ArrayLike) -> Floats:
    """Return the constant price of one unit that pays for all: present value of costs over that of amounts.

    Parameters
    ----------
    rate : array_like
        Discount rate of a year [-].
    costs : array_like
        At the ends of years 0, 1, ..., on the last axis [money].
    amounts : array_like
        Produced in these years, such as GPU-hours [unit].

    Returns
    -------
    ndarray
        [money/unit]; nan where nothing is produced.

    Examples
    --------
    >>> float(levelised(0.0, [100.0, 10.0, 10.0], [0.0, 6.0, 6.0]))
    10.0
    """
    made = npv(rate, amounts)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(made != 0.0, npv(rate, costs) / made, np.nan), np.float64)
