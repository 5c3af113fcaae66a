"""What the program holds at a moment: memory, and objects of GL, of Qt and of Python."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import mean
from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import qInstallMessageHandler
from PySide6.QtWidgets import QLayout, QLayoutItem

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow


_WEIGHED = {
    "rss_mib": "memory [MiB]",
    "used_mib": "memory in use [MiB]",
    "held_mib": "memory held by the worker [MiB]",
    "gl": "GL objects",
    "qt": "Qt objects",
}


_NAMES = 5_000
"""So many names of GL are looked at at least, and so many beyond the newest buffer."""


@dataclass(frozen=True)
class Level:
    """How much the program holds, with the same small scene open and all dialogs closed.

    Attributes
    ----------
    rss_mib, worker_mib
        What the system counts for the window, and for its worker [MiB].
    used_mib, held_mib
        What is in use of it, without the holes that large scenes and runs left in it [MiB].
    """

    act: int
    rss_mib: float
    used_mib: float
    worker_mib: float
    held_mib: float
    gl: int
    qt: int
    python: int
    kinds: Counter[str] = field(default_factory=Counter, repr=False)
    """Objects of Qt and of Python by their class, to see what it is that grows."""

    def __str__(self) -> str:
        return (
            f"act {self.act:6,}: {self.rss_mib:7.1f} MiB, {self.used_mib:.1f} MiB of it in use, "
            f"worker {self.worker_mib:6.1f} MiB, {self.held_mib:.1f} MiB of it in use, "
            f"{self.gl} GL objects, {self.qt:,} Qt objects, {self.python:,} Python objects"
        )


@dataclass(frozen=True)
class Growth:
    """By what share of itself something grows from the first weighing to the last."""

    what: str
    before: float
    after: float
    share: float

    def __str__(self) -> str:
        return f"{self.what}: {self.before:,.0f} to {self.after:,.0f}, {self.share:+.1%} in all"


def growths(levels: Sequence[Level]) -> list[Growth]:
    """Return how all that is weighed grows; nothing for a single weighing.

    A leak goes on and on. What is made when it is first asked for, such as a dialog, comes once; what is kept for the
    next time, such as a scene, and which meshes have been drawn in motion, from near or with dashes, comes and goes.
    So the first half of the weighings is held against the second, and how much they differ is reckoned for the whole
    time: by the least or by the most of each half, whichever grows less, since what leaks is in both.
    """
    half = len(levels) // 2
    if not half:
        return []
    early, late = levels[:half], levels[-half:]
    apart = mean(level.act for level in late) - mean(level.act for level in early)
    times = (levels[-1].act - levels[0].act) / apart
    found = []
    for name, what in _WEIGHED.items():
        grown = []
        for end in (min, max):
            before, after = (end(getattr(level, name) for level in part) for part in (early, late))
            grown.append(Growth(what, before, after, (after - before) / before * times))
        found.append(min(grown, key=lambda growth: growth.share))
    return found


def gl_objects(window: MainWindow) -> int:
    """Return how many buffers, programs and textures live in the hall's context and in those that share with it."""
    from OpenGL import GL

    window.hall.view.grab()  # what is given up is freed with the next picture
    window.hall.view.canvas.set_current()
    new = GL.glGenBuffers(1)  # some drivers never give a name twice
    GL.glDeleteBuffers(1, [new])
    names = range(1, int(new) + _NAMES)
    asked = (GL.glIsBuffer, GL.glIsProgram, GL.glIsTexture, GL.glIsFramebuffer, GL.glIsRenderbuffer)
    return sum(bool(is_one(name)) for is_one in asked for name in names)


def qt_kinds(window: MainWindow) -> Counter[str]:
    """Return how many objects there are of each class of Qt in the window, without making Python know of them."""
    lines: list[str] = []
    before = qInstallMessageHandler(lambda _kind, _context, line: lines.append(line))
    window.dumpObjectTree()
    qInstallMessageHandler(before)
    return Counter(f"{line.strip().partition('::')[0]} of Qt" for line in lines)


def known_items() -> list[QLayoutItem]:
    """Return the items of layouts that Python knows, but those it made: see `twin.app.toolkit.nested_layouts`."""
    return [
        one
        for one in shiboken6.getAllValidWrappers()
        if isinstance(one, QLayoutItem)
        and not isinstance(one, QLayout)
        and not shiboken6.createdByPython(one)
    ]


def kinds(window: MainWindow) -> Counter[str]:
    """Return how many objects there are of each class of Qt in the window, and of Python at all."""
    return qt_kinds(window) + Counter(
        f"{type(one).__module__}.{type(one).__qualname__}" for one in gc.get_objects()
    )
