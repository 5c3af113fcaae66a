"""What the codes of the queue's picture look like: jobs or tenants, dimmed beside the one that is chosen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from twin.app.toolkit.theme import Theme
from twin.view3d.base.palette import JOB_RGB, JOBS

GROUND = 0
KIND = 1
"""First of the codes of colours; those of the future, dimmed, follow, then those of whatever is chosen."""
AHEAD = KIND + JOBS
CHOSEN = AHEAD + JOBS
CHOSEN_AHEAD = CHOSEN + JOBS
KILLED = CHOSEN_AHEAD + JOBS
REQUEUED = KILLED + 1
PREEMPTED = REQUEUED + 1
FAILURE = PREEMPTED + 1
ODD = FAILURE + 1
"""Every second lane's ground."""
CODES = ODD + 1
_FUTURE, _OTHERS = 0.30, 0.30


def colour_of(number: int, theme: Theme) -> QColor:
    """Return the colour of a job or tenant: the hall's, so that both pictures agree; darker on white."""
    red, green, blue = JOB_RGB[number % JOBS]
    shade = 1.0 if theme.is_dark else 0.86
    return QColor.fromRgbF(red * shade, green * shade, blue * shade)


def palette(theme: Theme, *, chosen: bool) -> list[int]:
    """Return the colour of each code as QImage takes them (0xffRRGGBB).

    Parameters
    ----------
    chosen
        Whether one job stands out: the others fade.
    """
    ground, odd = _rgb(theme.ground), _rgb(theme.surface)
    tints = [colour_of(number, theme) for number in range(JOBS)]
    colours = np.array([(tint.red(), tint.green(), tint.blue()) for tint in tints], np.float64)
    table = np.zeros((CODES, 3))
    table[GROUND], table[ODD] = ground, odd
    table[KIND:AHEAD] = _mixed(colours, ground, _OTHERS if chosen else 1.0)
    table[AHEAD:CHOSEN] = _mixed(colours, ground, _FUTURE * (_OTHERS if chosen else 1.0))
    table[CHOSEN:CHOSEN_AHEAD] = colours
    table[CHOSEN_AHEAD:KILLED] = _mixed(colours, ground, _FUTURE)
    table[KILLED], table[FAILURE] = _rgb(theme.alarm), _rgb(theme.alarm)
    table[REQUEUED], table[PREEMPTED] = _rgb(theme.warning), _rgb(theme.text)
    return [0xFF000000 | round(r) << 16 | round(g) << 8 | round(b) for r, g, b in table.tolist()]


def _mixed(colours: NDArray[np.float64], ground: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    return ground + (colours - ground) * share


def _rgb(colour: str) -> NDArray[np.float64]:
    return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)], float)
