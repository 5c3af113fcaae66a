"""How fans, tank pumps and rooms act on the network, and what people see of it all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats
from twin.catalog import Catalog
from twin.physics.hydraulics import AIR_CP_J_KG_K, AIR_DENSITY_KG_M3, DOOR_WITHOUT_FANS, coil_share
from twin.physics.mixing_valve import MixingValve
from twin.physics.thermal_inputs import FlowRamp, healthy_plant
from twin.physics.thermal_network import ThermalNetwork
from twin.physics.thermal_paths import PlantState, exchanger_w_k
from twin.plant.tables import LoopKind, Plant


class Draw(NamedTuple):
    """What the cooling machines take at one moment: power [W] and water [L/s]; share of heat free of compressors."""

    power_w: float
    water_l_s: float
    free: float = 1.0


@dataclass(frozen=True)
class CoolingState:
    """What people see of loops (L,) and plants (P,) that changes with events and looks only; free is a share."""

    loop_power_w: Floats
    loop_pumps: NDArray[np.intp]
    plant_heat_w: Floats
    plant_power_w: Floats
    plant_water_l_s: Floats
    plant_units: NDArray[np.intp]
    plant_free: Floats


@dataclass(frozen=True)
class Moving:
    """What people see of loops (L,) and plants (P,) that moves at any time: shares of design and of opening.

    `loop_flow` is what pumps or fans of a loop move, `heat_flow` what carries the heat of its nodes: the same of cold
    plates; elsewhere nodes move their own air or fluid.
    """

    loop_flow: Floats
    heat_flow: Floats
    loop_valve: Floats
    plant_flow: Floats


def set_points_c(plant: Plant, catalog: Catalog) -> Floats:
    """Return the supply wanted in each loop, shape (L,) [C]; vapour condenses as its fluid wants it."""
    loops = plant.loops
    wanted = loops.supply_c.astype(float).copy()
    for loop in np.flatnonzero(loops.kind == LoopKind.IMMERSION).tolist():
        boil_c = catalog.tank(loops.part[loop]).boil_c
        wanted[loop] = wanted[loop] if boil_c is None else boil_c
    return wanted


def room_set_points_c(plant: Plant, room_w_k: Floats, halls: int) -> Floats:
    """Return what handlers that cool no GPUs hold the air of each hall at, by their air, shape (H,) [C]; inf: none."""
    loops = plant.loops
    held_w_k = np.where(loops.valve, room_w_k, 0.0)
    air_w_k = np.bincount(loops.hall, held_w_k, minlength=halls)
    sum_w = np.bincount(loops.hall, held_w_k * loops.supply_c, minlength=halls)
    result: Floats = np.where(air_w_k > 0, sum_w / np.maximum(air_w_k, 1e-9), np.inf)
    return result


def coil_shares(network: ThermalNetwork, plant: Plant, moved: Floats, asked: Floats) -> Floats:
    """Return what fans, tank pumps and recirculation leave of each exchanger, shape (L,) [-].

    `moved` is what fans or pumps move of what is `asked` of them, which is over design; a door lets the nodes' air
    through without its own fans.
    """
    loops, healthy = plant.loops, healthy_plant(network)
    least = np.where(loops.kind == LoopKind.REAR_DOOR, DOOR_WITHOUT_FANS, 0.0)
    full = np.maximum(exchanger_w_k(network, asked, healthy), 1e-12)
    left = exchanger_w_k(network, np.maximum(moved, least) * asked, healthy) / full
    left = np.where(moved == 1.0, 1.0, left)
    left = left * coil_share(full / np.maximum(asked * network.loop_flow_w_k, 1e-9), loops.recirculation)
    result: Floats = np.where(loops.kind == LoopKind.LIQUID, 1.0, left)
    return result


def room_units(network: ThermalNetwork, plant: Plant, moved: Floats) -> Floats:
    """Return what still runs of the air handlers of each hall, shape (H,) [-]; 1 in a hall without any."""
    hall, halls, loops = network.shape.loop_hall, network.shape.n_halls, plant.loops
    units = np.where(loops.kind == LoopKind.AIR, np.maximum(loops.units, 1), 0).astype(float)
    installed = np.bincount(hall, units, minlength=halls)
    on = np.bincount(hall, units * moved, minlength=halls)
    result: Floats = np.where(installed > 0, on / np.maximum(installed, 1.0), 1.0)
    return result


def valves(
    network: ThermalNetwork,
    plant: Plant,
    flow: FlowRamp,
    state: PlantState,
    opening: Floats,
    room_air_w_k: Floats,
    set_c: Floats,
    room_set_c: Floats,
) -> MixingValve:
    """Return what the valves of loops and rooms work with once flows have settled.

    Parameters
    ----------
    opening
        Of valves that stick, shape (L,) [-]; nan: they work.
    room_air_w_k
        As of the function of that name.
    set_c, room_set_c
        Supply wanted in each loop and air wanted in each hall [C].
    """
    shape, target = network.shape, flow.target[: network.shape.n_loops]
    flow_w_k = target * network.loop_flow_w_k
    exchanger = exchanger_w_k(network, target, state)
    works = plant.loops.valve & np.isnan(opening) & (flow_w_k > 0) & (exchanger > 0)
    room = state.crah * network.coefficients.crah_w_k * state.plant_flow[shape.hall_plant]
    # Handlers in a room breathe its air: what they blow is as warm as that, whatever heat they take.
    blown = np.full(shape.n_halls, np.inf)
    sticks = np.bincount(shape.loop_hall, ~np.isnan(opening) & (room_air_w_k > 0), shape.n_halls)
    held = np.isfinite(room_set_c) & (room > 0) & (sticks == 0)
    return MixingValve(
        np.concatenate([exchanger, room]),
        np.concatenate([flow_w_k, blown]),
        np.concatenate([set_c, room_set_c]),
        np.concatenate([works, held]).astype(float),
    )


def room_air_w_k(network: ThermalNetwork, plant: Plant, catalog: Catalog) -> Floats:
    """Return the heat capacity flow of handlers that cool no GPUs at design flow, shape (L,) [W/K]; 0: another loop.

    They stand in the air of the room: what they blow is that warm, what comes back is warmer by the heat they take.
    """
    loops = plant.loops
    flow_m3_s = np.zeros(len(loops.ids))
    for loop in np.flatnonzero((loops.kind == LoopKind.AIR) & (network.loop_flow_w_k <= 0)).tolist():
        own_m3_s = max(1, int(loops.units[loop])) * catalog.crah(loops.part[loop]).airflow_m3_s
        given_m3_s = float(loops.flow_m3_s[loop])
        flow_m3_s[loop] = given_m3_s if given_m3_s > 0 else own_m3_s
    return flow_m3_s * AIR_DENSITY_KG_M3 * AIR_CP_J_KG_K
