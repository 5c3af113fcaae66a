"""Difference of two designs over several seeds, with its interval of confidence: paired and unpaired.

Under common random numbers the same seed strikes both designs with the same failures, so that what is left in the
difference of one seed is mostly the design. The paired interval uses that; the unpaired one, printed beside it, is what
as many independent runs would have given.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.95
"""Confidence of the intervals."""
_NOTHING = 1e-9
"""Part of a figure below which two are the same: sums in another order."""
_PRECISION, _MOST_TERMS = 1e-16, 1000
"""Of a continued fraction: the change at which it ends, and terms after which it does in any case."""


@dataclass(frozen=True)
class PairedDifference:
    """A figure in two designs, and the confidence in the difference.

    Parameters
    ----------
    seeds
        Runs of each design in which the figure is known in both.
    a, b
        Means of the two designs.
    difference
        ``b - a``.
    paired, unpaired
        Half widths of the intervals of confidence of the difference; None with less than two seeds.
    pairs
        The figure of each run, a pair for each seed; None where it is unknown.
    freedom
        Degrees of freedom of the unpaired interval (Welch); None: it has no width, or there is none.
    """

    seeds: int
    a: float
    b: float
    difference: float
    paired: float | None
    unpaired: float | None
    pairs: tuple[tuple[float | None, float | None], ...] = ()
    freedom: float | None = None

    @property
    def size(self) -> float:
        """Return how large the figure is."""
        return max(abs(self.a), abs(self.b))

    @property
    def same(self) -> bool:
        """Return whether there is no difference beyond rounding."""
        return abs(self.difference) <= _NOTHING * self.size and not (self.higher or self.lower)

    @property
    def higher(self) -> int:
        """Return the number of seeds with B higher."""
        return sum(_apart(*pair) > 0 for pair in self.pairs)

    @property
    def lower(self) -> int:
        """Return the number of seeds with B lower."""
        return sum(_apart(*pair) < 0 for pair in self.pairs)

    @property
    def one_way(self) -> bool:
        """Return whether so many seeds differ in one direction that chance is excluded, whatever the amounts.

        One long outage can widen the interval of the mean beyond zero although all seeds agree.
        """
        return (
            sign_chance(self.higher, self.lower) <= 1.0 - LEVEL
            and self.difference * (self.higher - self.lower) > 0
        )

    @property
    def beyond_chance(self) -> bool | None:
        """Return whether the paired interval excludes zero; None: one run of each tells nothing about chance."""
        if self.paired is None:
            return None
        return abs(self.difference) > self.paired


def difference_of(
    a: Sequence[float | None], b: Sequence[float | None], level: float = LEVEL
) -> PairedDifference | None:
    """Return the difference of two designs, of which each seed has one figure; None: no seed knows it in both.

    Parameters
    ----------
    a, b
        The figure of each seed, in the same order; None where it is unknown.
    level
        Of confidence, in (0, 1) [-].

    References
    ----------
    Paired: Student's t of the differences, n - 1 degrees of freedom. Unpaired: Welch, Biometrika 34 (1947), with its
    degrees of freedom, a fraction.

    Examples
    --------
    >>> found = difference_of([1.0, 2.0, 3.0], [2.0, 3.0, 4.0])
    >>> found.difference, found.paired, found.beyond_chance
    (1.0, 0.0, True)
    """
    known = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    if not known:
        return None
    first, second = np.array(known, np.float64).T
    apart = second - first
    n = len(known)
    means = (float(first.mean()), float(second.mean()), float(apart.mean()))
    pairs = tuple(zip(a, b, strict=True))
    if n < 2:
        return PairedDifference(n, *means, None, None, pairs)
    paired = t_quantile(n - 1, level) * _spread(apart) / math.sqrt(n)
    each = [_spread(sample) ** 2 / n for sample in (first, second)]
    variance = sum(each)
    unpaired, freedom = 0.0, None
    if variance > 0.0:
        freedom = max(1.0, (n - 1) / sum((variance_of_mean / variance) ** 2 for variance_of_mean in each))
        unpaired = t_quantile(freedom, level) * math.sqrt(variance)
    return PairedDifference(n, *means, paired, unpaired, pairs, freedom)


def sign_chance(higher: int, lower: int) -> float:
    """Return the probability of signs at least as unequal as these between equal designs [-].

    The sign test, two-sided and exact: any half of the seeds could be higher. Ties count for neither.

    References
    ----------
    Dixon and Mood, Journal of the American Statistical Association 41 (1946) 557.

    Examples
    --------
    >>> sign_chance(0, 8), sign_chance(3, 3), sign_chance(0, 0)
    (0.0078125, 1.0, 1.0)
    """
    n = higher + lower
    tail = sum(math.comb(n, k) for k in range(min(higher, lower) + 1))
    return min(1.0, 2.0 * tail / 2.0**n)


def t_quantile(freedom: float, level: float) -> float:
    """Return the quantile t of Student's distribution: |T| <= t with probability `level`.

    Parameters
    ----------
    freedom
        Degrees of freedom, at least 1; a fraction is allowed.
    level
        In (0, 1) [-].

    Examples
    --------
    >>> round(t_quantile(1, 0.95), 3), round(t_quantile(2.5, 0.95), 3), round(t_quantile(19, 0.95), 3)
    (12.706, 3.575, 2.093)
    """
    if not (1.0 <= freedom < math.inf and 0.0 < level < 1.0):
        raise ValueError(f"no t of {freedom} degrees of freedom at the level {level}")
    low, high = 0.0, 1.0
    while t_within(high, freedom) < level:
        low, high = high, 2.0 * high
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        low, high = (middle, high) if t_within(middle, freedom) < level else (low, middle)
    return 0.5 * (low + high)


def t_within(t: float, freedom: float) -> float:
    """Return the probability that Student's t, at least 0, lies between -t and t [-].

    References
    ----------
    Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 26.7.1: an incomplete beta function.
    """
    beyond, x = freedom / (freedom + t * t), t * t / (freedom + t * t)
    a = 0.5 * freedom
    # the fraction below converges fast to the left of the middle of the distribution
    if beyond < (a + 1.0) / (a + 2.5):
        return 1.0 - _incomplete_beta(a, 0.5, beyond, x)
    return _incomplete_beta(0.5, a, x, beyond)


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b) for x below (a + 1) / (a + b + 2); `rest`: 1 - x [-].

    References
    ----------
    Abramowitz and Stegun, 26.5.8: a continued fraction, worked out from its front by Lentz's method.
    """
    if not x:
        return 0.0
    fraction = upper = 1.0
    lower = 0.0
    for k in range(1, _MOST_TERMS):
        m = k // 2
        term = -(a + m) * (a + b + m) * x / (a + 2 * m + 1) if k % 2 else m * (b - m) * x / (a + 2 * m - 1)
        term /= a + 2 * m
        lower = 1.0 / (1.0 + term * lower)
        upper = 1.0 + term / upper
        fraction *= upper * lower
        if abs(upper * lower - 1.0) < _PRECISION:
            break
    beta_log = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    return math.exp(a * math.log(x) + b * math.log(rest) - beta_log) / (a * fraction)


def _spread(values: NDArray[np.float64]) -> float:
    """Return the standard deviation of a sample; exactly 0 where all are equal, however their mean rounds."""
    return 0.0 if bool((values == values[0]).all()) else float(values.std(ddof=1))


def _apart(a: float | None, b: float | None) -> float:
    """Return b - a; 0 where they are the same, or one is unknown."""
    if a is None or b is None or abs(b - a) <= _NOTHING * max(abs(a), abs(b)):
        return 0.0
    return b - a
