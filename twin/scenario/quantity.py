"""Quantities in scenario files: strings with a unit outside, SI floats inside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from twin import units


@dataclass(frozen=True)
class Quantity:
    """Marks a float field that is written as text with a unit, such as ``"132 kW"``.

    Parameters
    ----------
    dimension
        A name of `twin.units.DIMENSIONS`.
    """

    dimension: str

    def parse(self, value: object) -> float:
        """Return the SI value of `value` [SI unit of the dimension]; raises `units.UnitError`."""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise units.UnitError(f"{value!r} is not a quantity; {units.example(self.dimension)}")
        return units.parse(value, self.dimension)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self.parse, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        bounds = {k: v for k, v in handler(schema).items() if k.startswith("exclusive") or "imum" in k}
        said = ", ".join(f"{k} {v}" for k, v in bounds.items())
        text = f"a {self.dimension.replace('_', ' ')} with its unit; {units.example(self.dimension)}"
        return {"type": "string", "description": text + (f" ({said} in SI)" if said else "")}


Power = Annotated[float, Quantity("power")]
Temperature = Annotated[float, Quantity("temperature")]
TemperatureDifference = Annotated[float, Quantity("temperature_difference")]
Duration = Annotated[float, Quantity("duration")]
Length = Annotated[float, Quantity("length")]
VolumeFlow = Annotated[float, Quantity("volume_flow")]
Bandwidth = Annotated[float, Quantity("bandwidth")]
Data = Annotated[float, Quantity("data")]
Rate = Annotated[float, Quantity("rate")]
Price = Annotated[float, Quantity("energy_price")]
Carbon = Annotated[float, Quantity("carbon_intensity")]
