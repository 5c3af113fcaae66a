"""The shipped climates, assets/weather/places.yaml, by names such as ``phoenix``."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from twin import resources
from twin.physics.weather import Normals, Year, typical_year

FILE = "assets/weather/places.yaml"
_STATUSES = ("published", "derived", "fitted", "estimated", "recalled")
_MEANS_C = (-60.0, 45.0)
_RANGE_K = (0.5, 30.0)
_SPREAD_K = (0.0, 15.0)


@dataclass(frozen=True)
class ClimatePlace:
    """One climate.

    Attributes
    ----------
    name, title
        As a scenario and as people call it.
    latitude_deg, altitude_m
        Where it is.
    normals
        Its months.
    sunshine
        Hours of sunshine over hours of daylight [-].
    sources
        What the figures come from, one sentence each with its status.
    """

    name: str
    title: str
    latitude_deg: float
    altitude_m: float
    normals: Normals
    sunshine: float
    sources: tuple[str, ...]


class PlaceError(ValueError):
    """A place is not known, or the file of places is wrong; the text says what is allowed."""


def names() -> list[str]:
    """Return the names of all shipped places."""
    return sorted(_places())


def place(name: str) -> ClimatePlace:
    """Return the place called `name`; raises `PlaceError` when there is none."""
    known = _places()
    if name not in known:
        near = get_close_matches(name, known, 1, 0.5)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(sorted(known))}"
        raise PlaceError(f"unknown place {name[:40]!r} in {FILE}; {hint}")
    return known[name]


@lru_cache(maxsize=8)
def year_of(name: str) -> Year:
    """Return the typical year of the place called `name`; raises as `place`."""
    climate_place = place(name)
    return typical_year(name, climate_place.normals, climate_place.altitude_m)


@lru_cache(maxsize=1)
def _places() -> dict[str, ClimatePlace]:
    text = (resources.folder("assets") / "weather" / "places.yaml").read_text(encoding="utf-8")
    return places_of(resources.parse_yaml(text))


def places_of(document: Any) -> dict[str, ClimatePlace]:
    """Return the places that a parsed file describes, by name; raises `PlaceError` at the first wrong figure."""
    groups = document.get("places") if isinstance(document, dict) else None
    if not isinstance(groups, dict) or document.get("schema") != "twin/places":
        raise PlaceError(f"{FILE}: must begin with schema: twin/places and hold a group places")
    return {str(name): _place(str(name), group) for name, group in groups.items()}


def _place(name: str, entry: Any) -> ClimatePlace:
    def group(key: str) -> dict[str, Any]:
        found = entry.get(key) if isinstance(entry, dict) else None
        if not isinstance(found, dict):
            raise PlaceError(f"{FILE}: {name}: needs the group {key!r}")
        if not found.get("source") or found.get("status") not in _STATUSES:
            raise PlaceError(
                f"{FILE}: {name}.{key}: needs a source and a status, one of {', '.join(_STATUSES)}"
            )
        return found

    def number(held: Any, key: str, low: float, high: float) -> float:
        value = held.get(key) if isinstance(held, dict) else None
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise PlaceError(f"{FILE}: {name}: {key} = {value!r} must be a number from {low:g} to {high:g}")
        return float(value)

    def months(held: dict[str, Any], key: str, low: float, high: float) -> tuple[float, ...]:
        values = held.get(key)
        if not isinstance(values, list) or len(values) != 12:
            raise PlaceError(f"{FILE}: {name}: {key} must be a list of 12 numbers, January first")
        return tuple(number({key: value}, key, low, high) for value in values)

    normals, spread, sun = group("normals"), group("day_to_day"), group("sunshine")
    dry, dew = months(normals, "dry_bulb_c", *_MEANS_C), months(normals, "dew_point_c", *_MEANS_C)
    if any(wet > air for air, wet in zip(dry, dew, strict=True)):
        raise PlaceError(
            f"{FILE}: {name}: dew_point_c is above dry_bulb_c in a month; the dew point cannot exceed the dry bulb"
        )
    return ClimatePlace(
        name,
        str(entry.get("title", name)),
        number(entry, "latitude", -90, 90),
        number(entry, "altitude_m", -430, 5000),
        Normals(
            dry,
            dew,
            months(normals, "daily_range_k", *_RANGE_K),
            number(spread, "january_k", *_SPREAD_K),
            number(spread, "july_k", *_SPREAD_K),
        ),
        number(sun, "share", 0, 1),
        tuple(
            f"{key}: {held['source']} ({held['status']})"
            for key, held in (("normals", normals), ("day to day", spread), ("sunshine", sun))
        ),
    )
