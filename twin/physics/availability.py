"""Availability of repairable systems: k of n machines, minimal cut sets, stand-by machines, ride-through.

Failures and repairs are exponential. A system is described by how often it goes down and for how long on average; both
are kept, as a job pays for each outage and not for its length alone. Everything is checked against exact Markov chains
in the tests. Rates and times are of any one unit of time; elsewhere in the program they are 1/s and s.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from twin.arrays import Floats

COMMON_CAUSE = 0.05
"""Share of the failures of alike redundant machines that take all of them: the beta factor [estimated]."""


class OutageRate(NamedTuple):
    """How often something is down, and for how long each time; arrays of one shape.

    Attributes
    ----------
    frequency
        OutageRate per time.
    mean
        Mean duration of one; of what never happens 0.
    """

    frequency: Floats
    mean: Floats

    @property
    def unavailability(self) -> Floats:
        """Share of the time that it is down [-]."""
        result: Floats = np.asarray(self.frequency * self.mean, np.float64)
        return result


def machine(rate: ArrayLike, repair: ArrayLike) -> OutageRate:
    """Return the outages of single machines that fail at `rate` while they work; `repair` is their mean repair time.

    >>> machine(1.0, 1.0).frequency.item(), machine(1.0, 1.0).unavailability.item()
    (0.5, 0.5)
    """
    rates, mean = np.asarray(rate, np.float64), np.asarray(repair, np.float64)
    return OutageRate(rates / (1.0 + rates * mean), mean * (rates > 0))


def k_of_n(rate: float, repair: float, machines: int, needed: int, crews: int | None = None) -> OutageRate:
    """Return the outages of a group that is down while fewer than `needed` of its machines work.

    The machines that are left go on failing while the group is down; the failed ones are repaired by `crews` at a
    time. That is a birth-death chain: j failed machines become j + 1 at (n - j) rate and j - 1 at
    min(j, crews) / repair.

    Parameters
    ----------
    rate, repair
        Failures of one machine per time, and its mean repair time.
    machines, needed
        How many there are, and how many of them carry the load.
    crews
        Repairs at a time; None: as many as there are machines.

    Examples
    --------
    >>> two = k_of_n(1.0, 1.0, 2, 1)
    >>> round(two.unavailability.item(), 6), round(two.mean.item(), 6)
    (0.25, 0.5)
    """
    if not 0 < needed <= machines:
        raise ValueError(f"needed is {needed}: must be 1 to {machines}")
    failed = np.arange(machines + 1)
    up = (machines - failed[:-1]) * rate
    down = np.minimum(failed[1:], machines if crews is None else crews) / repair
    weight = np.concatenate([[1.0], np.cumprod(up / down)])
    share = weight / weight.sum()
    most = machines - needed  # may be down without an outage
    frequency = np.asarray(share[most] * up[most], np.float64)
    mean = np.asarray(share[most + 1 :].sum() / frequency if frequency > 0 else 0.0, np.float64)
    return OutageRate(frequency, mean)


def with_common_cause(
    group: OutageRate, rate: float, repair: float, beta: float = COMMON_CAUSE
) -> OutageRate:
    """Return the outages of redundant machines of which `beta` of the failures of one takes all.

    Parameters
    ----------
    group
        Their outages were they independent.
    rate, repair, beta
        Failures of one machine per time, its mean repair time, and the share.
    """
    common = machine(beta * rate, repair)
    return series(np.stack([group.frequency, common.frequency]), np.stack([group.mean, common.mean]))


def fails_to_start(chance: float, machines: int, needed: int, beta: float = 0.0) -> float:
    """Return the chance that fewer than `needed` of some stand-by machines start when they are asked [-].

    Each fails to start with `chance`, by itself; `beta` of that chance is one that all of them share.

    >>> round(fails_to_start(0.1, 3, 2), 6)
    0.028
    """
    failed = np.arange(machines - needed + 1, machines + 1)
    ways = np.array([_combinations(machines, count) for count in failed.tolist()])
    alone = float((ways * chance**failed * (1.0 - chance) ** (machines - failed)).sum())
    return alone if machines == needed else 1.0 - (1.0 - alone) * (1.0 - beta * chance)


def _combinations(of: int, count: int) -> float:
    result = 1.0
    for place in range(count):
        result *= (of - place) / (place + 1)
    return result


def cut_sets(
    unavailability: ArrayLike,
    repair: ArrayLike,
    begins: ArrayLike,
    ride: ArrayLike = 0.0,
    ends: ArrayLike = np.inf,
) -> OutageRate:
    """Return the outages by minimal cut sets: each is down while all its members are.

    A set begins with the failure of its last member and ends with the first repair, at the sum of the repair rates.
    What is fed from a store (a battery, the mass of water) for `ride` sees the outages alone that last longer, which is
    exp(-ride / mean) of them; what a stand-by machine takes over after `ends` is down no longer than that.

    Parameters
    ----------
    unavailability
        Of each member, shape (..., members); 1 fills up sets with fewer members.
    repair
        Mean time that a member is down, same shape; infinite of what fills up.
    begins
        Whether a member can be the last one. A stand-by machine that will not start is found out when another member
        fails: its unavailability is its chance not to start.
    ride, ends
        Time that passes before the outage is felt, and time after which something else takes over, shape (...).

    Examples
    --------
    >>> two = cut_sets([0.01, 0.02], [10.0, 40.0], [True, True])
    >>> round(two.unavailability.item(), 9), round(two.mean.item(), 9)
    (0.0002, 8.0)
    """
    down = np.asarray(unavailability, np.float64)
    ending = 1.0 / np.asarray(repair, np.float64)
    rate = ending.sum(axis=-1)
    began = np.where(np.asarray(begins, bool), ending, 0.0).sum(axis=-1)
    begun = down.prod(axis=-1) * began
    felt = np.maximum(np.asarray(ends, np.float64) - np.asarray(ride, np.float64), 0.0)
    passed = np.where(felt > 0, np.exp(-np.asarray(ride, np.float64) * rate), 0.0)
    frequency: Floats = np.asarray(begun * passed, np.float64)
    mean: Floats = np.asarray(-np.expm1(-felt * rate) / rate, np.float64)
    return OutageRate(frequency, np.where(frequency > 0, mean, 0.0))


def series(frequency: ArrayLike, mean: ArrayLike) -> OutageRate:
    """Return the outages of what is down while any of several independent things is; the last axis is theirs.

    An outage begins when one fails while all others work, so f = sum f_i prod_{j != i} (1 - U_j).

    >>> both = series([1.0, 1.0], [0.1, 0.1])
    >>> round(both.unavailability.item(), 6), round(both.frequency.item(), 6)
    (0.19, 1.8)
    """
    often = np.asarray(frequency, np.float64)
    up = 1.0 - np.minimum(often * np.asarray(mean, np.float64), 1.0 - 1e-12)
    works = up.prod(axis=-1)
    total: Floats = np.asarray((often / up).sum(axis=-1) * works, np.float64)
    lasting: Floats = np.divide(1.0 - works, total, out=np.zeros_like(total), where=total > 0)
    return OutageRate(total, lasting)


def in_service(nodes: int, mean_down: float, needed: int, spread: float) -> float:
    """Return the chance that at least `needed` of some nodes are in service [-].

    The number in repair is taken as negative binomial, as failures of real fleets come together: its variance is
    `spread` times its mean. At 1 it is a Poisson distribution, that of independent failures.

    Parameters
    ----------
    nodes, needed
        Nodes there are, and those that have to work.
    mean_down
        Mean number in repair: nodes x failure rate x mean repair time.
    spread
        Variance over mean, at least 1 [-].

    Examples
    --------
    >>> round(in_service(10, 1.0, 9, 1.0), 6)  # at most one down: 2 / e
    0.735759
    """
    if needed > nodes:
        return 0.0
    count = np.arange(nodes - needed + 1)
    if mean_down <= 0:
        return 1.0
    if spread <= 1.0:
        ratio = np.full(len(count) - 1, mean_down) / count[1:]
        first = np.exp(-mean_down)
    else:
        size = mean_down / (spread - 1.0)
        ratio = (size + count[:-1]) / count[1:] * (1.0 - 1.0 / spread)
        first = spread**-size
    return float(min(1.0, first * np.concatenate([[1.0], np.cumprod(ratio)]).sum()))


def touched(nodes: int, lost: ArrayLike, held: int) -> Floats:
    """Return the chance that at least one of `held` nodes, anywhere among `nodes`, is among those `lost` [-].

    >>> touched(10, [0, 1, 10], 5).tolist()
    [0.0, 0.5, 1.0]
    """
    gone = np.asarray(lost, np.int64)
    if held >= nodes:
        return (gone > 0).astype(np.float64)
    log = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, nodes + 1)))])
    left = np.maximum(nodes - gone, 0)
    fits = left >= held
    none = log[left] - log[np.maximum(left - held, 0)] - log[nodes] + log[nodes - held]
    result: Floats = np.where(fits, -np.expm1(np.minimum(none, 0.0)), 1.0)
    return result
