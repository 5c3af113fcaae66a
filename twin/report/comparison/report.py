"""Two runs or designs side by side, for three readers: the change, what it does and how sure that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from twin.analysis.compare import Basis, Comparison
from twin.analysis.difference_words import sentence
from twin.analysis.significance import basis_words, verdict
from twin.record.inputs import app_version
from twin.report.comparison.chance import drawn_words, same_failures, seeds_agree, stretch_words, test_words
from twin.report.comparison.checkpoints import (
    holds_words,
    rule_words,
    verdict_words,
    with_intervals,
    writes_words,
)
from twin.report.comparison.figures import figure_dots, figures_table
from twin.report.comparison.interval_curve import interval_curve
from twin.report.comparison.job import ComparedJob, compared_job
from twin.report.comparison.limits import ComparedLimits, compared_limits, limits_section, limits_words
from twin.report.comparison.money import (
    better,
    decisive_words,
    is_part,
    length_words,
    money_table,
    price_words,
)
from twin.report.comparison.uncertain import uncertain_words
from twin.report.comparison.way import way, way_words
from twin.report.comparison.whole_job import (
    drawn_amounts_words,
    job_table,
    later_waits,
    whole_s,
    whole_words,
)
from twin.report.comparison.words import (
    LEVEL_WORDS,
    as_shown,
    count_words,
    effect,
    has_many,
    is_comparable,
    known,
    told,
)
from twin.report.comparison.worked_interval import SOURCES, worked_interval
from twin.report.glossary import with_glossary
from twin.report.markup import Child, Markup, joined, tag
from twin.report.pages import ReportPart, ReportSection, report
from twin.report.run_method import scene_sources
from twin.report.run_theory import sources_words
from twin.scenario.file.diff import Difference
from twin.scenario.schema.document import Scenario
from twin.scenario.text.path import split
from twin.shown_text import inner

_MARK = {"added": "+", "removed": "\N{MINUS SIGN}", "changed": "~"}
_NAMED, _MOST_NAME = 2, 90
_TOLD_OF_SCENE = ("title", "notes", "sources")
_TOLD_SECTIONS = ("Chapters", "Accepted findings")
_OF_PLACE = ("climate", "grid")
_BY_HAND = (
    "The rule knows the failure rates alone: stops that the scene sets at a time or reads from a trace are in the "
    "runs, but not in it."
)
_MANY = 8
"""So many differences are told by their number."""
_SUPPLY = ("energy_j", "power_max_w", "pue", "water_l", "carbon_kg")
_OF_SIZE = ("power_max_w",)
"""Told of halls of other sizes, too."""
_WORK = ("interruptions", "planned", "ettr")


@dataclass(frozen=True)
class _Compared:
    """What a report is about.

    Attributes
    ----------
    found, shown
        The comparison; and that of the figures that differ as shown.
    heads, called, change
        Of A and B; by what they were called; what differs between their scenes, in a few words.
    differences, length, command
        Between the scenes; for how long both were simulated, in words; what makes the comparison again.
    job
        The only one of both.
    scenes
        Of A and B; None: unknown.
    limits
        How near they are to their limits, the nearest first.
    """

    found: Comparison
    shown: Comparison
    heads: tuple[str, str]
    called: str
    change: str
    differences: Sequence[Difference]
    length: str
    command: str
    job: ComparedJob
    scenes: tuple[Scenario, Scenario] | None
    limits: ComparedLimits


def compare_report(
    names: tuple[str, str],
    titles: tuple[str, str],
    found: Comparison,
    differences: Sequence[Difference],
    scenes: tuple[Scenario, Scenario] | None = None,
    command: str = "",
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
    scenes
        Of A and B: they tell how long a run is, and to which interval a rule of checkpoints comes.
    command
        What makes the comparison again; "": unknown.
    """
    differences = with_intervals(differences, scenes)
    change = change_words(titles, differences)
    heads = (
        ("A: as it is", f"B: {change}") if titles[0] == titles[1] else (f"A: {titles[0]}", f"B: {titles[1]}")
    )
    called = ". ".join(
        f"{side}: {title}" if name == side else f"{side}: {title} ({name})"
        for side, name, title in zip("AB", names, titles, strict=True)
    )
    same = titles[0] == titles[1]
    title = f"{titles[0]}: A beside B" if same else f"A: {titles[0]}. B: {titles[1]}"
    length = length_words(found, scenes)
    job = compared_job(found, differences, scenes)
    limits = ComparedLimits([]) if scenes is None else compared_limits(found, scenes, job.risks, job.whole)
    compared = _Compared(
        found, as_shown(found), heads, called, change, differences, length, command, job, scenes, limits
    )
    lead = "; ".join((_seeds(found), *([length] if length else [])))
    parts = [_summary(compared), _engineering(compared), _method(compared)]
    return report(title, f"{lead}: simulated, not measured", with_glossary(parts), app_version())


def change_words(titles: tuple[str, str], differences: Sequence[Difference]) -> str:
    """Return what differs between two scenes in a few words."""
    said = [sentence(difference) for difference in sorted(differences, key=_is_told)]
    if not said:
        return "the same scene" if titles[0] == titles[1] else "no other scene"
    named = [_short(words) for words in said[:_NAMED]]
    more = len(said) - len(named)
    return "; ".join(named) + (f" and {more:,} more changes" if more else "")


def _is_told(difference: Difference) -> bool:
    """Return whether a difference is in what is told of a scene, not in what runs."""
    return difference.path in _TOLD_OF_SCENE or difference.section in _TOLD_SECTIONS


def _short(words: str, most: int = _MOST_NAME) -> str:
    return words if len(words) <= most else f"{words[: most - 1]}\N{HORIZONTAL ELLIPSIS}"


def _seeds(found: Comparison) -> str:
    seeds = found.seeds
    if has_many(found):
        return f"{len(seeds)} seeds, {seeds[0]} to {seeds[-1]}, the same for both"
    return f"Seed {' and '.join(map(str, seeds))}"


# --- for who decides


def _summary(compared: _Compared) -> ReportPart:
    found, job, scenes = compared.found, compared.job, compared.scenes
    decides = decisive_words(found) if job.whole is None else ""
    titled = scenes is not None and scenes[0].title != scenes[1].title
    what = "" if titled else f"{'. '.join(compared.heads)}. "
    asked: list[tuple[str, Child]] = [
        ("Which is better?", joined([what, better(found, decides, _waits(compared))])),
    ]
    sections: list[ReportSection] = []
    if job.whole is not None and scenes is not None:
        asked.append(("What does it come to for the whole job?", _whole(compared, scenes)))
        sections.append(("job", "The whole job", job_table(job.whole, job.one, found)))
    asked += [
        (
            "What is the price of the better one, and is there a still better one?",
            price_words(found, job.intervals),
        ),
        ("What does it do, and how sure is that?", f"{effect(compared.shown)} {_sure(compared)}"),
    ]
    if job.whole is None:
        sections.append(("money", "In money", money_table(found, job.whole)))
    sections.append(("differences", "What matters first", figure_dots(found)))
    return ReportPart("summary", "Summary", "for who decides", tuple(asked), tuple(sections))


def _whole(compared: _Compared, scenes: tuple[Scenario, Scenario]) -> Child:
    """Return what the whole job comes to with the stops of the rates, and where that does not hold."""
    job, waits = compared.job, _waits(compared)
    if not waits:
        drawn = drawn_amounts_words(job.whole)
        return joined([tag("b", whole_words(job, scenes)), f" {drawn}" if drawn else None])
    return joined([tag("b", waits), f" At the rate of this part {inner(whole_words(job, scenes))}"])


def _waits(compared: _Compared) -> str:
    """Return where spares run out only after the time that was run."""
    stretch_s, whole = compared.found.simulated_s, compared.job.whole
    if stretch_s is None or whole is None:
        return ""
    return later_waits(compared.job.risks, stretch_s[0], whole_s(whole))


def _stands(compared: _Compared) -> str:
    """Return whether the time that was run stands for the whole."""
    found, scenes, stops = compared.found, compared.scenes, compared.job.stops
    if stops is not None and found.simulated_s is not None and scenes is not None:
        stretch_s = found.simulated_s[0]
        whole = compared.job.whole
        until_s = scenes[0].duration_s if whole is None else whole_s(whole)[0]
        words = stretch_words(found, stops, stretch_s, max(stretch_s, until_s))
        said = (_waits(compared), words)
        return " ".join(part for part in said if part)
    if is_part(found, scenes):
        return f"{compared.length} were run: the rest is taken to go on like them."
    return f"Compared over {compared.length}." if compared.length else "For how long both ran is not known."


def _sure(compared: _Compared) -> str:
    found, shown = compared.found, compared.shown
    if not has_many(found):
        return " ".join((*found.remarks, verdict(shown)))
    comparable = sum(is_comparable(figure, found) for figure, _ in known(found))
    said = (count_words(shown, comparable), seeds_agree(found))
    return " ".join((*(part for part in said if part), *found.remarks))


# --- for who builds and runs it


def _engineering(compared: _Compared) -> ReportPart:
    found, job = compared.found, compared.job
    asked: list[tuple[str, Child]] = [("Where does the difference come from?", way_words(found))]
    if job.intervals is not None and (which := verdict_words(found, job.intervals)):
        said = (which, holds_words(job.intervals), "" if job.by_rates else _BY_HAND)
        asked.append(
            ("Which has the better checkpoint interval, and does that hold?", " ".join(filter(None, said)))
        )
    if writes := writes_words(job.intervals, job.step, found):
        asked.append(("What does a write ask of the storage system and of the power?", writes))
    by_key = {figure.key: figure for figure, _ in known(found)}
    supply = [
        key for key in _SUPPLY if key in _OF_SIZE or (key in by_key and is_comparable(by_key[key], found))
    ]
    asked.append(("What of power, cooling and water?", told(compared.shown, supply)))
    if place := _place_words(compared.differences):
        asked.append(("What of the place is in these figures?", place))
    if near := limits_words(compared.limits):
        asked.append(("Where are the limits?", near))
    failures = (drawn_words(job.stops), same_failures(found, job.stops), told(compared.shown, _WORK))
    asked += [
        ("What of failures?", " ".join(part for part in failures if part)),
        ("Does the time that was run stand for the whole?", _stands(compared)),
    ]
    curve = None if job.intervals is None else interval_curve(found, job.intervals)
    pictures: list[tuple[str, str, Child]] = [
        ("figures", "Figures", figures_table(found, compared.heads)),
        ("ledger", "Where the GPU time went, from A to B", way(found)),
        ("intervals", "Checkpoint intervals", curve),
        ("limits", "Limits", limits_section(compared.limits)),
    ]
    if job.whole is not None:
        pictures.append(("money", "In money", money_table(found, job.whole)))
    sections = tuple(section for section in pictures if section[2] is not None)
    return ReportPart("engineering", "Engineering", "for who builds and runs it", tuple(asked), sections)


def _place_words(differences: Sequence[Difference]) -> str:
    """Return what differs in climate and grid; "": nothing."""
    said = [
        sentence(difference)
        for difference in differences
        if (steps := split(difference.path))[0] == "site" and steps[1:2] and steps[1] in _OF_PLACE
    ]
    return f"{'; '.join(said)}." if said else ""


# --- for who teaches or checks


def _method(compared: _Compared) -> ReportPart:
    found, differences = compared.found, compared.differences
    many = (
        f"Both ran with the same {len(found.seeds)} seeds, so the same failures strike what both have: the difference "
        f"of each seed is mostly the change. {test_words(found)} An interval that does not hold zero is significant "
        f"({LEVEL_WORDS}); one of a figure that is equal as shown is not counted."
        if has_many(found)
        else "It is not: there is one run of each. twin compare A B --seeds 20 runs both with the same seeds."
    )
    what = f"Two runs of the model, {_apart_words(compared)}." if differences else f"{compared.called}."
    again: Child = (
        joined(
            [tag("span", compared.command, class_="mono"), tag("br"), "The same seeds give the same figures."]
        )
        if compared.command
        else f"{compared.called}. The same command with the same seeds gives the same figures."
    )
    intervals = compared.job.intervals
    rule = "" if intervals is None else rule_words(found, intervals)
    return ReportPart(
        "method",
        "Method",
        "for who teaches or checks",
        (
            ("What is compared?", f"{what} {_basis(found)}".strip()),
            *((("Which rule tells the better interval?", rule),) if rule else ()),
            ("How is chance told from effect?", many),
            ("What is uncertain?", uncertain_words(found, compared.job.risks)),
            ("How can I repeat it?", again),
        ),
        (
            *(
                (("interval", "The paired interval, worked out", steps),)
                if (steps := worked_interval(found))
                else ()
            ),
            ("scenes", "Differences between the scenes", _scenes(differences)),
            ("sources", "Sources", _sources(compared)),
        ),
        flows=True,
    )


def _apart_words(compared: _Compared) -> str:
    """Return in what two scenes differ: in words, or how many differences each section has."""
    acting = [difference for difference in compared.differences if not _is_told(difference)]
    if len(acting) <= _NAMED:
        return f"alike but for this: {compared.change}"
    if len(acting) < _MANY:
        return f"of scenes with {len(acting):,} differences: {compared.change}"
    counts = Counter(difference.section for difference in acting)
    named = ", ".join(f"{section} {count}" for section, count in counts.items())
    return f"of scenes with {len(acting):,} differences: {named}"


def _sources(compared: _Compared) -> Markup:
    """Return the sources of the scenes, and of the methods of the comparison."""
    rules = ("Young's rule", "Daly's rule") if compared.job.intervals is not None else ()
    parts: list[Child] = []
    if compared.scenes is not None:
        a, b = compared.scenes
        alike = a.sources == b.sources
        parts += (
            [scene_sources(a)]
            if alike
            else [tag("p", "A:"), scene_sources(a), tag("p", "B:"), scene_sources(b)]
        )
    return joined([*parts, tag("p", f"{'; '.join(SOURCES)}. {sources_words(rules)}", class_="note")])


def _basis(found: Comparison) -> str:
    """Return in a sentence what of both runs is old and what new."""
    if found.basis is Basis.RERUN:
        return "Both were run again from their beginning for this comparison; no recording was read."
    return basis_words(found) or "Both are recordings, read as they are."


def _scenes(differences: Sequence[Difference]) -> Markup:
    if not differences:
        return tag("p", "None: both are the same scene.")
    parts: list[Child] = []
    acting = [difference for difference in differences if not _is_told(difference)]
    for section, group in groupby(acting, key=lambda difference: difference.section):
        items = [tag("li", f"{_MARK[difference.kind]} {sentence(difference)}") for difference in group]
        parts += [tag("h3", section), tag("ul", items)]
    if len(acting) < len(differences):
        parts.append(
            tag(
                "p",
                "Title, notes, sources, chapters and accepted findings differ, too: they change no figure.",
            )
        )
    return joined(parts)
