"""Which of two runs is better by money: by how much, and how sure that is over seeds and prices.

A difference is that of the means over the seeds, at each draw of the prices; where there are seeds, each draw of the
prices has a draw of Student's t for what the seeds leave open. So one range, P5 to P95, holds both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twin.analysis.figure_words import signed_percent
from twin.analysis.money_words import UNIT_TITLES, spread_of, usd_unit
from twin.analysis.paired_interval import t_within
from twin.analysis.run_cost import RunCost
from twin.arrays import Floats
from twin.language import tr
from twin.physics.normal import normal_quantile

LIKELY = 0.95
"""Share of the draws in which one must be cheaper for it to be called better."""
_NOTHING = 1e-9
"""Part of an amount below which two are the same: sums in another order."""
_NORMAL_FROM, _MOST_T, _GRID = 200, 1e3, 2_000
_MOST_DECIMALS, _CENTS_BELOW = 6, 100.0
Range = tuple[float, float, float]
"""P5, P50 and P95."""


@dataclass(frozen=True)
class ComparedAmount:
    """An amount in both runs.

    Parameters
    ----------
    key, title
        For programs and for people.
    a, b
        Means over the seeds, P5, P50 and P95 of the prices [USD, or `unit`].
    apart
        B - A, P5, P50 and P95 of prices and seeds [USD, or `unit`].
    b_lower
        Share of the draws in which B is lower [-].
    unit
        Of all three, where it is no money; "": USD.
    """

    key: str
    title: str
    a: Range
    b: Range
    apart: Range
    b_lower: float
    unit: str = ""

    @property
    def same(self) -> bool:
        """Return whether there is no difference beyond rounding."""
        return max(map(abs, self.apart)) <= _NOTHING * max(abs(self.a[1]), abs(self.b[1]))

    @property
    def cheaper(self) -> str:
        """Return which is lower in so many draws that it is said: "A", "B", or "": neither."""
        if self.same:
            return ""
        return "B" if self.b_lower >= LIKELY else "A" if self.b_lower <= 1.0 - LIKELY else ""


@dataclass(frozen=True)
class MoneyComparison:
    """What two runs cost.

    Parameters
    ----------
    total, lost, unit
        Cost of the run; what of it went to GPU time that was not productive; and of one unit of work, by which they
        are judged.
    seeds, draws
        Runs of each, and draws of the prices.
    """

    total: ComparedAmount
    lost: ComparedAmount
    unit: ComparedAmount
    seeds: int
    draws: int

    @property
    def rows(self) -> tuple[ComparedAmount, ...]:
        """Return the amounts, that by which they are judged first."""
        return self.unit, self.total, self.lost


def money_compared(a: Sequence[RunCost | None], b: Sequence[RunCost | None]) -> MoneyComparison | None:
    """Return what runs of A and of B cost, one of each for each seed; None where the cost of one is unknown.

    Work is counted in productive GPU-hours; between other kinds of GPUs in PFLOP-days where all are known.
    """
    first, second = ([cost for cost in costs if cost is not None] for costs in (a, b))
    if not first or len(first) != len(a) or len(second) != len(b):
        return None
    both = [*first, *second]
    by_flop = len({cost.parts for cost in both}) > 1 and all(cost.pflop_days for cost in both)
    work = [cost.pflop_days if by_flop else cost.productive_gpu_h for cost in both]
    if not all(work):
        return None
    key = "pflop_day" if by_flop else "gpu_h_productive"
    done = np.array(work, np.float64)[:, None]
    total = np.array([cost.total_usd for cost in both])
    lost = np.array([cost.lost_usd for cost in both])
    count = len(first)

    def row(key: str, title: str, usd: Floats) -> ComparedAmount:
        return compared_amount(key, title, usd[:count], usd[count:])

    return MoneyComparison(
        row("total_usd", tr("Cost of the run"), total),
        row("lost_usd", tr("Of it, GPU time that was not productive"), lost),
        row(key, UNIT_TITLES[key], total / done),
        count,
        total.shape[1],
    )


def compared_amount(key: str, title: str, a: Floats, b: Floats, unit: str = "") -> ComparedAmount:
    """Return the amounts of two designs, shape (seeds, draws) each [USD, or `unit`]."""
    apart = b - a
    apart[np.abs(apart) <= _NOTHING * np.maximum(np.abs(a), np.abs(b))] = 0.0
    middle = apart.mean(axis=0)
    if len(apart) > 1:
        error = apart.std(axis=0, ddof=1) / math.sqrt(len(apart))
        middle = middle + error * t_draws(len(apart) - 1, middle.size)
    return ComparedAmount(
        key,
        title,
        spread_of(a.mean(axis=0)),
        spread_of(b.mean(axis=0)),
        spread_of(middle),
        float((middle < 0.0).mean()),
        unit,
    )


def t_draws(freedom: int, draws: int) -> Floats:
    """Return draws of Student's t, evenly spread over its probability, in an order of no meaning, shape (draws,)."""
    u = (np.arange(draws) * 0.6180339887498949 + 0.5) % 1.0 * 0.998 + 0.001
    if freedom >= _NORMAL_FROM:
        return normal_quantile(u)
    t = np.concatenate([[0.0], np.geomspace(1e-3, _MOST_T, _GRID)])
    within = np.array([t_within(value, freedom) for value in t.tolist()])
    sign = np.where(u < 0.5, -1.0, 1.0)
    return np.asarray(sign * np.interp(np.abs(2.0 * u - 1.0), within, t), np.float64)


# --- words, the same in window, report and terminal


def money_verdict(found: MoneyComparison, a: str = "A", b: str = "B") -> str:
    """Return in a sentence which run is better by money, by how much, and how sure that is."""
    row = found.unit
    scale, usd, decimals = _shown(row)
    of_a, of_b = (f"{values[1] / scale:,.{decimals}f} {usd}" for values in (row.a, row.b))
    unit = tr("a productive GPU-hour") if row.key == "gpu_h_productive" else tr("a PFLOP-day of useful work")
    if row.same:
        return tr(
            "Neither is better by money: {unit} costs {usd} in {a} and in {b}.", unit=unit, usd=of_a, a=a, b=b
        )
    if not row.cheaper:
        return tr(
            "Money does not decide: {unit} costs {of_a} in {a} and {of_b} in {b}, apart by {apart} (P5 to "
            "P95: {low} to {high}); {sure}.",
            unit=unit,
            of_a=of_a,
            a=a,
            of_b=of_b,
            b=b,
            apart=_signed(row.apart[1] / scale, decimals),
            low=_signed(row.apart[0] / scale, decimals),
            high=_signed(row.apart[2] / scale, decimals),
            sure=_sure(found, a, b),
        )
    return tr(
        "{better} is better by money: {unit} costs {of_a} in {a} and {of_b} in {b}: {apart} {usd}, {percent} of {a} "
        "(P5 to P95: {low} to {high} {usd}); {sure}.",
        better=b if row.cheaper == "B" else a,
        a=a,
        b=b,
        unit=unit,
        of_a=of_a,
        of_b=of_b,
        percent=signed_percent(row.apart[1] / abs(row.a[1])),
        apart=_signed(row.apart[1] / scale, decimals),
        usd=usd,
        low=_signed(row.apart[0] / scale, decimals),
        high=_signed(row.apart[2] / scale, decimals),
        sure=_sure(found, a, b),
    )


def _sure(found: MoneyComparison, a: str, b: str) -> str:
    """Return which is cheaper in most draws, in how many of them, and what they vary."""
    share = found.unit.b_lower
    cheaper = b if share > 0.5 else a
    percent = math.floor(100.0 * max(share, 1.0 - share))
    if found.seeds > 1:
        return tr(
            "{cheaper} is cheaper in {percent} % of {draws:,} draws, which vary the prices and the luck of {seeds} "
            "paired seeds",
            cheaper=cheaper,
            percent=percent,
            draws=found.draws,
            seeds=found.seeds,
        )
    return tr(
        "{cheaper} is cheaper in {percent} % of {draws:,} draws of the prices, in one run of each: luck is not in this "
        "range",
        cheaper=cheaper,
        percent=percent,
        draws=found.draws,
    )


@dataclass(frozen=True)
class AmountWords:
    """A compared amount in words: its unit, A and B, and B - A with its range, signed; "" where there is none."""

    unit: str
    a: str
    b: str
    apart: str = ""
    low: str = ""
    high: str = ""

    @property
    def spread(self) -> str:
        """Return the range of the difference; "": there is none."""
        return tr("{low} to {high}", low=self.low, high=self.high) if self.low else ""


def amount_words(row: ComparedAmount) -> AmountWords:
    """Return an amount of both runs in one unit, with as many digits as tell the difference."""
    scale, unit, decimals = _shown(row)
    of_a, of_b = (f"{values[1] / scale:,.{decimals}f}" for values in (row.a, row.b))
    if row.same:
        return AmountWords(unit, of_a, of_b)
    low, middle, high = (_signed(value / scale, decimals) for value in row.apart)
    if row.apart[0] == row.apart[2]:
        return AmountWords(unit, of_a, of_b, middle)
    return AmountWords(unit, of_a, of_b, middle, low, high)


def row_cells(row: ComparedAmount) -> tuple[str, str, str, str, str]:
    """Return title with its unit, A, B, B - A, and the range of that difference; the last two may be ""."""
    words = amount_words(row)
    title = tr("{title}, {usd}", title=row.title, usd=words.unit)
    return title, words.a, words.b, words.apart, words.spread


def _shown(row: ComparedAmount) -> tuple[float, str, int]:
    """Return the unit of an amount, its name, and decimals that show three digits of it, two of the change."""
    size, apart = max(abs(row.a[1]), abs(row.b[1])), abs(row.apart[1])
    scale, name = (1.0, row.unit) if row.unit else usd_unit(size)
    cents = 2 if size < _CENTS_BELOW and not row.unit else 0
    places = [
        digits - math.floor(math.log10(value / scale))
        for value, digits in ((size, 2), (apart, 1))
        if value > 0.0
    ]
    return scale, name, min(_MOST_DECIMALS, max([cents, *places]))


def _signed(value: float, decimals: int) -> str:
    text = f"{abs(value):,.{decimals}f}"
    if not any(digit in "123456789" for digit in text):
        return text
    return f"{'+' if value > 0 else chr(0x2212)}{text}"
