"""The figures of two runs side by side: a table with intervals and verdicts, and a picture of the differences."""

from __future__ import annotations

from collections.abc import Collection

from twin.analysis.compare import Comparison
from twin.analysis.figures import ComparedFigure
from twin.analysis.paired_interval import PairedDifference
from twin.analysis.significance import judged, seeds_words
from twin.report.comparison.money import money_dot
from twin.report.comparison.words import LEVEL_WORDS, apart, apart_parts, equal_as_shown, has_many, known
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.range_bars import RangeDot, range_dots
from twin.report.run_facts import standing_mark
from twin.report.words import apart_text, figure_text, figure_title

FIRST = ("goodput", "lost_gpu_h", "productive_gpu_h", "energy_per_gpu_h", "power_max_w", "carbon_kg")
"""Figures in the picture of the summary, beside money."""
_LINE = 16
"""Letters of a verdict that stays on one line."""
_SMALL = 10.0
"""Differences up to so many percent of A are in one picture; larger ones have their own."""


def figure_dots(found: Comparison, keys: Collection[str], money: bool) -> Markup:
    """Return differences in percent of A, each with its interval; large ones apart from small ones.

    `keys`: of which figures; `money`: with the cost of a unit of work.
    """
    dots = [_dot(figure, found.differences[figure.key]) for figure, _ in _by_keys(found, keys)]
    if money and (cost := money_dot(found)) is not None:
        dots.insert(0, cost)
    if not dots:
        return tag("p", "None of them differs as shown.")
    how = (
        f" Full dots are significant ({LEVEL_WORDS}), hollow ones are not. Whiskers are {LEVEL_WORDS} intervals"
        f"{', of money P5 to P95' if money and found.money is not None else ''}."
        if has_many(found)
        else " One run of each: nothing says what is chance."
    )
    groups = (
        (f"What differs by more than {_SMALL:.0f} %?", [dot for dot in dots if abs(dot.middle) > _SMALL]),
        (f"What differs by {_SMALL:.0f} % or less?", [dot for dot in dots if abs(dot.middle) <= _SMALL]),
    )
    asked = [(question, chosen) for question, chosen in groups if chosen]
    parts: list[Child] = []
    for question, chosen in asked:
        told = how if (question, chosen) == asked[-1] else None
        caption = tag("figcaption", "In percent of A, to the right is more in B.", told)
        chart = tag("figure", range_dots(chosen, "Differences in percent of A"), caption)
        parts += [tag("h3", question), chart]  # each under its own heading, on whatever page it is
    return joined(parts)


def other_keys(found: Comparison) -> list[str]:
    """Return the figures that are not in the picture of the summary."""
    return [figure.key for figure, _ in known(found) if figure.key not in FIRST]


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
        joined([tag("b", name[:1]), name[1:], " " if mark else None, mark, ". "])
        for name, mark in zip(heads, marks, strict=True)
    ]
    columns = ["figure", "A", "B", "B \N{MINUS SIGN} A"]
    if many:
        columns = [*columns[:3], "B \N{MINUS SIGN} A, paired ±", "unpaired ±", "seeds + / \N{MINUS SIGN}"]
    columns.append("verdict")
    rows, same = [], []
    for figure, difference in known(found):
        if keys is not None and figure.key not in keys:
            continue
        if difference.same:
            same.append(f"{figure_title(figure)} {figure_text(figure, difference.a)}")
        else:
            rows.append((*_cells(figure, difference, many), _verdict(figure, found, difference)))
    note = (
        f"A and B are means over the seeds. Intervals are half widths at {LEVEL_WORDS}; paired: both have the same "
        "failures. Seeds + / \N{MINUS SIGN}: with how many of them the figure is higher and lower in B. Bold verdicts "
        f"are significant ({LEVEL_WORDS}); equal as shown: the difference is below the digits shown, and not counted."
    )
    return joined(
        [
            tag("p", called),
            table(columns, rows, right=len(columns) - 2, class_="wide figures", left=1) if rows else None,
            tag("p", f"The same in A and B: {', '.join(same)}.") if same else None,
            tag("p", note, class_="note") if many else None,
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
    if not many:
        return [*cells, change]
    _, unpaired = apart_text(figure, difference.difference, difference.unpaired, size)
    return [
        *cells,
        joined([change, " ± ", number(difference.paired, _brief(half))]),
        number(difference.unpaired, _brief(unpaired)),
        seeds_words(difference),
    ]


def _brief(text: str) -> str:
    """Return an amount with the unit of money that is short enough for a cell."""
    return text.replace("thousand USD", "kUSD").replace("million USD", "MUSD")


def _verdict(figure: ComparedFigure, found: Comparison, difference: PairedDifference) -> Markup:
    """Return which is better by a difference, in bold where it is significant."""
    if equal_as_shown(figure, difference):
        return tag("span", "equal\N{NO-BREAK SPACE}as\N{NO-BREAK SPACE}shown")
    words = judged(figure, found).words.replace(" is better", " better")
    sure = bool(difference.beyond_chance)
    if len(words) <= _LINE:
        words = words.replace(" ", "\N{NO-BREAK SPACE}")
    return tag("b" if sure else "span", words or ("significant" if sure else ""))
