"""Cables as they lie in the trays: one round bundle per lane along each row and across, one drop per rack."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.arrays import Bools, Floats, Ints32
from twin.plant.line_builder import LineBuilder
from twin.plant.shapes import TrayBundles
from twin.plant.tables import Plant
from twin.plant.tray_paths import cross_tray_x_m, tray_of_row, tray_places
from twin.plant.trays import CROSS_ABOVE_M, TRAY_WIDTH_M

MAX_LANES = 4
"""Rails of one fabric are drawn as at most so many lanes; a lane carries the number of its first rail."""

LANE_M = 0.1
DROP_RADIUS_M = 0.012
ROOF_SHARE = 0.7
"""Part of a rack's width over which its drops are spread."""

IN_TRAY_M = 0.04
"""Bottom of a tray to the middle of the bundles in it."""


@dataclass(frozen=True)
class _Ends:
    """Both ends of every bundle that leaves its rack."""

    rack: Ints32
    row: Ints32  # whose tray it lies in
    hall: Ints32
    lane: Ints32
    rail: Ints32  # first rail of the lane
    fabric: Ints32
    cables: Ints32
    leaves_row: Bools


@dataclass(frozen=True)
class _Drawn:
    """Straight bundles, from (n, 3) to (n, 3), with what `TrayBundles` says of them."""

    start: Floats
    stop: Floats
    fabric: Ints32
    rail: Ints32
    rack: Ints32
    row: Ints32
    hall: Ints32
    lane: Ints32
    cables: Floats
    radius_m: Floats


def draw_bundles(plant: Plant) -> TrayBundles:
    """Return the cables along rows, across rows and down into racks, in this order."""
    lane, rail, offset_m = lanes(plant)
    ends = _ends(plant, lane, rail)
    cross_x_m = cross_tray_x_m(plant.racks, len(plant.halls.ids))
    drawn = [
        _along_rows(plant, ends, offset_m, cross_x_m),
        _across(plant, ends, offset_m, cross_x_m),
        _drops(plant, ends, offset_m),
    ]
    lines = LineBuilder()
    for part in drawn:
        lines.add_many(np.stack([part.start, part.stop], axis=1))
    return TrayBundles(
        lines=lines.build(),
        fabric=np.concatenate([part.fabric for part in drawn]).astype(np.int32),
        rail=np.concatenate([part.rail for part in drawn]).astype(np.int32),
        rack=np.concatenate([part.rack for part in drawn]).astype(np.int32),
        row=np.concatenate([part.row for part in drawn]).astype(np.int32),
        hall=np.concatenate([part.hall for part in drawn]).astype(np.int32),
        lane=np.concatenate([part.lane for part in drawn]).astype(np.int32),
        cables=np.rint(np.concatenate([part.cables for part in drawn])).astype(np.int32),
        radius_m=np.concatenate([part.radius_m for part in drawn]).astype(np.float64),
    )


def lanes(plant: Plant) -> tuple[Ints32, Ints32, Floats]:
    """Return, per bundle, its lane and the first rail of that lane; and each lane's offset in a tray [m].

    Rails of a fabric share its lanes evenly, cables from leaf to spine with the rail of the leaf. Those of leaves
    that serve several rails have a lane of their own.
    """
    bundles = plant.bundles
    rail = np.where(bundles.rail < 0, bundles.plane, bundles.rail)
    lane = np.zeros(len(bundles.rail), np.int32)
    lead = np.full(len(bundles.rail), -1, np.int32)
    total = 0
    for fabric in range(len(plant.fabrics)):
        of_fabric = bundles.fabric == fabric
        rails = int(rail[of_fabric].max(initial=-1)) + 1
        count = min(rails, MAX_LANES)
        mixed = rail < 0
        if count:
            within = np.maximum(rail, 0) * count // rails
            lane[of_fabric] = np.where(mixed, total + count, total + within)[of_fabric]
            lead[of_fabric] = np.where(mixed, -1, -(-within * rails // count))[of_fabric]
        total += count + int(bool(mixed[of_fabric].any()))
    step_m = min(LANE_M, (TRAY_WIDTH_M - 0.06) / max(1, total))
    offset_m: Floats = (np.arange(total, dtype=np.float64) - (total - 1) / 2) * step_m
    return lane, lead, offset_m


def _ends(plant: Plant, lane: Ints32, rail: Ints32) -> _Ends:
    bundles, racks = plant.bundles, plant.racks
    out = bundles.rack_a != bundles.rack_b
    twice = np.concatenate([out, out])
    rack = np.concatenate([bundles.rack_a, bundles.rack_b])[twice]
    tray = tray_of_row(plant.rows)[racks.row]
    leaves_row = tray[bundles.rack_a] != tray[bundles.rack_b]
    return _Ends(
        rack=rack,
        row=tray[rack],
        hall=racks.hall[rack],
        lane=np.tile(lane, 2)[twice],
        rail=np.tile(rail, 2)[twice],
        fabric=np.tile(bundles.fabric, 2)[twice],
        cables=np.tile(bundles.cables, 2)[twice],
        leaves_row=np.tile(leaves_row, 2)[twice],
    )


def _along_rows(plant: Plant, ends: _Ends, offset_m: Floats, cross_x_m: Floats) -> _Drawn:
    """Draw each lane from the furthest rack of a row to its nearest, or out to the tray across."""
    first, group = _groups(ends.row, ends.lane, len(offset_m))
    half_m = plant.racks.width_m[ends.rack] * ROOF_SHARE / 2
    low_m, _ = _span(group, len(first), plant.racks.x_m[ends.rack] - half_m)
    _, high_m = _span(group, len(first), plant.racks.x_m[ends.rack] + half_m)
    row, lane = ends.row[first], ends.lane[first]
    goes_out = np.bincount(group, ends.leaves_row, minlength=len(first)) > 0
    high_m = np.where(goes_out, cross_x_m[ends.hall[first]] + offset_m[lane], high_m)
    tray_y_m, tray_z_m = tray_places(plant.rows)
    y_m, z_m = tray_y_m[row] + offset_m[lane], tray_z_m[row] + IN_TRAY_M
    cables = np.bincount(group, ends.cables, minlength=len(first)).astype(np.float64)
    return _Drawn(
        start=np.stack([low_m, y_m, z_m], axis=1),
        stop=np.stack([high_m, y_m, z_m], axis=1),
        fabric=ends.fabric[first],
        rail=ends.rail[first],
        rack=np.full(len(first), -1, np.int32),
        row=row,
        hall=ends.hall[first],
        lane=lane,
        cables=cables,
        radius_m=_radius_m(cables, offset_m),
    )


def _across(plant: Plant, ends: _Ends, offset_m: Floats, cross_x_m: Floats) -> _Drawn:
    """Draw each lane in the tray across, between the outermost rows that it joins."""
    out = np.flatnonzero(ends.leaves_row)
    within, group = _groups(ends.hall[out], ends.lane[out], len(offset_m))
    first = out[within]
    tray_y_m, tray_z_m = tray_places(plant.rows)
    low_m, high_m = _span(group, len(first), tray_y_m[ends.row[out]] + offset_m[ends.lane[out]])
    top_m = np.full(len(cross_x_m), -np.inf)
    np.maximum.at(top_m, plant.rows.hall, tray_z_m)
    hall = ends.hall[first]
    x_m, z_m = cross_x_m[hall] + offset_m[ends.lane[first]], top_m[hall] + CROSS_ABOVE_M + IN_TRAY_M
    cables = np.bincount(group, ends.cables[out], minlength=len(first)) / 2
    return _Drawn(
        start=np.stack([x_m, low_m, z_m], axis=1),
        stop=np.stack([x_m, high_m, z_m], axis=1),
        fabric=ends.fabric[first],
        rail=ends.rail[first],
        rack=np.full(len(first), -1, np.int32),
        row=np.full(len(first), -1, np.int32),
        hall=hall,
        lane=ends.lane[first],
        cables=cables,
        radius_m=_radius_m(cables, offset_m),
    )


def _drops(plant: Plant, ends: _Ends, offset_m: Floats) -> _Drawn:
    """Draw each lane down from the tray into every rack that it reaches, side by side over the roof."""
    racks, many = plant.racks, len(offset_m)
    first, group = _groups(ends.rack, ends.lane, many)
    rack, lane, row = ends.rack[first], ends.lane[first], ends.row[first]
    tray_y_m, tray_z_m = tray_places(plant.rows)
    x_m = racks.x_m[rack] + (lane - (many - 1) / 2) * racks.width_m[rack] * ROOF_SHARE / max(1, many)
    y_m = tray_y_m[row] + offset_m[lane]
    return _Drawn(
        start=np.stack([x_m, y_m, tray_z_m[row] + IN_TRAY_M], axis=1),
        stop=np.stack([x_m, y_m, racks.height_m[rack]], axis=1),
        fabric=ends.fabric[first],
        rail=ends.rail[first],
        rack=rack,
        row=row,
        hall=ends.hall[first],
        lane=lane,
        cables=np.bincount(group, ends.cables, minlength=len(first)).astype(np.float64),
        radius_m=np.full(len(first), DROP_RADIUS_M),
    )


def _groups(place: Ints32, lane: Ints32, many: int) -> tuple[Ints32, Ints32]:
    """Return the first end of each (place, lane), and the number of the group of each end."""
    key = place.astype(np.int64) * max(1, many) + lane
    begins = np.full(int(key.max(initial=-1)) + 1, -1, np.int32)  # by table: places times lanes are few
    begins[key[::-1]] = np.arange(len(key), dtype=np.int32)[::-1]
    there = begins >= 0
    return begins[there], (np.cumsum(there, dtype=np.int32) - 1)[key]


def _span(group: Ints32, groups: int, at_m: Floats) -> tuple[Floats, Floats]:
    """Return the least and greatest place of each group [m]."""
    low_m, high_m = np.full(groups, np.inf), np.full(groups, -np.inf)
    np.minimum.at(low_m, group, at_m)
    np.maximum.at(high_m, group, at_m)
    return low_m, high_m


def _radius_m(cables: Floats, offset_m: Floats) -> Floats:
    """Return the radius of round bundles, as thick as their cables but within their lane [m]."""
    step_m = float(offset_m[1] - offset_m[0]) if len(offset_m) > 1 else LANE_M
    return np.clip(0.004 * np.sqrt(cables), DROP_RADIUS_M, 0.46 * step_m)
