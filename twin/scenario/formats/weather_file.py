"""Import of a year of outdoor air: EnergyPlus weather files (EPW) and CSV tables of hours.

Both give the dry bulb and something that says how moist the air is; wet bulb and dew point follow by psychrometrics.
A CSV begins at 0:00 of 1 January, local standard time, and counts as sea level where it says no pressure of its own.
Row ``n`` of an EPW is the hour that ends at ``n``:00; its format is that of the EnergyPlus documentation, Auxiliary
Programs, "EPW data dictionary".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path as FilePath

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats
from twin.physics import psychrometrics as moist
from twin.physics.weather import MONTH_DAYS
from twin.scenario.formats import climates, hourly_csv, sibling_files
from twin.scenario.formats.hourly_csv import LIMIT, HourlyColumn
from twin.scenario.formats.sibling_files import Origin
from twin.scenario.schema.hourly_text import pack
from twin.scenario.text.problem import Problem, ScenarioError, shown

_TEMPERATURE = HourlyColumn("temperature", "degC", -90.0, 70.0)
_KNOWN = {
    "dry_bulb": _TEMPERATURE,
    "wet_bulb": _TEMPERATURE,
    "dew_point": _TEMPERATURE,
    "relative_humidity": HourlyColumn("fraction", "%", 0.0, 1.1),
}
_MOISTURE = ("wet_bulb", "dew_point", "relative_humidity")
_ABOVE_K = 0.5
"""How far rounding may put a wet bulb or dew point above the dry bulb; more is an error of the file [K]."""
_DRIEST = 0.005
"""Least relative humidity that is kept; a sensor's 0 % is no dew point."""
_EPW_HEAD = 8
_EPW_FIELDS = ("dry_bulb", "dew_point", "relative_humidity", "pressure")
_EPW_FIRST = 6
_EPW_MISSING = (99.9, 99.9, 999.0, 999_999.0)
_EPW_LOW = (-90.0, -100.0, 0.0, 31_000.0)
_EPW_HIGH = (70.0, 70.0, 110.0, 120_000.0)


@dataclass(frozen=True)
class WeatherHours:
    """A year of outdoor air as a scenario keeps it, and where it was measured, if known."""

    packed: str
    latitude_deg: float | None


def read(path: str, folder: FilePath | None, place: Problem) -> WeatherHours:
    """Return the year of a weather file.

    Parameters
    ----------
    path
        A ``.epw`` or ``.csv`` inside the folder, or ``builtin:NAME`` for the typical year of a shipped place.
    folder
        Of the scene that names it; None: its text lies nowhere yet.
    place
        File, line and key that name it.

    Raises
    ------
    ScenarioError
        When it is no such file, with each cell that is wrong.
    """
    if path.startswith("builtin:"):
        name = path.removeprefix("builtin:")
        try:
            made, site = climates.year_of(name), climates.place(name)
        except climates.PlaceError as bad:
            raise ScenarioError([Problem(place.file, place.line, place.key, "", str(bad))]) from None
        return WeatherHours(_packed(made.dry_c, made.wet_c, made.dew_c), site.latitude_deg)
    suffix = FilePath(path).suffix.lower()
    if suffix not in (".epw", ".csv"):
        reason, hint = "is not a weather file", "name an .epw or .csv file, or builtin:NAME"
        raise ScenarioError([Problem(place.file, place.line, place.key, shown(path), reason, hint)])
    return _read(sibling_files.found(path, folder, place, LIMIT), suffix == ".epw")


@lru_cache(maxsize=8)
def _read(origin: Origin, is_epw: bool) -> WeatherHours:
    text = sibling_files.text_of(origin, LIMIT)
    return from_epw(text, origin.name) if is_epw else from_csv(text, origin.name)


def from_csv(text: str, name: str) -> WeatherHours:
    """Return the year of a CSV text with a dry bulb and one measure of humidity; raises as `read`."""
    made = hourly_csv.table(text, name, _KNOWN, ("dry_bulb",))
    dry = made.columns["dry_bulb"]
    which = next((column for column in _MOISTURE if column in made.columns), None)
    if which is None:
        reason = "has no humidity"
        hint = f"add a column {', '.join(_MOISTURE[:-1])} or {_MOISTURE[-1]}"
        raise ScenarioError([Problem(name, 1, "", "", reason, hint)])
    given = made.columns[which]
    if which == "relative_humidity":
        share = np.clip(given, _DRIEST, 1.0)
    else:
        _check_not_above(given, dry, made.lines, name, which)
        given = np.minimum(given, dry)
        from_it = moist.humidity_of_wet_bulb if which == "wet_bulb" else moist.relative_humidity
        share = np.maximum(from_it(dry, given), _DRIEST)
    wet = given if which == "wet_bulb" else moist.wet_bulb_c(dry, share)
    dew = given if which == "dew_point" else moist.dew_point_c(dry, share)
    return WeatherHours(_packed(dry, wet, dew), None)


def from_epw(text: str, name: str) -> WeatherHours:
    """Return the year of an EPW text; raises as `read`."""
    rows = text.splitlines()
    latitude_deg, altitude_m = _location(rows[0] if rows else "", name)
    body = [(n, row.split(",")) for n, row in enumerate(rows[_EPW_HEAD:], _EPW_HEAD + 1) if row.strip()]
    hourly_csv.raise_some(
        [
            Problem(
                name, line, "", "", f"has {len(row)} fields; a row of an EPW has 35, at least 10 are needed"
            )
            for line, row in body
            if len(row) < _EPW_FIRST + len(_EPW_FIELDS)
        ]
    )
    lines = np.array([line for line, _ in body], np.int64)
    hourly_csv.check_count(len(body), len(rows), name)
    if len(body) == hourly_csv.LEAP_HOURS:
        kept = np.delete(np.arange(len(body)), slice(59 * 24, 60 * 24))
        body, lines = [body[i] for i in kept], lines[kept]
    _check_order(body, name)
    values: dict[str, Floats] = {}
    problems: list[Problem] = []
    for index, field in enumerate(_EPW_FIELDS):
        cells = [row[_EPW_FIRST + index] for _, row in body]
        values[field], wrong = hourly_csv.numbers(cells, lines, name, field)
        known = values[field] < _EPW_MISSING[index] - 1e-6
        low, high = _EPW_LOW[index], _EPW_HIGH[index]
        beyond = np.flatnonzero(known & ((values[field] < low) | (values[field] > high)))
        reason = f"must be from {low:g} to {high:g} (field {_EPW_FIRST + index + 1})"
        problems += wrong or [Problem(name, int(lines[i]), field, cells[i].strip(), reason) for i in beyond]
        values[field] = np.where(known, values[field], np.nan)
    dry, humid, dew = values["dry_bulb"], values["relative_humidity"] / 100.0, values["dew_point"]
    unknown = np.isnan(dry) | (np.isnan(dew) & np.isnan(humid))
    reason, hint = "is a missing value", "interpolate it from the hours around it"
    problems += [
        Problem(name, int(lines[i]), "dry_bulb" if np.isnan(dry[i]) else "dew_point", "", reason, hint)
        for i in np.flatnonzero(unknown)
    ]
    hourly_csv.raise_some(problems)
    pressure = np.where(
        np.isnan(values["pressure"]), moist.standard_pressure_pa(altitude_m), values["pressure"]
    )
    by_humidity = moist.dew_point_c(dry, np.clip(np.nan_to_num(humid, nan=1.0), _DRIEST, 1.0))
    dew = np.where(np.isnan(dew), by_humidity, dew)
    _check_not_above(dew, dry, lines, name, "dew_point")
    dew = np.minimum(dew, dry)
    wet = moist.wet_bulb_c(dry, np.maximum(moist.relative_humidity(dry, dew), _DRIEST), pressure)
    # The hour that ends at 1:00 comes first: turned by one, the value at each full hour stands at its number.
    return WeatherHours(_packed(*(np.roll(column, 1) for column in (dry, wet, dew))), latitude_deg)


def _packed(dry: Floats, wet: Floats, dew: Floats) -> str:
    return pack({"dry_bulb": dry, "wet_bulb": np.minimum(wet, dry), "dew_point": np.minimum(dew, wet)})


def _check_not_above(given: Floats, dry: Floats, lines: NDArray[np.int64], name: str, column: str) -> None:
    hourly_csv.raise_some(
        [
            Problem(
                name,
                int(lines[i]),
                column,
                f"{given[i]:.2f} degC",
                f"is above dry_bulb, {dry[i]:.2f} degC",
                "air cannot exceed saturation",
            )
            for i in np.flatnonzero(given > dry + _ABOVE_K)
        ]
    )


def _location(row: str, name: str) -> tuple[float, float]:
    """Return latitude [degree] and altitude [m] of the first line of an EPW."""
    cells = row.split(",")
    try:
        if cells[0].strip().upper() != "LOCATION":
            raise ValueError
        latitude, altitude = float(cells[6]), float(cells[9])
        if not (-90 <= latitude <= 90 and -1000 <= altitude <= 9999):
            raise ValueError
    except (ValueError, IndexError):
        reason = (
            "is not the first line of an EPW: LOCATION, city, ..., latitude, longitude, time zone, altitude"
        )
        raise ScenarioError([Problem(name, 1, "", shown(row[:40]), reason)]) from None
    return latitude, altitude


def _check_order(body: list[tuple[int, list[str]]], name: str) -> None:
    """Raise `ScenarioError` unless the rows are the hours of a year in order."""
    at = 0
    for month, days in enumerate(MONTH_DAYS, 1):
        for day in range(1, days + 1):
            for hour in range(1, 25):
                line, row = body[at]
                wanted = (str(month), str(day), str(hour))
                stamp = tuple(cell.strip().lstrip("0") for cell in row[1:4])
                if stamp != wanted:
                    reason = f"is out of order: month {month}, day {day}, hour {hour} belongs here"
                    value = shown("-".join(row[1:4]))
                    raise ScenarioError([Problem(name, line, "month-day-hour", value, reason)])
                at += 1
