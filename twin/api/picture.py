"""A picture of the hall of a run; Qt is imported here, once one is asked for."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from twin.api.arguments import path_of
from twin.api.errors import BadInput, NoDisplay
from twin.shown_text import printable

if TYPE_CHECKING:
    from twin.record.reader import Reader

LEAST_PIXELS, MOST_PIXELS = 64, 7680
_THEMES = ("dark", "light", "contrast")
_CABLES = ("rail", "load")


@dataclass(frozen=True, eq=False)
class HallPicture:
    """A picture of a hall, with legend, time, seed and the SIMULATED mark in it.

    Parameters
    ----------
    t_s
        Time of the sample that it shows [s].
    rgb
        Colours, uint8, shape (height, width, 3).
    png
        The same as a PNG file, which also says what made it.
    """

    t_s: float
    rgb: NDArray[np.uint8] = field(repr=False)
    png: bytes = field(repr=False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as a PNG file, whole or not at all; an older file there is replaced."""
        from twin.whole_file import write_whole

        write_whole(path_of(path, "path"), self.png)

    def _repr_png_(self) -> bytes:
        return self.png


def taken(
    reader: Reader,
    t_s: float,
    camera: str,
    colour_by: str,
    cables: Literal["rail", "load"],
    size: tuple[int, int],
    theme: Literal["dark", "light", "contrast"],
) -> HallPicture:
    """Return the picture of a recorded run at a time [s]; the other parameters are those of `Run.picture`."""
    if cables not in _CABLES:
        raise BadInput(f"cables: {cables!r} colours no cables; give {' or '.join(_CABLES)}")
    if theme not in _THEMES:
        raise BadInput(f"theme: there is no theme {theme!r}; there are {', '.join(_THEMES)}")
    try:
        wide, high = (int(side) for side in size)
    except (TypeError, ValueError):
        raise BadInput(f"size: {size!r} is no size; give width and height, such as (1600, 1000)") from None
    if not all(LEAST_PIXELS <= side <= MOST_PIXELS for side in (wide, high)):
        raise BadInput(f"size: {size!r} is no size; each side has {LEAST_PIXELS} to {MOST_PIXELS} pixels")
    channel = channel_of(colour_by)
    from twin.report.stage import has_display, qt_application

    if not has_display():
        raise NoDisplay(
            "a picture needs a display, and there is none here; start the program under Xvfb: "
            "xvfb-run -a python ... (Debian: sudo apt-get install xvfb)"
        )
    qt_application()
    from twin.report.shots import Shots
    from twin.report.studio import NoPicture, Shot, about, png

    try:
        with Shots(reader, Shot(camera, channel, cables, theme, (wide, high))) as shots:
            rgb, frame = shots.rgb(t_s)
    except NoPicture as error:
        if str(error).startswith("camera "):
            raise BadInput(str(error)) from None
        raise
    return HallPicture(frame.t_s, rgb, png(rgb, about(reader, frame.t_s)))


def channel_of(colour_by: str) -> str:
    """Return the channel of GPUs of a name, of the last part of one, or of words of the menu Colour by.

    Raises
    ------
    BadInput
        When no channel is called so, or several are.
    """
    from twin.record.channels import COLOUR_BY, colours_named

    meant = colours_named(colour_by)
    if len(meant) == 1:
        return meant[0]
    raise BadInput(
        f"--colour-by: {printable(colour_by)!r} means several channels of GPUs: {', '.join(meant)}"
        if meant
        else f"--colour-by: there is no channel {printable(colour_by)!r} of GPUs; there are {', '.join(COLOUR_BY)}"
    )
