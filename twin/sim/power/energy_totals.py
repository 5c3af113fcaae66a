"""Energy that has passed through the power tree since the start."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class PowerTotals:
    """Energies [J], carbon [kg], cost [USD], peaks [W] and how often the grid's limits were passed."""

    load_j: float = 0.0  # racks, loops and plants at the powers that the tree was last told
    loss_j: float = 0.0
    grid_j: float = 0.0
    on_site_j: float = 0.0
    fuel_j: float = 0.0
    battery_in_j: float = 0.0  # at the terminals of batteries, those of UPS included
    battery_out_j: float = 0.0
    emptied_j: float = 0.0  # gone from batteries by faults
    carbon_kg: float = 0.0
    cost_usd: float = 0.0
    grid_max_w: float = 0.0
    peak_violations: int = 0
    peak_over_s: float = 0.0
    ramp_violations: int = 0


@dataclass
class PowerFlows:
    """Powers now, constant until the tree is worked out again [W]."""

    load_w: float = 0.0
    loss_w: float = 0.0
    grid_w: float = 0.0
    on_site_w: float = 0.0
    fuel_w: float = 0.0
    charging_w: float = 0.0
    discharging_w: float = 0.0
    made_kg_s: float = 0.0  # carbon of what is generated on site [kg/s]
    over_peak: bool = False


def book(totals: PowerTotals, flows: PowerFlows, dt_s: float, price_usd_j: float, carbon_kg_j: float) -> None:
    """Add what flowed in `dt_s` [s], at the mean price and carbon of energy from the grid in that time."""
    totals.load_j += flows.load_w * dt_s
    totals.loss_j += flows.loss_w * dt_s
    totals.grid_j += flows.grid_w * dt_s
    totals.on_site_j += flows.on_site_w * dt_s
    totals.fuel_j += flows.fuel_w * dt_s
    totals.battery_in_j += flows.charging_w * dt_s
    totals.battery_out_j += flows.discharging_w * dt_s
    totals.carbon_kg += (flows.grid_w * carbon_kg_j + flows.made_kg_s) * dt_s
    totals.cost_usd += flows.grid_w * price_usd_j * dt_s
    if flows.over_peak:
        totals.peak_over_s += dt_s
