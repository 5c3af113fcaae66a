"""What a site draws, makes and drinks in a year: from a run, from its typical year, or from its design load alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from twin.arrays import Floats
from twin.economics.demand_charge import quarter_hour_peak_w
from twin.economics.finance import SECONDS_PER_YEAR
from twin.economics.price_book import PriceError
from twin.economics.site_lines import GENERATION
from twin.record.reader import Reader
from twin.record.site_year import HOUR_S, J_PER_KWH, SiteYear
from twin.scenario.schema.document import Scenario

MONTHS = 12
FULL_LOAD_PUE = 1.25
"""Of a site without a typical year [est]."""
EVERY_SAMPLE = 2**31
OF_RUN = "the run"
"""Basis of the use of a run."""
MAKERS = (*GENERATION, "generator")
"""Kinds of stages that make energy."""


@dataclass(frozen=True)
class EnergyUse:
    """Use of a period.

    Parameters
    ----------
    basis
        Where it is from, for people.
    period_s
        How long it lasts [s].
    it_kwh, grid_kwh
        Energy into the racks, and from the grid [kWh].
    grid_usd
        What the latter costs at the prices of the scene [USD].
    peaks_kw
        Highest quarter-hour from the grid of each month of a year, shape (12,) [kW].
    own_kwh
        Made on site, by kind of stage [kWh].
    water_m3, carbon_kg
        Water used, and carbon emitted by energy [m3], [kg].
    saved_kg
        What power purchases kept it from [kg].
    ppa_mwh, ppa_usd
        Power bought by the entry of its price [MWh]; what costs a price of the scene [USD].
    heat_mwh, heat_usd
        Heat sold at the price of the catalogue [MWh], and at those of the scene [USD].
    rent_usd
        What rented nodes cost, by rental, at likely prices [USD].
    """

    basis: str
    period_s: float
    it_kwh: float
    grid_kwh: float
    grid_usd: float
    peaks_kw: Floats
    own_kwh: Mapping[str, float]
    water_m3: float
    carbon_kg: float
    saved_kg: float = 0.0
    ppa_mwh: Mapping[str, float] = field(default_factory=dict)
    ppa_usd: float = 0.0
    heat_mwh: float = 0.0
    heat_usd: float = 0.0
    rent_usd: Mapping[str, float] = field(default_factory=dict)

    @property
    def yearly(self) -> float:
        """Return the factor from the period to a year."""
        return SECONDS_PER_YEAR / self.period_s

    def of_share(self, share: float) -> EnergyUse:
        """Return the use of a share of the site [-].

        Carbon stays that of all, for all of it is emitted; of power purchases it falls by the share that is paid.
        """
        return replace(
            self,
            carbon_kg=self.carbon_kg + self.saved_kg * (1.0 - share),
            saved_kg=self.saved_kg * share,
            it_kwh=self.it_kwh * share,
            grid_kwh=self.grid_kwh * share,
            grid_usd=self.grid_usd * share,
            peaks_kw=self.peaks_kw * share,
            own_kwh={kind: kwh * share for kind, kwh in self.own_kwh.items()},
            water_m3=self.water_m3 * share,
            ppa_mwh={entry: mwh * share for entry, mwh in self.ppa_mwh.items()},
            ppa_usd=self.ppa_usd * share,
            heat_mwh=self.heat_mwh * share,
            heat_usd=self.heat_usd * share,
        )


def of_year(year: SiteYear, source_w: Mapping[str, float], scenario: Scenario) -> EnergyUse:
    """Return the use of a typical year.

    Parameters
    ----------
    year
        Of the site.
    source_w
        Rated power of its sources by kind [W].
    scenario
        For how much of their rating sources give while the grid is there.
    """
    hour_kwh = HOUR_S / J_PER_KWH
    made_w = np.maximum(year.facility_w - year.grid_w, 0.0)
    price = year.air.price_usd_j * J_PER_KWH
    months = np.array_split(year.grid_w, MONTHS)
    wanted = {kind: _wanted_w(kind, source_w, scenario, year.air.sun) for kind in GENERATION}
    return EnergyUse(
        f"typical year, racks at {100.0 * year.load:g} % of their design power",
        SECONDS_PER_YEAR,
        year.it_w * year.facility_w.size * hour_kwh,
        float(year.grid_w.sum()) * hour_kwh,
        float((year.grid_w * price).sum()) * hour_kwh,
        np.array([month.max() for month in months]) / 1e3,
        _split(float(made_w.sum()) * hour_kwh, {kind: float(w.sum()) for kind, w in wanted.items()}),
        year.water_m3,
        year.carbon_kg,
    )


def of_design_load(
    it_w: float,
    load: float,
    source_w: Mapping[str, float],
    source_kg_j: Mapping[str, float],
    scenario: Scenario,
    reason: str,
) -> EnergyUse:
    """Return the use of a year at a share of the design load, where a site has no typical year; the sun gives nothing.

    Parameters
    ----------
    it_w
        Design power of the racks [W].
    load
        Share of it [-].
    source_w, scenario
        As for `of_year`.
    source_kg_j
        Carbon of what the sources give, by kind [kg/J].
    reason
        Why there is no year.
    """
    hours, grid = SECONDS_PER_YEAR / HOUR_S, scenario.site.grid
    drawn_kw = it_w / 1e3 * load * FULL_LOAD_PUE
    dark = np.zeros(1)
    wanted = {kind: float(_wanted_w(kind, source_w, scenario, dark)[0]) / 1e3 for kind in GENERATION}
    made_kw = min(drawn_kw, sum(wanted.values()))
    grid_kwh, made_kwh = (drawn_kw - made_kw) * hours, _split(made_kw * hours, wanted)
    made_kg = sum(kwh * source_kg_j[kind] * J_PER_KWH for kind, kwh in made_kwh.items())
    return EnergyUse(
        f"racks at {100.0 * load:g} % of their design power and a PUE of {FULL_LOAD_PUE:g}, since {reason}",
        SECONDS_PER_YEAR,
        it_w / 1e3 * load * hours,
        grid_kwh,
        grid_kwh * grid.price_usd_j * J_PER_KWH,
        np.full(MONTHS, drawn_kw - made_kw),
        made_kwh,
        0.0,
        grid_kwh * grid.carbon_kg_j * J_PER_KWH + made_kg,
    )


def of_run(reader: Reader, summary: Mapping[str, Any]) -> EnergyUse:
    """Return the use of a run, of which a month's peak is the highest quarter-hour.

    Parameters
    ----------
    reader
        Of its run file.
    summary
        Of the finished run.

    Raises
    ------
    PriceError
        When its file has no energy from the grid, as those of early versions.
    """
    if "facility" not in summary:
        raise PriceError("the run file does not say what its site drew from the grid; run its scene again")
    return of_summary(summary, _peak_w(reader, summary["facility"]), _made_of(reader))


def of_summary(summary: Mapping[str, Any], peak_w: float, made: Mapping[str, float]) -> EnergyUse:
    """Return the use of a run by its summary.

    Parameters
    ----------
    summary
        Of the finished run.
    peak_w
        Highest power from the grid of a month [W].
    made
        What its sources gave, by kind, or weights that share it out.
    """
    facility, energy = summary["facility"], summary["energy"]
    return EnergyUse(
        OF_RUN,
        float(summary["simulated_s"]),
        energy["it_j"] / J_PER_KWH,
        facility["grid_j"] / J_PER_KWH,
        facility["cost_usd"],
        np.full(MONTHS, peak_w / 1e3),
        _split(facility["on_site_j"] / J_PER_KWH, made),
        (summary.get("water_l") or 0.0) / 1e3,
        facility["carbon_kg"],
    )


def _peak_w(reader: Reader, facility: Mapping[str, Any]) -> float:
    """Return the highest quarter-hour from the grid [W]; of a file without its curve the highest power."""
    try:
        grid = reader.series(0, "site.grid_w", points=EVERY_SAMPLE)
    except KeyError:
        return float(facility["grid_max_w"])
    return quarter_hour_peak_w(grid.t_s, grid.mean)


def _made_of(reader: Reader) -> dict[str, float]:
    """Return what the sources of a run gave, by kind, as their curves have it [J]."""
    kinds = {stage.id: stage.kind for stage in reader.header.scenario.power if stage.kind in MAKERS}
    found: dict[str, float] = {}
    for slot, id in enumerate(reader.header.ids.get("power", ())) if kinds else ():
        kind = kinds.get(id.split("/", 1)[0])
        if kind is not None:
            curve = reader.series(slot, "power.out_w", points=EVERY_SAMPLE)
            power_w = np.nan_to_num(np.asarray(curve.mean, np.float64))
            found[kind] = found.get(kind, 0.0) + float((power_w[:-1] * np.diff(curve.t_s)).sum())
    return found


def _wanted_w(kind: str, source_w: Mapping[str, float], scenario: Scenario, sun: Floats) -> Floats:
    """Return what the sources of a kind give hour by hour while the grid is there, shape (8760,) [W]."""
    rated = source_w.get(kind, 0.0)
    if kind == "solar":
        return rated * sun
    shares = [stage.output for stage in scenario.power if stage.kind == kind]
    return np.full(sun.shape, rated * (float(np.mean(shares)) if shares else 0.0))


def _split(total: float, by: Mapping[str, float]) -> dict[str, float]:
    """Return a total shared out in proportion, so that its parts sum to it; {} where nothing is made."""
    whole = sum(by.values())
    return (
        {kind: total * part / whole for kind, part in by.items() if part > 0.0}
        if whole > 0.0 and total
        else {}
    )
