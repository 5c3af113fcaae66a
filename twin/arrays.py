"""Types of numpy arrays, one name each; shapes and units stand in the docstrings of those who use them."""

from __future__ import annotations

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
