"""Two runs or designs side by side, for three readers: the change, what it does and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from twin.analysis.compare import Basis, Comparison
from twin.analysis.difference_words import sentence
from twin.analysis.significance import basis_words, verdict
from twin.planning.risk.risk import JobRisk
from twin.plant.build import build
from twin.record.inputs import app_version
from twin.report.comparison.chance import drawn_words, same_failures, seeds_agree, test_words, writes_words
from twin.report.comparison.figures import FIRST, figure_dots, figures_table, other_keys
from twin.report.comparison.money import better, length_words, money_table, price_words
from twin.report.comparison.way import (
    checkpoint_words,
    exposures_of,
    trade_words,
    way,
    way_words,
    with_intervals,
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
from twin.report.glossary import with_glossary
from twin.report.job_step import JobStep, job_step
from twin.report.markup import Child, Markup, joined, tag
from twin.report.pages import ReportPart, report
from twin.report.words import figure_title
from twin.scenario.file.diff import Difference as Other
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scene_catalog import catalog_of

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
    exposures
        What the job is exposed to in A and B whose checkpoint interval differs; None: none does.
    step
        Of the only training of A, where checkpoints differ; None: unknown.
    """

    found: Comparison
    shown: Comparison
    heads: tuple[str, str]
    called: str
    change: str
    differences: Sequence[Other]
    length: str
    command: str
    exposures: tuple[JobRisk, JobRisk] | None
    step: JobStep | None


def compare_report(
    names: tuple[str, str],
    titles: tuple[str, str],
    found: Comparison,
    differences: Sequence[Other],
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
    exposed = exposures_of(differences, scenes)
    step = None
    if exposed is not None and scenes is not None:
        catalog = catalog_of(scenes[0])
        step = job_step(scenes[0], build(scenes[0], catalog), catalog)
    compared = _Compared(
        found, as_shown(found), heads, called, change, differences, length, command, exposed, step
    )
    lead = "; ".join((_seeds(found), *([length] if length else [])))
    parts = [_summary(compared), _engineering(compared), _method(compared)]
    return report(title, f"{lead}: simulated, not measured", with_glossary(parts), app_version())


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
    if has_many(found):
        return f"{len(seeds)} seeds, {seeds[0]} to {seeds[-1]}, the same for both"
    return f"Seed {' and '.join(map(str, seeds))}"


# --- for who decides


def _summary(compared: _Compared) -> ReportPart:
    found, heads = compared.found, compared.heads
    over = f". Over {compared.length}" if compared.length else ""
    return ReportPart(
        "summary",
        "Summary",
        "for who decides",
        (
            ("Which is better?", joined([f"{'. '.join(heads)}{over}. ", better(found, year=True)])),
            (
                "What is the price of the better one, and is there a still better one?",
                price_words(found, compared.exposures),
            ),
            ("What does it do, and how sure is that?", f"{effect(compared.shown)} {_sure(compared)}"),
        ),
        (
            ("money", "In money", money_table(found, heads)),
            ("differences", "What matters first", figure_dots(found, FIRST, money=True)),
        ),
    )


def _holds(compared: _Compared) -> str:
    """Return for how long was compared, and that the rest is taken to be like it."""
    if " of the " not in compared.length:
        return f"Compared over {compared.length}." if compared.length else ""
    return f"{compared.length} were run: the rest is taken to go on like them."


def _sure(compared: _Compared) -> str:
    found, shown = compared.found, compared.shown
    if not has_many(found):
        return " ".join((*found.remarks, verdict(shown)))
    said = (count_words(shown, len(known(found))), seeds_agree(found), drawn_words(found, compared.exposures))
    return " ".join((*(part for part in said if part), *found.remarks))


# --- for who builds and runs it


def _engineering(compared: _Compared) -> ReportPart:
    found, heads = compared.found, compared.heads
    return ReportPart(
        "engineering",
        "Engineering",
        "for who builds and runs it",
        (
            ("What is to be done?", better(found)),
            ("Where does the difference come from?", way_words(found)),
            (
                "What of checkpoints and lost work?",
                " ".join(
                    part
                    for part in (
                        checkpoint_words(found, compared.differences),
                        writes_words(compared.exposures, compared.step, found),
                    )
                    if part
                ),
            ),
            ("What of power, cooling and water?", told(compared.shown, _SUPPLY)),
            (
                "What of failures, and does it hold for longer?",
                f"{same_failures(found)} {told(compared.shown, _WORK)} {_holds(compared)}".strip(),
            ),
        ),
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
        f"({LEVEL_WORDS})."
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
            ("What is traded?", trade_words(found, compared.exposures)),
            ("How is chance told from effect?", many),
            ("How can I repeat it?", again),
        ),
        (
            ("evidence", "The figures behind it", figures_table(found, compared.heads, (*FIRST, "ettr"))),
            ("verdict", "Conclusions", _conclusions(compared)),
            ("scenes", "Differences between the scenes", _scenes(differences)),
        ),
    )


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


def _scenes(differences: Sequence[Other]) -> Markup:
    if not differences:
        return tag("p", "None: both are the same scene.")
    parts: list[Child] = []
    for section, group in groupby(differences, key=lambda difference: difference.section):
        items = [tag("li", f"{_MARK[difference.kind]} {sentence(difference)}") for difference in group]
        parts += [tag("h3", section), tag("ul", items)]
    return joined(parts)
