"""Drawings of a scene."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from twin.catalog import load_catalog
from twin.drawings.paper import Sheet, TitleBlock
from twin.drawings.site_drawings import KINDS, drawings
from twin.plant.build import build
from twin.record.inputs import app_version, inputs_hash

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
    catalog = load_catalog()
    return drawings(scenario, build(scenario, catalog), catalog, title_block(scenario), kinds, paper, hall)


def title_block(scenario: Scenario) -> TitleBlock:
    """Return what the title block of a scene says today; its revision changes with whatever the scene says."""
    today = date.today().isoformat()
    return TitleBlock(scenario.title, inputs_hash(scenario)[:8], today, f"gpu-twin {app_version()}")


def svg_names(sheets: Sequence[Sheet], to: Path) -> dict[Path, list[Sheet]]:
    """Return the files of some sheets: `to` itself for one, else with the name of each: hall-P1.svg."""
    if len(sheets) == 1:
        return {to: list(sheets)}
    return {to.with_name(f"{to.stem}-{sheet.name}{to.suffix}"): [sheet] for sheet in sheets}
