"""Paper with frame and title block: sizes of ISO 216, margins and block of ISO 5457 and 7200."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from twin.drawings.sheet import (
    FINE_MM,
    MEDIUM_MM,
    SMALL_MM,
    TEXT_MM,
    TITLE_MM,
    WIDE_MM,
    Area,
    SheetContents,
    SheetPicture,
    SheetText,
    Stroke,
    wrapped,
)

PAPERS = {
    "A4": (210.0, 297.0),
    "A3": (297.0, 420.0),
    "A2": (420.0, 594.0),
    "A1": (594.0, 841.0),
    "A0": (841.0, 1189.0),
}
"""Short and long side [mm]."""
SCALES = (5, 10, 20, 25, 50, 75, 100, 150, 200, 250, 500, 1000, 2000, 5000)
_BINDING_MM, _EDGE_MM = 20.0, 10.0
_BLOCK_MM = (170.0, 32.0)
_BLOCK_SHARE = 0.55
"""Of the width of the frame, at most: scale bar and legend keep room on a sheet of A4."""
_LEGEND_MM = 2.6
"""From line to line of a legend."""
_STRIP_MM = 36.0
"""Foot of the sheet: scale bar, legend and notes on its left, the title block on its right."""


@dataclass(frozen=True)
class TitleBlock:
    """What the title block of every sheet says.

    Parameters
    ----------
    scene
        Title of the scene.
    revision
        Beginning of the hash of the scene.
    date
        Of the drawing, year-month-day.
    program
        What drew it, with its version.
    """

    scene: str
    revision: str
    date: str
    program: str


@dataclass(frozen=True)
class SheetDraft:
    """What a sheet shows, before it has a number.

    Parameters
    ----------
    kind
        "plan", "elevation", "one-line", "piping" or "network".
    title
        Of the sheet.
    landscape
        Paper lies on its long side.
    scale
        1 to so many; 0: to no scale.
    drawn
        Within the area of `drawing_area`.
    legend
        Lines beside the title block.
    """

    kind: str
    title: str
    landscape: bool
    scale: int
    drawn: SheetContents
    legend: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sheet:
    """A finished sheet.

    Parameters
    ----------
    name
        "P1", "E2": by which other sheets refer to it.
    title
        Of the sheet.
    size_mm
        Width and height of the paper.
    strokes, words, pictures
        In the order in which they are drawn; pictures lie below all strokes.
    """

    name: str
    title: str
    size_mm: tuple[float, float]
    strokes: tuple[Stroke, ...]
    words: tuple[SheetText, ...]
    pictures: tuple[SheetPicture, ...] = ()


def paper_mm(paper: str, landscape: bool) -> tuple[float, float]:
    """Return width and height [mm]."""
    short, long = PAPERS[paper]
    return (long, short) if landscape else (short, long)


def drawing_area(paper: str, landscape: bool) -> Area:
    """Return where a sheet can be drawn on: within the frame, above the strip with the title block."""
    wide, high = paper_mm(paper, landscape)
    return Area(_BINDING_MM + 2, _EDGE_MM + 2, wide - _EDGE_MM - 2, high - _EDGE_MM - _STRIP_MM)


def scale_for(wide_m: float, high_m: float, area: Area) -> int:
    """Return the largest scale at which something fits, the smallest there is where it never does."""
    for scale in SCALES:
        if wide_m * 1e3 / scale <= area.wide and high_m * 1e3 / scale <= area.high:
            return scale
    return SCALES[-1]


def finished(draft: SheetDraft, name: str, number: int, of: int, paper: str, block: TitleBlock) -> Sheet:
    """Return a sheet with frame, title block, legend, scale bar and number."""
    wide, high = paper_mm(paper, draft.landscape)
    drawn = SheetContents(list(draft.drawn.strokes), list(draft.drawn.words))
    frame = Area(_BINDING_MM, _EDGE_MM, wide - _EDGE_MM, high - _EDGE_MM)
    drawn.box(frame, WIDE_MM)
    place = Area(
        frame.right - min(_BLOCK_MM[0], _BLOCK_SHARE * frame.wide),
        frame.bottom - _BLOCK_MM[1],
        frame.right,
        frame.bottom,
    )
    _title_block(drawn, place, draft, name, number, of, paper, block)
    foot = frame.bottom - _BLOCK_MM[1] + 4
    room = place.left - frame.left - 6
    if room > 40:
        if draft.scale:
            _scale_bar(drawn, (frame.left + 4, foot), draft.scale, room)
            foot += 9
        _legend(drawn, draft.legend, Area(frame.left + 4, foot, frame.left + 4 + room, frame.bottom - 2))
    return Sheet(
        name, draft.title, (wide, high), tuple(drawn.strokes), tuple(drawn.words), tuple(draft.drawn.pictures)
    )


def _legend(drawn: SheetContents, texts: Sequence[str], area: Area) -> None:
    """Write a legend, each text on lines of its own where all have room; the first line has its foot at the top."""
    most = int(area.high / _LEGEND_MM) + 1
    lines = [line for text in texts for line in wrapped(text, SMALL_MM, area.wide)]
    if len(lines) > most:
        lines = wrapped(
            " ".join(text if text.endswith(".") else f"{text}." for text in texts if text),
            SMALL_MM,
            area.wide,
        )
    for place, line in enumerate(lines[:most]):
        drawn.write(line, (area.left, area.top + place * _LEGEND_MM), SMALL_MM, most_mm=area.wide)


def _title_block(
    drawn: SheetContents,
    place: Area,
    draft: SheetDraft,
    name: str,
    number: int,
    of: int,
    paper: str,
    block: TitleBlock,
) -> None:
    drawn.box(place, MEDIUM_MM, grey=0.0)
    middle = place.top + place.high / 2
    drawn.line((place.left, middle), (place.right, middle), wide_mm=FINE_MM)
    inner = place.wide - 6
    drawn.write(block.scene, (place.left + 3, place.top + 6), TITLE_MM, bold=True, most_mm=inner)
    drawn.write(draft.title, (place.left + 3, place.top + 12.5), TITLE_MM, most_mm=inner)
    cells = (
        ("Sheet", f"{name}, {number} of {of}"),
        ("Scale", f"1 : {draft.scale} at {paper}" if draft.scale else "none"),
        ("Revision", block.revision),
        ("Date", block.date),
        ("Drawn by", block.program),
    )
    shares = (0.2, 0.23, 0.19, 0.17, 0.21)
    left = place.left
    for (title, value), share in zip(cells, shares, strict=True):
        cell = share * place.wide
        if left > place.left:
            drawn.line((left, middle), (left, place.bottom), wide_mm=FINE_MM)
        drawn.write(title, (left + 2, middle + 4.5), SMALL_MM, most_mm=cell - 3)
        drawn.write(value, (left + 2, middle + 11), TEXT_MM, most_mm=cell - 3)
        left += cell


def _scale_bar(drawn: SheetContents, at: tuple[float, float], scale: int, room_mm: float) -> None:
    """Draw a bar of five pieces of 1, 2, 5, 10 ... metres."""
    pieces = [
        length
        for length in (50.0, 20.0, 10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1)
        if length * 5e3 / scale <= room_mm - 20
    ]
    if not pieces:
        return
    each_m = next((length for length in pieces if length * 1e3 / scale <= 12), pieces[-1])
    piece_mm = each_m * 1e3 / scale
    x, y = at
    for piece in range(5):
        box = Area(x + piece * piece_mm, y, x + (piece + 1) * piece_mm, y + 1.5)
        drawn.box(box, FINE_MM, grey=1.0 if piece % 2 else 0.0)
    for piece in (0, 5):
        drawn.write(f"{piece * each_m:g}", (x + piece * piece_mm, y + 4.5), SMALL_MM, "middle")
    drawn.write("m", (x + 5 * piece_mm + 5, y + 4.5), SMALL_MM)
