"""Workspaces: which docks stand where for designing, running, analysing and teaching."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow

from twin.app.toolkit import theme
from twin.app.toolkit.dock import Dock
from twin.language import tr

Side = Literal["left", "right", "bottom"]

HALL_SHARE, HALL_PX = 0.48, 320
"""Share of the window's height that is left to the hall where docks have enough, and what is left to it in any case."""
BODY_PX = 160
"""The docks below the hall show at least so much of what is in them, where the hall has `HALL_PX`."""
AROUND_PX, TITLE_PX = (58, 120), (43, 28)
"""Height of all bars of the window, and of tabs and title of a dock: fixed, and what goes with the text [px]."""
MOST_OF_WIDTH = 0.5
"""Columns beside the hall take no more of the window's width than this where text is large."""
STACK_PX = 380
"""Docks stand beside each other below the hall only where each has so much of the width [px at the usual text]."""

_AREAS = {
    "left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea,
    "bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
}


LAST = 99
"""The place of a tab behind those that have one."""


@dataclass(frozen=True)
class Spot:
    """Where a dock stands in a workspace.

    Parameters
    ----------
    stack
        Number of the stack on its side, from the top or from the left.
    tab
        Order in the stack; the lowest is in front.
    closed
        Whether it is closed there until somebody wants it.
    """

    side: Side
    stack: int = 0
    tab: int = LAST
    closed: bool = False


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
        Each stack's share of its side.
    left_px, right_px
        Width of a column [px at the usual text] where the window is wide enough.
    bottom_px
        Height of the row [px at the usual text] where the window is high enough.
    most_of_width
        Left and right columns together leave the rest of the window's width to the hall, at the usual text.
    """

    name: str
    title: str
    tip: str
    left: tuple[float, ...] = ()
    right: tuple[float, ...] = ()
    bottom: tuple[float, ...] = ()
    left_px: int = 280
    right_px: int = 352
    bottom_px: int = 262
    most_of_width: float = 0.44

    def shares(self, side: Side) -> tuple[float, ...]:
        """Return the share of each stack of a side."""
        return {"left": self.left, "right": self.right, "bottom": self.bottom}[side]

    def side_px(self, side: Side, width_px: int, height_px: int) -> int:
        """Return the width of a column, or the height of the row below, in a window of this size [px]."""
        scale = theme.scaled(1000) / 1000
        if side == "bottom":
            room_px = height_px - round(AROUND_PX[0] + AROUND_PX[1] * scale)
            least_px = BODY_PX + round(TITLE_PX[0] + TITLE_PX[1] * scale)
            wanted_px = min(round(self.bottom_px * scale), room_px - round(HALL_SHARE * height_px))
            return min(max(wanted_px, least_px), max(room_px - HALL_PX, least_px // 2))
        # Columns grow by half as much as text does: the hall has its share.
        grown = (1 + scale) / 2
        columns_px = (self.left_px if self.left else 0) + (self.right_px if self.right else 0)
        wanted = grown * (self.left_px if side == "left" else self.right_px)
        most = min(grown * self.most_of_width, max(self.most_of_width, MOST_OF_WIDTH))
        return round(min(wanted, wanted * most * width_px / max(grown * columns_px, 1)))

    def below_px(self, width_px: int, height_px: int) -> int:
        """Return the width of the row below the hall in a window of this size [px]."""
        sides: tuple[Side, ...] = ("left", "right")
        return width_px - sum(self.side_px(side, width_px, height_px) for side in sides if self.shares(side))


DESIGN = Workspace(
    "design",
    tr("Design"),
    tr("Build and change the hall: parts, outliner, properties, design rules"),
    left=(0.56, 0.44),
    right=(1.0,),
    bottom=(1.0,),
    left_px=272,
    right_px=336,
    bottom_px=190,
)
RUN = Workspace(
    "run",
    tr("Run"),
    tr("Watch the run: selection, events, figures over time"),
    right=(1.0,),
    bottom=(0.51, 0.49),
)
ANALYSE = Workspace(
    "analyse",
    tr("Analyse"),
    tr("Study figures: large plots, energy flow, jobs and queue"),
    right=(0.5, 0.5),
    bottom=(1.0,),
    right_px=640,
    bottom_px=340,
    most_of_width=0.5,
)
TEACH = Workspace(
    "teach",
    tr("Teach"),
    tr("Learn and teach: a lesson beside the hall, the scene's story, events"),
    left=(1.0,),
    bottom=(0.6, 0.4),
    left_px=430,
    bottom_px=230,
)
WORKSPACES: tuple[Workspace, ...] = (DESIGN, RUN, ANALYSE, TEACH)
"""In the order of the switch. Which docks stand where, the table of docks says."""

BY_NAME: Mapping[str, Workspace] = {workspace.name: workspace for workspace in WORKSPACES}
_SIDES: tuple[Side, ...] = ("left", "right", "bottom")


def home(spots: Mapping[str, Spot]) -> Spot:
    """Return where a dock opens in a workspace that does not show it: as in `RUN`, or the first that does."""
    named = (spots[workspace.name] for workspace in (RUN, *WORKSPACES) if workspace.name in spots)
    return next(named, Spot("bottom"))


def stacks_of(
    workspace: Workspace, side: Side, places: Mapping[str, Mapping[str, Spot]]
) -> tuple[DockStack, ...]:
    """Return the stacks of a side that hold docks.

    Parameters
    ----------
    places
        Dock and workspace to where it stands there; what is not named is closed there.
    """
    tabs: list[list[tuple[int, int, str]]] = [[] for _ in workspace.shares(side)]
    for number, (name, spots) in enumerate(places.items()):
        spot = spots.get(workspace.name)
        if spot is not None and spot.side == side and not spot.closed:
            tabs[spot.stack].append((spot.tab, number, name))
    return tuple(
        DockStack(tuple(name for *_, name in sorted(stack)), share)
        for stack, share in zip(tabs, workspace.shares(side), strict=True)
        if stack
    )


def beside_each_other(stacks: tuple[DockStack, ...], width_px: int) -> tuple[DockStack, ...]:
    """Return the stacks of a row of this width [px]: one of them all where they have no room beside each other."""
    if len(stacks) * theme.scaled(STACK_PX) <= width_px:
        return stacks
    return (DockStack(tuple(name for stack in stacks for name in stack.docks)),)


def arrange(
    window: QMainWindow,
    docks: Mapping[str, Dock],
    workspace: Workspace,
    places: Mapping[str, Mapping[str, Spot]],
) -> None:
    """Lay the docks out as the workspace has them at first; the others are closed, at their side."""
    window.setUpdatesEnabled(False)
    for dock in docks.values():
        dock.setFloating(False)
        window.removeDockWidget(dock)
    stacks = {side: stacks_of(workspace, side, places) for side in _SIDES}
    stacks["bottom"] = beside_each_other(
        stacks["bottom"], workspace.below_px(window.width(), window.height())
    )
    for side in _SIDES:
        _stand(window, docks, side, stacks[side])
    shown = {name for side in _SIDES for stack in stacks[side] for name in stack.docks}
    for name, dock in docks.items():
        if name not in shown:
            _wait(window, docks, dock, home(places[name]), stacks)
        dock.setVisible(name in shown)
    for side in _SIDES:
        for stack in stacks[side]:
            docks[stack.docks[0]].raise_()
    for side in _SIDES:
        _resize(window, docks, side, stacks[side], workspace)
    window.setUpdatesEnabled(True)


def make_room_below(window: QMainWindow, docks: Iterable[Dock], workspace: Workspace) -> None:
    """Give the docks below the hall the height that they have at first, where it is more than they have.

    Of `docks` none is behind a tab: those keep the height that they had when they were in front.
    """
    wanted_px = workspace.side_px("bottom", window.width(), window.height())
    below = [
        dock
        for dock in docks
        if dock.isVisible()
        and not dock.isFloating()
        and window.dockWidgetArea(dock) == _AREAS["bottom"]
        and dock.height() < wanted_px
    ]
    window.resizeDocks(below, [wanted_px] * len(below), Qt.Orientation.Vertical)


def _stand(window: QMainWindow, docks: Mapping[str, Dock], side: Side, stacks: tuple[DockStack, ...]) -> None:
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
    window: QMainWindow,
    docks: Mapping[str, Dock],
    dock: Dock,
    home: Spot,
    stacks: Mapping[Side, tuple[DockStack, ...]],
) -> None:
    """Give a dock that is not shown the place where it opens."""
    at_home = stacks[home.side]
    if at_home:
        last = at_home[min(home.stack, len(at_home) - 1)].docks[-1]
        window.tabifyDockWidget(docks[last], dock)
        return
    window.addDockWidget(_AREAS[home.side], dock)
    waiting = next(_waiting(window, docks, dock, home.side), None)
    if waiting is not None:
        window.tabifyDockWidget(waiting, dock)


def _waiting(window: QMainWindow, docks: Mapping[str, Dock], dock: Dock, side: Side) -> Iterator[Dock]:
    for other in docks.values():
        if other is not dock and window.dockWidgetArea(other) == _AREAS[side]:
            yield other


def _resize(
    window: QMainWindow,
    docks: Mapping[str, Dock],
    side: Side,
    stacks: tuple[DockStack, ...],
    workspace: Workspace,
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
