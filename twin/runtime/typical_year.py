"""The typical year of a site, worked out by the parts of the engine: by dotted name, as the engine itself."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from twin.catalog import Catalog, CatalogError
from twin.plant.error import PlantError
from twin.plant.tables import Plant
from twin.record.site_year import SiteYear, YearHours
from twin.scenario.schema.document import Scenario

WORKED_OUT_BY = "twin.sim.summary.typical_year"


def typical_year(scenario: Scenario, plant: Plant, catalog: Catalog, load: float = 1.0) -> SiteYear:
    """Return the typical year of a site; arguments and errors as `twin.sim.summary.typical_year.typical_year`."""
    return cast(SiteYear, import_module(WORKED_OUT_BY).typical_year(scenario, plant, catalog, load))


def year_hours(scenario: Scenario) -> tuple[YearHours, float]:
    """Return the hours of the year of a site; as `twin.sim.summary.typical_year.year_hours`."""
    return cast(tuple[YearHours, float], import_module(WORKED_OUT_BY).year_hours(scenario))


def year_or_reason(scenario: Scenario, plant: Plant, catalog: Catalog, load: float = 1.0) -> SiteYear | str:
    """Return the typical year of a site, or why it has none."""
    try:
        return typical_year(scenario, plant, catalog, load)
    except (PlantError, CatalogError) as wrong:
        return f"not known yet: {wrong}"
