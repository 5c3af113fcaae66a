"""Exact availability of small systems: the stationary state of a continuous-time Markov chain, by its matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from twin.arrays import Bools, Floats
from twin.physics.availability import OutageRate


def stationary(rates: Floats) -> Floats:
    """Return the shares of time of the states of a chain with these rates from row to column."""
    matrix = rates.T - np.diag(rates.sum(axis=1))
    system = np.vstack([matrix, np.ones(len(rates))])
    found: Floats = np.linalg.lstsq(system, np.append(np.zeros(len(rates)), 1.0), rcond=None)[0]
    return found


def outages(rates: Floats, down: Bools) -> OutageRate:
    """Return how often a chain enters the states that are `down`, and how long it stays there."""
    share = stationary(rates)
    frequency = np.asarray((share[~down] @ rates[~down][:, down]).sum())
    return OutageRate(frequency, np.asarray(share[down].sum() / frequency))


def independent(
    machines: Sequence[tuple[float, float]], is_down: Callable[[tuple[bool, ...]], bool]
) -> OutageRate:
    """Return the outages of independent machines (rate, mean repair) in a system: `is_down` of which have failed."""
    states = list(product((False, True), repeat=len(machines)))
    place = {state: number for number, state in enumerate(states)}
    rates = np.zeros((len(states), len(states)))
    for state in states:
        for number, (rate, repair) in enumerate(machines):
            after = (*state[:number], not state[number], *state[number + 1 :])
            rates[place[state], place[after]] = 1.0 / repair if state[number] else rate
    return outages(rates, np.array([is_down(state) for state in states]))
