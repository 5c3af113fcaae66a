"""Two runs or designs side by side, for three readers: the change, what it does and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from twin.analysis.compare import Basis, Comparison
from twin.analysis.difference_words import sentence
from twin.analysis.significance import basis_words, verdict
from twin.record.inputs import app_version
from twin.report.comparison.chance import drawn_words, same_failures, seeds_agree, stretch_words, test_words
from twin.report.comparison.checkpoints import (
    checkpoint_words,
    rule_words,
    verdict_words,
    with_intervals,
    writes_words,
)
from twin.report.comparison.figures import FIRST, figure_dots, figures_table, other_keys
from twin.report.comparison.job import ComparedJob, compared_job
from twin.report.comparison.money import (
    better,
    decisive_words,
    is_part,
    length_words,
    money_table,
    price_words,
)
from twin.report.comparison.way import trade_words, way, way_words
from twin.report.comparison.whole_job import (
    drawn_amounts_words,
    job_table,
    later_waits,
    luck_words,
    whole_s,
    whole_words,
)
from twin.report.comparison.words import (
    LEVEL_WORDS,
    as_shown,
    count_words,
    effect,
    equal_as_shown,
    has_many,
    known,
    told,
)
from twin.report.comparison.worked_interval import SOURCES, worked_interval
from twin.report.glossary import with_glossary
from twin.report.markup import Child, Markup, joined, tag
from twin.report.pages import ReportPart, ReportSection, report
from twin.report.run_method import scene_sources
from twin.report.run_theory import sources_words
from twin.report.words import figure_title
from twin.scenario.file.diff import Difference
from twin.scenario.schema.document import Scenario
from twin.shown_text import inner

_MARK = {"added": "+", "removed": "\N{MINUS SIGN}", "changed": "~"}
_NAMED, _MOST_NAME = 2, 90
_TOLD_OF_SCENE = ("title", "notes", "sources")
_SUPPLY = ("energy_j", "power_max_w", "pue", "water_l", "carbon_kg")
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
    title = f"{titles[0]}: A beside B" if same else f"{titles[0]} compared with {titles[1]}"
    length = length_words(found, scenes)
    job = compared_job(found, differences, scenes)
    compared = _Compared(
        found, as_shown(found), heads, called, change, differences, length, command, job, scenes
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
    return difference.path in _TOLD_OF_SCENE or difference.section == "Chapters"


def _short(words: str, most: int = _MOST_NAME) -> str:
    return words if len(words) <= most else f"{words[: most - 1]}\N{HORIZONTAL ELLIPSIS}"


def _seeds(found: Comparison) -> str:
    seeds = found.seeds
    if has_many(found):
        return f"{len(seeds)} seeds, {seeds[0]} to {seeds[-1]}, the same for both"
    return f"Seed {' and '.join(map(str, seeds))}"


# --- for who decides


def _summary(compared: _Compared) -> ReportPart:
    found, heads, job = compared.found, compared.heads, compared.job
    over = f". Over {compared.length}" if compared.length else ""
    decides = decisive_words(found) if job.whole is None else ""
    asked: list[tuple[str, Child]] = [
        (
            "Which is better?",
            joined([f"{'. '.join(heads)}{over}. ", better(found, decides, _waits(compared))]),
        ),
    ]
    sections: list[ReportSection] = []
    if job.whole is not None and compared.scenes is not None:
        asked.append(("What does it come to for the whole job?", _whole(compared, compared.scenes)))
        sections.append(("job", "The whole job", job_table(job.whole, heads, len(found.seeds))))
    asked += [
        (
            "What is the price of the better one, and is there a still better one?",
            price_words(found, job.intervals),
        ),
        ("What does it do, and how sure is that?", f"{effect(compared.shown)} {_sure(compared)}"),
    ]
    sections += [
        ("money", "In money", money_table(found, heads, job.whole)),
        ("differences", "What matters first", figure_dots(found, FIRST, money=True)),
    ]
    return ReportPart("summary", "Summary", "for who decides", tuple(asked), tuple(sections))


def _whole(compared: _Compared, scenes: tuple[Scenario, Scenario]) -> Child:
    """Return what the whole job comes to, what it would with the stops of the rates, and where that does not hold."""
    job, waits = compared.job, _waits(compared)
    said: list[Child] = [tag("b", whole_words(job, scenes))]
    if waits:
        said = [tag("b", waits), f"At the rate of this part {inner(whole_words(job, scenes))}"]
    ranges = "In brackets P5 to P95, paired over the seeds." if has_many(compared.found) else ""
    said += [ranges, drawn_words(job.stops), drawn_amounts_words(job.whole), luck_words(compared.found, job)]
    return joined([words, " "] for words in said if words)


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
        words = stretch_words(found, stops, stretch_s, max(stretch_s, scenes[0].duration_s))
        return " ".join(part for part in (_waits(compared), words) if part)
    if is_part(found, scenes):
        return f"{compared.length} were run: the rest is taken to go on like them."
    return f"Compared over {compared.length}." if compared.length else "For how long both ran is not known."


def _sure(compared: _Compared) -> str:
    found, shown = compared.found, compared.shown
    if not has_many(found):
        return " ".join((*found.remarks, verdict(shown)))
    drawn = "" if compared.job.whole is not None else drawn_words(compared.job.stops)
    said = (count_words(shown, len(known(found))), seeds_agree(found), drawn)
    return " ".join((*(part for part in said if part), *found.remarks))


# --- for who builds and runs it


def _engineering(compared: _Compared) -> ReportPart:
    found, heads, job = compared.found, compared.heads, compared.job
    asked: list[tuple[str, Child]] = [
        ("What is to be done?", better(found, waits=_waits(compared))),
        ("Where does the difference come from?", way_words(found)),
    ]
    if job.intervals is not None and (which := verdict_words(found, job.intervals)):
        asked.append(("Which has the better checkpoint interval, and why?", which))
    saves = (checkpoint_words(found, compared.differences), writes_words(job.intervals, job.step, found))
    asked += [
        ("What of checkpoints and lost work?", " ".join(part for part in saves if part)),
        ("What of power, cooling and water?", told(compared.shown, _SUPPLY)),
        ("What of failures?", f"{same_failures(found)} {told(compared.shown, _WORK)}".strip()),
        ("Does the time that was run stand for the whole?", _stands(compared)),
    ]
    return ReportPart(
        "engineering",
        "Engineering",
        "for who builds and runs it",
        tuple(asked),
        (
            ("figures", "Figures", figures_table(found, heads)),
            ("ledger", "Where the GPU time went, from A to B", way(found)),
            ("others", "Other differences", figure_dots(found, other_keys(found), money=False)),
        ),
    )


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
    alike = (
        "alike but for this"
        if len(differences) <= _NAMED
        else f"of scenes with {len(differences):,} differences"
    )
    what = f"Two runs of the model, {alike}: {compared.change}." if differences else f"{compared.called}."
    again: Child = (
        joined(
            [tag("span", compared.command, class_="mono"), tag("br"), "The same seeds give the same figures."]
        )
        if compared.command
        else f"{compared.called}. The same command with the same seeds gives the same figures."
    )
    return ReportPart(
        "method",
        "Method",
        "for who teaches or checks",
        (
            ("What is compared?", f"{what} {_basis(found)}".strip()),
            ("What is traded?", _traded(compared)),
            ("How is chance told from effect?", many),
            ("How can I repeat it?", again),
        ),
        (
            *(
                (("interval", "The paired interval, worked out", steps),)
                if (steps := worked_interval(found))
                else ()
            ),
            ("verdict", "Conclusions", _conclusions(compared)),
            ("scenes", "Differences between the scenes", _scenes(differences)),
            ("sources", "Sources", _sources(compared)),
        ),
    )


def _traded(compared: _Compared) -> str:
    """Return what is traded, and where checkpoints are the change, by which rule."""
    intervals = compared.job.intervals
    rule = "" if intervals is None else rule_words(compared.found, intervals)
    return f"{trade_words(compared.found)} {rule}".strip()


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


def _conclusions(compared: _Compared) -> Markup:
    found, shown = compared.found, compared.shown
    equal = [
        figure_title(figure)
        for figure, difference in known(found)
        if figure.key not in shown.differences and equal_as_shown(figure, difference)
    ]
    said = [*found.remarks, verdict(shown).removeprefix(basis_words(shown)).strip()]
    if equal:
        said.append(f"Equal as shown, apart by less than the digits printed: {', '.join(equal)}.")
    return joined([tag("p", sentence) for sentence in said])


def _scenes(differences: Sequence[Difference]) -> Markup:
    if not differences:
        return tag("p", "None: both are the same scene.")
    parts: list[Child] = []
    for section, group in groupby(differences, key=lambda difference: difference.section):
        items = [tag("li", f"{_MARK[difference.kind]} {sentence(difference)}") for difference in group]
        parts += [tag("h3", section), tag("ul", items)]
    return joined(parts)
