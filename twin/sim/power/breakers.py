"""Breakers at the outputs of the power tree: heat that gathers above the rating, trips, and closing them again."""

from __future__ import annotations

import math

import numpy as np

from twin.arrays import Bools, Floats, IntP
from twin.physics.breakers import heated, trip_time_s
from twin.sim.core.log import Log
from twin.sim.power.circuit import Circuit
from twin.sim.power.item_state import Condition
from twin.sim.power.sources import JUST

RECLOSE_S = 1800.0
"""Until somebody has looked at a breaker that tripped by itself, and closes it [estimated]."""


LET_GO = 0.97
"""Share of its limit below which an overload is over: loads that hover about it are told of once."""
FEW = 3
"""Items of one stage that are told of one by one when they are overloaded at the same moment; more make one event."""
SEVERAL = {
    "utility": "utility feeds",
    "switchgear": "switchboards",
    "ups": "UPS",
    "pdu": "PDUs",
    "transformer": "transformers",
    "busbar": "busbars",
}


class Breakers:
    """Heat and trips of all breakers, and overloads that nothing protects; arrays of one entry per breaker (B,).

    Attributes
    ----------
    at
        The item of each breaker (B,).
    ratio
        Its load over its rating (B,) [-].
    thermal_s, magnetic
        Time constant [s], and the ratio at which it trips at once [-] (B,).
    rated
        What one unit of each item can carry (I,) [W]; inf: anything.
    warm
        Whether heat of a breaker moves.
    """

    def __init__(self, circuit: Circuit, condition: Condition, log: Log) -> None:
        self.circuit, self.condition, self.log = circuit, condition, log
        at = self.at = circuit.breakers
        items = circuit.items
        self.thermal_s, self.magnetic = items.breaker_s[at], items.breaker_magnetic[at]
        self.ratio = np.zeros(len(at))
        self.warm = False
        self._reached: tuple[IntP, IntP] | None = (
            None  # of which items, and the places of breakers among them
        )
        # Beside the grid a source gives what it likes; only stages of the tree are overloaded.
        self.rated: Floats = np.where(
            circuit.is_source, math.inf, np.nan_to_num(circuit.unit_w, nan=math.inf)
        )
        self.refit()

    def refit(self) -> None:
        """Take note of the units that are left."""
        c = self.circuit
        left = np.maximum(c.units - self.condition.lost, 1)
        self._rating_w = c.breaker_unit_w[self.at] * left[self.at]
        self._limit_w: Floats = np.where(c.has_breaker, c.breaker_unit_w, self.rated) * left * (1 + JUST)

    def load(self, out_w: Floats, t_s: float, moved: IntP | None = None) -> None:
        """Take note of what flows through the breakers from now on, `out_w` (I,) [W], and say what is overloaded.

        `moved`: items whose flows are others than before; none: all of them.
        """
        k = self.condition
        if moved is not None:
            self._load_some(out_w, moved)
            over = out_w[moved] > self._limit_w[moved] * np.where(k.overloaded[moved], LET_GO, 1.0)
            if not np.count_nonzero(over != k.overloaded[moved]):
                return
        elif len(self.at):
            self.ratio = out_w[self.at] / self._rating_w
            self._note()
        over = out_w > self._limit_w * np.where(k.overloaded, LET_GO, 1.0)
        if not np.count_nonzero(over != k.overloaded):
            return
        stage = self.circuit.items.stage
        for stage_number in np.unique(stage[over != k.overloaded]).tolist():
            items: IntP = np.flatnonzero(stage == stage_number)
            self._say_over(items, items[~over[items] & k.overloaded[items]], t_s)
            self._say_overloads(items, items[over[items] & ~k.overloaded[items]], out_w, t_s)
        k.overloaded = over

    def _load_some(self, out_w: Floats, moved: IntP) -> None:
        known = self._reached
        if known is None or known[0] is not moved:
            self._reached = known = moved, np.isin(self.at, moved).nonzero()[0]
        places = known[1]
        if len(places):
            self.ratio[places] = out_w[self.at[places]] / self._rating_w[places]
        if len(places) or self.warm:
            self._note()

    def _note(self) -> None:
        self.warm = bool(np.count_nonzero(self.ratio > 1.0) or np.count_nonzero(self.condition.heat[self.at]))

    def _say_overloads(self, items: IntP, begun: IntP, out_w: Floats, t_s: float) -> None:
        """Say which items of a stage, `items`, are overloaded from now on: one by one, or together."""
        ids, k = self.circuit.items.ids, self.condition
        if len(begun) <= FEW:
            for i in begun.tolist():
                self.log.add(
                    t_s, "overload", ids[i], self._how_much(i, float(out_w[i])), out_w=float(out_w[i])
                )
            return
        k.told_together[begun] = True
        worst = int(begun[np.argmax(out_w[begun] / self._limit_w[begun])])
        what = SEVERAL.get(self.circuit.kind[worst], "items")
        text = (
            f"{int(k.told_together[items].sum())} of {len(items)} {what} overloaded; "
            f"worst is {ids[worst]}: {self._how_much(worst, float(out_w[worst]))}"
        )
        self.log.add(
            t_s,
            "overload",
            _together(ids[worst]),
            text,
            items=int(k.told_together[items].sum()),
            of_items=len(items),
            worst=ids[worst],
            out_w=float(out_w[worst]),
        )

    def _say_over(self, items: IntP, ended: IntP, t_s: float) -> None:
        """Say which overloads of a stage, `items`, are over; those told of together when the last of them is."""
        ids, k = self.circuit.items.ids, self.condition
        together = ended[k.told_together[ended]]
        for i in ended[~k.told_together[ended]].tolist():
            self.log.add(t_s, "overload_end", ids[i], "overload ended")
        k.told_together[together] = False
        if len(together) and not k.told_together[items].any():
            subject, text = _together(ids[int(together[0])]), "all overloads ended"
            self.log.add(t_s, "overload_end", subject, text)

    def _how_much(self, i: int, out_w: float) -> str:
        c, k = self.circuit, self.condition
        text = f"load {out_w / 1e3:.0f} kW"
        if c.has_breaker[i]:
            j = int(np.flatnonzero(self.at == i)[0])
            wait_s = float(trip_time_s(self.ratio[j], self.thermal_s[j], self.magnetic[j], heat=k.heat[i]))
            text += f", {100 * self.ratio[j]:.0f} % of breaker rating; trips in about {wait_s:.3g} s"
        else:
            text += f" above the rating of {c.unit_w[i] * (c.units[i] - k.lost[i]) / 1e3:.0f} kW; no breaker"
        return text

    def advance(self, dt_s: float) -> None:
        """Let breakers heat up or cool down for `dt_s` [s]."""
        at, k = self.at, self.condition
        if self.warm:
            k.heat[at] = heated(k.heat[at], self.ratio, self.thermal_s, dt_s)

    def resume(self, ratio: Floats) -> None:
        """Go on with the loads of a snapshot."""
        self.ratio = ratio
        self._note()

    def settle(self, t_s: float) -> None:
        """Open the breakers that have to, close those whose time has come."""
        c, k, at = self.circuit, self.condition, self.at
        if not len(at):
            return
        for i in at[k.opened[at] & (t_s >= k.reclose_s[at] - JUST)].tolist():
            k.opened[i], k.reclose_s[i], k.heat[i] = False, math.inf, 0.0
            self.log.add(t_s, "breaker_closed", c.items.ids[i], "breaker closed manually")
        if not self.warm:
            return
        for j in np.flatnonzero((self.ratio > 1.0) & k.live[at] & self._gathered()).tolist():
            i = int(at[j])
            k.opened[i], k.reclose_s[i] = True, t_s + RECLOSE_S
            text = f"breaker tripped at {100 * self.ratio[j]:.0f} % of its rating"
            self.log.add(t_s, "breaker_trip", c.items.ids[i], text, load_share=float(self.ratio[j]))

    def _gathered(self) -> Bools:
        """Return which breakers have gathered their heat; a magnetic trip lasts one cycle, in which they warm too."""
        heat = self.condition.heat[self.at]
        thermal = heat >= 1.0 - 1e-7 * (self.ratio**2 - 1.0)
        return thermal | ((self.ratio >= self.magnetic) & (heat > 0.0))

    def next_s(self, t_s: float) -> float:
        """Return when the next breaker trips or is closed [s]."""
        k, at = self.condition, self.at
        if not len(at):
            return math.inf
        if not self.warm:
            return float(k.reclose_s[at].min())
        waits = trip_time_s(self.ratio, self.thermal_s, self.magnetic, heat=k.heat[at])
        waits = np.where(k.live[at], waits, math.inf)
        return min(t_s + float(waits.min()), float(k.reclose_s[at].min()))


def _together(id: str) -> str:
    """Return how an event names several items of a stage: pdu-a/* of pdu-a/3."""
    return f"{id.rpartition('/')[0]}/*"
