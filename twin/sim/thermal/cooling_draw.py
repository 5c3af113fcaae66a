"""What the pumps and fans of the loops draw at design flow, and where their heat goes."""

from __future__ import annotations

import numpy as np

from twin.arrays import Floats
from twin.catalog import Catalog
from twin.physics.air_side import fan_power_w
from twin.physics.hydraulics import M3_S_PER_LPM, WATER_W_K_PER_LPM, pump_power_w
from twin.plant.error import PlantError
from twin.plant.tables import LoopKind, Plant

PUMP_HEAT_TO_LOOP = 0.8
"""Share of a CDU's power that warms its coolant; motors and controls warm the room [est]."""

WATER_J_K_M3 = WATER_W_K_PER_LPM / M3_S_PER_LPM
FACILITY_HEAD_PA, FACILITY_PUMP_EFFICIENCY = 1.5e5, 0.65
"""Pressure that facility pumps work against, and their efficiency with motor and drive [est, PHYSICS 4: 0.5-0.65]."""


class SplitHall(PlantError):
    """Loops of one hall hang on several facility loops; the message says which."""


def design_power_w(plant: Plant, catalog: Catalog) -> Floats:
    """Return the power of the pumps or fans of each loop at its design flow [W].

    Racks hang in parallel on a CDU, each with its own pressure: a large CDU with few of them draws in proportion to
    its flow. An air handler that is larger than its loop turns slower, with the cube of the speed.

    Raises
    ------
    PlantError
        When a machine gives its heat to the room: no loop carries it on.
    """
    loops = plant.loops
    doors = np.bincount(plant.machines.loop, minlength=len(loops.ids))
    power_w = np.zeros(len(loops.ids))
    for loop, (part, kind) in enumerate(zip(loops.part, loops.kind.tolist(), strict=True)):
        units, flow_m3_s = max(1, int(loops.units[loop])), float(loops.flow_m3_s[loop])
        if kind == LoopKind.AIR:
            crah = catalog.crah(part)
            share = min(1.0, flow_m3_s / (units * crah.airflow_m3_s)) if flow_m3_s > 0 else 1.0
            power_w[loop] = units * float(fan_power_w(crah.fan_w, share))
        elif kind == LoopKind.REAR_DOOR:
            power_w[loop] = max(1, int(doors[loop])) * catalog.rdhx(part).fan_w
        elif kind == LoopKind.IMMERSION:
            tank = catalog.tank(part)
            _refuse_room_air(loops.ids[loop], part, tank.rejects_to)
            power_w[loop] = units * tank.power_w
        else:
            cdu = catalog.cdu(part)
            _refuse_room_air(loops.ids[loop], part, cdu.rejects_to)
            whole = cdu.flow_m3_s is None or flow_m3_s <= 0
            share = 1.0 if whole else min(1.0, flow_m3_s / (units * float(cdu.flow_m3_s or 1.0)))
            power_w[loop] = units * cdu.power_w * share
    return power_w


def water_power_w(plant: Plant, flow_w_k: Floats) -> Floats:
    """Return the power of the facility pumps of each plant at design flow [W]: as the scene says, or for its flow."""
    plants = plant.plants
    flow = np.zeros(len(plants.ids))
    count = min(len(flow), len(flow_w_k))
    flow[:count] = flow_w_k[:count] / WATER_J_K_M3
    usual_w = pump_power_w(flow, FACILITY_HEAD_PA, FACILITY_PUMP_EFFICIENCY)
    result: Floats = np.where(np.isnan(plants.pump_w), usual_w, plants.pump_w)
    return result


def loop_heat_share(plant: Plant, loop_flow_w_k: Floats) -> Floats:
    """Return the share of pump and fan power of each loop that warms what it moves; the rest warms the hall."""
    kind = plant.loops.kind
    pumped = (kind == LoopKind.LIQUID) | (kind == LoopKind.IMMERSION)
    share = np.where(pumped, PUMP_HEAT_TO_LOOP, 1.0)
    result: Floats = np.where(loop_flow_w_k > 0, share, 0.0)
    return result


def refuse_split_halls(plant: Plant) -> None:
    """Refuse a hall whose loops hang on several facility loops: heat of its air would not know where to go.

    Raises
    ------
    SplitHall
        Naming the hall and the facility loops.
    """
    loops, racks = plant.loops, plant.racks
    serves = np.isin(np.arange(len(loops.ids)), np.concatenate([racks.loop, racks.air_loop]))
    for hall, name in enumerate(plant.halls.ids):
        water = sorted({plant.plants.ids[p] for p in loops.plant[serves & (loops.hall == hall)].tolist()})
        if len(water) > 1:
            raise SplitHall(
                f"hall {name!r}: its loops use facility loops {' and '.join(water)}; a hall has one, "
                "so give all its loops the same plant"
            )


def _refuse_room_air(loop: str, part: str, rejects_to: str) -> None:
    if rejects_to == "room air":
        raise PlantError(
            f"loop {loop!r}: {part} rejects its heat to the room air, which no loop cools; "
            "use a CDU on facility water, or an air loop"
        )
