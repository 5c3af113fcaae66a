"""The bill of a scene: its lines, and the prices that they go by."""

from __future__ import annotations

from dataclasses import replace

from twin.catalog import Catalog
from twin.economics.bill import Bill, gathered
from twin.economics.it_lines import gpus_by_part, it_lines
from twin.economics.price_book import PriceBook, PriceRange
from twin.economics.site_lines import grid_power_w, site_lines, source_power_w
from twin.plant.design_load import rack_design_w
from twin.plant.tables import Plant
from twin.scenario.schema.document import Scenario


def bill_of(scenario: Scenario, plant: Plant, catalog: Catalog) -> Bill:
    """Return the bill of a scene; parts without a price are in it, and named in its notes.

    Raises
    ------
    UnknownPart
        When the catalogue lacks a part.
    """
    book = PriceBook(catalog, scenario.prices)
    lines = gathered([*it_lines(scenario, plant, catalog, book), *site_lines(plant, catalog)])
    notes = [
        f"{line.count:,.0f} {line.entry} have no price and count as nothing; give one under prices"
        for line in lines
        if line.entry not in book
    ]
    if not scenario.power:
        notes.append("The scene has no power tree: its power chain and substation count as nothing.")
    if not scenario.cooling.loops:
        notes.append("The scene has no cooling: its cooling counts as nothing.")
    return Bill(
        lines,
        gpus_by_part(plant),
        float(rack_design_w(plant, catalog).sum()),
        grid_power_w(plant, catalog),
        source_power_w(plant),
        tuple(notes),
    )


def prices_of(scenario: Scenario, bill: Bill, catalog: Catalog) -> tuple[PriceRange, ...]:
    """Return the prices that a bill goes by, and those of the books besides.

    Raises
    ------
    PriceError
        When what is inside something costs more than the whole.
    """
    book = PriceBook(catalog, scenario.prices)
    lines = [book.own(entry) for entry in bill.counts() if entry in book]
    known = {price.id for price in lines}
    return (*lines, *(book.whole(part.id) for part in catalog.prices if part.id not in known))


def priced_bill(bill: Bill, catalog: Catalog, scenario: Scenario) -> Bill:
    """Return a bill of the lines alone that have a price."""
    book = PriceBook(catalog, scenario.prices)
    return replace(bill, lines=tuple(line for line in bill.lines if line.entry in book))
