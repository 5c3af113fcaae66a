"""A typical year for people: its figures in one order with title, words and explanation, and its hours as a table."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

import numpy as np

from twin import units
from twin.language import tr
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
    "pue": tr("PUE over the year"),
    "worst_pue": tr("PUE, worst hour"),
    "design_day": tr("Design day"),
    "design_dry": tr("Design dry bulb"),
    "design_wet": tr("Design wet bulb"),
    "peak_w": tr("Peak power"),
    "energy": tr("Energy a year"),
    "wue": tr("WUE over the year"),
    "carbon": tr("Carbon a year"),
    "no_compressor": tr("No compressor"),
    "off_set_point": tr("Water too warm"),
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
    when = tr("every day") if year.mean_day else day.words
    exceeded = (
        tr("The highest of every day: no place is set, so none is hotter, and a design wants more margin")
        if year.mean_day
        else tr(
            "Exceeded in 35 hours of the typical year (0.4 %); it has no extremes, so a design wants more margin"
        )
    )
    rows = (
        (
            "pue",
            f"{year.pue:.3f}",
            tr("Energy of the site over that of the racks, all hours"),
        ),
        ("worst_pue", f"{year.worst_pue:.3f}", tr("The hour in which the site draws most")),
        (
            "design_day",
            tr("{when}, PUE {pue:.2f}", when=when, pue=day.pue),
            tr(
                "The day with that hour: {dry_c:.1f} °C dry bulb, {wet_c:.1f} °C wet bulb",
                dry_c=day.dry_c,
                wet_c=day.wet_c,
            ),
        ),
        ("design_dry", f"{year.design_dry_c:.1f} °C", exceeded),
        ("design_wet", f"{year.design_wet_c:.1f} °C", exceeded),
        (
            "peak_w",
            units.render(year.peak_w, "power", 4),
            tr("Racks, cooling and losses of the site"),
        ),
        (
            "energy",
            units.render(year.energy_kwh * 3.6e6, "energy", 4),
            tr("Racks, cooling and losses of the site"),
        ),
        (
            "wue",
            tr("{wue_l_kwh:.2f} L/kWh", wue_l_kwh=year.wue_l_kwh),
            tr("Water over the energy of the racks; {water_m3:,.0f} m³ a year", water_m3=year.water_m3),
        ),
        (
            "carbon",
            tr("{tonnes:,.0f} t at {load:.0f} % load", tonnes=year.carbon_kg / 1e3, load=100.0 * year.load),
            tr(
                "Of power from the grid at the carbon intensity of the scene, and of fuel burnt on site, with racks at "
                "this share of their design power; that of the books is at the load of their plan or run, with making"
            ),
        ),
        (
            "no_compressor",
            _of_hours(year.hours_without_compressor) if year.has_compressors else tr("none installed"),
            tr("Hours in which the outdoor air alone takes all heat"),
        ),
        (
            "off_set_point",
            _of_hours(year.hours_off_set_point) if year.has_plants else tr("no facility water"),
            tr(
                "Hours in which facility water is above its set point: the air is too warm, or the machines too small"
            ),
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
