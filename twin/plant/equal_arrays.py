"""Whether two pieces of data are the same, number for number."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import numpy as np


def alike(one: object, other: object) -> bool:
    """Return whether two values are equal; data classes, tuples and tables part by part, arrays as a whole."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        unknown = one.dtype.kind == "f"  # nan is like nan
        return isinstance(other, np.ndarray) and np.array_equal(one, other, equal_nan=unknown)
    if isinstance(one, tuple):
        return isinstance(other, tuple) and len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict):
        return (
            isinstance(other, dict) and list(one) == list(other) and all(alike(one[k], other[k]) for k in one)
        )
    if is_dataclass(one):
        return all(alike(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    return bool(one == other)
