"""The Sobol' sequence in up to 40 dimensions, and Latin hypercubes: points that fill a unit cube evenly.

References
----------
Sobol', USSR Computational Mathematics and Mathematical Physics 7 (1967) 86. Direction numbers: Joe and Kuo, SIAM
Journal on Scientific Computing 30 (2008) 2635, table new-joe-kuo-6. Latin hypercube: McKay, Beckman and Conover,
Technometrics 21 (1979) 239.
"""

from __future__ import annotations

import numpy as np

from twin.arrays import Floats

BITS = 30
_DIRECTIONS = """
1| 3 1| 7 1 3| 11 1 3 1| 13 1 1 1| 19 1 1 3 3| 25 1 3 5 13| 37 1 1 5 5 17| 41 1 1 5 5 5| 47 1 1 7 11 19| 55 1 1 5 1 1|
59 1 1 1 3 11| 61 1 3 5 5 31| 67 1 3 3 9 7 49| 91 1 1 1 15 21 21| 97 1 3 1 13 27 49| 103 1 1 1 15 7 5|
109 1 3 1 15 13 25| 115 1 1 5 5 19 61| 131 1 3 7 11 23 15 103| 137 1 3 7 13 13 15 69| 143 1 1 3 13 7 35 63|
145 1 3 5 9 1 25 53| 157 1 3 1 13 9 35 107| 167 1 3 1 5 27 61 31| 171 1 1 5 11 19 41 61| 185 1 3 5 3 3 13 69|
191 1 1 7 13 1 19 1| 193 1 3 7 5 13 19 59| 203 1 1 3 9 25 29 41| 211 1 3 5 13 23 1 55| 213 1 3 7 3 13 59 17|
229 1 3 1 3 5 53 69| 239 1 1 5 5 23 33 13| 241 1 1 7 7 1 61 123| 247 1 1 7 9 13 61 49| 253 1 3 3 5 3 55 33|
285 1 3 1 15 31 13 49 245| 299 1 3 5 15 31 59 63 97| 301 1 3 1 11 11 11 77 249
"""
"""Of each dimension: its primitive polynomial as bits, then its initial direction numbers."""
_TABLE = [[int(word) for word in line.split()] for line in _DIRECTIONS.split("|")]
MOST_DIMENSIONS = len(_TABLE)


def sobol(points: int, dimensions: int, seed: int | None = None) -> Floats:
    """Return the first points of the Sobol' sequence.

    Parameters
    ----------
    points
        How many, at most 2^30; powers of two fill the cube most evenly.
    dimensions
        From 1 to `MOST_DIMENSIONS`.
    seed
        Of a digital shift, which keeps the evenness and moves the first point from the corner; None: no shift.

    Returns
    -------
    array, shape (points, dimensions)
        In [0, 1).

    Examples
    --------
    >>> sobol(4, 2).tolist()
    [[0.0, 0.0], [0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]
    """
    if not (1 <= dimensions <= MOST_DIMENSIONS and 0 <= points <= 2**BITS):
        raise ValueError(f"no Sobol' sequence of {points} points in {dimensions} dimensions")
    place = np.arange(points, dtype=np.uint64)
    gray = place ^ (place >> np.uint64(1))
    found = np.zeros((points, dimensions), np.uint64)
    for dimension in range(dimensions):
        for bit, number in enumerate(_directions(dimension)):
            taken = (gray >> np.uint64(bit)) & np.uint64(1)
            found[:, dimension] ^= taken * np.uint64(number)
    if seed is not None:
        found ^= np.random.default_rng(seed).integers(0, 2**BITS, dimensions, np.uint64)
    return found / 2.0**BITS


def latin_hypercube(points: int, dimensions: int, seed: int) -> Floats:
    """Return points of which each lies in another of equal slices of every dimension, shape (points, dimensions)."""
    rng = np.random.default_rng(seed)
    slices = np.stack([rng.permutation(points) for _ in range(dimensions)], axis=1)
    return np.minimum((slices + rng.random((points, dimensions))) / points, np.nextafter(1.0, 0.0))


def _directions(dimension: int) -> list[int]:
    """Return the direction numbers of a dimension, scaled to `BITS` bits."""
    polynomial, *first = _TABLE[dimension]
    if dimension == 0:
        return [1 << (BITS - 1 - bit) for bit in range(BITS)]
    degree = len(first)
    numbers = list(first)
    for place in range(degree, BITS):
        before = numbers[place - degree]
        number = before ^ (before << degree)
        for step in range(1, degree):
            if polynomial >> (degree - step) & 1:
                number ^= numbers[place - step] << step
        numbers.append(number)
    return [number << (BITS - 1 - bit) for bit, number in enumerate(numbers)]
