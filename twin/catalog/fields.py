"""Declaration of the fields of a part type: their values, dimensions and meaning.

The name of a field carries its SI unit (`tdp_w`); a catalogue file writes the key without it
(`tdp: {value: 700 W, ...}`).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

from twin.units import DIMENSIONS

Shape = Literal["quantity", "number", "count", "efficiency", "text", "choice", "flag", "reference", "groups"]


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """Specification of one field of a part type.

    Attributes
    ----------
    name, key
        Field of the dataclass, and key in a catalogue file.
    shape
        quantity: number with a dimension. number, count: without. efficiency: a curve. text, choice,
        flag (true or false), reference: no number. groups: a list of (part, count).
    about
        A key of `twin.units.DIMENSIONS`, the unit label of a number, the choices, or the kinds of part that
        may be named.
    doc
        Its meaning, for people.
    optional
        Whether a file may leave it out; the field is then None, or empty.
    zero
        Whether a number may be 0; negative it may never be, but for temperatures.
    """

    name: str
    key: str
    shape: Shape
    about: tuple[str, ...]
    doc: str
    optional: bool
    zero: bool

    @property
    def unit(self) -> str:
        """Unit of the stored float, empty for a pure number."""
        if self.shape == "quantity":
            return DIMENSIONS[self.about[0]].si_unit
        return self.about[0] if self.shape == "number" and self.about else ""


def _declare(
    shape: Shape,
    about: tuple[str, ...],
    doc: str,
    *,
    optional: bool = False,
    zero: bool = False,
    empty: object = None,
) -> Any:
    metadata = {"shape": shape, "about": about, "doc": doc, "optional": optional, "zero": zero}
    if optional:
        return dataclasses.field(metadata=metadata, default=empty)
    return dataclasses.field(metadata=metadata)


def quantity(dimension: str, doc: str, *, optional: bool = False, zero: bool = False) -> Any:
    """Declare a number with a dimension."""
    return _declare("quantity", (dimension,), doc, optional=optional, zero=zero)


def number(doc: str, *, unit: str = "", optional: bool = False) -> Any:
    """Declare a number without dimension; `unit` is a label such as "U"."""
    return _declare("number", (unit,), doc, optional=optional)


def count(doc: str, *, optional: bool = False, zero: bool = False) -> Any:
    """Declare a whole number."""
    return _declare("count", (), doc, optional=optional, zero=zero)


def efficiency(doc: str) -> Any:
    """Declare an `EfficiencyCurve`."""
    return _declare("efficiency", (), doc)


def text(doc: str, *, optional: bool = False) -> Any:
    """Declare free text; an optional one is empty when absent."""
    return _declare("text", (), doc, optional=optional, empty="")


def choice(doc: str, *options: str) -> Any:
    """Declare one word out of `options`."""
    return _declare("choice", options, doc)


def flag(doc: str) -> Any:
    """Declare true or false."""
    return _declare("flag", (), doc)


def reference(doc: str, *kinds: str, optional: bool = False) -> Any:
    """Declare the id of another part of one of the kinds; an optional one is empty when absent."""
    return _declare("reference", kinds, doc, optional=optional, empty="")


def groups(doc: str, *kinds: str) -> Any:
    """Declare a list of (part, count) whose parts are of the kinds; empty when absent."""
    return _declare("groups", kinds, doc, optional=True, empty=())


def specs(part_type: type) -> tuple[FieldSpec, ...]:
    """Return the fields of a part type a catalogue file may give, in order."""
    return tuple(
        FieldSpec(
            name=field.name,
            key=_key(field.name, field.metadata["shape"], field.metadata["about"]),
            shape=field.metadata["shape"],
            about=field.metadata["about"],
            doc=field.metadata["doc"],
            optional=field.metadata["optional"],
            zero=field.metadata["zero"],
        )
        for field in dataclasses.fields(part_type)
        if "shape" in field.metadata
    )


def _key(name: str, shape: Shape, about: tuple[str, ...]) -> str:
    suffix = DIMENSIONS[about[0]].suffix if shape == "quantity" else ""
    return name.removesuffix(f"_{suffix}") if suffix else name
