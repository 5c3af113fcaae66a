"""Possible causes of a run that differs from its file: program, machine, inputs, constants."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Set
from typing import Any

from ruamel.yaml.error import YAMLError

from twin.analysis.scene_inputs import used_parts, used_profiles
from twin.catalog import CatalogError
from twin.catalog.catalog import Catalog, catalog_from_texts
from twin.language import tr
from twin.plant.tables import Plant
from twin.record.constants import constants
from twin.record.inputs import input_hashes, scene_hash, versions
from twin.record.reader import Reader
from twin.record.scenario_json import to_json
from twin.resources import parse_yaml
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.own_files import catalog_with
from twin.shown_text import one_line

MOST = 10
"""Changed values that are named."""

_OF = {
    "twin": tr("version of the program"),
    "numpy": "numpy",
    "cpu": "CPU",
    "system": "system",
    "python": tr("Python"),
}
"""Versions on which "same run" depends, as people read them."""


def causes_of(reader: Reader, plant: Plant) -> tuple[str, ...]:
    """Return the differences between this program and the one that made the run, a sentence each, most likely first.

    Parameters
    ----------
    plant
        The hall of the run: its parts come before the rest of the catalogue.
    """
    header = reader.header
    now = input_hashes(header.scenario)
    found = [
        *_changed_scene(reader),
        *_changed_inputs(header.inputs, now, reader.constants(), header.scenario, plant),
    ]
    installed = versions()
    for key, title in _OF.items():
        recorded = header.versions.get(key)
        if recorded is not None and recorded != installed[key]:
            found.append(
                tr(
                    "other {title}: {recorded} for the run, {installed} here",
                    title=title,
                    recorded=recorded,
                    installed=installed[key],
                )
            )
    return tuple(found)


def altered_scene(reader: Reader) -> Iterator[str]:
    """Yield each change of the scene in a run file as a sentence with key and both values."""
    header, original = reader.header, reader.original_scene()
    then = header.inputs.get("scenario")
    if then is None or scene_hash(header.scenario_text) == then:
        return
    if original is None or scene_hash(original) != then:
        yield tr("the scene in the file was changed after the run; the original is not kept")
        return
    try:
        before, after = (dict(_leaves(json.loads(text))) for text in (original, header.scenario_text))
    except (ValueError, RecursionError):
        yield tr("the scene in the file was changed after the run and is not readable")
        return
    yield from _changes(tr("scene, changed in the file"), before, after, tr("in the file"))


def _changed_scene(reader: Reader) -> Iterator[str]:
    """Yield the differences of the scene: changed in the file, or read differently by this program."""
    altered = [*altered_scene(reader)]
    yield from altered
    text, now = reader.header.scenario_text, to_json(reader.header.scenario)
    if not altered and text != now:
        before, after = (dict(_leaves(json.loads(text))) for text in (text, now))
        yield from _changes(tr("scene, as this version of the program reads it"), before, after)


def _changed_inputs(
    then: Mapping[str, str],
    now: Mapping[str, str],
    texts: Mapping[str, str],
    scenario: Scenario,
    plant: Plant,
) -> Iterator[str]:
    names = sorted(({*then, *now}) - {"scenario"})
    differing = [name for name in names if then.get(name) != now.get(name)]
    if differing and texts:
        found = [
            *_changed_figures(texts, constants(), scenario, plant),
            *_changed_profiles(texts, constants(), scenario, plant),
        ]
        yield from (sentence for _, sentence in sorted(found, key=lambda finding: finding[0]))
    for name in differing:
        if name not in now:
            yield tr("{name} is missing here: the run used it", name=name)
        elif name not in then:
            yield tr("{name} is new: the run did not use it", name=name)
        elif name not in texts:
            kept = (
                tr("the file does not hold its values")
                if not texts
                else tr("run files do not hold its values")
            )
            yield tr("{name} differs ({kept}, so the change is unknown)", name=name, kept=kept)
        else:
            yield tr("{name} differs from that of the run", name=name)


def _changed_figures(
    then: Mapping[str, str], now: Mapping[str, str], scenario: Scenario, plant: Plant
) -> Iterator[tuple[bool, str]]:
    """Yield the changed numbers of the catalogue, each with whether its part is unused in the scene."""
    if _part(then, "catalog/") == _part(now, "catalog/"):
        return
    try:
        old, new = (
            catalog_with(scenario.own_files, catalog_from_texts(_part(texts, "catalog/")))
            for texts in (then, now)
        )
    except (CatalogError, YAMLError):
        yield False, tr("this version of the program cannot read the catalogue of the run")
        return
    used = {*used_parts(scenario, plant, old), *used_parts(scenario, plant, new)}
    before, after = (
        [_figures(catalog, used, used_ones) for used_ones in (True, False)] for catalog in (old, new)
    )
    for aside in (False, True):
        subject = tr("catalogue, of parts that this scene does not use") if aside else "catalogue"
        yield from ((aside, sentence) for sentence in _changes(subject, before[aside], after[aside]))


def _changed_profiles(
    then: Mapping[str, str], now: Mapping[str, str], scenario: Scenario, plant: Plant
) -> Iterator[tuple[bool, str]]:
    """Yield the changed numbers of the profiles, each with whether its profile is unused in the scene."""
    before, after = _part(then, "profiles/"), _part(now, "profiles/")
    used = {"models", *used_profiles(scenario, plant)}
    for name in sorted({*before, *after}):
        if before.get(name) == after.get(name):
            continue
        try:
            old, new = (parse_yaml(texts.get(name, "")) for texts in (before, after))
        except YAMLError:
            continue
        title = name.removesuffix(".yaml")
        aside = title not in used
        subject = (
            tr("profile {title}, which this scene does not use", title=title)
            if aside
            else tr("profile {title}", title=title)
        )
        yield from (
            (aside, sentence) for sentence in _changes(subject, dict(_leaves(old)), dict(_leaves(new)))
        )


def _changes(
    subject: str, before: Mapping[str, str], after: Mapping[str, str], today: str = "now"
) -> Iterator[str]:
    keys = [key for key in sorted({*before, *after}) if before.get(key) != after.get(key)]
    for key in keys[:MOST]:
        old, new = (one_line(texts.get(key, "nothing")) for texts in (before, after))
        yield tr(
            "{subject}: {key} was {old} in the run and is {new} {today}",
            subject=subject,
            key=key,
            old=old,
            new=new,
            today=today,
        )
    if len(keys) > MOST:
        yield tr("{subject}: and {keys:,} more", subject=subject, keys=len(keys) - MOST)


def _part(texts: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {name.removeprefix(prefix): text for name, text in texts.items() if name.startswith(prefix)}


def _figures(catalog: Catalog, used: Set[str], wanted: bool) -> dict[str, str]:
    """Return the numbers of the parts that are used, or of all others."""
    parts = (part.id for part in catalog if (part.id in used) is wanted)
    return {f"{part} {figure.key}": figure.text for part in parts for figure in catalog.figures(part)}


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the values within a document by their paths; what has an id is named by it, and else by its place."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _leaves(entry, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        ids = [entry.get("id") if isinstance(entry, dict) else None for entry in value]
        named = None not in ids and len(set(ids)) == len(ids)
        for place, entry in enumerate(value):
            yield from _leaves(entry, f"{path}[{ids[place] if named else place}]")
    elif value is not None:
        yield path, str(value)
