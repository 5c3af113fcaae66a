"""Two runs or designs side by side as one HTML file: differences of the scenes, the figures and the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from twin.analysis.account_words import step_title
from twin.analysis.compare import Comparison, DesignWaterfall
from twin.analysis.difference_words import sentence
from twin.analysis.figure_words import apart_words, value_words
from twin.analysis.figures import FIGURES, ComparedFigure
from twin.analysis.paired import LEVEL
from twin.analysis.significance import judged, seeds_words, verdict
from twin.record.inputs import app_version
from twin.report.charts import Bar, waterfall
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.pages import document
from twin.report.run_facts import standing_mark
from twin.scenario.file.diff import Difference as Other

_LEAST = 0.002
"""Share of the largest step of a waterfall below which steps are drawn together."""
_SPREAD = ("paired ±", "unpaired ±", "seeds higher / lower")
_MARK = {"added": "+", "removed": "\N{MINUS SIGN}", "changed": "~"}


def compare_report(
    names: tuple[str, str], titles: tuple[str, str], found: Comparison, differences: Sequence[Other]
) -> str:
    """Return the report of a comparison.

    Parameters
    ----------
    names, titles
        Of A and B: as they were called, and of their scenes.
    found
        Their figures.
    differences
        What differs between their scenes.
    """
    a, b = names
    seeds = found.seeds
    called = ". ".join(
        f"{side}: {title}" if name == side else f"{side}: {title} ({name})"
        for side, name, title in zip("AB", names, titles, strict=True)
    )
    seeds_text = (
        f"{len(seeds)} seeds, {seeds[0]} to {seeds[-1]}, the same for both"
        if _many(found)
        else f"Seed {' and '.join(map(str, seeds))}"
    )
    sections: list[tuple[str, str, Child]] = [
        ("verdict", "Conclusions", joined([tag("p", remark) for remark in (*found.remarks, verdict(found))])),
        ("figures", "Figures", _figures(found)),
        ("ledger", "Where the GPU time went, from A to B", _way(found.waterfall)),
        ("scenes", "Differences between the scenes", _scenes(differences)),
    ]
    heading = (
        f"{a} compared with {b}" if titles[0] != titles[1] or a != "A" else f"{titles[0]}: A compared with B"
    )
    return document(heading, f"{called}. {seeds_text}", sections, app_version())


def _many(found: Comparison) -> bool:
    return any(difference.paired is not None for difference in found.differences.values())


def _figures(found: Comparison) -> Markup:
    many = _many(found)
    a, b = (
        joined([name, tag("br") if standing else None, standing_mark(standing)])
        for name, standing in zip("AB", found.standings, strict=True)
    )
    heads = ("figure", a, b, "B \N{MINUS SIGN} A", *_SPREAD[: 3 * many], "")
    rows = []
    for figure in FIGURES:
        difference = found.differences.get(figure.key)
        if difference is None:
            continue
        cells: list[Child] = [
            figure.title[:1].upper() + figure.title[1:],
            number(difference.a, value_words(figure, difference.a, difference.size), f"{figure.key}.a"),
            number(difference.b, value_words(figure, difference.b, difference.size), f"{figure.key}.b"),
            number(
                difference.difference,
                apart_words(figure, difference.difference, like=difference.size),
                f"{figure.key}.difference",
            ),
        ]
        if many:
            cells += [
                number(half, "" if half is None else apart_words(figure, half, "-", difference.size))
                for half in (difference.paired, difference.unpaired)
            ]
            cells.append(seeds_words(difference))
        rows.append((*cells, _judged(figure, found)))
    note = (
        f"A and B are means over the seeds. Intervals are half widths at {LEVEL:.0%}; paired: both have the same "
        "failures. Seeds higher / lower: with how many of them the figure is higher and lower in B."
        if many
        else ""
    )
    return joined([table(heads, rows, right=len(heads) - 1), tag("p", note, class_="note") if note else None])


def _judged(figure: ComparedFigure, found: Comparison) -> Markup:
    """Return in a few words which is better, or that it may be chance."""
    judgement = judged(figure, found)
    return tag("span", judgement.words, class_={1: "good", -1: "bad", 0: "lead"}[judgement.better])


def _way(way: DesignWaterfall) -> Markup:
    largest = max((abs(step.gpu_h) for step in way.steps), default=0.0)
    at = way.a_gpu_h
    bars = [Bar("productive in A", 0.0, at, f"{at:,.1f} GPU-h", "left")]
    rest, count = 0.0, 0
    for step in way.steps:
        if abs(step.gpu_h) < _LEAST * largest:
            rest, count = rest + step.gpu_h, count + 1
            continue
        bars.append(_step(step_title(step.account, step.gpu_h), at, step.gpu_h))
        at += step.gpu_h
    if count and f"{abs(rest):.1f}" != "0.0":
        bars.append(_step(f"{count} smaller one{'s' * (count != 1)}", at, rest))
    bars.append(Bar("productive in B", 0.0, way.b_gpu_h, f"{way.b_gpu_h:,.1f} GPU-h", "left"))
    rows = [(bar.title, number(bar.end - bar.begin, bar.text)) for bar in bars]
    return joined(
        [
            tag("figure", waterfall(bars, "From the productive GPU-hours of A to those of B")),
            table(("step", "GPU-hours"), rows, right=1),
            tag("p", "Green adds productive time in B, red removes it.", class_="note"),
        ]
    )


def _step(title: str, at: float, gpu_h: float) -> Bar:
    return Bar(title, at, at + gpu_h, f"{gpu_h:+,.1f}", "good" if gpu_h >= 0 else "bad")


def _scenes(differences: Sequence[Other]) -> Markup:
    if not differences:
        return tag("p", "None: both are the same scene.")
    parts: list[Child] = []
    for section, group in groupby(differences, key=lambda difference: difference.section):
        items = [tag("li", f"{_MARK[difference.kind]} {sentence(difference)}") for difference in group]
        parts += [tag("h3", section), tag("ul", items)]
    return joined(parts)
