"""What a plot shows of a curve: its samples, and where they stand too close, columns of them. No widgets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.app.bands import Floats, spread

COLUMN_PX = 2.0
"""The least width of a column."""
_AROUND = 8
"""Columns to either side that tell whether samples stand close: a few of one moment are no thicket."""


@dataclass(frozen=True)
class Columns:
    """The time axis of a plot in columns of some pixels, and in which of them samples stand close.

    Columns begin at multiples of their width, which grows in steps: they stand still while a plot is moved, and mostly
    while a run grows.

    Parameters
    ----------
    edges_s
        Where columns begin, and where the last one ends [s].
    close
        Whether more than one sample falls in a column, on the average of those around it.
    counts
        Samples in each.
    """

    edges_s: Floats
    close: NDArray[np.bool_]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, t_s: Floats, from_s: float, to_s: float, width_px: float) -> Columns:
        """Return the columns of samples at some times [s] on a plot from one time to another [s]."""
        least_s = max(to_s - from_s, 1e-6) * COLUMN_PX / max(width_px, COLUMN_PX)
        width_s = 2.0 ** (np.ceil(2.0 * np.log2(least_s)) / 2.0)
        first, last = np.floor(from_s / width_s) - _AROUND, np.ceil(to_s / width_s) + _AROUND
        edges = np.arange(first, last + 1.0) * width_s
        up_to = np.searchsorted(t_s, edges)
        around = np.clip(np.arange(len(edges) - 1)[:, None] + (-_AROUND, _AROUND), 0, len(edges) - 1)
        close = np.diff(up_to[around], axis=1)[:, 0] > 2 * _AROUND
        return cls(edges, close, np.diff(up_to).astype(np.int64))

    def at(self, t_s: float) -> int | None:
        """Return the column of a time [s] where samples stand close, else None."""
        column = int(np.searchsorted(self.edges_s, t_s, "right")) - 1
        return column if 0 <= column < len(self.close) and self.close[column] else None


@dataclass(frozen=True)
class Piece:
    """A stretch of the band about a curve: least and greatest value along the time [s]."""

    t_s: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Drawn:
    """A curve as it is drawn.

    Parameters
    ----------
    t_s, values
        The line: means of columns where samples stand close, samples elsewhere; nan in gaps.
    low, mean, high
        Of each column, nan where samples are drawn themselves or nothing is known.
    pieces
        The band.
    """

    t_s: Floats
    values: Floats
    low: Floats
    mean: Floats
    high: Floats
    pieces: tuple[Piece, ...]


def drawn(t_s: Floats, values: Floats, columns: Columns, means: Floats | None = None) -> Drawn:
    """Return how a series is drawn in columns; parameters are those of `spread`."""
    if not len(t_s):
        nothing = np.zeros(0)
        return Drawn(nothing, nothing, nothing, nothing, nothing, ())
    edges = columns.edges_s
    # Of samples far outside, a line would be drawn through millions of pixels: it is cut at the outer edges.
    begin = max(int(np.searchsorted(t_s, edges[0])) - 1, 0)
    end = int(np.searchsorted(t_s, edges[-1], "right")) + 1
    t_s, values, means = t_s[begin:end], values[begin:end], None if means is None else means[begin:end]
    low, mean, high = spread(t_s, values, edges, float(t_s[-1]), means)
    for each in (low, mean, high):
        each[~columns.close] = np.nan
    pieces, lines = [], [_samples(t_s, values, columns)]
    sampled = columns.close & (edges[1:] > t_s[0]) & (edges[:-1] <= t_s[-1])
    lines.append((((edges[1:] + edges[:-1]) / 2.0)[sampled], mean[sampled]))
    for first, last in _stretches(np.isfinite(mean)):
        centres = (edges[first:last] + edges[first + 1 : last + 1]) / 2.0
        along = np.clip(np.concatenate((edges[[first]], centres, edges[[last]])), t_s[0], t_s[-1])
        of = np.r_[first, first:last, last - 1]  # out to the edges of the first and the last column
        pieces.append(Piece(along, low[of], high[of]))
        lines.append((along[[0, -1]], mean[[first, last - 1]]))
    times, line = (np.concatenate(each) for each in zip(*lines, strict=True))
    times = np.clip(times, max(t_s[0], edges[0]), min(t_s[-1], edges[-1]))
    order = np.argsort(times, kind="stable")
    return Drawn(times[order], line[order], low, mean, high, tuple(pieces))


def _samples(t_s: Floats, values: Floats, columns: Columns) -> tuple[Floats, Floats]:
    """Return the samples that are drawn themselves, and what holds at the outer edges between two of them."""
    edges = columns.edges_s
    inside = (t_s >= edges[0]) & (t_s < edges[-1])
    column = np.clip(np.searchsorted(edges, t_s, "right") - 1, 0, len(columns.close) - 1)
    alone = inside & ~columns.close[column]
    ends = np.array([edge for edge in (edges[0], edges[-1]) if t_s[0] <= edge <= t_s[-1]])
    return np.concatenate((t_s[alone], ends)), np.concatenate((values[alone], np.interp(ends, t_s, values)))


def _stretches(known: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Yield where each unbroken stretch begins and ends."""
    turns = np.flatnonzero(np.diff(np.concatenate(([False], known, [False])).astype(np.int8)))
    yield from zip(turns[::2].tolist(), turns[1::2].tolist(), strict=True)
