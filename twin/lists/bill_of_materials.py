"""The bill of materials: what to order, how much of it, what it costs, weighs and draws, and when it comes."""

from __future__ import annotations

from collections.abc import Iterator

from twin.catalog import Catalog, CduPart, CrahPart, NodePart, StoragePart, SwitchPart
from twin.catalog.part import Part
from twin.designs.need import LeadTimes
from twin.economics.bill import GROUP_TITLES, Group
from twin.economics.capital import Capital, CapitalLine, capital_of
from twin.economics.prices import likely_prices
from twin.economics.site_bill import bill_of, priced_bill, prices_of
from twin.language import tr
from twin.lists.table import Cell, SiteColumn, SiteList
from twin.plant.design_load import node_design_w
from twin.plant.tables import Plant
from twin.scenario.schema.document import Scenario

COLUMNS = (
    SiteColumn("group", tr("Group")),
    SiteColumn("part", tr("Part")),
    SiteColumn("title", tr("Title"), detail=True),
    SiteColumn("count", tr("Count"), "", 1),
    SiteColumn("unit", tr("Unit")),
    SiteColumn("low_usd", tr("Price from"), "USD", 2, detail=True),
    SiteColumn("likely_usd", tr("Likely price"), "USD", 2, detail=True),
    SiteColumn("high_usd", tr("Price to"), "USD", 2, detail=True),
    SiteColumn("total_low_usd", tr("Total from"), "USD", 0),
    SiteColumn("total_usd", tr("Likely total"), "USD", 0),
    SiteColumn("total_high_usd", tr("Total to"), "USD", 0),
    SiteColumn("weight_kg", tr("Weight"), "kg", 0, detail=True),
    SiteColumn("power_kw", tr("Power"), "kW", 1, detail=True),
    SiteColumn("lead_weeks", tr("Lead time"), "weeks", 0),
    SiteColumn("lead_standing", tr("Lead time is")),
    SiteColumn("standing", tr("Price is")),
    SiteColumn("source", tr("Source"), detail=True),
)
SUMMED = ("total_low_usd", "total_usd", "total_high_usd", "weight_kg")
USUAL = "usual"
"""Standing of a lead time that is told of a kind of parts."""
_WEEK_S = 7 * 86400.0
_USUAL_WEEKS = {
    "ups": 35,
    "pdu": 30,
    "busbar": 30,
    "battery": 40,
    "cdu": 26,
    "crah": 20,
    "rdhx": 20,
    "tank": 26,
    "dry_cooler": 35,
    "cooling_tower": 35,
    "rack": 10,
    "power_shelf": 20,
    "storage": 16,
    "cable": 10,
}
"""By kind [est]; those of the form of a need are its own."""


def bill_of_materials(scenario: Scenario, plant: Plant, catalog: Catalog) -> SiteList:
    """Return a row for each part, and for each lump item of the site; likely totals sum to the capital of the books.

    A node is listed without its GPUs, CPUs and network cards, which have rows of their own; its weight and power are
    those of the whole. Weight and power are those of all pieces together.

    Raises
    ------
    PriceError
        When what is inside something costs more than the whole.
    UnknownPart
        When the catalogue lacks a part.
    """
    bill = bill_of(scenario, plant, catalog)
    prices = likely_prices(prices_of(scenario, bill, catalog))
    capital = capital_of(priced_bill(bill, catalog, scenario), prices)
    unpriced = [line for line in bill.lines if line.entry not in prices.table]
    rows = [*_rows(capital, catalog)]
    rows += [
        _row(catalog, line.group, line.entry, line.count, line.unit, (None,) * 6, ("", ""))
        for line in unpriced
    ]
    return SiteList("bom", tr("Bill of materials"), COLUMNS, tuple(rows), bill.notes, SUMMED)


def lead_time_s(part: Part, catalog: Catalog) -> tuple[float | None, str]:
    """Return the time from the order to the delivery of a part [s], and its standing; None and "" where none is told.

    That of the catalogue has the standing it has there; one that is usual for parts of its kind is "usual".
    """
    if part.lead_s is not None:
        return part.lead_s, catalog.provenance(part.id, "lead_s").status
    times = LeadTimes()
    of_kind = {
        "gpu": times.gpus_s,
        "cpu": times.gpus_s,
        "node": times.gpus_s,
        "switch": times.switches_s,
        "nic": times.switches_s,
        "transformer": times.transformer_s,
        "switchgear": times.switchgear_s,
        "generator": times.generator_s,
        "chiller": times.chiller_s,
        **{kind: weeks * _WEEK_S for kind, weeks in _USUAL_WEEKS.items()},
    }
    usual_s = of_kind.get(part.KIND)
    return usual_s, "" if usual_s is None else USUAL


def _rows(capital: Capital, catalog: Catalog) -> Iterator[tuple[Cell, ...]]:
    for line in capital.lines:
        price = capital.prices.table[line.entry]
        likely = float(line.usd[0])
        low, high = (likely * end / price.likely if price.likely else 0.0 for end in (price.low, price.high))
        usd = (*_each(line, low, likely, high), low, likely, high)
        yield _row(
            catalog, line.group, line.entry, line.count, line.unit, usd, (price.standing, price.source)
        )


def _each(line: CapitalLine, *totals: float) -> tuple[float, ...]:
    return tuple(total / line.count for total in totals)


def _row(
    catalog: Catalog,
    group: Group,
    entry: str,
    count: float,
    unit: str,
    usd: tuple[Cell, ...],
    of_price: tuple[str, str],
) -> tuple[Cell, ...]:
    part = catalog.part(entry)
    weight_kg, power_w, (lead_s, lead_standing) = part.weight_kg, _power_w(part), lead_time_s(part, catalog)
    return (
        GROUP_TITLES[group],
        entry,
        part.title,
        count,
        unit,
        *usd,
        None if weight_kg is None else count * weight_kg,
        None if power_w is None else count * power_w / 1e3,
        None if lead_s is None else lead_s / _WEEK_S,
        lead_standing,
        *of_price,
    )


def _power_w(part: Part) -> float | None:
    """Return the design load of a part that is fed by itself [W]; what is in a node is in the power of the node."""
    if isinstance(part, NodePart):
        return node_design_w(part)
    if isinstance(part, SwitchPart):
        return part.typical_w
    if isinstance(part, StoragePart | CduPart):
        return part.power_w
    return part.fan_w if isinstance(part, CrahPart) else None
