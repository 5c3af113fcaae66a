"""What the schema says about one place of a scenario: known keys, kind of value, unit, choices."""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from twin.scenario.schema.choice import OneOf
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.quantity import Quantity


@dataclass(frozen=True, slots=True)
class FieldSpot:
    """One place: what may stand there.

    Attributes
    ----------
    models
        Groups of keys that may stand here; empty for scalars.
    quantity
        The unit of a number, or None.
    choices
        Words that may stand here.
    item
        What the items of a list, or the values of a table, may be.
    text
        Whether any text may stand here.
    table
        Whether those stand under keys of their own (a table), not in a list.
    """

    models: tuple[type[BaseModel], ...] = ()
    quantity: Quantity | None = None
    choices: tuple[str, ...] = ()
    item: Any = None
    text: bool = False
    table: bool = False
    description: str = ""


ROOT = FieldSpot(models=(Scenario,))


def keys(spot: FieldSpot, kind: object = None) -> dict[str, tuple[str, FieldInfo]]:
    """Return key in the file -> (attribute, field) of the groups that may stand at `spot`.

    `kind` chooses among several groups by what stands under their key ``kind``.
    """
    found: dict[str, tuple[str, FieldInfo]] = {}
    for model in spot.models:
        known = fields_of(model)
        alternatives = len(spot.models) > 1 and kind is not None and "kind" in known
        if not (alternatives and kind not in get_args(known["kind"][1].annotation)):
            found.update(known)
    return found


@lru_cache(maxsize=128)
def fields_of(model: type[BaseModel]) -> dict[str, tuple[str, FieldInfo]]:
    """Return key in the file -> (attribute, field) of one group."""
    return {info.alias or name: (name, info) for name, info in model.model_fields.items()}


def below(spot: FieldSpot, step: str | int, kind: object = None) -> FieldSpot:
    """Return what may stand under one key or index of `spot`; an empty spot where nothing is known."""
    if spot.item is not None:
        return spot_of(spot.item)
    known = keys(spot, kind).get(step) if isinstance(step, str) else None
    if known is None:
        return FieldSpot()
    info = known[1]
    inner = spot_of(info.annotation)
    quantity = inner.quantity or next((mark for mark in info.metadata if isinstance(mark, Quantity)), None)
    choices = inner.choices or next(
        (tuple(limit.names()) for limit in info.metadata if isinstance(limit, OneOf)), ()
    )
    return FieldSpot(
        inner.models, quantity, choices, inner.item, inner.text, inner.table, info.description or ""
    )


def spot_of(annotation: Any) -> FieldSpot:
    """Return what a type annotation lets stand at a place."""
    models: list[type[BaseModel]] = []
    choices: list[str] = []
    quantity: Quantity | None = None
    item: Any = None
    text = table = False
    for part in _parts(annotation):
        if isinstance(part, Quantity):
            quantity = part
        elif isinstance(part, OneOf):
            choices += part.names()
        elif get_origin(part) is Literal:
            choices += [str(choice) for choice in get_args(part)]
        elif get_origin(part) is tuple:
            item = get_args(part)[0]
        elif get_origin(part) is dict:
            item, table = get_args(part)[1], True
        elif part is str:
            text = True
        elif isinstance(part, type) and issubclass(part, BaseModel):
            models.append(part)
    return FieldSpot(tuple(models), quantity, tuple(choices), item, text, table)


def _parts(annotation: Any) -> Iterator[Any]:
    """Yield the alternatives and quantity marks of an annotation."""
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *marks = get_args(annotation)
        yield from _parts(inner)
        for mark in marks:
            if isinstance(mark, Quantity | OneOf):
                yield mark
    elif origin in (Union, types.UnionType):
        for inner_type in get_args(annotation):
            yield from _parts(inner_type)
    else:
        yield annotation
