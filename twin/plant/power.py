"""The power tree: items of all stages, their parents, and the two feeds of every rack."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields

import numpy as np

from twin.arrays import Bools, Ints32
from twin.catalog import Catalog
from twin.plant.error import PlantError
from twin.plant.layout import Layout
from twin.plant.manual_places import FootprintPlace, stands_of
from twin.plant.row_ends import RowEnds
from twin.plant.stage_figures import StageFigures, figures_of
from twin.plant.tables import FacilityLoops, Loops, Machines, PowerItems, Racks
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.systems import PowerStage

_Fed = Racks | Loops | FacilityLoops
"""Tables of what a stage can feed."""

AISLE_END_M = 0.6
"""Row end to where a busway over the row begins."""
BUSWAY_APART_M = 0.3
"""Middle of the row to the busways of feed A on one side and of feed B on the other."""

ROOM_STEP_M = 1.5
"""From one stage of the tree to the one above it, beyond the row ends."""


def connect_power(
    scenario: Scenario,
    catalog: Catalog,
    layout: Layout,
    loops: Loops,
    machines: Machines,
    plants: FacilityLoops,
) -> PowerItems:
    """Give racks, loops and plants their feeds, in place, and return the power tree, parents before children.

    Item i of n hangs under parent floor(i m / n) of m; what a stage feeds is shared out among its items in the
    same way, racks among themselves, loops among themselves and plants likewise. The first stage of the document
    that feeds a thing is its feed A, the second its feed B.

    Raises
    ------
    PlantError
        When a stage names a source or a thing to feed that does not exist, or stages supply one another in a
        circle.
    UnknownPart
        When the catalogue lacks a part.
    """
    stages = in_order(scenario.power)
    first: dict[str, int] = {}
    total = 0
    for stage in stages:
        first[stage.id] = total
        total += stage.count
    number = {stage.id: place for place, stage in enumerate(scenario.power)}
    parent, spare, bus, feed = (np.full(total, -1, np.int32) for _ in range(4))
    for stage in stages:
        items = np.arange(stage.count)
        for column, name in ((parent, stage.source), (spare, stage.spare_source), (bus, stage.at)):
            if name is not None:
                above = next(s for s in stages if s.id == name)
                column[first[stage.id] + items] = first[above.id] + items * above.count // stage.count
    sides = _feed(scenario, layout, loops, plants, first)
    for stage in stages:
        feed[first[stage.id] : first[stage.id] + stage.count] = sides.get(stage.id, -1)
    stands = stands_of(scenario, stages)
    kinds: list[str] = [stage.kind for stage in stages for _ in range(stage.count)]
    given = [(stand.hall, stand.x_m, stand.y_m) for stand in stands if stand is not None]
    x_m, y_m = _places(layout, loops, parent, kinds, stands, RowEnds(layout, loops, machines, given))
    figures = [figures_of(stage, catalog) for stage in stages]
    counts = [stage.count for stage in stages]

    def each(name: str) -> np.ndarray:
        return np.repeat(np.array([getattr(f, name) for f in figures]), counts)

    return PowerItems(
        ids=[f"{s.id}/{i}" for s in stages for i in range(s.count)],
        kind=kinds,
        part=[s.part or "" for s in stages for _ in range(s.count)],
        stage=np.array([number[s.id] for s in stages for _ in range(s.count)], np.int32),
        parent=parent,
        spare_parent=spare,
        bus=bus,
        **{f.name: each(f.name) for f in fields(StageFigures)},
        x_m=x_m,
        y_m=y_m,
        placed=np.array([stand is not None for stand in stands], np.bool_),
        feed=feed,
        present=np.ones(total, np.bool_),
    )


def in_order(stages: tuple[PowerStage, ...]) -> list[PowerStage]:
    """Return the stages with every source before what it supplies, else in the order given."""
    known = {stage.id for stage in stages}
    for stage in stages:
        for name in _above(stage):
            if name not in known:
                raise PlantError(f"power stage {stage.id!r}: no stage is called {name!r}")
    placed: dict[str, PowerStage] = {}
    waiting = list(stages)
    while waiting:
        ready = [s for s in waiting if all(name in placed for name in _above(s))]
        if not ready:
            raise PlantError(f"power stages {', '.join(s.id for s in waiting)} supply each other in a cycle")
        placed |= {s.id: s for s in ready}
        waiting = [s for s in waiting if s.id not in placed]
    return list(placed.values())


def _above(stage: PowerStage) -> list[str]:
    """Return the stages that must stand before this one."""
    return [name for name in (stage.source, stage.spare_source, stage.at) if name is not None]


def _feed(
    scenario: Scenario, layout: Layout, loops: Loops, plants: FacilityLoops, first: dict[str, int]
) -> dict[str, int]:
    """Set the feeds of all consumers, in place; return stage -> 0 for feed A, 1 for feed B.

    A stage is feed B when all it feeds had a feed A before.
    """
    fed_slots: dict[str, tuple[_Fed, Ints32]] = {
        name: (layout.racks, slots) for name, slots in layout.generator_racks.items()
    }
    start = 0
    for generator in scenario.cooling.loops:
        fed_slots[generator.id] = (loops, np.arange(start, start + generator.count, dtype=np.int32))
        start += generator.count
    fed_slots |= {name: (plants, np.array([slot], np.int32)) for slot, name in enumerate(plants.ids)}
    for table in (layout.racks, loops, plants):
        table.feed_a[:] = -1
        table.feed_b[:] = -1
    sides: dict[str, int] = {}
    for stage in scenario.power:
        second: list[Bools] = []
        for name in stage.feeds:
            if name not in fed_slots:
                raise PlantError(f"power stage {stage.id!r}: no row, loop or plant is called {name!r}")
        for table in (layout.racks, loops, plants):
            fed = [fed_slots[name][1] for name in stage.feeds if fed_slots[name][0] is table]
            if fed:
                second.append(_share_out(table, np.concatenate(fed), first[stage.id], stage.count))
        if second:
            sides[stage.id] = int(bool(np.concatenate(second).all()))
    return sides


def _share_out(table: _Fed, slots: Ints32, first: int, count: int) -> Bools:
    """Feed slots of a table from `count` items in order; return which of them had a feed A before."""
    item = first + np.arange(len(slots)) * count // max(1, len(slots))
    second = table.feed_a[slots] >= 0
    table.feed_b[slots] = np.where(second & (table.feed_b[slots] < 0), item, table.feed_b[slots])
    table.feed_a[slots] = np.where(second, table.feed_a[slots], item)
    return second.astype(np.bool_)


def _places(
    layout: Layout,
    loops: Loops,
    parent: np.ndarray,
    kinds: Sequence[str],
    stands: list[FootprintPlace | None],
    ends: RowEnds,
) -> tuple[np.ndarray, np.ndarray]:
    """Return where the items stand: feeding ones past the high-x end of their first row, others behind them.

    PDUs of loops alone stand past the row that is nearest to their first loop. Those that were given a place stand
    there. An item above is centred on its children; in hall coordinates [m].
    """
    racks, rows = layout.racks, layout.rows
    total = len(kinds)
    x_m, y_m = np.full(total, np.nan), np.full(total, np.nan)
    for feed, column in enumerate((racks.feed_a, racks.feed_b)):
        fed = np.flatnonzero(column >= 0)
        feeding, where = np.unique(column[fed], return_index=True)
        for item, row in zip(feeding.tolist(), racks.row[fed[where]].tolist(), strict=True):
            if kinds[item] == "busbar":
                x_m[item] = rows.x1_m[row] + AISLE_END_M
                y_m[item] = rows.y_m[row] + BUSWAY_APART_M * (2 * feed - 1)
            elif stands[item] is None and math.isnan(x_m[item]):
                x_m[item], y_m[item] = ends.next(row, feed)
    for feed, column in enumerate((loops.feed_a, loops.feed_b)):
        fed = np.flatnonzero(column >= 0)
        feeding, where = np.unique(column[fed], return_index=True)
        for item, loop in zip(feeding.tolist(), fed[where].tolist(), strict=True):
            if kinds[item] == "pdu" and stands[item] is None and math.isnan(x_m[item]):
                near = np.flatnonzero(rows.hall == loops.hall[loop])
                if len(near):
                    row = int(near[np.argmin(np.abs(rows.y_m[near] - loops.y_m[loop]))])
                    x_m[item], y_m[item] = ends.next(row, feed)
    for item, stand in enumerate(stands):
        if stand is not None:
            x_m[item], y_m[item] = stand.x_m, stand.y_m
    below: dict[int, list[int]] = {}
    xs_m, ys_m, parents = x_m.tolist(), y_m.tolist(), parent.tolist()
    for item in range(total - 1, -1, -1):  # children come after their parents
        if math.isnan(xs_m[item]):
            children = below.get(item, [])
            xs_m[item] = max((xs_m[c] for c in children), default=0.0) + ROOM_STEP_M
            ys_m[item] = sum(ys_m[c] for c in children) / len(children) if children else 0.0
        if parents[item] >= 0:
            below.setdefault(parents[item], []).append(item)
    return np.array(xs_m, np.float64), np.array(ys_m, np.float64)
