"""NSGA-II: the front of several aims under limits, by a population that is sorted, crossed and mutated.

References
----------
Deb, Pratap, Agarwal and Meyarivan, IEEE Transactions on Evolutionary Computation 6 (2002) 182. Crossover: Deb and
Agrawal, Complex Systems 9 (1995) 115. Mutation: Deb and Goyal, Computer Science and Informatics 26 (1996) 30.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from twin.arrays import Bools, Floats, Ints64

_CROSSED, _CROSS_ETA, _MUTATE_ETA = 0.9, 15.0, 20.0
_WITHIN = np.nextafter(1.0, 0.0)


@dataclass(frozen=True)
class Population:
    """Points with what they come to.

    Attributes
    ----------
    shares
        Of the way of each key, in [0, 1), shape (points, keys).
    aims
        To be made small, shape (points, aims).
    violation
        By how much limits are passed, shape (points,); 0: by nothing.
    """

    shares: Floats
    aims: Floats
    violation: Floats

    def take(self, chosen: Ints64) -> Population:
        """Return some of the points."""
        return Population(self.shares[chosen], self.aims[chosen], self.violation[chosen])

    def with_others(self, other: Population) -> Population:
        """Return the points of both."""
        return Population(
            np.concatenate((self.shares, other.shares)),
            np.concatenate((self.aims, other.aims)),
            np.concatenate((self.violation, other.violation)),
        )


Evaluate = Callable[[Floats], tuple[Floats, Floats]]
"""Takes shares, shape (points, keys), and returns aims and violation as in `Population`."""


def nsga2(evaluate: Evaluate, keys: int, population: int, generations: int, seed: int) -> Population:
    """Return the last population; `population` times `generations` points are evaluated.

    Parameters
    ----------
    evaluate
        What points come to.
    keys
        How many keys vary.
    population
        Points of a generation, at least 4 and even.
    generations
        With the first one, which is drawn.
    seed
        Of all draws.
    """
    rng = np.random.default_rng(seed)
    now = _evaluated(evaluate, rng.random((population, keys)))
    for _ in range(generations - 1):
        rank, crowding = _order(now)
        parents = _tournaments(rng, rank, crowding, population)
        children = _mutated(rng, _crossed(rng, now.shares[parents]))
        both = now.with_others(_evaluated(evaluate, children))
        rank, crowding = _order(both)
        now = both.take(np.lexsort((-crowding, rank))[:population])
    return now


def front_of(aims: Floats, violation: Floats) -> Bools:
    """Return which points no other one is better than in all aims, among those that keep all limits."""
    if not len(aims):
        return np.zeros(0, bool)
    return (violation <= 0.0) & ~_dominates(aims, violation).any(axis=0)


def _evaluated(evaluate: Evaluate, shares: Floats) -> Population:
    return Population(shares, *evaluate(shares))


def _dominates(aims: Floats, violation: Floats) -> Bools:
    """Return whether each point (row) is better than each other one (column): fewer violations first, then aims."""
    no_worse = (aims[:, None] <= aims[None]).all(axis=2)
    better = no_worse & (aims[:, None] < aims[None]).any(axis=2)
    kept = violation <= 0.0
    less = violation[:, None] < violation[None]
    found: Bools = np.where(kept[:, None] & kept[None], better, less)
    return found


def _order(points: Population) -> tuple[Ints64, Floats]:
    """Return the front that each point belongs to, from 0, and how far its neighbours in that front are."""
    dominates = _dominates(points.aims, points.violation)
    better_ones = dominates.sum(axis=0)
    rank = np.full(len(better_ones), -1, np.int64)
    crowding = np.zeros(len(better_ones))
    front, left = 0, np.ones(len(better_ones), bool)
    while left.any():
        members = np.flatnonzero(left & (better_ones == 0))
        rank[members], left[members] = front, False
        crowding[members] = _crowding(points.aims[members])
        better_ones = better_ones - dominates[members].sum(axis=0)
        front += 1
    return rank, crowding


def _crowding(aims: Floats) -> Floats:
    """Return the distance of the neighbours of each point of a front, summed over aims; infinite at its ends."""
    found = np.zeros(len(aims))
    for values in aims.T:
        order = np.argsort(values, kind="stable")
        width = values[order[-1]] - values[order[0]]
        found[order[[0, -1]]] = np.inf
        if width > 0.0:
            found[order[1:-1]] += (values[order[2:]] - values[order[:-2]]) / width
    return found


def _tournaments(rng: np.random.Generator, rank: Ints64, crowding: Floats, number: int) -> Ints64:
    """Return the winners of as many pairs, every point twice in a pair."""
    drawn = np.concatenate([rng.permutation(number) for _ in range(2)]).reshape(-1, 2)
    first, second = drawn.T
    wins = (rank[second] < rank[first]) | (
        (rank[second] == rank[first]) & (crowding[second] > crowding[first])
    )
    return np.where(wins, second, first)


def _crossed(rng: np.random.Generator, parents: Floats) -> Floats:
    """Return children of neighbours by simulated binary crossover within [0, 1)."""
    first, second = parents[0::2], parents[1::2]
    low, high = np.minimum(first, second), np.maximum(first, second)
    gap = np.maximum(high - low, 1e-14)
    draw = rng.random(low.shape)
    child_low = 0.5 * (low + high - _spread(draw, 1.0 + 2.0 * low / gap) * gap)
    child_high = 0.5 * (low + high + _spread(draw, 1.0 + 2.0 * (1.0 - high) / gap) * gap)
    swapped = rng.random(low.shape) < 0.5
    one = np.where(swapped, child_high, child_low)
    other = np.where(swapped, child_low, child_high)
    pairs = rng.random((len(first), 1)) < _CROSSED
    taken = pairs & (rng.random(low.shape) < 0.5) & (high - low > 1e-14)
    made = np.empty_like(parents)
    made[0::2], made[1::2] = np.where(taken, one, first), np.where(taken, other, second)
    return np.clip(made, 0.0, _WITHIN)


def _spread(draw: Floats, beta: Floats) -> Floats:
    """Return by how much children lie further apart than their parents."""
    alpha = 2.0 - beta ** -(_CROSS_ETA + 1.0)
    inside = draw <= 1.0 / alpha
    base = np.where(inside, draw * alpha, 1.0 / np.where(inside, 1.0, 2.0 - draw * alpha))
    found: Floats = base ** (1.0 / (_CROSS_ETA + 1.0))
    return found


def _mutated(rng: np.random.Generator, shares: Floats) -> Floats:
    """Return points of which one key in the mean has moved, by polynomial mutation within [0, 1)."""
    draw = rng.random(shares.shape)
    power = 1.0 / (_MUTATE_ETA + 1.0)
    down = (2.0 * draw + (1.0 - 2.0 * draw) * (1.0 - shares) ** (_MUTATE_ETA + 1.0)) ** power - 1.0
    up = 1.0 - (2.0 * (1.0 - draw) + (2.0 * draw - 1.0) * shares ** (_MUTATE_ETA + 1.0)) ** power
    moved = shares + np.where(draw < 0.5, down, up)
    taken = rng.random(shares.shape) < 1.0 / shares.shape[1]
    return np.clip(np.where(taken, moved, shares), 0.0, _WITHIN)
