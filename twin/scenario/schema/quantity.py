"""Quantities in scenario files: strings with a unit outside, SI floats inside."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from twin import units

FROM_FILE = "from a file"
"""Validation context of file and command-line text: there a bare number is no quantity."""


@dataclass(frozen=True)
class Quantity:
    """Marks a float field that is written as text with a unit, such as ``"132 kW"``.

    Python code gives plain SI floats; in a file a number without a unit is refused.

    Parameters
    ----------
    dimension
        A name of `twin.units.DIMENSIONS`.
    least
        Text for anything between 0 and this is refused [SI unit of the dimension].
    """

    dimension: str
    least: float = 0.0

    def parse(self, value: object) -> float:
        """Return the SI value of text [SI unit of the dimension]; raises `units.UnitError`."""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            kind = "true or false" if isinstance(value, bool) else _kind_of(value)
            raise units.UnitError(f"{kind} is not a quantity; {self.needed()}")
        if not isinstance(value, str):
            return units.parse(value, self.dimension)
        number = _of_text(value, self.dimension)
        if 0 < number < self.least:
            least = rendered(self.least, self.dimension)
            raise units.UnitError(f"{value!r} is less than {least}, the least step of time")
        return number

    def needed(self) -> str:
        """Return what a person should have written, with an example."""
        dimension = units.DIMENSIONS[self.dimension]
        return f"{dimension.title} such as {dimension.example!r} is needed here"

    def _validate(self, value: object, info: core_schema.ValidationInfo) -> float:
        if isinstance(value, int | float) and not isinstance(value, bool) and info.context != FROM_FILE:
            return float(value)
        return self.parse(value)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_before_validator_function(self._validate, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        dimension = units.DIMENSIONS[self.dimension]
        return {"type": "string", "description": f"{dimension.title} such as {dimension.example}"}


def rendered(value: float, dimension: str) -> str:
    """Return an SI value as text with a unit, as a file would hold it; nothing is 0 in the SI unit."""
    if value == 0.0 and dimension != "temperature":
        return f"0 {units.DIMENSIONS[dimension].si_unit}"
    return units.render(value, dimension)


@lru_cache(maxsize=4096)
def _of_text(text: str, dimension: str) -> float:
    """Return what a text says, such as "0.6 m": a scene says most of it many times, and again after each edit."""
    return units.parse(text, dimension)


def _kind_of(value: object) -> str:
    if value is None:
        return "nothing"
    return "a list" if isinstance(value, list | tuple) else "a group of keys"


Power = Annotated[float, Quantity("power")]
Temperature = Annotated[float, Quantity("temperature")]
TemperatureDifference = Annotated[float, Quantity("temperature_difference")]
Duration = Annotated[float, Quantity("duration")]
LEAST_TIME_S = 1e-3
"""Least step of what happens on the clock of a run; events are told apart, and hashed, by whole milliseconds [s]."""
Moment = Annotated[float, Quantity("duration", LEAST_TIME_S)]
"""A time of a run, or how long something lasts in it."""
Length = Annotated[float, Quantity("length")]
VolumeFlow = Annotated[float, Quantity("volume_flow")]
Bandwidth = Annotated[float, Quantity("bandwidth")]
Data = Annotated[float, Quantity("data")]
Rate = Annotated[float, Quantity("rate")]
Price = Annotated[float, Quantity("energy_price")]
RentPrice = Annotated[float, Quantity("rent_price")]
"""Of one GPU."""
Carbon = Annotated[float, Quantity("carbon_intensity")]
Energy = Annotated[float, Quantity("energy")]
PowerRamp = Annotated[float, Quantity("power_ramp")]
Pressure = Annotated[float, Quantity("pressure")]
Fraction = Annotated[float, Quantity("fraction")]
