"""The keys of a scene that can vary, how each stands, and the values that are proposed for it. No widgets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from twin.app.form.field import Field, field_of
from twin.app.form.typed import text_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.fields import fields_of
from twin.scenario.text.path import split
from twin.scenario.text.problem import ScenarioError
from twin.studies.varied_key import FIXED
from twin.units import DIMENSIONS, parse

_MOST_LISTED = 40
"""Items of one list whose keys are offered; others are typed."""
_MOST_CHOICES = 8
_QUANTITY = re.compile(r"([-+]?\d+\.?\d*(?:[eE][-+]?\d+)?) ?(\D.*)")
_KELVINS = 5.0
"""A temperature is varied by so much to either side [K]."""
_UNLISTED = ("text", "names", "place")


@dataclass(frozen=True)
class SceneKey:
    """A key of a scene.

    Attributes
    ----------
    path
        Such as ``jobs[llama3].checkpoint.interval``.
    field
        What may stand there.
    text
        What stands there; "": nothing.
    """

    path: str
    field: Field
    text: str


def scene_keys(scenario: Scenario) -> Iterator[SceneKey]:
    """Yield the keys that can vary, in the order of the file."""
    for key, (attribute, _) in fields_of(Scenario).items():
        if key not in FIXED:
            yield from _below(scenario, key, attribute, key)


def key_at(scenario: Scenario, path: str) -> SceneKey | None:
    """Return the key at a path; None where none that this program knows stands."""
    try:
        steps = split(path)
    except ScenarioError:
        return None
    at: Any = scenario
    for place, step in enumerate(steps):
        if isinstance(at, BaseModel):
            known = fields_of(type(at)).get(step)
            if known is None:
                return None
            if place == len(steps) - 1:
                return _key(at, step, known[0], path)
            at = getattr(at, known[0])
        elif isinstance(at, tuple):
            at = next((item for number, item in enumerate(at) if _step(item, number) == step), None)
        elif isinstance(at, dict):
            at = at.get(step)
        else:
            return None
    return None


def proposal(key: SceneKey, choices: Sequence[str] = ()) -> str:
    """Return values around the present one, as they are typed: a range, or a list of choices.

    Parameters
    ----------
    choices
        Known to who asks, where the schema does not tell any, such as parts that fit.
    """
    field, text = key.field, key.text
    if field.kind == "switch":
        return "false, true"
    listed = tuple(choices) or (field.choices if field.kind != "quantity" else ())
    if listed:
        return ", ".join(dict.fromkeys((*((text,) if text else ()), *listed[:_MOST_CHOICES])))
    if field.kind == "count" and text.isdigit():
        return _counts(int(text), field)
    if field.kind == "number" and text:
        return _ends(float(text), "", field)
    if field.kind == "quantity" and text and text not in field.choices:
        return _quantities(text, field)
    return text


def _counts(number: int, field: Field) -> str:
    low = max(number // 2, int(field.low or 0) + field.above, 1 if number else 0)
    high = max(2 * number, low + 1)
    return f"{low}..{high if field.high is None else max(min(high, int(field.high)), low)}"


def _quantities(text: str, field: Field) -> str:
    match = _QUANTITY.fullmatch(text)
    dimension = DIMENSIONS[field.dimension]
    unit = match[2] if match is not None else ""
    if match is None or unit not in dimension.factors:  # such as 2 day 12 h
        unit = dimension.si_unit or next(iter(dimension.factors))
        number = parse(text, field.dimension) / dimension.factors[unit]
    else:
        number = float(match[1])
    if dimension.name == "temperature":
        return f"{number - _KELVINS:g}..{number + _KELVINS:g} {unit}"
    return _ends(number, unit, field, dimension.factors[unit])


def _ends(number: float, unit: str, field: Field, size: float = 1.0) -> str:
    """Return the range from half of a number to twice of it, within its bounds."""
    low, high = (
        (number / 2, 2 * number) if number > 0 else (2 * number, number / 2) if number < 0 else (0.0, 1.0)
    )
    if field.low is not None:
        low = max(low, field.low / size)
    if field.high is not None:
        high = min(high, field.high / size)
    ends = [f"{end:.4g}" for end in (low, high)]
    if not unit and all(end.lstrip("-").isdigit() for end in ends):
        ends[0] += ".0"  # not whole numbers alone
    return f"{'..'.join(ends)} {unit}".rstrip()


def _below(model: BaseModel, key: str, attribute: str, path: str) -> Iterator[SceneKey]:
    value = getattr(model, attribute)
    items: list[tuple[str, BaseModel]] = []
    if isinstance(value, BaseModel):
        items = [(path, value)]
    elif isinstance(value, tuple):
        items = [
            (f"{path}[{_step(item, number)}]", item)
            for number, item in enumerate(value[:_MOST_LISTED])
            if isinstance(item, BaseModel)
        ]
    elif isinstance(value, dict):
        found = list(value.items())[:_MOST_LISTED]
        items = [(f"{path}[{name}]", item) for name, item in found if isinstance(item, BaseModel)]
    for inner_path, inner in items:
        for inner_key, (inner_attribute, _) in fields_of(type(inner)).items():
            yield from _below(inner, inner_key, inner_attribute, f"{inner_path}.{inner_key}")
    if not items:
        known = _key(model, key, attribute, path)
        if known is not None and (known.field.kind not in _UNLISTED or key == "part"):
            yield known


def _key(model: BaseModel, key: str, attribute: str, path: str) -> SceneKey | None:
    field = field_of(type(model), key, Field)
    value = getattr(model, attribute)
    return None if field is None else SceneKey(path, field, text_of(field, value))


def _step(item: Any, number: int) -> str:
    return str(getattr(item, "id", None) or number)
