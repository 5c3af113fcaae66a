"""What the power tree shows: colour by load, a pattern and a word for every state. No GL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from twin.language import tr
from twin.plant.tables import Plant
from twin.record.channels import BY_ID, PowerState
from twin.record.frame import Frame
from twin.view3d.base import palette
from twin.view3d.base.palette import Rgb
from twin.view3d.colour.override_colours import Repainted, machines_of


class Pattern(IntEnum):
    """How a line is drawn, so that no state is told by colour alone."""

    PLAIN = 0
    DASHED = 1  # dead
    HAZARD = 2  # overload
    LONG = 3  # on battery, or another stand-in
    FAINT = 4  # standing by


DEAD_RGB: Rgb = (0.40, 0.42, 0.47)
OVERLOAD_RGB: Rgb = (1.0, 0.16, 0.20)
BATTERY_RGB: Rgb = (1.0, 0.72, 0.16)
STANDBY_RGB: Rgb = (0.36, 0.45, 0.60)
BROKEN = frozenset({PowerState.DEAD, PowerState.TRIPPED, PowerState.FAILED})
UNWELL = BROKEN | {PowerState.ON_BATTERY, PowerState.STARTING, PowerState.OVERLOAD, PowerState.ON_SPARE}
"""States that the layer shows itself for."""
_PATTERN = {
    **dict.fromkeys(BROKEN, Pattern.DASHED),
    PowerState.OVERLOAD: Pattern.HAZARD,
    PowerState.ON_BATTERY: Pattern.LONG,
    PowerState.STARTING: Pattern.LONG,
    PowerState.DISCHARGING: Pattern.LONG,
    PowerState.STANDBY: Pattern.FAINT,
}
_RGB: dict[PowerState, Rgb] = {
    **dict.fromkeys(BROKEN, DEAD_RGB),
    PowerState.OVERLOAD: OVERLOAD_RGB,
    PowerState.ON_BATTERY: BATTERY_RGB,
    PowerState.STARTING: BATTERY_RGB,
    PowerState.DISCHARGING: BATTERY_RGB,
    PowerState.STANDBY: STANDBY_RGB,
}
ICON: dict[PowerState, str] = {
    PowerState.LIVE: "●",
    PowerState.DEAD: "✖",
    PowerState.TRIPPED: "⊘",
    PowerState.FAILED: "✖",
    PowerState.ON_BATTERY: "◧",
    PowerState.STARTING: "↻",
    PowerState.RUNNING: "▶",
    PowerState.STANDBY: "◇",
    PowerState.OVERLOAD: "▲",
    PowerState.CHARGING: "▽",
    PowerState.DISCHARGING: "△",
    PowerState.ON_SPARE: "⇄",
}
WORDS: dict[PowerState, str] = {state: tr(state.name.lower().replace("_", " ")) for state in PowerState}
_PALE = 0.20
"""Share of white in the colours of load: the low end of the ramp has to stand out from a dark hall."""


@dataclass(frozen=True)
class PowerShown:
    """State and load of every power item.

    Parameters
    ----------
    state
        PowerState.
    load
        Of the capacity [%].
    painted
        Colour of each item in the place of its own (n, 3); None: its own.
    """

    state: NDArray[np.int64]
    load: NDArray[np.float64]
    painted: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, plant: Plant, frame: Frame | None, repainted: Repainted | None = None) -> PowerShown:
        """Return what a frame says; without one all is live and without load."""
        count = len(plant.power.ids)
        if frame is None or len(frame.values["power.state"]) != count:
            return cls(np.zeros(count, np.int64), np.zeros(count))
        load = np.nan_to_num(np.asarray(frame.values["power.load"], float))
        machines = machines_of(repainted)
        painted = None if machines is None else machines.power
        return cls(np.asarray(frame.values["power.state"]).astype(np.int64), load, painted)

    @property
    def unwell(self) -> NDArray[np.bool_]:
        """Return which items are not as they should be."""
        return np.isin(self.state, [int(s) for s in UNWELL])

    def rgb(self) -> NDArray[np.float64]:
        """Return the colour of each item, (n, 3)."""
        return self.own_rgb() if self.painted is None else self.painted

    def own_rgb(self) -> NDArray[np.float64]:
        """Return the colour that its load and state give each item, (n, 3)."""
        out = load_rgb(self.load)
        for state, colour in _RGB.items():
            out[self.state == state] = colour
        return out

    def pattern(self) -> NDArray[np.int64]:
        """Return the Pattern of each item."""
        table = np.array([int(_PATTERN.get(state, Pattern.PLAIN)) for state in PowerState])
        return table[np.clip(self.state, 0, len(table) - 1)]


def load_rgb(load: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the colour of a load [% of capacity], over the fixed range of the channel, (n, 3)."""
    high = BY_ID["power.load"].high
    ramp = palette.ramp("viridis", np.clip(np.asarray(load, float) / high, 0.0, 1.0))
    return ramp * (1 - _PALE) + _PALE


def branch_of(plant: Plant, items: Sequence[int]) -> NDArray[np.bool_]:
    """Return which items these hang on, all the way up, and which hang on them, all the way down."""
    power = plant.power
    up, down = np.zeros(len(power.ids), bool), np.zeros(len(power.ids), bool)
    up[list(items)] = down[list(items)] = True
    for item in range(len(power.ids) - 1, -1, -1):  # children come after their parents
        for above in (int(power.parent[item]), int(power.bus[item])):
            if above >= 0 and up[item]:
                up[above] = True
    for item in range(len(power.ids)):
        above = int(power.parent[item])
        down[item] |= above >= 0 and down[above]
    return up | down
