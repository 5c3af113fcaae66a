"""Charge for the highest power of a month, with a ratchet on that of the months before.

References
----------
Tariffs of three municipal utilities of the US, as read 2026-11-23: 7.00 with a ratchet of 75 %, 14.15 and 17.25 USD
per kW and month.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from twin.arrays import Floats

WINDOW_S = 900.0
"""Power counts as its mean of a quarter of an hour [s]."""
MEMORY_MONTHS = 11
"""Months before that a ratchet remembers."""


def quarter_hour_peak_w(t_s: ArrayLike, power_w: ArrayLike, window_s: float = WINDOW_S) -> float:
    """Return the highest mean power of a window that begins at a multiple of its length [W].

    Parameters
    ----------
    t_s, power_w : array_like
        Curve, held from each time to the next, shape (N,) [s], [W]; the last time is its end.
    window_s
        Length of the window [s]; what is left at the end counts by its own length.

    Examples
    --------
    >>> quarter_hour_peak_w([0, 600, 1200, 1800], [100.0, 400.0, 100.0, 0.0])
    200.0
    """
    times, power = np.asarray(t_s, np.float64), np.asarray(power_w, np.float64)
    known = np.isfinite(power)
    times, power = times[known], power[known]
    if len(times) < 2:
        return float(power.max(initial=0.0))
    energy = np.concatenate([[0.0], np.cumsum(power[:-1] * np.diff(times))])
    edges = np.append(np.arange(times[0], times[-1], window_s), times[-1])
    spans = np.diff(edges)
    wide = spans > 1e-9 * window_s
    return float((np.diff(np.interp(edges, times, energy))[wide] / spans[wide]).max())


def billed_kw(peaks_kw: ArrayLike, ratchet: float) -> Floats:
    """Return the power billed in each month: its peak, or the ratchet's share of the highest of 11 months before.

    Parameters
    ----------
    peaks_kw : array_like
        Highest quarter-hour of each month, on the last axis [kW].
    ratchet
        Share of an earlier peak that stays due [-]; 0: none.

    Raises
    ------
    ValueError
        When the ratchet is not within 0 to 1.

    Examples
    --------
    >>> billed_kw([100, 60, 80], 0.75).tolist()
    [100.0, 75.0, 80.0]
    """
    if not 0.0 <= ratchet <= 1.0:
        raise ValueError("a ratchet is a share from 0 to 1")
    peaks = np.asarray(peaks_kw, np.float64)
    billed = [
        np.maximum(
            peaks[..., month],
            ratchet * peaks[..., max(0, month - MEMORY_MONTHS) : month].max(axis=-1, initial=0.0),
        )
        for month in range(peaks.shape[-1])
    ]
    return np.stack(billed, axis=-1) if billed else peaks


def demand_charge(peaks_kw: ArrayLike, usd_kw_month: ArrayLike, ratchet: float = 0.0) -> Floats:
    """Return the charge of all months [USD].

    Parameters
    ----------
    peaks_kw : array_like
        Highest quarter-hour of each month, on the last axis [kW].
    usd_kw_month : array_like
        Price of a kW and month [USD]; broadcasts against the leading axes.
    ratchet
        As for `billed_kw`.

    Examples
    --------
    >>> float(demand_charge([100, 60, 80], 7.0, 0.75))
    1785.0
    """
    total = billed_kw(peaks_kw, ratchet).sum(axis=-1)
    return np.asarray(total * np.asarray(usd_kw_month, np.float64), np.float64)
