"""What the catalogue says of GPUs and cooling machines, as numbers the physics and the engine take."""

from __future__ import annotations

from dataclasses import dataclass

from twin.catalog import Catalog, CatalogError, GpuPart, NodePart
from twin.physics.gpu_power import GpuPowerModel, gpu_power_model
from twin.physics.hydraulics import ZERO_CELSIUS_K
from twin.physics.thermal_constants import Package, PartThermal, air_part, liquid_part

GHZ = 1e9
USUAL_PART = {"dry-cooler": "dry-cooler", "cooling-tower": "cooling-tower", "chiller": "chiller-air-cooled"}
"""Part of the catalogue by kind of facility plant, where a scenario names none."""


class UncooledNode(ValueError):
    """A node stands where nothing can cool it."""


def power_of(gpu: GpuPart) -> GpuPowerModel:
    """Return the power model of a GPU.

    Raises
    ------
    CatalogError
        When its figures contradict each other.
    """
    try:
        return gpu_power_model(
            idle_w=gpu.idle_w,
            cap_w=gpu.tdp_w,
            f_v_ghz=gpu.knee_clock_hz / GHZ,
            f_max_ghz=gpu.boost_clock_hz / GHZ,
            gemm_ghz=gpu.gemm_clock_hz / GHZ,
            v_min=gpu.min_voltage_v,
            v_max=gpu.max_voltage_v,
            leak_w_per_k=gpu.leak_w_k,
            max_op_c=gpu.max_op_c,
            slowdown_c=gpu.slowdown_c,
            shutdown_c=gpu.shutdown_c,
        )
    except ValueError as error:
        raise CatalogError(gpu.id, 0, "", str(error)) from None


def on_cold_plate(gpu: GpuPart) -> PartThermal:
    """Return the thermal chain of a GPU under a cold plate.

    Raises
    ------
    UncooledNode
        When the catalogue has no cold plate for it.
    """
    resistance, flow = gpu.r_plate_coolant_k_w, gpu.coolant_flow_m3_j
    plate, coolant = gpu.plate_heat_capacity_j_k, gpu.coolant_heat_capacity_j_k
    if resistance is None or flow is None or plate is None or coolant is None:
        raise UncooledNode(f"{gpu.id} has no cold plate in the catalogue; give its rows an air loop")
    return liquid_part(
        _package(gpu),
        r_plate_coolant_k_w=resistance,
        coolant_flow_m3_j=flow,
        plate_j_k=plate,
        coolant_j_k=coolant,
    )


def in_air(gpu: GpuPart, node: NodePart) -> PartThermal:
    """Return the thermal chain of a GPU under a heat sink in the air of `node`.

    Raises
    ------
    UncooledNode
        When the catalogue has no heat sink for it, or the node blows too little air.
    """
    if gpu.r_ja_k_w is None or gpu.sink_heat_capacity_j_k is None:
        raise UncooledNode(f"{gpu.id} of {node.id} is sold for liquid only; give its rows a liquid loop")
    try:
        return air_part(
            _package(gpu),
            r_ja_k_w=gpu.r_ja_k_w,
            airflow_m3_s=node.airflow_m3_s / node.n_gpu,
            heat_sink_j_k=gpu.sink_heat_capacity_j_k,
        )
    except ValueError as error:
        raise UncooledNode(f"{node.id}: {error}") from None


def _package(gpu: GpuPart) -> Package:
    return Package(
        name=gpu.id,
        tdp_w=gpu.tdp_w,
        hbm_share=gpu.hbm_power_fraction,
        r_die_plate_k_w=gpu.r_die_plate_k_w,
        r_hbm_plate_k_w=gpu.r_hbm_plate_k_w,
        g_ambient_w_k=gpu.g_ambient_w_k,
        die_j_k=gpu.die_heat_capacity_j_k,
        hbm_j_k=gpu.hbm_heat_capacity_j_k,
    )


@dataclass(frozen=True)
class Rejection:
    """How a facility plant gets rid of its heat.

    Parameters
    ----------
    fan_share
        Fan power over the heat that goes to the sky.
    water_m3_j
        Water evaporated and blown down per heat that goes to the sky [m3/J].
    """

    fan_share: float
    water_m3_j: float


@dataclass(frozen=True)
class Compressor:
    """How a chiller lifts the heat, when the sky does not take it by itself.

    Parameters
    ----------
    carnot_share
        Its COP over that of Carnot between its evaporator and condenser, as at its rating.
    evaporator_k, condenser_k
        Evaporator below the supply, condenser above the outdoor temperature [K].
    wet
        Whether the condenser hangs on a tower: that outdoor temperature is the wet bulb.
    tower_approach_k
        Water of a tower over the wet bulb: what is cold enough by itself needs no lift [K].
    """

    carnot_share: float
    evaporator_k: float
    condenser_k: float
    wet: bool
    tower_approach_k: float


def rejection_of(catalog: Catalog, kind: str, part: str) -> tuple[Rejection, Compressor | None]:
    """Return what a facility plant of a kind does; `part` is empty for the usual one.

    A chiller rejects its condenser heat through the usual tower or dry cooler.

    Raises
    ------
    twin.catalog.UnknownPart
        When the catalogue has no such part of that kind.
    """
    part = part or USUAL_PART[kind]
    if kind == "dry-cooler":
        return Rejection(catalog.dry_cooler(part).fan_fraction, 0.0), None
    tower = catalog.cooling_tower(part if kind == "cooling-tower" else USUAL_PART["cooling-tower"])
    by_tower = Rejection(tower.fan_fraction, tower.water_m3_j)
    if kind == "cooling-tower":
        return by_tower, None
    chiller = catalog.chiller(part)
    evaporator_k = chiller.rated_supply_c - chiller.evaporator_approach_k + ZERO_CELSIUS_K
    lift_k = chiller.rated_outdoor_c + chiller.condenser_approach_k + ZERO_CELSIUS_K - evaporator_k
    compressor = Compressor(
        carnot_share=chiller.cop * lift_k / evaporator_k,
        evaporator_k=chiller.evaporator_approach_k,
        condenser_k=chiller.condenser_approach_k,
        wet=chiller.condenser == "water",
        tower_approach_k=tower.approach_k,
    )
    dry = Rejection(catalog.dry_cooler(USUAL_PART["dry-cooler"]).fan_fraction, 0.0)
    return (by_tower if compressor.wet else dry), compressor
