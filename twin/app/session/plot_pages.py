"""What the plots show: which channels share an axis."""

from __future__ import annotations

from dataclasses import dataclass

from twin.language import tr
from twin.record.channels import BY_ID

PUE_RUN, WUE_RUN = "run.pue", "run.wue"
"""Series of the history that are no channels: what the run has come to so far."""


@dataclass(frozen=True)
class Curve:
    """One curve: the series of the history, mostly a channel, and its name in the key."""

    series: str
    name: str


@dataclass(frozen=True)
class Chart:
    """One plot of some curves with one axis; nothing below `low` is shown."""

    title: str
    unit: str
    curves: tuple[Curve, ...]
    low: float | None = None


CHARTS: tuple[Chart, ...] = (
    Chart(tr("Power"), "W", (Curve("site.it_w", tr("IT")), Curve("site.facility_w", tr("facility")))),
    Chart(tr("Goodput"), "%", (Curve("site.goodput_now", tr("now")), Curve("site.goodput", tr("so far")))),
    Chart("GPU", "°C", (Curve("site.gpu_max_c", tr("max")), Curve("site.gpu_mean_c", tr("mean")))),
)
PAGES: dict[str, tuple[Chart, ...]] = {
    tr("Run"): CHARTS,
    tr("Power"): (
        Chart(
            tr("Supply"),
            "W",
            (
                Curve("site.grid_w", tr("utility")),
                Curve("site.on_site_w", tr("on site")),
                Curve("site.battery_w", tr("battery")),
            ),
        ),
        Chart(
            tr("Overheads"),
            "W",
            (Curve("site.cooling_w", tr("cooling")), Curve("site.loss_w", tr("losses"))),
            0.0,
        ),
        Chart(tr("Load swing"), "W", (Curve("site.swing_w", tr("at the utility")),), 0.0),
    ),
    tr("Efficiency"): (
        Chart("PUE", "", (Curve("site.pue", tr("now")), Curve(PUE_RUN, tr("so far"))), 1.0),
        Chart("WUE", "L/kWh", (Curve("site.wue", tr("now")), Curve(WUE_RUN, tr("so far"))), 0.0),
        Chart(
            tr("Outdoors"),
            "°C",
            (Curve("site.outdoor_c", tr("air")), Curve("site.wet_bulb_c", tr("wet bulb"))),
        ),
    ),
    tr("Cost and carbon"): (
        Chart(tr("Energy cost"), "USD/s", (Curve("site.cost_usd_s", tr("electricity")),), 0.0),
        Chart(tr("Carbon"), "kg/s", (Curve("site.carbon_kg_s", tr("emitted")),), 0.0),
    ),
}
"""Plots side by side, by the name of their page; the first one is shown first."""
SITE_CHANNELS: tuple[str, ...] = tuple(
    sorted(
        {c.series for page in PAGES.values() for chart in page for c in chart.curves if c.series in BY_ID}
        | {"site.it_w", "site.facility_w"}
    )
)
"""Channels of the site whose history is kept."""
CURVES_SHOWN: tuple[str, ...] = (*SITE_CHANNELS, PUE_RUN, WUE_RUN)
"""Series of the history, in its order."""
FIGURE_WORDS = {
    "site.it_w": tr("load megawatts MW consumption servers"),
    "site.facility_w": tr("load megawatts MW consumption total"),
    "site.pue": tr("power usage effectiveness efficiency overhead"),
    "site.gpu_max_c": tr("temperature hot heat thermal"),
    "site.gpu_mean_c": tr("temperature heat thermal"),
    "site.goodput": tr("ETTR efficiency useful"),
    "site.goodput_now": tr("ETTR efficiency useful"),
    "site.nodes_down": tr("failed broken repair"),
    "site.spares": tr("hot standby"),
    "site.queue": tr("waiting scheduler backlog"),
    "site.queue_gpus": tr("waiting scheduler backlog"),
    "site.allocated": tr("utilisation utilization occupancy used"),
    "site.repair_queue": tr("crew MTTR repair"),
    "site.parts_missing": tr("spare parts MTTR repair"),
    "site.interruptions": tr("failures crashes MTBF"),
    "site.link_load_max": tr("network congestion utilisation bandwidth"),
    "site.outdoor_c": tr("weather temperature climate"),
    "site.wet_bulb_c": tr("weather temperature climate"),
    "site.grid_w": tr("grid electricity mains"),
    "site.on_site_w": tr("generator solar diesel"),
    "site.battery_w": tr("UPS storage"),
    "site.loss_w": tr("overhead transformer UPS"),
    "site.cooling_w": tr("pumps fans chiller overhead"),
    "site.wue": tr("water usage effectiveness consumption"),
    "site.carbon_kg_s": tr("CO2 emissions footprint climate"),
    "site.cost_usd_s": tr("bill power money price dollars USD electricity"),
    "site.swing_w": tr("power fluctuation transient"),
    "site.throttled": tr("hot slow clocks"),
    "site.unpowered": tr("blackout outage dark"),
}
"""Other words for a figure of the site, by which the command palette finds it."""


def page_of(series: str) -> str | None:
    """Return the page of plots that shows a series of the history; None where none does."""
    for title, charts in PAGES.items():
        if any(curve.series == series for chart in charts for curve in chart.curves):
            return title
    return None
