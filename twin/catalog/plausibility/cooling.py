"""Checks of the cooling plant."""

from __future__ import annotations

from twin.catalog.cooling_parts import (
    CduPart,
    ChillerPart,
    CoolingTowerPart,
    CrahPart,
    DryCoolerPart,
    RdhxPart,
    TankPart,
)
from twin.catalog.part import Part
from twin.catalog.plausibility.compute import AIR_J_M3K
from twin.catalog.plausibility.finding import CatalogFinding, Findings

_LPM_PER_KW_M3_J = 1e-3 / 60.0 / 1e3
_EVAPORATION_L_PER_KWH = 1.47  # 3.6 MJ over the latent heat of 2.45 MJ/kg


def gear(part: Part) -> Findings:
    """Yield the findings for a part of the cooling plant; none for other parts."""
    if isinstance(part, CduPart):
        yield from _cdu(part)
    elif isinstance(part, CrahPart):
        rise_k = part.capacity_w / (AIR_J_M3K * part.airflow_m3_s) if part.airflow_m3_s else float("inf")
        if not 4.0 <= rise_k <= 25.0:
            message = f"its capacity cools its air by {rise_k:.0f} K; usual are 8 to 15 K"
            yield CatalogFinding("error", part.id, "airflow_m3_s", message)
        yield from _drive(part.id, "fan_w", part.fan_w, part.capacity_w)
    elif isinstance(part, RdhxPart):
        yield from _approach(part.id, part.approach_k)
        yield from _drive(part.id, "fan_w", part.fan_w, part.capacity_w)
    elif isinstance(part, TankPart):
        yield from _tank(part)
    elif isinstance(part, ChillerPart):
        low, high = (2.0, 5.5) if part.condenser == "air" else (4.0, 12.0)
        if not low <= part.cop <= high:
            message = f"COP {part.cop:g}; {part.condenser}-cooled chillers have {low:g} to {high:g}"
            yield CatalogFinding("error", part.id, "cop", message)
        yield from _carnot(part)
    elif isinstance(part, DryCoolerPart):
        yield from _approach(part.id, part.approach_k)
        yield from _drive(part.id, "fan_fraction", part.fan_fraction, 1.0)
    elif isinstance(part, CoolingTowerPart):
        yield from _approach(part.id, part.approach_k)
        yield from _drive(part.id, "fan_fraction", part.fan_fraction, 1.0)
        l_per_kwh = part.water_m3_j * 3.6e9
        if not _EVAPORATION_L_PER_KWH <= l_per_kwh <= 2.5 * _EVAPORATION_L_PER_KWH:
            message = (
                f"{l_per_kwh:.2f} L/kWh; evaporation alone is {_EVAPORATION_L_PER_KWH} and blow-down adds"
            )
            yield CatalogFinding("error", part.id, "water_m3_j", message)


def _cdu(part: CduPart) -> Findings:
    if part.flow_m3_s is not None:
        lpm_per_kw = part.flow_m3_s / part.capacity_w / _LPM_PER_KW_M3_J
        if not 0.6 <= lpm_per_kw <= 3.0:
            message = f"{lpm_per_kw:.2f} lpm per kW; usual are 1 to 2"
            yield CatalogFinding("error", part.id, "flow_m3_s", message)
    if part.approach_k is not None:
        yield from _approach(part.id, part.approach_k)
    if part.pump_count is not None and (part.pumps_needed or 0) > part.pump_count:
        yield CatalogFinding("error", part.id, "pumps_needed", "needs more pumps than it has")
    yield from _drive(part.id, "power_w", part.power_w, part.capacity_w)


def _tank(part: TankPart) -> Findings:
    j_k_m3 = part.heat_capacity_j_k / part.fluid_m3
    if not 1.0e6 <= j_k_m3 <= 4.2e6:
        message = f"{j_k_m3 / 1e6:.2f} MJ/K per m3; oils and fluorinated fluids hold 1.5 to 2.2, water 4.2"
        yield CatalogFinding("error", part.id, "heat_capacity_j_k", message)
    if not 0.01 <= part.r_ja_k_w <= 0.2:
        message = f"{part.r_ja_k_w:g} K/W from die to fluid; boiling reaches 0.02, slow oil 0.1"
        yield CatalogFinding("error", part.id, "r_ja_k_w", message)
    yield from _approach(part.id, part.approach_k)
    yield from _drive(part.id, "power_w", part.power_w, part.capacity_w)


def _carnot(part: ChillerPart) -> Findings:
    evaporator_k = part.rated_supply_c - part.evaporator_approach_k + 273.15
    lift_k = part.rated_outdoor_c + part.condenser_approach_k + 273.15 - evaporator_k
    share = part.cop * lift_k / evaporator_k
    if not 0.3 <= share <= 0.8:
        message = (
            f"is {share:.0%} of Carnot's between its evaporator and condenser; chillers reach 40 to 70 %"
        )
        yield CatalogFinding("error", part.id, "cop", message)


def _approach(part_id: str, approach_k: float) -> Findings:
    if not 0.5 <= approach_k <= 25.0:
        yield CatalogFinding(
            "error", part_id, "approach_k", f"{approach_k:g} K; heat exchangers have 1 to 20 K"
        )


def _drive(part_id: str, key: str, power_w: float, heat_w: float) -> Findings:
    if power_w > 0.12 * heat_w:
        yield CatalogFinding(
            "warning", part_id, key, f"{power_w / heat_w:.0%} of the heat moved is unusually much"
        )
