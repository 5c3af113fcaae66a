"""Two runs or designs side by side, for three readers: the change, what it does and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from twin.analysis.account_words import step_title
from twin.analysis.compare import Comparison, DesignWaterfall, WaterfallStep
from twin.analysis.difference_words import sentence
from twin.analysis.figures import FIGURES, ComparedFigure
from twin.analysis.money_comparison import money_verdict, row_cells
from twin.analysis.paired import LEVEL, PairedDifference
from twin.analysis.significance import judged, seeds_words, verdict
from twin.record.inputs import app_version
from twin.report.charts import Bar, waterfall
from twin.report.glossary import with_glossary
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.pages import ReportPart, report
from twin.report.range_bars import RangeDot, range_dots
from twin.report.run_facts import standing_mark
from twin.report.words import apart_text, figure_text, figure_title, percent, rounded
from twin.scenario.file.diff import Difference as Other

_LEAST = 0.002
"""Share of the largest step of a waterfall below which steps are drawn together."""
_MARK = {"added": "+", "removed": "\N{MINUS SIGN}", "changed": "~"}
_SMALL = 0.1
"""Part of the figure of A up to which differences are drawn in one picture; larger ones have their own."""
_NAMED, _MOST_NAME, _MOST_HEAD = 2, 90, 60
_TOLD_OF_SCENE = ("title", "notes", "sources")
_DECIDES = ("goodput", "productive_gpu_h", "cost_usd", "carbon_kg", "power_max_w")
_TOLD = 4
_SUPPLY = ("energy_j", "power_max_w", "pue", "water_l", "carbon_kg")
_WORK = ("interruptions", "lost_gpu_h", "ettr")
_NO_BOOKS = "What they cost is not known: one of the runs is not over, has done no work, or has no prices."


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
    change = change_words(titles, differences)
    heads = (
        ("A: as it is", f"B: {change}") if titles[0] == titles[1] else (f"A: {titles[0]}", f"B: {titles[1]}")
    )
    called = ". ".join(
        f"{side}: {title}" if name == side else f"{side}: {title} ({name})"
        for side, name, title in zip("AB", names, titles, strict=True)
    )
    title = f"{titles[0]}: {change}" if titles[0] == titles[1] else f"{titles[0]} compared with {titles[1]}"
    parts = [
        _summary(found, change, heads),
        _engineering(found, heads),
        _method(found, called, differences, change),
    ]
    return report(title, f"{_seeds(found)}: simulated, not measured", with_glossary(parts), app_version())


def change_words(titles: tuple[str, str], differences: Sequence[Other]) -> str:
    """Return what differs between two scenes in a few words."""
    said = [sentence(other) for other in sorted(differences, key=_is_told)]
    if not said:
        return "the same scene" if titles[0] == titles[1] else "no other scene"
    named = [_short(words) for words in said[:_NAMED]]
    more = len(said) - len(named)
    return "; ".join(named) + (f" and {more:,} more changes" if more else "")


def _is_told(other: Other) -> bool:
    """Return whether a difference is in what is told of a scene, not in what runs."""
    return other.path in _TOLD_OF_SCENE or other.section == "Chapters"


def _short(words: str, most: int = _MOST_NAME) -> str:
    return words if len(words) <= most else f"{words[: most - 1]}\N{HORIZONTAL ELLIPSIS}"


def _seeds(found: Comparison) -> str:
    seeds = found.seeds
    if _many(found):
        return f"{len(seeds)} seeds, {seeds[0]} to {seeds[-1]}, the same for both"
    return f"Seed {' and '.join(map(str, seeds))}"


def _many(found: Comparison) -> bool:
    return any(difference.paired is not None for difference in found.differences.values())


def _known(found: Comparison) -> list[tuple[ComparedFigure, PairedDifference]]:
    return [(figure, found.differences[figure.key]) for figure in FIGURES if figure.key in found.differences]


# --- for who decides


def _summary(found: Comparison, change: str, heads: tuple[str, str]) -> ReportPart:
    return ReportPart(
        "summary",
        "Summary",
        "for who decides",
        (
            ("Which is better?", _better(found)),
            ("What was changed?", f"{change[:1].upper()}{change[1:]}."),
            ("What does it do, and how sure is that?", f"{_effect(found)} {_sure(found)}"),
        ),
        (
            ("money", "In money", _money(found, heads)),
            ("differences", "Differences at a glance", _dots(found, heads)),
        ),
    )


def _better(found: Comparison) -> str:
    """Return which is better by money; by figures where money is not known."""
    if found.money is None:
        return f"{_NO_BOOKS} By its figures: {_effect(found)}"
    return money_verdict(found.money)


def _money(found: Comparison, heads: tuple[str, str]) -> Markup:
    """Return what both cost, with the range of the difference."""
    if found.money is None:
        return tag("p", _NO_BOOKS)
    rows = [row_cells(row) for row in found.money.rows]
    note = (
        f"A and B: P50 of {found.money.draws:,} draws of the prices, the same for both"
        f"{', means over the seeds' if found.money.seeds > 1 else ''}. The range is of the difference draw by draw"
        f"{', and holds what the seeds leave open' if found.money.seeds > 1 else ', of the prices alone'}. "
        "Capital counts by its life, for the time of the run; a lower cost of the run is better only for the same work."
    )
    return joined(
        [
            table(("", *heads, "B \N{MINUS SIGN} A", "P5 to P95"), rows, right=4),
            tag("p", note, class_="note"),
        ]
    )


def _effect(found: Comparison) -> str:
    """Return the figures that decide, A to B, those that are significant first."""
    apart = {figure.key: (figure, d) for figure, d in _known(found) if not d.same}
    if not apart:
        return "Nothing: A and B are the same in every figure."
    sure = {key: pair for key, pair in apart.items() if pair[1].beyond_chance or pair[1].one_way} or apart
    told = [sure[key] for key in (*_DECIDES, *sure) if key in sure]
    said = []
    for figure, difference in dict(zip((figure.key for figure, _ in told), told, strict=True)).values():
        words = judged(figure, found).words
        said.append(f"{_from_to(figure, difference)}{f', {words}' if words else ''}")
    return f"{'; '.join(said[:_TOLD])}."


def _from_to(figure: ComparedFigure, difference: PairedDifference) -> str:
    a, b = (figure_text(figure, value, difference.size) for value in (difference.a, difference.b))
    return f"{figure_title(figure)} {a} to {b} ({_apart(figure, difference)})"


def _apart(figure: ComparedFigure, difference: PairedDifference) -> str:
    words, half = apart_text(figure, difference.difference, difference.paired, difference.size)
    return f"{words} ± {half}" if half else words


def _sure(found: Comparison) -> str:
    known = _known(found)
    if not _many(found):
        return " ".join((*found.remarks, verdict(found)))
    sure = sum(bool(difference.beyond_chance) for _, difference in known)
    lead = (
        f"{sure} of {len(known)} figures differ significantly ({100 * LEVEL:.0f} %, paired over the seeds)."
    )
    return " ".join((lead.replace("95%", "95 %"), *found.remarks))


def _dots(found: Comparison, heads: tuple[str, str]) -> Markup:
    """Return all differences in percent of A, each with its interval; large ones apart from small ones."""
    small: list[RangeDot] = []
    large: list[RangeDot] = []
    for figure, difference in _known(found):
        if difference.same or not difference.a:
            continue
        middle, half = (
            difference.difference / abs(difference.a),
            (difference.paired or 0.0) / abs(difference.a),
        )
        dot = RangeDot(
            figure_title(figure),
            100.0 * (middle - half),
            100.0 * middle,
            100.0 * (middle + half),
            _apart(figure, difference),
            difference.beyond_chance,
        )
        (small if abs(middle) + half <= _SMALL else large).append(dot)
    if not (small or large):
        return tag("p", "No figure differs.")
    how = (
        f" Full dots are significant (95 %), hollow ones are not; whiskers are {100 * LEVEL:.0f} % intervals."
        if _many(found)
        else " One run of each: nothing says what is chance."
    ).replace("95% ", "95 % ")
    parts: list[Child] = [
        tag("p", f"{heads[1]}, against {heads[0]}. In percent of A, to the right is more in B.")
    ]
    for dots, question in (
        (small, "What differs a little?"),
        (large, f"What differs by more than {100 * _SMALL:.0f} %?"),
    ):
        if dots:
            asked = tag("b", question.replace("10%", "10 %"))
            chart = range_dots(dots, "Differences in percent of A")
            parts.append(tag("figure", chart, tag("figcaption", asked, how)))
    return joined(parts)


# --- for who builds and runs it


def _engineering(found: Comparison, heads: tuple[str, str]) -> ReportPart:
    return ReportPart(
        "engineering",
        "Engineering",
        "for who builds and runs it",
        (
            ("Where does the difference come from?", _way_words(found.waterfall)),
            ("What of power, cooling and water?", _told(found, _SUPPLY)),
            ("What of failures and lost work?", _told(found, _WORK)),
        ),
        (
            ("figures", "Figures", _figures(found, heads)),
            ("ledger", "Where the GPU time went, from A to B", _way(found.waterfall)),
        ),
    )


def _told(found: Comparison, keys: Iterable[str]) -> str:
    known = {figure.key: (figure, difference) for figure, difference in _known(found)}
    apart = [_from_to(*known[key]) for key in keys if key in known and not known[key][1].same]
    return f"{'; '.join(apart)}." if apart else "They are the same in A and B."


def _figures(found: Comparison, heads: tuple[str, str]) -> Markup:
    many = _many(found)
    a, b = (
        joined([name, tag("br") if standing else None, standing_mark(standing)])
        for name, standing in zip(heads, found.standings, strict=True)
    )
    spread = ("paired ±", "unpaired ±", "seeds higher / lower") if many else ()
    columns = ("figure", a, b, "B \N{MINUS SIGN} A", *spread, "significant (95 %)" if many else "")
    rows, same = [], []
    for figure, difference in _known(found):
        if difference.same:
            same.append(f"{figure_title(figure)} {figure_text(figure, difference.a)}")
            continue
        size = difference.size
        apart, paired = apart_text(figure, difference.difference, difference.paired, size)
        cells: list[Child] = [
            figure_title(figure),
            number(difference.a, figure_text(figure, difference.a, size), f"{figure.key}.a"),
            number(difference.b, figure_text(figure, difference.b, size), f"{figure.key}.b"),
            number(difference.difference, apart, f"{figure.key}.difference"),
        ]
        if many:
            _, unpaired = apart_text(figure, difference.difference, difference.unpaired, size)
            cells += [number(difference.paired, paired), number(difference.unpaired, unpaired)]
            cells.append(seeds_words(difference))
        rows.append((*cells, _judged(figure, found, difference)))
    note = (
        f"A and B are means over the seeds. Intervals are half widths at {100 * LEVEL:.0f} %; paired: both have the "
        "same failures. Seeds higher / lower: with how many of them the figure is higher and lower in B."
        if many
        else ""
    )
    return joined(
        [
            table(columns, rows, right=len(columns) - 1, class_="wide figures" if many else None)
            if rows
            else None,
            tag("p", f"The same in A and B: {', '.join(same)}.") if same else None,
            tag("p", note, class_="note") if note else None,
        ]
    )


def _judged(figure: ComparedFigure, found: Comparison, difference: PairedDifference) -> Markup:
    """Return whether a difference is significant, and which is better by it."""
    words = judged(figure, found).words
    sure = bool(difference.beyond_chance)
    if sure and words:
        words = f"yes, {words}"
    elif sure:
        words = "yes"
    return tag("b" if sure else "span", words)


def _way(way: DesignWaterfall) -> Markup:
    steps, rest = _steps(way)
    at = way.a_gpu_h
    bars = [Bar("productive in A", 0.0, at, f"{rounded(at)} GPU-h", "a")]
    for step in steps:
        bars.append(_bar(step_title(step.account, step.gpu_h), at, step.gpu_h))
        at += step.gpu_h
    if rest and abs(sum(step.gpu_h for step in rest)) >= 0.05:
        gpu_h = sum(step.gpu_h for step in rest)
        bars.append(_bar(f"{len(rest)} smaller one{'s' * (len(rest) != 1)}", at, gpu_h))
    bars.append(Bar("productive in B", 0.0, way.b_gpu_h, f"{rounded(way.b_gpu_h)} GPU-h", "b"))
    rows = [(bar.title, number(bar.end - bar.begin, bar.text)) for bar in bars]
    asked = tag("b", "What leads from A to B?")
    told = " A step in the colour of B adds productive time in B, one in the colour of A removes it."
    return joined(
        [
            tag(
                "figure",
                waterfall(bars, "From the productive GPU-hours of A to those of B"),
                tag("figcaption", asked, told),
            ),
            table(("step", "GPU-hours"), rows, right=1),
        ]
    )


def _steps(way: DesignWaterfall) -> tuple[list[WaterfallStep], list[WaterfallStep]]:
    """Return the steps that are drawn, and those too small for it."""
    least = _LEAST * max((abs(step.gpu_h) for step in way.steps), default=0.0)
    return (
        [step for step in way.steps if abs(step.gpu_h) >= least],
        [step for step in way.steps if abs(step.gpu_h) < least],
    )


def _way_words(way: DesignWaterfall) -> str:
    steps, _ = _steps(way)
    if not steps:
        return "There is none: every account of GPU time is the same."
    largest = ", ".join(
        f"{step_title(step.account, step.gpu_h)} ({_signed(step.gpu_h)})" for step in steps[:3]
    )
    apart = way.b_gpu_h - way.a_gpu_h
    of = f", {percent(abs(apart) / way.a_gpu_h)} of A" if way.a_gpu_h else ""
    return f"Productive time differs by {_signed(apart)} GPU-h{of}. The largest steps: {largest}."


def _signed(gpu_h: float) -> str:
    return f"{'+' if gpu_h >= 0 else chr(0x2212)}{rounded(abs(gpu_h))}"


def _bar(title: str, at: float, gpu_h: float) -> Bar:
    return Bar(title, at, at + gpu_h, _signed(gpu_h), "b" if gpu_h >= 0 else "a")


# --- for who teaches or checks


def _method(found: Comparison, called: str, differences: Sequence[Other], change: str) -> ReportPart:
    seeds = found.seeds
    many = (
        f"Both ran with the same {len(seeds)} seeds, so the same failures strike what both have: the difference of "
        "each seed is mostly the change. An interval that does not hold zero is significant (95 %)."
        if _many(found)
        else "It is not: there is one run of each. twin compare A B --seeds 20 runs both with the same seeds."
    )
    alike = (
        "alike but for this"
        if len(differences) <= _NAMED
        else f"of scenes with {len(differences):,} differences"
    )
    how = f"{called}. The same command with the same seeds gives the same figures."
    return ReportPart(
        "method",
        "Method",
        "for who teaches or checks",
        (
            (
                "What is compared?",
                f"Two runs of the model, {alike}: {change}." if differences else called,
            ),
            ("How is chance told from effect?", many),
            ("How can I repeat it?", how),
        ),
        (
            ("verdict", "Conclusions", joined([tag("p", part) for part in (*found.remarks, verdict(found))])),
            ("scenes", "Differences between the scenes", _scenes(differences)),
        ),
    )


def _scenes(differences: Sequence[Other]) -> Markup:
    if not differences:
        return tag("p", "None: both are the same scene.")
    parts: list[Child] = []
    for section, group in groupby(differences, key=lambda difference: difference.section):
        items = [tag("li", f"{_MARK[difference.kind]} {sentence(difference)}") for difference in group]
        parts += [tag("h3", section), tag("ul", items)]
    return joined(parts)
