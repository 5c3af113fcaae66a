"""Batteries at work: charge, UPS recharging, and storage that keeps the grid below its peak and within its ramp."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats, IntP, lowest
from twin.physics.batteries import (
    UPS_CHARGE_EFFICIENCY,
    UPS_RECHARGE_SHARE,
    ride_through_s,
    smoothed_grid_w,
)
from twin.sim.core.state import Row, StateField, Stateful
from twin.sim.power.circuit import Circuit
from twin.sim.power.item_state import Condition, target_charge
from twin.sim.power.sources import JUST, Sources

RECHARGE_SHARE = 0.25
"""Power with which battery storage charges when nothing presses, over its rating [estimated]."""
RAMP_STEPS = 20.0
"""Steps in which a change of grid power is let through."""
SHORTEST_TICK_S = 1.0
CLOSE_W = 1e-6
"""Grid power is held to this."""
CALM, REFILLED = 0.97, 0.05
"""A peak is held again when loads are below this share of it, or with this share of energy above the reserve."""


class Able(NamedTuple):
    """Batteries that can work beside the grid, while things are switched as they are.

    Parameters
    ----------
    at, place
        The batteries, and their places among all.
    rated_w
        What the units of each that are left can give [W].
    ramp_w_s, peak_w
        The tightest limits of them [W/s], [W].
    """

    at: IntP
    place: IntP
    rated_w: Floats
    ramp_w_s: float
    peak_w: float


class BatterySystem(Stateful):
    """Moves the charge of all batteries, and decides what they do next.

    Attributes
    ----------
    grid_w, track_s
        What the grid gave when that was last looked at [W], and when that was [s].
    tick_s
        Until the next step of a ramp [s]; 0: none is under way.
    too_high
        Whether the grid gives more than the peak that batteries should hold.
    """

    def __init__(self, circuit: Circuit, condition: Condition, sources: Sources) -> None:
        self.circuit, self.condition, self.sources = circuit, condition, sources
        self.target_j: Floats = target_charge(circuit) * circuit.energy_j
        self._nearly_j = self.target_j * (1 - JUST)
        self.charges_ups = bool(condition.charging_w.any())
        self._ups = np.flatnonzero(circuit.is_ups & (circuit.energy_j > 0))
        self.any_ups = bool(len(self._ups))
        at = self._at = circuit.batteries
        self.any_storage = bool(len(at))
        self._bus = np.array(circuit.bus, np.intp)[at]
        self._bus_place = np.array(
            [list(circuit.sources_at).index(bus) for bus in self._bus.tolist()], np.intp
        )
        self._stores, self._energy_j = circuit.stores, circuit.energy_j[circuit.stores]
        self._marks_j, self._little_j = self._marks(), JUST * self._energy_j[:, None]
        self._able: Able | None = None  # until something is switched
        self.grid_w = math.nan  # it has not given yet
        self.track_s = self.tick_s = 0.0
        self.too_high = False
        peaks = np.where(circuit.is_battery, circuit.items.peak_w, math.inf)
        self._shaver = int(np.argmin(peaks)) if np.isfinite(peaks).any() else -1

    def drained_w(self, in_w: Floats) -> Floats:
        """Return by how much the charge of each battery falls now (I,) [W]; negative: it charges.

        `in_w` is the input of each item (I,) [W].
        """
        c, k, at, stores = self.circuit, self.condition, self._at, self._stores
        result = np.zeros(c.count)
        given_w = k.battery_w[at]
        result[at] = np.where(given_w > 0, given_w / c.one_way[at], given_w * c.one_way[at])
        result[stores] += np.where(k.on_battery[stores], in_w[stores], 0.0)
        result[stores] -= k.charging_w[stores] * UPS_CHARGE_EFFICIENCY
        return result

    def move(self, drained_w: Floats, dt_s: float) -> None:
        """Let the charge of each item fall by `drained_w` (I,) [W] for `dt_s` [s]; it stays between empty and full."""
        charge_j, stores, whole_j = self.condition.charge_j, self._stores, self._energy_j
        moved = np.clip(charge_j[stores] - drained_w[stores] * dt_s, 0.0, whole_j)
        charge_j[stores] = np.where(moved < JUST * whole_j, 0.0, moved)

    def recharge_ups(self, on_grid: NDArray[np.bool_]) -> None:
        """Let every UPS whose input hangs on the grid charge its battery."""
        c, k, ups = self.circuit, self.condition, self._ups
        short = k.charge_j[ups] < self._nearly_j[ups]
        if not np.count_nonzero(short):
            if self.charges_ups:
                k.charging_w, self.charges_ups = np.zeros(c.count), False
            return
        wants = ups[short & k.fed[ups] & on_grid[ups] & ~k.emptied[ups]]
        k.charging_w = np.zeros(c.count)
        k.charging_w[wants] = UPS_RECHARGE_SHARE * np.nan_to_num(c.unit_w * (c.units - k.lost))[wants]
        self.charges_ups = bool(len(wants))

    def idle(self) -> None:
        """Let battery storage that no island needs rest, before it is decided what it does."""
        k = self.condition
        k.battery_w[self._at[~k.island[self._bus]]] = 0.0

    def look_again(self) -> None:
        """Take note that something was switched."""
        self._able = None

    def _able_now(self, on_grid: NDArray[np.bool_]) -> Able:
        if self._able is None:
            sources, items = self.sources, self.circuit.items
            usable = on_grid[self._bus] & ~self.condition.island[self._bus]
            usable &= np.array([sources.healthy(i) for i in self._at.tolist()], bool)
            place = usable.nonzero()[0]
            at = self._at[place]
            rated_w = np.array([sources.rated_w(i) for i in at.tolist()], float)
            self._able = Able(at, place, rated_w, lowest(items.ramp_w_s[at]), lowest(items.peak_w[at]))
        return self._able

    def smooth(
        self,
        t_s: float,
        on_grid: NDArray[np.bool_],
        at_rest: tuple[float, Floats],
        solve: Callable[[], tuple[float, Floats]],
    ) -> None:
        """Set the power of battery storage beside the grid.

        `solve` returns what the grid and each output (I,) give with it [W]; `at_rest` is that while no battery does
        anything. `on_grid`: whether the input of each item leads to the grid (I,).
        """
        able = self._able_now(on_grid)
        (load_w, out_w), ramp, peak = at_rest, able.ramp_w_s, able.peak_w
        if not able.at.size:
            self._track(t_s, load_w, 0.0)
            return
        before = load_w if math.isnan(self.grid_w) else self.grid_w
        window_s = min(t_s - self.track_s, self.tick_s)
        wish = self._wish_w(able)
        shares: dict[bool, tuple[Floats, float]] = {}  # most that they can do, by whether they give
        step_w = math.inf if math.isinf(ramp) else ramp * window_s
        aim = smoothed_grid_w(load_w, before, step_w, peak, wish)
        moved, seen = 0.0, load_w
        for _ in range(
            40
        ):  # losses between battery and grid are a few percent of it: each turn gains a digit
            miss = seen - aim
            if abs(miss) <= CLOSE_W:
                break
            gives = moved + miss >= 0
            if gives not in shares:
                most_w = self._most_w(able, out_w) if gives else self._most_charged_w(able)
                shares[gives] = most_w, float(np.add.reduce(most_w))
            given = self._share(able.at, moved + miss, *shares[gives])
            if abs(given - moved) <= CLOSE_W:
                break
            moved, (seen, _) = given, solve()
        free = smoothed_grid_w(load_w, before, math.inf, peak, wish)
        left = abs(free - seen) if abs(seen - aim) <= 1.0 else 0.0
        tick_s = 0.0
        if math.isfinite(ramp) and left > 1.0:
            whole_s = left / ramp
            tick_s = max(SHORTEST_TICK_S, whole_s / RAMP_STEPS, min(self.tick_s, whole_s))
        self._track(t_s, seen, tick_s)

    def tell_peak(self, t_s: float, grid_w: float) -> None:
        """Say when the peak that batteries hold is exceeded, and why; and when it is held again."""
        i = self._shaver
        if i < 0:
            return
        c, k, peak_w = self.circuit, self.condition, float(self.circuit.items.peak_w[i])
        over, log = grid_w > peak_w * (1 + 1e-6), self.sources.log
        if over and not self.too_high:
            why = "battery at rated power" if self._above_reserve(i) else "battery at minimum state of charge"
            why = why if self.sources.healthy(i) else "battery out of service"
            text = f"utility supplies {grid_w / 1e3:.0f} kW, above the peak of {peak_w / 1e3:.0f} kW: {why}"
            log.add(t_s, "peak_exceeded", c.items.ids[i], text, grid_w=float(grid_w), limit_w=peak_w)
            self.too_high = True
        elif self.too_high and not over:
            refilled = k.charge_j[i] > (c.items.reserve[i] + REFILLED) * c.energy_j[i]
            without_w = grid_w + float(k.battery_w.sum())  # what charges them could be left out
            if without_w <= CALM * peak_w or (refilled and self.sources.healthy(i)):
                text = f"utility power within the peak of {peak_w / 1e3:.0f} kW"
                log.add(t_s, "peak_kept", c.items.ids[i], text, grid_w=float(grid_w), limit_w=peak_w)
                self.too_high = False

    def _track(self, t_s: float, grid_w: float, tick_s: float) -> None:
        self.grid_w, self.track_s, self.tick_s = grid_w, t_s, tick_s

    def _wish_w(self, able: Able) -> float:
        """Return with what some batteries want to charge together while nothing presses [W]."""
        k = self.condition
        short = (k.charge_j[able.at] < self._nearly_j[able.at]) & ~k.emptied[able.at]
        return float(RECHARGE_SHARE * able.rated_w[short].sum()) if np.count_nonzero(short) else 0.0

    def _share(self, at: IntP, wanted_w: float, most_w: Floats, together_w: float) -> float:
        """Let batteries give `wanted_w` together, negative to charge, as far as they can; return what they give [W]."""
        share = min(1.0, wanted_w / together_w) if together_w else 0.0
        self.condition.battery_w[at] = share * most_w
        return share * together_w

    def _most_w(self, able: Able, out_w: Floats) -> Floats:
        """Return the most that batteries can give: what their bus passes on, less what other sources give [W]."""
        c, at = self.circuit, able.at
        left_w = out_w[self._bus[able.place]] - self.sources.beside_w()[self._bus_place[able.place]]
        above = self.condition.charge_j[at] > (c.items.reserve[at] + JUST) * c.energy_j[at]
        most_w: Floats = np.where(above, np.minimum(able.rated_w, np.maximum(0.0, left_w)), 0.0)
        return most_w

    def _most_charged_w(self, able: Able) -> Floats:
        """Return the most that batteries give while they charge, negative; nothing where they are full [W]."""
        k, at = self.condition, able.at
        room = (k.charge_j[at] < (1 - JUST) * self.circuit.energy_j[at]) & ~k.emptied[at]
        most_w: Floats = np.where(room, -able.rated_w, 0.0)
        return most_w

    def _above_reserve(self, i: int) -> bool:
        c, k = self.circuit, self.condition
        return bool(k.charge_j[i] > (c.items.reserve[i] + JUST) * c.energy_j[i])

    def next_s(self, t_s: float, drained_w: Floats) -> float:
        """Return when a battery will be empty, at its reserve, full enough or full [s]."""
        rate_w = drained_w[self._stores, None]
        ahead_j = self.condition.charge_j[self._stores, None] - self._marks_j
        falls = ahead_j * rate_w > 0
        falls &= np.abs(ahead_j) > self._little_j
        return t_s + lowest(ride_through_s(np.abs(ahead_j), np.abs(rate_w))[falls])

    def _marks(self) -> Floats:
        """Return the charges at which a store is another: empty, at reserve, full enough, full (stores, 4) [J]."""
        c, at, whole_j = self.circuit, self._stores, self._energy_j
        marks_j = np.stack([0.0 * whole_j, c.items.reserve[at] * whole_j, self.target_j[at], whole_j], axis=1)
        marks_j[c.is_ups[at], 1:3] = math.nan  # nobody holds back what is in a UPS
        return marks_j

    STATE = Row(
        "storage",
        *StateField.each("grid_w", "track_s", "tick_s", load=float),
        StateField("too_high", bool, float),
    )
