"""Types of numpy arrays, one name each, and what is asked of short ones; shapes and units stand where they are used."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
IntP = NDArray[np.intp]
"""Indices of numpy."""
Ints64 = NDArray[np.int64]
Ints32 = NDArray[np.int32]
UInts64 = NDArray[np.uint64]
UInts32 = NDArray[np.uint32]
Bytes = NDArray[np.uint8]
AnyInts = NDArray[np.integer[Any]]
AnyArray = NDArray[Any]


def highest(values: Floats, least: float = -math.inf) -> float:
    """Return the highest of some figures, but no less than `least`.

    The engine asks for it at each thermal step, of short arrays: there `argmax` takes a fifth of the time of `max`.
    """
    if not values.size:
        return least
    most = float(values[values.argmax()])
    return least if least > most else most


def lowest(values: Floats) -> float:
    """Return the lowest of some figures; infinity of none."""
    return float(values[values.argmin()]) if values.size else math.inf


def row_numbers(column: IntP, *columns: IntP) -> IntP:
    """Return a number for each row of columns of numbers from zero; rows in their order have theirs in order."""
    for more in columns:
        most = int(more[more.argmax()]) if more.size else 0
        if most:
            column = column * (most + 1) + more
    return column
