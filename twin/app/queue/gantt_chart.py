"""GPUs by time, painted: who held what, who will, what failed, and above it what each tenant holds."""

from __future__ import annotations

import numpy as np
from psygnal import Signal
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QFontMetricsF, QMouseEvent

from twin.app.queue.gantt_model import (
    AHEAD,
    ChartArea,
    ChartMoment,
    Lanes,
    Words,
    gpu_axis,
    time_axis,
    windows,
)
from twin.app.queue.gantt_paint import STRIP_EDGE_PX, Painting, strip_words
from twin.app.queue.history import JobHistory
from twin.app.queue.plan import Planned, planned_boxes
from twin.app.toolkit.charts.chart import ZoomedChart
from twin.app.toolkit.charts.painting import ChartPainter
from twin.app.toolkit.clock import Clock
from twin.app.toolkit.look import Look
from twin.app.toolkit.theme import font
from twin.language import tr
from twin.record.frame import Frame
from twin.scenario.schema.document import Scenario

LEFT_PX, RIGHT_PX, STRIP_PX, GAP_PX, AXIS_PX, TOP_PX = 92.0, 10.0, 54.0, 6.0, 20.0, 4.0
_FIRST_S = 1800.0
"""A run that has just begun is shown with so much room [s]."""


class GanttChart(ZoomedChart):
    """Wheel zooms time at the pointer, with Ctrl the GPUs; a drag moves; a double click or 0 shows all.

    Attributes
    ----------
    job
        The job that stands out; None: all do.
    by_tenant
        Whether boxes have the colour of their tenant instead of their job.
    """

    clicked = Signal(object)  # job index; None: beside all
    opened = Signal(int)  # job index, double click
    menu_wanted = Signal(int, object)  # job index, place on the screen: right button

    def __init__(self, look: Look) -> None:
        super().__init__(look, tr("GPUs over time"), least=(260, 150))
        self.shown: ChartMoment | None = None
        self.job: int | None = None
        self.by_tenant = False
        self.across, self.down = time_axis(3600.0), gpu_axis(1)
        self.following = True  # it shows all that has been, and a little more
        self._painting = Painting()
        self._left_px = LEFT_PX
        look.changed.connect(self._make_room)
        self.setMouseTracking(True)

    # -- what is shown ----

    def show_run(self, history: JobHistory, scenario: Scenario) -> None:
        """Show a run from its begin."""
        clock, lanes = Clock.of(scenario), Lanes(history.plant, scenario)
        self.shown = ChartMoment(history, scenario, clock, lanes, windows=tuple(windows(scenario, history)))
        self.across, self.down = time_axis(scenario.duration_s), gpu_axis(len(history.plant.gpus.present))
        self.following, self.job = True, None
        self._make_room()
        self._follow(0.0)
        self.update()

    def show_moment(self, now_s: float, frame: Frame | None) -> None:
        """Show how things stand at `now_s` [s]; the boxes are those of the history."""
        old = self.shown
        if old is None:
            return
        planned = tuple(planned_boxes(old.history, frame, now_s))
        ahead = tuple(windows(old.scenario, old.history)) if old.scenario.reservations else ()
        self.shown = ChartMoment(old.history, old.scenario, old.clock, old.lanes, now_s, planned, ahead)
        self._follow(now_s)
        self.update()

    def choose(self, job: int | None) -> None:
        """Let one job stand out."""
        if job != self.job:
            self.job = job
            self.update()

    def colour_by_tenant(self, on: bool) -> None:
        """Colour boxes by tenant or by job."""
        self.by_tenant = on
        self.update()

    def show_all(self) -> None:
        """Show all GPUs, and all that has been."""
        super().show_all()
        self.following = True
        self._follow(self.shown.now_s if self.shown is not None else 0.0)

    def moved_across(self) -> None:
        """Follow the run no more."""
        self.following = False

    def _make_room(self, *_theme: object) -> None:
        """Let the words at the left have the room that they need in this language, at this size of text."""
        if self.shown is not None:
            total = int(self.shown.history.plant.gpus.present.sum())
            metrics = QFontMetricsF(font(10))
            widest_px = max(metrics.horizontalAdvance(words) for words in strip_words(total, total, total))
            self._left_px = max(LEFT_PX, widest_px + STRIP_EDGE_PX)
            self.update()

    def _follow(self, now_s: float) -> None:
        if self.following:
            self.across.show(0.0, max(now_s * AHEAD, min(_FIRST_S, self.across.most)))

    @property
    def room(self) -> QRectF:
        """Return the field of boxes."""
        top = TOP_PX + STRIP_PX + GAP_PX
        wide = max(self.width() - self._left_px - RIGHT_PX, 10.0)
        return QRectF(self._left_px, top, wide, max(self.height() - top - AXIS_PX, 10.0))

    @property
    def place(self) -> ChartArea:
        """Return where things are on the widget."""
        boxes = self.room
        strip = QRectF(self._left_px, TOP_PX, boxes.width(), STRIP_PX)
        return ChartArea(boxes, strip, self.x_axis, self.y_axis)

    # -- painting ----

    def paint(self, painter: ChartPainter) -> None:
        """Paint strip, boxes, marks and axes."""
        if self.shown is None:
            return
        job = self.job if self.job is not None and self._has_boxes(self.shown, self.job) else None
        painter.fillRect(self.rect(), QColor(self.theme.surface))
        ratio, focused = self.devicePixelRatioF(), self.hasFocus()
        self._painting.paint(painter, self.place, self.shown, job, self.by_tenant, ratio, focused)

    @staticmethod
    def _has_boxes(shown: ChartMoment, job: int) -> bool:
        """Return whether a job is anywhere in the chart: beside one that is not, nothing has to fade."""
        return bool(np.any(shown.history.spans.column(0) == job)) or any(
            start.job == job for start in shown.planned
        )

    # -- the pointer ----

    def job_at(self, spot: QPointF) -> int | None:
        """Return the job whose box is at a place of the widget: held, or planned."""
        found = self._box_at(spot)
        if found is not None:
            return found[0]
        planned = self._planned_at(spot)
        return planned.job if planned is not None else None

    def _box_at(self, spot: QPointF) -> tuple[int, int] | None:
        """Return job and box."""
        shown, place = self.shown, self.place
        if shown is None or not place.boxes.contains(spot):
            return None
        t_s, gpu = place.times.value(spot.x()), place.gpus.value(spot.y())
        spans, slack_s = shown.history.spans, 2.0 / place.times.scale
        end_s = np.minimum(spans.end_s, shown.now_s)
        hit = (
            (spans.low <= gpu)
            & (spans.high > gpu)
            & (spans.begin_s <= t_s + slack_s)
            & (end_s >= t_s - slack_s)
        )
        boxes = np.flatnonzero(hit)
        if not len(boxes):
            return None
        away_s = np.maximum(spans.begin_s[boxes] - t_s, 0.0) + np.maximum(t_s - end_s[boxes], 0.0)
        box = int(boxes[np.argmin(away_s)])
        return int(spans.job[box]), box

    def _planned_at(self, spot: QPointF) -> Planned | None:
        shown, place = self.shown, self.place
        if shown is None or not place.boxes.contains(spot):
            return None
        t_s, gpu = place.times.value(spot.x()), place.gpus.value(spot.y())
        return next(
            (
                start
                for start in shown.planned
                if start.low <= gpu < start.high and start.begin_s <= t_s < start.end_s
            ),
            None,
        )

    def said_at(self, spot: QPointF) -> str:
        """Return what there is to say of a place of the widget."""
        shown, place = self.shown, self.place
        if shown is None:
            return ""
        words = Words(shown.history, shown.clock)
        if place.strip.contains(spot):
            return words.level(min(place.times.value(spot.x()), shown.now_s))
        found = self._box_at(spot)
        if found is not None:
            return words.box(*found, shown.now_s)
        planned = self._planned_at(spot)
        if planned is not None:
            return words.planned(planned)
        if not place.boxes.contains(spot):
            return ""
        t_s, gpu = place.times.value(spot.x()), place.gpus.value(spot.y())
        for window in shown.windows:
            if window.low <= gpu < window.high and window.begin_s <= t_s < window.end_s:
                return words.window(window)
        return ""

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move the picture along, or show what a click would choose."""
        if self.is_held:
            super().mouseMoveEvent(event)
        else:
            over = self.job_at(event.position()) is not None
            self.setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)

    def click(self, place: QPointF) -> None:
        """Choose the job at a place."""
        self.clicked.emit(self.job_at(place))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Go to the job; beside all jobs show everything."""
        job = self.job_at(event.position())
        if job is None:
            self.show_all()
        else:
            self.opened.emit(job)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for what can be done with a job."""
        job = self.job_at(QPointF(event.pos()))
        if job is not None:
            self.menu_wanted.emit(job, event.globalPos())
