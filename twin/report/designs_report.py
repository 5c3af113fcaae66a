"""Designs side by side for three readers: the answer with its differences; all figures with ranges; how to read it."""

from __future__ import annotations

from twin.analysis.designs_comparison import (
    LIKELY,
    DesignFigureRow,
    DesignsCompared,
    apart_words,
    basis_words,
    range_words,
    short_sentences,
    verdict_words,
)
from twin.record.inputs import app_version
from twin.report.glossary import with_glossary
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.pages import ReportPart, report
from twin.report.range_bars import RangeBar, RangeDot, range_bars, range_dots
from twin.shown_text import inner

_DRAWN = (
    "total_usd",
    "capital_usd",
    "yearly_usd",
    "gpu_hour_usd",
    "million_tokens_usd",
    "time_s",
    "carbon_kg",
)

_HOW = " Whiskers run from P5 to P95 of the draws; full dots are differences of one sign between them."


def designs_report(found: DesignsCompared) -> str:
    """Return the report of a comparison of designs."""
    money = [row for key in _DRAWN if (row := found.row(key)) is not None]
    first, *others = found.titles
    versus = f"{', '.join(others)} against {first}"
    parts = [
        ReportPart(
            "summary",
            "Summary",
            "for who decides",
            (
                ("Which is best?", " ".join(short_sentences(found)) or "No figure is known of both."),
                ("How sure is that?", _sure(found)),
            ),
            (("all", "All figures", _all(found)), ("differences", f"Differences to {first}", _dots(found))),
        ),
        ReportPart(
            "engineering",
            "Engineering",
            "for who builds and runs it",
            (("What limits each?", _limits(found)),),
            (
                ("charts", "Figures with their ranges", joined([_chart(found, row) for row in money])),
                ("changes", f"Differences to {first} in figures", _differences(found)),
            ),
        ),
        ReportPart(
            "method",
            "Method",
            "for who teaches or checks",
            (
                (
                    "What is compared?",
                    f"{versus}: scenes of the same model, with the same prices in each draw.",
                ),
                ("What are the ranges?", basis_words(found)),
                (
                    "Why are differences surer than totals?",
                    "Most prices of this trade are secret, so totals have wide ranges. Both designs have the same "
                    "price in each draw: what they share cancels.",
                ),
            ),
            (("reading", "How to read this", _reading(found)),),
            flows=True,
        ),
    ]
    title = (
        f"{versus}: designs compared" if len(found.titles) == 2 else f"{len(found.titles)} designs compared"
    )
    lead = "Simulated and estimated, not measured"
    return report(title, lead, with_glossary(parts), app_version())


def _sure(found: DesignsCompared) -> str:
    """Return which differences are beyond the draws, of those that decide."""
    said = []
    for place, title in enumerate(found.titles[1:], start=1):
        figures: dict[str, list[str]] = {}
        for row in found.rows:
            cell = row.cells[place]
            if cell is not None and cell.better is not None and row.figure.key in _DRAWN:
                figures.setdefault(verdict_words(row.figure, cell), []).append(row.figure.title)
        if figures:
            told = "; ".join(f"{', '.join(names)} {sure}" for sure, names in figures.items())
            said.append(f"{title}: {told}.")
    if not said:
        return "Nothing is known of both."
    basis = f"in {100.0 * LIKELY:.0f} % of draws or more if no share is given"
    return f"{' '.join(said)} That is against {found.titles[0]}, {basis}."


def _limits(found: DesignsCompared) -> str:
    pairs = zip(found.titles, found.bindings, strict=True)
    return f"{'; '.join(f'{title}: {binding}' for title, binding in pairs)}."


def _dots(found: DesignsCompared) -> Markup:
    """Return the differences of each design to the first in percent of it, with their intervals."""
    parts: list[Child] = []
    first = found.titles[0]
    for place, title in enumerate(found.titles[1:], start=1):
        dots = []
        for row in found.rows:
            cell, base = row.cells[place], row.cells[0]
            if cell is None or cell.difference is None or base is None or not base.values[1]:
                continue
            if not row.is_judged:
                continue
            low, middle, high = (100.0 * value / abs(base.values[1]) for value in cell.difference)
            told = f"{apart_words(row.figure, cell).partition(' (')[0]} {row.figure.apart_unit}"
            sure = low > 0.0 or high < 0.0
            dots.append(RangeDot(row.figure.title, low, middle, high, told, sure))
        if dots:
            most = max(dots, key=lambda dot: abs(dot.middle))
            seen = tag("b", f"{title} against {first}: the most in {inner(most.title)}, {most.text}.")
            caption = f" In percent of {first}, to the right is more.{_HOW if place == 1 else ''}"
            chart = range_dots(dots, f"{title} against {first} in percent")
            parts.append(tag("figure", chart, tag("figcaption", seen, caption)))
    return joined(parts) if parts else tag("p", "Nothing is known of both.")


def _chart(found: DesignsCompared, row: DesignFigureRow) -> Markup:
    figure = row.figure
    bars = [
        RangeBar(
            title,
            cell.values[0] / figure.scale,
            cell.values[1] / figure.scale,
            cell.values[2] / figure.scale,
            range_words(figure, cell.values),
            place == row.best,
            own_colour=True,
        )
        for place, (title, cell) in enumerate(zip(found.titles, row.cells, strict=True))
        if cell is not None
    ]
    middles = [bar.middle for bar in bars]
    least, most = (bars[middles.index(end(middles))] for end in (min, max))
    seen = f"{figure.title}, {figure.unit}: {least.text} of {least.title} to {most.text} of {most.title}."
    caption = tag("figcaption", tag("b", seen), f" {figure.meaning}.")
    return tag("figure", range_bars(bars, f"{figure.title} in {figure.unit}"), caption)


def _differences(found: DesignsCompared) -> Markup:
    rows = []
    for row in found.rows:
        for title, cell in zip(found.titles[1:], row.cells[1:], strict=True):
            if cell is not None and cell.difference is not None:
                sure = verdict_words(row.figure, cell)
                rows.append(
                    (
                        f"{row.figure.title}, {row.figure.apart_unit}",
                        title,
                        number(
                            cell.difference[1], apart_words(row.figure, cell), f"{row.figure.key}.difference"
                        ),
                        tag("b" if sure in ("better", "worse") else "span", sure),
                    )
                )
    if not rows:
        return tag("p", "Nothing is known of both.")
    return joined(
        [
            tag("p", "Median of the differences draw by draw, and P5 to P95 of them.", class_="note"),
            table(("figure", "design", "difference", ""), rows),
        ]
    )


def _all(found: DesignsCompared) -> Markup:
    rows = [
        (
            f"{row.figure.title}, {row.figure.unit}",
            *(
                "not known"
                if cell is None
                else tag(
                    "b" if place == row.best else "span",
                    number(cell.values[1], range_words(row.figure, cell.values), f"{row.figure.key}.{place}"),
                )
                for place, cell in enumerate(row.cells)
            ),
        )
        for row in found.rows
    ]
    rows.append(("Nearest limit", *found.bindings))
    return table(("figure", *found.titles), rows)


def _reading(found: DesignsCompared) -> Markup:
    told: list[Child] = [
        tag(
            "p",
            "A bar is the median, its whisker runs from P5 to P95: nine of ten outcomes lie within it. A star marks "
            "the best median.",
        ),
    ]
    told += [tag("p", tag("b", row.figure.title), f": {row.figure.meaning}.") for row in found.rows]
    told += [tag("p", note, class_="note") for note in found.notes]
    for title, late in zip(found.titles, found.late, strict=False):
        if late:
            told.append(tag("p", f"{title}: in {late} of {len(found.seeds)} runs not all jobs were done."))
    return joined(told)
