"""What the catalogue says of GPUs and cooling machines, as numbers the physics and the engine take."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from twin.catalog import Catalog, CatalogError, GpuPart, NodePart
from twin.catalog.cooling_parts import TankPart
from twin.physics.cooling_plant import exchanger_ua_w_k
from twin.physics.gpu_power import GpuPowerModel, gpu_power_model
from twin.physics.hydraulics import M3_S_PER_LPM, PG25_W_K_PER_LPM
from twin.physics.thermal_constants import (
    NODE_HEAT_FACTOR,
    PLANT_APPROACH_K,
    PLANT_MAX_FLOW_SHARE,
    STAGNANT_W_K,
    Package,
    PartThermal,
    air_part,
    liquid_part,
)
from twin.physics.thermal_network import Network
from twin.plant.tables import LoopKind, Plant

Floats = NDArray[np.float64]

GHZ = 1e9
TANK_WATER_RISE_K = 6.0
"""Facility water through the coil of a tank at capacity [K] [est]."""
TANK_FLUID_J_K = 500.0
"""Fluid between the fins and boards about one GPU [J/K] [est]."""
SAME_FLOW = 1e-6
"""Relative difference up to which a loop's flow is that of its parts."""


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


def in_tank(gpu: GpuPart, tank: TankPart) -> PartThermal:
    """Return the thermal chain of a GPU under a heat sink in the fluid of `tank`.

    The fluid rises through the node by itself: its flow does not hang on the pumps, which only bring the heat to the
    facility water.

    Raises
    ------
    UncooledNode
        When the catalogue has no heat sink for it, or the tank's resistance is below that of the bare die.
    """
    if gpu.sink_heat_capacity_j_k is None:
        raise UncooledNode(f"{gpu.id} has no heat sink in the catalogue; give its rows a liquid loop")
    package = _package(gpu)
    flow_w_k = NODE_HEAT_FACTOR * gpu.tdp_w / tank.rise_k
    convection_k_w = tank.r_ja_k_w - (1.0 - gpu.hbm_power_fraction) * gpu.r_die_plate_k_w - 1.0 / flow_w_k
    if convection_k_w <= 0.0:
        raise UncooledNode(f"{tank.id} cannot give {gpu.id} {tank.r_ja_k_w:g} K/W; its die alone has more")
    return PartThermal(
        name=package.name,
        tdp_w=package.tdp_w,
        flow_w_k=flow_w_k,
        g_die_plate_w_k=1.0 / package.r_die_plate_k_w,
        g_hbm_plate_w_k=1.0 / package.r_hbm_plate_k_w,
        g_convection_w_k=1.0 / convection_k_w - STAGNANT_W_K,
        g_ambient_w_k=0.0,
        die_j_k=package.die_j_k,
        hbm_j_k=package.hbm_j_k,
        plate_j_k=gpu.sink_heat_capacity_j_k,
        fluid_j_k=TANK_FLUID_J_K,
        hbm_share=package.hbm_share,
    )


def fit_network(network: Network, plant: Plant, catalog: Catalog) -> Network:
    """Return the network with the flows that the scene gives its coolant loops, and with its tanks.

    A given flow enlarges exchanger and facility flow of its loop alike; the loop itself runs at that multiple of its
    parts' own flow (see `flow_share`). A tank brings its fluid, and an exchanger for its capacity.
    """
    c, shape, loops = network.coefficients, network.shape, plant.loops
    share = flow_share(network, plant)
    tanks = np.flatnonzero(loops.kind == LoopKind.IMMERSION).tolist()
    if not tanks and (share == 1.0).all():
        return network
    ua, facility = c.exchanger_ua_w_k * share, c.facility_flow_w_k * share
    half_j_k = c.loop_return_j_k.copy()
    rated_w = NODE_HEAT_FACTOR * network.installed @ network.part_table["tdp_w"]
    for loop in tanks:
        tank, units = catalog.tank(loops.part[loop]), max(1, int(loops.units[loop]))
        half_j_k[loop] = units * tank.heat_capacity_j_k / 2
        heat_w = float(rated_w[loop])
        ua[loop] = exchanger_ua_w_k(heat_w, tank.approach_k, tank.rise_k, TANK_WATER_RISE_K)
        facility[loop] = heat_w / TANK_WATER_RISE_K
    plant_flow = np.bincount(shape.loop_plant, facility, minlength=shape.n_plants).astype(float)
    wanted = np.bincount(shape.loop_plant, rated_w, minlength=shape.n_plants) / PLANT_APPROACH_K
    coefficients = replace(
        c,
        loop_return_j_k=half_j_k,
        loop_supply_j_k=half_j_k.copy(),
        exchanger_ua_w_k=ua,
        facility_flow_w_k=facility,
        plant_flow_w_k=plant_flow,
        rejection_w_k=np.minimum(wanted, PLANT_MAX_FLOW_SHARE * plant_flow),
    )
    return replace(network, coefficients=coefficients)


def flow_share(network: Network, plant: Plant) -> Floats:
    """Return design flow of each loop over that of the parts on it [-]: 1 unless the scene says another.

    Coolant is PG25 in every loop: 67.2 W/K per lpm.
    """
    own_m3_s = network.loop_flow_w_k / PG25_W_K_PER_LPM * M3_S_PER_LPM
    liquid = (plant.loops.kind == LoopKind.LIQUID) & (own_m3_s > 0)
    share = np.where(liquid, plant.loops.flow_m3_s / np.where(liquid, own_m3_s, 1.0), 1.0)
    result: Floats = np.where(np.abs(share - 1.0) <= SAME_FLOW, 1.0, share)
    return result


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
