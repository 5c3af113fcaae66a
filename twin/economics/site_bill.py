"""The bill of a scene: its lines, and the prices that they go by."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from twin.arrays import Bools
from twin.catalog import Catalog
from twin.economics.bill import Bill, gathered
from twin.economics.it_lines import gpus_by_part, held_lines, shared_lines
from twin.economics.price_book import PriceBook, PriceRange
from twin.economics.rented_groups import rent_entry, rented_groups, rented_nodes
from twin.economics.site_lines import grid_power_w, site_lines, source_power_w
from twin.language import tr
from twin.plant.design_load import node_design_w, rack_design_w
from twin.plant.tables import Plant
from twin.scenario.generators.rented import shape_part, terms_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.rental import Rental
from twin.units import render


def bill_of(scenario: Scenario, plant: Plant, catalog: Catalog) -> Bill:
    """Return the bill of a scene; parts without a price are in it, and named in its notes.

    Raises
    ------
    UnknownPart
        When the catalogue lacks a part.
    """
    book = PriceBook(catalog, scenario.prices)
    rented = rented_nodes(rented_groups(scenario, plant, catalog), plant)
    share = _owned_share(plant, catalog, rented)
    shared = [*shared_lines(scenario, plant, catalog), *site_lines(plant, catalog)]
    if share != 1.0:
        shared = [replace(line, count=line.count * share) for line in shared]
    lines = gathered([*held_lines(plant, catalog, book, rented), *shared])
    notes = [
        f"{line.entry} has no price and counts as nothing ({line.count:,.0f} of it); give it one under prices."
        for line in lines
        if line.entry not in book
    ]
    if not scenario.power:
        notes.append("The scene has no power tree: its power chain and substation count as nothing.")
    if not scenario.cooling.loops:
        notes.append("The scene has no cooling: its cooling counts as nothing.")
    racks_w = float(rack_design_w(plant, catalog).sum())
    if rented_w := racks_w * (1.0 - share):
        notes.append(
            tr(
                "Rented nodes take {rented} of {racks} of racks: what powers, cools and houses them is their owner's.",
                rented=render(rented_w, "power", 3),
                racks=render(racks_w, "power", 3),
            )
        )
    return Bill(
        lines,
        gpus_by_part(plant),
        racks_w * share,
        grid_power_w(plant, catalog) * share,
        {kind: rated_w * share for kind, rated_w in source_power_w(plant).items()},
        tuple(notes),
        share,
        gpus_by_part(plant, rented),
        rented_w,
    )


def _owned_share(plant: Plant, catalog: Catalog, rented: Bools) -> float:
    """Return the share of the design power of all nodes that the owned ones have [-]."""
    if not rented.any():
        return 1.0
    each_w = np.array([node_design_w(catalog.node(name)) for name in plant.node_parts])
    nodes_w = each_w[plant.nodes.part] * plant.nodes.present
    return float(nodes_w[~rented].sum() / nodes_w.sum())


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
    rents = (_rent_price(rental, catalog) for rental in scenario.rentals)
    return (*lines, *(book.whole(part.id) for part in catalog.prices if part.id not in known), *rents)


def _rent_price(rental: Rental, catalog: Catalog) -> PriceRange:
    """Return what the cost of a rental is over that at likely prices: certain where the scene says the price."""
    terms, part = terms_of(rental, 1, catalog), shape_part(rental, catalog)
    figure = None if part is None or terms.high <= terms.low else catalog.provenance(part.id, "price_usd")
    return PriceRange(
        rent_entry(rental.id),
        tr("Rent of {name}", name=rental.title or rental.id),
        "rent",
        terms.low,
        1.0,
        terms.high,
        "",
        "" if figure is None else figure.date,
        "scene" if figure is None else figure.status,
        "the scene" if figure is None else figure.citation,
    )


def priced_bill(bill: Bill, catalog: Catalog, scenario: Scenario) -> Bill:
    """Return a bill of the lines alone that have a price."""
    book = PriceBook(catalog, scenario.prices)
    return replace(bill, lines=tuple(line for line in bill.lines if line.entry in book))
