"""The typical year of a scene, at a load and in a climate of choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twin.api.errors import BadInput

if TYPE_CHECKING:
    from twin.catalog import Catalog
    from twin.plant.tables import Plant
    from twin.record.site_year import SiteYear
    from twin.scenario import Scenario

MOST_LOAD = 1.5


def year_of(scenario: Scenario, load: float = 1.0, place: str | None = None) -> SiteYear:
    """Return the typical year of a scenario; raises as `twin.api.scene.Scene.year`."""
    from twin.plant.build import build
    from twin.runtime.typical_year import typical_year
    from twin.scenario.file.resolve_references import in_place
    from twin.scenario.schema.scene_catalog import catalog_of

    if not 0.0 < load <= MOST_LOAD:
        raise BadInput(f"--load: {load:g} is out of range; give more than 0 and at most {MOST_LOAD:g}")
    if place is not None:
        scenario = in_place(scenario, _named(place))
    catalog = catalog_of(scenario)
    return typical_year(scenario, build(scenario, catalog), catalog, load)


def full_load_pue(scenario: Scenario, plant: Plant, catalog: Catalog) -> float | None:
    """Return the PUE of a hall in its typical year at full load; None where it has no year."""
    from twin.plant.error import PlantError
    from twin.runtime.typical_year import typical_year

    try:
        return typical_year(scenario, plant, catalog).pue
    except PlantError:
        return None


def _named(words: str) -> str:
    """Return the one place that is meant by words of people, such as "Arizona"; raises `BadInput`."""
    from twin.scenario.formats import climates

    found = [words] if words in climates.names() else climates.matching(words) if words.strip() else []
    if len(found) != 1:
        near = found or climates.nearest(words) or climates.names()
        reason = "means several places" if found else "is no place that is known"
        raise BadInput(f"--place: {words[:40]!r} {reason}; give one of: {', '.join(near)}")
    return found[0]
