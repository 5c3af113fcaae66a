"""Workspaces: which docks stand where for designing, running, analysing and teaching."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow

from twin.app.toolkit.dock import Dock

Side = Literal["left", "right", "bottom"]

MOST_OF_HEIGHT = 0.37
"""The docks below the hall are at most so much of the window's height."""

_AREAS = {
    "left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea,
    "bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
}


@dataclass(frozen=True)
class DockStack:
    """Docks behind one another, the first in front, and their share of their side."""

    docks: tuple[str, ...]
    share: float = 1.0


@dataclass(frozen=True)
class Workspace:
    """A named layout. Left and right are columns of stacks, the bottom is a row of them.

    Parameters
    ----------
    left, right, bottom
        Stacks of docks by name; names of docks that the window does not have are passed over.
    left_px, right_px
        Width of a column [px] where the window is wide enough.
    bottom_px
        Height of the row [px] where the window is high enough.
    most_of_width
        Left and right columns together leave the rest of the window's width to the hall.
    """

    name: str
    title: str
    tip: str
    left: tuple[DockStack, ...] = ()
    right: tuple[DockStack, ...] = ()
    bottom: tuple[DockStack, ...] = ()
    left_px: int = 280
    right_px: int = 352
    bottom_px: int = 262
    most_of_width: float = 0.44

    def side(self, side: Side) -> tuple[DockStack, ...]:
        """Return the stacks of a side."""
        return {"left": self.left, "right": self.right, "bottom": self.bottom}[side]

    def side_px(self, side: Side, width_px: int, height_px: int) -> int:
        """Return the width of a column, or the height of the row below, in a window of this size [px]."""
        if side == "bottom":
            return min(self.bottom_px, round(MOST_OF_HEIGHT * height_px))
        columns_px = (self.left_px if self.left else 0) + (self.right_px if self.right else 0)
        wanted = self.left_px if side == "left" else self.right_px
        return min(wanted, round(wanted * self.most_of_width * width_px / max(columns_px, 1)))


RUN = Workspace(
    "run",
    "Run",
    "Watch the run: selection, events, figures over time",
    right=(DockStack(("inspector", "fabric", "power", "cooling")),),
    bottom=(
        DockStack(("events", "jobs", "job", "queue", "spares", "alarms", "why", "branches", "energy"), 0.51),
        DockStack(("plots", "tenants"), 0.49),
    ),
)
DESIGN = Workspace(
    "design",
    "Design",
    "Build and change the hall: parts, outliner, properties, design rules",
    left=(DockStack(("palette",), 0.56), DockStack(("outliner",), 0.44)),
    right=(DockStack(("inspector", "fabric", "power", "cooling")),),
    bottom=(DockStack(("checks", "events")),),
    left_px=272,
    right_px=336,
    bottom_px=190,
)
ANALYSE = Workspace(
    "analyse",
    "Analyse",
    "Study figures: large plots, energy flow, jobs and queue",
    right=(
        DockStack(("why", "job", "queue", "tenants", "jobs", "spares", "events"), 0.5),
        DockStack(("energy", "power", "cooling", "fabric"), 0.5),
    ),
    bottom=(DockStack(("plots",)),),
    right_px=640,
    bottom_px=340,
    most_of_width=0.5,
)
TEACH = Workspace(
    "teach",
    "Teach",
    "Present to others: a large hall, the scene's story, events",
    right=(DockStack(("story",), 0.58), DockStack(("events",), 0.42)),
    right_px=380,
)
WORKSPACES: tuple[Workspace, ...] = (DESIGN, RUN, ANALYSE, TEACH)
"""In the order of the switch. A new dock is given its place here; `RUN` and then `DESIGN` say where one goes
that a workspace does not show, when it is opened there all the same."""

BY_NAME: Mapping[str, Workspace] = {each.name: each for each in WORKSPACES}
_SIDES: tuple[Side, ...] = ("left", "right", "bottom")


def home(name: str) -> tuple[Side, int]:
    """Return the side of a dock, and the place of its stack there, where a workspace does not name it."""
    for workspace in (RUN, *WORKSPACES):
        for side in _SIDES:
            for place, stack in enumerate(workspace.side(side)):
                if name in stack.docks:
                    return side, place
    return "bottom", 0


def arrange(window: QMainWindow, docks: Mapping[str, Dock], workspace: Workspace) -> None:
    """Lay the docks out as the workspace has them at first; the others are closed, at their side."""
    window.setUpdatesEnabled(False)
    for dock in docks.values():
        dock.setFloating(False)
        window.removeDockWidget(dock)
    stacks = {side: _present(workspace.side(side), docks) for side in _SIDES}
    for side in _SIDES:
        _stand(window, docks, side, stacks[side])
    shown = {name for side in _SIDES for stack in stacks[side] for name in stack.docks}
    for name, dock in docks.items():
        if name not in shown:
            _wait(window, docks, name, stacks)
        dock.setVisible(name in shown)
    raise_first(docks, workspace)
    for side in _SIDES:
        _resize(window, docks, side, stacks[side], workspace)
    window.setUpdatesEnabled(True)


def raise_first(docks: Mapping[str, Dock], workspace: Workspace) -> None:
    """Bring the first dock of every stack to its front."""
    for side in _SIDES:
        for stack in _present(workspace.side(side), docks):
            docks[stack.docks[0]].raise_()


def _present(stacks: tuple[DockStack, ...], docks: Mapping[str, Dock]) -> list[DockStack]:
    named = (DockStack(tuple(n for n in stack.docks if n in docks), stack.share) for stack in stacks)
    return [stack for stack in named if stack.docks]


def _stand(window: QMainWindow, docks: Mapping[str, Dock], side: Side, stacks: list[DockStack]) -> None:
    along = Qt.Orientation.Horizontal if side == "bottom" else Qt.Orientation.Vertical
    firsts = [docks[stack.docks[0]] for stack in stacks]
    if firsts:
        window.addDockWidget(_AREAS[side], firsts[0])
    for before, after in pairwise(firsts):
        window.splitDockWidget(before, after, along)
    for stack in stacks:
        for name, behind in pairwise(stack.docks):
            window.tabifyDockWidget(docks[name], docks[behind])


def _wait(
    window: QMainWindow, docks: Mapping[str, Dock], name: str, stacks: Mapping[Side, list[DockStack]]
) -> None:
    """Give a dock that is not shown the place where it opens."""
    side, place = home(name)
    dock, at_home = docks[name], stacks[side]
    if at_home:
        last = at_home[min(place, len(at_home) - 1)].docks[-1]
        window.tabifyDockWidget(docks[last], dock)
        return
    window.addDockWidget(_AREAS[side], dock)
    waiting = next(_waiting(window, docks, dock, side), None)
    if waiting is not None:
        window.tabifyDockWidget(waiting, dock)


def _waiting(window: QMainWindow, docks: Mapping[str, Dock], dock: Dock, side: Side) -> Iterator[Dock]:
    for other in docks.values():
        if other is not dock and window.dockWidgetArea(other) == _AREAS[side]:
            yield other


def _resize(
    window: QMainWindow, docks: Mapping[str, Dock], side: Side, stacks: list[DockStack], workspace: Workspace
) -> None:
    if not stacks:
        return
    firsts = [docks[stack.docks[0]] for stack in stacks]
    across, along = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
    if side == "bottom":
        across, along = along, across
    size_px = workspace.side_px(side, window.width(), window.height())
    window.resizeDocks(firsts, [round(1000 * stack.share) for stack in stacks], along)
    window.resizeDocks(firsts[:1], [size_px], across)
