"""Machines that move heat: pumps, fans, valves, and what rejects it; their faults, and what all of it draws."""

from __future__ import annotations

import math

import numpy as np

from twin.arrays import Bools, Floats
from twin.catalog import Catalog
from twin.physics.hydraulics import inlet_over_supply_k
from twin.physics.mixing_valve import MixingValve
from twin.physics.thermal_inputs import FlowRamp
from twin.physics.thermal_network import ThermalNetwork, ThermalState
from twin.physics.thermal_paths import PlantState
from twin.plant.tables import LoopKind, Plant
from twin.sim.core.log import Log
from twin.sim.core.slot_fields import Column, Stretch
from twin.sim.core.state import Child, Derived, Fields, Row, StateField, Stateful
from twin.sim.core.timers import Timers
from twin.sim.core.weather import Weather
from twin.sim.thermal.asked_flow import WATER, AskedFlow, Wants
from twin.sim.thermal.cooling_draw import loop_drives, loop_heat_share, refuse_split_halls, water_power_w
from twin.sim.thermal.cooling_flow import LoopMovers, PlantMovers, next_stage_s, staged
from twin.sim.thermal.cooling_rejection import Rejection
from twin.sim.thermal.cooling_wiring import (
    CoolingState,
    Draw,
    Moving,
    coil_shares,
    room_air_w_k,
    room_set_points_c,
    room_units,
    set_points_c,
    valves,
)
from twin.sim.thermal.part_models import flow_share, room_heat_w

LOOK_S = 2.0
"""Water moves little within less [s]."""
CLOSE_K = 0.2
"""Facility water this near to what its plant holds is taken as held: valves do not follow its every move."""
WATER_S = 60.0
"""Facility water comes to what its plant holds within about this time: valves of longer steps go by that [s] [est].

Water whose heat nothing takes away comes to nothing: valves go by what it is.
"""
ADRIFT_S = 0.5
"""Valves follow water whose heat nothing takes away in steps of this, until it is too warm to need mixing [s]."""
KNOWN_AIR = 32
"""Flows of air whose exchangers and valves are kept: fans come back to the same few stages again and again."""
FIT_FLOW = 0.5
"""Flow that nodes shut off by heat need before they may come back [-] [est]."""


def _loops(cooling: CoolingSystem) -> slice:
    return slice(cooling.network.shape.n_loops)


def _halls(cooling: CoolingSystem) -> slice:
    return slice(cooling.network.shape.n_loops, None)


class CoolingSystem(Stateful):
    """Flows, valves and heat rejection as they are asked for, in the weather of the moment.

    Attributes
    ----------
    pumps, water
        Pumps or fans of all loops, and pumps of all plants.
    flow
        Coolant through the cold plates of each loop.
    plant_state
        Exchangers, room units, facility flows and heat rejection.
    bypass_w
        Heat that the valves keep in the supply of each loop and the air of each hall [W], shape (L + H,).
    room_air_w_k
        Heat capacity flow of air handlers that cool no GPUs at design flow, shape (L,) [W/K]; 0: another loop.
    handed_w
        The bypass that the network works with, as it was handed out last [W], shape (L + H,).
    drives
        Flow of each loop at design, over that of the machines on it, shape (L,).
    holds_rooms
        Whether valves hold the air of some hall, so that the heat into halls counts.
    longest_s
        Longest step in which the valves follow what they regulate by [s].
    changed
        Flows or plant state have changed, perhaps at a timer of their own; the engine reads and clears it.
    """

    def __init__(
        self,
        timers: Timers,
        plant: Plant,
        catalog: Catalog,
        network: ThermalNetwork,
        weather: Weather,
        log: Log,
        static_w: Floats,
    ) -> None:
        self.timers, self.plant, self.network, self.weather = timers, plant, network, weather
        loops, plants, shape = plant.loops, plant.plants, network.shape
        self._kind = np.asarray(loops.kind)
        self._plates = self._kind == LoopKind.LIQUID
        self._base = flow_share(network, plant)
        self.drives = np.where(self._plates, self._base, 1.0)
        self.pumps = LoopMovers(loops.pumps, loops.coast_s, loops.recover_s)
        if len(self.drives):
            self.pumps.ramp = FlowRamp.steady(self.drives)
        self.water = PlantMovers(plants.pumps, plants.coast_s, np.full(len(plants.ids), np.inf))
        self.rejection = Rejection(timers, plant, catalog, network, weather, log, len(loops.ids))
        refuse_split_halls(plant)
        self._drives = loop_drives(plant, catalog)
        self._water_design_w = water_power_w(plant, network.coefficients.plant_flow_w_k)
        self._to_loop = loop_heat_share(plant, network.loop_flow_w_k)
        self.room_air_w_k = room_air_w_k(network, plant, catalog)
        self._opening = np.full(shape.n_loops, np.nan)  # of valves that stick; nan: they work
        self._set_c = set_points_c(plant, catalog)
        self._room_set_c = room_set_points_c(plant, self.room_air_w_k, shape.n_halls)
        over_k = self._room_set_c - np.array(self.rejection.held_c)[shape.hall_plant]
        room_w = room_heat_w(network, plant, catalog, static_w)
        in_rooms = self.room_air_w_k > 0
        self.asked = AskedFlow(plant, catalog, network, self._drives.law, in_rooms, room_w, over_k)
        self.holds_rooms = bool(np.isfinite(self._room_set_c).any())
        self._valve_plant = np.concatenate([shape.loop_plant, shape.hall_plant])
        # What comes back to the coil of each loop and to the room units of each hall: place in `ThermalState.upper`.
        loop, hall = np.arange(shape.n_loops), np.arange(shape.n_halls)
        self._returns_at = np.concatenate([loop, 2 * shape.n_loops + hall])
        in_room = self.holds_rooms & (self.room_air_w_k > 0)
        self._valve_at = np.where(in_room, shape.n_loops + shape.loop_hall, loop)  # that is seen of each loop
        self._recirculates = bool(loops.recirculation.any())
        self._into_w = np.zeros(shape.n_loops + shape.n_halls)
        self.bypass_w = self.handed_w = np.zeros(shape.n_loops + shape.n_halls)
        self.longest_s, self._facility_c = math.inf, np.array(self.rejection.held_c)
        self._looked_s, self._pace_s, self._water_power_w = timers.now_s, 0.0, np.zeros(0)
        timers.handle("cooling", self._due)
        self._moved, self._water = np.ones(shape.n_loops), np.ones(shape.n_plants)
        self._follow()
        self.changed = False

    # --- faults and repairs

    def set_pumps_down(self, t_s: float, loop: int, down: int) -> None:
        """Stop `down` of the pumps, or fans, of `loop` at `t_s`; 0: all run."""
        if self.pumps.lose(loop, down):
            self.timers.set("cooling", loop, t_s + self.pumps.recovery(loop)[0])
        else:
            self.timers.cancel("cooling", loop)
        self.move_loop(t_s, loop)

    def set_plant_pumps_down(self, t_s: float, plant: int, down: int) -> None:
        """Stop `down` of the facility pumps of `plant` at `t_s`; 0: all run."""
        self.water.lose(plant, down)
        self._move_water(t_s, plant)

    def set_fans_down(self, t_s: float, kind: str, slot: int, down: int) -> None:
        """Stop `down` of the fans of an air loop ("loop"), or of towers, coolers or condensers ("plant").

        Raises
        ------
        ValueError
            When the loop has no fans.
        """
        if kind == "plant":
            self.rejection.set_fans_down(slot, down)
            self._follow()
        elif LoopKind(int(self._kind[slot])).by_air:
            self.set_pumps_down(t_s, slot, down)
        else:
            raise ValueError(f"{self.plant.loops.ids[slot]} has pumps and no fans; use pump_stop")

    def set_units_down(self, t_s: float, plant: int, down: int) -> None:
        """Take `down` of the chillers, towers or coolers of `plant` off; those that come back start again."""
        self.rejection.set_units_down(t_s, plant, down)
        self._follow()

    def set_rejecting(self, plant: int, share: float) -> None:
        """Let `plant` give only `share` of its heat to the sky."""
        self.rejection.set_share(plant, share)
        self._follow()

    def set_valve(self, loop: int, opening: float | None) -> None:
        """Let the valve of `loop` stick at an opening, or work again with None."""
        self._opening[loop] = np.nan if opening is None else opening
        self._follow()

    def set_shut(self, t_s: float, loop: int, shut: bool) -> None:
        """Stop `loop` for a leak, or let it flow again."""
        self.pumps.shut[loop] = shut
        self.move_loop(t_s, loop)

    def set_branches(self, t_s: float, loop: int, shut: int, of: int) -> None:
        """Note that valves isolate `shut` of the `of` racks on a coolant loop: the others get a little more."""
        self.pumps.shut_branches(loop, shut, of)
        self.move_loop(t_s, loop)

    def power(self, t_s: float, loop_live: Bools, plant_live: Bools) -> None:
        """Take note of which loops (L,) and plants (P,) have power: pumps coast, chillers must start again."""
        for loop in np.flatnonzero(self.pumps.live != loop_live).tolist():
            self.pumps.live[loop] = loop_live[loop]
            self.move_loop(t_s, loop)
        for plant in np.flatnonzero(self.water.live != plant_live).tolist():
            self.water.live[plant] = plant_live[plant]
            self.rejection.power(t_s, plant, bool(plant_live[plant]))
            self._move_water(t_s, plant)

    def fit(self, loop: int) -> bool:
        """Return whether nodes on `loop` may come back: coolant, facility water and sky take their heat again."""
        plant = int(self.network.shape.loop_plant[loop])
        flowing = self.pumps.share(loop) >= FIT_FLOW and self.water.share(plant) >= FIT_FLOW
        opened = not self._opening[loop] <= 0  # nan: the valve works
        return bool(flowing and opened and self.plant_state.rejection[plant] >= 1.0)

    def renew(self, t_s: float, loop: int) -> None:
        """Let the flow of `loop` go where its design has it now: other machines hang on it."""
        self.move_loop(t_s, loop)

    def rewire(self, network: ThermalNetwork) -> None:
        """Take another network of the same loops and plants: parts have changed."""
        self.network = network
        self._wire()

    # --- timers, by id: drives of a loop have sped up, machines of a plant have started, stages of a ramp

    def _water_id(self, plant: int) -> int:
        return len(self.plant.loops.ids) + len(self.plant.plants.ids) + plant

    def _coil_id(self, loop: int) -> int:
        return len(self.plant.loops.ids) + 2 * len(self.plant.plants.ids) + loop

    def _due(self, id: int) -> None:
        loops, plants, now = len(self.plant.loops.ids), len(self.plant.plants.ids), self.timers.now_s
        if id < loops:
            self.pumps.recovered[id] = True
            self.move_loop(now, id, self.pumps.recovery(id)[1])
        elif id < loops + plants:
            self.rejection.started(id - loops)
            self._follow()
        elif id < loops + 2 * plants:
            self._stage(self.water.ramp, id - loops - plants, id)
        else:
            self._stage(self.pumps.ramp, id - loops - 2 * plants, id)

    def _stage(self, ramp: FlowRamp, slot: int, id: int) -> None:
        due_s = next_stage_s(ramp, self.timers.now_s, slot)
        if due_s is None:
            self.timers.cancel("cooling", id)
        else:
            self.timers.set("cooling", id, due_s)
        now, count = self.timers.now_s, min(len(self.plant.plants.ids), len(self._water))
        self._moved = staged(self.pumps.ramp, now)[: len(self._moved)]
        self._water = np.append(staged(self.water.ramp, now)[:count], self._water[count:])
        self._follow()

    def move_loop(self, t_s: float, loop: int, tau_s: float | None = None) -> None:
        """Let the flow of `loop` go where its pumps, valves and filter take it; `tau_s` [s] is its time constant."""
        self.pumps.head_for(t_s, loop, float(self.drives[loop]), tau_s)
        if self._plates[loop]:
            self._follow()
        else:
            self._stage(self.pumps.ramp, loop, self._coil_id(loop))

    def _move_water(self, t_s: float, plant: int) -> None:
        self.water.head_for(t_s, plant)
        self._stage(self.water.ramp, plant, self._water_id(plant))

    # --- what the network takes

    def _follow(self) -> None:
        """Make flows and plant state again from what runs; the valves follow at the next look."""
        self.rejection.renew()
        self._wire()
        self._remix = self.changed = True

    def _wire(self) -> None:
        ramp, water = self.pumps.ramp, self._water
        self._known: dict[bytes, tuple[FlowRamp, PlantState, MixingValve]] = {}  # by air, the latest last
        self._drawn: dict[bytes, tuple[Floats, Floats, list[float], float]] = {}  # power, by what is asked
        self._turning, self._rejection = self.pumps.turning(), self.rejection.shares()
        self._opened = np.where(np.isnan(self._opening), 1.0, self._opening)
        self._water_list = (water * self.network.coefficients.plant_flow_w_k).tolist()
        self._pumps_settled_s, self._water_settled_s = ramp.settled_s(), self.water.ramp.settled_s()
        self._flow_shares = ramp.target[: len(self._plates)] / self.drives
        self._sticking = not np.isnan(self._opening).all()
        self._drive()
        self._carries = self.plant_state.held.tolist()

    def _drive(self) -> None:
        """Let fans and pumps move what is asked of them, as far as they run."""
        asked, designed, moved = self.asked, self._moved, np.minimum(self._moved / self.asked.loops, 1.0)
        blown = np.where(self.room_air_w_k > 0, np.minimum(designed, asked.loops) * self._opened, designed)
        air = asked.nodes, moved, blown
        key = b"".join(values.tobytes() for values in air)
        self._known[key] = known = self._known.pop(key, None) or self._wired(*air)
        self.flow, self.plant_state, self._valve = known
        if len(self._known) > KNOWN_AIR:
            del self._known[next(iter(self._known))]
        key = asked.loops.tobytes() + asked.water.tobytes()
        if key not in self._drawn:
            share, speed = self._turning.share, self._turning.speed_for(asked.loops[: len(self._plates)])
            loop_w = self._drives.power_w(share, speed)
            self._pump_heat(anew=not self._drawn)
            movers_w = float(loop_w.sum() + self._water_power_w.sum())
            drawn = loop_w, self._water_power_w, self.rejection.pump_w, movers_w
            self._drawn = dict([*self._drawn.items()][-KNOWN_AIR:]) | {key: drawn}
        self._loop_power_w, self._water_power_w, self.rejection.pump_w, self._movers_w = self._drawn[key]
        self._mix()

    def _wired(self, nodes: Floats, moved: Floats, blown: Floats) -> tuple[FlowRamp, PlantState, MixingValve]:
        """Return flows, plant state and valves of so much air through nodes, exchangers and rooms, over design (L,)."""
        network, plant, ramp, plates = self.network, self.plant, self.pumps.ramp, self._plates
        if not plates.all():  # elsewhere nodes move their own air or fluid
            start, target = (np.where(plates, flow, nodes) for flow in (ramp.start, ramp.target))
            ramp = FlowRamp(start, target, ramp.tau_s, ramp.since_s)
        coils, rooms = coil_shares(network, plant, moved, nodes), room_units(network, plant, blown)
        held = np.ones(len(self._water), bool)
        state = PlantState(coils * self._opened, rooms, self._water, self._rejection, held)
        set_c = self._set_c, self._room_set_c
        return ramp, state, valves(network, plant, ramp, state, self._opening, self.room_air_w_k, *set_c)

    def _pump_heat(self, *, anew: bool = True) -> None:
        """Work out the power of facility pumps, heat to the machines of their plant; `anew`: others may turn."""
        if anew:
            self._water_turning = self.water.turning()
        turning, asked = self._water_turning, self.asked.water[: len(self._water_design_w)]
        design_w = self._water_design_w * turning.share
        self._water_power_w = design_w * WATER.power_share(turning.speed_for(asked))
        plants, pump_w = len(self.rejection.heat_w), self._water_power_w.tolist()
        self.rejection.pump_w = (pump_w + [0.0] * plants)[:plants]

    def carry(self, into_w: Floats, wants: Wants) -> None:
        """Take note of the heat into each loop and the air of each hall, shape (L + H,) [W], whenever powers change."""
        self._into_w = into_w
        if self.asked.follow(into_w[: self.network.shape.n_loops], wants):
            self.rejection.renew()
            self._drive()
        else:
            self._mix()
        self._remix = True

    def _mix(self) -> None:
        """Work out which facility water each valve needs at the present heat."""
        self._mixed_c = self._valve.mixed_c(self._into_w)
        if self._recirculates:
            loops = self.network.shape.n_loops
            rise_k = self._into_w[:loops] / np.maximum(self._valve.flow_w_k[:loops], 1e-9)
            self._mixed_c[:loops] += inlet_over_supply_k(rise_k, self.plant.loops.recirculation)

    def look(self, state: ThermalState, *, settled: bool = False) -> None:
        """Take note of the heat each plant carries, and let its machines and the valves follow.

        `settled`: for a steady state, without what it takes time to come to.
        """
        now = self.timers.now_s
        if now - self._looked_s < LOOK_S and not (self._remix or settled):
            return
        if now > self._looked_s:
            self._pace_s, self._looked_s = now - self._looked_s, now
        upper, n_plants, valve_plant = state.upper, len(self._carries), self._valve_plant
        temperatures_c, carried_w = upper[-2 * n_plants :].tolist(), []
        # What the water carries, not what the sink takes: the sink is being chosen from it.
        for p, carries in enumerate(self._carries):
            carried = self._water_list[p] * (temperatures_c[p] - temperatures_c[n_plants + p])
            carried_w.append(carried if carries and carried > 0.0 else 0.0)
        rejection = self.rejection
        held = rejection.hold(carried_w, self._carries, settled=settled)
        behind, far = WATER_S / (WATER_S + self._pace_s), False
        facility_c = rejection.held_c.copy()
        for p, carries in enumerate(self._carries):
            apart_k = temperatures_c[n_plants + p] - facility_c[p]
            if abs(apart_k) > CLOSE_K:
                far = True
                facility_c[p] += (behind if carries else 1.0) * apart_k
        if not (held or far or self._remix):
            return
        self._facility_c = np.array(facility_c)
        returns_c = upper.take(self._returns_at)
        water_c = self._facility_c if n_plants == 1 else self._facility_c[valve_plant]
        self.bypass_w = self._valve.bypass_w(self._mixed_c, water_c, returns_c)
        # Once more where the water was far, or where a loop itself is colder than its valve wants it.
        self._remix = far or bool(np.count_nonzero(returns_c < self._mixed_c))
        adrift = not all(self._carries) and bool(self.bypass_w[~np.array(self._carries)[valve_plant]].any())
        self.longest_s = ADRIFT_S if adrift else math.inf

    def turn(self) -> bool:
        """Let machines work in the weather that begins now; return whether the network has to follow."""
        turned = self.rejection.turn(self._carries)
        self._remix |= turned
        return turned

    def astray(self, most_k: float) -> bool:
        """Return whether the bypass has left the one that was handed out by more than `most_k` of supply [K]."""
        if self.bypass_w is self.handed_w:
            return False
        off_w = np.abs(self.bypass_w - self.handed_w)
        return bool(np.count_nonzero(off_w > most_k * self._valve.exchanger_w_k))

    def mixed_w(self) -> Floats:
        """Hand out the bypass, shape (L + H,) [W]."""
        self.handed_w = self.bypass_w
        return self.handed_w

    def sink_c(self, t_s: float) -> Floats:
        """Return what each plant holds its water at, shape (P,) [C]."""
        return np.array(self.rejection.held_c)

    # --- what it draws

    def loop_power_w(self, t_s: float) -> Floats:
        """Return the power of the pumps and fans of each loop, shape (L,) [W]."""
        return self._loop_power_w

    def plant_power_w(self, t_s: float) -> Floats:
        """Return the power of compressors, fans and facility pumps of each plant, shape (P,) [W]."""
        power = self._water_power_w.copy()
        for p, work in enumerate(self.rejection.works()):
            power[p] += work.machine_w + work.fan_w
        return power

    def loop_heat_w(self, t_s: float) -> Floats:
        """Return the heat of pumps and fans into each loop, shape (L,) [W]."""
        return self._loop_power_w * self._to_loop

    def hall_heat_w(self, t_s: float) -> Floats:
        """Return the heat of pumps and fans into the air of each hall, shape (H,) [W]."""
        shape, rest_w = self.network.shape, self._loop_power_w * (1.0 - self._to_loop)
        return np.bincount(shape.loop_hall, rest_w, minlength=shape.n_halls).astype(float)

    def draw(self, t_s: float) -> Draw:
        """Return what all cooling machines take, at the heat last looked at."""
        power_w, water_l_s, heat_w, free_w = self._movers_w, 0.0, 0.0, 0.0
        for work, carried_w in zip(self.rejection.works(), self.rejection.heat_w, strict=False):
            power_w += work.machine_w + work.fan_w
            water_l_s += work.water_l_s
            heat_w, free_w = heat_w + carried_w, free_w + work.free * carried_w
        return Draw(power_w, water_l_s, free_w / heat_w if heat_w else 1.0)

    def settled(self, t_s: float) -> bool:
        """Return whether no flow is on its way."""
        return max(self._pumps_settled_s, self._water_settled_s) <= t_s

    def standing(self) -> CoolingState:
        """Return what people see and only events and looks change."""
        works, plants = self.rejection.works(), len(self.plant.plants.ids)
        heat_w, water_l_s, free = np.zeros((3, plants))
        on = np.zeros(plants, np.intp)
        power_w = self.plant_power_w(self.timers.now_s)
        for p, work in enumerate(works):
            heat_w[p], water_l_s[p] = self.rejection.heat_w[p], work.water_l_s
            free[p], on[p] = work.free, work.units_on
        return CoolingState(self._loop_power_w, self.pumps.running(), heat_w, power_w, water_l_s, on, free)

    def moving(self, t_s: float, state: ThermalState) -> Moving:
        """Return what people see and moves between events, at temperatures of now."""
        settled = t_s >= self._pumps_settled_s
        loop_flow = self._flow_shares if settled else self.pumps.ramp.at(t_s) / self.drives
        heat_flow = self.flow.target if settled else self.flow.at(t_s)
        plant_flow = self.water.ramp.target if t_s >= self._water_settled_s else self.water.ramp.at(t_s)
        facility_c = self._facility_c.take(self._valve_plant)
        opening = self._valve.opening(self.bypass_w, facility_c, state.upper.take(self._returns_at))
        valve = opening.take(self._valve_at)
        if self._sticking:
            valve = np.where(np.isnan(self._opening), valve, self._opening)
        loops, plants = len(valve), len(self.plant.plants.ids)
        return Moving(loop_flow[:loops], heat_flow[:loops], valve, plant_flow[:plants])

    def on_restored(self) -> None:
        """Make flows and plant state from what runs."""
        self._wire()
        self.changed = False

    def _take_adrift(self, adrift: bool) -> None:
        self.longest_s = ADRIFT_S if adrift else math.inf

    STATE = Fields(
        Child("pumps"),
        Child("asked"),
        Child("water", then=_pump_heat),  # machines must take that as well
        Child("rejection"),
        Column(
            "_opening",
            "loops",
            float,
            load=lambda saved: np.array([np.nan if share is None else share for share in saved], float),
            save=lambda shares: [None if np.isnan(share) else share for share in shares.tolist()],
        ),
        Row("stage", Column("_moved", "loops", float), Column("_water", "plants", float)),
        Stretch("_into_w", "loops", float, _loops, key="loop_w"),
        Stretch("_into_w", "halls", float, _halls, key="hall_w"),
        last=[
            Column("_facility_c", "plants", float),
            Row("bypass_w", *Stretch.each("bypass_w", "handed_w", table="loops", dtype=float, where=_loops)),
            Row("room_w", *Stretch.each("bypass_w", "handed_w", table="halls", dtype=float, where=_halls)),
            Row("looked", StateField("_remix", bool), StateField("_looked_s"), StateField("_pace_s")),
            Derived("adrift", lambda part: part.longest_s == ADRIFT_S, _take_adrift),
        ],
    )
