"""A scenario as JSON text with units, exact to the bit, as a run file keeps it.

People write and read ``*.twin.yaml``; this is the effective document after inheritance, for machines. Every
quantity is a text in the SI unit of its dimension, so the schema's own checks read it back.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, TypeVar, get_args

from pydantic.fields import FieldInfo

from twin import units
from twin.scenario.reading import migrate
from twin.scenario.schema.base import DocumentPart
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.quantity import Quantity

P = TypeVar("P", bound=DocumentPart)


def part_to_json(part: DocumentPart) -> str:
    """Return `part` and all it holds as canonical JSON: keys sorted, quantities with unit."""
    return json.dumps(_value(part, None), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def part_from_json(kind: type[P], text: str | bytes) -> P:
    """Return the `kind` that `part_to_json` wrote.

    Raises
    ------
    pydantic.ValidationError
        When the text is no such part.
    """
    return kind.model_validate_json(text)


def to_json(scenario: Scenario) -> str:
    """Return the whole scenario as canonical JSON text."""
    return part_to_json(scenario)


def from_json(text: str | bytes) -> Scenario:
    """Return the scenario that `to_json` wrote, of this version or one before; equal to the original in every bit."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        values = None  # the schema says what is wrong with it
    now = migrate.migrated_values(values)
    return part_from_json(Scenario, text if now is values else json.dumps(now))


def _value(value: object, quantity: Quantity | None) -> Any:
    if isinstance(value, DocumentPart):
        fields = type(value).model_fields
        return {f.alias or name: _value(getattr(value, name), _quantity(f)) for name, f in fields.items()}
    if isinstance(value, dict):
        return {str(key): _value(item, quantity) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_value(item, quantity) for item in value]
    if isinstance(value, float) and quantity is not None:
        return f"{value!r} {units.DIMENSIONS[quantity.dimension].si_unit}".rstrip()
    if isinstance(value, datetime):
        return value.isoformat()
    return value


def _quantity(field: FieldInfo) -> Quantity | None:
    for mark in (*field.metadata, *_marks(field.annotation)):
        if isinstance(mark, Quantity):
            return mark
    return None


def _marks(annotation: object) -> list[object]:
    """Return everything inside an annotation such as ``Annotated[float, Quantity("power")] | None``."""
    inside = get_args(annotation)
    return [*inside, *(mark for item in inside for mark in _marks(item))]
