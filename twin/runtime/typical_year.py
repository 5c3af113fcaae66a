"""The typical year of a site, worked out by the parts of the engine: by dotted name, as the engine itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from weakref import ref

from twin.catalog import Catalog, CatalogError
from twin.piecewise import all_at_once
from twin.plant.error import PlantError
from twin.plant.tables import Plant
from twin.record.site_year import SiteYear, YearHours
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.site import Site

WORKED_OUT_BY = "twin.sim.summary.typical_year"
_PARTS = (
    "twin.sim.core.state",
    "twin.sim.core.weather",
    "twin.sim.power.sources",
    "twin.sim.power.breakers",
    "twin.sim.power.chain",
    "twin.sim.power.system",
    "twin.physics.swings",
    "twin.physics.thermal_network",
    "twin.sim.thermal.thermal_build",
    "twin.sim.thermal.cooling_wiring",
    "twin.sim.thermal.cooling_rejection",
    "twin.sim.thermal.cooling",
    WORKED_OUT_BY,
)
"""What it needs of the engine, loaded one after the other: together they take 0.1 s the first time."""
_KEPT = 4
"""Years that are kept: those of two designs at two loads."""


@dataclass(frozen=True)
class _Known:
    """A year with all that it comes of; it keeps no hall alive."""

    plant: ref[Plant]
    catalog: Catalog
    site: Site
    start: datetime
    seed: int
    load: float
    year: SiteYear

    def is_of(self, scenario: Scenario, plant: Plant, catalog: Catalog, load: float) -> bool:
        """Return whether it is the year of a site. Scenes that differ in nothing that stands have one plant."""
        same = self.plant() is plant and self.catalog is catalog and self.load == load
        return same and (self.site, self.start, self.seed) == (scenario.site, scenario.start, scenario.seed)


_known: deque[_Known] = deque(maxlen=_KEPT)


def typical_year(scenario: Scenario, plant: Plant, catalog: Catalog, load: float = 1.0) -> SiteYear:
    """Return the typical year of a site; arguments and errors as `twin.sim.summary.typical_year.typical_year`."""
    return all_at_once(year_steps(scenario, plant, catalog, load))


def year_steps(
    scenario: Scenario, plant: Plant, catalog: Catalog, load: float = 1.0
) -> Generator[None, None, SiteYear]:
    """Work out the typical year of a site a little at a time, unless it was one of the last; never to be changed."""
    for known in tuple(_known):
        if known.is_of(scenario, plant, catalog, load):
            return known.year
    for name in _PARTS:
        import_module(name)
        yield
    steps: Generator[None, None, SiteYear] = import_module(WORKED_OUT_BY).year_steps(
        scenario, plant, catalog, load
    )
    year = yield from steps
    _known.append(_Known(ref(plant), catalog, scenario.site, scenario.start, scenario.seed, load, year))
    return year


def year_hours(scenario: Scenario) -> tuple[YearHours, float]:
    """Return the hours of the year of a site; as `twin.sim.summary.typical_year.year_hours`."""
    hours: tuple[YearHours, float] = import_module(WORKED_OUT_BY).year_hours(scenario)
    return hours


def year_or_reason(scenario: Scenario, plant: Plant, catalog: Catalog, load: float = 1.0) -> SiteYear | str:
    """Return the typical year of a site, or why it has none."""
    return all_at_once(year_or_reason_steps(scenario, plant, catalog, load))


def year_or_reason_steps(
    scenario: Scenario, plant: Plant, catalog: Catalog, load: float = 1.0
) -> Generator[None, None, SiteYear | str]:
    """Work out the same a little at a time."""
    try:
        return (yield from year_steps(scenario, plant, catalog, load))
    except (PlantError, CatalogError) as wrong:
        return f"not known yet: {wrong}"
