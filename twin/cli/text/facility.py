"""Electricity, heat and water of a run as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.text import Text

from twin.cli.tables import table_of
from twin.plant.stage_figures import STAGE_TITLES
from twin.shown_text import inner
from twin.units import render

KWH_J = 3.6e6


def facility_lines(summary: Mapping[str, Any]) -> Any:
    """Return a table of where the energy came from and went, with cost, carbon and water."""
    energy, facility = summary["energy"], summary["facility"]
    table = table_of(heads=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    used = energy["facility_j"] or 1.0
    for title, joules, more in _rows(energy, facility):
        table.add_row(
            Text(title),
            Text(render(joules, "energy", digits=4)),
            Text(more or f"{100 * joules / used:.1f} %"),
        )
    for title, words in _remarks(summary, facility):
        table.add_row(Text(title), Text(""), Text(words))
    return table


def _rows(energy: Mapping[str, Any], facility: Mapping[str, Any]) -> Iterator[tuple[str, float, str]]:
    yield "utility feed", facility["grid_j"], f"peak {render(facility['grid_max_w'], 'power', digits=4)}"
    if facility["on_site_j"]:
        yield "on-site generation", facility["on_site_j"], ""
    if facility["battery_out_j"]:
        into = render(facility["battery_in_j"], "energy", digits=4)
        yield "battery discharge", facility["battery_out_j"], f"{into} charged"
    yield "GPUs", energy["gpu_j"], ""
    yield "other IT load", energy["it_j"] - energy["gpu_j"], ""
    yield "cooling", energy["cooling_j"], ""
    worst = sorted(facility["loss_by_stage_j"].items(), key=lambda stage: -stage[1])
    named = ", ".join(
        f"{inner(STAGE_TITLES.get(kind, kind))} {100 * joules / (energy['facility_j'] or 1.0):.1f} %"
        for kind, joules in worst[:3]
        if joules > 0
    )
    yield "distribution losses", energy["loss_j"], named


def _remarks(summary: Mapping[str, Any], facility: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    tonnes, water_l = facility["carbon_kg"] / 1e3, summary["water_l"]
    yield "cost and carbon", f"{facility['cost_usd']:,.0f} USD, {tonnes:,.1f} t CO2"
    if water_l and summary["wue_l_kwh"] is not None:
        yield "water", f"{water_l / 1e3:,.1f} m³, WUE {summary['wue_l_kwh']:.2f} L/kWh"
    free = facility["hours"]["total"]
    if free.get("free_hours") and free.get("hours"):
        yield "free cooling", f"{100 * free['free_hours'] / free['hours']:.0f} % of hours"
    swing = facility["swing"]["site_w"]
    if swing:
        metered = facility["swing"].get("metered_w")  # runs of before lack it
        shown = "" if metered is None else f", {render(metered, 'power', digits=3)} by a meter of 2 s"
        yield "load swing per step", f"{render(swing, 'power', digits=3)} peak to trough{shown}"
    if facility["peak_violations"]:
        yield "above the contracted peak", f"{facility['peak_violations']} times"
    if facility["ramp_violations"]:
        yield "above the ramp limit of the utility", f"{facility['ramp_violations']} times"
    for part, hours in facility["hot_gpu_hours"]["gpu_hours_above"].items():
        hot = [f"{gpu_hours:,.0f} above {limit} °C" for limit, gpu_hours in hours.items() if gpu_hours >= 0.5]
        if hot:
            yield f"GPU-hours of {part}", ", ".join(hot)
