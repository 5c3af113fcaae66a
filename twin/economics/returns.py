"""What an investment returns: internal rates of return and payback.

References
----------
Descartes' rule of signs: yearly flows with one change of sign have one rate above -100 %.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from twin.economics.finance import npv

_REAL = 1e-7
"""Imaginary over real part of a root that is real but for rounding."""
_STEPS = 40


@dataclass(frozen=True)
class Returns:
    """Internal rates of return of yearly flows.

    Parameters
    ----------
    rates
        All real ones above -100 %, rising [1/year]; none where the flows change no sign.
    """

    rates: tuple[float, ...]

    @property
    def rate(self) -> float | None:
        """Return the rate where there is one; None: none, or several, of which none is the answer."""
        return self.rates[0] if len(self.rates) == 1 else None

    @property
    def words(self) -> str:
        """Return the rates as people read them."""
        if not self.rates:
            return "no rate of return: the flows never change sign"
        shown = " and ".join(f"{100.0 * rate:.2f} %" for rate in self.rates)
        if len(self.rates) == 1:
            return f"internal rate of return {shown}"
        return f"several rates of return, none of which is the answer: {shown}"


def rates_of_return(flows: ArrayLike) -> Returns:
    """Return the rates at which the net present value of yearly flows is 0.

    Parameters
    ----------
    flows : array_like
        At the ends of years 0, 1, ..., shape (years,) [money].

    Notes
    -----
    Roots of sum flow_t x^t with x = 1/(1+r), by the eigenvalues of the companion matrix, each then sharpened by
    Newton's method.

    Examples
    --------
    >>> round(rates_of_return([-100, 39, 59, 55, 20]).rate, 5)
    0.28095
    >>> rates_of_return([100, 39]).rate is None
    True
    >>> [round(rate, 6) for rate in rates_of_return([-1000, 2300, -1320]).rates]
    [0.1, 0.2]
    """
    money = np.trim_zeros(np.asarray(flows, np.float64))
    signs = np.sign(money[money != 0.0])
    if not len(signs) or np.all(signs == signs[0]):
        return Returns(())
    found = np.roots(money[::-1])
    real = found.real[(np.abs(found.imag) <= _REAL * np.abs(found.real)) & (found.real > 0.0)]
    rates = sorted(_sharpened(money, float(1.0 / x - 1.0)) for x in real)
    kept: list[float] = []
    for rate in rates:
        if not kept or rate - kept[-1] > 1e-9 * (1.0 + abs(rate)):
            kept.append(rate)
    return Returns(tuple(kept))


def _sharpened(flows: np.ndarray, rate: float) -> float:
    """Return a root made exact by Newton's method; one that does not come nearer stays as it is."""
    years = np.arange(len(flows))
    best, least = rate, abs(float(npv(rate, flows)))
    for _ in range(_STEPS):
        slope = float((-years * flows * (1.0 + rate) ** (-years - 1.0)).sum())
        if slope == 0.0:
            break
        rate -= float(npv(rate, flows)) / slope
        off = abs(float(npv(rate, flows))) if rate > -1.0 else np.inf
        if off >= least:
            break
        best, least = rate, off
    return best


def payback_years(flows: ArrayLike, rate: float = 0.0) -> float | None:
    """Return when the sum of yearly flows is 0 again, linear within its year [years]; None: never.

    Parameters
    ----------
    flows : array_like
        At the ends of years 0, 1, ..., the first of them spent, shape (years,) [money].
    rate
        Discount rate of a year [-]; 0: simple payback.

    Notes
    -----
    The last time from below: money that comes back, and is spent again on a refresh, has not come back.

    Examples
    --------
    >>> payback_years([-100, 40, 40, 40])
    2.5
    >>> round(payback_years([-100, 60, 60], 0.10), 4)
    1.9167
    >>> payback_years([-100, 10]) is None
    True
    """
    money = np.asarray(flows, np.float64)
    total = np.cumsum(money / (1.0 + rate) ** np.arange(len(money)))
    below = np.flatnonzero(total < 0.0)
    if not len(below):
        return 0.0
    last = int(below[-1])
    if last == len(total) - 1:
        return None
    return last + float(-total[last] / (total[last + 1] - total[last]))
