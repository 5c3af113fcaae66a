"""Draws of uncertain prices: PERT between low, likely and high, tied together within a group of prices.

One draw per price, never per unit: twenty thousand independent draws of one price would have no spread. Prices of a
group move together through a normal factor that they share (Gaussian copula). A draw depends on the id of its price
and the seed alone, so that two designs are priced by the same draws.

References
----------
Malcolm, Roseboom, Clark, Fazar, "Application of a technique for research and development program evaluation",
Operations Research 7 (1959): the PERT distribution, mean (low + 4 likely + high) / 6.
"""

from __future__ import annotations

import zlib
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from twin.arrays import Floats
from twin.physics.normal import normal_cdf

SAMPLES, SEED = 400, 1
"""Draws of the prices unless somebody asks for others, the same for all scenes, runs and designs: any two differ
by what they are, and one scene costs the same in every place; with another seed P5 and P95 move by about 1 %."""
SHARED = 0.7
"""Correlation of the normal factors of two prices of a group [est]."""

_GRID = 4097


def pert_quantile(low: float, likely: float, high: float, u: ArrayLike) -> Floats:
    """Return the value below which a share of PERT draws lies.

    Parameters
    ----------
    low, likely, high
        Of the price, rising [money]; equal: it is certain.
    u : array_like
        The share, 0 to 1 [-].

    Raises
    ------
    ValueError
        When they do not rise.

    Notes
    -----
    A beta distribution with exponents 4 (likely - low) / (high - low) and 4 (high - likely) / (high - low); its
    distribution function is summed on 4,097 points, so that quantiles are right to about 1e-6 of the range.

    Examples
    --------
    >>> pert_quantile(0.0, 1.0, 2.0, [0.0, 0.5, 1.0]).round(6).tolist()
    [0.0, 1.0, 2.0]
    """
    if not low <= likely <= high:
        raise ValueError("low, likely and high must rise")
    share = np.asarray(u, np.float64)
    if low == high:
        return np.full(share.shape, low)
    rise, fall = 4.0 * (likely - low) / (high - low), 4.0 * (high - likely) / (high - low)
    x = np.linspace(0.0, 1.0, _GRID)
    density = x**rise * (1.0 - x) ** fall
    middle = 0.5 * (x[1:] + x[:-1])
    between = middle**rise * (1.0 - middle) ** fall
    cumulative = np.concatenate([[0.0], np.cumsum(density[:-1] + 4.0 * between + density[1:])])
    return np.asarray(low + (high - low) * np.interp(share, cumulative / cumulative[-1], x), np.float64)


def uniform_draws(entry: str, group: str, samples: int, seed: int, shared: float = SHARED) -> Floats:
    """Return uniform draws of one price, tied to those of its group, shape (samples,) [-].

    Parameters
    ----------
    entry, group
        Ids of the price and of its group.
    samples
        How many.
    seed
        Of all draws.
    shared
        Correlation of the factors of two prices of the group, 0 to 1 [-].
    """
    common = _normals(f"group {group}", samples, seed)
    own = _normals(entry, samples, seed)
    z = np.sqrt(shared) * common + np.sqrt(1.0 - shared) * own
    return np.asarray(np.interp(z, *_normal_table()), np.float64)


@lru_cache(maxsize=1)
def _normal_table() -> tuple[Floats, Floats]:
    """Return the normal distribution function at points so close that a line between them is right to 3e-8."""
    z = np.linspace(-8.0, 8.0, 16_001)
    return z, np.array([normal_cdf(value) for value in z.tolist()])


def _normals(name: str, samples: int, seed: int) -> Floats:
    generator = np.random.default_rng([seed, zlib.crc32(name.encode())])
    return generator.standard_normal(samples)
