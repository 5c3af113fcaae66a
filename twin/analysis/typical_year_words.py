"""A typical year for people: its figures in one order with title, words and explanation, and its hours as a table."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np

from twin import units
from twin.physics.weather import HOURS, MONTH_DAYS
from twin.record.site_year import HOUR_S, MONTHS, SiteYear

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
    ),
    *("pue", "water_l", "carbon_kg", "compressor", "above_set_point_k"),
)
"""Columns of the table of hours; each hour with its means, by the standard time of the site."""

TITLES = {
    "pue": "PUE over the year",
    "worst_pue": "PUE, worst hour",
    "design_day": "Design day",
    "design_dry": "Design dry bulb",
    "design_wet": "Design wet bulb",
    "peak_w": "Peak power",
    "energy": "Energy a year",
    "wue": "WUE over the year",
    "carbon": "Carbon a year",
    "no_compressor": "No compressor",
    "off_set_point": "Water too warm",
}
"""Figures by key, most asked for first."""


class YearFigure(NamedTuple):
    """One figure: its key, title and words, and what a tip tells more of it."""

    key: str
    title: str
    words: str
    tip: str


def year_figures(year: SiteYear) -> list[YearFigure]:
    """Return the figures of a typical year, most asked for first."""
    day = year.design_day
    when = "every day" if year.mean_day else day.words
    exceeded = (
        "Exceeded in 35 hours of the typical year (0.4 %); it has no extremes, so a design wants more margin"
    )
    rows = (
        (
            "pue",
            f"{year.pue:.3f}",
            "Energy of the site over that of the racks, all hours",
        ),
        ("worst_pue", f"{year.worst_pue:.3f}", "The hour in which the site draws most"),
        (
            "design_day",
            f"{when}, PUE {day.pue:.2f}",
            f"The day with that hour: {day.dry_c:.1f} °C dry bulb, {day.wet_c:.1f} °C wet bulb",
        ),
        ("design_dry", f"{year.design_dry_c:.1f} °C", exceeded),
        ("design_wet", f"{year.design_wet_c:.1f} °C", exceeded),
        (
            "peak_w",
            units.render(year.peak_w, "power", 4),
            "Racks, cooling and losses of the site",
        ),
        (
            "energy",
            units.render(year.energy_kwh * 3.6e6, "energy", 4),
            "Racks, cooling and losses of the site",
        ),
        (
            "wue",
            f"{year.wue_l_kwh:.2f} L/kWh",
            f"Water over the energy of the racks; {year.water_m3:,.0f} m³ a year",
        ),
        (
            "carbon",
            f"{year.carbon_kg / 1e3:,.0f} t",
            "Of power from the grid at the carbon intensity of the scene, and of fuel burnt on site",
        ),
        (
            "no_compressor",
            _of_hours(year.hours_without_compressor) if year.has_compressors else "none installed",
            "Hours in which the outdoor air alone takes all heat",
        ),
        (
            "off_set_point",
            _of_hours(year.hours_off_set_point) if year.has_plants else "no facility water",
            "Hours in which facility water is above its set point: the air is too warm, or the machines too small",
        ),
    )
    return [YearFigure(key, TITLES[key], words, tip) for key, words, tip in rows]


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


def _of_hours(hours: int) -> str:
    return f"{hours:,} h ({100 * hours / HOURS:.0f} %)"
