"""Text fields that take one of the names of a table, such as kinds of faults."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema


@dataclass(frozen=True, eq=False)
class OneOf:
    """Marks a text field that takes one of some names, which may grow while the program runs.

    Parameters
    ----------
    names
        Returns them, in their order.
    """

    names: Callable[[], Collection[str]] = field(repr=False)

    def _validate(self, name: str) -> str:
        names = self.names()
        if name not in names:
            close = get_close_matches(name, names, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names)}"
            raise PydanticCustomError("literal_error", "is unknown; {hint}", {"hint": hint})
        return name

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._validate, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"enum": list(self.names()), "type": "string"}
