"""What a run amounts to for the facility: energy by source and loss, carbon, cost, water, hours, heat, swings."""

from __future__ import annotations

import math
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from twin.sim.meters.hourly_totals import KWH_J, LEAST_IT_W

if TYPE_CHECKING:
    from twin.sim.run.parts import RunParts


def facility_figures(engine: RunParts) -> dict[str, float]:
    """Return what the facility has come to, by the names of the summary; nan: unknown. Reads only."""
    now, totals = engine.now_s, engine.heat.totals
    read = engine.meter.reading(engine.heat, now)
    running = read.it_j > LEAST_IT_W * now
    return {
        "energy.it_j": read.it_j,
        "energy.facility_j": read.facility_j,
        "pue": read.facility_j / read.it_j if running else math.nan,
        "power.facility_max_w": max(engine.meter.meters.facility_max_w, engine.meter.facility_w),
        "power.facility_mean_w": read.facility_j / now if now > 0 else math.nan,
        "thermal.gpu_max_c": totals.gpu_max_c if math.isfinite(totals.gpu_max_c) else math.nan,
        "thermal.throttle_gpu_s": float(totals.loop_throttle_gpu_s.sum()),
        "water_l": read.water_l,
        "facility.carbon_kg": read.power.carbon_kg,
        "facility.cost_usd": read.power.cost_usd,
    }


def energy(engine: RunParts) -> dict[str, Any]:
    """Return energies, powers, PUE, WUE and everything of the facility up to now; unknown values are None."""
    meters, now = engine.meter.meters, engine.now_s
    read = engine.meter.reading(engine.heat, now)
    power, known = read.power, now > 0
    hours = deepcopy(engine.hourly)
    engine.book_hour(hours, now)
    hours.settle(read.totals)
    # A hall with its IT switched off has no power usage effectiveness: a ratio to rounding errors says nothing.
    running = read.it_j > LEAST_IT_W * now
    return {
        "energy": {
            "it_j": read.it_j,
            "gpu_j": read.gpu_j,
            "cooling_j": read.cooling_j,
            "loss_j": power.loss_j,
            "facility_j": read.facility_j,
            "heat_j": read.heat_j,
            "outside_j": read.outside_j,
            "stored_j": read.heat_stored_j,
            "residual": read.residual if read.facility_j > 0 else None,
        },
        "power": {
            "it_mean_w": read.it_j / now if known else None,
            "it_max_w": max(meters.it_max_w, engine.meter.it_w),
            "facility_mean_w": read.facility_j / now if known else None,
            "facility_max_w": max(meters.facility_max_w, engine.meter.facility_w),
            "loss_w": power.loss_j / now if known else None,
        },
        "pue": read.facility_j / read.it_j if running else None,
        "wue_l_kwh": read.water_l * KWH_J / read.it_j if running else None,
        "water_l": read.water_l,
        "facility": {
            "grid_j": power.grid_j,
            "grid_max_w": power.grid_max_w,
            "on_site_j": power.on_site_j,
            "fuel_j": power.fuel_j,
            "battery_in_j": power.battery_in_j,
            "battery_out_j": power.battery_out_j,
            "battery_stored_j": read.battery_stored_j,
            "supply_loss_j": read.supply_j,
            "loss_by_stage_j": engine.power.loss_j_by_kind(now),
            "carbon_kg": power.carbon_kg,
            "cost_usd": power.cost_usd,
            "peak_violations": power.peak_violations,
            "peak_over_s": power.peak_over_s,
            "ramp_violations": power.ramp_violations,
            "swing": engine.swing.summary(),
            "hours": hours.summary(),
            "hot_gpu_hours": engine.lifetime.summary(),
        },
    }
