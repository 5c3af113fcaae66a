"""Every part that one can buy has a price with range, date and standing, and contains what is in it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from twin.catalog import CausePart, Figure, RackPart, TechnologyPart, catalog_from_texts, check, load_catalog
from twin.catalog.catalog import shipped_texts
from twin.catalog.contents import contents
from twin.catalog.machine_failure import MachineFailurePart
from twin.catalog.price_parts import PricePart
from twin.economics.price_book import PriceBook

NOT_BOUGHT = (CausePart, MachineFailurePart, TechnologyPart)
IN_NODES = ("Host-memory",)
"""What no order has as a line of its own."""


def _priced() -> list[Figure]:
    catalog = load_catalog()
    found = []
    for part in catalog:
        if isinstance(part, NOT_BOUGHT) or part.id in IN_NODES:
            continue
        if isinstance(part, RackPart) and part.layout and part.price_usd is None:
            continue  # sold as what is in it, in a cabinet
        key = part.value_key if isinstance(part, PricePart) else "price_usd"
        found.append(catalog.provenance(part.id, key))
    return found


PRICED = _priced()


def test_every_part_and_every_entry_has_a_price() -> None:
    assert len(PRICED) > 130


@pytest.mark.parametrize("figure", PRICED, ids=lambda figure: figure.part)
def test_a_price_has_range_date_and_reason(figure: Figure) -> None:
    assert figure.low is not None
    assert figure.high is not None
    assert figure.date == "2026-11"
    assert not repeats(figure), "a reason is more than the value again"
    if figure.status in ("recalled", "estimated"):
        assert figure.high - figure.low >= 0.4 * figure.value * (1 - 1e-12)


def repeats(figure: Figure) -> bool:
    """Return whether a note has no words but units, and no numbers but those of the value and its range."""
    words = set(re.findall(r"[A-Za-z]{4,}", figure.note)) - {"year", "years"}
    numbers = {float(text.replace(",", "")) for text in re.findall(r"\d[\d,.]*", figure.note)}
    known = [value for value in (figure.value, figure.low, figure.high) if value is not None]
    own = {
        float(f"{value * scale:.6g}") for value in known for scale in (1.0, 100.0, 1e-3, 1.0 / 31_536_000.0)
    }
    return not words and numbers <= own


def test_a_note_that_repeats_its_value_is_found() -> None:
    figure = next(figure for figure in load_catalog().figures("gas-kw") if figure.key == "price_usd")
    assert repeats(replace(figure, note="1,700 USD per kW"))
    assert repeats(replace(figure, note="1,200 to 2,400 USD a year"))
    assert not repeats(replace(figure, note="half of 3,400 USD"))
    assert not repeats(figure)


def test_what_is_in_a_part_costs_no_more_than_the_whole_and_the_pieces_sum_to_it() -> None:
    catalog = load_catalog()
    book = PriceBook(catalog)
    holders = [part for part in catalog if contents(part) and part.id in book]
    assert {"DGX-H100", "GrandTeton-H100", "GB200-compute-tray", "GB200-NVL72"} <= {
        part.id for part in holders
    }
    for part in holders:
        own = book.own(part.id)
        pieces = own.likely + sum(book.whole(name).likely * n for name, n in contents(part).items())
        assert pieces == pytest.approx(book.whole(part.id).likely, rel=1e-12)
        assert 0.0 <= own.low <= own.likely <= own.high


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("low: 3000 USD, high: 7500 USD", "low: 4900 USD, high: 5100 USD", "at least 40 %"),
        (
            ', date: "2026-11", source: est, status: estimated, note: "with two rack PDUs',
            ', source: est, status: estimated, note: "with two rack PDUs',
            "date",
        ),
        (
            "value: 330000 USD, low: 270000 USD",
            "value: 230000 USD, low: 130000 USD",
            "costs less than what is in it",
        ),
    ],
)
def test_the_catalogue_check_finds_prices_that_cannot_be(before: str, after: str, reason: str) -> None:
    texts = {name: text.replace(before, after) for name, text in shipped_texts().items()}
    found = [finding for finding in check(catalog_from_texts(texts)) if finding.key == "price_usd"]
    assert found
    assert all(reason in finding.message for finding in found)
