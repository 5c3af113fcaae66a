"""What hangs on the power tree: racks, loops and plants, each on one or two feeds or on the house supply."""

from __future__ import annotations

import numpy as np

from twin.arrays import Bools, Floats, IntP
from twin.plant.tables import Plant
from twin.sim.power.circuit import Circuit
from twin.sim.power.rack_supplies import Supplies


class PowerLoads:
    """Which feeds of each load are live, and which share of it each item carries.

    Racks come first, then loops, then plants. Loads without a feed hang on the house supply: the outputs of all live
    roots of the tree together, or of the buses that run as islands when no root is live.

    Attributes
    ----------
    feed_a, feed_b
        Items that each load hangs on, -1: none (loads,).
    load_w, served_w
        What each load takes now (loads,), and all of them [W].
    rack_dc_w, rack_in_w
        What racks take behind their shelves, and from their feeds (R,) [W].
    loop_live, plant_live, on
        Whether loops (L,), plants (P,) and all loads (loads,) have power.
    """

    def __init__(self, plant: Plant, circuit: Circuit, supplies: Supplies) -> None:
        tables = (plant.racks, plant.loops, plant.plants)
        self.racks, self.loops, self.plants = (len(table.ids) for table in tables)
        self.feed_a: IntP = np.concatenate([table.feed_a for table in tables]).astype(np.intp)
        self.feed_b: IntP = np.concatenate([table.feed_b for table in tables]).astype(np.intp)
        self.house = self.feed_a < 0
        self.circuit, self.supplies = circuit, supplies
        self.load_w = np.zeros(len(self.feed_a))
        self.served_w = 0.0  # what all loads take now [W]
        self.site_lost = False  # then nothing is supplied, whatever is live
        self._hung: Floats | None = None  # on each item at present loads [W]
        self.switch(np.ones(circuit.count, bool), np.zeros(circuit.count, bool))

    def _live(self, live: Bools, island: Bools) -> tuple[Bools, Bools, IntP]:
        """Return which loads have a live feed A, a live feed B, and the items that carry the house supply."""
        roots = self.circuit.roots
        house = roots[live[roots]]
        if not len(house):
            house = np.flatnonzero(island & live)
        padded = np.append(live, False)
        house_live = bool(len(house)) or self.circuit.count == 0
        if self.site_lost:
            live, house_live, house = np.zeros_like(live), False, house[:0]
            padded = np.append(live, False)
        live_a = np.where(self.house, house_live, padded[self.feed_a])
        return live_a, (self.feed_b >= 0) & padded[self.feed_b], house

    def switch(self, live: Bools, island: Bools) -> None:
        """Take note which items (I,) are live, and which buses among them run as islands."""
        live_a, live_b, house = self._live(live, island)
        racks, loops = self.racks, self.loops
        self.supplies.switch(live_a[:racks], live_b[:racks])
        either = live_a | live_b
        self.loop_live: Bools = either[racks : racks + loops]
        self.plant_live: Bools = either[racks + loops :]
        self.on: Bools = np.concatenate([~self.supplies.rack_dark, either[racks:]])
        self._all_on = bool(self.on.all())
        self._route, self._hung = self._routes(live_a, live_b, house), None

    def _routes(self, live_a: Bools, live_b: Bools, house: IntP) -> tuple[IntP, IntP, Floats]:
        """Return (load, item, share [-]) of every connection that carries something, each (connections,)."""
        supplies, racks = self.supplies, self.racks
        feeds = np.maximum(live_a[racks:].astype(float) + live_b[racks:], 1.0)
        share_a = np.concatenate([supplies.share_a, live_a[racks:] / feeds])
        share_b = np.concatenate([supplies.share_b, live_b[racks:] / feeds])
        on_a = np.flatnonzero(~self.house & (share_a > 0))
        on_b = np.flatnonzero(share_b > 0)
        on_house = np.repeat(np.flatnonzero(self.house & live_a), len(house))
        by_house = np.tile(house, len(on_house) // max(len(house), 1))
        load = np.concatenate([on_a, on_b, on_house])
        item = np.concatenate([self.feed_a[on_a], self.feed_b[on_b], by_house]).astype(np.intp)
        even = np.full(len(on_house), 1.0 / max(len(house), 1))
        return load, item, np.concatenate([share_a[on_a], share_b[on_b], even])

    def take(self, rack_dc_w: Floats, loop_w: Floats, plant_w: Floats) -> None:
        """Take note of the powers that racks (R,), loops (L,) and plants (P,) take now [W]; dark ones take none."""
        if not self._all_on:
            rack_dc_w = np.where(self.supplies.rack_dark, 0.0, rack_dc_w)
            loop_w, plant_w = np.where(self.loop_live, loop_w, 0.0), np.where(self.plant_live, plant_w, 0.0)
        self.rack_dc_w = rack_dc_w
        bare = self._all_on and not self.supplies.any_shelves
        self.rack_in_w = rack_dc_w if bare else self.supplies.rack_input_w(rack_dc_w)
        self.load_w = np.concatenate([self.rack_in_w, loop_w, plant_w])
        self.served_w, self._hung = float(np.add.reduce(self.load_w)), None

    def by_item(self) -> Floats:
        """Return what hangs on each item directly (I,) [W]; the same object while loads and switches are as before."""
        if self._hung is None:
            load, item, share = self._route
            summed = np.bincount(item, self.load_w[load] * share, minlength=self.circuit.count)
            self._hung = summed.astype(float, copy=False)
        return self._hung

    def by_item_if(self, live: Bools, wanted_w: Floats) -> Floats:
        """Return what would hang on each item (I,) with other items live [W]; racks halve over their live feeds.

        `live`: whether each item would be live (I,); `wanted_w`: what each load would take (loads,) [W].
        """
        live_a, live_b, house = self._live(live, np.zeros(len(live), bool))
        feeds = np.maximum(live_a.astype(float) + live_b, 1.0)
        at_a, at_b = np.flatnonzero(live_a & ~self.house), np.flatnonzero(live_b)
        each = wanted_w / feeds
        summed = np.bincount(self.feed_a[at_a], each[at_a], minlength=self.circuit.count).astype(float)
        summed += np.bincount(self.feed_b[at_b], each[at_b], minlength=self.circuit.count)
        if len(house):
            summed[house] += float(wanted_w[self.house].sum()) / len(house)
        return summed
