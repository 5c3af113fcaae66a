"""One moment of the queue's chart, and where on the widget its things are."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF

from twin.app.queue.gantt_axes import VisibleRange
from twin.app.queue.gantt_lanes import Lanes, ReservedTime
from twin.app.queue.history import JobHistory
from twin.app.queue.plan import Planned
from twin.app.toolkit.clock import Clock
from twin.scenario.schema.document import Scenario


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
    """Where things are: the field of boxes and the strip above it [px], and what of time and GPUs they show."""

    boxes: QRectF
    strip: QRectF
    times: VisibleRange
    gpus: VisibleRange

    @property
    def s_per_px(self) -> float:
        """Return simulated time of a pixel [s]."""
        return (self.times.high - self.times.low) / self.boxes.width()

    @property
    def gpus_per_px(self) -> float:
        """Return GPUs of a pixel."""
        return (self.gpus.high - self.gpus.low) / self.boxes.height()

    def t_s(self, x: float) -> float:
        """Return the time at a place across [s]."""
        return self.times.low + (x - self.boxes.left()) * self.s_per_px

    def gpu(self, y: float) -> float:
        """Return the GPU at a place down."""
        return self.gpus.low + (y - self.boxes.top()) * self.gpus_per_px

    def x(self, t_s: float) -> float:
        """Return where a time is."""
        return self.boxes.left() + (t_s - self.times.low) / self.s_per_px

    def y(self, gpu: float) -> float:
        """Return where a GPU is."""
        return self.boxes.top() + (gpu - self.gpus.low) / self.gpus_per_px

    def box(self, begin_s: float, end_s: float, low: float, high: float) -> QRectF:
        """Return the rectangle of GPUs over a time."""
        left, top = self.x(begin_s), self.y(low)
        return QRectF(left, top, self.x(end_s) - left, self.y(high) - top)
