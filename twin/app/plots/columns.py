"""What a plot shows of a curve: its samples, and where they stand too close, columns of them. No widgets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.app.plots.min_max_bands import spread
from twin.arrays import Floats

CLOSE_PX = 2.0
"""Samples nearer to each other than that stand too close to be drawn."""
_AROUND_PX = 16.0
"""How far to either side one looks for that: a few samples of one moment are no thicket."""
_COLUMN_PX, _ENOUGH = (2.0, 4.0), 8
"""Columns are wider than the first, and than the second where fewer samples would fall in each: means of a few samples
are as much of a thicket as the samples."""
_STEPS_S = (
    *(digit * 10.0**power for power in (-4, -3, -2, -1) for digit in (1, 2, 5)),
    *(1.0, 2.0, 3.0, 5.0, 10.0, 15.0, 20.0, 30.0, 60.0, 120.0, 180.0, 300.0, 600.0, 900.0, 1200.0, 1800.0),
    *(hours * 3600.0 for hours in (1, 2, 3, 4, 6, 8, 12)),
    *(days * 86_400.0 for days in (1, 2, 3, 5, 7, 14, 28, 56, 112, 224, 448)),
)
"""Widths of columns: what people count time in, so that a day is the mean of day and night."""


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
        Whether samples about the middle of each stand too close to be drawn.
    counts
        Samples in each.
    """

    edges_s: Floats
    close: NDArray[np.bool_]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, t_s: Floats, from_s: float, to_s: float, width_px: float) -> Columns:
        """Return the columns of samples at some times [s] on a plot from one time to another [s]."""
        px_s = max(to_s - from_s, 1e-6) / max(width_px, 1.0)
        begin, end = np.searchsorted(t_s, (from_s, to_s)).tolist()
        enough_s = _ENOUGH * float(t_s[end - 1] - t_s[begin]) / (end - begin) if end > begin else 0.0
        wanted_s = min(max(enough_s, _COLUMN_PX[0] * px_s), _COLUMN_PX[1] * px_s)
        width_s = next((step_s for step_s in _STEPS_S if step_s >= wanted_s), wanted_s)
        edges = np.arange(np.floor(from_s / width_s) - 1.0, np.ceil(to_s / width_s) + 2.0) * width_s
        around = ((edges[1:] + edges[:-1]) / 2.0)[:, None] + (-_AROUND_PX * px_s, _AROUND_PX * px_s)
        close = np.diff(np.searchsorted(t_s, around), axis=1)[:, 0] > 2.0 * _AROUND_PX / CLOSE_PX
        return cls(edges, close, np.diff(np.searchsorted(t_s, edges)).astype(np.int64))

    def at(self, t_s: float) -> int | None:
        """Return the column of a time [s] where samples stand close, else None."""
        column = int(np.searchsorted(self.edges_s, t_s, "right")) - 1
        return column if 0 <= column < len(self.close) and self.close[column] else None


@dataclass(frozen=True)
class CurvePiece:
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
    pieces: tuple[CurvePiece, ...]


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
    known = max(
        int(np.searchsorted(edges, t_s[-1])), 1
    )  # none begins with the last sample: it would be of that alone
    low, mean, high = (
        np.where(columns.close, np.pad(each, (0, len(edges) - 1 - len(each)), constant_values=np.nan), np.nan)
        for each in spread(t_s, values, edges[: known + 1], float(t_s[-1]), means)
    )
    pieces, lines = [], [_samples(t_s, values, columns)]
    sampled = columns.close & (edges[1:] > t_s[0]) & (edges[:-1] < t_s[-1])
    lines.append((((edges[1:] + edges[:-1]) / 2.0)[sampled], mean[sampled]))
    for first, last in _stretches(np.isfinite(mean)):
        centres = (edges[first:last] + edges[first + 1 : last + 1]) / 2.0
        along = np.clip(np.concatenate((edges[[first]], centres, edges[[last]])), t_s[0], t_s[-1])
        of = np.r_[first, first:last, last - 1]  # out to the edges of the first and the last column
        pieces.append(CurvePiece(along, low[of], high[of]))
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
