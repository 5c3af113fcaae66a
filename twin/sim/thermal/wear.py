"""Wear of GPUs: the GPU-hours their dies spend above temperature bands, by GPU part."""

from __future__ import annotations

from typing import Any

import numpy as np

from twin.arrays import Floats
from twin.physics.thermal_network import ThermalState
from twin.sim.core.state import Derived, Fields, StateField, Stateful
from twin.sim.thermal.clocks import Clocks
from twin.sim.thermal.gpu_groups import Traces

BANDS_C = np.array([70.0, 75.0, 80.0, 85.0, 90.0])
MOVED_K = 0.02
"""A group is counted again when its dies have moved by this much [K]: the count is a little late, never wrong."""
HOUR_S = 3600.0


class Lifetime(Stateful):
    """Counts the GPUs of each group above each band with the real spread of their dies.

    Parameters
    ----------
    names
        GPU part name of each thermal part; parts of one name are counted together.
    traces, clocks
        Who stands in which group, and what its exhaust adds to the GPUs behind.
    """

    def __init__(self, names: list[str], traces: Traces, clocks: Clocks) -> None:
        self.names, self.traces, self.clocks = names, traces, clocks
        self.above_s: dict[str, Floats] = {name: np.zeros(len(BANDS_C)) for name in names}
        self._sorted: dict[int, tuple[Floats, Floats]] = {}  # spread of GPUs in front and behind, by group
        self._version = -1
        self._counted: dict[
            int, tuple[tuple[float, ...], Floats]
        ] = {}  # (chain of the dies, GPUs above) by group
        self.any = False  # some die was above the lowest band at the latest look

    def book(self, before: ThermalState, after: ThermalState, hottest_c: float, dt_s: float) -> None:
        """Book a step of the present groups, at whose end the hottest die of all has `hottest_c` [C]."""
        if hottest_c < BANDS_C[0] and not self.any:
            return
        self._book(before, after, dt_s)

    def _book(self, before: ThermalState, after: ThermalState, dt_s: float) -> None:
        hottest_c, behind_k = self.traces.hottest_c, self.clocks.downstream_c()
        hot_c = np.maximum(hottest_c(before, behind_k), hottest_c(after, behind_k)) + self.traces.dark_c
        warm = np.flatnonzero(hot_c >= BANDS_C[0])
        if self._version != self.traces.version:
            self._version = self.traces.version
            self._sorted.clear()
            self._counted.clear()
        for g in warm.tolist():
            # Half the step at the count of its start, half at that of its end.
            counts = self._above(g, before) + self._above(g, after)
            self.above_s[self.names[int(self.traces.groups.part[g])]] += 0.5 * dt_s * counts
        self.any = bool(hot_c.max(initial=0.0) >= BANDS_C[0])

    def _above(self, group: int, state: ThermalState) -> Floats:
        """GPUs of a group above each band."""
        clocks = self.clocks
        common, spread = state.chain[group, 0].tolist()
        behind = float(clocks.downstream_k_w[self.traces.groups.part[group]])
        chain = (common, spread, behind * float(clocks.base_w[group]), behind * float(clocks.dyn_w[group]))
        known = self._counted.get(group)
        if known is not None:
            (a, b, c, d), (e, f, g, h) = known[0], chain
            if abs(a - e) + abs(b - f) + abs(c - g) + abs(d - h) <= MOVED_K:
                return known[1]
        front, back = self._spreads(group)
        above = _count(front, common, spread) + _count(back, common + chain[2], spread + chain[3])
        self._counted[group] = chain, above
        return above

    def _spreads(self, group: int) -> tuple[Floats, Floats]:
        if group not in self._sorted:
            front, back = self.traces.dies_of(group)
            self._sorted[group] = np.sort(front), np.sort(back)
        return self._sorted[group]

    def summary(self) -> dict[str, Any]:
        """Return GPU-hours above each band by GPU part, as JSON."""
        return {
            "gpu_hours_above": {
                name: {
                    f"{band:.0f}": hours for band, hours in zip(BANDS_C, (s / HOUR_S).tolist(), strict=True)
                }
                for name, s in self.above_s.items()
            }
        }

    def on_restored(self) -> None:
        """Sort dies again when they are asked for."""
        self._sorted = {}

    def _take_current(self, current: bool) -> None:
        self._version = self.traces.version if current else -1

    STATE = Fields(
        StateField(
            "above_s",
            lambda saved: {name: np.array(s) for name, s in saved.items()},
            lambda above: {name: s.tolist() for name, s in above.items()},
        ),
        StateField(
            "_counted",
            lambda saved: {int(g): (tuple(chain), np.array(above)) for g, chain, above in saved},
            lambda counted: [[g, list(chain), above.tolist()] for g, (chain, above) in counted.items()],
        ),
        Derived("current", lambda part: part._version == part.traces.version, _take_current),
        StateField("any", bool),
    )


def _count(sorted_s: Floats, common_c: float, spread_c: float) -> Floats:
    """Dies at common + s spread above each band, from their sorted spread factors."""
    if abs(spread_c) < 1e-12:
        return np.where(common_c > BANDS_C, float(sorted_s.size), 0.0)
    limit = (BANDS_C - common_c) / spread_c
    if spread_c > 0:
        return (sorted_s.size - np.searchsorted(sorted_s, limit, side="right")).astype(float)
    return np.searchsorted(sorted_s, limit, side="left").astype(float)
