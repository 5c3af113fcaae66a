"""Parts of the catalogue and profiles that a scene uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from twin.catalog.catalog import Catalog
from twin.planning.profile.adapted import base_name
from twin.planning.profile.figures import ProfileError
from twin.planning.profile.hardware_profile import profile_on
from twin.plant.tables import Plant
from twin.scenario.schema.document import Scenario


def used_parts(scenario: Scenario, plant: Plant, catalog: Catalog) -> list[str]:
    """Return the parts of the catalogue that a scene names or its plant has, and the parts within them."""
    found: set[str] = set()
    waiting = {text for text in _texts(scenario.model_dump()) if text in catalog}
    waiting |= {text for text in _plant_texts(plant) if text in catalog}
    while waiting:
        part = waiting.pop()
        if part in found:
            continue
        found.add(part)
        waiting |= {text for text in _texts(asdict(catalog.part(part))) if text in catalog}
    kinds = {part.id: (part.KIND, part.id) for part in catalog}
    return sorted(found, key=lambda part: kinds[part])


def used_profiles(scenario: Scenario, plant: Plant) -> list[str]:
    """Return the names of the profiles that a scene asks for or that serve its GPUs."""
    asked = (getattr(job.workload, "profile", None) for job in scenario.jobs)
    names = {name for name in asked if isinstance(name, str)}
    for gpu in plant.gpu_parts:
        try:
            names.add(base_name(profile_on(gpu, plant.catalog).name))
        except ProfileError:  # no profile serves it: its jobs have step times of their own
            continue
    return sorted(names)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


def _plant_texts(plant: Plant) -> Iterator[str]:
    yield from (*plant.node_parts, *plant.gpu_parts)
    for held in (plant.racks, plant.switches, plant.loops, plant.plants, plant.power):
        yield from getattr(held, "part", ())
