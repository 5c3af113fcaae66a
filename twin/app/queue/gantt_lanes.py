"""What stands beside the chart of the queue: names of rows, racks or nodes, as many as have room. No widgets."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.app.queue.history import JobHistory
from twin.app.world.rows import row_name
from twin.plant.tables import Plant
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scheduling import Reservation

_LANE_PX = 13.0
MOST_WINDOWS = 400
"""Times set aside that come again and again are shown up to this number."""


@dataclass(frozen=True)
class Lane:
    """A band of GPUs `low`..`high` with its name."""

    name: str
    low: float
    high: float


@dataclass(frozen=True)
class ReservedTime:
    """A time set aside: GPUs `low`..`high` from `begin_s` to `end_s` [s]."""

    reservation: Reservation
    low: float
    high: float
    begin_s: float
    end_s: float


class Lanes:
    """Names of the GPUs of a plant at three depths: rows, racks, nodes; and partitions."""

    def __init__(self, plant: Plant, scenario: Scenario) -> None:
        nodes, self._plant = plant.nodes, plant
        rack = nodes.rack
        low, high = nodes.gpu_first.astype(float), (nodes.gpu_first + nodes.gpu_count).astype(float)
        self._depths: list[list[Lane]] = []
        row = plant.racks.row[rack]
        depths = (
            (row, [row_name(plant, slot) for slot in range(len(plant.rows.ids))] + [""]),
            (rack, plant.racks.ids),
            (np.arange(len(rack)), nodes.ids),
        )
        for key, names in depths:
            self._depths.append(
                [Lane(names[key[a]], float(low[a]), float(high[b - 1])) for a, b in _groups(key)]
            )
        self.partitions = [
            (
                partition,
                [
                    Lane(partition.title or partition.id, float(low[a]), float(high[b - 1]))
                    for a, b in _spans(rows_mask(plant, partition.rows))
                ],
            )
            for partition in scenario.partitions
        ]

    def shown(self, low: float, high: float, height_px: float) -> list[Lane]:
        """Return the deepest lanes that have room in so many pixels, those between `low` and `high`."""
        chosen: list[Lane] = []
        for lanes in self._depths:
            seen = [lane for lane in lanes if lane.high > low and lane.low < high]
            if chosen and (high - low) and len(seen) * _LANE_PX > height_px:
                break
            chosen = seen
        return chosen


def rows_mask(plant: Plant, rows: tuple[str, ...]) -> NDArray[np.bool_]:
    """Return which nodes stand in rows of these generators; all of them for none."""
    if not rows:
        return np.ones(len(plant.nodes.ids), bool)
    in_rows = np.array([id.rpartition("/")[0] in rows or id in rows for id in plant.rows.ids])
    row = plant.racks.row[plant.nodes.rack]
    return np.asarray(in_rows[row] & (row >= 0))


def windows(scenario: Scenario, history: JobHistory) -> list[ReservedTime]:
    """Return the times set aside; of nodes that the run has not named yet, the lowest numbers are shown."""
    plant, found = history.plant, list[ReservedTime]()
    low, high = (
        plant.nodes.gpu_first.astype(float),
        (plant.nodes.gpu_first + plant.nodes.gpu_count).astype(float),
    )
    for reservation in scenario.reservations:
        mask = rows_mask(plant, reservation.rows)
        gpus = int(mask.sum())
        wanted = gpus if reservation.nodes is None else reservation.nodes
        if reservation.share is not None:
            wanted = math.ceil(reservation.share * gpus - 1e-9)
        if history.reserved.get(reservation.id):
            mask = np.zeros(len(mask), bool)
            for first, last in history.reserved[reservation.id]:
                mask[first : last + 1] = True
        else:
            mask[np.flatnonzero(mask)[wanted:]] = False
        begin_s = reservation.at_s
        while begin_s < scenario.duration_s and len(found) < MOST_WINDOWS:
            end_s = begin_s + reservation.duration_s
            found += [
                ReservedTime(reservation, float(low[a]), float(high[b - 1]), begin_s, end_s)
                for a, b in _spans(mask)
            ]
            if reservation.every_s is None:
                break
            begin_s += reservation.every_s
    return found


def _groups(key: NDArray[np.int32] | NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return runs of equal keys as (first, behind)."""
    edges = np.flatnonzero(np.diff(key)) + 1
    return list(zip([0, *edges.tolist()], [*edges.tolist(), len(key)], strict=True)) if len(key) else []


def _spans(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return runs of true values as (first, behind)."""
    return [(a, b) for a, b in _groups(mask.astype(np.int32)) if mask[a]]
