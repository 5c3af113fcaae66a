"""Where the power paths lie: busways over racks, feeders overhead from item to item, boxes of the gear. No GL."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats, Ints32
from twin.plant.geometry import Busways, Geometry, Polylines
from twin.plant.tables import Plant

LIFT_M = 0.30
"""A feeder runs so far above the highest thing it leaves or reaches, feed B another `APART_M` higher."""
APART_M = 0.16
"""Half the distance between a feeder of feed A and one of feed B, sideways."""
FEEDER_WIDTH_M = 0.11
STAGE_STEP_M = 0.10
"""Feeders of each stage of the tree lie so much higher than those of the stage below."""
MANY = 40
"""More feeders than this are drawn thinner."""
LANES, LANE_M = 6, 0.14
"""Feeders side by side, and how far apart they lie: neighbours do not hide one another."""
LOWEST_M = 2.6
TAP_M = 3.0
"""An item this near to the end of its busway is seen to belong to it."""
SHORT_M = 0.05
"""Gap between the busways of neighbouring items."""
COMMON = -1
"""Feed of what carries both feeds, or none."""


@dataclass(frozen=True)
class PowerLines:
    """Lines of the power tree, each the way to one item from what is above it.

    Parameters
    ----------
    lines
        From the item upwards.
    item
        The item at the line's lower end: its load and state are shown.
    above
        The item at its upper end; that of a busway is its own item.
    feed
        0 A, 1 B, -1 both or neither.
    width_m
        Of the square duct.
    """

    lines: Polylines
    item: Ints32
    above: Ints32
    feed: Ints32
    width_m: Floats


def feed_of_items(plant: Plant) -> Ints32:
    """Return the feed that each item belongs to: its own, else that of all below it; -1 where these differ."""
    power = plant.power
    parents, spares, buses = power.parent.tolist(), power.spare_parent.tolist(), power.bus.tolist()
    has = np.where(power.feed >= 0, 1 << np.maximum(power.feed, 0), 0).tolist()  # bit 0 feed A, bit 1 feed B
    for item in range(len(has) - 1, -1, -1):  # children come after their parents
        parent = parents[item]
        for above in (parent, spares[item], buses[item]):
            if above >= 0 and above == parent:
                has[above] |= has[item]
            elif above >= 0 and not has[item]:
                has[item] = has[above]
    return np.array([COMMON, 0, 1, COMMON], np.int32)[np.array(has, np.int64)]


def power_lines(plant: Plant, geometry: Geometry, low: Floats, high: Floats) -> PowerLines:
    """Return the busways and a feeder for each item that hangs on another.

    Parameters
    ----------
    low, high
        Corners of every power item's box (items, 3) [m].
    """
    busways = geometry.busways
    spans = busway_spans(plant, busways)
    feed = feed_of_items(plant)
    item, above = _ends(plant)
    ways, lengths = _feeders(low, high, item, above, feed, _depth(plant))
    points, tapped = [ways], []
    away = np.hypot(*(spans[:, 0, :2] - (low + high)[busways.item, :2] / 2).T) >= TAP_M
    for line in np.flatnonzero(away).tolist():
        tap = int(busways.item[line])
        points.append(_tap(spans[line, 0], low[tap], high[tap], tap, int(busways.feed[line])))
        tapped.append(tap)
    lower = np.concatenate([item, tapped]).astype(np.int32)
    upper = np.concatenate([above, tapped]).astype(np.int32)
    counts = np.concatenate([np.full(len(spans), 2), lengths, [len(tap) for tap in points[1:]]])
    return PowerLines(
        Polylines(
            np.concatenate([spans.reshape(-1, 3), *points]), np.r_[0, np.cumsum(counts)].astype(np.int32)
        ),
        np.concatenate([busways.item, lower]).astype(np.int32),
        np.concatenate([busways.item, upper]).astype(np.int32),
        np.concatenate([busways.feed, feed[lower]]).astype(np.int32),
        np.concatenate([busways.width_m, np.full(len(lower), _feeder_width_m(len(lower)))]),
    )


def _ends(plant: Plant) -> tuple[Ints32, Ints32]:
    """Return each item and what it hangs on, once: its parent, its bus, what it falls back on."""
    power = plant.power
    items = np.flatnonzero(power.present)
    above = np.stack([power.parent, power.bus, power.spare_parent], axis=1)[items]
    new = above >= 0
    new[:, 1] &= above[:, 1] != above[:, 0]
    new[:, 2] &= (above[:, 2] != above[:, 0]) & (above[:, 2] != above[:, 1])
    return np.repeat(items, new.sum(axis=1)).astype(np.int32), above[new].astype(np.int32)


def _tap(start: Floats, low: Floats, high: Floats, item: int, feed: int) -> Floats:
    """Return the way from the end of a busway to its item, which stands far away."""
    x1, y1, _ = (low + high) / 2
    over = float(start[2]) + LIFT_M + 0.5 * LANE_M * (item % LANES)
    lane = float(start[0]) + APART_M * (2 * feed - 1) + LANE_M * (item % LANES)
    y0 = float(start[1])
    return np.array(
        [start, [start[0], y0, over], [lane, y0, over], [lane, y1, over], [x1, y1, over], [x1, y1, high[2]]]
    )


def _feeder_width_m(count: int) -> float:
    """Return the width of feeders: where there are hundreds, thin ones [m]."""
    return float(FEEDER_WIDTH_M * np.clip((MANY / max(count, 1)) ** 0.5, 0.45, 1.0))


def _depth(plant: Plant) -> Ints32:
    """Return how many items stand below each, at most, in its branch."""
    parents = plant.power.parent.tolist()
    depth = [0] * len(parents)
    for item in range(len(parents) - 1, -1, -1):
        above = parents[item]
        if above >= 0:
            depth[above] = max(depth[above], depth[item] + 1)
    return np.array(depth, np.int32)


def _feeders(
    low: Floats, high: Floats, item: Ints32, above: Ints32, feed: Ints32, depth: Ints32
) -> tuple[Floats, Ints32]:
    """Return the points of all feeders, one behind the other, and how many each has.

    A feeder goes up, across the rows in a lane of its own, along them, and down.
    """
    aside_m = APART_M * np.where(feed[item] == COMMON, 0, 2 * feed[item] - 1)
    lane = item % LANES
    x0, y0 = (low[item, :2] + high[item, :2]).T / 2
    x1, y1 = (low[above, :2] + high[above, :2]).T / 2
    z0, z1 = high[item, 2], high[above, 2]
    over = np.maximum(np.maximum(z0, z1), LOWEST_M) + LIFT_M + STAGE_STEP_M * depth[item]
    over += 0.5 * LANE_M * lane + aside_m / 2
    x1, cross = x1 + aside_m, x0 + aside_m + LANE_M * lane
    points = np.stack(
        [
            np.stack([x0, x0, cross, cross, x1, x1], axis=1),
            np.stack([y0, y0, y0, y1, y1, y1], axis=1),
            np.stack([z0, over, over, over, over, z1], axis=1),
        ],
        axis=2,
    )
    keep = np.ones(points.shape[:2], bool)
    keep[:, 1:] = np.linalg.norm(np.diff(points, axis=1), axis=2) > 1e-3
    return points[keep], keep.sum(axis=1)


def busway_spans(plant: Plant, busways: Busways) -> Floats:
    """Return the ends of each busway (n, 2, 3) [m]: over the racks that its item feeds, from nearest to furthest.

    Several items may feed one row; each then has a piece of its own, one behind the other.
    """
    racks, rows = plant.racks, plant.rows
    first = busways.lines.first[:-1]
    out = np.stack([busways.lines.points[first], busways.lines.points[first + 1]], axis=1)
    row = row_of_busways(plant, out)
    wide, count = racks.width_m / 2, len(rows.ids)
    for feed, column in enumerate((racks.feed_a, racks.feed_b)):
        runs = np.flatnonzero((busways.feed != 0) == bool(feed))
        fed = np.flatnonzero(racks.present & (column >= 0))
        at, line = np.unique(busways.item[runs].astype(np.int64) * count + row[runs], return_inverse=True)
        key = column[fed].astype(np.int64) * count + racks.row[fed]
        place = np.searchsorted(at, key)
        known = np.flatnonzero(np.append(at, -1)[place] == key)
        near, far = np.full(len(at), -np.inf), np.full(len(at), np.inf)
        np.maximum.at(near, place[known], (racks.x_m + wide)[fed[known]])
        np.minimum.at(far, place[known], (racks.x_m - wide)[fed[known]])
        some = np.isfinite(near)[line]
        out[runs[some], 0, 0] = near[line[some]] - SHORT_M
        out[runs[some], 1, 0] = far[line[some]] + SHORT_M
    return out


def row_of_busways(plant: Plant, spans: Floats) -> NDArray[np.int64]:
    """Return the row that lies nearest to each busway."""
    if not len(plant.rows.ids):  # a hall that is being built
        return np.zeros(len(spans), np.int64)
    nearest: NDArray[np.int64] = np.abs(plant.rows.y_m - spans[:, :1, 1]).argmin(axis=1)
    return nearest
