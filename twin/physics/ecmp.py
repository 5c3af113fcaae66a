"""Equal-cost multipath: flows thrown at random on equal paths collide, however empty the network is."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from twin.arrays import Floats

EXACT_FLOWS = 512
"""Up to so many flows the expected maximum is exact; above, the counts of paths are taken as independent."""
_NEGLIGIBLE = 1e-12


def ecmp_expected_load(flows: int, paths: int) -> float:
    """Return the expected number of flows on the path of a given flow, itself included.

    Each of the other flows is on the same path with chance 1 / paths: 1 + (flows - 1) / paths.

    Parameters
    ----------
    flows
        Flows between the same pair of stages.
    paths
        Equal paths, chosen by a hash.

    Examples
    --------
    >>> ecmp_expected_load(8, 8)
    1.875
    """
    return 1.0 + (flows - 1) / paths if flows > 0 else 0.0


@lru_cache(maxsize=4096)
def ecmp_expected_max(flows: int, paths: int) -> float:
    """Return the expected number of flows on the fullest path.

    The time of a collective that waits for its slowest flow grows with it.

    Parameters
    ----------
    flows, paths
        As in `ecmp_expected_load`.

    Notes
    -----
    P(fullest <= m) = flows! / paths^flows * [x^flows] (sum_{i<=m} x^i / i!)^paths, evaluated with positive
    terms only: `paths` independent Poisson counts of mean flows / paths, cut at m, whose sum is `flows`, over
    the chance of that sum (Flajolet and Sedgewick, Analytic Combinatorics 2009, II.3). Above `EXACT_FLOWS`
    flows the sum is left free: it moves all paths together, by 0 on average (0.05 % off at 512 flows).

    Examples
    --------
    >>> ecmp_expected_max(2, 2)
    1.5
    """
    if flows <= 0:
        return 0.0
    if paths == 1:
        return float(flows)
    if flows > EXACT_FLOWS:
        return poisson_expected_max(flows, paths)
    low = math.ceil(flows / paths)
    expected = float(low)
    for m in range(low, flows):
        above = 1.0 - _fullest_at_most(m, flows, paths)
        expected += above
        if above < _NEGLIGIBLE:
            break
    return round(expected, 12)


def ecmp_efficiency(flows: int, paths: int) -> float:
    """Return the bandwidth of a collective over hashed paths against evenly spread ones, 0..1.

    Evenly spread, the fullest path has max(1, flows / paths) flows; hashed, `ecmp_expected_max`. Synchronous
    flows move at the pace of the slowest, so their mean time grows by that ratio. Adaptive routing has 1.

    Examples
    --------
    >>> round(ecmp_efficiency(8, 8), 3)
    0.385
    """
    if flows <= 0:
        return 1.0
    return max(1.0, flows / paths) / ecmp_expected_max(flows, paths)


def _fullest_at_most(m: int, flows: int, paths: int) -> float:
    """Return the chance that no path has more than m flows, exactly."""
    count = np.arange(m + 1, dtype=np.float64)
    one_path = np.exp(_log_poisson(count, flows / paths))
    together = _power(one_path, paths, flows)
    if len(together) <= flows:
        return 0.0
    return min(1.0, float(together[flows] / np.exp(_log_poisson(np.array([float(flows)]), flows)[0])))


def poisson_expected_max(flows: int, paths: int) -> float:
    """Return the expected maximum of independent Poisson counts."""
    count = np.arange(flows, dtype=np.float64)
    at_most = np.minimum(1.0, np.cumsum(np.exp(_log_poisson(count, flows / paths))))
    return float(np.sum(1.0 - at_most**paths))


def _power(polynomial: Floats, exponent: int, degree: int) -> Floats:
    """Return the polynomial to a power, cut above `degree`, by repeated squaring."""
    result = np.ones(1)
    while exponent:
        if exponent & 1:
            result = np.convolve(result, polynomial)[: degree + 1]
        exponent >>= 1
        if exponent:
            polynomial = np.convolve(polynomial, polynomial)[: degree + 1]
    return result


def _log_poisson(count: Floats, mean: float) -> Floats:
    return count * math.log(mean) - mean - _log_factorial(count)


def _log_factorial(count: Floats) -> Floats:
    return np.array([math.lgamma(number + 1.0) for number in count])
