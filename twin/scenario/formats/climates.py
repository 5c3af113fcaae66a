"""The shipped climates, assets/weather/places.yaml, by names such as ``phoenix``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Any
from unicodedata import combining, normalize

import numpy as np

from twin import resources
from twin.arrays import Floats
from twin.physics.psychrometrics import relative_humidity, standard_pressure_pa, wet_bulb_c
from twin.physics.weather import MONTH_DAYS, Normals, Year, typical_year
from twin.scenario.schema.hourly_text import unpack
from twin.scenario.schema.site import CLIMATE_HOURS, Climate

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
    name, title, country
        As a scenario and as people call it.
    timezone
        IANA name.
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
    country: str
    timezone: str
    latitude_deg: float
    altitude_m: float
    normals: Normals
    sunshine: float
    sources: tuple[str, ...]

    @property
    def words(self) -> str:
        """Return what people call it: "Phoenix, Arizona, United States"."""
        return self.title if self.title.endswith(self.country) else f"{self.title}, {self.country}"

    @property
    def mean_dry_c(self) -> float:
        """Return the mean dry bulb of the year [C]."""
        return float(np.average(self.normals.dry_c, weights=MONTH_DAYS))


class PlaceError(resources.ResourceError):
    """A place is not known, or the file of places is wrong; the text says what is allowed."""


def names() -> list[str]:
    """Return the names of all shipped places."""
    return sorted(_groups())


@lru_cache(maxsize=128)
def place(name: str) -> ClimatePlace:
    """Return the place called `name`; raises `PlaceError` when there is none."""
    if name not in _groups():
        near = nearest(name)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"known: {', '.join(names())}"
        raise PlaceError("", "", f"unknown place {name[:40]!r} in {FILE}; {hint}")
    return _place(name, _groups()[name])


def matching(words: str) -> list[str]:
    """Return the names of the places with all of some words in their name, title or country; case does not matter.

    >>> matching("Arizona"), matching("phoenix"), matching("japan tok")
    (['phoenix'], ['phoenix'], ['tokyo'])
    """
    wanted = _plain(words).split()
    return [
        name
        for name, known in ((name, place(name)) for name in names())
        if all(word in _plain(f"{name} {known.title} {known.country}") for word in wanted)
    ]


def nearest(words: str, most: int = 3) -> list[str]:
    """Return the places that somebody may have meant, likeliest first: those that match, else of a similar name.

    >>> nearest("Phenix")
    ['phoenix']
    """
    plain = _plain(words)
    if found := matching(words)[:most] if plain.strip() else []:
        return found
    spoken: dict[str, list[str]] = {}
    for name in names():
        known = place(name)
        for word in {name, _plain(known.title.partition(",")[0]), _plain(known.country)}:
            spoken.setdefault(word, []).append(name)
    near = get_close_matches(plain.strip(), spoken, most, 0.67)
    return list(dict.fromkeys(name for word in near for name in spoken[word]))[:most]


def _plain(words: str) -> str:
    """Return words in small letters without accents, a blank for each hyphen and comma."""
    letters = "".join(letter for letter in normalize("NFKD", words.lower()) if not combining(letter))
    return letters.replace("-", " ").replace(",", " ").replace("_", " ")


def mean_wets_c(places: Sequence[ClimatePlace]) -> Floats:
    """Return the means of the wet bulbs at the mean air of each month, shape (places,) [C].

    They are within 0.3 K of those of all hours.
    """
    dry, dew = (np.array([getattr(known.normals, key) for known in places]) for key in ("dry_c", "dew_c"))
    pressure_pa = standard_pressure_pa([known.altitude_m for known in places])[:, None]
    wet = wet_bulb_c(dry, relative_humidity(dry, dew), pressure_pa)
    result: Floats = np.average(wet, axis=1, weights=MONTH_DAYS)
    return result


@lru_cache(maxsize=8)
def year_of(name: str) -> Year:
    """Return the typical year of the place called `name`; raises as `place`."""
    climate_place = place(name)
    return typical_year(name, climate_place.normals, climate_place.altitude_m)


def hottest_c(climate: Climate) -> float:
    """Return the air of the hottest hour of a year of a climate, dry bulb [C]; raises as `place`."""
    if climate.place is not None:
        return float(year_of(climate.place).dry_c.max())
    if climate.hours is not None:
        return float(max(unpack(climate.hours, CLIMATE_HOURS)["dry_bulb"]))
    return climate.dry_bulb_c + climate.swing_k / 2


@lru_cache(maxsize=1)
def _groups() -> Mapping[str, Any]:
    """Return the keys of each place by its name, parsed when asked for: all of them take a quarter of a second."""
    return _places_in(resources.shipped_mapping(FILE, PlaceError))


def places_of(document: Any) -> dict[str, ClimatePlace]:
    """Return the places that a parsed file describes, by name; raises `PlaceError` at the first wrong figure."""
    return {str(name): _place(str(name), group) for name, group in _places_in(document).items()}


def _places_in(document: Any) -> Mapping[str, Any]:
    groups = document.get("places") if isinstance(document, Mapping) else None
    if not isinstance(groups, Mapping) or document.get("schema") != "twin/places":
        raise PlaceError(FILE, "", "must begin with schema: twin/places and hold a group places")
    return groups


def _place(name: str, entry: Any) -> ClimatePlace:
    def group(key: str) -> Mapping[str, Any]:
        found = entry.get(key) if isinstance(entry, Mapping) else None
        if not isinstance(found, Mapping):
            raise PlaceError(FILE, name, f"needs the group {key!r}")
        if not found.get("source") or found.get("status") not in _STATUSES:
            raise PlaceError(
                FILE, f"{name}.{key}", f"needs a source and a status, one of {', '.join(_STATUSES)}"
            )
        return found

    def number(held: Any, key: str, low: float, high: float) -> float:
        value = held.get(key) if isinstance(held, Mapping) else None
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise PlaceError(FILE, name, f"{key} = {value!r} must be a number from {low:g} to {high:g}")
        return float(value)

    def months(held: Mapping[str, Any], key: str, low: float, high: float) -> tuple[float, ...]:
        values = held.get(key)
        if not isinstance(values, list) or len(values) != 12:
            raise PlaceError(FILE, name, f"{key} must be a list of 12 numbers, January first")
        return tuple(number({key: value}, key, low, high) for value in values)

    def text(key: str) -> str:
        value = entry.get(key)
        if not isinstance(value, str) or not value:
            raise PlaceError(FILE, name, f"needs the {key}")
        return value

    normals, spread, sun = group("normals"), group("day_to_day"), group("sunshine")
    dry, dew = months(normals, "dry_bulb_c", *_MEANS_C), months(normals, "dew_point_c", *_MEANS_C)
    if any(wet > air for air, wet in zip(dry, dew, strict=True)):
        raise PlaceError(
            FILE,
            name,
            "dew_point_c is above dry_bulb_c in a month; the dew point cannot exceed the dry bulb",
        )
    return ClimatePlace(
        name,
        text("title"),
        text("country"),
        text("timezone"),
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
