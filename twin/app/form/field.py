"""One thing that can be set, as the schema has it: title, kind of value, unit, bounds, choices. No widgets."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from twin.language import tr
from twin.scenario.schema.fields import ROOT, FieldSpot, below, fields_of, spot_of
from twin.scenario.schema.titles import title_of_key
from twin.units import DIMENSIONS

Kind = Literal[
    "quantity", "number", "count", "choice", "switch", "part", "place", "reference", "names", "text"
]
Steps = Literal["", "one", "tenth", "double", "slide"]


@dataclass(frozen=True)
class Field:
    """One thing that can be set.

    Attributes
    ----------
    key
        As in a file, or a path: "racks.pitch".
    title, tip, heading
        For people; fields with one heading stand together.
    kind
        Of value.
    dimension
        Of a quantity, a key of `units.DIMENSIONS`.
    choices
        Words, parts or ids that may stand here; of a quantity those that may stand in place of one.
    optional
        Whether nothing may stand here.
    titles
        Of the choices for people; empty: they are called what they are.
    unit
        What a count is of, for people: "sequences".
    low, high
        Bounds [SI]; None: none.
    above
        Whether it must be more than `low`.
    steps
        Of a number that is stepped through in a box: by one or a tenth, doubled and halved, or with a slider beside
        it; "": it is typed into a line.
    """

    key: str
    title: str
    tip: str
    heading: str = ""
    kind: Kind = "text"
    dimension: str = ""
    choices: tuple[str, ...] = ()
    optional: bool = False
    titles: tuple[str, ...] = ()
    unit: str = ""
    low: float | None = None
    high: float | None = None
    above: bool = False
    steps: Steps = ""


@dataclass(frozen=True)
class FieldState:
    """How a field stands now.

    Attributes
    ----------
    text
        The value as people write it; "" for nothing, and for mixed values.
    mixed
        Whether things differ in it.
    ghost
        What holds where nothing is said: the figure of the part, say.
    source, hint
        Badge, and where the value comes from in full.
    resettable
        Whether it can be put back to what it is by default.
    """

    text: str
    mixed: bool = False
    ghost: str = ""
    source: str = ""
    hint: str = ""
    resettable: bool = False


F = TypeVar("F", bound=Field)


def field_of(model: type[BaseModel], path: str, made: Callable[..., F], **said: Any) -> F | None:
    """Return the field at a path of a group of keys; None for groups, tables, lists of other than names and constants.

    Parameters
    ----------
    model
        The group.
    path
        By keys or attributes, such as ``parallelism.tensor``.
    made
        What makes the field.
    said
        What the schema does not say, and what is to be other than it says.
    """
    name, _, rest = path.partition(".")
    attribute, info = fields_of(model).get(name) or (name, model.model_fields[name])
    spot = below(type(ROOT)(models=(model,)), info.alias or attribute)
    if rest:
        return field_of(spot.models[0], rest, made, **({"key": path} | said))
    scalars = _scalars(info.annotation)
    kind = _kind(spot, scalars)
    if kind is None:
        return None
    low, high, above = _bounds(info)
    dimension = said.get("dimension", spot.quantity.dimension if spot.quantity is not None else "")
    title = said.get("title") or title_of_key(path)
    known: dict[str, Any] = {
        "key": path,
        "title": title,
        "tip": _sentence(tr(info.description or title)) + _said_bounds(low, high, dimension),
        "kind": kind,
        "dimension": dimension,
        "choices": spot.choices,
        "optional": not info.is_required() if kind == "names" else type(None) in scalars,
        "low": low,
        "high": high,
        "above": above,
    }
    return made(**(known | said))


def _kind(spot: FieldSpot, scalars: set[Any]) -> Kind | None:
    """Return the kind of value that may stand at a place; None where nothing can be set by a field."""
    if spot.models:
        return None
    if spot.item is not None:
        return "names" if not spot.table and spot_of(spot.item).text else None
    if spot.quantity is not None:
        return "quantity"
    if spot.choices:
        return "choice" if len(spot.choices) > 1 else None
    kinds: tuple[tuple[type, Kind], ...] = (
        (bool, "switch"),
        (int, "count"),
        (float, "number"),
        (str, "text"),
    )
    return next((kind for scalar, kind in kinds if scalar in scalars), None)


def _scalars(annotation: Any) -> set[Any]:
    origin = get_origin(annotation)
    if origin in (Union, types.UnionType):
        return {scalar for part in get_args(annotation) for scalar in _scalars(part)}
    if origin is not None and hasattr(annotation, "__metadata__"):
        return _scalars(get_args(annotation)[0])
    return {annotation}


def _bounds(info: FieldInfo) -> tuple[float | None, float | None, bool]:
    """Return the bounds of a value, and whether it must be more than the lower one."""
    marks = {
        word: bound
        for mark in info.metadata
        for word in ("ge", "gt", "le", "lt")
        if (bound := getattr(mark, word, None)) is not None
    }
    return marks.get("ge", marks.get("gt")), marks.get("le", marks.get("lt")), "gt" in marks


def _said_bounds(low: float | None, high: float | None, dimension: str) -> str:
    """Return the bounds of a value in words, in the unit of the program; those of fractions in per cent."""
    if dimension == "fraction":
        low, high = (None if bound is None else _per_cent(bound) for bound in (low, high))
    unit = "%" if dimension == "fraction" else DIMENSIONS[dimension].si_unit if dimension else ""
    if low is not None and high is not None:
        return tr(" ({low:,} to {high:,} {unit}", low=low, high=high, unit=unit).rstrip() + ")"
    if high is not None:
        return tr(" (max. {high:,} {unit}", high=high, unit=unit).rstrip() + ")"
    return tr(" (min. {low:,} {unit}", low=low, unit=unit).rstrip() + ")" if low not in (None, 0) else ""


def _per_cent(share: float) -> float:
    number = round(100 * share, 6)
    return int(number) if number == int(number) else number


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]
