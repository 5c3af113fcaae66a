"""Colours of data: ramps, states, jobs, and the one look-up table that the shaders read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twin.language import tr
from twin.record.channels import State

Rgb = tuple[float, float, float]

RAMP = 256
"""Entries of the look-up table that hold the ramp; categories follow."""
STATE_BASE = 256
JOB_BASE = 272
JOBS = 24
NO_JOB = JOB_BASE + JOBS
DEAD = NO_JOB + 1
OFF = DEAD + 1
ABSENT = OFF + 1
LOST = ABSENT + 1
THINNED = LOST + 1
UNTOUCHED = THINNED + 1
THROTTLE_BASE = UNTOUCHED + 1
LUT_SIZE = 512


def _hex(*codes: str) -> list[Rgb]:
    return [(int(c[0:2], 16) / 255, int(c[2:4], 16) / 255, int(c[4:6], 16) / 255) for c in codes]


# viridis and cividis: published control colours (matplotlib 1.5; Nunez et al. 2018, doi 10.1371/journal.pone.0199239).
# "turbo" runs blue - cyan - green - yellow - orange like Google's map of that name, but stops short of dark red:
# crimson is kept for dead parts.
_RAMPS: dict[str, list[Rgb]] = {
    "viridis": _hex(
        "440154", "482878", "3e4989", "31688e", "26828e", "1f9e89", "35b779", "6ece58", "b5de2b", "fde725"
    ),
    "cividis": _hex("00224e", "1f3a6d", "434e6c", "5f636e", "7b7a77", "9b9174", "bba969", "ddc554", "fee838"),
    "turbo": _hex(
        "27336f",
        "2b4fb8",
        "2f74e6",
        "2a9df0",
        "1fc3dc",
        "2ddcae",
        "6be777",
        "b4ea45",
        "f0d22f",
        "fd9f2a",
        "f8611d",
    ),
    # Of differences: less is blue, more orange, none grey; told apart with any kind of colour blindness.
    "difference": _hex(
        "5ec8ff", "2f8fe8", "3f6fb0", "5f6a78", "747474", "8a7460", "b8763a", "f08a1e", "ffc24a"
    ),
}

DEAD_RGB: Rgb = (0.93, 0.06, 0.22)
OFF_RGB: Rgb = (0.17, 0.11, 0.20)
UNPOWERED_RGB: Rgb = (0.07, 0.11, 0.30)
LOST_RGB: Rgb = (1.0, 0.33, 0.20)
THINNED_RGB: Rgb = (1.0, 0.80, 0.25)
UNTOUCHED_RGB: Rgb = (0.15, 0.18, 0.23)
"""What a fault takes away, what only loses its redundancy, and the rest of the hall."""

STATE_RGB: dict[State, Rgb] = {
    State.ABSENT: (0.05, 0.06, 0.08),
    State.IDLE: (0.29, 0.35, 0.43),
    State.SPARE: (0.22, 0.44, 0.78),
    State.RUNNING: (0.14, 0.76, 0.55),
    State.CHECKPOINT: (0.98, 0.82, 0.25),
    State.RESTARTING: (0.62, 0.45, 0.95),
    State.WAITING: (0.98, 0.55, 0.16),
    State.FAILED: DEAD_RGB,
    State.DRAINED: (0.55, 0.45, 0.45),
    State.OFF: OFF_RGB,
    State.CUT_OFF: (0.90, 0.40, 0.76),
    State.UNPOWERED: UNPOWERED_RGB,
}
STATE_ICON: dict[State, str] = {
    State.ABSENT: "·",
    State.IDLE: "○",
    State.SPARE: "◇",
    State.RUNNING: "▶",
    State.CHECKPOINT: "▼",
    State.RESTARTING: "↻",
    State.WAITING: "‖",
    State.FAILED: "✖",
    State.DRAINED: "▽",
    State.OFF: "●",
    State.CUT_OFF: "⊘",
    State.UNPOWERED: "◌",
}
NO_JOB_RGB: Rgb = (0.21, 0.25, 0.31)

COLDEST_C, HOTTEST_C = 10.0, 60.0
"""Fixed range of the colours of coolant [°C], in the hall as in diagrams."""
LOWERED_CAP = 0x8000
"""Beside NVML's bit for a power limit: the limit in force is below the part's default, so somebody has lowered it."""
THROTTLE: tuple[tuple[int, str, Rgb, str], ...] = (
    (0x20 | 0x40, "heat", (1.0, 0.45, 0.12), "▲"),
    (0x80, tr("power brake"), (0.90, 0.28, 0.78), "▼"),
    (LOWERED_CAP, tr("power cap"), (0.36, 0.62, 0.98), "■"),
    (0x02 | 0x08 | 0x10 | 0x100, "other", (0.85, 0.80, 0.40), "◆"),
    (0x04, tr("at its power limit (TDP), normal"), (0.16, 0.48, 0.46), "□"),
    (0x01, "idle", (0.29, 0.35, 0.43), "○"),
    (0, "none", (0.16, 0.60, 0.44), "●"),
)
"""Throttle reasons (bits of NVML and one of our own) in the order that counts, words, colour and icon; the last: no
reason. That the part's default limit holds a clock is how GPUs work all day: a quiet colour, next to none."""

# Hues that stay apart for most colour-blind readers come first (after Okabe and Ito 2008), lighter kin follow.
JOB_RGB: list[Rgb] = _hex(
    "2f9bea", "f2a93b", "20b98a", "e574b4", "e8e04a", "8f7cf0", "e8743b", "5fd0f2",
    "b7d84b", "c48ad9", "3f6fd8", "d9b382", "59e0b8", "f29b9b", "9aa7f7", "ffd27a",
    "2e8f9e", "a0e3a1", "d46ee0", "c9c06a", "7fb2d9", "e0905a", "66c46a", "bda9ff",
)  # fmt: skip


def ramp(name: str, at: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the colours of a ramp at positions 0..1.

    Parameters
    ----------
    name
        "viridis", "cividis", "turbo" or "difference"; others are drawn as viridis.
    at
        Positions, clipped to 0..1.

    Returns
    -------
    Red, green, blue 0..1, shape ``(*at.shape, 3)``.
    """
    stops = np.array(_RAMPS.get(name, _RAMPS["viridis"]))
    places = np.linspace(0.0, 1.0, len(stops))
    return np.stack([np.interp(at, places, stops[:, k]) for k in range(3)], axis=-1)


def coolant_rgb(temp_c: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the colour of water at temperatures [°C], the same in supply and return pipes, shape (n, 3)."""
    return ramp("turbo", (np.asarray(temp_c, float) - COLDEST_C) / (HOTTEST_C - COLDEST_C))


def look_up_table(colormap: str) -> NDArray[np.uint8]:
    """Return the table that turns a drawing code into a colour: ramp, then states, jobs, dead, off, absent.

    Returns
    -------
    uint8 of shape (1, LUT_SIZE, 3).
    """
    table = np.zeros((1, LUT_SIZE, 3))
    table[0, :RAMP] = ramp(colormap, np.linspace(0.0, 1.0, RAMP))
    for state, rgb in STATE_RGB.items():
        table[0, STATE_BASE + state] = rgb
    table[0, JOB_BASE : JOB_BASE + JOBS] = JOB_RGB
    table[0, NO_JOB] = NO_JOB_RGB
    table[0, DEAD] = DEAD_RGB
    table[0, OFF] = OFF_RGB
    table[0, ABSENT] = STATE_RGB[State.ABSENT]
    for place, (_, _, rgb, _) in enumerate(THROTTLE):
        table[0, THROTTLE_BASE + place] = rgb
    table[0, LOST], table[0, THINNED], table[0, UNTOUCHED] = LOST_RGB, THINNED_RGB, UNTOUCHED_RGB
    return np.rint(table * 255).astype(np.uint8)
