"""The points of a study as arrays: where each is, what it comes to over seeds. No widgets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from twin.analysis.figure_words import scale_of, value_words
from twin.analysis.figures import ComparedFigure
from twin.analysis.paired_interval import PairedDifference, difference_of
from twin.app.study.key_axis import KeyAxis, key_axis
from twin.app.study.key_words import key_words
from twin.arrays import Bools, Floats, Ints64
from twin.studies.study_figures import STUDY_FIGURES, is_closed
from twin.studies.sweep_records import SweepContents

_SHARES = (0.05, 0.5, 0.95)


@dataclass(frozen=True)
class FigureBands:
    """A figure at all points; NaN where no run knows it.

    Attributes
    ----------
    values
        Of each run, shape (points, seeds).
    seeds
        Runs that know it, shape (points,).
    mean, p5, p50, p95
        Over these, shape (points,).
    """

    values: Floats
    seeds: Ints64
    mean: Floats
    p5: Floats
    p50: Floats
    p95: Floats

    @property
    def known(self) -> Bools:
        """Return which points have a value."""
        return np.isfinite(self.mean)

    @property
    def varies(self) -> bool:
        """Return whether points differ in it."""
        known = self.mean[self.known]
        return len(known) > 1 and bool(np.ptp(known) > 1e-12 * np.abs(known).max())

    @property
    def like(self) -> float:
        """Return how large the figure is."""
        return float(np.nanmax(np.abs(self.mean))) if self.known.any() else 0.0

    def scale(self, figure: ComparedFigure) -> tuple[float, str]:
        """Return size and name of the unit that it is shown in."""
        return scale_of(figure, self.like)


def bands_of_runs(values: Floats) -> FigureBands:
    """Return the bands over runs, shape (points, seeds), NaN: unknown; quantiles linear between the ordered runs."""
    ordered = np.sort(values, axis=1)  # NaN comes last
    seeds = np.isfinite(values).sum(axis=1)
    some = np.maximum(seeds, 1)
    mean = np.where(seeds > 0, np.nansum(values, axis=1) / some, np.nan)
    found = []
    for share in _SHARES:
        at = share * (some - 1)
        below = np.floor(at).astype(np.int64)
        above = np.minimum(below + 1, some - 1)
        low = np.take_along_axis(ordered, below[:, None], axis=1)[:, 0]
        high = np.take_along_axis(ordered, above[:, None], axis=1)[:, 0]
        found.append(low + (high - low) * (at - below))
    return FigureBands(values, seeds, mean, found[0], found[1], found[2])


@dataclass
class StudyPoints:
    """Points of a study so far.

    Parameters
    ----------
    contents
        What its file holds.
    standing
        By key: its value in the scene as it stands, as far as that is known.
    best
        Numbers of points that are marked as best.

    Attributes
    ----------
    numbers
        Of the points, shape (points,), ascending.
    """

    contents: SweepContents
    standing: Mapping[str, str] = field(default_factory=dict)
    best: frozenset[int] = frozenset()
    _bands: dict[str, FigureBands] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.numbers: Ints64 = np.array(sorted(self.contents.points), np.int64)
        self._index = {number: place for place, number in enumerate(self.numbers.tolist())}

    @property
    def base(self) -> int | None:
        """Return the number of the point that is the scene as it stands."""
        return self.contents.header.base

    @cached_property
    def axes(self) -> tuple[KeyAxis, ...]:
        """Return the axis of each key."""
        found = []
        labels = Counter(key_words(key.path).label for key in self.contents.header.keys)
        for place, key in enumerate(self.contents.header.keys):
            texts = (point.values[place] for point in self.contents.points.values() if point.values)
            listed = bool(key.texts) or self.contents.header.design == "grid"
            axis = key_axis(key, texts, self.standing.get(key.path, ""), listed=listed)
            found.append(replace(axis, is_alone=labels[key_words(key.path).label] == 1))
        return tuple(found)

    @cached_property
    def places(self) -> Floats:
        """Return where each point is on each axis, shape (points, keys); NaN: not known."""
        rows = [
            [axis.place(text) for axis, text in zip(self.axes, self.texts(number), strict=True)]
            for number in self.numbers.tolist()
        ]
        return np.array(rows, np.float64).reshape(len(self.numbers), len(self.axes))

    def texts(self, number: int) -> tuple[str, ...]:
        """Return the values of a point, of the scene as it stands as far as they are known."""
        values = self.contents.points[number].values
        return values or tuple(self.standing.get(key.path, "") for key in self.contents.header.keys)

    def index(self, number: int | None) -> int | None:
        """Return the place of a point in the arrays; None: it is not there."""
        return None if number is None else self._index.get(number)

    @cached_property
    def figures(self) -> tuple[ComparedFigure, ...]:
        """Return the figures that any run knows."""
        known: dict[str, None] = {}
        for run in self.contents.runs.values():
            if len(known) == len(STUDY_FIGURES):
                break
            known.update(dict.fromkeys(key for key, value in run.figures.items() if value is not None))
        return tuple(figure for key, figure in STUDY_FIGURES.items() if key in known)

    def bands(self, figure: ComparedFigure) -> FigureBands:
        """Return a figure at all points."""
        if figure.key not in self._bands:
            contents, runs = self.contents, self.contents.runs
            seeds: Sequence[int | None] = (None,) if is_closed(figure) else contents.header.seeds
            values = np.full((len(self.numbers), len(seeds)), np.nan)
            for row, number in enumerate(self.numbers.tolist()):
                for column, seed in enumerate(seeds):
                    run = runs.get((number, seed))
                    value = None if run is None else run.figures.get(figure.key)
                    if value is not None:
                        values[row, column] = value
            self._bands[figure.key] = bands_of_runs(values)
        return self._bands[figure.key]

    def difference(self, figure: ComparedFigure, number: int) -> PairedDifference | None:
        """Return how far a point is from the scene as it stands, paired by seed; None: nobody knows."""
        base, place, bands = self.index(self.base), self.index(number), self.bands(figure)
        if base is None or place is None or base == place:
            return None
        a, b = (
            [None if np.isnan(value) else value for value in bands.values[row].tolist()]
            for row in (base, place)
        )
        return difference_of(a, b)

    def reason(self, number: int) -> str:
        """Return why a point, or a run of it, could not be; "": all is well so far."""
        point, contents = self.contents.points[number], self.contents
        if point.reason:
            return point.reason
        seeds: tuple[int | None, ...] = (*contents.header.seeds, None)
        runs = (contents.runs.get((number, seed)) for seed in seeds)
        return next((run.reason for run in runs if run is not None and run.reason), "")

    def named(self, number: int) -> str:
        """Return what a point is, such as "Nodes 2, Checkpoint interval 5 min"."""
        pairs = zip(self.axes, self.texts(number), strict=True)
        return ", ".join(f"{axis.name} {text}" for axis, text in pairs if text)

    def words(self, figure: ComparedFigure, number: int) -> str:
        """Return a figure of a point: its median, with the band where there are several seeds; "": unknown."""
        place, bands = self.index(number), self.bands(figure)
        if place is None or not bands.seeds[place]:
            return ""
        like = bands.like
        middle = value_words(figure, float(bands.p50[place]), like)
        if bands.seeds[place] < 2:
            return middle
        ends = (value_words(figure, float(end[place]), like) for end in (bands.p5, bands.p95))
        return f"{middle} ({' … '.join(ends)})"


def front_of_two(x: Floats, y: Floats, x_better: int, y_better: int) -> Ints64:
    """Return the places of points that none is better than in both, by x; a figure without a better way has none.

    >>> front_of_two(np.array([1.0, 2.0, 3.0, 2.5]), np.array([1.0, 3.0, 4.0, 2.0]), 1, -1).tolist()
    [0, 3, 2]
    """
    if not x_better or not y_better:
        return np.zeros(0, np.int64)
    known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    order = known[np.lexsort((-y_better * y[known], -x_better * x[known]))]  # the best of x first
    found, best = [], -np.inf
    for place in order.tolist():
        if y_better * y[place] > best:
            found.append(place)
            best = y_better * y[place]
    return np.array(found[::-1] if x_better > 0 else found, np.int64)
