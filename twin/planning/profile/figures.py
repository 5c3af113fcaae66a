"""Reading the value files of assets/profiles: every figure with unit, source and status."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources.abc import Traversable
from typing import Any

from ruamel.yaml.error import YAMLError

from twin.resources import YamlParts, folder, parse_yaml, yaml_texts
from twin.units import UnitError, parse

STATUSES = ("published", "derived", "fitted", "estimated", "recalled")


class ProfileError(ValueError):
    """A profile or preset file is missing or wrong.

    Parameters
    ----------
    file, key
        Where the fault is; `key` is dotted, empty for the whole file.
    reason
        What is wrong and what would be right.
    line
        Of the file, from 1; 0 when unknown.
    """

    def __init__(self, file: str, key: str, reason: str, line: int = 0) -> None:
        self.file, self.key, self.reason, self.line = file, key, reason, line
        where = f"{file}:{line}" if line else file
        super().__init__(f"{where}: {key}: {reason}" if key else f"{where}: {reason}")


@dataclass(frozen=True, slots=True)
class ProfileFigure:
    """One number that ships.

    Attributes
    ----------
    value
        In SI units.
    text
        Number and unit as the file has them.
    source
        Where it comes from.
    status
        One of `STATUSES`.
    """

    value: float
    text: str
    source: str
    status: str


@cache
def read_document(path: str) -> Mapping[str, Any]:
    """Return the mapping in a file of assets/, read once; each key of it is parsed when it is asked for.

    Parameters
    ----------
    path
        Below assets/, "profiles/h100.yaml".

    Raises
    ------
    ProfileError
        When the file is missing, is no YAML, or no mapping.
    """
    file: Traversable = folder("assets")
    for part in path.split("/"):
        file = file / part
    if not file.is_file():
        raise ProfileError(path, "", "no such file")
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as fault:
        raise ProfileError(path, "", f"is no UTF-8 text: {fault.reason}") from fault
    texts = yaml_texts(text)
    return YamlParts(texts, partial(parse_document, file=path)) if texts else parse_document(text, path)


def parse_document(text: str, file: str) -> Mapping[str, Any]:
    """Return the mapping in a text of YAML, of which nothing is run; `file` is for messages.

    Raises
    ------
    ProfileError
        When it is no YAML, nested without end, or no mapping.
    """
    try:
        document = parse_yaml(text)
    except YAMLError as fault:
        mark = getattr(fault, "problem_mark", None)
        problem = getattr(fault, "problem", None) or str(fault).splitlines()[0]
        raise ProfileError(
            file, "", f"not readable as YAML: {problem}", mark.line + 1 if mark else 0
        ) from fault
    except RecursionError as fault:
        raise ProfileError(file, "", "not readable as YAML: nested too deeply") from fault
    except ValueError as fault:
        raise ProfileError(file, "", f"not readable as YAML: {fault}") from fault
    if not isinstance(document, dict):
        raise ProfileError(file, "", "must be a mapping of keys to values")
    return document


def section(document: Mapping[str, Any], file: str, key: str) -> Mapping[str, Any]:
    """Return a mapping inside a document; `ProfileError` when it is missing or no mapping."""
    found = document.get(key)
    if not isinstance(found, Mapping):
        raise ProfileError(file, key, "missing or no mapping")
    return found


def refuse_unknown_keys(given: Mapping[str, Any], allowed: frozenset[str], file: str, key: str) -> None:
    """Raise `ProfileError` for the first key that is not allowed."""
    for name in given:
        if name not in allowed:
            where = f"{key}.{name}" if key else str(name)
            raise ProfileError(file, where, f"unknown key; known are {', '.join(sorted(allowed))}")


def read_figure(entry: object, dimension: str, file: str, key: str) -> ProfileFigure:
    """Return one figure from `{value, unit, source, status}`.

    Parameters
    ----------
    entry
        What the file has under the key.
    dimension
        A dimension of `twin.units`, or "number" for a pure number (unit "1") or "flop".
    file, key
        For messages.
    """
    if not isinstance(entry, dict):
        raise ProfileError(file, key, "must be a mapping with value, unit, source and status")
    refuse_unknown_keys(entry, frozenset(("value", "unit", "source", "status")), file, key)
    for needed in ("value", "unit", "source", "status"):
        if needed not in entry:
            raise ProfileError(file, f"{key}.{needed}", "missing")
    status = entry["status"]
    if status not in STATUSES:
        raise ProfileError(file, f"{key}.status", f"{status!r} is none of {', '.join(STATUSES)}")
    if not isinstance(entry["source"], str) or not entry["source"].strip():
        raise ProfileError(file, f"{key}.source", "must be a text")
    number, unit = entry["value"], entry["unit"]
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise ProfileError(file, f"{key}.value", f"{number!r} is not a number")
    if not math.isfinite(number):
        raise ProfileError(file, f"{key}.value", f"{number!r} is no finite number")
    value = _si(float(number), unit, dimension, file, key)
    return ProfileFigure(value, f"{number} {unit}".removesuffix(" 1"), entry["source"], status)


PLAIN_UNITS: Mapping[str, Mapping[str, float]] = {
    "number": {"1": 1.0},
    "flop": {"FLOP": 1.0, "GFLOP": 1e9, "TFLOP": 1e12},
}
"""Units of the dimensions that `twin.units` does not know."""


def _si(number: float, unit: object, dimension: str, file: str, key: str) -> float:
    plain = PLAIN_UNITS.get(dimension)
    if plain is not None:
        factor = plain.get(str(unit))
        if factor is None:
            raise ProfileError(file, f"{key}.unit", f"{unit!r} is none of {', '.join(plain)}")
        return number * factor
    try:
        return parse(f"{number} {unit}", dimension)
    except UnitError as fault:
        raise ProfileError(file, f"{key}.unit", str(fault)) from fault
