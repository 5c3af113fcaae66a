"""Contracts of a site: power that it buys from solar and wind parks, and heat that it sells."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from twin.scenario.schema.base import DocumentPart, Id
from twin.scenario.schema.quantity import Carbon, Fraction, Power, Price, Temperature


class PowerPurchase(DocumentPart):
    """A power purchase agreement: of what a park makes in an hour the site takes what it draws from the grid."""

    id: Id = Field(description="permanent id of the contract")
    kind: Literal["solar", "wind"] = Field(description="of the park")
    power_w: Power = Field(alias="power", gt=0, le=1e12, description="rated power of the contract")
    price_usd_j: Price | None = Field(
        default=None,
        alias="price",
        ge=0,
        description="of what is taken; none: ppa-solar or ppa-wind of the catalogue's prices",
    )
    carbon_kg_j: Carbon = Field(default=0.0, alias="carbon", ge=0, description="of what is taken")
    mean_output: Fraction = Field(
        default=0.35,
        ge=0.05,
        le=0.6,
        description="wind: mean output over rated power; solar: the sun of the place says it",
    )


class HeatSale(DocumentPart):
    """Heat sold to a network beside the site, as much of it as is asked for and warm enough."""

    id: Id = Field(description="permanent id of the contract")
    demand_w: Power = Field(alias="demand", gt=0, le=1e12, description="highest demand")
    temp_c: Temperature = Field(
        alias="temperature",
        ge=10,
        le=90,
        description="that the heat must have: the return of a loop less an approach of 3 K",
    )
    below_c: Temperature | None = Field(
        default=None,
        alias="below",
        ge=-30,
        le=40,
        description="outdoor air below which heat is asked for, all of it in the coldest hour; none: all year",
    )
    price_usd_j: Price | None = Field(
        default=None, alias="price", ge=0, description="none: heat-sold of the catalogue's prices"
    )
