"""Section of the appendix of a report on what a scene assumes: failures and repairs, restarts, prices, electricity."""

from __future__ import annotations

from twin.catalog import Catalog
from twin.catalog.price_parts import PricePart
from twin.economics.price_book import PriceBook, PriceRange
from twin.physics.reliability import REPAIR_CLASS, REPAIR_CLASSES
from twin.planning.risk.failure_table import FailureRow, failure_table, rate_words, repair_words
from twin.plant.tables import Plant
from twin.report.markup import Child, Markup, joined, number, table, tag
from twin.report.run_basis import status_mark
from twin.report.words import length, quantity
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.work import Recovery

MOST_JOBS = 5
"""Jobs whose restarts are listed, of each way to restart the first."""


def assumptions(scenario: Scenario, plant: Plant, catalog: Catalog) -> Markup:
    """Return failures with their repairs, parts of a restart, electricity, and prices that the books go by."""
    return joined(
        [
            _failures(scenario, plant, catalog),
            _restarts(scenario),
            _electricity(scenario),
            _prices(scenario, catalog),
        ]
    )


def _failures(scenario: Scenario, plant: Plant, catalog: Catalog) -> Markup | None:
    rows = [row for row in failure_table(scenario, plant, catalog).rows if row.acts]
    if not rows:
        return None
    cells = [
        (
            row.title,
            number(row.rate_s, rate_words(row)),
            repair_words(row),
            *_quantiles(row, scenario.failures.repair_constant_s),
            row.standing,
        )
        for row in rows
    ]
    heads = ("cause", "rate", "repair", "median", "P90", "rests on")
    sources = list(dict.fromkeys(row.source for row in rows if row.source))
    told = f"Rates: {'; '.join(sources)}. " if sources else ""
    note = f"{told}What the scene says itself has its sources in the section Sources of the scene."
    return joined(
        [
            table(heads, cells, caption="Failures and repairs", class_="sources"),
            tag("p", note, class_="note"),
        ]
    )


def _quantiles(row: FailureRow, constant_s: float | None) -> tuple[str, str]:
    """Return median and P90 of a repair; the same where it always takes as long."""
    if row.repair == "restart":
        return "", ""
    if constant_s is not None or row.repair not in REPAIR_CLASS:
        return length(row.repair_s), length(row.repair_s)
    found = REPAIR_CLASSES[REPAIR_CLASS[row.repair]].repair
    return length(found.median_s), length(found.p90_s)


def _restarts(scenario: Scenario) -> Markup:
    first: dict[Recovery, str] = {}
    for job in jobs_of(scenario):
        first.setdefault(job.recovery, job.id)
    rows: list[tuple[Child, ...]] = []
    for recovery, job_id in list(first.items())[:MOST_JOBS]:
        for name, field in Recovery.model_fields.items():
            value = getattr(recovery, name)
            if value is not None and name.endswith("_s"):
                said = quantity(value, "bandwidth") if name.endswith("_bytes_s") else length(value)
                rows.append((field.alias or name, said, field.description or "", job_id))
    if not rows:
        return joined([])
    return table(
        ("restart", "value", "meaning", "of job"), rows, caption="Detection and restart", class_="sources"
    )


def _electricity(scenario: Scenario) -> Markup:
    grid = scenario.site.grid
    rows = [
        ("Energy price", quantity(grid.price_usd_j, "energy_price")),
        ("Carbon intensity", quantity(grid.carbon_kg_j, "carbon_intensity")),
    ]
    return table(("electricity", "value"), rows, caption="Electricity of the scene", class_="sources")


def _prices(scenario: Scenario, catalog: Catalog) -> Markup | None:
    """Return prices, shares and lives with their ranges, and below them each source once."""
    book = PriceBook(catalog, scenario.prices)
    found = [(part, book.whole(part.id)) for part in catalog.prices]
    if not found:
        return None
    titles: dict[str, list[str]] = {}
    for _, price in found:
        if price.standing not in ("estimated", "scene"):
            titles.setdefault(price.source, []).append(price.title)
    rows = [
        (price.title, *_range(part, price), status_mark(price.standing), price.note) for part, price in found
    ]
    said = [f"{', '.join(named)}: {source}." for source, named in titles.items()]
    caption = "Prices, shares and lives that the books can go by"
    return joined(
        [
            table(
                ("number", "value", "low to high", "status", "reasoning"),
                rows,
                caption=caption,
                class_="sources",
            ),
            *(tag("p", text, class_="note") for text in said),
        ]
    )


def _range(part: PricePart, price: PriceRange) -> tuple[str, str]:
    """Return a price in its unit, and its range where it has one."""
    of = "" if part.per == "1" else f" of {part.per}"
    scale, unit = {
        "share": (100.0, f"%{of}"),
        "years": (1.0, "years"),
        "carbon_kg": (1.0, f"kg per {part.per}"),
    }.get(part.value_key, (1.0, f"USD per {part.per}"))
    low, likely, high = (f"{round(scale * usd, 6):,.10g}" for usd in (price.low, price.likely, price.high))
    return f"{likely} {unit.replace('m3', 'm³')}", "" if price.low == price.high else f"{low} to {high}"
