"""What can be wrong with a scene somebody opens."""

from __future__ import annotations

from twin.catalog import CatalogError, UnknownPart
from twin.plant.error import PlantError
from twin.scenario import Problem, ScenarioError

PART_ERRORS = (PlantError, CatalogError, UnknownPart)
"""What a scene that reads well may still get wrong: parts and places that do not exist."""

SCENE_ERRORS = (ScenarioError, *PART_ERRORS)


def problems_of(error: ValueError | LookupError, file: str) -> tuple[Problem, ...]:
    """Return the problems an error of `SCENE_ERRORS` speaks of."""
    if isinstance(error, ScenarioError):
        return error.problems
    return (Problem(file, 0, "", "", str(error)),)
