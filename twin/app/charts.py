"""What the plots show: which channels share an axis."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Curve:
    """One curve: the channel and its name in the key."""

    channel: str
    name: str


@dataclass(frozen=True)
class Chart:
    """One plot of some curves with one axis."""

    title: str
    unit: str
    curves: tuple[Curve, ...]


CHARTS: tuple[Chart, ...] = (
    Chart("Power", "W", (Curve("site.it_w", "IT"), Curve("site.facility_w", "facility"))),
    Chart("Goodput", "%", (Curve("site.goodput_now", "now"), Curve("site.goodput", "so far"))),
    Chart("GPU", "°C", (Curve("site.gpu_max_c", "max"), Curve("site.gpu_mean_c", "mean"))),
)
CHANNELS_SHOWN: tuple[str, ...] = tuple(curve.channel for chart in CHARTS for curve in chart.curves)
