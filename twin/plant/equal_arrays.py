"""Exact equality of data with arrays."""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import numpy as np


def alike(first: object, second: object) -> bool:
    """Return whether two values are equal; data classes, tuples and tables part by part, arrays as a whole."""
    if first is second:
        return True
    if type(first) is not type(second):
        return False
    if isinstance(first, np.ndarray):
        unknown = first.dtype.kind == "f"  # nan is like nan
        return isinstance(second, np.ndarray) and np.array_equal(first, second, equal_nan=unknown)
    if isinstance(first, tuple):
        return isinstance(second, tuple) and len(first) == len(second) and all(map(alike, first, second))
    if isinstance(first, dict):
        return (
            isinstance(second, dict)
            and list(first) == list(second)
            and all(alike(first[k], second[k]) for k in first)
        )
    if is_dataclass(first):
        return all(alike(getattr(first, f.name), getattr(second, f.name)) for f in fields(first))
    return bool(first == second)
