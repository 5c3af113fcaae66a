"""The typical year of a scene, at a load and in a climate of choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twin.api.errors import BadInput

if TYPE_CHECKING:
    from twin.analysis.typical_year import SiteYear
    from twin.scenario import Scenario

MOST_LOAD = 1.5


def year_of(scenario: Scenario, load: float = 1.0, place: str | None = None) -> SiteYear:
    """Return the typical year of a scenario; raises as `twin.api.scene.Scene.year`."""
    from twin.analysis.typical_year import typical_year
    from twin.catalog import load_catalog
    from twin.plant.build import build

    if not 0.0 < load <= MOST_LOAD:
        raise BadInput(f"--load: {load:g} is out of range; give more than 0 and at most {MOST_LOAD:g}")
    if place is not None:
        scenario = in_place(scenario, place)
    catalog = load_catalog()
    return typical_year(scenario, build(scenario, catalog), catalog, load)


def in_place(scenario: Scenario, words: str) -> Scenario:
    """Return a scenario in another climate, named by the words of people: "Arizona"; raises `BadInput`."""
    from twin.scenario.formats import climates
    from twin.scenario.schema.site import Climate

    found = [words] if words in climates.names() else climates.matching(words) if words.strip() else []
    if len(found) != 1:
        near = found or climates.nearest(words) or climates.names()
        reason = "means several places" if found else "is no place that is known"
        raise BadInput(f"--place: {words[:40]!r} {reason}; give one of: {', '.join(near)}")
    known = climates.place(found[0])
    moved = {
        "climate": Climate(place=known.name),
        "latitude_deg": known.latitude_deg,
        "timezone": known.timezone,
    }
    return scenario.model_copy(update={"site": scenario.site.model_copy(update=moved)})
