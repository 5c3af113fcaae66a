"""Part type of what a site costs beside its parts: land, shell, labour, tariffs, people, lives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twin.catalog import fields
from twin.catalog.part import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class PricePart(Part):
    """One figure of the books: exactly one of `price_usd`, `share`, `years` and `carbon_kg`."""

    KIND: ClassVar[str] = "prices"

    per: str = fields.text("What the price or share is of, such as kW of racks")
    moves_with: str = fields.choice(
        "Prices that rise and fall together",
        "building",
        "power",
        "cooling",
        "network",
        "energy",
        "people",
        "money",
    )
    share: float | None = fields.quantity("fraction", "Share, where it is one", optional=True, zero=True)
    carbon_kg: float | None = fields.quantity("mass", "Carbon of making it, where it is that", optional=True)
    years: float | None = fields.number("Number of years, where it is one", unit="year", optional=True)

    @property
    def value_key(self) -> str:
        """Return the name of the field that holds its figure."""
        return next(
            key for key in ("price_usd", "share", "years", "carbon_kg") if getattr(self, key) is not None
        )
