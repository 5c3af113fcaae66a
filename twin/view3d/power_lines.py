"""Where the power paths lie: busways over racks, feeders overhead from item to item, boxes of the gear. No GL."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.plant.geometry import Busways, Geometry, Polylines
from twin.plant.tables import Plant

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

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
    item: Ints
    above: Ints
    feed: Ints
    width_m: Floats


def feed_of_items(plant: Plant) -> Ints:
    """Return the feed that each item belongs to: its own, else that of all below it; -1 where these differ."""
    power = plant.power
    has = np.zeros((len(power.ids), 2), bool)
    own = np.flatnonzero(power.feed >= 0)
    has[own, power.feed[own]] = True
    for item in range(len(power.ids) - 1, -1, -1):  # children come after their parents
        for above in (int(power.parent[item]), int(power.spare_parent[item]), int(power.bus[item])):
            if above >= 0 and above == power.parent[item]:
                has[above] |= has[item]
            elif above >= 0 and not has[item].any():
                has[item] |= has[above]
    return np.where(has[:, 0] & ~has[:, 1], 0, np.where(has[:, 1] & ~has[:, 0], 1, COMMON)).astype(np.int32)


def power_lines(plant: Plant, geometry: Geometry, low: Floats, high: Floats) -> PowerLines:
    """Return the busways and a feeder for each item that hangs on another.

    Parameters
    ----------
    low, high
        Corners of every power item's box (items, 3) [m].
    """
    busways, power = geometry.busways, plant.power
    spans = busway_spans(plant, busways)
    feed = feed_of_items(plant)
    points: list[Floats] = []
    ends: list[tuple[int, int]] = []
    depth = _depth(plant)
    for item in np.flatnonzero(power.present).tolist():
        for above in {int(power.parent[item]), int(power.bus[item]), int(power.spare_parent[item])} - {-1}:
            points.append(_feeder(low, high, item, above, int(feed[item]), int(depth[item])))
            ends.append((item, above))
    for line, item in enumerate(busways.item.tolist()):
        tap = _tap(spans[line, 0], low[item], high[item], item, int(busways.feed[line]))
        if tap is not None:
            points.append(tap)
            ends.append((item, item))
    ends_at = np.array(ends, np.int32).reshape(-1, 2)
    lengths = [2] * len(spans) + [len(p) for p in points]
    return PowerLines(
        Polylines(
            np.concatenate([spans.reshape(-1, 3), *points]), np.r_[0, np.cumsum(lengths)].astype(np.int32)
        ),
        np.concatenate([busways.item, ends_at[:, 0]]).astype(np.int32),
        np.concatenate([busways.item, ends_at[:, 1]]).astype(np.int32),
        np.concatenate([busways.feed, feed[ends_at[:, 0]]]).astype(np.int32),
        np.concatenate([busways.width_m, np.full(len(ends), _feeder_width_m(len(ends)))]),
    )


def _tap(start: Floats, low: Floats, high: Floats, item: int, feed: int) -> Floats | None:
    """Return the way from the end of a busway to its item where that stands far away; None where it is near."""
    x1, y1, _ = (low + high) / 2
    if np.hypot(start[0] - x1, start[1] - y1) < TAP_M:
        return None
    over = float(start[2]) + LIFT_M + 0.5 * LANE_M * (item % LANES)
    lane = float(start[0]) + APART_M * (2 * feed - 1) + LANE_M * (item % LANES)
    y0 = float(start[1])
    return np.array(
        [start, [start[0], y0, over], [lane, y0, over], [lane, y1, over], [x1, y1, over], [x1, y1, high[2]]]
    )


def _feeder_width_m(count: int) -> float:
    """Return the width of feeders: where there are hundreds, thin ones [m]."""
    return float(FEEDER_WIDTH_M * np.clip((MANY / max(count, 1)) ** 0.5, 0.45, 1.0))


def _depth(plant: Plant) -> Ints:
    """Return how many items stand below each, at most, in its branch."""
    power = plant.power
    depth = np.zeros(len(power.ids), np.int32)
    for item in range(len(power.ids) - 1, -1, -1):
        above = int(power.parent[item])
        if above >= 0:
            depth[above] = max(depth[above], depth[item] + 1)
    return depth


def _feeder(low: Floats, high: Floats, item: int, above: int, feed: int, depth: int) -> Floats:
    """Return the points of a feeder: up, across the rows in a lane of its own, along them, down."""
    aside_m = APART_M * (0 if feed == COMMON else 2 * feed - 1)
    lane_m = LANE_M * (item % LANES)
    (x0, y0, _), (x1, y1, _) = (low[item] + high[item]) / 2, (low[above] + high[above]) / 2
    z0, z1 = float(high[item, 2]), float(high[above, 2])
    over = max(z0, z1, LOWEST_M) + LIFT_M + STAGE_STEP_M * depth + 0.5 * LANE_M * (item % LANES) + aside_m / 2
    x1, cross = x1 + aside_m, x0 + aside_m + lane_m
    points = np.array(
        [[x0, y0, z0], [x0, y0, over], [cross, y0, over], [cross, y1, over], [x1, y1, over], [x1, y1, z1]]
    )
    keep = np.r_[True, np.linalg.norm(np.diff(points, axis=0), axis=1) > 1e-3]
    return points[keep]


def busway_spans(plant: Plant, busways: Busways) -> Floats:
    """Return the ends of each busway (n, 2, 3) [m]: over the racks that its item feeds, from nearest to furthest.

    Several items may feed one row; each then has a piece of its own, one behind the other.
    """
    racks, rows = plant.racks, plant.rows
    first = busways.lines.first[:-1]
    out = np.stack([busways.lines.points[first], busways.lines.points[first + 1]], axis=1)
    row = np.array([int(np.abs(rows.y_m - y).argmin()) for y in out[:, 0, 1]], np.int64)
    for line, (item, feed) in enumerate(zip(busways.item.tolist(), busways.feed.tolist(), strict=True)):
        fed = racks.present & ((racks.feed_b if feed else racks.feed_a) == item) & (racks.row == row[line])
        if fed.any():
            out[line, 0, 0] = float((racks.x_m[fed] + racks.width_m[fed] / 2).max()) - SHORT_M
            out[line, 1, 0] = float((racks.x_m[fed] - racks.width_m[fed] / 2).min()) + SHORT_M
    return out
