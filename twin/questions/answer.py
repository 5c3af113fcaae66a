"""An answer to a question of the trade: a sentence, figures with ranges, one chart, how and on what it came about."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from twin import units
from twin.analysis.money_words import use_words
from twin.arrays import Floats
from twin.language import tr
from twin.units.render import MISSING

_USD_SCALES = ((1e9, tr("billion USD")), (1e6, tr("million USD")), (0.0, "USD"))
QUANTILES = (0.05, 0.5, 0.95)
YEAR_S, DAY_S = 365.25 * 86_400.0, 86_400.0
_TYPED = ((2.0 * DAY_S, "day"), (7200.0, "h"), (120.0, "min"), (0.0, "s"))
"""From which length on which unit is typed."""


@dataclass(frozen=True)
class AnswerFigure:
    """One figure of an answer.

    Parameters
    ----------
    key, title
        In JSON, and for people.
    value
        In `unit`; inf: never; nan: not known.
    unit
        A dimension of `twin.units`, in SI units; "utilisation" from which on something holds; else a word: "GPUs",
        "USD", "USD/year".
    low, high
        Its range: P5 and P95 of samples, or what the method says; None: it has none.
    """

    key: str
    title: str
    value: float
    unit: str = ""
    low: float | None = None
    high: float | None = None

    @property
    def words(self) -> str:
        """Return the value as people read it."""
        return worded(self.value, self.unit)

    @property
    def range_words(self) -> str:
        """Return its range as people read it; "" without one."""
        if self.low is None or self.high is None:
            return ""
        low, high = worded(self.low, self.unit), worded(self.high, self.unit)
        number, _, name = low.partition(" ")
        return tr("{low} to {high}", low=number if high.endswith(f" {name}") else low, high=high)


@dataclass(frozen=True)
class AnswerCurve:
    """A curve of a chart; its band lies between `low` and `high`, () where it has none."""

    title: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


@dataclass(frozen=True)
class AnswerMark:
    """A point of a chart that has a name, such as the answer."""

    title: str
    x: float
    y: float


@dataclass(frozen=True)
class AnswerBar:
    """A bar of a chart, with its range."""

    title: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class AnswerChart:
    """The chart of an answer: curves with marks, or bars.

    Parameters
    ----------
    title
        What is shown.
    y_title, y_unit
        Of values; units as of figures.
    x_title, x_unit
        Of curves.
    curves, marks, bars
        What is in it.
    is_log
        Whether x is on a logarithmic scale.
    most
        Value up to which curves are shown; None: as far as they go, or well above the marks.
    """

    title: str
    y_title: str
    y_unit: str
    x_title: str = ""
    x_unit: str = ""
    curves: tuple[AnswerCurve, ...] = ()
    marks: tuple[AnswerMark, ...] = ()
    bars: tuple[AnswerBar, ...] = ()
    is_log: bool = False
    most: float | None = None


@dataclass(frozen=True)
class TradeAnswer:
    """An answer.

    Parameters
    ----------
    sentence
        The answer in one.
    figures
        The first one is the answer.
    chart
        One picture of it.
    method
        How it was worked out, in sentences.
    rests_on
        What it rests on: estimates, what is left out.
    """

    sentence: str
    figures: tuple[AnswerFigure, ...]
    chart: AnswerChart
    method: tuple[str, ...]
    rests_on: tuple[str, ...] = field(default=())

    def figure(self, key: str) -> AnswerFigure:
        """Return a figure by its key."""
        return next(figure for figure in self.figures if figure.key == key)


def worded(value: float, unit: str) -> str:
    """Return a value as people read it.

    Examples
    --------
    >>> worded(20e6, "power"), worded(0.4, "fraction"), worded(14_928.0, "GPUs"), worded(2.5e9, "USD")
    ('20 MW', '40 %', '14,928 GPUs', '2.5 billion USD')
    >>> worded(2.95, "USD/h"), worded(3.4e6, "USD/year"), worded(float("inf"), "duration")
    ('2.95 USD/h', '3.4 million USD/year', 'never')
    """
    if math.isnan(value):
        return MISSING
    if unit == "utilisation":
        return use_words(value)
    if math.isinf(value):
        return tr("never") if unit == "duration" else tr("no limit")
    if unit in units.DIMENSIONS:
        if unit == "fraction" and 0.99 < value < 1.0:
            return f"{100.0 * value:.{math.floor(-math.log10(1.0 - value))}f} %"
        if unit == "duration":
            return _length(value)
        return str(units.render(float(f"{value:.4g}"), unit))
    if unit.startswith("USD"):
        scale, name = next((scale, name) for scale, name in _USD_SCALES if abs(value) >= scale)
        per = unit.removeprefix("USD")
        amount = value / scale if scale >= 1e6 else value
        digits = f"{amount:,.3g}" if abs(amount) < 1e3 and abs(amount) != 0.0 else f"{amount:,.0f}"
        return f"{digits} {name}{per}"
    number = f"{value:,.0f}" if abs(value) >= 100.0 or value == round(value) else f"{value:.3g}"
    return f"{number} {unit}".rstrip()


def duration_text(length_s: float) -> str:
    """Return a length of time as it is typed, in the unit that people think in.

    Examples
    --------
    >>> duration_text(10_010.0), duration_text(223.4), duration_text(3.0e5), duration_text(20.0)
    ('2.781 h', '3.723 min', '3.472 day', '20 s')
    """
    unit = next(name for least, name in _TYPED if length_s >= least)
    return str(units.render(length_s, "duration", 4, unit))


def _length(length_s: float) -> str:
    """Return a length of time as planners say it: in years from two on, in months from four on, in days from two on."""
    if not length_s:
        return tr("now")
    for least, unit_s, text in (
        (2.0 * YEAR_S, YEAR_S, tr("{number} years")),
        (YEAR_S / 3.0, YEAR_S / 12.0, tr("{number} months")),
        (2.0 * DAY_S, DAY_S, tr("{number} days")),
    ):
        if length_s >= least:
            number = length_s / unit_s
            return text.format(number=f"{number:.0f}" if number >= 10.0 else f"{number:.2g}")
    return units.spoken(length_s)


def ranged(key: str, title: str, samples: Floats, unit: str) -> AnswerFigure:
    """Return a figure with the P5, P50 and P95 of its samples."""
    low, middle, high = np.quantile(samples, QUANTILES).tolist()
    return AnswerFigure(key, title, middle, unit, low, high)


def floats(values: Floats) -> tuple[float, ...]:
    """Return an array as a tuple."""
    return tuple(float(value) for value in values)
