"""How the queue's chart is painted: the picture of boxes, and over it names, marks, axes, and the strip of tenants."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QImage

from twin.app.queue import gantt_colours
from twin.app.queue.gantt_boxes import JobBoxes
from twin.app.queue.gantt_colours import colour_of
from twin.app.queue.gantt_model import ChartArea, ChartMoment, ticks
from twin.app.toolkit.charts.axes import Axis
from twin.app.toolkit.charts.painting import LEFT, RIGHT, ChartPainter
from twin.app.toolkit.text import prefixed
from twin.app.toolkit.theme import Theme, ink_on
from twin.arrays import Floats
from twin.language import tr

MOST_TENANTS = 12
"""More are one colour in the strip."""
_NAME_WIDE_PX, _NAME_HIGH_PX = 34.0, 12.0
_TICK_PX = 84.0
_HATCH_ALPHA = 130


class Painting:
    """Paints moments of the chart; keeps the last picture of boxes while nothing of it moves."""

    def __init__(self) -> None:
        self._boxes = JobBoxes()
        self._key: object = None
        self._image = QImage()

    def paint(
        self,
        painter: ChartPainter,
        place: ChartArea,
        shown: ChartMoment,
        job: int | None,
        by_tenant: bool,
        ratio: float,
        focused: bool,
    ) -> None:
        """Paint everything."""
        theme, field = painter.theme, place.boxes
        painter.drawImage(field, self._picture(theme, place, shown, job, by_tenant, ratio))
        self._paint_grid(painter, place, shown)
        painter.setClipRect(field)
        self._paint_windows(painter, place, shown)
        self._paint_names(painter, place, shown, job, by_tenant)
        self._paint_planned(painter, place, shown, job, by_tenant)
        painter.setClipping(False)
        self._paint_strip(painter, place, shown)
        self._paint_lanes(painter, place, shown)
        now = place.times.px(shown.now_s)
        if field.left() <= now <= field.right():
            painter.line_in(theme.accent, 1.4)
            painter.upright(now, place.strip.top(), field.bottom())
        painter.line_in(theme.accent if focused else theme.border)
        painter.drawRect(field)

    def _picture(
        self,
        theme: Theme,
        place: ChartArea,
        shown: ChartMoment,
        job: int | None,
        by_tenant: bool,
        ratio: float,
    ) -> QImage:
        key = (shown, shown.history.version, job, by_tenant, ratio, theme.name, place.times, place.gpus)
        if key != self._key:
            codes = self._boxes.picture(shown, place, job, by_tenant, ratio)
            high, wide = codes.shape
            image = QImage(codes.tobytes(), wide, high, wide, QImage.Format.Format_Indexed8)
            image.setColorTable(gantt_colours.palette(theme, chosen=job is not None))
            self._image, self._key = image.convertToFormat(QImage.Format.Format_RGB32), key
        return self._image

    @staticmethod
    def _paint_grid(painter: ChartPainter, place: ChartArea, shown: ChartMoment) -> None:
        theme, field = painter.theme, place.boxes
        painter.font_in(10)
        metrics = QFontMetricsF(painter.font())
        line = QColor(theme.text)
        line.setAlpha(26)
        free_px = field.left() - 40.0
        for t_s, words in ticks(place.times, shown.clock, field.width(), _TICK_PX):
            x, wide = place.times.px(t_s), metrics.horizontalAdvance(words)
            painter.line_in(line)
            painter.upright(x, place.strip.top(), field.bottom())
            left = min(max(x - wide / 2, field.left() - 20.0), field.right() - wide)
            if left > free_px:
                painter.write(QRectF(left, field.bottom() + 4, wide + 2, 14), words, theme.muted)
                free_px = left + wide + 10

    def _paint_windows(self, painter: ChartPainter, place: ChartArea, shown: ChartMoment) -> None:
        theme = painter.theme
        painter.font_in(10)
        for window in shown.windows:
            box = place.box(window.begin_s, window.end_s, window.low, window.high)
            if not box.intersects(place.boxes):
                continue
            tint = QColor(theme.warning if window.reservation.kind == "maintenance" else theme.accent)
            painter.line_in(tint)
            tint.setAlpha(_HATCH_ALPHA)
            painter.setBrush(QBrush(tint, Qt.BrushStyle.BDiagPattern))
            painter.drawRect(box)
            self._name(painter, box & place.boxes, window.reservation.id, QColor(theme.text), plate=True)

    def _paint_names(
        self, painter: ChartPainter, place: ChartArea, shown: ChartMoment, job: int | None, by_tenant: bool
    ) -> None:
        """Write the names of jobs on boxes that have room."""
        spans, times, gpus, theme = shown.history.spans, place.times, place.gpus, painter.theme
        begin_s, end_s = np.maximum(spans.begin_s, times.low), np.minimum(spans.end_s, shown.now_s)
        low, high = np.maximum(spans.low, gpus.low), np.minimum(spans.high, gpus.high)
        end_s = np.minimum(end_s, times.high)
        roomy = ((end_s - begin_s) * times.scale >= _NAME_WIDE_PX) & (
            (high - low) * gpus.scale >= _NAME_HIGH_PX
        )
        painter.font_in(10)
        for box in np.flatnonzero(roomy).tolist():
            of = int(spans.job[box])
            ground = colour_of(int(shown.history.owner[of]) if by_tenant else of, theme)
            faded = job is not None and of != job
            ink = QColor(theme.muted if faded else ink_on(ground.name()))
            spot = place.box(float(begin_s[box]), float(end_s[box]), float(low[box]), float(high[box]))
            self._name(painter, spot, shown.history.jobs[of].id, ink)

    @staticmethod
    def _name(painter: ChartPainter, spot: QRectF, name: str, ink: QColor, plate: bool = False) -> None:
        inner = spot.adjusted(4, 0, -3, 0)
        metrics = QFontMetricsF(painter.font())
        if inner.width() < _NAME_WIDE_PX - 8 or inner.height() < _NAME_HIGH_PX - 1:
            return
        words = metrics.elidedText(name, Qt.TextElideMode.ElideRight, inner.width())
        if len(words) < 2:
            return
        if plate:
            back = QColor(ink)
            back.setRgb(255 - ink.red(), 255 - ink.green(), 255 - ink.blue(), 190)
            size = metrics.boundingRect(words).size()
            painter.fillRect(QRectF(inner.left() - 2, inner.center().y() - 7, size.width() + 4, 14), back)
        painter.setPen(ink)  # there may be hundreds: nothing in between
        painter.drawText(inner, LEFT, words)

    def _paint_planned(
        self, painter: ChartPainter, place: ChartArea, shown: ChartMoment, job: int | None, by_tenant: bool
    ) -> None:
        painter.font_in(10)
        for start in shown.planned:
            box = place.box(start.begin_s, start.end_s, start.low, start.high).adjusted(0.5, 0.5, -1, -1)
            if not box.intersects(place.boxes):
                continue
            tint = colour_of(int(shown.history.owner[start.job]) if by_tenant else start.job, painter.theme)
            tint.setAlpha(90 if job is not None and job != start.job else 255)
            painter.line_in(tint, 2.0 if job == start.job else 1.2)
            painter.drawRect(box)
            self._name(painter, box & place.boxes, shown.history.jobs[start.job].id, tint)

    @staticmethod
    def _paint_lanes(painter: ChartPainter, place: ChartArea, shown: ChartMoment) -> None:
        """Write the lanes' names at the left, and mark the partitions with bars."""
        field, gpus = place.boxes, place.gpus
        painter.font_in(10)
        metrics = QFontMetricsF(painter.font())
        free_px = field.top() - 20.0
        for lane in shown.lanes.shown(gpus.low, gpus.high, field.height()):
            top, bottom = max(gpus.px(lane.low), field.top()), min(gpus.px(lane.high), field.bottom())
            middle = (top + bottom) / 2
            if middle - 6 < free_px:
                continue
            free_px = middle + 6
            words = metrics.elidedText(lane.name, Qt.TextElideMode.ElideMiddle, field.left() - 18)
            painter.write(QRectF(2, middle - 7, field.left() - 16, 14), words, painter.theme.muted, to=RIGHT)
        for number, (_, lanes) in enumerate(shown.lanes.partitions):
            painter.fill_in(partition_colour(number))
            for lane in lanes:
                top, bottom = max(gpus.px(lane.low), field.top()), min(gpus.px(lane.high), field.bottom())
                if bottom > top:
                    painter.drawRect(QRectF(field.left() - 7, top, 4, bottom - top))

    # -- the strip ----

    def _paint_strip(self, painter: ChartPainter, place: ChartArea, shown: ChartMoment) -> None:
        """Paint the GPUs of each tenant, one over the other, and the GPUs waited for as a line."""
        theme, strip, history, times = painter.theme, place.strip, shown.history, place.times
        painter.fillRect(strip, QColor(theme.ground))
        count = int(min(times.px(shown.now_s), strip.right()) - strip.left())
        total = max(int(history.plant.gpus.present.sum()), 1)
        painter.smooth(True)
        if count >= 1:
            x = strip.left() + np.arange(count + 1.0)
            t_s = times.low + (x - strip.left()) / times.scale
            self._paint_held(painter, strip, shown, x, t_s, total)
            waiting = history.waiting_gpus.at(t_s)
            most = float(waiting.max(initial=0.0))
            if most > 0:
                y = Axis(0.0, max(most, total), strip.bottom() - 1, strip.top() + 2).px(waiting)
                for tint, wide in ((theme.ground, 3.6), (theme.text, 1.4)):
                    painter.line_in(tint, wide)
                    painter.curve(x, y)
        painter.smooth(False)
        painter.line_in(theme.border)
        painter.drawRect(strip)
        painter.font_in(10)
        now_gpus = sum(account.held.now for account in history.accounts)
        lines = strip_words(now_gpus, total, history.waiting_gpus.now)
        for number, (words, tint) in enumerate(
            zip(lines, (theme.text, theme.muted, theme.text), strict=True)
        ):
            spot = QRectF(0, strip.top() + 3 + 16 * number, strip.left() - STRIP_EDGE_PX, 15)
            painter.write(spot, words, tint, to=RIGHT)

    @staticmethod
    def _paint_held(
        painter: ChartPainter, strip: QRectF, shown: ChartMoment, x: Floats, t_s: Floats, total: int
    ) -> None:
        accounts, theme = shown.history.accounts, painter.theme
        largest = sorted(range(len(accounts)), key=lambda k: -accounts[k].starts)
        layers = [(colour_of(k, theme), accounts[k].held.at(t_s)) for k in sorted(largest[:MOST_TENANTS])]
        if rest := largest[MOST_TENANTS:]:
            together = np.sum([accounts[k].held.at(t_s) for k in rest], axis=0)
            layers.append((QColor(theme.faint), together))
        up, below = Axis(0.0, total, strip.bottom(), strip.top() + 3), np.zeros(len(x))
        for tint, held in layers:
            if held.any():
                painter.fill_in(tint)
                painter.area(x, up.px(below + held), up.px(below))
                below = below + held


STRIP_EDGE_PX = 8.0
"""Between the words left of the strip and the strip."""


def strip_words(held: float, total: float, wanted: float) -> tuple[str, str, str]:
    """Return what stands left of the strip of GPUs over time."""
    return (
        tr("{now_gpus} of {total}", now_gpus=prefixed(held), total=prefixed(total)),
        tr("GPUs held"),
        tr("{now} wanted", now=prefixed(wanted)),
    )


def partition_colour(number: int) -> str:
    """Return the colour of a partition's bar."""
    return _PARTITIONS[number % len(_PARTITIONS)]


_PARTITIONS = ("#6f8fb8", "#b88f6f", "#7fb86f", "#b86f9a", "#6fb8b0", "#a8a35a")
