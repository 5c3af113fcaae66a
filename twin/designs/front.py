"""The designs worth looking at: none is beaten in everything; and the nearest need where none keeps all limits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from twin.arrays import Bools, Floats
from twin.designs.design import Design, Limit

MOST = 20
"""Designs of a front, at most."""


def non_dominated(values: Floats) -> Bools:
    """Return which rows no other row beats: none is as small in every column and smaller in one.

    Parameters
    ----------
    values
        The smaller the better, shape (rows, columns).

    Examples
    --------
    >>> non_dominated(np.array([[1.0, 3.0], [2.0, 2.0], [2.0, 3.0]])).tolist()
    [True, True, False]
    """
    kept = np.ones(len(values), np.bool_)
    for row in np.lexsort(values.T[::-1]).tolist():
        if kept[row]:
            beaten = (values >= values[row]).all(axis=1) & (values > values[row]).any(axis=1)
            kept &= ~beaten
    return kept


def spread_out(values: Floats, most: int) -> list[int]:
    """Return at most so many rows far apart: the best of each column first, then the one farthest from all taken."""
    if not len(values):
        return []
    span = np.ptp(values, axis=0)
    scaled = (values - values.min(axis=0)) / np.where(span > 0.0, span, 1.0)
    taken = list(dict.fromkeys(int(scaled[:, column].argmin()) for column in range(scaled.shape[1])))[:most]
    distance = np.linalg.norm(scaled[:, None] - scaled[taken][None], axis=2).min(axis=1)
    while len(taken) < most and distance.max() > 0.0:
        taken.append(int(distance.argmax()))
        distance = np.minimum(distance, np.linalg.norm(scaled - scaled[taken[-1]], axis=1))
    return taken


def front(designs: Sequence[Design], most: int = MOST) -> list[Design]:
    """Return the designs that keep all limits and that none other beats, far apart, the cheapest first."""
    good = [design for design in designs if design.feasible]
    if not good:
        return []
    values = np.array([design.axes for design in good], np.float64)
    best = np.flatnonzero(non_dominated(values))
    chosen = best[spread_out(values[best], most)]
    return sorted((good[place] for place in chosen.tolist()), key=lambda design: design.axes)


def nearest(designs: Sequence[Design]) -> Design | None:
    """Return the design that exceeds its limits least; None without any design."""
    return min(
        designs,
        key=lambda design: (max((limit.ratio for limit in design.limits), default=0.0), design.axes),
        default=None,
    )


def relaxed_alone(designs: Sequence[Design]) -> list[Limit]:
    """Return for each limit the least it would have to be, were it the only one to give way."""
    found: dict[str, Limit] = {}
    for design in designs:
        over = [limit for limit in design.limits if limit.ratio > 1.0]
        if len(over) == 1:
            known = found.get(over[0].name)
            if known is None or over[0].value < known.value:
                found[over[0].name] = over[0]
    return list(found.values())
