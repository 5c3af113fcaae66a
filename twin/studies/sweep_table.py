"""What a sweep comes to: each point with the bands of its figures, and how far it is from the scene as it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, nan

from twin.analysis.figures import ComparedFigure
from twin.analysis.paired_interval import PairedDifference, difference_of
from twin.studies.bands import FigureBand, band_of
from twin.studies.study_figures import is_closed
from twin.studies.sweep_records import SweepContents


@dataclass(frozen=True)
class PointRow:
    """What a point comes to.

    Attributes
    ----------
    point
        Its number.
    values
        Of the keys that vary; empty: the scene as it stands.
    reason
        Why it, a run or the closed forms of it could not be; "": all is well.
    runs
        Runs that are done.
    bands
        By figure, over seeds.
    differences
        By figure: from the scene as it stands to this point, paired by seed.
    """

    point: int
    values: tuple[str, ...]
    reason: str
    runs: int
    bands: Mapping[str, FigureBand]
    differences: Mapping[str, PairedDifference]


def sweep_rows(contents: SweepContents, figures: Sequence[ComparedFigure]) -> list[PointRow]:
    """Return what each point comes to so far, by number."""
    base = contents.header.base
    stands = {} if base is None else {figure.key: _values(contents, base, figure) for figure in figures}
    rows = []
    for number, point in sorted(contents.points.items()):
        bands, differences = {}, {}
        for figure in figures:
            values = _values(contents, number, figure)
            band = band_of(values)
            if band is not None:
                bands[figure.key] = band
            if base is not None and number != base:
                difference = difference_of(stands[figure.key], values)
                if difference is not None:
                    differences[figure.key] = difference
        runs = [
            run for seed in contents.header.seeds if (run := contents.runs.get((number, seed))) is not None
        ]
        reason = next((run.reason for run in runs if run.reason), contents.closed_reason(number))
        done = sum(not run.reason for run in runs)
        rows.append(PointRow(number, point.values, point.reason or reason, done, bands, differences))
    return rows


def _values(contents: SweepContents, point: int, figure: ComparedFigure) -> list[float | None]:
    return (
        [contents.closed(point).get(figure.key)] if is_closed(figure) else contents.figures(point, figure.key)
    )


def mean_of(contents: SweepContents, point: int, figure: ComparedFigure) -> float:
    """Return the mean of a figure of a point over all its seeds; NaN where a run is missing, or does not know it."""
    values = _values(contents, point, figure)
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if len(known) == len(values) else nan
