"""Nodes of a hall that are rented: by which terms, at which price, and when their owner takes them back."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

from pydantic import Field, field_validator, model_validator

from twin.scenario.schema import hourly_text
from twin.scenario.schema.base import DocumentPart, Id, ItemId
from twin.scenario.schema.quantity import Duration, Moment, Rate, RentPrice

RENT_HOURS = ("price",)
"""Columns of the packed hours of a price series [USD per 1000 GPU-hours]."""
Terms = Literal["on-demand", "reserved", "spot", "marketplace"]
RECLAIMED: tuple[Terms, ...] = ("spot", "marketplace")
"""Terms by which the owner may take capacity back."""


class PriceStep(DocumentPart):
    """A price from a time on."""

    at_s: Moment = Field(alias="at", ge=0, description="from this time on; before the first: the first price")
    price_usd_s: RentPrice = Field(alias="price", ge=0, description="of one GPU and hour")


class Rental(DocumentPart):
    """A group of nodes that is rented, in whole shapes of a cloud or host by host."""

    id: Id = Field(description="permanent id of the rental")
    title: str = Field(default="", max_length=200, description="display name")
    members: tuple[ItemId, ...] = Field(
        default=(),
        max_length=5000,
        description="rows, racks, nodes or whole row generators; none: all nodes",
    )
    terms: Terms = Field(
        default="on-demand",
        description="on-demand: billed while a job uses it; reserved: billed all the time; spot: as on-demand, but "
        "whole shapes are reclaimed at random after a notice; marketplace: as spot, hosts that come and leave",
    )
    shape: str | None = Field(
        default=None,
        description="shape of a cloud in the catalogue (twin catalog list --kind shapes) for price, billed units, "
        "reclaims and notice; none: each node is one, billed by the second",
    )
    reclaim_per_s: Rate | None = Field(
        default=None, alias="reclaim", ge=0, description="reclaims of one shape; none: those of the catalogue"
    )
    per: Literal["shape", "gang"] = Field(
        default="shape", description="whether that rate is of each shape or of all of the rental together"
    )
    up_s: Duration | None = Field(
        default=None,
        alias="up",
        gt=0,
        description="mean time that a shape stays, instead of a rate of reclaims",
    )
    notice_s: Duration | None = Field(
        default=None,
        alias="notice",
        ge=0,
        description="from the notice to the reclaim; none: that of the shape",
    )
    away_s: Duration = Field(
        default=3600.0,
        alias="away",
        ge=0,
        description="mean time until capacity comes back (exponential)",
    )
    price_usd_s: RentPrice | None = Field(
        default=None,
        alias="price",
        ge=0,
        description="of one GPU and hour; none: that of the shape by these terms, or a series below",
    )
    host_prices: tuple[RentPrice, ...] = Field(
        default=(),
        max_length=5000,
        description="of one GPU and hour, of each shape in the order of its nodes, and again from the first",
    )
    price_steps: tuple[PriceStep, ...] = Field(
        default=(), max_length=5000, description="a price that changes at given times"
    )
    file: str | None = Field(
        default=None,
        description="a price that changes by the hour: a CSV file in the scene's folder with a year of hours and the "
        "column price [USD/h]",
    )
    hours: str | None = Field(
        default=None,
        description="hours of the file, packed by the program so that runs need no file; leave it out",
    )

    @field_validator("host_prices")
    @classmethod
    def _not_negative(cls, value: tuple[float, ...]) -> tuple[float, ...]:
        if any(price < 0 for price in value):
            raise ValueError("must not be negative")
        return value

    @field_validator("price_steps")
    @classmethod
    def _rises(cls, value: tuple[PriceStep, ...]) -> tuple[PriceStep, ...]:
        if any(after.at_s <= before.at_s for before, after in pairwise(value)):
            raise ValueError("must be in the order of their times, each later than the one before")
        return value

    @field_validator("hours")
    @classmethod
    def _can_be_unpacked(cls, value: str | None) -> str | None:
        if value is not None:
            hourly_text.unpack(value, RENT_HOURS)
        return value

    @model_validator(mode="after")
    def _fits(self) -> Rental:
        said = [name for name in ("price", "host_prices", "price_steps", "file") if self._says(name)]
        if len(said) > 1:
            raise ValueError(f"has {' and '.join(said)}: only one of them can give the price")
        if self.reclaim_per_s is not None and self.up_s is not None:
            raise ValueError("has reclaim and up, which say the same: remove one of them")
        if self.terms not in RECLAIMED:
            for name in ("reclaim", "up", "notice"):
                if self._says(name):
                    raise ValueError(
                        f"has {name}, but is {self.terms}: only {' and '.join(RECLAIMED)} are reclaimed"
                    )
        return self

    def _says(self, alias: str) -> bool:
        names = {"price": "price_usd_s", "reclaim": "reclaim_per_s", "up": "up_s", "notice": "notice_s"}
        return bool({names.get(alias, alias)} & self.model_fields_set) and getattr(
            self, names.get(alias, alias)
        ) not in (None, ())
