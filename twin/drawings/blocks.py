"""Block drawings: boxes on levels, lines between them with what they carry. For one-line, piping and network sheets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from twin.drawings.paper import SheetDraft, drawing_area
from twin.drawings.sheet import (
    LINE,
    MEDIUM_MM,
    SMALL_MM,
    TEXT_MM,
    THIN_MM,
    Area,
    Point,
    SheetContents,
    wrapped,
)

_WIDEST_MM, _APART_MM, _SYMBOL_MM, _INNER_MM = 64.0, 6.0, 9.0, 2.0
_HIGHEST_MM = 48.0
"""From level to level at most."""
_SPREAD_MM = 14.0
"""Over which bends of lines are spread at most."""


@dataclass(frozen=True)
class SheetBlock:
    """One thing, or a number of things of a kind.

    Parameters
    ----------
    key
        Unique on the sheet.
    title
        First line, bold.
    lines
        The others.
    level
        From the top, 0 first.
    symbol
        Name in `SYMBOLS`; "": none.
    """

    key: str
    title: str
    lines: tuple[str, ...]
    level: int
    symbol: str = ""


@dataclass(frozen=True)
class BlockLine:
    """A line from the foot of one block to the head of another.

    Parameters
    ----------
    upper, lower
        Keys of blocks.
    text
        What it carries.
    dashed
        It takes over where another one is dead.
    """

    upper: str
    lower: str
    text: str = ""
    dashed: bool = False


def block_sheet(
    kind: str,
    title: str,
    blocks: Sequence[SheetBlock],
    lines: Sequence[BlockLine],
    paper: str,
    legend: tuple[str, ...],
) -> SheetDraft:
    """Return a sheet of blocks, those of a level side by side near what they hang on."""
    area = drawing_area(paper, True)
    drawn = SheetContents()
    if not blocks:
        drawn.write("There is none in this scene.", (area.left + 4, area.top + 10), TEXT_MM)
        return SheetDraft(kind, title, True, 0, drawn, legend)
    boxes = _placed(area, blocks, lines)
    shown = {block.key: block for block in blocks}
    order = sorted({line.upper for line in lines}, key=lambda key: boxes[key].left)
    turn = {key: place for place, key in enumerate(order)}
    levels: dict[int, list[str]] = defaultdict(list)
    for key in order:
        levels[shown[key].level].append(key)
    foot = {
        level: max(boxes[block.key].bottom for block in blocks if block.level == level) for level in levels
    }
    for line in lines:
        level = shown[line.upper].level
        share = (levels[level].index(line.upper) + 1) / (len(levels[level]) + 1)
        upper, lower = boxes[line.upper], boxes[line.lower]
        into = sorted((inlet.upper for inlet in lines if inlet.lower == line.lower), key=turn.__getitem__)
        stop = lower.left + lower.wide * (into.index(line.upper) + 1) / (len(into) + 1)
        _draw_line(drawn, upper, lower, stop, line, foot[level], share)
    for key, box in boxes.items():
        _draw_block(drawn, box, shown[key])
    return SheetDraft(kind, title, True, 0, drawn, legend)


def _placed(area: Area, blocks: Sequence[SheetBlock], lines: Sequence[BlockLine]) -> dict[str, Area]:
    levels: dict[int, list[SheetBlock]] = defaultdict(list)
    for block in blocks:
        levels[block.level].append(block)
    above: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        above[line.lower].append(line.upper)
    middle: dict[str, float] = {}
    boxes: dict[str, Area] = {}
    step = min(_HIGHEST_MM, area.high / (max(levels) + 1))
    for level, members in sorted(levels.items()):
        where = {block.key: place for place, block in enumerate(members)}
        centre = area.left + area.wide / 2

        def wanted(
            block: SheetBlock, where: dict[str, int] = where, centre: float = centre
        ) -> tuple[float, int]:
            parents = [middle[key] for key in above[block.key] if key in middle]
            return (sum(parents) / len(parents) if parents else centre, where[block.key])

        members.sort(key=wanted)
        room = area.wide / len(members)
        wide = min(_WIDEST_MM, room - _APART_MM)
        for place, block in enumerate(members):
            x = area.left + room * (place + 0.5)
            high = _high(block, wide)
            top = area.top + level * step
            boxes[block.key] = Area(x - wide / 2, top, x + wide / 2, top + high)
            middle[block.key] = x
    return boxes


def _texts(block: SheetBlock, wide: float) -> list[str]:
    inner = wide - 2 * _INNER_MM - (_SYMBOL_MM if block.symbol else 0)
    return [line for text in block.lines for line in wrapped(text, SMALL_MM, inner)]


def _high(block: SheetBlock, wide: float) -> float:
    return _INNER_MM * 2 + TEXT_MM + LINE * SMALL_MM * len(_texts(block, wide)) + 1.5


def _draw_block(drawn: SheetContents, box: Area, block: SheetBlock) -> None:
    drawn.box(box, MEDIUM_MM, grey=0.0)
    left = box.left + _INNER_MM
    if block.symbol:
        SYMBOLS[block.symbol](drawn, (left + _SYMBOL_MM / 2 - 1, box.top + _INNER_MM + 3.5))
        left += _SYMBOL_MM
    room = box.right - left - 1
    foot = box.top + _INNER_MM + TEXT_MM
    drawn.write(block.title, (left, foot), TEXT_MM, bold=True, most_mm=room)
    drawn.write_lines(_texts(block, box.wide), (left, foot + LINE * SMALL_MM + 1), most_mm=room)


def _draw_line(
    drawn: SheetContents, upper: Area, lower: Area, stop: float, line: BlockLine, foot: float, share: float
) -> None:
    """Draw a line that bends at a share of the gap below all blocks of its level, whose lowest foot is `foot` [mm]."""
    start = (upper.left + upper.right) / 2
    if lower.top <= upper.bottom:
        return
    last = max(foot, lower.top - (SMALL_MM + 3.0 if line.text else 1.5))
    across = foot + min(share * (last - foot), _SPREAD_MM * share)
    if abs(start - stop) < 0.1:
        drawn.line((start, upper.bottom), (start, lower.top), wide_mm=MEDIUM_MM, dashed=line.dashed)
    else:
        points = ((start, upper.bottom), (start, across), (stop, across), (stop, lower.top))
        drawn.line(*points, wide_mm=MEDIUM_MM, dashed=line.dashed)
    drawn.write(line.text, (stop + 1, lower.top - 1.5), SMALL_MM, most_mm=lower.right - stop - 1)


# --- symbols of IEC 60617 and ISO 14617, in a square of 7 mm about a point


def _generator(drawn: SheetContents, at: Point) -> None:
    drawn.circle(at, 3.0, THIN_MM)
    drawn.write("G", (at[0], at[1] + 1.2), TEXT_MM, "middle")


def _transformer(drawn: SheetContents, at: Point) -> None:
    drawn.circle((at[0], at[1] - 1.2), 2.0, THIN_MM)
    drawn.circle((at[0], at[1] + 1.2), 2.0, THIN_MM)


def _utility(drawn: SheetContents, at: Point) -> None:
    x, y = at
    drawn.box(Area(x - 3, y - 3, x + 3, y + 3))
    drawn.line((x - 3, y), (x, y - 3))
    drawn.line((x - 3, y + 3), (x + 3, y - 3))
    drawn.line((x, y + 3), (x + 3, y))


def _converter(drawn: SheetContents, at: Point) -> None:
    x, y = at
    drawn.box(Area(x - 3, y - 3, x + 3, y + 3))
    drawn.line((x - 3, y + 3), (x + 3, y - 3))
    drawn.write("~", (x - 1.5, y - 0.4), SMALL_MM, "middle")
    drawn.write("=", (x + 1.5, y + 2.4), SMALL_MM, "middle")


def _breaker(drawn: SheetContents, at: Point) -> None:
    x, y = at
    drawn.line((x, y - 3), (x, y - 1))
    drawn.line((x - 1, y - 2), (x + 1, y))
    drawn.line((x - 1, y), (x + 1, y - 2))
    drawn.line((x - 2, y - 1.5), (x, y + 1.5))
    drawn.line((x, y + 1.5), (x, y + 3))


def _battery(drawn: SheetContents, at: Point) -> None:
    x, y = at
    for place, half in ((-1.5, 2.6), (-0.5, 1.2), (0.5, 2.6), (1.5, 1.2)):
        drawn.line((x - half, y + place), (x + half, y + place), wide_mm=MEDIUM_MM if half < 2 else THIN_MM)


def _panel(drawn: SheetContents, at: Point) -> None:
    x, y = at
    drawn.box(Area(x - 3, y - 3, x + 3, y + 3))
    drawn.line((x - 3, y - 1), (x + 3, y - 1))


def _pump(drawn: SheetContents, at: Point) -> None:
    x, y = at
    drawn.circle(at, 3.0, THIN_MM)
    drawn.line((x - 1.6, y - 2.5), (x + 3.0, y), (x - 1.6, y + 2.5))


def _exchanger(drawn: SheetContents, at: Point) -> None:
    x, y = at
    drawn.circle(at, 3.0, THIN_MM)
    drawn.line((x - 3, y), (x - 1, y - 1.5), (x + 1, y + 1.5), (x + 3, y))


def _fan(drawn: SheetContents, at: Point) -> None:
    x, y = at
    drawn.circle(at, 3.0, THIN_MM)
    drawn.line((x - 2, y - 2.2), (x + 2, y + 2.2))
    drawn.line((x - 2, y + 2.2), (x + 2, y - 2.2))


def _rack(drawn: SheetContents, at: Point) -> None:
    x, y = at
    drawn.box(Area(x - 2, y - 3, x + 2, y + 3))
    for line in (-1.5, 0.0, 1.5):
        drawn.line((x - 2, y + line), (x + 2, y + line))


SYMBOLS: dict[str, Callable[[SheetContents, Point], None]] = {
    "generator": _generator,
    "transformer": _transformer,
    "utility": _utility,
    "converter": _converter,
    "breaker": _breaker,
    "battery": _battery,
    "panel": _panel,
    "pump": _pump,
    "exchanger": _exchanger,
    "fan": _fan,
    "rack": _rack,
}
"""What is drawn at the left of a block."""
