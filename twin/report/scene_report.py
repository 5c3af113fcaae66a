"""A scene as one HTML file before anybody has run it: money, power and cooling, availability, checks, sources."""

from __future__ import annotations

from collections.abc import Sequence

from twin.analysis.money_words import figures_of
from twin.analysis.site_books import scene_books
from twin.catalog import Catalog
from twin.commands.budget.budget import FIGURES, Budget, budget, figure_words
from twin.commands.edit.command import EditedScene
from twin.economics.books import SiteBooks
from twin.economics.cash_flow import Plan
from twin.economics.price_book import PriceError
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
from twin.report import run_basis
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.pages import document
from twin.report.run_money import SAMPLES, books_of_site
from twin.report.run_report import ReportPicture, figure_of
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
    sections: list[tuple[str, str, Child]] = [
        ("figures", "Key figures", _key_figures(standing, books, available, year)),
        ("story", "What it is", _story(scenario)),
        ("money", "Money", tag("p", books) if isinstance(books, str) else books_of_site(books)),
        ("power", "Power, cooling and space", _power(standing)),
        ("availability", "Availability", _availability(available)),
        ("rules", "Design rules", run_basis.rules(scenario, plant, catalog, ())),
        ("year", "Typical year", run_basis.year(scenario, plant, catalog)),
        ("jobs", "Jobs", _jobs(scenario)),
        ("sources", "Constants and their sources", run_basis.sources(scenario, plant, catalog, constants())),
    ]
    if pictures:
        sections.insert(2, ("hall", "The hall", joined(map(figure_of, pictures))))
    lead = "A design that has not run: worked out by closed forms, not measured"
    return document(scenario.title, lead, sections, app_version())


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
    standing: Budget, books: SiteBooks | str, available: HallAvailability, year: SiteYear | str
) -> Markup:
    cards = [
        ("GPUs", f"{standing.gpus:,}"),
        ("Nodes in racks", f"{standing.nodes:,} in {standing.racks:,}"),
        ("Power of racks", figure_words("it_w", standing.it_w)),
    ]
    if isinstance(year, SiteYear):
        cards += [
            ("Highest power of the site", f"{year.peak_w / 1e6:,.3g} MW"),
            ("PUE over the year", f"{year.pue:.2f}"),
        ]
    if not isinstance(books, str):
        cards += [
            (
                money.title,
                money.words.partition(" (")[0].replace("million USD", "MUSD").replace("thousand USD", "kUSD"),
            )
            for money in figures_of(books)
        ]
    site = next((system for system in available.systems if system.system == "site"), None)
    if site is not None:
        cards.append(("Power and cooling available", share(site.available)))
    return tag("dl", [tag("div", tag("dt", name), tag("dd", words)) for name, words in cards], class_="cards")


def _story(scenario: Scenario) -> Markup:
    parts: list[Child] = [tag("p", text) for text in scenario.notes.split("\n\n") if text.strip()]
    if scenario.sources:
        parts.append(tag("ul", [tag("li", source) for source in scenario.sources]))
    return joined(parts) if parts else tag("p", "The scene says nothing of itself.")


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
