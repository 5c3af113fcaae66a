"""Batteries at work: charge, UPS recharging, and storage that keeps the grid below its peak and within its ramp."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats
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


class BatterySystem(Stateful):
    """Moves the charge of all batteries, and decides what they do next."""

    def __init__(self, circuit: Circuit, condition: Condition, sources: Sources) -> None:
        self.circuit, self.condition, self.sources = circuit, condition, sources
        self.target_j: Floats = target_charge(circuit) * circuit.energy_j
        self._nearly_j = self.target_j * (1 - JUST)
        self.charges_ups = bool(condition.charging_w.any())
        self.any_ups = bool((circuit.is_ups & (circuit.energy_j > 0)).any())
        self._batteries: list[int] = np.flatnonzero(circuit.is_battery).tolist()
        self.any_storage = bool(self._batteries)
        self.grid_w = math.nan  # what the grid gave a moment ago; nan: it has not given yet
        self.track_s = 0.0  # when that was looked at
        self.tick_s = 0.0  # until the next step of a ramp, 0: none is under way
        self.too_high = False  # the grid gives more than the peak that batteries should hold
        peaks = np.where(circuit.is_battery, circuit.items.peak_w, math.inf)
        self._shaver = int(np.argmin(peaks)) if np.isfinite(peaks).any() else -1

    def drained_w(self, in_w: Floats) -> Floats:
        """Return by how much the charge of each battery falls now [W]; negative: it charges."""
        c, k = self.circuit, self.condition
        stored = np.where(k.battery_w > 0, k.battery_w / c.one_way, k.battery_w * c.one_way)
        result: Floats = stored + np.where(k.on_battery, in_w, 0.0) - k.charging_w * UPS_CHARGE_EFFICIENCY
        return result

    def move(self, drained_w: Floats, dt_s: float) -> None:
        """Let charge fall or rise for `dt_s` [s]."""
        c, k = self.circuit, self.condition
        moved = np.clip(k.charge_j - drained_w * dt_s, 0.0, c.energy_j)
        k.charge_j = np.where(moved < JUST * c.energy_j, 0.0, moved)

    def recharge_ups(self, on_grid: NDArray[np.bool_]) -> None:
        """Let every UPS whose input hangs on the grid charge its battery."""
        c, k = self.circuit, self.condition
        if not (k.charge_j < self._nearly_j).any():
            if self.charges_ups:
                k.charging_w, self.charges_ups = np.zeros(c.count), False
            return
        wants = c.is_ups & k.fed & on_grid & ~k.emptied & (k.charge_j < self._nearly_j)
        k.charging_w = np.where(wants, UPS_RECHARGE_SHARE * np.nan_to_num(c.unit_w * (c.units - k.lost)), 0.0)
        self.charges_ups = bool(wants.any())

    def idle(self) -> None:
        """Let battery storage that no island needs rest, before it is decided what it does."""
        c, k = self.circuit, self.condition
        for i in self._batteries:
            if not k.island[c.bus[i]]:
                k.battery_w[i] = 0.0

    def _usable(self, on_grid: NDArray[np.bool_]) -> list[int]:
        c, k = self.circuit, self.condition
        return [
            i
            for i in self._batteries
            if on_grid[c.bus[i]] and not k.island[c.bus[i]] and self.sources.healthy(i)
        ]

    def smooth(
        self,
        t_s: float,
        on_grid: NDArray[np.bool_],
        at_rest: tuple[float, Floats],
        solve: Callable[[], tuple[float, Floats]],
    ) -> None:
        """Set the power of battery storage beside the grid.

        `solve` returns what grid and outputs give with it; `at_rest` is that while no battery does anything.
        """
        items = self.circuit.items
        usable = self._usable(on_grid)
        load_w, out_w = at_rest
        if not usable:
            self._track(t_s, load_w, 0.0)
            return
        ramp, peak = float(items.ramp_w_s[usable].min()), float(items.peak_w[usable].min())
        before = load_w if math.isnan(self.grid_w) else self.grid_w
        window_s = min(t_s - self.track_s, self.tick_s)
        wish = sum(self._wish_w(i) for i in usable)
        step_w = math.inf if math.isinf(ramp) else ramp * window_s
        aim = smoothed_grid_w(load_w, before, step_w, peak, wish)
        moved, seen = 0.0, load_w
        for _ in range(
            40
        ):  # losses between battery and grid are a few percent of it: each turn gains a digit
            miss = seen - aim
            if abs(miss) <= CLOSE_W:
                break
            given = self._share(usable, moved + miss, out_w)
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

    def _wish_w(self, i: int) -> float:
        k = self.condition
        short = k.charge_j[i] < self.target_j[i] * (1 - JUST) and not k.emptied[i]
        return RECHARGE_SHARE * self.sources.rated_w(i) if short else 0.0

    def _share(self, usable: list[int], wanted_w: float, out_w: Floats) -> float:
        """Let batteries give `wanted_w` together, negative to charge, as far as they can; return what they give [W]."""
        k = self.condition
        if wanted_w >= 0:
            most = np.array([self._most_w(i, out_w) if self._above_reserve(i) else 0.0 for i in usable])
        else:
            most = np.array([-self.sources.rated_w(i) if self._has_room(i) else 0.0 for i in usable])
        together = float(most.sum())
        share = min(1.0, wanted_w / together) if together else 0.0
        k.battery_w[usable] = share * most
        return share * together

    def _most_w(self, i: int, out_w: Floats) -> float:
        """Return the most that a battery can give: what its bus passes on, less what other sources give [W]."""
        bus = self.circuit.bus[i]
        others_w = sum(self.sources.beside_grid_w(j) for j in self.circuit.sources_at[bus])
        return min(self.sources.rated_w(i), max(0.0, float(out_w[bus]) - others_w))

    def _above_reserve(self, i: int) -> bool:
        c, k = self.circuit, self.condition
        return bool(k.charge_j[i] > (c.items.reserve[i] + JUST) * c.energy_j[i])

    def _has_room(self, i: int) -> bool:
        c, k = self.circuit, self.condition
        return bool(k.charge_j[i] < (1 - JUST) * c.energy_j[i] and not k.emptied[i])

    def next_s(self, t_s: float, drained_w: Floats) -> float:
        """Return when a battery will be empty, at its reserve, full enough or full, or the next step is due [s]."""
        c, k = self.circuit, self.condition
        due = t_s + self.tick_s if self.tick_s > 0 else math.inf
        for i in np.flatnonzero(drained_w != 0).tolist():
            rate, charge = float(drained_w[i]), float(k.charge_j[i])
            for mark in self._marks(i):
                ahead = charge - mark
                if ahead * rate > 0 and abs(ahead) > JUST * c.energy_j[i]:
                    due = min(due, t_s + ride_through_s(abs(ahead), abs(rate)))
        return due

    def _marks(self, i: int) -> tuple[float, ...]:
        c = self.circuit
        whole = float(c.energy_j[i])
        if c.is_ups[i]:
            return 0.0, whole
        return 0.0, float(c.items.reserve[i]) * whole, float(self.target_j[i]), whole

    STATE = Row(
        "storage",
        *StateField.each("grid_w", "track_s", "tick_s", load=float),
        StateField("too_high", bool, float),
    )
