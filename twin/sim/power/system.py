"""What the run and people ask of the power chain: what is live, what flows, and faults."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Bools, Floats, IntP
from twin.sim.core.slot_fields import Column
from twin.sim.core.slot_map import EditedPair
from twin.sim.core.state import Child, Derived, Endless, Fields, Record, StateField, Stateful
from twin.sim.power.chain import PowerChain
from twin.sim.power.energy_totals import PowerFlows, PowerTotals
from twin.sim.power.report import item_states


class PowerSystem(PowerChain, Stateful):
    """The power tree of a run, from the grid to the supplies of the nodes."""

    # --- what the engine reads

    @property
    def node_dark(self) -> Bools:
        """Nodes without any live supply (N,)."""
        return self.supplies.node_dark

    @property
    def node_braked(self) -> Bools:
        """Nodes whose live supplies are too few for full power (N,)."""
        return self.supplies.node_braked

    @property
    def rack_feeds(self) -> IntP:
        """Live feeds of each rack (R,)."""
        return self.supplies.rack_feeds

    @property
    def loop_live(self) -> Bools:
        """Loops whose pumps or fans have power (L,)."""
        return self.loads.loop_live

    @property
    def plant_live(self) -> Bools:
        """Facility loops whose machines have power (P,)."""
        return self.loads.plant_live

    @property
    def rack_in_w(self) -> Floats:
        """Input of each rack, shelf losses included (R,) [W]."""
        return self.loads.rack_in_w

    @property
    def supply_loss_w(self) -> Floats:
        """Loss of each rack's shelves, heat into the room (R,) [W]."""
        return self.loads.rack_in_w - self.loads.rack_dc_w

    @property
    def item_state(self) -> NDArray[np.int64]:
        """How each item stands, as `twin.record.channels.PowerState` (I,)."""
        return item_states(self.circuit, self.condition, self.sources, self.breakers)

    @property
    def charge(self) -> Floats:
        """Charge of each battery, 0..1 (I,); 0 where there is none."""
        c = self.circuit
        result: Floats = self.condition.charge_j / np.maximum(c.energy_j, 1e-9)
        return result

    @property
    def grid_w(self) -> float:
        """Power from the grid now [W]."""
        return self.flows.grid_w

    @property
    def on_site_w(self) -> float:
        """Power made on site now [W]."""
        return self.flows.on_site_w

    @property
    def battery_w(self) -> float:
        """Power from batteries now, negative when they charge [W]."""
        return self.flows.discharging_w - self.flows.charging_w

    @property
    def loss_w(self) -> float:
        """Losses of all stages and batteries now [W]."""
        return self.flows.loss_w

    @property
    def carbon_kg_s(self) -> float:
        """Carbon emitted now [kg/s]."""
        return self.rates(self.at_s)[0]

    @property
    def cost_usd_s(self) -> float:
        """Cost of the power from the grid now [USD/s]."""
        return self.rates(self.at_s)[1]

    @property
    def stored_j(self) -> float:
        """Energy in all batteries [J]."""
        return float(self.condition.charge_j.sum())

    def stored_at_j(self, later_s: float) -> float:
        """Return the energy in all batteries when flows continue as they are for `later_s` [J]."""
        return self.stored_j - (float(self._drained_w.sum()) * later_s if self._draining else 0.0)

    def rack_loss_at(self, rack_dc_w: Floats) -> Floats:
        """Return the loss of each rack's shelves if they delivered `rack_dc_w` (R,) [W]."""
        taken = self.supplies.rack_input_w(rack_dc_w)
        result: Floats = np.where(self.supplies.rack_dark, 0.0, taken - rack_dc_w)
        return result

    def loss_j_by_kind(self, now_s: float | None = None) -> dict[str, float]:
        """Return losses up to `now_s`, or to the last booking, by kind of stage [J], batteries among them."""
        later_s = 0.0 if now_s is None else max(0.0, now_s - self.at_s)
        loss_j = self._loss_j + self.loss_w_by_item * (self._unbooked_s + later_s)
        found: dict[str, float] = {}
        for kind, joules in zip(self.circuit.kind, loss_j.tolist(), strict=True):
            found[kind] = found.get(kind, 0.0) + joules
        return found

    @property
    def loss_w_by_item(self) -> Floats:
        """Loss of each item now (I,) [W]."""
        return self._loss_w

    @property
    def out_w(self) -> Floats:
        """Output of each item now, of sources and batteries what they give (I,) [W]."""
        c = self.circuit
        given = self.sources.output_w + self.condition.battery_w
        result: Floats = np.where(c.is_source, given, self._out_w)
        return result

    @property
    def in_w(self) -> Floats:
        """Input of each item now, of batteries what they charge with (I,) [W]."""
        result: Floats = np.where(
            self.circuit.is_source, np.maximum(-self.condition.battery_w, 0.0), self._in_w
        )
        return result

    # --- faults: each takes effect at once, and twice is as good as once

    def fail(self, item: int, count: int | None = None) -> None:
        """Let `count` units of an item be out of order, None: all of it."""
        units = int(self.circuit.units[item])
        self.advance(self.timers.now_s)
        before_w, lost = self.sources.limit_w(item, self.at_s), int(self.condition.lost[item])
        self.condition.lost[item] = now = units if count is None else min(max(count, 0), units)
        if now < lost:
            self.sources.repaired(item, self.at_s, before_w)
        self._act()

    def repair(self, item: int) -> None:
        """Let all units of an item work again."""
        self.fail(item, 0)

    def trip(self, item: int) -> None:
        """Open the breaker of an item, and keep it open."""
        self.advance(self.timers.now_s)
        self.condition.held_open[item] = True
        self._act()

    def close(self, item: int) -> None:
        """Close the breaker of an item, whoever opened it."""
        self.advance(self.timers.now_s)
        k = self.condition
        was_open = bool(k.held_open[item] or k.opened[item])
        k.held_open[item] = k.opened[item] = False
        k.reclose_s[item], k.heat[item] = math.inf, 0.0
        if was_open:
            self.sources.repaired(item, self.at_s, 0.0)
        self._act()

    def empty(self, item: int) -> None:
        """Let a battery be empty, and not charge."""
        self.advance(self.timers.now_s)
        k = self.condition
        self.totals.emptied_j += float(k.charge_j[item])
        k.charge_j[item], k.emptied[item] = 0.0, True
        self._act()

    def refill(self, item: int) -> None:
        """Let a battery charge again."""
        self.advance(self.timers.now_s)
        self.condition.emptied[item] = False
        self._act()

    def no_start(self, item: int, count: int) -> None:
        """Let `count` machines of a generator not start when they are needed; those no longer among them try again."""
        self.advance(self.timers.now_s)
        k, before_w = self.condition, self.sources.limit_w(item, self.at_s)
        stuck, k.no_start[item] = int(k.no_start[item]), min(max(count, 0), int(self.circuit.units[item]))
        if k.no_start[item] < stuck:
            self.sources.repaired(item, self.at_s, before_w)
        self._act()

    def lose_supplies(self, kind: str, slot: int, count: int) -> int:
        """Let `count` power supplies of a node or shelves of a rack be lost, 0: none; return how many it has."""
        self.advance(self.timers.now_s)
        total = self.supplies.lose(kind, slot, count)
        self._act()
        return total

    def lose_site(self, lost: bool) -> None:
        """Cut everything off its supply, or let it be supplied again; the tree itself stays as it is."""
        self.advance(self.timers.now_s)
        self.loads.site_lost = lost
        self._act()

    def renew(self) -> None:
        """Recompute what is live and what flows: the tree is another."""
        self._act()
        self.changed = True

    def on_restored(self) -> None:
        """Work out what is live and what flows."""
        self._rewire()
        self.loads.take(*self._wanted)
        self._solve()
        self._read()

    def _carried_wanted(self, old: PowerSystem, edit: EditedPair) -> list[list[float]]:
        tables = zip(("racks", "loops", "plants"), old._wanted, self._wanted, strict=True)
        return [edit.kept[table].column(was.tolist(), now.tolist()) for table, was, now in tables]

    def _carried_ratio(self, old: PowerSystem, edit: EditedPair) -> list[float]:
        """Loads of breakers are by their place among all breakers."""
        known = dict(zip(old.circuit.breakers.tolist(), old.breakers.ratio.tolist(), strict=True))
        return [known.get(item, 0.0) for item in self.circuit.breakers.tolist()]

    STATE = Fields(
        Child("condition", then=lambda part: part.adopt(part.condition)),
        Child("supplies"),
        Child("storage"),
        StateField(
            "_wanted",
            lambda saved: tuple(np.array(watts, float) for watts in saved),
            lambda wanted: [watts.tolist() for watts in wanted],
            carry=_carried_wanted,
        ),
        StateField("at_s", float),
        StateField("_seen", tuple, list),
        StateField("sources.sun", float),
        StateField("loads.site_lost", bool),
        last=[
            Record("totals", PowerTotals),
            Record("flows", PowerFlows, gone=("carbon_kg_s", "cost_usd_s")),
            Column("_loss_j", "power", float),
            *StateField.each("_unbooked_s", "_settled_w", load=float),
            *StateField.each("_waiting", "changed", load=bool),
            Derived(
                "ratio",
                lambda part: part.breakers.ratio.tolist(),
                lambda part, saved: part.breakers.resume(np.array(saved, float)),
                carry=_carried_ratio,
            ),
            Endless("_switch_s"),
        ],
    )

    # --- state
