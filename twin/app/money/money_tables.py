"""Tables of the money: the ledger in USD, prices with their ranges, what clouds ask."""

from __future__ import annotations

import numpy as np

from twin.app.money.cell_table import CellModel, CellRow
from twin.app.money.figures import MoneyFigures, ledger_rows, price_rows
from twin.app.money.price_dialog import STANDING_WORDS, price_text
from twin.app.money.rent_chart import even_words, offer_title
from twin.app.toolkit.text import significant
from twin.economics.ledger_usd import LedgerUsd
from twin.economics.own_or_rent import RentOffer
from twin.economics.rent import RECLAIMED_WAYS
from twin.language import tr


def ledger_model() -> CellModel:
    """Return the empty table of the ledger."""
    return CellModel(
        (tr("Account"), tr("GPU-hours"), "P5", "P50 [USD]", "P95", tr("Energy alone"), tr("Rented")),
        (
            tr("Where the GPU time of the run went, the dearest first"),
            tr("GPU-hours of the account"),
            *(tr("Full cost: capital, operation and energy"),) * 3,
            tr("What is saved by not using a GPU that is there; never added to the full cost"),
            tr("Market price of these hours; never added to the full cost"),
        ),
    )


def ledger_cells(ledgers: tuple[LedgerUsd, LedgerUsd]) -> list[CellRow]:
    """Return the accounts of a run as cells."""
    return [
        CellRow(
            row.account,
            (
                row.title,
                "" if row.gpu_h is None else f"{row.gpu_h:,.1f}",
                *map(_usd, (row.low, row.middle, row.high, row.energy_usd, row.rented_usd)),
            ),
        )
        for row in ledger_rows(ledgers)
    ]


def price_model() -> CellModel:
    """Return the empty table of prices."""
    return CellModel(
        (tr("Price"), tr("Low"), tr("Likely"), tr("High"), tr("Unit"), tr("Standing")),
        (
            tr("With all that is in it; double-click to give one of your own"),
            *(tr("Lowest, most likely and highest price"),) * 3,
            tr("USD; a share or a number of years has none"),
            tr("Whether it is published, an estimate, or of this scene"),
        ),
        left=(4, 5),
    )


def price_cells(found: MoneyFigures) -> list[CellRow]:
    """Return the prices of the books as cells."""
    return [
        CellRow(
            price.id,
            (
                price.title,
                *(price_words(value) for value in (price.low, price.likely, price.high)),
                price.unit,
                STANDING_WORDS.get(price.standing, price.standing),
            ),
            "\n".join(part for part in (price.source, price.note) if part),
        )
        for price in price_rows(found)
    ]


def offer_model() -> CellModel:
    """Return the empty table of what clouds ask."""
    return CellModel(
        (tr("Rented"), tr("On demand"), tr("Reserved"), tr("Spot or marketplace"), tr("Own from")),
        (
            tr("Shape of a cloud with the most frequent GPU of the site"),
            *(tr("USD of a GPU-hour that is used, all the time"),) * 2,
            tr(
                "USD of a GPU-hour that is used, on spot or a marketplace: reclaimed at random, lost work included"
            ),
            tr("Utilisation above which owning is cheaper than the first price by the hour: P50 (P5 to P95)"),
        ),
    )


def offer_cells(found: MoneyFigures) -> list[CellRow]:
    """Return what clouds ask as cells."""
    return [
        CellRow(
            offer.id,
            (
                offer_title(offer),
                *(_asked(offer, *ways) for ways in (("on_demand",), ("reserved",), RECLAIMED_WAYS)),
                even_words(offer),
            ),
        )
        for offer in found.rent.offers
    ]


def _asked(offer: RentOffer, *ways: str) -> str:
    """Return what a GPU-hour costs by the first of some ways that is offered."""
    usd = next((offer.usd_gpu_h[way][-1] for way in ways if way in offer.usd_gpu_h), None)
    return "" if usd is None else significant(float(np.median(usd)))


def price_words(price: float) -> str:
    """Return a price as people read it.

    >>> price_words(27000.0), price_words(0.0825)
    ('27,000', '0.0825')
    """
    return f"{price:,.0f}" if price >= 1000.0 else price_text(float(significant(price, 4)))


def _usd(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"
