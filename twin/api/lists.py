"""Lists of a scene: parts to order, cables, ports, racks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twin.lists.site_lists import LISTS
from twin.plant.build import build
from twin.scenario.schema.scene_catalog import catalog_of

if TYPE_CHECKING:
    from twin.lists.table import SiteList
    from twin.scenario import Scenario


def list_of(scenario: Scenario, name: str) -> SiteList:
    """Return one list of a scene: "bom", "cables", "ports", "addresses" or "racks".

    Raises
    ------
    PlantError
        When the hall cannot be built.
    PriceError
        When what is inside something costs more than the whole.
    """
    catalog = catalog_of(scenario)
    return LISTS[name].make(scenario, build(scenario, catalog), catalog)
