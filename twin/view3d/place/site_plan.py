"""Where the gear round a hall is drawn: power items behind it, chillers and coolers beside it, pipes to them.

The tables say what hangs on what; this lays it out so that nothing stands in the view of the racks. Sizes are those
of usual machines of each kind [estimated]; they only draw.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Bools, Floats, Ints32
from twin.plant.geometry import Geometry, PipeKind, Pipes, Polylines, WaterCircuit
from twin.plant.row_ends import MOST_AT_ROW_END, PDU_DEPTH_M, PDU_WIDTH_M
from twin.plant.tables import Plant
from twin.view3d.base.bounds import Box, box_of
from twin.view3d.place.building_parts import building_box
from twin.view3d.place.power_lines import busway_spans, row_of_busways

GEAR_M: dict[str, tuple[float, float, float]] = {
    "utility": (2.6, 2.0, 3.0),
    "transformer": (2.4, 1.8, 2.3),
    "switchgear": (2.4, 1.2, 2.2),
    "ups": (1.8, 1.0, 2.0),
    "generator": (3.0, 6.0, 3.0),
    "gas": (4.0, 7.0, 3.6),
    "battery": (2.6, 6.0, 2.9),
    "smr": (9.0, 9.0, 7.0),
    "solar": (6.0, 4.0, 0.6),
    "pdu": (PDU_WIDTH_M, PDU_DEPTH_M, 2.0),
    "busbar": (0.42, 0.22, 0.30),
}
"""Width along the rows, depth across them, height of the drawn box of each kind [m, estimated]."""

YARD_M: dict[str, tuple[float, float, float]] = {
    "dry-cooler": (2.4, 6.0, 2.4),
    "cooling-tower": (3.6, 3.6, 4.4),
    "chiller": (2.6, 5.2, 2.8),
}
"""Width, depth and height of the drawn box of a machine of a facility loop [m, estimated]."""

BEHIND_M = 2.2
"""Wall of the hall to the first gear, and between ranks of gear."""
GAP_M = 0.7
"""Between neighbours."""
SLIM_GAP_M = 0.12
"""Between neighbouring PDUs."""
MOST_MACHINES = 24
"""Machines drawn of one facility loop."""
YARD_FROM_HALL_M = 3.4
PIPE_APART_M = 0.45
YARD_PIPE_M = 0.16
"""Radius of the pipes between yard and hall."""


@dataclass(frozen=True)
class Yard:
    """Machines of the facility loops: corners (n, 3) [m], the loop of each and its place among those drawn."""

    low: Floats
    high: Floats
    plant: Ints32
    number: Ints32


@dataclass(frozen=True)
class SitePlan:
    """What stands round the racks.

    Parameters
    ----------
    low, high
        Corners of every power item's box (items, 3) [m].
    hung
        Which of them hang over the racks.
    yard
        Machines of the facility loops.
    """

    low: Floats
    high: Floats
    hung: NDArray[np.bool_]
    yard: Yard

    @property
    def tops_m(self) -> Floats:
        """Return where a word over each power item stands, (items, 3) [m]."""
        top = (self.low + self.high) / 2
        top[:, 2] = self.high[:, 2] + 0.25
        return np.asarray(top)

    def boxes(self, present: Bools) -> Box:
        """Return the boxes of the power items that are `present`, and of the machines in the yard."""
        return (
            np.concatenate([self.low[present], self.yard.low]),
            np.concatenate([self.high[present], self.yard.high]),
        )

    def plant_box(self, plant: int) -> tuple[Floats, Floats] | None:
        """Return the box round the machines of a facility loop; None where none are drawn."""
        chosen = self.yard.plant == plant
        return (
            (self.yard.low[chosen].min(axis=0), self.yard.high[chosen].max(axis=0)) if chosen.any() else None
        )

    def item_box(self, item: int) -> tuple[Floats, Floats]:
        """Return the box of a power item."""
        return self.low[item], self.high[item]

    def standing(self, plant: Plant, geometry: Geometry, id: str) -> Box | None:
        """Return the box of a thing, in the hall or outside; None for what has none."""
        kind, slot = plant.slots.get(id, ("", -1))
        if kind == "power":
            return self.item_box(slot)
        if kind == "plant":
            return self.plant_box(slot)
        box = box_of(plant, geometry, id)
        return building_box(plant, id) if box is None else box


def site_plan(plant: Plant, geometry: Geometry, side: float) -> SitePlan:
    """Return where everything round the racks stands.

    Parameters
    ----------
    side
        -1 or 1: the y side that the hall is looked at from; power gear stands on the other.
    """
    sizes = np.array([GEAR_M.get(kind, GEAR_M["pdu"]) for kind in plant.power.kind]).reshape(-1, 3)
    middle = np.zeros((len(sizes), 3))
    middle[:, 2] = sizes[:, 2] / 2
    given = np.flatnonzero(plant.power.placed)
    middle[given, 0], middle[given, 1] = plant.power.x_m[given], plant.power.y_m[given]
    hung = _place_feeding(plant, geometry, middle)
    placed = np.asarray(middle[:, :2].any(axis=1), bool) | plant.power.placed
    _place_behind(plant, sizes, middle, placed, side)
    return SitePlan(middle - sizes / 2, middle + sizes / 2, hung, _yard(plant))


def _place_feeding(plant: Plant, geometry: Geometry, middle: Floats) -> NDArray[np.bool_]:
    """Place what feeds racks, in place: taps where busways begin, PDUs at row ends; return which hang.

    Where a row has many PDUs they would hide it: those are left to stand behind the hall.
    """
    power = plant.power
    hung = np.zeros(len(middle), bool)
    lines = geometry.busways
    spans = busway_spans(plant, lines)
    row_of, items = row_of_busways(plant, spans).tolist(), lines.item.tolist()
    at_row: dict[int, set[int]] = {}
    for row, item in zip(row_of, items, strict=True):
        at_row.setdefault(row, set()).add(item)
    stands = (middle[:, :2].any(axis=1) | power.placed).tolist()
    for line, (item, row) in enumerate(zip(items, row_of, strict=True)):
        if stands[item]:
            continue
        if power.kind[item] == "busbar":
            middle[item], hung[item], stands[item] = spans[line, 0], True, True
        elif len(at_row[row]) <= MOST_AT_ROW_END:
            middle[item, 0], middle[item, 1] = power.x_m[item], power.y_m[item]
            stands[item] = bool(middle[item, :2].any())
    return hung


def _place_behind(
    plant: Plant, sizes: Floats, middle: Floats, placed: NDArray[np.bool_], side: float
) -> None:
    """Place all other power items in ranks behind the first hall, in place: what is nearer to the racks nearer.

    In a rank feed B stands beyond feed A.
    """
    power, halls = plant.power, plant.halls
    rank = _ranks(plant, placed)
    wall_m = float(halls.y0_m.min() if side > 0 else halls.y1_m.max())
    at_m = wall_m - side * BEHIND_M
    x1_m, wide_m = float(halls.x1_m[0]), float(halls.x1_m[0] - halls.x0_m[0])
    for level in range(1, int(rank.max(initial=0)) + 1):
        chosen = np.flatnonzero((rank == level) & power.present)
        of_feed_b = np.array(["-b/" in power.ids[item] for item in chosen.tolist()], bool)
        chosen = np.concatenate([chosen[~of_feed_b], chosen[of_feed_b]])
        used_m, deep_m = 0.0, 0.0
        for item, (item_wide_m, item_deep_m, _) in zip(chosen.tolist(), sizes[chosen].tolist(), strict=True):
            if used_m and used_m + item_wide_m > max(wide_m, 12.0):
                at_m, used_m, deep_m = at_m - side * (deep_m + GAP_M), 0.0, 0.0
            middle[item, :2] = x1_m - used_m - item_wide_m / 2, at_m - side * item_deep_m / 2
            used_m += item_wide_m + (SLIM_GAP_M if power.kind[item] == "pdu" else GAP_M)
            deep_m = max(deep_m, item_deep_m)
        at_m -= side * (deep_m + BEHIND_M) if len(chosen) else 0.0


def _ranks(plant: Plant, placed: NDArray[np.bool_]) -> Ints32:
    """Return how far each item is from the racks: 0 for those that stand there, sources beside what they feed."""
    power = plant.power
    rank, parent = np.where(placed, 0, 1).tolist(), power.parent.tolist()
    for item in range(len(rank) - 1, -1, -1):
        above = parent[item]
        if above >= 0:
            rank[above] = max(rank[above], rank[item] + 1)
    for item in np.flatnonzero(power.bus >= 0).tolist():
        rank[item] = rank[power.bus[item]] + 1
    return np.array(rank, np.int32)


def _yard(plant: Plant) -> Yard:
    halls = plant.halls
    low, high, owner, number = [], [], [], []
    x_m = float(halls.x0_m.min()) - YARD_FROM_HALL_M
    for slot, kind in enumerate(plant.plants.kind):
        wide, deep, tall = YARD_M[kind]
        count = int(min(max(int(plant.plants.units[slot]), 1), MOST_MACHINES))
        room_m = float(halls.y1_m[0] - halls.y0_m[0])
        per_column = max(1, int(room_m // (deep + GAP_M)))
        columns = -(-count // per_column)
        for k in range(count) if plant.plants.present[slot] else ():
            column, place = divmod(k, per_column)
            here = min(per_column, count - column * per_column)
            middle_y = (float(halls.y0_m[0]) + float(halls.y1_m[0])) / 2
            y = middle_y + (place - (here - 1) / 2) * (deep + GAP_M)
            x = x_m - column * (wide + 1.4) - wide / 2
            low.append((x - wide / 2, y - deep / 2, 0.25))
            high.append((x + wide / 2, y + deep / 2, tall))
            owner.append(slot)
            number.append(k)
        x_m -= columns * (wide + 1.4) + 1.0
    return Yard(
        np.array(low).reshape(-1, 3),
        np.array(high).reshape(-1, 3),
        np.array(owner, np.int32),
        np.array(number, np.int32),
    )


def with_yard_pipes(pipes: Pipes, yard: Yard) -> Pipes:
    """Return the pipes of the hall and those from the headers' outer ends to the machines outside."""
    points, columns = [], []
    taken: dict[int, int] = {}
    for k in np.flatnonzero((pipes.circuit == WaterCircuit.FACILITY) & (pipes.loop < 0)).tolist():
        chosen = yard.plant == pipes.plant[k]
        if not chosen.any():
            continue
        line = pipes.lines.points[pipes.lines.first[k] : pipes.lines.first[k + 1]]
        supply = int(pipes.kind[k]) == PipeKind.SUPPLY
        end = line[0] if supply else line[-1]
        nth = taken.get(int(pipes.plant[k]), 0)
        taken[int(pipes.plant[k])] = nth + 1
        shift = PIPE_APART_M * nth
        side_x = float(yard.high[chosen, 0].max()) + 0.5 + shift
        near_y = float(yard.low[chosen, 1].min()) + 0.6
        z_m = 0.55
        over = float(end[1])
        high_m = float(end[2]) + 2 * PIPE_APART_M * (nth // 2)
        way = np.array(
            [
                [side_x, near_y, z_m],
                [side_x, over, z_m],
                [side_x, over, high_m],
                [float(end[0]), over, high_m],
                [float(end[0]), over, float(end[2])],
            ]
        )
        points.append(way if supply else way[::-1])
        columns.append((int(pipes.kind[k]), int(WaterCircuit.FACILITY), -1, int(pipes.plant[k]), -1))
        if nth > 1:  # further headers join the pipes that reach the machines
            continue
        stub_x = (yard.low[chosen, 0] + yard.high[chosen, 0]) / 2
        for x, y in zip(stub_x, (yard.low[chosen, 1] + yard.high[chosen, 1]) / 2 + shift - 0.25, strict=True):
            stub = np.array([[x, y, z_m], [side_x, y, z_m]])
            points.append(stub if supply else stub[::-1])
            columns.append((int(pipes.kind[k]), int(WaterCircuit.FACILITY), -1, int(pipes.plant[k]), -1))
    if not points:
        return pipes
    first = pipes.lines.first[-1] + np.cumsum([len(p) for p in points])
    added = np.array(columns, np.int32).T
    return Pipes(
        Polylines(
            np.concatenate([pipes.lines.points, *points]),
            np.concatenate([pipes.lines.first, first]).astype(np.int32),
        ),
        np.concatenate([pipes.kind, added[0]]),
        np.concatenate([pipes.circuit, added[1]]),
        np.concatenate([pipes.loop, added[2]]),
        np.concatenate([pipes.plant, added[3]]),
        np.concatenate([pipes.row, added[4]]),
        np.concatenate([pipes.radius_m, np.full(len(points), YARD_PIPE_M)]),
    )
