"""Cable trays and busways over the racks."""

from __future__ import annotations

import numpy as np

from twin.arrays import Ints32
from twin.plant.line_builder import LineBuilder
from twin.plant.shapes import Busways, Trays
from twin.plant.tables import Plant
from twin.plant.tray_paths import TRAY_FORWARD_M, cross_tray_x_m, tray_of_row, tray_places

TRAY_WIDTH_M = 0.5
CROSS_ABOVE_M = 0.12
"""How much higher the tray that joins the rows lies."""

OVERHANG_M = 0.2
BUSWAY_ABOVE_RACK_M = 0.55
BUSWAY_WIDTH_M = 0.09


def draw_trays(plant: Plant) -> Trays:
    """Return the trays over the rows, and in each hall the one that joins them."""
    rows, halls = plant.rows, len(plant.halls.ids)
    cross_m = cross_tray_x_m(plant.racks, halls)
    tray_y_m, tray_z_m = tray_places(rows)
    standing = np.flatnonzero(rows.present)
    line, member = np.unique(tray_of_row(rows)[standing], return_inverse=True)
    start_m = np.full(len(line), np.inf)
    np.minimum.at(start_m, member, rows.x0_m[standing] - OVERHANG_M)
    alone = np.bincount(rows.hall[line], minlength=halls) == 1
    own_end_m = np.full(len(line), -np.inf)
    np.maximum.at(own_end_m, member, rows.x1_m[standing] + OVERHANG_M)
    hall = rows.hall[line]
    end_m = np.where(alone[hall], own_end_m, cross_m[hall] + TRAY_WIDTH_M / 2)
    lines = LineBuilder()
    start = np.stack([start_m, tray_y_m[line], tray_z_m[line]], axis=1)
    stop = np.stack([end_m, tray_y_m[line], tray_z_m[line]], axis=1)
    lines.add_many(np.stack([start, stop], axis=1))
    crossed = []
    for number in range(halls):
        hall_lines = line[hall == number]
        if len(hall_lines) > 1:
            z_m = float(tray_z_m[hall_lines].max()) + CROSS_ABOVE_M
            low, high = (
                float(tray_y_m[hall_lines].min()) - OVERHANG_M,
                float(tray_y_m[hall_lines].max()) + OVERHANG_M,
            )
            lines.add([(cross_m[number], low, z_m), (cross_m[number], high, z_m)])
            crossed.append(number)
    return Trays(
        lines=lines.build(),
        hall=np.concatenate([hall, crossed]).astype(np.int32),
        row=np.concatenate([line, np.full(len(crossed), -1)]).astype(np.int32),
        width_m=np.full(len(line) + len(crossed), TRAY_WIDTH_M),
    )


def draw_busways(plant: Plant) -> Busways:
    """Return one overhead line per power item and row it feeds, from the row end to its furthest rack."""
    racks, rows = plant.racks, plant.rows
    lines = LineBuilder()
    items: list[Ints32] = []
    feeds: list[Ints32] = []
    for feed, column in enumerate((racks.feed_a, racks.feed_b)):
        fed = np.flatnonzero((column >= 0) & racks.present)
        key = column[fed].astype(np.int64) * len(rows.ids) + racks.row[fed]
        pairs, which = np.unique(key, return_inverse=True)
        item, row = np.divmod(pairs, max(len(rows.ids), 1))
        low_m = np.full(len(pairs), np.inf)
        np.minimum.at(low_m, which, racks.x_m[fed])
        y_m = rows.y_m[row] - rows.facing[row] * TRAY_FORWARD_M + (feed - 0.5) * 2 * BUSWAY_WIDTH_M
        z_m = rows.height_m[row] + BUSWAY_ABOVE_RACK_M
        start = np.stack([rows.x1_m[row] + 0.3, y_m, z_m], axis=1)
        lines.add_many(np.stack([start, np.stack([low_m, y_m, z_m], axis=1)], axis=1))
        items.append(item.astype(np.int32))
        feeds.append(np.full(len(pairs), feed, np.int32))
    item_of = np.concatenate(items)
    return Busways(
        lines=lines.build(),
        item=item_of,
        feed=np.concatenate(feeds),
        width_m=np.full(len(item_of), BUSWAY_WIDTH_M),
    )
