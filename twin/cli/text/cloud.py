"""Clouds, disasters and costs in the summary of a run, as text for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from twin import units


def cloud_lines(summary: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each cloud, each job that lost its site, and the cost of ownership."""
    economics = summary.get("economics") or {}
    for name, cloud in summary.get("cloud", {}).items():
        now = f", {cloud['there']} there now" if cloud["there"] else ""
        yield (
            f"{name}: {cloud['jobs']:,} jobs{now}, {cloud['gpu_h']:,.0f} GPU-hours for {cloud['cost_usd']:,.0f} USD, "
            f"{cloud['egress_usd']:,.0f} USD for data out, at most {cloud['quota_peak']:,} GPUs, "
            f"{units.spoken(cloud['wait_saved_s'])} of waiting saved"
        )
    for name, rented in summary.get("rentals", {}).items():
        yield (
            f"{name}: {rented['billed_gpu_h']:,.0f} GPU-hours billed ({rented['used_gpu_h']:,.0f} used in "
            f"{rented['uses']:,} uses of shapes) for {rented['cost_usd']:,.0f} USD, "
            f"reclaimed {rented['reclaims']:,} times"
        )
    disaster = summary.get("disaster") or {}
    for job in disaster.get("jobs", ()):
        yield (
            f"{job['job']} lost its site and went to {job['cloud']}: {units.spoken(job['rpo_s'])} of work lost (RPO), "
            f"first step there after {units.spoken(job['rto_s'])} (RTO)"
        )
    if economics.get("own_usd_gpu_h"):
        yield (
            f"own GPU-hour {economics['own_usd_gpu_h']:.2f} USD at {100 * economics['utilisation']:.0f} % use, "
            f"PUE {economics['pue']:.2f} and {economics['price_usd_kwh']:.3f} USD/kWh"
        )
        for name, rent in economics["clouds"].items():
            even = rent["break_even_utilisation"]
            when = "never" if even is None or even > 1 else f"above {100 * even:.0f} % use"
            yield f"{name} asks {rent['price_usd_gpu_h']:.2f} USD: own ones are cheaper {when}"
