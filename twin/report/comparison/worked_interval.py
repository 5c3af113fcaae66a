"""The paired interval of a comparison worked out with its numbers, so that it can be done again by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from twin.analysis.compare import Comparison
from twin.analysis.figures import ComparedFigure
from twin.analysis.paired_interval import LEVEL, PairedDifference, t_quantile
from twin.report.comparison.figures import FIRST
from twin.report.comparison.words import LEVEL_WORDS, known
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.words import figure_title

_MOST_SEEDS = 20
"""Seeds that are listed one by one."""
_MINUS = "\N{MINUS SIGN}"
_DIGITS = 5
"""Significant digits of the largest difference: enough to come to the interval as it is printed elsewhere."""
SOURCES = (
    "Paired interval: Student (W. S. Gosset) 1908, The probable error of a mean, Biometrika 6, 1",
    "Unpaired interval: Welch 1947, The generalization of Student's problem, Biometrika 34, 28",
    "Signs of the seeds: Dixon and Mood 1946, The statistical sign test, J. American Statistical Association 41, 557",
)
"""Where the methods of a comparison were published."""


@dataclass(frozen=True)
class WorkedInterval:
    """A paired interval, step by step.

    Parameters
    ----------
    differences
        B - A of each seed, d_i.
    mean, spread
        Their mean d, and their standard deviation s, of n - 1 degrees of freedom.
    t, half
        Quantile of Student's distribution, and half the width of the interval, t s / sqrt(n).
    """

    differences: tuple[float, ...]
    mean: float
    squares: float
    spread: float
    t: float
    half: float


def worked(differences: Sequence[float]) -> WorkedInterval:
    """Return the paired interval of the differences of at least two seeds, step by step.

    Examples
    --------
    >>> found = worked([1.0, 2.0, 3.0])
    >>> found.mean, found.squares, found.spread, round(found.half, 3)
    (2.0, 2.0, 1.0, 2.484)
    """
    n = len(differences)
    mean = math.fsum(differences) / n
    squares = math.fsum((difference - mean) ** 2 for difference in differences)
    spread, t = math.sqrt(squares / (n - 1)), t_quantile(n - 1, LEVEL)
    return WorkedInterval(tuple(differences), mean, squares, spread, t, t * spread / math.sqrt(n))


def worked_interval(found: Comparison) -> Markup | None:
    """Return the paired interval of the first figure that differs, with its numbers; None: one run of each."""
    chosen = _chosen(found)
    if chosen is None:
        return None
    figure, difference = chosen
    scale, unit = (100.0, "%") if figure.unit == "share" else (1.0, "")
    pairs = [
        (seed, scale * a, scale * b)
        for seed, (a, b) in zip(found.seeds, difference.pairs, strict=True)
        if a is not None and b is not None
    ]
    steps = worked([b - a for _, a, b in pairs])
    decimals = _decimals(max(map(abs, steps.differences)))
    n, pp, root = len(pairs), " pp" if unit else "", "\N{SQUARE ROOT}"
    spread, squares = (_plain(value, decimals) for value in (steps.spread, steps.squares))
    title = figure_title(figure)
    heads = (
        "seed",
        *(f"{side}{f', {unit}' if unit else ''}" for side in "AB"),
        f"d = B {_MINUS} A{pp and ', pp'}",
    )
    rows: list[tuple[Child, ...]] = [
        (str(seed), *(number(value, _plain(value, decimals)) for value in (a, b, b - a)))
        for seed, a, b in (pairs if n <= _MOST_SEEDS else ())
    ]
    means = [math.fsum(side) / n for side in zip(*(pair[1:] for pair in pairs), strict=True)]
    rows += [
        _row(f"mean = sum / {n}", decimals, *means, steps.mean),
        _row(f"sum of (d {_MINUS} mean)²", decimals, steps.squares),
        _row(f"s = {root}({squares} / {n - 1})", decimals, steps.spread),
        _row(f"half width = t s / {root}n = {steps.t:.3f} × {spread} / {root}{n}", decimals, steps.half),
    ]
    mean, half = (_plain(value, decimals) for value in (steps.mean, steps.half))
    note = (
        f"So the interval is {mean} ± {half}{pp}; s is the standard deviation, and t Student's quantile of n {_MINUS} "
        f"1 = {n - 1} degrees of freedom at {LEVEL_WORDS}, two-sided. "
        f"{_unpaired_words(difference, scale, decimals, pp)}"
    )
    lead = f"{title}, seed by seed:" if n <= _MOST_SEEDS else f"{title} of {n} seeds:"
    return joined([tag("p", lead), table(heads, rows, right=3), tag("p", note)])


def _row(title: str, decimals: int, *values: float) -> tuple[Child, ...]:
    """Return a line of the sums, whose last value is of the differences."""
    cells = [number(value, _plain(value, decimals)) for value in values]
    return (tag("b", title), *[""] * (3 - len(cells)), *cells)


def _unpaired_words(difference: PairedDifference, scale: float, decimals: int, pp: str) -> str:
    """Return the interval as if A and B had nothing in common, with its degrees of freedom and its t."""
    by = ""
    if difference.freedom is not None:
        t = t_quantile(difference.freedom, LEVEL)
        by = f", {difference.freedom:.2f} degrees of freedom, t = {t:.3f}"
    unpaired = difference.unpaired or 0.0
    half = f"{_plain(scale * unpaired, decimals)}{pp}"
    gain = "; pairs make it narrower" if unpaired > (difference.paired or 0.0) else ""
    return f"As if A and B had nothing in common (Welch{by}) it would be ± {half}{gain}."


def _chosen(found: Comparison) -> tuple[ComparedFigure, PairedDifference] | None:
    """Return the figure that is worked out: the first that decides of those that differ in several seeds."""
    differ = [pair for pair in known(found) if pair[1].paired is not None and not pair[1].same]
    order = {key: place for place, key in enumerate(FIRST)}
    return min(differ, key=lambda pair: order.get(pair[0].key, len(FIRST)), default=None)


def _decimals(size: float) -> int:
    return max(0, _DIGITS - 1 - math.floor(math.log10(size))) if size else 0


def _plain(value: float, decimals: int) -> str:
    return f"{value:,.{decimals}f}".replace("-", _MINUS)
