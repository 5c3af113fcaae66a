"""Colours of cables: by rail, or by load with lost cables in crimson; pieces that are told apart from the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Bytes, Floats
from twin.plant.geometry import TrayBundles
from twin.plant.tray_runs import CableRuns
from twin.record.channels import BY_ID
from twin.record.frame import Frame
from twin.view3d.base import palette
from twin.view3d.base.palette import Rgb
from twin.view3d.base.state import CablesBy, Theme
from twin.view3d.base.theme import colours_of

RAIL_RGB: tuple[Rgb, ...] = (
    (0.86, 0.66, 0.13),
    (0.13, 0.68, 0.74),
    (0.62, 0.36, 0.84),
    (0.85, 0.42, 0.55),
    (0.45, 0.70, 0.30),
    (0.28, 0.48, 0.88),
    (0.88, 0.49, 0.20),
    (0.60, 0.66, 0.74),
)
"""Colours of rails 0, 1, 2 ...; more rails begin again."""
SPINE_RGB: Rgb = (0.50, 0.57, 0.68)
IDLE_RGB: Rgb = (0.33, 0.37, 0.43)

TRAFFIC_RGB: dict[str, Rgb] = {
    "data": (0.30, 0.88, 1.00),
    "pipeline": (1.00, 0.70, 0.24),
    "tensor": (1.00, 0.42, 0.78),
    "context": (0.56, 0.95, 0.44),
    "expert": (0.74, 0.58, 1.00),
}
"""Colours of dashes by kind of communication."""

RAMP_FROM = 0.10
"""Loads use the ramp from here on: its first colours are too dark for thin things before a dark ground."""
IDLE_PERCENT = 0.5
"""Below this nothing worth seeing is sent."""

LOOSE_DIM = 0.78
"""How far cables that are not told apart go towards the colour of cabinets."""


def rail_rgb(rail: int) -> Rgb:
    """Return the colour of a rail; -1 is the cables from leaf to spine."""
    return SPINE_RGB if rail < 0 else RAIL_RGB[rail % len(RAIL_RGB)]


def traffic_rgb(kind: str) -> Rgb:
    """Return the colour of a kind of communication."""
    return TRAFFIC_RGB.get(kind, TRAFFIC_RGB["data"])


def log_place(value: float, high: float) -> float:
    """Return the place of a value, 0..1, where 0 lies at 0 and `high` at 1 and ratios of the value plus one count."""
    return float(np.log1p(value) / np.log1p(high))


def load_rgb(percent: Floats) -> Floats:
    """Return the colour of a link load, shape (n, 3); what is idle is grey.

    The scale is logarithmic: training keeps most links at a few percent of their rate over a step, and the
    difference between 2 and 10 % matters as much as that between 20 and 100 %.
    """
    channel = BY_ID["bundle.load"]
    place = np.log1p(np.clip(percent, 0.0, channel.high)) / np.log1p(channel.high)
    rgb = palette.ramp(channel.colormap, RAMP_FROM + (1 - RAMP_FROM) * place)
    return np.where((percent < IDLE_PERCENT)[:, None], IDLE_RGB, rgb)


@dataclass(frozen=True)
class CableState:
    """Load [%] and lost cables of every bundle; arrays of their own, frames may lie in shared memory.

    `switches` are the states and loads of what they hang on.
    """

    load: NDArray[Any]
    down: NDArray[Any]
    switches: bytes = b""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CableState):
            return NotImplemented
        return (
            np.array_equal(self.load, other.load)
            and np.array_equal(self.down, other.down)
            and self.switches == other.switches
        )

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def of(cls, frame: Frame | None, bundles: int) -> CableState:
        """Return the state in a frame; nothing sent and nothing lost without one."""
        load, down = (np.zeros(bundles, np.uint8) for _ in range(2))
        switches = b""
        if frame is not None:
            for out, channel in ((load, "bundle.load"), (down, "bundle.down")):
                values = frame.values[channel][:bundles]
                out[: len(values)] = values
            switches = b"".join(frame.values[name].tobytes() for name in ("switch.state", "switch.load"))
        return cls(load, down, switches)


@dataclass(frozen=True)
class Marked:
    """Pieces told apart.

    Parameters
    ----------
    isolated
        Pieces to keep while the others fade; None: all.
    selected, hovered
        Pieces under the outline's colour.
    """

    isolated: NDArray[np.int32] | None = None
    selected: NDArray[np.int32] | None = None
    hovered: NDArray[np.int32] | None = None


def piece_colours(
    by: CablesBy,
    drawn: TrayBundles,
    runs: CableRuns,
    state: CableState,
    marked: Marked,
    theme: Theme,
    painted: Floats | None = None,
) -> Bytes:
    """Return red, green, blue and shine of every piece, shape (pieces, 4); where many bundles lie, of the highest.

    `painted` are other colours of the pieces, shape (pieces, 3).
    """
    out = np.zeros((len(runs), 4))
    if painted is not None:
        out[:, :3], out[:, 3] = painted, 1.0
    elif by == "load":
        out[:, :3] = load_rgb(runs.highest(state.load[runs.bundle]).astype(float))
        out[runs.highest(state.down[runs.bundle]) > 0, :3] = palette.DEAD_RGB
        out[:, 3] = 1.0
    else:
        table = np.array([rail_rgb(rail) for rail in range(-1, int(drawn.rail.max(initial=-1)) + 1)])
        out[:, :3] = table[drawn.rail[runs.line] + 1]
    colours = colours_of(theme)
    if marked.isolated is not None:
        rest = np.ones(len(runs), bool)
        rest[marked.isolated] = False
        out[rest, :3] += LOOSE_DIM * (np.array(colours.body) - out[rest, :3])
        out[rest, 3] = 0.0
        out[~rest, 3] = 1.0
    for pieces, rgb, share in (
        (marked.selected, colours.outline, 0.75),
        (marked.hovered, colours.hover, 0.45),
    ):
        if pieces is not None and len(pieces):
            out[pieces, :3] += share * (np.array(rgb) - out[pieces, :3])
            out[pieces, 3] = 1.0
    return np.rint(np.clip(out, 0.0, 1.0) * 255).astype(np.uint8)
