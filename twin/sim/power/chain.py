"""The power chain from the grid to the racks at work: flows, transfers, trips, and the energy that passes.

Flows are constant between events. A single timer waits for the next thing that the chain does by itself: a breaker that
trips, a battery that is empty, a generator that has started, a switch that arrives, a step of a ramp. Losses inside the
tree are P_in - P_out of each stage; everything that flows is booked by `advance` before anything changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Bools, Floats, IntP
from twin.catalog import Catalog
from twin.physics.batteries import UPS_CHARGE_EFFICIENCY
from twin.physics.power_flow import PowerTree
from twin.plant.tables import Plant
from twin.scenario.schema.site import Grid
from twin.sim.core.log import Log
from twin.sim.core.timers import Timers
from twin.sim.core.weather import Weather
from twin.sim.power.breakers import Breakers
from twin.sim.power.circuit import Circuit
from twin.sim.power.energy_totals import PowerFlows, PowerTotals, book
from twin.sim.power.item_state import Condition
from twin.sim.power.loads import PowerLoads
from twin.sim.power.rack_supplies import Supplies
from twin.sim.power.report import Reporter
from twin.sim.power.sources import Sources
from twin.sim.power.storage import BatterySystem
from twin.sim.power.switching import Switching

REFRESH = 3e-3
"""Relative change of a power that is worth a new sum over the tree."""
LESS = 0.999
"""Sources that wait for a bus to ask for less look again when loads have fallen to this share."""
FOLLOW_S = 1.0
"""Batteries follow engines that take up load in steps of this."""


class WithoutBatteries(NamedTuple):
    """How the tree stands while no battery storage does anything, for some loads [W].

    Parameters
    ----------
    offered_w
        What other sources offer at each bus (buses,).
    grid_w
        What the grid gives.
    out_w, own_w, in_w
        Output of each item, what sources beside the tree give of it, and its input (I,), as `PowerTree.solve`.
    """

    offered_w: Floats
    grid_w: float
    out_w: Floats
    own_w: Floats
    in_w: Floats


class PowerChain:
    """The power tree of a run, without what others ask of it; see the module."""

    def __init__(
        self, timers: Timers, log: Log, plant: Plant, catalog: Catalog, weather: Weather, grid: Grid
    ) -> None:
        self.timers, self.log, self.weather, self.grid = timers, log, weather, grid
        self.asked_to_start: Callable[[int], None] = lambda engine: None  # who else has to know
        self.circuit = Circuit(plant, catalog)
        self.supplies = Supplies(plant, catalog)
        self.loads = PowerLoads(plant, self.circuit, self.supplies)
        self.totals, self.flows = PowerTotals(), PowerFlows()
        self.changed = False
        self.version = 0  # raised whenever flows or states are recomputed
        self.at_s = timers.now_s
        self._wanted = (
            np.zeros(self.loads.racks),
            np.zeros(self.loads.loops),
            np.zeros(self.loads.plants),
        )
        count = self.circuit.count
        self._loss_j, self._unbooked_s = np.zeros(count), 0.0
        self._loss_w, self._drained_w, self._draining = np.zeros(count), np.zeros(count), False
        self._out_w, self._in_w, self._own_w = np.zeros(count), np.zeros(count), np.zeros(count)
        self._at_rest: WithoutBatteries | None = None
        self._waiting = self._sourced = False
        self._settled_w = 0.0  # what all loads asked for when things were last switched
        self._hoped: tuple[Bools, PowerTree] | None = (
            None  # the tree with all buses carried, as it is switched now
        )
        self._switch_s = math.inf  # when something switches by itself next
        self._settled_due_s: float | None = None  # the same of breakers and switches, until one acts
        self._wiring: tuple[IntP, IntP, PowerTree] | None = (
            None  # who hangs on whom, units at work, their tree
        )
        self._seen = (-1.0, 0.0)  # IT and cooling at the last sum
        self.adopt(Condition.fresh(self.circuit))
        timers.handle("power", lambda _: self._due())
        self._settle()
        self._flow()

    @property
    def drained_w(self) -> Floats:
        """By how much the charge of each battery falls now (I,) [W]; negative: it charges."""
        return self._drained_w

    def adopt(self, condition: Condition) -> None:
        """Have every item as `condition` says, with the books that follow from it."""
        circuit = self.circuit
        self.condition = condition
        self.sources = Sources(circuit, condition, self.log, lambda engine: self.asked_to_start(engine))
        self.storage = BatterySystem(circuit, condition, self.sources)
        self.switching = Switching(circuit, condition, self.sources, self.log)
        self.breakers = Breakers(circuit, condition, self.log)
        self.report = Reporter(circuit, condition, self.log)

    # --- flows

    def stale(self, it_w: float, cooling_w: float) -> bool:
        """Return whether IT and cooling [W] have moved enough for a new sum; on batteries and islands anything is."""
        seen_it, seen_cooling = self._seen
        least = 0.0 if self._exact else REFRESH * max(seen_it, 1.0)
        return abs(it_w - seen_it) > least or abs(cooling_w - seen_cooling) > least

    def update(
        self, rack_dc_w: Floats, loop_w: Floats, plant_w: Floats, t_s: float, it_w: float = -1.0
    ) -> None:
        """Take the powers that racks (R,), loops (L,) and plants (P,) take from `t_s` on [W].

        `it_w` is what `stale` will be compared with; without it, the sum of the racks.
        """
        self.advance(t_s)
        self._wanted = (rack_dc_w, loop_w, plant_w)
        self._look_again(switches=self._waiting and self._asked_w() < LESS * self._settled_w)
        self._flow()
        self._seen = (
            float(rack_dc_w.sum()) if it_w < 0 else it_w,
            float(np.add.reduce(loop_w) + np.add.reduce(plant_w)),
        )

    def _asked_w(self) -> float:
        return float(sum(w.sum() for w in self._wanted))

    def advance(self, t_s: float) -> None:
        """Book what has flowed up to `t_s` [s]."""
        dt = t_s - self.at_s
        if dt <= 0:
            return
        self._book(self.totals, t_s)
        self.at_s = t_s
        self._unbooked_s += dt
        self.breakers.advance(dt)
        if self._draining:
            self.storage.move(self._drained_w, dt)

    def _book(self, totals: PowerTotals, t_s: float) -> None:
        book(totals, self.flows, t_s - self.at_s, *self.weather.grid_means(self.at_s, t_s))

    def booked(self, t_s: float) -> PowerTotals:
        """Return what has passed up to `t_s` [s], as things flow now; changes nothing."""
        totals = replace(self.totals)
        self._book(totals, t_s)
        return totals

    def rates(self, t_s: float) -> tuple[float, float]:
        """Return carbon [kg/s] and cost [USD/s] at `t_s` [s], as things flow now."""
        f, (price_usd_j, carbon_kg_j) = self.flows, self.weather.grid_at(t_s)
        return f.grid_w * carbon_kg_j + f.made_kg_s, f.grid_w * price_usd_j

    def correct(self, extra_j: float, totals: PowerTotals, since_s: float, t_s: float) -> None:
        """Add energy that loads took in a time beyond what the tree was told to `totals`, at its source now [J]."""
        if self.flows.grid_w > 0 or self.flows.on_site_w <= 0:
            price_usd_j, carbon_kg_j = self.weather.grid_means(since_s, t_s)
            totals.grid_j += extra_j
            totals.carbon_kg += extra_j * carbon_kg_j
            totals.cost_usd += extra_j * price_usd_j
        else:
            totals.on_site_j += extra_j

    def _due(self) -> None:
        """Do what the timer has waited for; a step of a ramp switches nothing, nor does a battery beside the grid."""
        self.advance(self.timers.now_s)
        switches = self._waiting or self.at_s >= self._switch_s - 1e-9
        self._look_again(switches=switches)
        self._flow(same=not switches)

    def _look_again(self, *, switches: bool) -> None:
        """Work out what is live where something may switch; else no more than what the sun gives."""
        if switches:
            self._settle()
        elif self._solar:
            self._shine()

    def _shine(self) -> None:
        self.sources.sun = self.weather.sun(self.at_s)
        self.sources.look_again()

    def _act(self) -> None:
        self.advance(self.timers.now_s)
        self._settle()
        self._flow()

    def _settle(self) -> None:
        """Work out what is live."""
        before = self._standing()
        was_live = self.condition.live.copy()
        was_dark = self.supplies.rack_dark.copy()
        self._solar = bool(self.circuit.is_solar.any())
        self.sources.sun = self.weather.sun(self.at_s) if self._solar else 0.0
        self.breakers.settle(self.at_s)
        self._hoped, self._settled_w = None, self._asked_w()
        self.switching.settle(self.at_s, self._demand_w)
        k = self.condition
        self._rewire()
        after = self._standing()
        self.changed |= any(not np.array_equal(a, b) for a, b in zip(before, after, strict=True))
        self.report.outages(self.at_s, was_live, was_dark, self.loads)
        self._waiting = any(not k.fed[bus] and not k.island[bus] for bus in self.circuit.sources_at)

    def _standing(self) -> tuple[NDArray[Any], ...]:
        s = self.supplies
        return (
            s.node_dark,
            s.node_braked,
            s.rack_feeds,
            self.loads.loop_live,
            self.loads.plant_live,
            s.rack_dark,
        )

    def _rewire(self) -> None:
        """Follow `live`: the tree that is solved, who hangs where."""
        c, k = self.circuit, self.condition
        parent, units = self.switching.active_parent(), self.switching.running_units()
        known = self._wiring
        if known is None or not (np.array_equal(known[0], parent) and np.array_equal(known[1], units)):
            tree = PowerTree(c.levels, parent, units, c.a_w, c.b, c.c_per_w, c.buses)
            self._wiring = known = parent, units, tree
        self._tree = known[2]
        self._at_rest = self._settled_due_s = None
        self.sources.look_again()
        self.storage.look_again()
        self._on_grid = self.switching.on_grid(parent)
        self._root_fed = c.roots[k.fed[c.roots]]
        self.loads.switch(k.live, k.island)
        self._exact = bool(k.on_battery.any() or k.island.any())
        was, self._sourced = self._sourced, self.sources.at_work()
        if was and not self._sourced:
            self.sources.rest()
            self.flows.on_site_w = self.flows.fuel_w = self.flows.made_kg_s = 0.0
        self.breakers.refit()

    def _demand_w(self) -> Floats:
        """Return what each output would carry if the sources at all buses carried theirs (I,) [W]."""
        c = self.circuit
        if self._hoped is None:
            live, parent, units = self.switching.hoped()
            self._hoped = (live, PowerTree(c.levels, parent, units, c.a_w, c.b, c.c_per_w))
        live, tree = self._hoped
        wanted_w = np.concatenate([self.supplies.lit_input_w(self._wanted[0]), *self._wanted[1:]])
        out_w, _, _ = tree.solve(self.loads.by_item_if(live, wanted_w))
        return out_w

    def _flow(self, *, same: bool = False) -> None:
        """Work out the flows of the present loads, what batteries do, and what happens next.

        `same`: loads and switches are as they were, and at most batteries do something else.
        """
        storage = self.storage
        if self._unbooked_s:
            self._loss_j += self._loss_w * self._unbooked_s
            self._unbooked_s = 0.0
        kept = self._at_rest if same else None
        if kept is None:
            self.loads.take(*self._wanted)
            self._at_rest = None
        before_w = self.flows.grid_w
        window_s = storage.tick_s
        if storage.any_ups:
            storage.recharge_ups(self._on_grid)
        if storage.any_storage:
            storage.idle()
            storage.smooth(self.at_s, self._on_grid, self._rest(), self._solve)
        else:
            self._solve()
        # Where nothing but batteries does something else, it reaches no further than their buses and above.
        self._read(self._tree.reached if kept is not None and kept is self._at_rest else None)
        self._count_violations(before_w, window_s)
        if not self.circuit.count:  # nothing switches, trips or drains
            return
        storage.tell_peak(self.at_s, self.flows.grid_w)
        self._islands()
        self._plan()

    def _rest(self) -> tuple[float, Floats]:
        """Solve the tree while batteries do nothing, unless that was done for these loads; return as `_solve` does."""
        known, charges, offered_w = self._at_rest, self.storage.charges_ups, self._offered_w()
        if known is None or charges or not np.array_equal(known.offered_w, offered_w):
            grid_w, _ = self._solve()
            solved = self._out_w, self._own_w, self._in_w
            self._at_rest = None if charges else WithoutBatteries(offered_w, grid_w, *solved)
            return grid_w, self._out_w
        self._out_w, self._own_w, self._in_w = known.out_w, known.own_w, known.in_w
        return known.grid_w, known.out_w

    def _offered_w(self) -> Floats:
        """Return what sources and batteries offer at each bus now (buses,); infinity: they carry all of it [W]."""
        offered_w = self.sources.beside_w() + self.sources.from_batteries_w()
        if self._exact:
            offered_w[self.condition.island[self.circuit.buses]] = math.inf
        return offered_w

    def _solve(self) -> tuple[float, Floats]:
        """Solve the tree with what batteries do now; return the power from the grid, and of each output (I,) [W]."""
        c, k = self.circuit, self.condition
        if not c.count:
            return self.loads.served_w, self._out_w
        offered = None
        if self._sourced:
            offered = np.zeros(c.count)
            offered[c.buses] = self._offered_w()
        extra = k.charging_w if self.storage.charges_ups else None
        self._out_w, self._own_w, self._in_w = self._tree.solve(self.loads.by_item(), offered, extra)
        return float(np.add.reduce(self._in_w[self._root_fed])), self._out_w

    def _read(self, moved: IntP | None = None) -> None:
        """Take the flows that were solved apart: losses, sources, batteries.

        `moved`: items whose flows are others than before; none: all of them.
        """
        c, k, f = self.circuit, self.condition, self.flows
        self.version += 1
        f.load_w = self.loads.served_w
        if not c.count:
            f.grid_w = f.load_w
            return
        f.grid_w = float(np.add.reduce(self._in_w[self._root_fed]))
        loss_w = self._in_w - self._out_w
        if self._sourced:
            self.sources.share(self._own_w, self.at_s)
            loss_w[c.buses] += self._own_w[c.buses]
            f.on_site_w, f.fuel_w, f.made_kg_s = self.sources.given()
        stores = self.storage.any_storage or self.storage.charges_ups or self._exact
        if stores:
            at, batteries = c.stores, c.batteries
            charging_w, given_w = k.charging_w[at], k.battery_w[batteries]
            loss_w[at] -= charging_w * UPS_CHARGE_EFFICIENCY
            self._drained_w = self.storage.drained_w(self._in_w)
            loss_w[batteries] += self._drained_w[batteries] - given_w
            from_ups = np.where(k.on_battery[at], self._in_w[at], 0.0)
            f.discharging_w = float(np.add.reduce(np.maximum(given_w, 0.0)) + np.add.reduce(from_ups))
            f.charging_w = float(np.add.reduce(np.maximum(-given_w, 0.0)) + np.add.reduce(charging_w))
        elif self._draining:
            self._drained_w = np.zeros(c.count)
            f.discharging_w = f.charging_w = 0.0
        self._draining = stores and bool(self._drained_w[c.stores].any())
        self._loss_w = loss_w
        f.loss_w = float(np.add.reduce(loss_w))
        self.breakers.load(self._out_w, self.at_s, moved)

    def _count_violations(self, before_w: float, window_s: float) -> None:
        totals, f, grid = self.totals, self.flows, self.grid
        totals.grid_max_w = max(totals.grid_max_w, f.grid_w)
        over = grid.peak_w is not None and f.grid_w > grid.peak_w * (1 + 1e-6)
        totals.peak_violations += over and not f.over_peak
        f.over_peak = over
        if grid.ramp_w_s is not None and before_w > 0 and f.grid_w > 0:
            allowed = grid.ramp_w_s * max(window_s, FOLLOW_S)
            totals.ramp_violations += abs(f.grid_w - before_w) > allowed * (1 + 1e-6)

    def _islands(self) -> None:
        """Note which islands are asked for too much."""
        k = self.condition
        for bus in self.circuit.sources_at if self._exact else ():
            over = bool(k.island[bus]) and self.sources.overload(bus, float(self._own_w[bus]), self.at_s)
            if not over:
                self.sources.relieved(bus, self.at_s, "on-site sources cover the load")
            elif math.isinf(k.short_s[bus]):
                most_w = self.sources.most_w(bus, self.at_s)
                self.report.short(self.at_s, bus, float(self._own_w[bus]), most_w)

    def _plan(self) -> None:
        """Set the timer to the next thing that happens by itself."""
        c, k, now = self.circuit, self.condition, self.at_s
        known_s, warm = self._settled_due_s, self.breakers.warm
        if known_s is None or warm:
            known_s = min(self.breakers.next_s(now), float(k.transfer_s.min(initial=math.inf)))
            self._settled_due_s = None if warm else known_s
        due, moves_s = known_s, math.inf
        would_w: Floats | None = None
        for bus, sources in c.sources_at.items() if self._exact or self._waiting else ():
            due = min(due, float(k.short_s[bus]), self.sources.next_start_s(sources))
            if k.island[bus] and self.sources.settling(bus, now):
                moves_s = now + FOLLOW_S
            elif not k.fed[bus] and not k.island[bus]:
                would_w = self._demand_w() if would_w is None else would_w
                ready_s = self.sources.accepts_at_s(bus, float(would_w[bus]))
                if ready_s > now:
                    due = min(due, ready_s)
        turns_s = self.storage.next_s(now, self._drained_w) if self._draining else math.inf
        if self._solar:
            turns_s = min(turns_s, self.weather.sun_turns_s(now))
        # Islands live while batteries last and the sun shines.
        self._switch_s = min(due, turns_s) if self._exact else due
        if self.storage.tick_s > 0:
            moves_s = min(moves_s, now + self.storage.tick_s)
        due = min(due, turns_s, moves_s)
        if math.isinf(due):
            self.timers.cancel("power", 0)
        elif self.timers.due_s("power", 0) != due:
            self.timers.set("power", 0, due)
