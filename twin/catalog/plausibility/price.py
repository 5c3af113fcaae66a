"""Checks of prices: dated, wide enough for what they rest on, and not less than what is inside."""

from __future__ import annotations

from twin.catalog.catalog import Catalog
from twin.catalog.contents import contents
from twin.catalog.errors import UnknownPart
from twin.catalog.part import Part
from twin.catalog.plausibility.finding import CatalogFinding, Findings
from twin.catalog.price_parts import PricePart

LEAST_WIDTH = 0.4
"""From low to high over the likely price, of one that nobody has published."""


def price(part: Part, catalog: Catalog) -> Findings:
    """Yield the findings for the price of a part, or an entry of the prices; nothing without one."""
    key = part.value_key if isinstance(part, PricePart) else "price_usd"
    try:
        figure = catalog.provenance(part.id, key)
    except UnknownPart:
        return
    if not figure.date:
        yield CatalogFinding("warning", part.id, key, "has no date: prices change")
    estimate = figure.status in ("recalled", "estimated", "unverified")
    width = (figure.high or figure.value) - (figure.value if figure.low is None else figure.low)
    if estimate and width < LEAST_WIDTH * figure.value * (1 - 1e-9):
        message = f"is {100 * width / figure.value:.0f} % wide; an estimate is at least {100 * LEAST_WIDTH:.0f} % wide"
        yield CatalogFinding("warning", part.id, key, message)
    inside = sum((catalog.part(name).price_usd or 0.0) * count for name, count in contents(part).items())
    if inside > figure.value:
        message = f"costs less than what is in it: {figure.value:,.0f} of {inside:,.0f} USD"
        yield CatalogFinding("error", part.id, key, message)
