"""What is live: from the roots of the power tree down, with transfer switches, UPS batteries and islands."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from twin.arrays import Bools, Floats, IntP
from twin.sim.core.log import Log
from twin.sim.power.circuit import Circuit
from twin.sim.power.item_state import Condition
from twin.sim.power.sources import JUST, Sources

UNNOTICED_S = 0.02
"""Dead time that power supplies ride through: a cycle of 50 Hz, as ITIC has it [s] [recalled]."""


class Switching:
    """Works out which outputs are live after something has changed."""

    def __init__(self, circuit: Circuit, condition: Condition, sources: Sources, log: Log) -> None:
        self.circuit, self.condition, self.sources, self.log = circuit, condition, sources, log

    def settle(self, t_s: float, demand_w: Callable[[], Floats]) -> None:
        """Bring `live`, `fed` and all switches up to date; `demand_w` is asked once, for what buses would carry."""
        c, k, sources = self.circuit, self.condition, self.sources
        would_w: Floats | None = None
        open_, sound = k.open().tolist(), (k.lost < c.units).tolist()
        charged = (c.is_ups & (k.charge_j > JUST * c.energy_j) & ~k.emptied).tolist()
        live, fed, before = k.live.tolist(), k.fed.tolist(), k.on_battery
        on_battery = [False] * c.count
        for i in c.tree:
            parent = c.parent[i]
            into = parent < 0 or live[parent]
            if c.spare[i] >= 0:
                into = self._transferred(i, t_s, primary=into, spare=live[c.spare[i]])
            kept = fed[i] = into and sound[i]
            if charged[i] and sound[i] and not into:
                on_battery[i] = kept = True
            if i in c.sources_at:
                if fed[i]:
                    sources.with_upstream(i, t_s)
                else:
                    would_w = demand_w() if would_w is None else would_w
                    was = (live[i] and not open_[i]) or bool(k.island[i])
                    kept |= sources.without_upstream(i, t_s, float(would_w[i]), was_live=was)
            live[i] = kept and not open_[i]
        k.live, k.fed, k.on_battery = np.array(live, bool), np.array(fed, bool), np.array(on_battery, bool)
        self._say_batteries(t_s, before)

    def _transferred(self, i: int, t_s: float, *, primary: bool, spare: bool) -> bool:
        """Return whether the input of an item is live behind its transfer switch."""
        c, k = self.circuit, self.condition
        if primary:  # back without a break: both sides are live while the switch goes over
            if k.on_spare[i]:
                source = c.items.ids[c.parent[i]]
                self._say(t_s, "transfer_back", i, f"transferred back to {source}", source=source)
            k.on_spare[i], k.transfer_s[i] = False, math.inf
            return True
        if not spare:
            k.transfer_s[i] = math.inf
            return False
        if not k.on_spare[i]:
            if c.transfer_s[i] > UNNOTICED_S and t_s < k.transfer_s[i] - JUST:
                k.transfer_s[i] = min(k.transfer_s[i], t_s + c.transfer_s[i])
                return False
            k.on_spare[i], k.transfer_s[i] = True, math.inf
            source = c.items.ids[c.spare[i]]
            self._say(t_s, "transfer", i, f"transferred to {source}", source=source)
        return True

    def _say_batteries(self, t_s: float, before: Bools) -> None:
        c, k = self.circuit, self.condition
        for i in np.flatnonzero(before != k.on_battery).tolist():
            if k.on_battery[i]:
                self._say(t_s, "on_battery", i, "input lost: load on battery")
            elif k.fed[i]:
                self._say(t_s, "off_battery", i, "input restored")
            elif k.lost[i] < c.units[i]:
                self._say(t_s, "battery_empty", i, "battery exhausted: downstream load lost")

    def active_parent(self) -> IntP:
        """Return what each item takes its power from now; -1: the grid, or itself."""
        c, k = self.circuit, self.condition
        parent = np.where(k.on_spare, c.items.spare_parent, c.items.parent).astype(np.intp)
        parent[~k.fed] = -1
        return parent

    def on_grid(self, parent: IntP) -> Bools:
        """Return whether the input of each item leads to the grid, with `parent` what each hangs on now."""
        c, k = self.circuit, self.condition
        fed, island, above = k.fed.tolist(), k.island.tolist(), parent.tolist()
        result = [False] * c.count
        for i in c.tree:
            if fed[i]:
                result[i] = above[i] < 0 or (result[above[i]] and not island[above[i]])
        return np.array(result, bool)

    def running_units(self) -> IntP:
        """Return how many units of each stage pass power on."""
        c, k = self.circuit, self.condition
        result: IntP = np.where(k.fed | k.on_battery, c.units - k.lost, 0)
        return result

    def hoped(self) -> tuple[Bools, IntP, IntP]:
        """Return (live, parent, units) as they would be if every bus with sources were carried by them."""
        c, k = self.circuit, self.condition
        sound = k.lost < c.units
        closed, whole = (~k.open()).tolist(), sound.tolist()
        live, parent = [False] * c.count, [-1] * c.count
        for i in c.tree:
            p, s = c.parent[i], c.spare[i]
            fed = p < 0 or live[p]
            if p >= 0 and fed:
                parent[i] = p
            elif p >= 0 and s >= 0 and live[s]:
                parent[i], fed = s, True
            carried = i in c.sources_at and any(self.sources.healthy(source) for source in c.sources_at[i])
            live[i] = ((fed and whole[i]) or carried) and closed[i]
        units = np.where(sound & ~c.is_source, c.units - k.lost, 0)
        return np.array(live, bool), np.array(parent, np.intp), units

    def _say(self, t_s: float, kind: str, i: int, text: str, source: str | None = None) -> None:
        self.log.add(t_s, kind, self.circuit.items.ids[i], text, source=source)
