"""Sobol' indices: how much of the variance of a figure each key explains, by itself and together with the others.

References
----------
Design and first order: Saltelli et al., Computer Physics Communications 181 (2010) 259. Total: Jansen, Computer Physics
Communications 117 (1999) 35.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.arrays import Floats
from twin.studies.sobol_sequence import MOST_DIMENSIONS, sobol
from twin.studies.study_error import StudyError

MOST_KEYS = MOST_DIMENSIONS // 2
_RESAMPLES = 500


@dataclass(frozen=True)
class SobolIndex:
    """How much of the variance of a figure follows from one key.

    Attributes
    ----------
    first, first_error
        By itself, as a share of the variance, and the half width of its 95 % interval.
    total, total_error
        Together with all others.
    """

    first: float
    first_error: float
    total: float
    total_error: float


def saltelli_points(samples: int, keys: int, seed: int) -> Floats:
    """Return the points of which indices are estimated.

    Returns
    -------
    array, shape (keys + 2, samples, keys)
        In [0, 1): two independent samples A and B, then A with each column in turn from B.

    Raises
    ------
    StudyError
        When there are too many keys.
    """
    if keys > MOST_KEYS:
        raise StudyError(f"{keys} keys vary; indices take at most {MOST_KEYS}")
    both = sobol(samples, 2 * keys, seed)
    a, b = both[:, :keys], both[:, keys:]
    mixed = np.repeat(a[None], keys, axis=0)
    for key in range(keys):
        mixed[key, :, key] = b[:, key]
    return np.concatenate((a[None], b[None], mixed))


def sobol_indices(values: Floats) -> tuple[SobolIndex, ...] | None:
    """Return the indices of each key.

    Parameters
    ----------
    values
        The figure at the points of `saltelli_points`, shape (keys + 2, samples); NaN: unknown. A sample that is unknown
        anywhere is left out.

    Returns
    -------
    indices
        None where fewer than two samples are known, or the figure does not vary.
    """
    known = values[:, np.isfinite(values).all(axis=0)]
    samples = known.shape[1]
    if samples < 2 or np.ptp(known[:2]) == 0.0:
        return None
    first, total = _estimates(known)
    draws = np.random.default_rng(0).integers(0, samples, (_RESAMPLES, samples))
    again = [_estimates(known[:, draw]) for draw in draws if np.ptp(known[:2, draw]) > 0.0]
    errors = 1.96 * np.std(again, axis=0)
    return tuple(SobolIndex(*row) for row in np.stack((first, errors[0], total, errors[1]), axis=1).tolist())


def _estimates(values: Floats) -> tuple[Floats, Floats]:
    """Return first-order and total indices, shape (keys,) each."""
    both = values[:2]
    centred = values - both.mean()
    a, b, mixed = centred[0], centred[1], centred[2:]
    variance = both.var()
    return (b * (mixed - a)).mean(axis=1) / variance, 0.5 * ((a - mixed) ** 2).mean(axis=1) / variance
