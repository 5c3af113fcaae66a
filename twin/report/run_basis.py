"""Sections of a report on the basis of a run: findings of the design rules, and the constants with their sources."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ruamel.yaml.error import YAMLError

from twin.analysis.scene_inputs import used_parts, used_profiles
from twin.analysis.typical_year_words import months_words, year_figures
from twin.catalog import CatalogError
from twin.catalog.catalog import Catalog, catalog_from_texts
from twin.catalog.cause_parts import CausePart
from twin.catalog.price_parts import PricePart
from twin.language import counted
from twin.planning.profile.figures import ProfileError, parse_document
from twin.planning.profile.profiles import CalibratedProfile, profile_from
from twin.planning.profile.standing import standing_named, worth
from twin.planning.profile.uncertainty import step_errors
from twin.planning.table.validation_tables import calibration_runs
from twin.plant.tables import Plant
from twin.record.constants import constants
from twin.record.events import Event
from twin.record.reader import Reader
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.words import percent
from twin.rules import Found, check
from twin.rules.engine_findings import at_the_start, of_the_year
from twin.rules.finding import Finding
from twin.runtime.typical_year import year_or_reason
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.own_files import catalog_with
from twin.scenario.schema.workload import LlmTraining
from twin.shown_text import capitalised

_CSS = {"error": "bad", "warning": "warn", "notice": None}
_STANDING = {
    "published": "published by the source",
    "derived": "calculated from a published figure",
    "fitted": "an effective number, fitted to published runs",
    "recalled": "unverified (from memory): check it before you quote it",
    "estimated": "an engineering estimate of the model",
    "unverified": "as a file of own parts has it, not checked",
}


_UNVERIFIED = (
    "Of part-unverified, value and limit are the share of figures that are verified. GPUs, CPUs and NICs in nodes "
    "have no notice of their own: the appendix has the standing of each figure."
)
_MANY = 5
"""A source that so many numbers of one status share is told once."""
_SOURCE_HEADS = ("number", "value", "status", "source")
_KEY_UNITS = re.compile(
    r"_(?:j_k|k_w|w_k|m3_j|kg_j|flops_s|bytes_s|per_s|m3_s|kg_s|bytes|m3|m2|kg|usd|pa|hz|mm|km|[wvajskcmu])$"
)
_FIELD_UNITS = {
    "degC": "°C",
    "lpm": "L/min",
    "lpm/kW": "L/min per kW",
    "us": "µs",
    "um": "µm",
    "hour": "h",
    "m3": "m³",
    "m2": "m²",
    "day": "d",
}
"""Units of files as people write them."""
_KEY_ENDS = {"u": "U", "bytes": "B"}
"""Units that stand in the key of a number alone."""
_LARGE = re.compile(r"\d{5,}(?![\d.]*e)")


def field_words(key: str) -> str:
    """Return the name of a constant as people write it; its unit stands with the value.

    >>> field_words("rated_supply_c"), field_words("price_usd"), field_words("gpu.tdp_w")
    ('rated supply', 'price', 'gpu: tdp')
    """
    return ": ".join(_KEY_UNITS.sub("", part).replace("_", " ") for part in key.split("."))


def field_value(text: str, key: str = "") -> str:
    """Return a constant with its unit as the field writes it.

    >>> field_value("17 degC"), field_value("78700 CFM")
    ('17 °C', '78,700 CFM')
    >>> field_value("8", "height_u")
    '8 U'
    """
    said = _LARGE.sub(lambda digits: f"{int(digits.group()):,}", text)
    value, space, unit = said.rpartition(" ")
    if not space and (named := _KEY_ENDS.get(key.rpartition("_")[2])):
        return f"{said} {named}"
    return f"{value}{space}{_FIELD_UNITS.get(unit, unit)}"


def rules(scenario: Scenario, plant: Plant, catalog: Catalog, events: Iterable[Event]) -> Markup:
    """Return the findings of the design rules in the scene at the start."""
    report = check(
        scenario, plant, catalog, [*at_the_start(scenario, events), *_of_year(scenario, plant, catalog)]
    )
    if not report.findings:
        return tag("p", "No findings.")
    first = {finding.rule: finding for finding in reversed(report.findings)}
    rows = [
        (
            finding.rule,
            tag(
                "span",
                "accepted" if finding.excluded else finding.severity,
                class_=None if finding.excluded else _CSS[finding.severity],
            ),
            joined(
                [
                    finding.sentence,
                    *_fix(finding, first[finding.rule]),
                    finding.comment and tag("span", f" Accepted: {finding.comment}", class_="lead"),
                ]
            ),
            finding.value.text if finding.value is not None else "",
            finding.limit.text if finding.limit is not None else "",
        )
        for finding in report.findings
    ]
    found = [f"{n:,} {noun}{'s' * (n != 1)}" for noun, n in report.counts().items() if n]
    return joined(
        [
            tag("p", f"{', '.join(found) or 'No open findings'}."),
            table(("rule", "severity", "finding", "value", "limit"), rows, right=2),
            tag("p", _UNVERIFIED, class_="note") if "part-unverified" in first else None,
        ]
    )


def _fix(finding: Finding, first: Finding) -> tuple[Child, ...]:
    """Return how a finding is mended, in a line of its own; of notices of one rule the first tells it for all."""
    if not finding.fix or (finding.severity == "notice" and finding is not first):
        return ()
    return tag("br"), tag("span", f"→ {finding.fix}", class_="lead")


def _of_year(scenario: Scenario, plant: Plant, catalog: Catalog) -> list[tuple[str, Found]]:
    return list(of_the_year(scenario, plant, year_or_reason(scenario, plant, catalog)))


def counts_words(scenario: Scenario, plant: Plant, catalog: Catalog) -> str:
    """Return how many findings the design rules have in a scene, in a sentence."""
    counts = check(scenario, plant, catalog, _of_year(scenario, plant, catalog)).counts()
    found = [f"{n:,} {noun}{'s' * (n != 1)}" for noun, n in counts.items() if n]
    return f"{', '.join(found)}." if found else "no findings."


def catalog_of(reader: Reader) -> tuple[Catalog, Mapping[str, str]]:
    """Return the catalogue of the run, own parts too, and its files of constants; of this program for older files."""
    texts, own = reader.constants() or constants(), reader.header.scenario.own_files
    try:
        return catalog_with(own, _catalog(texts)), texts
    except (CatalogError, YAMLError):  # of a version that wrote catalogues otherwise
        texts = constants()
        return catalog_with(own, _catalog(texts)), texts


def _catalog(texts: Mapping[str, str]) -> Catalog:
    found = {
        name.removeprefix("catalog/"): text for name, text in texts.items() if name.startswith("catalog/")
    }
    return catalog_from_texts(found)


def year(
    scenario: Scenario, plant: Plant, catalog: Catalog, summary: Mapping[str, Any] | None = None
) -> Markup:
    """Return the typical year of the site as it stood at the start, beside the run that a summary tells."""
    found = year_or_reason(scenario, plant, catalog)
    if isinstance(found, str):
        return tag("p", f"{found[:1].upper()}{found[1:]}.")
    flatters = (
        " The scene names no place of the weather tables: a mean day flatters." if found.mean_day else ""
    )
    lead = f"{capitalised(found.climate)}: all racks at design power, {found.it_w / 1e6:,.2f} MW, all year.{flatters}"
    it_w, pue = (summary or {}).get("power", {}).get("it_mean_w"), (summary or {}).get("pue")
    if it_w and pue:
        lead += (
            f" The run had a PUE of {pue:.3f} at {it_w / 1e6:,.2f} MW of IT in the mean, "
            f"{percent(it_w / found.it_w, 0)} of that load: fixed losses and fans weigh more at part load."
            if it_w < found.it_w and pue > found.pue
            else f" The run had a PUE of {pue:.3f} at {it_w / 1e6:,.2f} MW of IT in the mean."
        )
    rows = [(figure.title, figure.words, figure.tip) for figure in year_figures(found)]
    months = f"PUE by month: {months_words(found)}."
    return joined([tag("p", lead), table(("figure", "value", "meaning"), rows), tag("p", months)])


def standings_of(scenario: Scenario, plant: Plant, catalog: Catalog) -> Counter[str]:
    """Return how many constants of the parts of a scene have each standing."""
    parts = _listed(scenario, plant, catalog)
    return Counter(figure.status for part in parts for figure in catalog.figures(part))


def _listed(scenario: Scenario, plant: Plant, catalog: Catalog) -> list[str]:
    """Return the parts whose constants are listed; causes of failure and prices stand with what a scene assumes."""
    parts = used_parts(scenario, plant, catalog)
    return [part for part in parts if not isinstance(catalog.part(part), CausePart | PricePart)]


def sources(scenario: Scenario, plant: Plant, catalog: Catalog, texts: Mapping[str, str]) -> Markup:
    """Return every constant of the parts and profiles that this scene uses: value, source, status."""
    parts = _listed(scenario, plant, catalog)
    standings = standings_of(scenario, plant, catalog)
    common = _common([(f.status, f.citation or f.source) for part in parts for f in catalog.figures(part)])
    body: list[Child] = [
        tag("p", _counted(standings)),
        tag("p", _common_words(common)) if common else None,
        tag("h3", f"Parts of the catalogue, edition {catalog.version}"),
    ]
    single: list[tuple[Child, ...]] = []
    for part in parts:
        title = catalog.part(part).title
        figures = list(catalog.figures(part))
        rows = [
            (
                field_words(figure.key),
                number(figure.value, field_value(figure.text, figure.key)),
                status_mark(figure.status),
                joined(
                    [
                        _unless_common(common, figure.status, figure.citation or figure.source),
                        figure.note and tag("span", f" {figure.note}", class_="lead"),
                    ]
                ),
            )
            for figure in figures
        ]
        if len(rows) == 1:
            single.append((f"{title}: {rows[0][0]}", *rows[0][1:]))
        elif rows:
            body.append(table(_SOURCE_HEADS, rows, caption=f"{part}: {title}", class_="sources"))
    if single:
        body.append(table(_SOURCE_HEADS, single, caption="Parts of one number", class_="sources"))
    for profile in _profiles(scenario, plant, texts):
        shared = _common([(figure.status, figure.source) for figure in profile.figures.values()])
        lines: list[tuple[Child, ...]] = [
            (
                field_words(key),
                number(figure.value, field_value(figure.text, key)),
                status_mark(figure.status),
                _unless_common(shared, figure.status, figure.source),
            )
            for key, figure in profile.figures.items()
        ]
        body += [
            tag("h3", f"Profile {profile.name}: {profile.title}"),
            tag("p", f"{_profile_words(profile)} {profile.notes} {_common_words(shared)}".rstrip()),
            table(_SOURCE_HEADS, lines, class_="sources"),
            *(_runs_table(profile.name, precision) for precision in _precisions(scenario)),
        ]
    return joined(body)


def _common(found: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return for each status the source that most numbers of it share: it is told once, not in every row."""
    common: dict[str, str] = {}
    for (status, source), count in Counter(found).most_common():
        if count >= _MANY:
            common.setdefault(status, source)
    return common


def _unless_common(common: Mapping[str, str], status: str, source: str) -> str:
    return "" if common.get(status) == source else source


def _common_words(common: Mapping[str, str]) -> str:
    said = "; ".join(f"{status}: {source}" for status, source in common.items())
    return f"Where a row names no source, it is that of its status. {capitalised(said)}." if said else ""


def _precisions(scenario: Scenario) -> list[str]:
    """Return the precisions of the trainings of a scene."""
    works = (job.workload for job in jobs_of(scenario))
    return list(dict.fromkeys(work.precision for work in works if isinstance(work, LlmTraining)))


def _runs_table(profile: str, precision: str) -> Markup | None:
    """Return the published runs that a profile was calibrated on, those of one model and source in a row."""
    found = calibration_runs(profile, precision)
    if not found:
        return None
    sources = list(dict.fromkeys(runs.source for runs in found))
    rows = [
        (
            runs.model,
            number(len(runs.gpus), f"{len(runs.gpus):,}"),
            ", ".join(f"{count:,}" for count in runs.gpus),
            "fitted to" if runs.fitted else "held out: a test",
            f"{sources.index(runs.source) + 1}",
        )
        for runs in found
    ]
    listed = sum(len(runs.gpus) for runs in found)
    behind = step_errors().get((profile, precision))
    whole = listed if behind is None else max(behind.rows, listed)
    of = "The" if listed == whole else f"{listed:,} of the"
    caption = f"{of} {counted(whole, 'published run')} of {precision} behind profile {profile}"
    numbered = "; ".join(f"{place}: {source}" for place, source in enumerate(sources, 1))
    return joined(
        [
            table(("model", "runs", "on GPUs", "use", "source"), rows, caption=caption, class_="sources"),
            tag("p", f"{numbered}. twin validate holds the model against each.", class_="note"),
        ]
    )


def _profile_words(profile: CalibratedProfile) -> str:
    """Return what a profile rests on; how far step times of a job may be off is told with the job, in one figure."""
    standing = standing_named(profile.confidence)
    return f"{capitalised(worth(profile))}." if standing is None else standing.meaning


def _profiles(scenario: Scenario, plant: Plant, texts: Mapping[str, str]) -> list[CalibratedProfile]:
    made = []
    for name in used_profiles(scenario, plant):
        text = texts.get(f"profiles/{name}.yaml")
        if text is not None:
            try:
                made.append(profile_from(parse_document(text, f"{name}.yaml"), name, f"{name}.yaml"))
            except ProfileError:  # of a version that wrote profiles otherwise
                continue
    return made


def status_mark(status: str) -> Markup:
    """Return the standing of a number, marked where it wants to be checked."""
    css = {"recalled": "warn", "estimated": "warn", "unverified": "warn"}.get(status)
    return tag("span", status, class_=css, title=_STANDING.get(status))


def _counted(standings: Mapping[str, int]) -> str:
    counts = [
        f"{standings[status]:,} {status} ({meaning})"
        for status, meaning in _STANDING.items()
        if standings.get(status)
    ]
    return f"Numbers of the parts: {'; '.join(counts)}."
