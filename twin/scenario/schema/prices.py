"""Prices of a scene that differ from those of the catalogue: a part's, or one of land, labour, tariffs, lives."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, GetJsonSchemaHandler, StringConstraints, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from twin.scenario.schema.base import DocumentPart

PriceId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9+._-]{0,59}$")]
"""Part of the catalogue, or an entry of its prices."""
MOST_PRICES = 1000
MOST_MONEY = 1e12
_FIGURE = re.compile(r"\s*(-?[0-9][0-9_,]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\s*([A-Za-z%]*)\s*")


def _amount(value: Any) -> Any:
    """Return "8 %" as 0.08; all else as it is."""
    if isinstance(value, str) and (found := _FIGURE.fullmatch(value)) and found[2] in ("", "%"):
        number = float(found[1].replace(",", "").replace("_", ""))
        return number / 100.0 if found[2] else number
    return value


Amount = Annotated[float, BeforeValidator(_amount, json_schema_input_type=float | str)]


class OneFigureToo:
    """Marks a group of keys that may also be written as one figure."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        figure = "a certain price such as 250000 USD, or a share such as 8 %"
        return {"anyOf": [handler(schema), {"type": ["string", "number"], "description": figure}]}


class ScenePrice(DocumentPart):
    """A price as its owner knows it; a single figure, such as ``250000 USD`` or ``8 %``, is taken as certain."""

    likely: Amount = Field(ge=0, le=MOST_MONEY, description="most likely value; of a share 0.08 or 8 %")
    low: Amount | None = Field(default=None, ge=0, le=MOST_MONEY, description="lowest; none: the likely one")
    high: Amount | None = Field(
        default=None, ge=0, le=MOST_MONEY, description="highest; none: the likely one"
    )
    currency: Literal["USD"] | None = Field(
        default=None, description="of a price; shares and years have none; there are no exchange rates"
    )

    @model_validator(mode="before")
    @classmethod
    def _of_one_figure(cls, value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            return value
        found = _FIGURE.fullmatch(value) if isinstance(value, str) else None
        if isinstance(value, str) and found is None:
            raise ValueError(
                "is no price; write it like 250000 USD, 8 % or {low: 1, likely: 2, high: 3, currency: USD}"
            )
        if found is not None and found[2] not in ("", "%"):
            if found[2] != "USD":
                raise ValueError(f"is in {found[2]}; prices are in USD, there are no exchange rates")
            return {"likely": found[1], "currency": found[2]}
        return {"likely": value}
