"""A scene before anybody has run it, for three readers: what it is and costs; power, availability, checks; method."""

from __future__ import annotations

from collections.abc import Sequence

from twin.analysis.site_books import scene_books
from twin.catalog import Catalog
from twin.commands.budget.budget import FIGURES, Budget, budget, figure_words
from twin.commands.edit.command import EditedScene
from twin.economics.books import SiteBooks
from twin.economics.cash_flow import Plan
from twin.economics.price_book import PriceError
from twin.economics.price_draws import SAMPLES
from twin.planning.job.result import PlanError
from twin.planning.profile.figures import ProfileError
from twin.planning.risk.availability_figures import HallAvailability
from twin.planning.risk.availability_text import WITHOUT, figure, share, systems_title
from twin.planning.risk.hall_availability import availability_of
from twin.planning.risk.risk import risk_of
from twin.plant.tables import Plant
from twin.record.constants import constants
from twin.record.inputs import app_version
from twin.record.site_year import SiteYear
from twin.report import run_basis, run_method, run_money
from twin.report.engineer_words import utility_w, year_peak_words
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.pages import ReportPart, report
from twin.report.run_assumptions import assumptions
from twin.report.run_money import RunMoney, money_chart, money_words
from twin.report.run_report import ReportPicture, figure_of, with_appendix
from twin.report.run_summary import place_words, range_card
from twin.report.words import amount
from twin.runtime.typical_year import year_or_reason
from twin.scenario import Document
from twin.scenario.schema.document import Scenario


def scene_report(scene: Document, pictures: Sequence[ReportPicture] = ()) -> str:
    """Return the report of a scene that has not run.

    Parameters
    ----------
    scene
        Which.
    pictures
        Of the hall.

    Raises
    ------
    PlantError
        When it makes no hall.
    """
    edited = EditedScene.of(scene)
    scenario, plant, catalog, standing = edited.scenario, edited.plant, edited.catalog, budget(edited)
    books = _books(scenario, plant, catalog)
    available = _available(scenario, plant, catalog)
    year = year_or_reason(scenario, plant, catalog)
    money = books if isinstance(books, str) else RunMoney(books)
    shown = [figure_of(picture, small=True) for picture in pictures]
    checked = run_basis.counts_words(scenario, plant, catalog)
    summary = ReportPart(
        "summary",
        "Summary",
        "for who decides",
        (
            ("What is it, and is it worth its cost?", f"{_what(scenario, standing)} {money_words(money)}"),
            ("What is the risk?", f"{_available_words(available)} {_power_words(scenario, standing, year)}"),
            (
                "What next?",
                f"Design rules: {checked} A run says what its GPU time comes to in USD.",
            ),
        ),
        (
            (
                "figures",
                "At a glance",
                joined(
                    [_key_figures(scenario, standing, books, available, year), money_chart(money), *shown]
                ),
            ),
        ),
    )
    engineering = ReportPart(
        "engineering",
        "Engineering",
        "for who builds and runs it",
        (
            ("Do power and cooling suffice?", _power_words(scenario, standing, year)),
            ("How available is it?", _worst_words(available)),
            ("What do the design rules find?", checked),
        ),
        (
            ("power", "Power, cooling and space", _power(standing)),
            ("availability", "Availability", _availability(available)),
            ("rules", "Design rules", run_basis.rules(scenario, plant, catalog, ())),
            ("year", "Typical year", run_basis.year(scenario, plant, catalog)),
            ("jobs", "Jobs", _jobs(scenario)),
            ("money", "Money", run_money.money(money)),
        ),
    )
    standings = run_basis.standings_of(scenario, plant, catalog)
    method = ReportPart(
        "method",
        "Method",
        "for who teaches or checks",
        (
            ("What is shown here?", run_method.story_words(scenario)),
            ("How sure are the figures?", run_method.sure_words(standings, None, "")),
            (
                "How can I try it?",
                "Open the scene, or twin run it: the report of a run tells what comes of it.",
            ),
        ),
        (
            ("how", "How figures are worked out", run_method.method()),
            ("story", "The scene", run_method.story(scenario)),
            ("scene-sources", "Sources of the scene", run_method.scene_sources(scenario)),
        ),
    )
    listed = run_basis.sources(scenario, plant, catalog, constants())
    constants_part = joined([listed, assumptions(scenario, plant, catalog)])
    lead = f"{place_words(scenario)}. A design that has not run: worked out by closed forms, not measured"
    parts = with_appendix((summary, engineering, method), constants_part)
    return report(scenario.title, lead, parts, app_version())


def _what(scenario: Scenario, standing: Budget) -> str:
    jobs = f" for {len(scenario.jobs):,} job{'s' * (len(scenario.jobs) != 1)}" if scenario.jobs else ""
    return (
        f"{standing.gpus:,} GPUs in {standing.nodes:,} nodes and {standing.racks:,} racks{jobs}; the racks draw "
        f"{amount(standing.it_w, 'power')} at their design load."
    )


def _available_words(found: HallAvailability) -> str:
    site = next((system for system in found.systems if system.system == "site"), None)
    if site is None:
        return "Nothing is known of the availability."
    return (
        f"Power and cooling are there for all {share(site.available)} of the time, with {figure(site.outages)} outages "
        "a year."
    )


def _worst_words(found: HallAvailability) -> str:
    worst = ", ".join(f"{cause.what} ({figure(cause.gpu_hours)} GPU-h a year)" for cause in found.worst[:3])
    return f"{_available_words(found)}{f' Most is taken by {worst}.' if worst else ''}"


def _power_words(scenario: Scenario, standing: Budget, year: SiteYear | str) -> str:
    said = [
        f"{what} at {100 * load:.0f} % of {capacity}"
        for what, capacity, load in (
            ("the racks are", "the capacity of their feeds", standing.power_load),
            ("their heat is", "the cooling capacity", standing.cooling_load),
        )
        if load == load
    ]
    words = (
        f"At design load {' and '.join(said)}." if said else "The scene has neither feeds nor cooling loops."
    )
    if isinstance(year, SiteYear):
        words += f" {year_peak_words(year, utility_w(scenario))} Its PUE over that year is {year.pue:.2f}."
    return words


def _books(scenario: Scenario, plant: Plant, catalog: Catalog) -> SiteBooks | str:
    try:
        return scene_books(scenario, plant, catalog, Plan(), SAMPLES)
    except PriceError as wrong:
        return str(wrong)


def _available(scenario: Scenario, plant: Plant, catalog: Catalog) -> HallAvailability:
    try:
        risk = risk_of(scenario, plant, catalog)
    except (PlanError, ProfileError, ValueError):
        risk = None
    return availability_of(scenario, plant, catalog, risk)


def _key_figures(
    scenario: Scenario,
    standing: Budget,
    books: SiteBooks | str,
    available: HallAvailability,
    year: SiteYear | str,
) -> Markup:
    cards: list[tuple[str, Child]] = [
        ("GPUs", f"{standing.gpus:,}"),
        ("Nodes in racks", f"{standing.nodes:,} in {standing.racks:,}"),
        ("Place", place_words(scenario)),
        ("Power of racks", amount(standing.it_w, "power")),
    ]
    if isinstance(year, SiteYear):
        cards += [
            ("Highest power of the site", amount(year.peak_w, "power")),
            ("PUE over the year", f"{year.pue:.2f}"),
        ]
    if not isinstance(books, str):
        drawn = books.drawn
        cards += [
            ("Capital (P5 to P95)", range_card(drawn.capital.total_usd)),
            ("A year (P5 to P95)", range_card(drawn.yearly_usd)),
        ]
    site = next((system for system in available.systems if system.system == "site"), None)
    if site is not None:
        cards.append(("Power and cooling available", share(site.available)))
    return tag("dl", [tag("div", tag("dt", name), tag("dd", words)) for name, words in cards], class_="cards")


def _power(standing: Budget) -> Markup:
    rows = [
        (
            title,
            number(float(getattr(standing, name)), figure_words(name, float(getattr(standing, name))), name),
        )
        for name, (title, _) in FIGURES.items()
    ]
    ports = [
        (f"Ports of fabric {fabric.id}", f"{fabric.used:,} of {fabric.ports:,} in use")
        for fabric in standing.ports
    ]
    loads = [
        (title, number(load, f"{100 * load:.0f} %"))
        for title, load in (
            ("Load of the feeds", standing.power_load),
            ("Heat over cooling capacity", standing.cooling_load),
        )
        if load == load
    ]
    return table(("figure", "value"), [*rows, *loads, *ports], right=1)


def _availability(found: HallAvailability) -> Markup:
    systems = [
        (
            system.system,
            share(system.available),
            figure(system.outages),
            figure(system.hours),
            share(system.of_gpus),
        )
        for system in found.systems
    ]
    title = systems_title(found.in_runs)
    parts: list[Child] = [
        tag("p", f"{title[:1].upper()}{title[1:]}."),
        table(("system", "available", "outages a year", "hours a year", "of a GPU"), systems, right=4),
    ]
    if found.worst:
        worst = [
            (cause.what, figure(cause.gpu_hours), figure(cause.outages), f"{cause.gpus:,}")
            for cause in found.worst
        ]
        heads = ("what takes most", "GPU-hours a year", "outages a year", "GPUs")
        parts += [tag("h3", "What costs most"), table(heads, worst, right=3)]
    if found.job is not None and found.job.in_service is not None:
        parts.append(
            tag(
                "p",
                f"Job {found.job.job}: enough of its {found.job.pool:,} nodes in service "
                f"{share(found.job.in_service)} of the time.",
            )
        )
    if found.without_rate:
        parts.append(tag("p", f"{WITHOUT}: {', '.join(found.without_rate)}.", class_="note"))
    return joined(parts)


def _jobs(scenario: Scenario) -> Markup:
    if not scenario.jobs:
        return tag("p", "The scene has no jobs.")
    rows = [
        (
            job.title or job.id,
            job.workload.kind,
            str(getattr(job.workload, "model", "") or "-"),
            f"{job.nodes:,}",
            f"{job.steps:,}" if job.steps else "until the end",
        )
        for job in scenario.jobs
    ]
    return table(("job", "kind", "model", "nodes", "steps"), rows, right=2)
