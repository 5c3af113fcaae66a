"""Outdoor air, sun, price and carbon of the grid at any moment of a run, by the clocks of the site's time zone.

An hourly year (a place, a weather or grid file) runs in local standard time over 365 days: 29 February repeats the
28th. Days of prices and of carbon follow the clock on the wall, with its summer time.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from twin.arrays import Floats
from twin.physics.psychrometrics import dew_point_c, humidity_of_wet_bulb
from twin.physics.weather import year_of_output
from twin.record.site_year import YearHours
from twin.scenario.formats.climates import place, year_of
from twin.scenario.schema.hourly_text import unpack
from twin.scenario.schema.site import CLIMATE_HOURS, GRID_HOURS, Climate, Site
from twin.sim.core.state import Fields, StateField, Stateful

HOUR_S, DAY_S = 3600.0, 86400.0
HOURS = 8760
WARMEST_S = 15 * HOUR_S
WET_SWING = 0.4
"""Daily swing of the wet bulb over that of the dry bulb, of a mean day [est]."""
WAVE_WET_SHARE = 0.3
"""What a heat wave adds to the wet bulb over what it adds to the dry bulb: hotter air of the same water content.

cp / (cp + h dW/dT) of moist air is 0.25-0.4 at wet bulbs of 15-25 C; the dew point stays [derived].
"""
USUAL_LATITUDE_DEG = 40.0
USUAL_SUNSHINE = 0.5
"""Hours of sunshine over hours of daylight where no place says it [est]."""
_PER_MWH = 1e-3 / 3.6e6
"""One USD/MWh in USD/J, one g/kWh in kg/J."""
_DRIEST = 0.005
SPELL_K = 0.5
"""Change of the outdoor air within an hour that machines follow in more than one step [K]."""
SUN_PARTS = 4
"""Times an hour at which panels follow the sun."""


class Outdoor(NamedTuple):
    """Outdoor air: dry bulb, wet bulb, dew point [C]."""

    dry_c: float
    wet_c: float
    dew_c: float


class Spell(NamedTuple):
    """A part of an hour, through which machines work in one outdoor air: that of its middle.

    Parameters
    ----------
    begin_s, end_s
        [s]; without end where the air never changes.
    air
        Outdoor air.
    """

    begin_s: float
    end_s: float
    air: Outdoor


class Weather(Stateful):
    """What the sky and the grid do.

    Parameters
    ----------
    site
        Its place, climate and grid.
    start
        Wall clock at t = 0, with offset.

    Raises
    ------
    ValueError
        When the site names a file whose hours are not in it: it was not loaded by `twin.scenario.file.load`.
    """

    def __init__(self, site: Site, start: datetime) -> None:
        for key, named in (("climate", site.climate), ("grid", site.grid)):
            if named.file is not None and named.hours is None:
                raise ValueError(f"site.{key}.file was not read: load the scene from its folder")
        self._heat_wave_k = 0.0
        self._spell = Spell(math.inf, -math.inf, Outdoor(0.0, 0.0, 0.0))  # the latest that was asked for
        self._zone = zone_of(site.timezone, start)
        self._start = start.astimezone(UTC)
        local = start.astimezone(self._zone)
        self._local_start_s = float(local.hour * 3600 + local.minute * 60 + local.second)
        self._year_start_s = _second_of_year(start.astimezone(_standard(self._zone, local.year)))
        self._climate = site.climate
        years = _climate_years(site.climate)
        self._years: list[list[float]] = [column.tolist() for column in years]
        mean = site.climate
        self._day_dew = () if years else _dew_of_mean_day(mean.dry_bulb_c, mean.wet_bulb_c, mean.swing_k)
        at = place(site.climate.place) if site.climate.place is not None else None
        latitude_deg = site.latitude_deg
        if latitude_deg is None:
            latitude_deg = at.latitude_deg if at is not None else USUAL_LATITUDE_DEG
        self._sun = _sun_of_year(latitude_deg, at.sunshine if at else USUAL_SUNSHINE)
        self._grid = site.grid
        hours = unpack(site.grid.hours, GRID_HOURS) if site.grid.hours is not None else {}
        self._grid_years = {name: (column * _PER_MWH).tolist() for name, column in hours.items()}
        self._hour = -1  # of the year, that the next line holds for
        self._line = (0.0,) * 6  # dry, wet, dew at that hour, and their rise until the next
        self._clock = -1  # hour since the start of the year that the next two hold for
        self._turned_s = math.inf  # when that hour began
        self._price_usd_j = self._carbon_kg_j = 0.0

    def of_year(self) -> YearHours:
        """Return the hours of the whole year, whenever the run begins; without a place the mean day again and again.

        Days of prices and of carbon are taken by standard time.
        """
        if self._years:
            dry_c, wet_c, dew_c = (_halfway(np.array(hourly)) for hourly in self._years)
        else:
            day = np.array([self._mean_air((hour + 0.5) * HOUR_S) for hour in range(24)])
            dry_c, wet_c, dew_c = (np.tile(column, HOURS // 24) for column in day.T)
        grid, of_day = self._grid, np.arange(HOURS) % 24
        price, carbon = (
            np.array(self._grid_years[name])
            if name in self._grid_years
            else usual * (np.array(day)[of_day] if day else np.ones(HOURS))
            for name, usual, day in (
                ("price", grid.price_usd_j, grid.price_day),
                ("carbon", grid.carbon_kg_j, grid.carbon_day),
            )
        )
        return YearHours(dry_c, wet_c, dew_c, price, carbon, _halfway(np.array(self._sun)))

    @property
    def year_start_s(self) -> float:
        """Time from the start of the year to that of the run [s]."""
        return self._year_start_s

    @property
    def heat_wave_k(self) -> float:
        """What is added to the dry bulb, and a share of it to the wet bulb [K]; at least 0."""
        return self._heat_wave_k

    @heat_wave_k.setter
    def heat_wave_k(self, wave_k: float) -> None:
        self._heat_wave_k = wave_k
        self._spell = self._spell._replace(end_s=-math.inf)

    def at(self, t_s: float) -> Outdoor:
        """Return the outdoor air at `t_s`: between the hours of a year straight lines."""
        wave_k = self._heat_wave_k
        if not self._years:
            dry_c, wet_c, dew_c = self._mean_day(t_s)
        else:
            hours = (self._year_start_s + t_s) / HOUR_S
            hour = int(hours)
            if hour != self._hour:
                self._turn(hour)
            dry, wet, dew, d_dry, d_wet, d_dew = self._line
            part = hours - hour
            dry_c, wet_c, dew_c = dry + part * d_dry, wet + part * d_wet, dew + part * d_dew
        return Outdoor(dry_c + wave_k, wet_c + WAVE_WET_SHARE * wave_k, dew_c)

    def spell(self, t_s: float) -> Spell:
        """Return what machines work in at `t_s`: a part of an hour, of as many as the air changes by kelvins."""
        known = self._spell
        if not known.begin_s <= t_s < known.end_s:
            self._spell = known = self._spell_at(t_s)
        return known

    def _spell_at(self, t_s: float) -> Spell:
        if not (self._years or self._climate.swing_k):
            return Spell(-math.inf, math.inf, self.at(t_s))
        hour = self._hour_of(t_s)
        begin_s, end_s = self._hour_s(hour), self._hour_s(hour + 1)
        first, last = self.at(begin_s), self.at(end_s)
        change_k = max(abs(last.dry_c - first.dry_c), abs(last.wet_c - first.wet_c))
        parts = max(1, math.ceil(change_k / SPELL_K))
        turns = [begin_s + (end_s - begin_s) * part / parts for part in range(parts)] + [end_s]
        part = bisect_right(turns, t_s) - 1
        begin_s, end_s = turns[part], turns[part + 1]
        return Spell(begin_s, end_s, self.at((begin_s + end_s) / 2))

    def _hour_s(self, hour: int) -> float:
        """Return when an hour since the start of the year begins [s]."""
        return hour * HOUR_S - self._year_start_s

    def _hour_of(self, t_s: float) -> int:
        """Return the hour since the start of the year that `t_s` is in."""
        hour = int((self._year_start_s + t_s) / HOUR_S)
        hour += self._hour_s(hour + 1) <= t_s
        return hour - (self._hour_s(hour) > t_s)

    def price_usd_j(self, t_s: float) -> float:
        """Return what energy from the grid costs at `t_s` [USD/J]; one figure for each hour."""
        return self.grid_at(t_s)[0]

    def carbon_kg_j(self, t_s: float) -> float:
        """Return what energy from the grid emits at `t_s` [kg/J]; one figure for each hour."""
        return self.grid_at(t_s)[1]

    def grid_at(self, t_s: float) -> tuple[float, float]:
        """Return price [USD/J] and carbon [kg/J] of energy from the grid at `t_s`."""
        clock = int((self._year_start_s + t_s) / HOUR_S)
        if clock != self._clock:
            self._tick(clock)
        return self._price_usd_j, self._carbon_kg_j

    def hours(self, begin_s: float, end_s: float) -> list[tuple[float, float]]:
        """Return the parts of a time [s] in which price and carbon stand: hours by the clock of the site."""
        if self._in_hour(begin_s, end_s):
            return [(begin_s, end_s)]
        hour, parts = int((self._year_start_s + begin_s) / HOUR_S), []
        while (turn_s := (hour + 1) * HOUR_S - self._year_start_s) < end_s:
            if turn_s > begin_s:
                parts.append((begin_s, turn_s))
                begin_s = turn_s
            hour += 1
        return [*parts, (begin_s, end_s)]

    def _in_hour(self, begin_s: float, end_s: float) -> bool:
        """Return whether a time [s] lies within the hour looked at last."""
        return self._turned_s <= begin_s and end_s <= self._turned_s + HOUR_S

    def grid_means(self, begin_s: float, end_s: float) -> tuple[float, float]:
        """Return the mean price [USD/J] and carbon [kg/J] of energy from the grid that flows evenly in a time."""
        if self._in_hour(begin_s, end_s):
            return self._price_usd_j, self._carbon_kg_j
        price = carbon = 0.0
        took_s = end_s - begin_s
        for since_s, until_s in self.hours(begin_s, end_s):
            share = (until_s - since_s) / took_s if took_s > 0 else 1.0
            price_usd_j, carbon_kg_j = self.grid_at(since_s)
            price += share * price_usd_j
            carbon += share * carbon_kg_j
        return price, carbon

    def sun(self, t_s: float) -> float:
        """Return the output of solar panels over their rated power at `t_s`, 0..1 [-]: of a quarter, its middle."""
        hours = (math.floor(self._sun_part(t_s)) + 0.5) / SUN_PARTS
        hour = int(hours)
        low, high = self._sun[hour % HOURS], self._sun[(hour + 1) % HOURS]
        return low + (hours - hour) * (high - low)

    def sun_turns_s(self, t_s: float) -> float:
        """Return when the sun on panels is another next after `t_s` [s]."""
        return (math.floor(self._sun_part(t_s)) + 1) * HOUR_S / SUN_PARTS - self._year_start_s

    def _sun_part(self, t_s: float) -> float:
        return (self._year_start_s + t_s) * SUN_PARTS / HOUR_S

    def _turn(self, hour: int) -> None:
        now, then = hour % HOURS, (hour + 1) % HOURS
        dry, wet, dew = self._years
        low = (dry[now], wet[now], dew[now])
        self._line = (*low, dry[then] - low[0], wet[then] - low[1], dew[then] - low[2])
        self._hour = hour

    def _mean_day(self, t_s: float) -> tuple[float, float, float]:
        return self._mean_air(self._local_start_s + t_s)

    def _mean_air(self, local_s: float) -> tuple[float, float, float]:
        """Return dry bulb, wet bulb and dew point of the mean day by the clock of the site [C]."""
        climate = self._climate
        phase = math.cos(2 * math.pi * (local_s - WARMEST_S) / DAY_S)
        half = climate.swing_k / 2
        hours = local_s / HOUR_S
        hour = int(hours)
        low, high = self._day_dew[hour % 24], self._day_dew[(hour + 1) % 24]
        dew_c = low + (hours - hour) * (high - low)
        return climate.dry_bulb_c + half * phase, climate.wet_bulb_c + half * WET_SWING * phase, dew_c

    def _tick(self, clock: int) -> None:
        """Take price and carbon of an hour since the start of the year."""
        self._clock = clock
        grid, years = self._grid, self._grid_years
        self._turned_s = begin_s = clock * HOUR_S - self._year_start_s
        of_day = (self._start + timedelta(seconds=begin_s)).astimezone(self._zone).hour
        now = clock % HOURS
        self._price_usd_j = (
            years["price"][now] if "price" in years else grid.price_usd_j * _factor(grid.price_day, of_day)
        )
        self._carbon_kg_j = (
            years["carbon"][now] if "carbon" in years else grid.carbon_kg_j * _factor(grid.carbon_day, of_day)
        )

    STATE = Fields(StateField("heat_wave_k", float))


def zone_of(name: str, start: datetime) -> tzinfo:
    """Return the time zone of a site whose run begins at `start`."""
    try:
        return ZoneInfo(name)
    except (
        ZoneInfoNotFoundError,
        ValueError,
    ):  # a system without time zone data: the clock of the start continues
        return start.tzinfo or UTC


def _standard(zone: tzinfo, year: int) -> timezone:
    """Return the standard time of a zone: the lesser of its offsets in January and July."""
    offsets = [datetime(year, month, 1, tzinfo=zone).utcoffset() or timedelta(0) for month in (1, 7)]
    return timezone(min(offsets))


def _second_of_year(local: datetime) -> float:
    """Return the seconds since the year began, as if it had no 29 February."""
    day = datetime(2001, local.month, 28 if (local.month, local.day) == (2, 29) else local.day)
    days = (day - datetime(2001, 1, 1)).days
    return days * DAY_S + local.hour * HOUR_S + local.minute * 60.0 + local.second


def _climate_years(climate: Climate) -> tuple[Floats, ...]:
    """Return dry bulb, wet bulb and dew point of each hour of the year; nothing where there is but a mean day."""
    if climate.hours is not None:
        columns = unpack(climate.hours, CLIMATE_HOURS)
        return columns["dry_bulb"], columns["wet_bulb"], columns["dew_point"]
    if climate.place is not None:
        year = year_of(climate.place)
        return year.dry_c, year.wet_c, year.dew_c
    return ()


def _halfway(hourly: Floats) -> Floats:
    """Return the means between each hour of a year and the next."""
    result: Floats = (hourly + np.roll(hourly, -1)) / 2
    return result


@lru_cache(maxsize=8)
def _sun_of_year(latitude_deg: float, sunshine: float) -> tuple[float, ...]:
    """Return the output of panels over rated power at each full hour of a year [-]."""
    return tuple(year_of_output(latitude_deg, sunshine).tolist())


@lru_cache(maxsize=8)
def _dew_of_mean_day(dry_bulb_c: float, wet_bulb_c: float, swing_k: float) -> tuple[float, ...]:
    """Return the dew point at each hour of the mean day, sea level [C]."""
    phase = np.cos(2 * np.pi * (np.arange(24) * HOUR_S - WARMEST_S) / DAY_S)
    half = swing_k / 2
    dry, wet = dry_bulb_c + half * phase, wet_bulb_c + half * WET_SWING * phase
    share = np.maximum(humidity_of_wet_bulb(dry, np.minimum(wet, dry)), _DRIEST)
    return tuple(dew_point_c(dry, share).tolist())


def _factor(day: tuple[float, ...], hour: int) -> float:
    return day[hour] if day else 1.0
