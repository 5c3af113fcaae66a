"""How the queue's chart is painted: the picture of boxes, and over it names, marks, axes, and the strip of tenants."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QImage, QPainter, QPen, QPolygonF

from twin.app.queue import gantt_colours
from twin.app.queue.gantt_axes import ticks
from twin.app.queue.gantt_boxes import JobBoxes
from twin.app.queue.gantt_colours import colour_of
from twin.app.queue.gantt_shown import ChartArea, ChartMoment
from twin.app.toolkit.look import Look
from twin.app.toolkit.text import prefixed
from twin.app.toolkit.theme import font, ink_on

MOST_TENANTS = 12
"""More are one colour in the strip."""
_NAME_WIDE_PX, _NAME_HIGH_PX = 34.0, 12.0
_TICK_PX = 84.0
_HATCH_ALPHA = 130


class Painting:
    """Paints moments of the chart; keeps the last picture of boxes while nothing of it moves."""

    def __init__(self, look: Look) -> None:
        self._look, self._boxes = look, JobBoxes()
        self._key: object = None
        self._image = QImage()

    @property
    def surface(self) -> QColor:
        """Return the ground of the whole widget."""
        return QColor(self._look.theme.surface)

    def paint(
        self,
        painter: QPainter,
        place: ChartArea,
        shown: ChartMoment,
        job: int | None,
        by_tenant: bool,
        ratio: float,
        focused: bool,
    ) -> None:
        """Paint everything."""
        theme, field = self._look.theme, place.boxes
        painter.drawImage(field, self._picture(place, shown, job, by_tenant, ratio))
        self._paint_grid(painter, place, shown)
        painter.setClipRect(field)
        self._paint_windows(painter, place, shown)
        self._paint_names(painter, place, shown, job, by_tenant)
        self._paint_planned(painter, place, shown, job, by_tenant)
        painter.setClipping(False)
        self._paint_strip(painter, place, shown)
        self._paint_lanes(painter, place, shown)
        now = place.x(shown.now_s)
        if field.left() <= now <= field.right():
            painter.setPen(QPen(QColor(theme.accent), 1.4))
            painter.drawLine(QLineF(now, place.strip.top(), now, field.bottom()))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.accent if focused else theme.border), 1))
        painter.drawRect(field)

    def _picture(
        self, place: ChartArea, shown: ChartMoment, job: int | None, by_tenant: bool, ratio: float
    ) -> QImage:
        times, gpus, theme = place.times, place.gpus, self._look.theme
        what = (shown, shown.history.version, job, by_tenant, ratio, theme.name)
        key = (*what, times.low, times.high, gpus.low, gpus.high, place.boxes.width(), place.boxes.height())
        if key != self._key:
            codes = self._boxes.picture(shown, place, job, by_tenant, ratio)
            high, wide = codes.shape
            image = QImage(codes.tobytes(), wide, high, wide, QImage.Format.Format_Indexed8)
            image.setColorTable(gantt_colours.palette(theme, chosen=job is not None))
            self._image, self._key = image.convertToFormat(QImage.Format.Format_RGB32), key
        return self._image

    def _paint_grid(self, painter: QPainter, place: ChartArea, shown: ChartMoment) -> None:
        theme, field = self._look.theme, place.boxes
        painter.setFont(font(10))
        metrics = QFontMetricsF(painter.font())
        line = QColor(theme.text)
        line.setAlpha(26)
        free_px = field.left() - 40.0
        for t_s, words in ticks(place.times, shown.clock, field.width(), _TICK_PX):
            x, wide = place.x(t_s), metrics.horizontalAdvance(words)
            painter.setPen(line)
            painter.drawLine(QLineF(x, place.strip.top(), x, field.bottom()))
            left = min(max(x - wide / 2, field.left() - 20.0), field.right() - wide)
            if left > free_px:
                painter.setPen(QColor(theme.muted))
                spot = QRectF(left, field.bottom() + 4, wide + 2, 14)
                painter.drawText(spot, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)
                free_px = left + wide + 10

    def _paint_windows(self, painter: QPainter, place: ChartArea, shown: ChartMoment) -> None:
        theme = self._look.theme
        painter.setFont(font(10))
        for window in shown.windows:
            box = place.box(window.begin_s, window.end_s, window.low, window.high)
            if not box.intersects(place.boxes):
                continue
            tint = QColor(theme.warning if window.reservation.kind == "maintenance" else theme.accent)
            painter.setPen(QPen(tint, 1))
            tint.setAlpha(_HATCH_ALPHA)
            painter.setBrush(QBrush(tint, Qt.BrushStyle.BDiagPattern))
            painter.drawRect(box)
            self._name(painter, box & place.boxes, window.reservation.id, QColor(theme.text), plate=True)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_names(
        self, painter: QPainter, place: ChartArea, shown: ChartMoment, job: int | None, by_tenant: bool
    ) -> None:
        """Write the names of jobs on boxes that have room."""
        spans, times, gpus, theme = shown.history.spans, place.times, place.gpus, self._look.theme
        begin_s, end_s = np.maximum(spans.begin_s, times.low), np.minimum(spans.end_s, shown.now_s)
        low, high = np.maximum(spans.low, gpus.low), np.minimum(spans.high, gpus.high)
        wide = (np.minimum(end_s, times.high) - begin_s) / place.s_per_px
        roomy = (wide >= _NAME_WIDE_PX) & ((high - low) / place.gpus_per_px >= _NAME_HIGH_PX)
        painter.setFont(font(10))
        for box in np.flatnonzero(roomy).tolist():
            of = int(spans.job[box])
            ground = colour_of(int(shown.history.owner[of]) if by_tenant else of, theme)
            faded = job is not None and of != job
            ink = QColor(theme.muted) if faded else QColor(ink_on(ground.name()))
            spot = place.box(
                float(begin_s[box]), float(min(end_s[box], times.high)), float(low[box]), float(high[box])
            )
            self._name(painter, spot, shown.history.jobs[of].id, ink)

    @staticmethod
    def _name(painter: QPainter, spot: QRectF, name: str, ink: QColor, plate: bool = False) -> None:
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
        painter.setPen(ink)
        painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_planned(
        self, painter: QPainter, place: ChartArea, shown: ChartMoment, job: int | None, by_tenant: bool
    ) -> None:
        theme = self._look.theme
        painter.setFont(font(10))
        for start in shown.planned:
            box = place.box(start.begin_s, start.end_s, start.low, start.high).adjusted(0.5, 0.5, -1, -1)
            if not box.intersects(place.boxes):
                continue
            tint = colour_of(int(shown.history.owner[start.job]) if by_tenant else start.job, theme)
            tint.setAlpha(90 if job is not None and job != start.job else 255)
            painter.setPen(QPen(tint, 2.0 if job == start.job else 1.2))
            painter.drawRect(box)
            self._name(painter, box & place.boxes, shown.history.jobs[start.job].id, tint)

    def _paint_lanes(self, painter: QPainter, place: ChartArea, shown: ChartMoment) -> None:
        """Write the lanes' names at the left, and mark the partitions with bars."""
        theme, field, gpus = self._look.theme, place.boxes, place.gpus
        painter.setFont(font(10))
        metrics = QFontMetricsF(painter.font())
        painter.setPen(QColor(theme.muted))
        free_px = field.top() - 20.0
        for lane in shown.lanes.shown(gpus.low, gpus.high, field.height()):
            top, bottom = max(place.y(lane.low), field.top()), min(place.y(lane.high), field.bottom())
            middle = (top + bottom) / 2
            if middle - 6 < free_px:
                continue
            free_px = middle + 6
            words = metrics.elidedText(lane.name, Qt.TextElideMode.ElideMiddle, field.left() - 18)
            spot = QRectF(2, middle - 7, field.left() - 16, 14)
            painter.drawText(spot, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)
        painter.setPen(Qt.PenStyle.NoPen)
        for number, (_, lanes) in enumerate(shown.lanes.partitions):
            painter.setBrush(QColor(partition_colour(number)))
            for lane in lanes:
                top, bottom = max(place.y(lane.low), field.top()), min(place.y(lane.high), field.bottom())
                if bottom > top:
                    painter.drawRect(QRectF(field.left() - 7, top, 4, bottom - top))
        painter.setBrush(Qt.BrushStyle.NoBrush)

    # -- the strip ----

    def _paint_strip(self, painter: QPainter, place: ChartArea, shown: ChartMoment) -> None:
        """Paint the GPUs of each tenant, one over the other, and the GPUs waited for as a line."""
        theme, strip, history = self._look.theme, place.strip, shown.history
        painter.fillRect(strip, QColor(theme.ground))
        end = min(place.x(shown.now_s), strip.right())
        count = int(end - strip.left())
        total = max(int(history.plant.gpus.present.sum()), 1)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        waiting_most = 0.0
        if count >= 1:
            x = strip.left() + np.arange(count + 1.0)
            t_s = place.times.low + (x - strip.left()) * place.s_per_px
            self._paint_held(painter, strip, shown, x, t_s, total)
            waiting = history.waiting_gpus.at(t_s)
            waiting_most = float(waiting.max(initial=0.0))
            if waiting_most > 0:
                y = strip.bottom() - 1 - waiting / max(waiting_most, total) * (strip.height() - 3)
                path = QPolygonF([QPointF(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)])
                for tint, wide in ((theme.ground, 3.6), (theme.text, 1.4)):
                    painter.setPen(QPen(QColor(tint), wide))
                    painter.drawPolyline(path)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(QPen(QColor(theme.border), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(strip)
        painter.setFont(font(10))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        now_gpus = sum(account.held.now for account in history.accounts)
        lines = (
            (f"{prefixed(now_gpus)} of {prefixed(total)}", theme.text),
            ("GPUs held", theme.muted),
            (f"{prefixed(history.waiting_gpus.now)} wanted", theme.text),
        )
        for number, (words, tint) in enumerate(lines):
            painter.setPen(QColor(tint))
            painter.drawText(QRectF(0, strip.top() + 3 + 16 * number, strip.left() - 8, 15), right, words)

    def _paint_held(
        self,
        painter: QPainter,
        strip: QRectF,
        shown: ChartMoment,
        x: np.ndarray,
        t_s: np.ndarray,
        total: int,
    ) -> None:
        accounts = shown.history.accounts
        largest = sorted(range(len(accounts)), key=lambda k: -accounts[k].starts)
        own = sorted(largest[:MOST_TENANTS])
        below = np.zeros(len(x))
        layers = [(colour_of(k, self._look.theme), accounts[k].held.at(t_s)) for k in own]
        if rest := largest[MOST_TENANTS:]:
            together = np.sum([accounts[k].held.at(t_s) for k in rest], axis=0)
            layers.append((QColor(self._look.theme.faint), together))
        painter.setPen(Qt.PenStyle.NoPen)
        for tint, held in layers:
            if not held.any():
                continue
            above = below + held
            over, under = (
                (strip.bottom() - level / total * (strip.height() - 3)).tolist() for level in (above, below)
            )
            edge = [QPointF(a, b) for a, b in zip(x.tolist(), over, strict=True)]
            edge += [QPointF(a, b) for a, b in zip(reversed(x.tolist()), reversed(under), strict=True)]
            painter.setBrush(tint)
            painter.drawPolygon(QPolygonF(edge))
            below = above


def partition_colour(number: int) -> str:
    """Return the colour of a partition's bar."""
    return _PARTITIONS[number % len(_PARTITIONS)]


_PARTITIONS = ("#6f8fb8", "#b88f6f", "#7fb86f", "#b86f9a", "#6fb8b0", "#a8a35a")
