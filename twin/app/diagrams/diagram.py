"""What a diagram says: boxes on levels, lines between them, words. No widgets, no pixels."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from twin.app.toolkit.text import MISSING

Tone = Literal["live", "calm", "warning", "alarm", "dead"]
"""How something is doing, from well to out of action; "calm": ready but idle."""
LEAST_W = 0.5
"""Less power than this is none, in words and in arrows [W]."""
STANDS = 0.01
"""Share of the design flow up to which a pipe is drawn as standing."""


@dataclass(frozen=True)
class Box:
    """One thing, or a group of things of a kind.

    Parameters
    ----------
    key
        Unique in its diagram.
    symbol
        Name of the drawing in `twin.app.diagrams.diagram_symbols`.
    text
        Figures, the first ones first: what does not fit is cut off at the end.
    level
        Row from the top, 0 first.
    place
        Centre across, in columns: 0.0 is the first one.
    side
        -1, 1: a small box at the left or right edge of its level.
    thing
        Id that a click selects; "": none.
    state
        Words for anything but normal, in capitals: ``TRIPPED``.
    load
        Share of the capacity in use, drawn as a bar; nan: none.
    charge
        Share of a battery's energy, drawn as a bar in the symbol; nan: no battery.
    facts
        Labels and values shown under the pointer.
    chosen
        It is what is selected.
    """

    key: str
    symbol: str
    title: str
    text: str
    level: int
    place: float = 0.0
    side: int = 0
    thing: str = ""
    tone: Tone = "live"
    state: str = ""
    load: float = math.nan
    charge: float = math.nan
    facts: tuple[tuple[str, str], ...] = ()
    chosen: bool = False

    @property
    def words(self) -> str:
        """Return the box as one line for those who cannot see it."""
        state = f"{self.state.lower()}, " if self.state else ""
        return f"{self.title}: {state}{self.text}".rstrip(": ")


@dataclass(frozen=True)
class DiagramLine:
    """What joins two boxes.

    Parameters
    ----------
    text
        Value on the line.
    tone
        "dead" is drawn grey and dashed, "calm" thin.
    up
        It flows from the lower box to the upper one.
    late
        It turns just above the lower box, not just below the upper one: for boxes that several feed.
    supply_c, return_c
        Temperatures of a pair of pipes, down and up [°C]; nan: not known, or a single line.
    flow
        Share of the design flow: how fast its arrows go; 0 stands.
    pipes
        It is a pair of pipes, their temperatures known or not.
    """

    above: str
    below: str
    text: str = ""
    tone: Tone = "live"
    up: bool = False
    late: bool = False
    supply_c: float = math.nan
    return_c: float = math.nan
    flow: float = 1.0
    pipes: bool = False

    @property
    def is_pair(self) -> bool:
        """Return whether this is a supply and a return pipe."""
        return self.pipes or not math.isnan(self.supply_c)

    @property
    def stands(self) -> bool:
        """Return whether its pipes are known to carry nothing."""
        return not math.isnan(self.supply_c) and self.flow <= STANDS


@dataclass(frozen=True)
class Diagram:
    """Boxes and lines, how many columns they take, a caption, and a note below."""

    boxes: tuple[Box, ...] = ()
    lines: tuple[DiagramLine, ...] = ()
    columns: int = 1
    caption: str = ""
    note: str = ""

    def bare(self) -> Diagram:
        """Return the same boxes and lines with names alone: nothing has been measured yet."""
        boxes = tuple(
            replace(box, text=MISSING, tone="calm", state="", load=math.nan, charge=math.nan, facts=())
            for box in self.boxes
        )
        lines = tuple(
            DiagramLine(line.above, line.below, "", "calm", line.up, line.late, flow=0.0, pipes=line.is_pair)
            for line in self.lines
        )
        return Diagram(boxes, lines, self.columns, self.caption)

    @property
    def words(self) -> str:
        """Return the diagram as text, one box after the other from the top."""
        order = sorted(self.boxes, key=lambda box: (box.level, box.side, box.place))
        return ". ".join([self.caption, *(box.words for box in order), *([self.note] if self.note else [])])


URGENCY: dict[Tone, int] = {"calm": 0, "live": 1, "warning": 2, "dead": 3, "alarm": 4}
"""How much a tone asks for attention."""


def worst(tones: list[Tone]) -> Tone:
    """Return the tone that asks most for attention; "live" of none."""
    return max(tones, key=lambda tone: URGENCY[tone], default="live")


def places_of(parents: list[int]) -> tuple[list[int], list[float], int]:
    """Return (level, place, columns) of the members of a forest: leaves side by side, others over their children.

    Parameters
    ----------
    parents
        Of each member, before it in the list; -1: a root.
    """
    levels: list[int] = []
    children: list[list[int]] = [[] for _ in parents]
    for member, parent in enumerate(parents):
        levels.append(levels[parent] + 1 if parent >= 0 else 0)
        if parent >= 0:
            children[parent].append(member)
    places = [0.0] * len(parents)
    free = 0

    def settle(member: int) -> None:
        nonlocal free
        for child in children[member]:
            settle(child)
        if children[member]:
            places[member] = sum(places[child] for child in children[member]) / len(children[member])
        else:
            places[member] = float(free)
            free += 1

    for member, parent in enumerate(parents):
        if parent < 0:
            settle(member)
    return levels, places, max(free, 1)
