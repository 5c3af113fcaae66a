"""Designs side by side as one HTML file, for people who decide: the answer first, then bars with ranges, then all."""

from __future__ import annotations

from twin.analysis.designs_comparison import (
    DesignFigureRow,
    DesignsCompared,
    apart_words,
    basis_words,
    range_words,
    short_sentences,
    verdict_words,
)
from twin.record.inputs import app_version
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.pages import document
from twin.report.range_bars import RangeBar, range_bars

_DRAWN = (
    "total_usd",
    "capital_usd",
    "yearly_usd",
    "gpu_hour_usd",
    "million_tokens_usd",
    "time_s",
    "carbon_kg",
)
_CSS = {"better": "good", "worse": "bad"}


def designs_report(found: DesignsCompared) -> str:
    """Return the report of a comparison of designs."""
    sections: list[tuple[str, str, Child]] = [("answer", "In short", _answer(found))]
    money = [row for key in _DRAWN if (row := found.row(key)) is not None]
    sections += [
        ("charts", "Figures with their ranges", joined([_chart(found, row) for row in money])),
        ("differences", f"Differences to {found.titles[0]}", _differences(found)),
        ("all", "All figures", _all(found)),
        ("reading", "How to read this", _reading(found)),
    ]
    lead = f"{len(found.titles)} designs: simulated and estimated, not measured"
    return document("Designs compared", lead, sections, app_version())


def _answer(found: DesignsCompared) -> Markup:
    names = [
        tag("li", tag("b", title), f", nearest limit: {binding}")
        for title, binding in zip(found.titles, found.bindings, strict=True)
    ]
    return joined([tag("ul", names), *(tag("p", sentence) for sentence in short_sentences(found))])


def _chart(found: DesignsCompared, row: DesignFigureRow) -> Markup:
    figure = row.figure
    bars = [
        RangeBar(
            title,
            cell.values[0] / figure.scale,
            cell.values[1] / figure.scale,
            cell.values[2] / figure.scale,
            f"{range_words(figure, cell.values)} {figure.unit}",
            place == row.best,
            f"against the first {apart_words(figure, cell)}" if cell.difference is not None else "",
        )
        for place, (title, cell) in enumerate(zip(found.titles, row.cells, strict=True))
        if cell is not None
    ]
    return joined(
        [
            tag("h3", f"{figure.title}, {figure.unit}"),
            tag("p", f"{figure.meaning}.", class_="note"),
            tag("figure", range_bars(bars, f"{figure.title} in {figure.unit}")),
        ]
    )


def _differences(found: DesignsCompared) -> Markup:
    rows = []
    for row in found.rows:
        for title, cell in zip(found.titles[1:], row.cells[1:], strict=True):
            if cell is not None and cell.difference is not None:
                sure = verdict_words(row.figure, cell)
                rows.append(
                    (
                        f"{row.figure.title}, {row.figure.unit}",
                        title,
                        number(
                            cell.difference[1], apart_words(row.figure, cell), f"{row.figure.key}.difference"
                        ),
                        tag("span", sure, class_=_CSS.get(sure, "lead")),
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
        tag("p", basis_words(found)),
        tag(
            "p",
            "A bar is the median, its whisker runs from P5 to P95: nine of ten outcomes lie within it. Most prices of "
            "this trade are secret, so ranges are wide; differences of designs are surer than their totals, for both "
            "have the same prices. A star marks the best median.",
        ),
    ]
    told += [tag("p", tag("b", row.figure.title), f": {row.figure.meaning}.") for row in found.rows]
    told += [tag("p", note, class_="note") for note in found.notes]
    for title, late in zip(found.titles, found.late, strict=False):
        if late:
            told.append(tag("p", f"{title}: in {late} of {len(found.seeds)} runs not all jobs were done."))
    return joined(told)
