"""Checks of the power chain."""

from __future__ import annotations

import math

from twin.catalog.efficiency import EfficiencyCurve
from twin.catalog.part import Part
from twin.catalog.plausibility.finding import CatalogFinding, Findings, shown
from twin.catalog.power_parts import (
    BatteryPart,
    BusbarPart,
    GeneratorPart,
    PduPart,
    PowerShelfPart,
    PowerStagePart,
    UpsPart,
)


def stage(part: PowerStagePart) -> Findings:
    """Yield the findings for a conversion or distribution stage."""
    yield from _curve(part.id, part.efficiency, lowest=0.7)
    if part.constant_loss_w is not None and part.constant_loss_w > 0.05 * part.capacity_w:
        yield CatalogFinding("error", part.id, "constant_loss_w", "is more than 5 % of the rating")
    if isinstance(part, PowerShelfPart):
        together_w = part.psu_count * part.psu_capacity_w
        if together_w < part.capacity_w:
            message = f"its power supplies deliver {shown(together_w, 'power')} together"
            yield CatalogFinding("error", part.id, "capacity_w", message)
    elif isinstance(part, PduPart):
        right_w = _line_w(part.voltage_v, part.current_a, part.phases) * part.continuous_fraction
        if abs(part.capacity_w - right_w) > 0.05 * right_w:
            message = (
                f"{shown(part.capacity_w, 'power')}; its breaker allows {shown(right_w, 'power')} for long"
            )
            yield CatalogFinding("error", part.id, "capacity_w", message)
    elif isinstance(part, BusbarPart):
        most_w = _line_w(part.voltage_v, part.current_a, part.phases)
        if part.capacity_w > 1.01 * most_w:
            message = (
                f"{shown(part.capacity_w, 'power')} is above voltage x current, {shown(most_w, 'power')}"
            )
            yield CatalogFinding("error", part.id, "capacity_w", message)
    elif isinstance(part, UpsPart):
        if not part.efficiency.points[-1][1] <= part.eco_efficiency <= 1.0:
            yield CatalogFinding(
                "error", part.id, "eco_efficiency", "must lie between the normal efficiency and 100 %"
            )
        if not 10.0 <= part.battery_s <= 4 * 3600.0:
            yield CatalogFinding("warning", part.id, "battery_s", "ride-through is usually 1 to 15 min")


def source(part: Part) -> Findings:
    """Yield the findings for a generator or battery; none for other parts."""
    if isinstance(part, GeneratorPart):
        yield from _curve(part.id, part.efficiency, lowest=0.2)
        if part.efficiency.points[-1][1] > 0.65:
            yield CatalogFinding(
                "error", part.id, "efficiency", "no engine or turbine turns 65 % of its fuel into power"
            )
    elif isinstance(part, BatteryPart):
        if not 0.5 <= part.round_trip_efficiency <= 1.0:
            yield CatalogFinding("error", part.id, "round_trip_efficiency", "must lie between 50 and 100 %")
        hours = part.energy_j / part.capacity_w / 3600.0
        if not 0.05 <= hours <= 24.0:
            yield CatalogFinding("warning", part.id, "energy_j", f"{hours:.2g} h at rated power is unusual")


def _curve(part_id: str, curve: EfficiencyCurve, lowest: float) -> Findings:
    for load, value in curve.points:
        if not 0.0 < value <= 1.0:
            message = f"{value:.4g} at {load:.0%} load; an efficiency lies between 0 and 1"
            yield CatalogFinding("error", part_id, "efficiency", message)
        elif value < lowest:
            yield CatalogFinding(
                "warning", part_id, "efficiency", f"{value:.0%} at {load:.0%} load is unusually low"
            )
        if not 0.0 < load <= 1.2:
            yield CatalogFinding(
                "error", part_id, "efficiency", f"a load of {load:.0%} is outside 0 to 120 %"
            )


def _line_w(voltage_v: float, current_a: float, phases: int) -> float:
    return voltage_v * current_a * (math.sqrt(3.0) if phases == 3 else 1.0)
