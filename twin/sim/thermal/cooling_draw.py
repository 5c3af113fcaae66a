"""What the pumps and fans of the loops draw at the flow that is asked of them, and where their heat goes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.arrays import Floats
from twin.catalog import Catalog
from twin.catalog.cooling_parts import DrivenPart
from twin.physics.flow_laws import HELD_PUMPS, ROOM_FANS, FlowLaw
from twin.physics.hydraulics import M3_S_PER_LPM, WATER_W_K_PER_LPM, pump_power_w
from twin.plant.cooling import law_of
from twin.plant.error import PlantError
from twin.plant.tables import LoopKind, Plant

PUMP_HEAT_TO_LOOP = 0.8
"""Share of a CDU's power that warms its coolant; motors and controls warm the room [est]."""

WATER_J_K_M3 = WATER_W_K_PER_LPM / M3_S_PER_LPM
FACILITY_HEAD_PA, FACILITY_PUMP_EFFICIENCY = 1.5e5, 0.65
"""Pressure that facility pumps work against, and their efficiency with motor and drive [est, PHYSICS 4: 0.5-0.65]."""


class SplitHall(PlantError):
    """Loops of one hall hang on several facility loops; the message says which."""


@dataclass(frozen=True)
class LoopDrives:
    """Pumps or fans of every loop, shapes (L,).

    Parameters
    ----------
    rated_w
        Power of all of a loop at their rated flow [W].
    flow
        Design flow of the loop over their rated flow [-].
    law
        Power over flow.
    """

    rated_w: Floats
    flow: Floats
    law: FlowLaw

    def power_w(self, turning: Floats, speed: Floats) -> Floats:
        """Return what they draw, shape (L,) [W].

        Parameters
        ----------
        turning, speed
            Share of the pumps or fans that turn, and their speed over that of all of them at design flow [-].
        """
        return self.rated_w * turning * self.law.power_share(self.flow * speed)


def loop_drives(plant: Plant, catalog: Catalog) -> LoopDrives:
    """Return the pumps or fans of every loop.

    Racks hang in parallel on a CDU, whose pumps hold the difference of pressure; air handlers larger than their loop
    turn slower.

    Raises
    ------
    PlantError
        When a machine gives its heat to the room: no loop carries it on.
    """
    loops = plant.loops
    doors = np.bincount(plant.machines.loop, minlength=len(loops.ids))
    rated_w, flow = np.zeros(len(loops.ids)), np.ones(len(loops.ids))
    laws: list[FlowLaw] = []
    for loop, (name, kind) in enumerate(zip(loops.part, loops.kind.tolist(), strict=True)):
        units, flow_m3_s, rated_m3_s = max(1, int(loops.units[loop])), float(loops.flow_m3_s[loop]), 0.0
        part: DrivenPart
        if kind == LoopKind.AIR:
            part = crah = catalog.crah(name)
            each_w, rated_m3_s = crah.fan_w, crah.airflow_m3_s
        elif kind == LoopKind.REAR_DOOR:
            part = door = catalog.rdhx(name)
            each_w, units = door.fan_w, max(1, int(doors[loop]))
        elif kind == LoopKind.IMMERSION:
            part = tank = catalog.tank(name)
            each_w = tank.power_w
            _refuse_room_air(loops.ids[loop], name, tank.rejects_to)
        else:
            part = cdu = catalog.cdu(name)
            each_w, rated_m3_s = cdu.power_w, cdu.flow_m3_s or 0.0
            _refuse_room_air(loops.ids[loop], name, cdu.rejects_to)
        rated_w[loop] = units * each_w
        if rated_m3_s > 0 and flow_m3_s > 0:
            flow[loop] = min(1.0, flow_m3_s / (units * rated_m3_s))
        laws.append(law_of(part, ROOM_FANS if LoopKind(kind).by_air else HELD_PUMPS))
    least, standing, held = (
        np.array([getattr(law, figure) for law in laws], float) for figure in ("least", "standing", "held")
    )
    return LoopDrives(rated_w, flow, FlowLaw(least, standing, held))


def design_power_w(plant: Plant, catalog: Catalog) -> Floats:
    """Return the power of the pumps or fans of each loop at its design flow [W]."""
    every = np.ones(len(plant.loops.ids))
    return loop_drives(plant, catalog).power_w(every, every)


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
