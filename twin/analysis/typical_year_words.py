"""A typical year for people: its figures in one order with title, words and explanation, and its hours as a table."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np

from twin import units
from twin.analysis.typical_year import HOUR_S, MONTHS, SiteYear
from twin.physics.weather import HOURS, MONTH_DAYS

COLUMNS = (
    *(
        "month",
        "day",
        "hour",
        "dry_bulb_c",
        "wet_bulb_c",
        "it_w",
        "cooling_w",
        "loss_w",
        "facility_w",
        "grid_w",
        "pue",
    ),
    *("water_l", "carbon_kg", "compressor", "above_set_point_k"),
)
"""Columns of the table of hours; each hour with its means, by the standard time of the site."""


class YearFigure(NamedTuple):
    """One figure: its key, title and words, and what a tip tells more of it."""

    key: str
    title: str
    words: str
    tip: str


def year_figures(year: SiteYear) -> list[YearFigure]:
    """Return the figures of a typical year, most asked for first."""
    return [
        YearFigure(
            "pue",
            "PUE over the year",
            f"{year.pue:.3f}",
            "Energy of the site over that of the racks, all hours of the typical year",
        ),
        YearFigure(
            "worst_pue",
            "PUE in the worst hour",
            f"{year.worst_pue:.3f}",
            "The hour in which the site draws most",
        ),
        YearFigure(
            "design_day",
            "Design day",
            _design_day(year),
            "The day with the hour in which the site draws most",
        ),
        YearFigure(
            "design_air",
            "Design temperatures",
            f"{year.design_dry_c:.1f} °C dry bulb, {year.design_wet_c:.1f} °C wet bulb",
            "Exceeded in 35 hours of the typical year (0.4 %); it has no extremes, so a design wants more margin",
        ),
        YearFigure(
            "peak_w",
            "Peak power of the site",
            units.render(year.peak_w, "power", 4),
            "Racks, cooling and losses",
        ),
        YearFigure(
            "energy",
            "Energy over the year",
            units.render(year.energy_kwh * 3.6e6, "energy", 4),
            "Racks, cooling and losses",
        ),
        YearFigure(
            "wue",
            "WUE over the year",
            f"{year.wue_l_kwh:.2f} L/kWh",
            f"Water over the energy of the racks; {year.water_m3:,.0f} m³ over the year",
        ),
        YearFigure(
            "carbon",
            "Carbon over the year",
            f"{year.carbon_kg / 1e3:,.0f} t",
            "Of power from the grid at the carbon intensity of the scene, and of fuel burnt on site",
        ),
        YearFigure(
            "no_compressor",
            "Hours without compressor",
            _of_hours(year.hours_without_compressor)
            if year.has_compressors
            else "the site has no compressors",
            "The outdoor air alone takes all heat",
        ),
        YearFigure(
            "off_set_point",
            "Hours above the set point",
            _of_hours(year.hours_off_set_point) if year.has_plants else "no facility water",
            "Facility water warmer than wanted, because the air is too warm or the machines too small",
        ),
    ]


def months_words(year: SiteYear) -> str:
    """Return the PUE of each month in a line: "Jan 1.10, Feb 1.11, ..."."""
    return ", ".join(
        f"{name[:3]} {pue:.2f}" for name, pue in zip(MONTHS, year.monthly_pue.tolist(), strict=True)
    )


def write_hours(year: SiteYear, file: Path) -> None:
    """Write a table of all hours as CSV; raises `OSError`."""
    month = np.repeat(np.arange(1, 13), 24 * np.array(MONTH_DAYS))
    day = np.concatenate([np.repeat(np.arange(1, days + 1), 24) for days in MONTH_DAYS])
    columns = (
        *(month, day, np.arange(HOURS) % 24, year.air.dry_c.round(2), year.air.wet_c.round(2)),
        *(
            np.full(HOURS, round(year.it_w)),
            year.machines_w.round(),
            year.loss_w.round(),
            year.facility_w.round(),
        ),
        *(year.grid_w.round(), (year.facility_w / year.it_w).round(4), (year.water_l_s * HOUR_S).round(1)),
        *((year.carbon_kg_s * HOUR_S).round(2), (~year.no_compressor).astype(int), year.off_set_k.round(2)),
    )
    with file.open("w", newline="", encoding="utf-8") as to:
        writer = csv.writer(to)
        writer.writerow(COLUMNS)
        writer.writerows(zip(*(column.tolist() for column in columns), strict=True))


def _design_day(year: SiteYear) -> str:
    day = year.design_day
    when = "every day" if year.mean_day else day.words
    return f"{when}: PUE {day.pue:.2f}, up to {day.dry_c:.0f} °C dry bulb and {day.wet_c:.0f} °C wet bulb"


def _of_hours(hours: int) -> str:
    return f"{hours:,} h ({100 * hours / HOURS:.0f} %)"
