"""Floors of the halls around their contents, and the halls side by side."""

from __future__ import annotations

import numpy as np

from twin.arrays import Floats
from twin.plant.layout import Layout
from twin.plant.manual_places import FootprintPlace, stands_of
from twin.plant.power import AISLE_END_M, in_order
from twin.plant.row_ends import crowded_row
from twin.plant.tables import Halls, Loops, Machines, PowerItems
from twin.scenario.generators.building_shape import NO_BUILDING, shape_of
from twin.scenario.schema.document import Scenario

MARGIN_M = 2.4
"""Free floor round everything; four tiles."""

BETWEEN_HALLS_M = 6.0
EMPTY_HALL_M = 12.0
TILE_M = 0.6


def settle_halls(
    scenario: Scenario, layout: Layout, loops: Loops, machines: Machines, power: PowerItems
) -> Halls:
    """Return the floors, and move everything from the coordinates of its hall to those of the site, in place.

    The first hall stays where it is; each further one begins beyond the one before it along x.
    """
    racks, rows = layout.racks, layout.rows
    machine_hall = loops.hall[machines.loop]
    stands = stands_of(scenario, in_order(scenario.power))
    item_hall = _hall_of_items(layout, power, stands)
    # What stands above those that feed is outside, in its own rooms, unless somebody placed it. PDUs of loops alone are
    # drawn behind the hall.
    items = np.arange(len(power.ids))
    of_racks = np.isin(items, racks.feed_a) | np.isin(items, racks.feed_b)
    feeding = (power.feed >= 0) & (of_racks | (np.array(power.kind, str) != "pdu"))
    feeding |= np.array([stand is not None for stand in stands], np.bool_)
    crowded = crowded_row(layout, len(power.ids))
    feeding_x_m = (
        np.where(crowded >= 0, rows.x1_m[crowded] + AISLE_END_M, power.x_m) if rows.ids else power.x_m
    )
    count = len(scenario.halls)
    low, high = np.full((count, 2), np.inf), np.full((count, 2), -np.inf)
    for hall, x_m, y_m, half_x, half_y in (
        (racks.hall, racks.x_m, racks.y_m, racks.width_m / 2, racks.depth_m / 2),
        (machine_hall, machines.x_m, machines.y_m, machines.width_m / 2, machines.depth_m / 2),
        (item_hall[feeding], feeding_x_m[feeding], power.y_m[feeding], 0.0, 0.0),
    ):
        np.minimum.at(low, hall, np.stack([x_m - half_x, y_m - half_y], axis=1))
        np.maximum.at(high, hall, np.stack([x_m + half_x, y_m + half_y], axis=1))
    bare = ~np.isfinite(low[:, 0])
    low[bare], high[bare] = 0.0, EMPTY_HALL_M
    floor_low = np.floor((low - MARGIN_M) / TILE_M) * TILE_M
    floor_high = np.ceil((high + MARGIN_M) / TILE_M) * TILE_M
    buildings = [NO_BUILDING if hall.building is None else shape_of(hall.building) for hall in scenario.halls]
    for hall, building in enumerate(buildings):
        if (
            walls := building.bounds
        ) is not None:  # things outside stand on its floor too, and a rule tells of them
            bare_low, bare_high = (walls[:2], walls[2:]) if bare[hall] else (low[hall], high[hall])
            floor_low[hall] = np.minimum(walls[:2], bare_low)
            floor_high[hall] = np.maximum(walls[2:], bare_high)
    low, high = floor_low, floor_high
    shift_x_m = _shifts_m(low[:, 0], high[:, 0])
    for hall, columns in (
        (racks.hall, (racks.x_m,)),
        (rows.hall, (rows.x0_m, rows.x1_m)),
        (machine_hall, (machines.x_m,)),
        (loops.hall, (loops.x_m,)),
        (item_hall, (power.x_m,)),
    ):
        for column in columns:
            column += shift_x_m[hall]
    return Halls(
        ids=[hall.id for hall in scenario.halls],
        titles=[hall.title or hall.id for hall in scenario.halls],
        x0_m=low[:, 0] + shift_x_m,
        y0_m=low[:, 1],
        x1_m=high[:, 0] + shift_x_m,
        y1_m=high[:, 1],
        shift_x_m=shift_x_m,
        dew_point_c=np.array([hall.dew_point_c for hall in scenario.halls]),
        air_class=[hall.air_class for hall in scenario.halls],
        floor_load_pa=np.array([hall.floor_load_pa for hall in scenario.halls]),
        buildings=[
            building.moved(shift_m) for building, shift_m in zip(buildings, shift_x_m.tolist(), strict=True)
        ],
    )


def _shifts_m(low_m: Floats, high_m: Floats) -> Floats:
    shift_m = np.zeros(len(low_m))
    for hall in range(1, len(low_m)):
        shift_m[hall] = high_m[hall - 1] + shift_m[hall - 1] + BETWEEN_HALLS_M - low_m[hall]
    return shift_m


def _hall_of_items(layout: Layout, power: PowerItems, stands: list[FootprintPlace | None]) -> np.ndarray:
    """Return the hall of every power item: where it was put, that of its racks, of its children, else the first."""
    hall = np.full(len(power.ids), -1, np.int32)
    for column in (layout.racks.feed_b, layout.racks.feed_a):
        fed = column >= 0
        hall[column[fed]] = layout.racks.hall[fed]
    for item, stand in enumerate(stands):
        if stand is not None:
            hall[item] = stand.hall if stand.hall >= 0 else max(int(hall[item]), 0)
    for item in range(len(hall) - 1, -1, -1):
        if hall[item] < 0:
            hall[item] = 0
        above = power.parent[item]
        if above >= 0 and hall[above] < 0:
            hall[above] = hall[item]
    return hall
