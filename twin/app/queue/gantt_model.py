"""What the queue's chart shows: a moment of the run, the lanes beside it, its axes, and what it says. No widgets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from html import escape

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF

from twin.app.queue.growing_columns import End
from twin.app.queue.history import JobHistory
from twin.app.queue.plan import Planned, expected_s
from twin.app.toolkit import text
from twin.app.toolkit.charts.axes import Axis, VisibleRange, round_times
from twin.app.toolkit.clock import Clock
from twin.language import tr
from twin.plant.find import row_name
from twin.plant.tables import Plant
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scheduling import Partition, Reservation

_LANE_PX = 13.0
MOST_WINDOWS = 400
"""Times set aside that come again and again are shown up to this number."""
AHEAD = 1.12
"""While the chart follows the run it shows so much more than what has been: a little of the future."""
_STEPS_S = (
    1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1200.0, 1800.0, 3600.0, 7200.0, 3 * 3600.0, 6 * 3600.0,
    12 * 3600.0, 86400.0, 2 * 86400.0, 7 * 86400.0, 14 * 86400.0, 28 * 86400.0,
)  # fmt: skip
_SHORTEST_S = 30.0
_ENDED = {
    End.DONE: "completed",
    End.KILLED: tr("ended early"),
    End.REQUEUED: tr("lost its GPUs, requeued"),
    End.PREEMPTED: tr("preempted, requeued"),
    End.CHANGED: tr("runs in the cloud"),
}


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
    """Names of the GPUs of a plant at three depths: rows, racks, nodes; and partitions; once somebody looks at them."""

    def __init__(self, plant: Plant, scenario: Scenario) -> None:
        self._plant, self._scenario = plant, scenario
        nodes = plant.nodes
        self._low, self._high = (
            nodes.gpu_first.astype(float),
            (nodes.gpu_first + nodes.gpu_count).astype(float),
        )

    @cached_property
    def _depths(self) -> list[list[Lane]]:
        plant, nodes, low, high = self._plant, self._plant.nodes, self._low, self._high
        rack = nodes.rack
        row = plant.racks.row[rack]
        depths = (
            (row, [row_name(plant, slot) for slot in range(len(plant.rows.ids))] + [""]),
            (rack, plant.racks.ids),
            (np.arange(len(rack)), nodes.ids),
        )
        return [
            [Lane(names[key[a]], float(low[a]), float(high[b - 1])) for a, b in _groups(key)]
            for key, names in depths
        ]

    @cached_property
    def partitions(self) -> list[tuple[Partition, list[Lane]]]:
        """Return each partition with its lanes."""
        return [
            (
                partition,
                [
                    Lane(partition.title or partition.id, float(self._low[a]), float(self._high[b - 1]))
                    for a, b in _spans(rows_mask(self._plant, partition.rows))
                ],
            )
            for partition in self._scenario.partitions
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
    named = [id.rpartition("/")[0] in rows or id in rows for id in plant.rows.ids]
    in_rows = np.array([*named, False])  # the last for racks in no row, whose row is -1
    return np.asarray(in_rows[plant.racks.row[plant.nodes.rack]])


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


@dataclass(frozen=True)
class ChartMoment:
    """What one moment of a run looks like in the chart."""

    history: JobHistory
    scenario: Scenario
    clock: Clock
    lanes: Lanes
    now_s: float = 0.0
    planned: tuple[Planned, ...] = ()
    windows: tuple[ReservedTime, ...] = ()


@dataclass(frozen=True)
class ChartArea:
    """Where things are: the field of boxes and the strip above it [px], and the axes of time [s] and GPUs."""

    boxes: QRectF
    strip: QRectF
    times: Axis
    gpus: Axis

    def box(self, begin_s: float, end_s: float, low: float, high: float) -> QRectF:
        """Return the rectangle of GPUs over a time."""
        left, top = self.times.px(begin_s), self.gpus.px(low)
        return QRectF(left, top, self.times.px(end_s) - left, self.gpus.px(high) - top)


def time_axis(end_s: float) -> VisibleRange:
    """Return the time axis of a run that may last until `end_s` [s]."""
    return VisibleRange(0.0, max(end_s, 60.0), 0.0, max(end_s, 60.0), _SHORTEST_S)


def gpu_axis(gpus: int) -> VisibleRange:
    """Return the axis of so many GPUs."""
    most = float(max(gpus, 1))
    return VisibleRange(0.0, most, 0.0, most, min(4.0, most))


def ticks(
    axis: VisibleRange | Axis, clock: Clock, width_px: float, label_px: float
) -> list[tuple[float, str]]:
    """Return the times to mark [s] with their words: round ones of the site's clock, as many as have room."""
    extent, room = axis.high - axis.low, max(width_px / label_px, 1.0)
    step_s = next((step for step in _STEPS_S if extent / step <= room), _STEPS_S[-1])
    found = round_times(clock, axis.low, axis.high, step_s, weekday=True)
    return [tick for tick in found if tick[0] < axis.high]


class Words:
    """Sentences on boxes of one run."""

    def __init__(self, history: JobHistory, clock: Clock) -> None:
        self._history, self._clock = history, clock

    def box(self, job: int, box: int, now_s: float) -> str:
        """Return the tooltip of a box: job, tenant, size, times, end."""
        spans = self._history.spans
        begin_s, end_s = float(spans.begin_s[box]), float(spans.end_s[box])
        gpus = float(spans.high[box] - spans.low[box])
        lines = [self._head(job), tr("{significant} GPUs here", significant=text.significant(gpus))]
        if np.isfinite(end_s):
            lines.append(
                tr(
                    "{begin_time} to {end}",
                    begin_time=self._clock.says(begin_s),
                    end=self._clock.says(end_s),
                )
            )
            lines.append(f"{text.duration(end_s - begin_s)}, {_ENDED.get(End(int(spans.how[box])), '')}")
        else:
            lines.append(
                tr(
                    "since {begin_time}, {duration}",
                    begin_time=self._clock.says(begin_s),
                    duration=text.duration(now_s - begin_s),
                )
            )
            left_s = self._history.started_s.get(job, begin_s) + expected_s(self._history, job) - now_s
            if left_s > 0:
                lines.append(tr("expected to end in {duration}", duration=text.duration(left_s)))
        return "<br>".join(lines)

    def planned(self, one: Planned) -> str:
        """Return the tooltip of a queued job with a planned start."""
        since_s = self._history.waiting.get(one.job)
        lines = [
            self._head(one.job),
            tr("needs {gpus_of:,} GPUs", gpus_of=self._history.gpus_of(one.job)),
            tr("planned to start at {begin_time}", begin_time=self._clock.says(one.begin_s)),
        ]
        if since_s is not None:
            lines.append(tr("in the queue since {since}", since=self._clock.says(since_s)))
        return "<br>".join(lines)

    def window(self, window: ReservedTime) -> str:
        """Return the tooltip of a reservation."""
        reservation = window.reservation
        whose = ", ".join((*reservation.tenants, *reservation.jobs))
        lines = [
            f"<b>{escape(reservation.id)}</b>",
            reservation.kind + (tr(" for {whose}", whose=escape(whose)) if whose else ""),
        ]
        lines.append(
            tr(
                "{begin_time} to {end}",
                begin_time=self._clock.says(window.begin_s),
                end=self._clock.says(window.end_s),
            )
        )
        return "<br>".join(lines)

    def level(self, t_s: float) -> str:
        """Return the GPUs held by tenant at a time [s]."""
        history, at = self._history, np.array([t_s])
        held = [
            (float(a.held.at(at)[0]), tenant)
            for tenant, a in zip(history.tenants, history.accounts, strict=True)
        ]
        lines = [f"<b>{self._clock.says(t_s)}</b>"]
        lines += [
            tr(
                "{tenant}: {significant} GPUs",
                tenant=escape(tenant) or tr("no tenant"),
                significant=text.significant(gpus),
            )
            for gpus, tenant in sorted(held, reverse=True)[:12]
            if gpus > 0
        ]
        lines.append(tr("queued: {at:,.0f} GPUs", at=float(history.waiting_gpus.at(at)[0])))
        return "<br>".join(lines)

    def _head(self, job: int) -> str:
        spec = self._history.jobs[job]
        tenant = f" \N{MIDDLE DOT} {escape(spec.tenant)}" if spec.tenant else ""
        return f"<b>{escape(spec.id)}</b>{tenant}"
