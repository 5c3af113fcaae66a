"""What may be behind a run that comes out another way than its file says: program, machine, inputs, constants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ruamel.yaml.error import YAMLError

from twin.catalog import CatalogError
from twin.catalog.catalog import Catalog, catalog_from_texts
from twin.record.constants import constants
from twin.record.inputs import input_hashes, versions
from twin.record.reader import Reader
from twin.resources import parse_yaml

MOST = 20
"""Changed values that are named."""

_OF = {
    "twin": "version of the program",
    "numpy": "numpy",
    "cpu": "CPU",
    "system": "system",
    "python": "Python",
}
"""Versions on which "same run" depends, as people read them."""


def causes_of(reader: Reader) -> tuple[str, ...]:
    """Return what is other here than where the run was made, one sentence each, the nearest cause first."""
    header = reader.header
    found = [*_changed_inputs(header.inputs, input_hashes(header.scenario), reader.constants())]
    here = versions()
    for key, title in _OF.items():
        there = header.versions.get(key)
        if there is not None and there != here[key]:
            found.append(f"another {title}: the run was made with {there}, this is {here[key]}")
    return tuple(found)


def _changed_inputs(
    then: Mapping[str, str], now: Mapping[str, str], texts: Mapping[str, str]
) -> Iterator[str]:
    names = sorted({*then, *now}, key=lambda name: (name != "scenario", name))
    other = [name for name in names if then.get(name) != now.get(name)]
    if other and texts:
        yield from _changed_figures(texts, constants())
        yield from _changed_profiles(texts, constants())
    for name in other:
        if name == "scenario":
            yield (
                "the scene reads otherwise than when the run was made: the file was altered, or this version of the "
                "program knows other keys"
            )
        elif name not in now:
            yield f"{name} is gone: the run was made with it"
        elif name not in then:
            yield f"{name} is new: the run was made without it"
        elif name not in texts:
            kept = (
                "the file does not hold its values" if not texts else "its values are not kept in run files"
            )
            yield f"{name} is another ({kept}, so which of them changed cannot be said)"
        else:
            yield f"{name} is another than the run was made with"


def _changed_figures(then: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    """Yield the numbers of the catalogue that are others."""
    if _part(then, "catalog/") == _part(now, "catalog/"):
        return
    try:
        before, after = (_figures(catalog_from_texts(_part(texts, "catalog/"))) for texts in (then, now))
    except (CatalogError, YAMLError):
        yield "the catalogue of then cannot be read by this version of the program"
        return
    yield from _told("catalogue", before, after)


def _changed_profiles(then: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    """Yield the numbers of the profiles that are others."""
    before, after = _part(then, "profiles/"), _part(now, "profiles/")
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            try:
                old, new = (dict(_leaves(parse_yaml(one.get(name, "")))) for one in (before, after))
            except YAMLError:
                continue
            yield from _told(f"profile {name.removesuffix('.yaml')}", old, new)


def _told(what: str, before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    keys = [key for key in sorted({*before, *after}) if before.get(key) != after.get(key)]
    for key in keys[:MOST]:
        old, new = before.get(key, "nothing"), after.get(key, "nothing")
        yield f"{what}: {key} was {old} when the run was made, and is {new} now"
    if len(keys) > MOST:
        yield f"{what}: {len(keys) - MOST} more values are others"


def _part(texts: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {name.removeprefix(prefix): text for name, text in texts.items() if name.startswith(prefix)}


def _figures(catalog: Catalog) -> dict[str, str]:
    return {f"{part.id} {one.key}": one.text for part in catalog for one in catalog.figures(part.id)}


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _leaves(one, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from _leaves(one, f"{path}[{place}]")
    elif value is not None:
        yield path, str(value)
