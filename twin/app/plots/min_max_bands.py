"""A long curve in columns of pixels: least, mean and greatest value of each. No widgets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.app.plots.timeline_scale import Scale
from twin.arrays import Floats


@dataclass(frozen=True)
class CurveBand:
    """A curve in those columns of pixels in which it is known.

    Parameters
    ----------
    column
        Of each point, from the left edge of the strip [px].
    low, mean, high
        Least, mean and greatest value in it; in a column that no sample falls in, the value that holds there.
    """

    column: NDArray[np.int64]
    low: Floats
    mean: Floats
    high: Floats

    def pieces(self) -> Iterator[CurveBand]:
        """Yield what lies between gaps, from the left."""
        for piece in np.split(np.arange(len(self.column)), np.flatnonzero(np.diff(self.column) > 1) + 1):
            if len(piece):
                yield CurveBand(self.column[piece], self.low[piece], self.mean[piece], self.high[piece])


def band(t_s: Floats, values: Floats, scale: Scale, until_s: float, means: Floats | None = None) -> CurveBand:
    """Return a series as the columns of a strip, up to a time [s]; parameters are those of `spread`."""
    width = int(scale.width_px)
    edges: Floats = scale.from_s + np.arange(width + 1, dtype=np.float64) * (scale.span_s / max(width, 1))
    low, mean, high = spread(t_s, values, edges, until_s, means)
    column = np.flatnonzero(np.isfinite(mean))
    return CurveBand(column, low[column], mean[column], high[column])


def spread(
    t_s: Floats, values: Floats, edges_s: Floats, until_s: float, means: Floats | None = None
) -> tuple[Floats, Floats, Floats]:
    """Return least, mean and greatest value in each of some columns of time; nan where nothing is known.

    Samples stand closer where something happened, so each counts for as long as it holds: until the next sample, of
    which one that is nan begins a gap. The mean of a column is that of the part of it that is known.

    Parameters
    ----------
    t_s, values
        Samples, in order of time [s].
    edges_s
        Where columns begin, and where the last one ends [s]; a sample at an edge is in the column that begins there,
        one at the very end in the last column.
    until_s
        The last sample holds up to here [s]; what begins later is not known.
    means
        Mean from the sample before up to each sample, where more is known of it than that the sample before held.
    """
    if not len(t_s) or len(edges_s) < 2:
        unknown = np.full(max(len(edges_s) - 1, 0), np.nan)
        return unknown, unknown, unknown
    begins = np.maximum(
        np.searchsorted(t_s, edges_s[:-1], "right") - 1, 0
    )  # what holds when the column begins
    ends = np.searchsorted(t_s, edges_s[1:], "left")
    ends[-1] = np.searchsorted(t_s, edges_s[-1], "right")
    within = (ends > 0) & (edges_s[:-1] <= until_s)
    ends = np.maximum(ends, begins + 1)
    bounds = np.column_stack((begins, ends)).ravel()
    padded = np.append(values, np.nan)  # so that an end behind the last sample is one
    low = np.where(within, np.fmin.reduceat(padded, bounds)[::2], np.nan)
    high = np.where(within, np.fmax.reduceat(padded, bounds)[::2], np.nan)

    stops = np.append(t_s, max(until_s, t_s[-1]))
    held = np.append(values[:-1] if means is None else means[1:], values[-1])
    known = np.isfinite(held)
    spans = np.diff(stops) * known
    reach = np.clip(edges_s, t_s[0], stops[-1])
    known_s = np.diff(np.interp(reach, stops, np.concatenate(([0.0], np.cumsum(spans)))))
    area = np.concatenate(([0.0], np.cumsum(np.where(known, held, 0.0) * spans)))
    mean = np.divide(np.diff(np.interp(reach, stops, area)), known_s, out=low.copy(), where=known_s > 0)
    mean[~within] = np.nan
    if means is None:
        return low, np.clip(mean, low, high), high  # but for rounding it is between them
    return np.fmin(low, mean), mean, np.fmax(high, mean)
