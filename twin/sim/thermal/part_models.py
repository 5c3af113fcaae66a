"""What the catalogue says of GPUs and cooling machines, as numbers the physics and the engine take."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from twin.arrays import Floats
from twin.catalog import Catalog, GpuPart, NodePart
from twin.catalog.cooling_parts import CduPart, RdhxPart, TankPart
from twin.physics.cooling_plant import exchanger_ua_w_k
from twin.physics.hydraulics import M3_S_PER_LPM, PG25_W_K_PER_LPM
from twin.physics.thermal_constants import (
    CRAH_APPROACH_K,
    FACILITY_FLOW_FACTOR,
    NODE_HEAT_FACTOR,
    PLANT_APPROACH_K,
    PLANT_J_K_PER_GPU,
    PLANT_MAX_FLOW_SHARE,
    ROOM_J_K_PER_GPU,
    STAGNANT_W_K,
    Package,
    PartThermal,
    air_part,
    liquid_part,
)
from twin.physics.thermal_network import ThermalNetwork
from twin.plant.tables import LoopKind, Plant
from twin.sim.thermal.cooling_draw import design_power_w, loop_heat_share

TANK_WATER_RISE_K = 6.0
"""Facility water through the coil of a tank at capacity [K] [est]."""
TANK_FLUID_J_K = 500.0
"""Fluid between the fins and boards about one GPU [J/K] [est]."""
ROOM_WATER_RISE_K = 6.0
"""Facility water through the coils of air handlers in halls without GPUs, at design [K] [est]."""
ROOM_W_PER_GPU = 1000.0
"""Heat of other gear that makes room and facility water as large as one GPU does [W] [est]."""
SAME_FLOW = 1e-6
"""Relative difference up to which a loop's flow is that of its parts."""


class UncooledNode(ValueError):
    """A node stands where nothing can cool it."""


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
        raise UncooledNode(
            f"{gpu.id} of {node.id} is sold for liquid cooling only; give its rows a liquid loop"
        )
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
        raise UncooledNode(f"{tank.id}: {gpu.id} cannot reach {tank.r_ja_k_w:g} K/W; its die alone has more")
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


def fit_network(
    network: ThermalNetwork, plant: Plant, catalog: Catalog, rack_static_w: Floats
) -> ThermalNetwork:
    """Return the network with what the design rules leave out: given flows, tanks, small machines, rooms without GPUs.

    A given flow enlarges exchanger and facility flow of its loop alike; the loop itself runs at that multiple of its
    parts' own flow (see `flow_share`). A tank brings its fluid, and an exchanger for its nodes, or for its capacity
    if that is less. Coils of CDUs and doors are as large as their capacity and approach say, and no larger than the
    design rule has them.

    Parameters
    ----------
    network
        As designed.
    plant, catalog
        What stands there.
    rack_static_w
        Switches and stores of each rack, shape (R,) [W].
    """
    c, shape, loops = network.coefficients, network.shape, plant.loops
    share = flow_share(network, plant)
    ua, facility = c.exchanger_ua_w_k * share, c.facility_flow_w_k * share
    half_j_k = c.loop_return_j_k.copy()
    rated_w = NODE_HEAT_FACTOR * network.installed @ network.part_table["tdp_w"]
    for loop in np.flatnonzero(loops.kind == LoopKind.IMMERSION).tolist():
        tank, units = catalog.tank(loops.part[loop]), max(1, int(loops.units[loop]))
        half_j_k[loop] = units * tank.heat_capacity_j_k / 2
        heat_w = float(rated_w[loop])
        able_w = min(heat_w, units * tank.capacity_w)
        ua[loop] = exchanger_ua_w_k(able_w, tank.approach_k, tank.rise_k, TANK_WATER_RISE_K)
        facility[loop] = heat_w / TANK_WATER_RISE_K
    ua = np.minimum(ua, machine_ua_w_k(plant, catalog, share * network.loop_flow_w_k))
    room_w = room_heat_w(network, plant, catalog, rack_static_w)
    per_gpu = room_w / ROOM_W_PER_GPU
    by_plant = np.bincount(shape.hall_plant, room_w, minlength=shape.n_plants)
    plant_j_k = np.maximum(c.plant_return_j_k, PLANT_J_K_PER_GPU * by_plant / ROOM_W_PER_GPU)
    flow = np.bincount(shape.loop_plant, facility, minlength=shape.n_plants).astype(float)
    flow = np.maximum(flow, by_plant / ROOM_WATER_RISE_K)
    wanted = np.bincount(shape.loop_plant, rated_w, minlength=shape.n_plants) / PLANT_APPROACH_K
    wanted = np.maximum(wanted, by_plant / PLANT_APPROACH_K)
    coefficients = replace(
        c,
        loop_return_j_k=half_j_k,
        loop_supply_j_k=half_j_k.copy(),
        exchanger_ua_w_k=ua,
        facility_flow_w_k=facility,
        hall_j_k=np.maximum(c.hall_j_k, ROOM_J_K_PER_GPU * per_gpu),
        crah_w_k=np.maximum(c.crah_w_k, room_w / CRAH_APPROACH_K),
        plant_return_j_k=plant_j_k,
        plant_supply_j_k=plant_j_k.copy(),
        plant_flow_w_k=flow,
        rejection_w_k=np.minimum(wanted, PLANT_MAX_FLOW_SHARE * flow),
    )
    return replace(network, coefficients=coefficients)


def machine_ua_w_k(plant: Plant, catalog: Catalog, flow_w_k: Floats) -> Floats:
    """Return the UA of the machines of each loop by their capacity and approach [W/K]; inf: the catalogue has none.

    A CDU is rated at its own flow, a rear door at the air that its nodes blow through it; facility water flows as
    the design rule has it.

    Parameters
    ----------
    flow_w_k
        Heat capacity flow of each loop at its design flow, shape (L,) [W/K].
    """
    loops = plant.loops
    doors = np.bincount(plant.machines.loop, minlength=len(loops.ids))
    ua_w_k = np.full(len(loops.ids), np.inf)
    for loop in np.flatnonzero(flow_w_k > 0).tolist():
        kind, part = loops.kind[loop], loops.part[loop]
        machine: CduPart | RdhxPart
        if kind == LoopKind.LIQUID:
            machine, count = catalog.cdu(part), max(1, int(loops.units[loop]))
            rated_w_k = count * (machine.flow_m3_s or 0.0) / M3_S_PER_LPM * PG25_W_K_PER_LPM
        elif kind == LoopKind.REAR_DOOR:
            machine, count = catalog.rdhx(part), max(1, int(doors[loop]))
            rated_w_k = float(flow_w_k[loop])
        else:
            continue
        if machine.approach_k is not None and rated_w_k > 0:
            heat_w = count * machine.capacity_w
            rise_k = heat_w / rated_w_k
            ua_w_k[loop] = exchanger_ua_w_k(heat_w, machine.approach_k, rise_k, rise_k / FACILITY_FLOW_FACTOR)
    return ua_w_k


def room_heat_w(network: ThermalNetwork, plant: Plant, catalog: Catalog, rack_static_w: Floats) -> Floats:
    """Return the heat into the air of each hall that no GPU brings, shape (H,) [W].

    Switches and stores of racks whose loop cools no GPUs, machines of such loops, and motors of the CDUs.
    """
    racks, halls = plant.racks, network.shape.n_halls
    loop = np.where(racks.loop >= 0, racks.loop, racks.air_loop)
    cooled = np.append(network.loop_flow_w_k > 0, False)[loop]
    static_w = np.where(cooled, 0.0, rack_static_w)
    machines_w = design_power_w(plant, catalog) * (1.0 - loop_heat_share(plant, network.loop_flow_w_k))
    room_w = np.bincount(racks.hall, static_w, minlength=halls)
    room_w = room_w + np.bincount(network.shape.loop_hall, machines_w, minlength=halls)
    return room_w.astype(float)


def flow_share(network: ThermalNetwork, plant: Plant) -> Floats:
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
