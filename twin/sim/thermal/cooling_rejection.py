"""Facility plants: which machines work, what water they can hold at the heat they carry, and what they draw."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from twin.arrays import Floats
from twin.catalog import Catalog
from twin.physics.thermal_network import ThermalNetwork
from twin.plant.tables import Plant
from twin.sim.core.log import Log
from twin.sim.core.slot_fields import Column
from twin.sim.core.state import Derived, Fields, Row, StateField, Stateful
from twin.sim.core.timers import LATE, Timers
from twin.sim.core.weather import Outdoor, Weather
from twin.sim.thermal.cooling_machines import PlantWork, machines_of, working_units

SETTLING_S = 120.0
"""Within this time water that the chillers cannot hold settles at its higher temperature [s] [est]."""
FREE_ON, FREE_OFF, FREE_EVERY_S = 0.999, 0.95, 3600.0
"""Share of the heat above which free cooling has begun, below which it has ended, and least time between the two."""
HEAT_DRIFT = 1e-3
"""Relative change of the heat that is worth recomputing the machines."""
NO_PLANT_C = 24.0
"""Facility supply of a site that names no plant [C]."""


class Rejection(Stateful):
    """Chillers, towers and coolers of all plants.

    Attributes
    ----------
    live
        Whether each plant has power.
    heat_w
        Heat that the water of each plant carries from loops and halls, at the latest look [W].
    pump_w
        Power of its pumps, which warms the water too [W].
    units
        Machines of each plant that can work now.
    held_c
        Supply that its machines hold at that heat [C].
    short
        Chillers of some plant are short of capacity, or were just now.
    turned
        Another spell of weather has begun: `turn` is to be called.
    """

    def __init__(
        self,
        timers: Timers,
        plant: Plant,
        catalog: Catalog,
        network: ThermalNetwork,
        weather: Weather,
        log: Log,
        first_id: int,
    ) -> None:
        self.timers, self.plants, self.weather, self.log = timers, plant.plants, weather, log
        self._first_id = first_id
        plants, n_plants = plant.plants, network.shape.n_plants
        flow_w_k = network.coefficients.plant_flow_w_k
        self.machines = [
            machines_of(
                catalog,
                plants.kind[p],
                plants.part[p],
                set_c=float(plants.supply_c[p]),
                flow_w_k=max(float(flow_w_k[p]), 1e-9),
                economiser=bool(plants.economiser[p]),
            )
            for p in range(min(len(plants.ids), n_plants))
        ]
        count = len(plants.ids)
        self.live = np.ones(count, bool)
        self._down, self._waiting, self._still = (np.zeros(count, np.intp) for _ in range(3))
        self._restart_s = np.nan_to_num(plants.restart_s)  # of plants that cool nothing as well
        for p, machines in enumerate(self.machines):
            if np.isnan(plants.restart_s[p]):
                self._restart_s[p] = machines.restart_s
        self._fault = np.ones(count)  # heat that a fault leaves to the sky
        self.heat_w = [0.0] * n_plants
        self.pump_w = [0.0] * n_plants
        self.held_c = [NO_PLANT_C] * n_plants
        for p, machines in enumerate(self.machines):
            self.held_c[p] = machines.set_c
        self._over_k = [0.0] * n_plants  # supply above the set point, for want of chillers
        self._goal_k = [0.0] * n_plants  # where that has been going since the latest look
        self._free_on = np.zeros(count, bool)
        self._free_since_s = np.full(count, -1e9)
        self._seen_s = timers.now_s
        self.short = False  # chillers are short of capacity, or were just now
        self._known: Outdoor | None = None  # weather and heat that the plants were last worked out for
        self._known_w = self.heat_w
        self._works: list[PlantWork] = []
        self._reach_c: list[float] = []  # water that the sky alone makes
        self._count()
        self.turned = False
        timers.handle("sky", self._turn)
        self._await_turn()

    # --- faults and power

    def set_units_down(self, t_s: float, plant: int, down: int) -> None:
        """Take `down` of the machines off; those that come back start again."""
        units = int(self.plants.units[plant])
        down = min(down, units)
        back = max(int(self._down[plant]) - down, 0) if self.live[plant] else 0  # else power starts them
        self._down[plant] = down
        self._waiting[plant] = min(int(self._waiting[plant]) + back, units - down)
        self._start(t_s, plant)

    def set_fans_down(self, plant: int, down: int) -> None:
        """Stop the fans of `down` towers, coolers or condensers."""
        self._still[plant] = min(down, int(self.plants.units[plant]))

    def set_share(self, plant: int, share: float) -> None:
        """Let a fault leave only `share` of its heat to the sky."""
        self._fault[plant] = share

    def power(self, t_s: float, plant: int, live: bool) -> None:
        """Take note that `plant` has power or has none: with it, its machines start again."""
        self.live[plant] = live
        self._waiting[plant] = int(self.plants.units[plant] - self._down[plant]) if live else 0
        self._start(t_s, plant)

    def _start(self, t_s: float, plant: int) -> None:
        self._known = None
        restart_s, id = float(self._restart_s[plant]), self._first_id + plant
        if restart_s <= 0:
            self._waiting[plant] = 0
        if self._waiting[plant]:
            self.timers.set("cooling", id, t_s + restart_s)
        else:
            self.timers.cancel("cooling", id)

    def started(self, plant: int) -> None:
        """The machines that were starting run now."""
        self._waiting[plant] = 0
        self._known = None
        noun, down = self.plants.kind[plant].replace("-", " ") + "s", int(self._down[plant])
        kind, text = "chiller_on", f"{noun} restarted: full cooling capacity restored"
        if down:  # what is still off remains an alarm
            left = int(self.plants.units[plant]) - down
            kind, text = "chiller_started", f"{left} of {left + down} {noun} restarted"
        of_units = int(self.plants.units[plant])
        self.log.add(
            self.timers.now_s, kind, self.plants.ids[plant], text, units=of_units - down, of_units=of_units
        )

    # --- what works

    def _count(self) -> None:
        """Count the machines that can work now, and those of the air side: a tripped chiller's tower continues."""
        self.units, self._working = [], []
        for p, machines in enumerate(self.machines):
            installed, live = int(self.plants.units[p]), bool(self.live[p])
            off = int(self._down[p] + self._waiting[p])
            airless = 0 if machines.lift is not None else off
            self.units.append(installed - off if live else 0)
            self._working.append(working_units(installed, airless, int(self._still[p])) if live else 0.0)

    def shares(self) -> Floats:
        """Return what of the heat rejection is there, shape (P,) [-]: 0 where nothing can take heat."""
        self._count()
        shares = np.ones(len(self.held_c))
        for p, machines in enumerate(self.machines):
            by_sky = machines.lift is None or machines.economiser
            able = self._working[p] > 0 and (by_sky or self.units[p] > 0)
            shares[p] = float(self._fault[p]) if able else 0.0
        return shares

    def renew(self) -> None:
        """Recompute everything at the next look: machines have come or gone."""
        self._known = None

    # --- what they hold and draw

    def hold(self, heat_w: list[float], rejecting: list[bool], *, settled: bool) -> bool:
        """Take note of the heat of each plant; return whether the water that its machines hold is another.

        `settled`: at once, without what it takes time to come to.
        """
        now = self.timers.now_s
        dt_s, self._seen_s = now - self._seen_s, now
        self.heat_w = heat_w
        outdoor = self.weather.spell(now).air
        if not settled and not self._moved(outdoor) and not self.short:
            return False
        self._note(outdoor)
        self.short = False
        for p, machines in enumerate(self.machines):
            if not rejecting[p]:
                self.held_c[p] = machines.set_c
                continue
            held_c, goal_k = self._supply_c(p)
            was_k, over_k = self._goal_k[p], self._over_k[p]
            if goal_k or was_k or over_k:
                # What has changed now works from now on.
                over_k = goal_k if settled else was_k + (over_k - was_k) * math.exp(-dt_s / SETTLING_S)
                self._over_k[p] = over_k = over_k if max(over_k, goal_k) > 1e-3 else 0.0
                self._goal_k[p] = goal_k
                held_c += over_k
                self.short = True
            self.held_c[p] = held_c
            if machines.lift is not None and machines.economiser and not settled:
                self._note_free(p, self._works[p].free)
        return True

    def works_at(self, p: int, heat_w: float, outdoor: Outdoor) -> tuple[PlantWork, float]:
        """Return what the machines of a plant come to do for a heat in some air, and their supply [C]; changes nothing.

        `heat_w` is with the power of its pumps.
        """
        machines, working = self.machines[p], self._working[p]
        reach_c = machines.reach_c(heat_w, working, outdoor)
        held_c, over_k = machines.supply_c(heat_w, min(self.units[p], working), reach_c)
        work = machines.work(heat_w, self.units[p], working, outdoor, reach_c)
        return work, held_c + over_k

    def _supply_c(self, p: int) -> tuple[float, float]:
        able = min(self.units[p], self._working[p])  # a condenser without its fan takes little
        return self.machines[p].supply_c(self.heat_w[p] + self.pump_w[p], able, self._reach_c[p])

    def _turn(self, _: int) -> None:
        self.turned = True
        self._await_turn()

    def _await_turn(self) -> None:
        end_s = self.weather.spell(self.timers.now_s).end_s
        if math.isfinite(end_s):
            self.timers.set("sky", 0, end_s, LATE)

    def turn(self, rejecting: list[bool]) -> bool:
        """Let machines work in the weather that begins now; return whether their water has to be looked at for that."""
        self.turned = False
        if self.short or self._known is None:
            self._known = None
            return True
        self._note(self.weather.spell(self.timers.now_s).air)
        for p, machines in enumerate(self.machines):
            if not rejecting[p]:
                continue
            if self._supply_c(p) != (self.held_c[p], 0.0):
                self._known = None
                return True
            if machines.lift is not None and machines.economiser:
                self._note_free(p, self._works[p].free)
        return False

    @property
    def adrift(self) -> bool:
        """Whether the water of some plant goes with heat and weather: its machines cannot hold the set point."""
        return any(
            held_c != machines.set_c for held_c, machines in zip(self.held_c, self.machines, strict=False)
        )

    def rate_k_s(self) -> Floats:
        """Return how fast the supply of each plant moves for want of chillers, shape (P,) [K/s]."""
        rate_k_s: Floats = (np.array(self._goal_k) - np.array(self._over_k)) / SETTLING_S
        return rate_k_s

    def _moved(self, outdoor: Outdoor) -> bool:
        """Return whether weather, heat or machines are others than what the plants were last worked out for."""
        if self._known != outdoor:
            return True
        for now_w, known_w in zip(self.heat_w, self._known_w, strict=True):
            if abs(now_w - known_w) > HEAT_DRIFT * known_w:
                return True
        return False

    def _note(self, outdoor: Outdoor) -> None:
        self._known, self._known_w = outdoor, self.heat_w
        taken_w = [q_w + pump_w for q_w, pump_w in zip(self.heat_w, self.pump_w, strict=False)]
        self._reach_c = [
            machines.reach_c(q_w, working, outdoor)
            for machines, q_w, working in zip(self.machines, taken_w, self._working, strict=False)
        ]
        self._works = [
            machines.work(taken_w[p], self.units[p], self._working[p], outdoor, self._reach_c[p])
            for p, machines in enumerate(self.machines)
        ]

    def _note_free(self, p: int, free: float) -> None:
        now = self.timers.now_s
        on = free > (FREE_OFF if self._free_on[p] else FREE_ON)
        if on == self._free_on[p] or now - self._free_since_s[p] < FREE_EVERY_S:
            return
        first = self._free_since_s[p] < 0
        self._free_on[p], self._free_since_s[p] = on, now
        if on or not first:  # compressors that have run all along are no event
            text = (
                "free cooling (economiser) on, compressors off"
                if on
                else "mechanical cooling on (outdoor air too warm)"
            )
            self.log.add(now, "free_cooling_on" if on else "free_cooling_off", self.plants.ids[p], text)

    def works(self) -> list[PlantWork]:
        """Return what the machines of each plant do, at the heat and weather last looked at."""
        if self._known is None:
            self._note(self.weather.spell(self.timers.now_s).air)
            self._known = None  # whoever asks in between must not keep the next look from working it out
        return self._works

    def on_restored(self) -> None:
        """Count machines: those that start up or are stopped now matter for what the others do."""
        self._count()

    def _saved_known(self) -> list[Any] | None:
        return None if self._known is None else [list(self._known), self._known_w]

    def _take_known(self, saved: tuple[list[float], list[float]] | None) -> None:
        self._known = None
        if saved is not None:
            present_w, self.heat_w = self.heat_w, list(saved[1])
            self._note(Outdoor(*saved[0]))
            self.heat_w = present_w

    STATE = Fields(
        Column("live", "plants", bool),
        *Column.each("_down", "_waiting", "_still", table="plants", dtype=np.intp),
        Column("_fault", "plants", float),
        *Column.each("heat_w", "held_c", "_over_k", "_goal_k", table="plants", dtype=list),
        Row("free", Column("_free_on", "plants", bool), Column("_free_since_s", "plants", float)),
        StateField("_seen_s", float),
        StateField("short", bool),
        last=[Derived("known", _saved_known, _take_known, carry=lambda *_: None)],
    )
