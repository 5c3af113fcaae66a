"""Drawings of a scene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from twin.drawings.paper import Sheet
from twin.drawings.site_drawings import KINDS, drawings, title_block
from twin.plant.build import build
from twin.scenario.schema.scene_catalog import catalog_of

if TYPE_CHECKING:
    from twin.scenario import Scenario


def draw(
    scenario: Scenario, kinds: Sequence[str] = tuple(KINDS), paper: str = "A3", hall: str | None = None
) -> list[Sheet]:
    """Return the sheets of a scene, dated today.

    Raises
    ------
    DrawingError
        When there is no such kind, paper or hall.
    PlantError
        When the hall cannot be built.
    """
    catalog = catalog_of(scenario)
    return drawings(scenario, build(scenario, catalog), catalog, title_block(scenario), kinds, paper, hall)
