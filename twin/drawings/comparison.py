"""Two designs beside each other on one sheet: the plan of each hall twice, at one scale, with marks on what differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from twin.drawings.floor import floor_within
from twin.drawings.paper import SheetDraft, drawing_area, scale_for
from twin.drawings.plan import AROUND_MM, draw_plan
from twin.drawings.revision import MarkedThing, bounds_of_all_m, change_sheets, draw_mark, marked_things
from twin.drawings.sheet import TEXT_MM, Area, SheetContents
from twin.plant.tables import Plant

_HEAD_MM = 8.0
_LEGEND = (
    "First: orange, crossed out: not in the other. Other: green, thick: not in the first.",
    "Blue: elsewhere, with a line from its place in the first. Violet, underlined: holds something else.",
)


def comparison_sheets(
    first: Plant, second: Plant, names: tuple[str, str], sentences: Sequence[str], paper: str
) -> list[SheetDraft]:
    """Return a sheet for each pair of halls, and what differs in words on as many sheets as that needs.

    Parameters
    ----------
    first, second
        The designs.
    names
        What they are called on the sheets.
    sentences
        What differs, in words.
    paper
        A4 to A0.
    """
    plans = [_beside(first, second, pair, names, paper) for pair in _pairs(first.halls.ids, second.halls.ids)]
    return [*plans, *change_sheets(sentences, paper)]


def _pairs(first: list[str], second: list[str]) -> Iterator[tuple[str | None, str | None]]:
    """Yield halls that belong together: those of one id, then the others in their order."""
    for id in first:
        if id in second:
            yield id, id
    left, right = [id for id in first if id not in second], [id for id in second if id not in first]
    for place in range(max(len(left), len(right))):
        yield (left[place] if place < len(left) else None, right[place] if place < len(right) else None)


def _beside(
    first: Plant, second: Plant, pair: tuple[str | None, str | None], names: tuple[str, str], paper: str
) -> SheetDraft:
    """Return one sheet: beside each other, or one above the other where that is larger."""
    halls = [
        (plant, plant.halls.ids.index(id))
        for plant, id in zip((first, second), pair, strict=True)
        if id is not None
    ]
    bounds = bounds_of_all_m(halls)
    areas = {lying: _halves(paper, lying) for lying in (True, False)}
    wide_m, high_m = bounds[1] - bounds[0], bounds[3] - bounds[2]
    scales = {lying: scale_for(wide_m, high_m, _inner(halves[0])) for lying, halves in areas.items()}
    lying = scales[True] <= scales[False]
    things = marked_things(first, second, pair[0] or "", pair[1] or "")
    drawn = SheetContents()
    for side, (plant, id, area) in enumerate(zip((first, second), pair, areas[lying], strict=True)):
        drawn.write(names[side], (area.left + 2, area.top + 5), TEXT_MM, bold=True, most_mm=area.wide - 4)
        if id is None:
            drawn.write("This design has no such hall.", (area.left + 2, area.top + 11), TEXT_MM)
            continue
        floor = floor_within(_inner(area), bounds, scales[lying])
        draw_plan(drawn, floor, plant, plant.halls.ids.index(id))
        for thing in _of_side(things, side):
            draw_mark(drawn, floor, thing)
    titles = dict.fromkeys(plant.halls.titles[hall] or plant.halls.ids[hall] for plant, hall in halls)
    title = f"Comparison of {' and '.join(titles)}"
    legend = _LEGEND if things else ("Racks and machines are alike, and stand alike.",)
    return SheetDraft("revision", title, lying, scales[lying], drawn, legend)


def _halves(paper: str, lying: bool) -> tuple[Area, Area]:
    """Return two halves of a sheet: left and right where it lies, above and below where it stands."""
    area = drawing_area(paper, lying)
    if lying:
        middle = (area.left + area.right) / 2
        return Area(area.left, area.top, middle, area.bottom), Area(middle, area.top, area.right, area.bottom)
    middle = (area.top + area.bottom) / 2
    return Area(area.left, area.top, area.right, middle), Area(area.left, middle, area.right, area.bottom)


def _inner(area: Area) -> Area:
    left, top, right, bottom = AROUND_MM
    return area.shrunk(left, top + _HEAD_MM, right, bottom)


def _of_side(things: Sequence[MarkedThing], side: int) -> Iterator[MarkedThing]:
    """Yield the marks of one design: what is gone and where things stood in the first, all others in the second."""
    for thing in things:
        if thing.mark == "changed" or thing.mark == ("gone", "added")[side]:
            yield thing
        elif thing.mark == "moved":
            yield thing if side else replace(thing, now_m=thing.before_m, before_m=None)
