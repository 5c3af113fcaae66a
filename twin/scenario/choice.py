"""Text fields that take one of the names of a table, such as kinds of faults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema


@dataclass(frozen=True, eq=False)
class OneOf:
    """Marks a text field that takes a key of a table, which may grow while the program runs.

    Parameters
    ----------
    table
        Its keys are the names.
    """

    table: Mapping[str, object] = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names, in the order of the table."""
        return tuple(self.table)

    def _validate(self, name: str) -> str:
        if name not in self.table:
            close = get_close_matches(name, self.table, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(self.table)}"
            raise PydanticCustomError("literal_error", "is not known; {hint}", {"hint": hint})
        return name

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._validate, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"enum": list(self.names), "type": "string"}
