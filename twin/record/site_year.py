"""A typical year of a site as it is told and shown: hour by hour, and its figures. Who works it out is the engine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from twin.arrays import Bools, Floats
from twin.language import tr
from twin.physics.weather import DAYS, MONTH_DAYS, monthly_means
from twin.plant.error import PlantError
from twin.scenario.formats.climates import place
from twin.scenario.schema.site import Climate

HOUR_S, J_PER_KWH = 3600.0, 3.6e6
HELD_K = 0.1
"""Facility water this near to its set point is held [K]."""
DESIGN_SHARE = 0.004
"""Share of the hours of a year in which the outdoor air is warmer than the design temperature, as ASHRAE has it."""
MONTHS = (
    *(tr("January"), tr("February"), tr("March"), tr("April"), tr("May"), tr("June")),
    *(tr("July"), tr("August"), tr("September"), tr("October"), tr("November"), tr("December")),
)


class YearHours(NamedTuple):
    """Means of the hours of a year by the standard time of the site, shape (8760,) each.

    Parameters
    ----------
    dry_c, wet_c, dew_c
        Outdoor air [C].
    price_usd_j, carbon_kg_j
        Of energy from the grid [USD/J], [kg/J].
    sun
        Output of solar panels over their rated power [-].
    """

    dry_c: Floats
    wet_c: Floats
    dew_c: Floats
    price_usd_j: Floats
    carbon_kg_j: Floats
    sun: Floats


class NoYear(PlantError):
    """A site has no year: nothing in it draws power, or not all of it is cooled."""


@dataclass(frozen=True)
class DesignDay:
    """The day of the typical year on which the site draws most.

    Attributes
    ----------
    day
        Of the year, 0 to 364.
    pue
        Energy of the site over that of the racks on that day.
    dry_c, wet_c
        Outdoor air at the hour that draws most [C].
    """

    day: int
    pue: float
    dry_c: float
    wet_c: float

    @property
    def words(self) -> str:
        """Return the day as people write it: "22 July"."""
        month = int(np.searchsorted(np.cumsum(MONTH_DAYS), self.day, side="right"))
        return f"{self.day - sum(MONTH_DAYS[:month]) + 1} {MONTHS[month]}"


@dataclass(frozen=True)
class SiteYear:
    """A typical year; arrays have an entry per hour from 1 January in standard time, shape (8760,).

    Attributes
    ----------
    load
        Power of the racks over their design power [-].
    it_w
        Power of the racks, all year [W].
    air
        Outdoor air, sun and grid.
    machines_w
        Compressors, fans and pumps [W].
    loss_w
        Losses of the power chain [W].
    grid_w
        Power from the grid: of racks, machines and losses, less what is made on site [W].
    water_l_s
        Water evaporated and blown down [L/s].
    carbon_kg_s
        Of power from the grid, and of fuel burnt on site [kg/s].
    no_compressor
        Hours in which no compressor runs.
    off_set_k
        Facility water over its set point, that of the plant that misses it most [K].
    has_compressors, has_plants
        Whether the site has any; without plants heat leaves for nothing.
    climate
        What the weather is, for people: "Phoenix, Arizona, United States".
    mean_day
        The scene names no place and no weather file: all days are one.
    """

    load: float
    it_w: float
    air: YearHours
    machines_w: Floats
    loss_w: Floats
    grid_w: Floats
    water_l_s: Floats
    carbon_kg_s: Floats
    no_compressor: Bools
    off_set_k: Floats
    has_compressors: bool
    has_plants: bool
    climate: str
    mean_day: bool

    @cached_property
    def facility_w(self) -> Floats:
        """Return the power of the site: racks, machines and losses, shape (8760,) [W]."""
        result: Floats = self.it_w + self.machines_w + self.loss_w
        return result

    @property
    def pue(self) -> float:
        """Return energy of the site over that of the racks, of the year."""
        return float(self.facility_w.mean()) / self.it_w

    @property
    def worst_pue(self) -> float:
        """Return that of the worst hour."""
        return self.peak_w / self.it_w

    @property
    def wue_l_kwh(self) -> float:
        """Return water over energy of the racks, of the year [L/kWh]."""
        return float(self.water_l_s.mean()) * J_PER_KWH / self.it_w

    @property
    def peak_w(self) -> float:
        """Return the highest power of the site [W]."""
        return float(self.facility_w.max())

    @property
    def energy_kwh(self) -> float:
        """Return the energy of the site [kWh]."""
        return float(self.facility_w.sum()) * HOUR_S / J_PER_KWH

    @property
    def water_m3(self) -> float:
        """Return the water of the year [m3]."""
        return float(self.water_l_s.sum()) * HOUR_S / 1e3

    @property
    def carbon_kg(self) -> float:
        """Return the carbon of the year [kg]."""
        return float(self.carbon_kg_s.sum()) * HOUR_S

    @property
    def hours_without_compressor(self) -> int:
        """Return the hours of the year in which no compressor runs."""
        return int(self.no_compressor.sum())

    @property
    def hours_off_set_point(self) -> int:
        """Return the hours in which some facility water is warmer than its set point."""
        return int((self.off_set_k > HELD_K).sum())

    @property
    def design_dry_c(self) -> float:
        """Return the dry bulb exceeded in 35 hours of the year (0.4 %) [C]."""
        return float(np.quantile(self.air.dry_c, 1 - DESIGN_SHARE))

    @property
    def design_wet_c(self) -> float:
        """Return the wet bulb exceeded in 35 hours of the year (0.4 %) [C]."""
        return float(np.quantile(self.air.wet_c, 1 - DESIGN_SHARE))

    @property
    def design_day(self) -> DesignDay:
        """Return the day with the hour of highest power."""
        hour = int(self.facility_w.argmax())
        days = self.facility_w.reshape(DAYS, 24).mean(axis=1)
        return DesignDay(
            hour // 24,
            float(days[hour // 24]) / self.it_w,
            float(self.air.dry_c[hour]),
            float(self.air.wet_c[hour]),
        )

    @property
    def monthly_pue(self) -> Floats:
        """Return the PUE of each month, January first, shape (12,)."""
        result: Floats = monthly_means(self.facility_w) / self.it_w
        return result


def climate_words(climate: Climate) -> str:
    """Return what the weather of a site is, for people: a place, a file, or "no place: a mean day of 15 °C"."""
    if climate.place is not None:
        return place(climate.place).words
    if climate.file is not None or climate.hours is not None:
        return f"weather file {climate.file}" if climate.file else "weather file"
    return f"no place: a mean day of {climate.dry_bulb_c:g} °C"
