"""What the plots show: which channels share an axis."""

from __future__ import annotations

from dataclasses import dataclass

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
    Chart("Power", "W", (Curve("site.it_w", "IT"), Curve("site.facility_w", "facility"))),
    Chart("Goodput", "%", (Curve("site.goodput_now", "now"), Curve("site.goodput", "so far"))),
    Chart("GPU", "°C", (Curve("site.gpu_max_c", "max"), Curve("site.gpu_mean_c", "mean"))),
)
PAGES: dict[str, tuple[Chart, ...]] = {
    "Run": CHARTS,
    "Power": (
        Chart(
            "Supply",
            "W",
            (
                Curve("site.grid_w", "utility"),
                Curve("site.on_site_w", "on site"),
                Curve("site.battery_w", "battery"),
            ),
        ),
        Chart("Overheads", "W", (Curve("site.cooling_w", "cooling"), Curve("site.loss_w", "losses")), 0.0),
        Chart("Load swing", "W", (Curve("site.swing_w", "at the utility"),), 0.0),
    ),
    "Efficiency": (
        Chart("PUE", "", (Curve("site.pue", "now"), Curve(PUE_RUN, "so far")), 1.0),
        Chart("WUE", "L/kWh", (Curve("site.wue", "now"), Curve(WUE_RUN, "so far")), 0.0),
        Chart("Outdoors", "°C", (Curve("site.outdoor_c", "air"), Curve("site.wet_bulb_c", "wet bulb"))),
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
