"""The figures of two runs side by side: a table with intervals and verdicts, and a picture of the differences."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from itertools import pairwise

from twin.analysis.compare import Comparison
from twin.analysis.figure_words import signed_percent
from twin.analysis.figures import ComparedFigure
from twin.analysis.paired_interval import PairedDifference
from twin.analysis.significance import judged, seeds_words
from twin.report.comparison.money import money_dots
from twin.report.comparison.words import (
    LEVEL_WORDS,
    apart,
    apart_parts,
    equal_as_shown,
    has_many,
    is_comparable,
    known,
    share_of_a,
)
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.range_bars import RangeDot, range_dots
from twin.report.run_facts import standing_mark
from twin.report.words import figure_text, figure_title

FIRST = ("goodput", "lost_gpu_h", "energy_per_gpu_h", "mfu", "pue", "power_max_w", "carbon_kg")
"""Figures in the picture of the summary, beside money."""
_LEAST = 0.1
"""Differences of so few percent of A are not drawn."""
_MOST = 7
"""So many differences are drawn."""
_LINE = 16
"""Letters of a verdict that stays on one line."""
_GAP = 2 * "\N{NO-BREAK SPACE}"
"""Between a number and words to its right."""
_SIZES = (10.0, 100.0)
"""Differences up to so many percent of A are in one picture, so that larger ones do not hide smaller ones."""


def figure_dots(found: Comparison, keys: Collection[str] = FIRST) -> Markup:
    """Return what a unit of work costs and some figures as differences in percent of A, each with its interval.

    Small ones are drawn apart from large ones. `keys`: of which figures, as far as they mean the same in A and B.
    """
    pairs = [pair for pair in _by_keys(found, keys) if is_comparable(pair[0], found)]
    dots = [dot for dot in (*money_dots(found), *(_dot(*pair) for pair in pairs)) if abs(dot.middle) > _LEAST]
    dots = dots[:_MOST]
    if not dots:
        return tag("p", "None of them differs as shown.")
    how = (
        f"Full dots are significant ({LEVEL_WORDS}), hollow ones are not. Whiskers are {LEVEL_WORDS} intervals"
        f"{', of cost P5 to P95' if found.money is not None else ''}."
        if has_many(found)
        else "One run of each: nothing says what is chance."
    )
    edges = (0.0, *_SIZES, math.inf)
    groups = [
        (
            f"Differences of more than {low:.0f} % of A"
            if low
            else f"Differences of {least:.0f} % of A or less",
            [dot for dot in dots if low < abs(dot.middle) <= least],
        )
        for low, least in pairwise(edges)
    ]
    groups = [(title, chosen) for title, chosen in reversed(groups) if chosen]
    parts: list[Child] = []
    for title, chosen in groups:
        told = f" To the right of 0: more in B. {how}" if (title, chosen) == groups[-1] else None
        caption = tag("figcaption", tag("b", f"{title}. {_seen_words(chosen)}"), told)
        parts.append(tag("figure", range_dots(chosen, f"{title}, in percent"), caption))
    return joined(parts)


def _seen_words(dots: Sequence[RangeDot]) -> str:
    """Return what a picture of differences shows, in percent of A: its largest one, and its smallest."""
    order = sorted(dots, key=lambda dot: -abs(dot.middle))
    named = [f"{dot.title} {signed_percent(dot.middle / 100.0)}{_ends(dot)}" for dot in (order[0], order[-1])]
    if len(order) == 1:
        return f"{named[0]}."
    return f"Most: {named[0]}; least: {named[1]}."


def _ends(dot: RangeDot) -> str:
    return (
        ""
        if dot.low == dot.high
        else f" ({signed_percent(dot.low / 100.0)} to {signed_percent(dot.high / 100.0)})"
    )


def _by_keys(found: Comparison, keys: Collection[str]) -> list[tuple[ComparedFigure, PairedDifference]]:
    """Return figures that differ as shown, in the order of their keys."""
    by_key = {figure.key: (figure, difference) for figure, difference in known(found)}
    chosen = [by_key[key] for key in keys if key in by_key]
    return [pair for pair in chosen if pair[1].a and not pair[1].same and not equal_as_shown(*pair)]


def _dot(figure: ComparedFigure, difference: PairedDifference) -> RangeDot:
    percent = 100.0 / abs(difference.a)
    middle, half = difference.difference * percent, (difference.paired or 0.0) * percent
    return RangeDot(
        figure_title(figure),
        middle - half,
        middle,
        middle + half,
        apart(figure, difference),
        difference.beyond_chance,
    )


def figures_table(found: Comparison, heads: tuple[str, str], keys: Collection[str] | None = None) -> Markup:
    """Return the figures that differ, a line each, and those that do not in a sentence; `keys`: None, of all."""
    many = has_many(found)
    marks = [standing_mark(standing) for standing in found.standings]
    called = [
        joined([tag("b", name[:1]), [" (", mark, ")"] if mark else None, name[1:], ". "])
        for name, mark in zip(heads, marks, strict=True)
    ]
    change = "B \N{MINUS SIGN} A"
    columns = ["figure", "A", "B", f"{change}, paired ±" if many else change, "of A"]
    if many:
        columns.append("seeds + / \N{MINUS SIGN}")
    columns.append(f"{_GAP}verdict")
    rows, same = [], []
    for figure, difference in known(found):
        if keys is not None and figure.key not in keys:
            continue
        if difference.same:
            same.append(f"{figure_title(figure)} {figure_text(figure, difference.a)}")
        else:
            rows.append((*_cells(figure, difference, many), _verdict(figure, found, difference)))
    note = (
        f" A and B: means over the seeds; ±: half of the {LEVEL_WORDS} interval, paired by seed; seeds + / "
        "\N{MINUS SIGN}: in how many B is higher and lower. Bold: significant; equal as shown: below the digits shown."
    )
    if any(not is_comparable(figure, found) for figure, _ in known(found)):
        note += " Other size, other GPUs: these alone make a difference, so that it is not judged."
    return joined(
        [
            tag("p", called, tag("span", note, class_="note") if many else None),
            table(columns, rows, right=len(columns) - 2, class_="wide figures", left=1) if rows else None,
            tag("p", f"The same in A and B: {', '.join(same)}.") if same else None,
        ]
    )


def _cells(figure: ComparedFigure, difference: PairedDifference, many: bool) -> list[Child]:
    size = difference.size
    words, half = apart_parts(figure, difference)
    change = number(difference.difference, _brief(words), f"{figure.key}.difference")
    cells: list[Child] = [
        figure_title(figure),
        number(difference.a, _brief(figure_text(figure, difference.a, size)), f"{figure.key}.a"),
        number(difference.b, _brief(figure_text(figure, difference.b, size)), f"{figure.key}.b"),
    ]
    part = "" if figure.unit == "temperature" else share_of_a(difference)  # degrees Celsius begin anywhere
    if not many:
        return [*cells, change, part]
    paired = joined([change, " ± ", number(difference.paired, _brief(half))])
    return [*cells, paired, part, seeds_words(difference)]


def _brief(text: str) -> str:
    """Return an amount with the unit of money that is short enough for a cell."""
    return text.replace("thousand USD", "kUSD").replace("million USD", "MUSD")


def _verdict(figure: ComparedFigure, found: Comparison, difference: PairedDifference) -> Markup:
    """Return which is better by a difference, in bold where it is significant."""
    if not is_comparable(figure, found):
        words = "other GPUs" if figure.per_gpu_h else "other size"
        return joined([_GAP, tag("span", words.replace(" ", "\N{NO-BREAK SPACE}"))])
    if equal_as_shown(figure, difference):
        return joined([_GAP, tag("span", "equal\N{NO-BREAK SPACE}as\N{NO-BREAK SPACE}shown")])
    words = judged(figure, found).words.replace(" is better", " better")
    sure = bool(difference.beyond_chance)
    if len(words) <= _LINE:
        words = words.replace(" ", "\N{NO-BREAK SPACE}")
    return joined([_GAP, tag("b" if sure else "span", words or ("significant" if sure else ""))])
