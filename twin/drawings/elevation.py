"""Rack elevations by row from the front: U numbers, what stands where, power, weight. Alike racks are drawn once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from twin.catalog import Catalog
from twin.drawings.paper import SheetDraft, drawing_area
from twin.drawings.sheet import (
    FINE_MM,
    LINE,
    MEDIUM_MM,
    SMALL_MM,
    TEXT_MM,
    THIN_MM,
    Area,
    SheetContents,
    text_mm,
    wrapped,
)
from twin.plant.design_load import rack_budget, rack_weights_kg
from twin.plant.tables import FixtureKind, Plant

_UNIT_M = 0.04445
_SCALES = (20, 25, 50)
_NUMBERS_MM, _APART_MM, _WORDS_MM, _HEAD_MM = 7.0, 6.0, 24.0, 8.0
_LOW_MM = 3.0
"""Neighbours alike that are lower on paper are named once."""
_NAME_LINES = 3
_ORDINALS = {2: "nd", 3: "rd"}
_FIXTURES = {
    FixtureKind.NVLINK_TRAY: "NVLink tray",
    FixtureKind.POWER_SHELF: "power shelf",
    FixtureKind.STORAGE: "storage",
}


@dataclass(frozen=True)
class Stack:
    """What is in a rack: lowest unit, height in units, what it is, its place among so many side by side."""

    units_u: int
    wide_m: float
    part: str
    devices: tuple[tuple[int, float, str, int, int], ...]
    power_w: float
    weight_kg: float


@dataclass(frozen=True)
class RackGroup:
    """Racks of one row with the same contents.

    Parameters
    ----------
    stack
        What each holds.
    racks
        Their ids, in order.
    """

    stack: Stack
    racks: tuple[str, ...]


@dataclass(frozen=True)
class RowPattern:
    """Rows with the same racks in the same order, by the labels of all and the racks of the first."""

    labels: tuple[str, ...]
    groups: tuple[RackGroup, ...]


def row_patterns(plant: Plant, catalog: Catalog, hall: int) -> list[RowPattern]:
    """Return the rows of a hall as groups of alike racks, which need no neighbours be; rows that are alike once."""
    stacks = rack_stacks(plant, catalog)
    racks, rows = plant.racks, plant.rows
    found: dict[tuple[Stack, ...], tuple[list[str], tuple[RackGroup, ...]]] = {}
    for row in np.flatnonzero(rows.present & (rows.hall == hall)).tolist():
        slots = np.flatnonzero(racks.present & (racks.row == row)).tolist()
        groups: dict[Stack, list[str]] = {}
        for slot in slots:
            groups.setdefault(stacks[slot], []).append(racks.ids[slot])
        if groups:
            made = tuple(RackGroup(stack, tuple(ids)) for stack, ids in groups.items())
            found.setdefault(tuple(stacks[slot] for slot in slots), ([], made))[0].append(rows.labels[row])
    return [RowPattern(tuple(labels), groups) for labels, groups in found.values()]


def racks_named(ids: Sequence[str]) -> str:
    """Return racks of one row in short, in their order.

    Examples
    --------
    >>> racks_named(["gpu/0/0", "gpu/0/1", "gpu/0/2"]), racks_named(["gpu/0/0", "gpu/0/2", "gpu/0/4", "gpu/0/6"])
    ('gpu/0/0-2', 'gpu/0/0-6, every 2nd')
    >>> racks_named(["gpu/0/0", "gpu/0/1", "gpu/0/5"])
    'gpu/0/0-1, 5'
    """
    heads, numbers = zip(*((head, last) for head, _, last in (id.rpartition("/") for id in ids)), strict=True)
    if len(set(heads)) > 1 or not all(number.isdecimal() for number in numbers):
        return ", ".join(ids)
    places = [int(number) for number in numbers]
    apart = {after - before for before, after in pairwise(places)}
    if len(places) > 2 and len(apart) == 1 and (step := apart.pop()) > 1:
        return f"{ids[0]}-{places[-1]}, every {step}{_ORDINALS.get(step, 'th')}"
    runs: list[list[int]] = []
    for place in places:
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    told = ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
    return f"{heads[0]}/{told}"


def elevation_sheets(plant: Plant, catalog: Catalog, hall: int, paper: str) -> list[SheetDraft]:
    """Return the elevations of one hall on as many sheets as they need."""
    area = drawing_area(paper, True)
    patterns = row_patterns(plant, catalog, hall)
    tallest = max((group.stack.units_u for pattern in patterns for group in pattern.groups), default=42)
    scale = next(
        (scale for scale in _SCALES if tallest * _UNIT_M * 1e3 / scale + _WORDS_MM + _HEAD_MM <= area.high),
        _SCALES[-1],
    )
    high = tallest * _UNIT_M * 1e3 / scale + _WORDS_MM + _HEAD_MM
    title = f"Elevations of {plant.halls.titles[hall] or plant.halls.ids[hall]}"
    drafts: list[SheetDraft] = []
    drawn, x, y = SheetContents(), area.left, area.top
    for pattern in patterns:
        heading = _heading(pattern)
        for place, group in enumerate(pattern.groups):
            wide = group.stack.wide_m * 1e3 / scale + _NUMBERS_MM + _APART_MM
            if x + wide > area.right:
                x, y = area.left, y + high
            if y + high > area.bottom:
                drafts.append(_sheet(title, scale, drawn))
                drawn, x, y = SheetContents(), area.left, area.top
            if place == 0 or x == area.left:
                room = min(wide * min(len(pattern.groups) - place, 3) - 2, area.right - x)
                high_mm = TEXT_MM if text_mm(heading, TEXT_MM, bold=True) <= room else SMALL_MM
                drawn.write(heading, (x, y + 4), high_mm, bold=True, most_mm=room)
            _rack(drawn, group, (x + _NUMBERS_MM, y + high - _WORDS_MM), scale, wide - 2)
            x += wide
        x += _APART_MM
    drafts.append(_sheet(title, scale, drawn))
    return drafts


def _sheet(title: str, scale: int, drawn: SheetContents) -> SheetDraft:
    legend = (
        "Seen from the front. Numbers are rack units. Alike racks of a row are drawn once, as are alike rows.",
        "Power: design load of all in a rack. Weight: with its contents, as far as it is known.",
    )
    return SheetDraft("elevation", title, True, scale, drawn, legend)


def _heading(pattern: RowPattern) -> str:
    labels = pattern.labels
    if len(labels) == 1:
        return labels[0]
    return f"{labels[0]} to {labels[-1]}: {len(labels)} rows alike"


def _rack(
    drawn: SheetContents, group: RackGroup, foot: tuple[float, float], scale: int, room_mm: float
) -> None:
    """Draw one rack with its left lower corner at `foot`."""
    stack, (left, bottom) = group.stack, foot
    unit = _UNIT_M * 1e3 / scale
    right = left + stack.wide_m * 1e3 / scale
    drawn.box(Area(left, bottom - stack.units_u * unit, right, bottom), MEDIUM_MM)
    for number in range(1, stack.units_u + 1):
        y = bottom - (number - 1) * unit
        drawn.line((left - 1, y), (left, y), wide_mm=FINE_MM)
        if number == 1 or number % 5 == 0:
            drawn.write(str(number), (left - 1.4, y - unit / 2 + SMALL_MM / 2), SMALL_MM, "right")
    untold: dict[str, int] = {}
    told: list[tuple[Area, int, str]] = []
    for u, height_u, text, column, abreast in stack.devices:
        device_mm = (right - left) / abreast
        box = Area(
            left + column * device_mm,
            bottom - (u - 1 + height_u) * unit,
            left + (column + 1) * device_mm,
            bottom - (u - 1) * unit,
        )
        drawn.box(box, THIN_MM, grey=0.06)
        below = told[-1] if told else None
        if below and below[2] == text and box.high < _LOW_MM and abs(below[0].top - box.bottom) < 0.01:
            told[-1] = (Area(box.left, box.top, box.right, below[0].bottom), below[1] + 1, text)
        else:
            told.append((box, 1, text))
    for box, count, part in told:
        text = part if count == 1 else f"{count} x {part}"
        if box.high >= SMALL_MM + 0.3 and text_mm(text, SMALL_MM) <= box.wide - 1:
            middle = ((box.left + box.right) / 2, (box.top + box.bottom + SMALL_MM) / 2)
            drawn.write(text, middle, SMALL_MM, "middle", clear=count > 1)
        else:
            untold[part] = untold.get(part, 0) + count
    ids = group.racks
    lines = wrapped(racks_named(ids), SMALL_MM, room_mm)
    if len(lines) > _NAME_LINES:
        lines = [*lines[: _NAME_LINES - 1], f"{lines[_NAME_LINES - 1]} ..."]
    if len(ids) > 1:
        lines.append(f"{len(ids)} racks alike")
    lines += [f"{stack.power_w / 1e3:,.1f} kW, {stack.weight_kg:,.0f} kg"]
    if stack.part:
        lines.append(stack.part)
    lines += [
        line for part, count in untold.items() for line in wrapped(f"{count} x {part}", SMALL_MM, room_mm)
    ]
    lines = lines[: int((_WORDS_MM - 1) / (LINE * SMALL_MM))]
    drawn.write_lines(lines, (left - _NUMBERS_MM + 1, bottom + LINE * SMALL_MM + 1), most_mm=room_mm)


def rack_stacks(plant: Plant, catalog: Catalog) -> list[Stack]:
    """Return what is in each rack."""
    racks, nodes, switches, fixtures = plant.racks, plant.nodes, plant.switches, plant.fixtures
    devices: list[list[tuple[int, float, str, int, int]]] = [[] for _ in racks.ids]
    for slot in np.flatnonzero(nodes.present).tolist():
        devices[int(nodes.rack[slot])].append(
            (
                int(nodes.u[slot]),
                float(nodes.height_u[slot]),
                plant.node_parts[int(nodes.part[slot])],
                int(nodes.column[slot]),
                int(nodes.abreast[slot]),
            )
        )
    for slot in np.flatnonzero(switches.present & (switches.rack >= 0)).tolist():
        place = (int(switches.u[slot]), float(switches.height_u[slot]), switches.part[slot], 0, 1)
        devices[int(switches.rack[slot])].append(place)
    for rack, u, height_u, kind in zip(
        fixtures.rack.tolist(),
        fixtures.u.tolist(),
        fixtures.height_u.tolist(),
        fixtures.kind.tolist(),
        strict=True,
    ):
        devices[rack].append((u, float(height_u), _FIXTURES[FixtureKind(kind)], 0, 1))
    power_w, weight_kg = rack_budget(plant, catalog).power_w, rack_weights_kg(plant, catalog)[0]
    return [
        Stack(
            int(racks.units_u[slot]),
            float(racks.width_m[slot]),
            racks.part[slot],
            tuple(sorted(devices[slot])),
            round(float(power_w[slot]), 3),
            round(float(weight_kg[slot]), 3),
        )
        for slot in range(len(racks.ids))
    ]
