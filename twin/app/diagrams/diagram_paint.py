"""How a diagram is painted: lines with arrows and values, pipes in the colour of their water, boxes.

Lengths and text are of the usual size: for larger text the painter enlarges all of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPolygonF

from twin.app.diagrams.diagram import STANDS, Box, Diagram, DiagramLine
from twin.app.diagrams.diagram_layout import PIPE_APART_PX, DiagramPicture, Rectangle, Route
from twin.app.diagrams.diagram_symbols import draw_mark, draw_symbol
from twin.app.toolkit.charts.painting import CENTRE, ChartPainter, Colour
from twin.app.toolkit.theme import Theme, font
from twin.view3d.base.palette import ramp

COLDEST_C, HOTTEST_C = 10.0, 60.0
"""Fixed range of the colours of pipes [°C]."""
_ARROW_EVERY_PX = 40.0
_FIRST_ARROW_PX = 12.0
_NARROW_PX = 142.0
_LABEL_PX = 14.0
_LABELS_APART_PX = 8.0


def temperature_colour(temp_c: float) -> QColor:
    """Return the colour of a temperature [°C], the same at all times."""
    at = np.clip((temp_c - COLDEST_C) / (HOTTEST_C - COLDEST_C), 0.0, 1.0)
    red, green, blue = ramp("turbo", np.array([at]))[0]
    return QColor.fromRgbF(float(red), float(green), float(blue))


def paint_still(
    painter: ChartPainter, diagram: Diagram, picture: DiagramPicture, hovered: str = "", current: str = ""
) -> None:
    """Paint all that does not travel: lines, their values, then boxes.

    Parameters
    ----------
    hovered, current
        Keys of the boxes under the pointer and of the keyboard.
    """
    artist = _Artist(painter, hovered, current)
    labels: list[tuple[DiagramLine, tuple[float, float], str]] = []
    for line, route in zip(diagram.lines, picture.routes, strict=True):
        if line.is_pair:
            labels += artist.pipes(line, route)
        else:
            artist.line(line, route)
        labels.append((line, route.label, line.text))
    places = [place for _, place, words in labels if words]
    for line, place, words in labels:
        artist.label(line, place, words, room_px(place, places, picture.width))
    for box in diagram.boxes:
        (artist.small if box.side else artist.box)(box, rectangle(picture.spots[box.key]))


def room_px(place: tuple[float, float], places: Sequence[tuple[float, float]], end: float) -> float:
    """Return how wide words may be that begin at a place: to the next ones of their height, or the picture's end."""
    later = [x for x, y in places if x > place[0] and abs(y - place[1]) < _LABEL_PX]
    return min(later, default=end) - place[0] - _LABELS_APART_PX


def paint_arrows(
    painter: ChartPainter, diagram: Diagram, picture: DiagramPicture, travelled_px: float
) -> None:
    """Paint the arrow heads on the lines, so far from where they began."""
    theme = painter.theme
    for line, route in zip(diagram.lines, picture.routes, strict=True):
        if line.is_pair and line.flow > STANDS:
            for side in (-1, 1):
                points = _pipe(route, side)
                ways = points[::-1] if side > 0 else points
                _arrows(painter, ways, QColor(theme.surface), 3.4, line.flow * travelled_px)
        elif line.flow > 0 and line.tone not in ("calm", "dead"):
            points = [QPointF(*point) for point in route.points]
            ways = points[::-1] if line.up else points
            _arrows(painter, ways, _tint(theme, line.tone), 4.0, travelled_px)


def _pipe(route: Route, side: int) -> list[QPointF]:
    """Return the way of the supply (-1) or return pipe (1) of a pair; the return header runs lower."""
    points = [QPointF(x + side * PIPE_APART_PX / 2, y) for x, y in route.points]
    if len(points) == 4:
        turn = points[1].y() + 4.0 * side
        points[1].setY(turn)
        points[2].setY(turn)
    return points


def _arrows(
    painter: ChartPainter, points: list[QPointF], tint: QColor, size: float, travelled_px: float
) -> None:
    painter.fill_in(tint)
    walked, due = 0.0, (travelled_px + _FIRST_ARROW_PX) % _ARROW_EVERY_PX
    for start, end in pairwise(points):
        step = math.hypot(end.x() - start.x(), end.y() - start.y())
        if step <= 0.0:
            continue
        x, y = (end.x() - start.x()) / step, (end.y() - start.y()) / step
        while due < walked + step - 1.0:
            at = max(due - walked, size)
            tip = QPointF(start.x() + x * (at + size), start.y() + y * (at + size))
            tail = QPointF(start.x() + x * (at - size), start.y() + y * (at - size))
            side = QPointF(-y * size * 1.05, x * size * 1.05)
            painter.drawPolygon(QPolygonF([tip, tail + side, tail - side]))
            due += _ARROW_EVERY_PX
        walked += step


class _Artist:
    def __init__(self, painter: ChartPainter, hovered: str, current: str) -> None:
        self._painter, self._theme, self._hovered, self._current = painter, painter.theme, hovered, current

    def line(self, line: DiagramLine, route: Route) -> None:
        style = Qt.PenStyle.DashLine if line.tone == "dead" else Qt.PenStyle.SolidLine
        wide = 2.0 if line.tone not in ("calm", "dead") else 1.4
        self._painter.line_in(_tint(self._theme, line.tone), wide, style)
        self._painter.drawPolyline(QPolygonF([QPointF(*point) for point in route.points]))

    def pipes(self, line: DiagramLine, route: Route) -> list[tuple[DiagramLine, tuple[float, float], str]]:
        labels = []
        for side, temp_c in ((-1, line.supply_c), (1, line.return_c)):
            points = QPolygonF(_pipe(route, side))
            known = not math.isnan(temp_c)
            self._painter.line_in(self._theme.border, 6.0)
            self._painter.drawPolyline(points)
            style = Qt.PenStyle.DotLine if line.stands else Qt.PenStyle.SolidLine
            self._painter.line_in(temperature_colour(temp_c) if known else self._theme.faint, 4.0, style)
            self._painter.drawPolyline(points)
            if not known:
                continue
            words = f"{temp_c:.1f}°" if route.crowded else f"{temp_c:.1f}\N{NO-BREAK SPACE}°C"
            wide = QFontMetricsF(font(10, as_is=True)).horizontalAdvance(words)
            x, y = route.points[-1][0] + side * PIPE_APART_PX / 2, route.label[1]
            if route.crowded:  # beside each other they would lie on those of the next pair
                y += side * _LABEL_PX / 2 - 1.0
            away = 6.0 if route.crowded else 8.0
            labels.append((line, (x + away if side > 0 else max(x - away - wide, 2.0), y), words))
        return labels

    def label(self, line: DiagramLine, place: tuple[float, float], words: str, room: float) -> None:
        if not words:
            return
        self._painter.font_in(10)
        if self._painter.wide(words) > room:
            words = words.split(", ")[0]
        spot = QRectF(place[0] - 2, place[1] - _LABEL_PX / 2, self._painter.wide(words) + 4, _LABEL_PX)
        ground = QColor(self._theme.surface)
        ground.setAlpha(215)
        self._painter.fillRect(spot, ground)
        ink = self._theme.faint if line.tone in ("dead", "calm") else self._theme.text
        self._painter.write(spot, words, ink, to=CENTRE)

    def box(self, box: Box, spot: QRectF) -> None:
        self._frame(box, spot, 7.0)
        tint, theme = _tint(self._theme, box.tone), self._theme
        ink = QColor(theme.muted if box.tone in ("dead", "calm") else theme.text)
        narrow = spot.width() < _NARROW_PX
        side = 13.0 if narrow else 24.0
        mark = QRectF(spot.left() + (5 if narrow else 9), spot.top() + 4, side, side)
        if not narrow:
            mark.moveTop(spot.center().y() - side / 2)
        left = mark.right() + (5 if narrow else 9)
        bold = QFontMetricsF(font(10, bold=True, as_is=True))
        name, title_px = box.title, bold.horizontalAdvance(box.title)
        if narrow and title_px > spot.width() - 8 and ", " in name:
            first, *others = name.split(", ")
            name = f"{first} +{len(others)}"
            title_px = bold.horizontalAdvance(name)
        if narrow and left + title_px > spot.right() - 4 and title_px < spot.width() - 8:
            left = spot.left() + 5  # the name says more than the symbol
        else:
            draw_symbol(self._painter, box.symbol, mark, ink, tint, box.charge)
        title = QRectF(left, spot.top() + 3, spot.right() - left - (3 if narrow else 5), 16)
        left = spot.left() + 6 if narrow else left
        words = QRectF(left, title.bottom() - 1, spot.right() - left - 5, 13)
        if not math.isnan(box.load):
            self._load(box, QRectF(words.left(), spot.bottom() - 6, words.width(), 3.0))
        if (
            not narrow
            and not box.state
            and QFontMetricsF(font(10, as_is=True)).horizontalAdvance(box.text) <= words.width()
        ):
            down = 6.0 if math.isnan(box.load) else 3.0  # title and one line stand in the middle
            title.translate(0, down)
            words.translate(0, down)
        if box.state:
            side = 9.0
            icon = QRectF(words.left(), words.top() + 2, side, side)
            if narrow:  # the words need the whole line
                icon.moveTo(spot.right() - 6, spot.top() - 4)
            draw_mark(self._painter, box.tone, icon, tint, QColor(theme.surface))
        px = 10 if narrow else 11
        self._painter.write(title, name, theme.text, px, bold=True, elided=True)
        self._words(box, words, narrow)

    def _words(self, box: Box, line: QRectF, narrow: bool) -> None:
        """Write the state, and the figures where it leaves room, on two lines."""
        tint, muted, below = _tint(self._theme, box.tone), self._theme.muted, line.translated(0, 13)
        if not box.state:
            rest = self._wrapped(line, _breakable(box.text), muted)
            self._figures(below, rest, muted)
            return
        wide = QFontMetricsF(font(10, bold=True, as_is=True)).horizontalAdvance(box.state) > 1.7 * (
            line.width() - 13.0
        )
        state = _sentence(box.state) if narrow or wide else box.state
        rest = self._wrapped(line.adjusted(0.0 if narrow else 13.0, 0, 0, 0), state, tint, bold=True)
        if rest:
            self._painter.write(below, rest, tint, 10, bold=True, elided=True)
        else:
            self._figures(below, box.text, muted)

    def _figures(self, spot: QRectF, words: str, ink: str) -> None:
        """Write the first figures that fit whole: "12 %" of "12 % of 400 kW"."""
        room = QFontMetricsF(font(10, as_is=True))
        whole = (words, words.rpartition(", ")[0], words.partition(", ")[0], words.partition(" of")[0])
        fits = [part for part in whole if part and room.horizontalAdvance(part) <= spot.width()]
        if fits or not words.startswith("of"):  # what a share is of goes before the share does
            self._painter.write(spot, fits[0] if fits else words, ink, 10, elided=True)

    def _wrapped(self, spot: QRectF, words: str, ink: Colour, px: int = 10, *, bold: bool = False) -> str:
        """Write as many words as fit on a line; return the others."""
        self._painter.font_in(px, bold=bold)
        taken = words.split(" ")
        count = len(taken)
        while count > 1 and self._painter.wide(" ".join(taken[:count])) > spot.width():
            count -= 1
        self._painter.write(spot, " ".join(taken[:count]), ink, elided=True)
        return " ".join(taken[count:])

    def _load(self, box: Box, bar: QRectF) -> None:
        theme = self._theme
        self._painter.fill_in(theme.border)
        self._painter.drawRoundedRect(bar, 1.5, 1.5)
        share = min(max(box.load, 0.0), 1.0)
        tint = theme.alarm if box.load > 1.0 else theme.warning if box.load > 0.9 else theme.accent
        self._painter.fill_in(theme.faint if box.tone == "dead" else tint)
        if share > 0.0:
            done = QRectF(bar.left(), bar.top(), max(bar.width() * share, 2.0), 3.0)
            self._painter.drawRoundedRect(done, 1.5, 1.5)

    def small(self, box: Box, spot: QRectF) -> None:
        self._frame(box, spot, 5.0)
        theme, tint = self._theme, _tint(self._theme, box.tone)
        words = QRectF(spot.left() + 4, spot.top() + 2, spot.width() - 6, 13)
        pitch = 11.5 if box.state else 13.0
        state = QRectF(words.left(), words.top() + 2 * pitch, words.width(), 12)
        if box.symbol != "more":
            middle = spot.top() + 14.0 if box.state else spot.center().y()
            mark = QRectF(spot.left() + 4, middle - 7.5, 15, 15)
            ink = QColor(theme.muted if box.tone in ("dead", "calm") else theme.text)
            draw_symbol(self._painter, box.symbol, mark, ink, tint, box.charge)
            words.setLeft(mark.right() + 4)
        self._painter.write(words, box.title, theme.text, 9, bold=True, elided=True)
        self._painter.write(words.translated(0, pitch), box.text, theme.muted, 9, elided=True)
        if box.state:
            shade = tint if box.tone in ("alarm", "warning") else theme.muted
            rest = self._wrapped(state, _sentence(box.state), shade, 9)
            self._painter.write(state.translated(0, 11), rest, shade, 9, elided=True)
        if box.tone in ("alarm", "warning", "dead"):
            corner = QRectF(spot.right() - 8, spot.top() - 4, 10, 10)
            draw_mark(self._painter, box.tone, corner, tint, QColor(theme.surface))

    def _frame(self, box: Box, spot: QRectF, corner: float) -> None:
        theme, hovered = self._theme, box.key == self._hovered and box.thing
        edge, wide, style = QColor(theme.border), 1.0, Qt.PenStyle.SolidLine
        if box.tone in ("alarm", "warning"):
            edge, wide = _tint(theme, box.tone), 1.6
        if box.chosen:
            edge, wide = QColor(theme.accent), 1.6
        if box.tone == "dead":
            edge, wide, style = QColor(theme.faint), 1.2, Qt.PenStyle.DashLine
        self._painter.line_in(edge, wide, style)
        self._painter.setBrush(
            QColor(theme.selection if box.chosen else theme.hover if hovered else theme.raised)
        )
        self._painter.drawRoundedRect(spot.adjusted(0.5, 0.5, -0.5, -0.5), corner, corner)
        if box.key == self._current:
            self._painter.line_in(theme.accent, 1.6, Qt.PenStyle.DotLine)
            self._painter.drawRoundedRect(spot.adjusted(-3, -3, 3, 3), corner + 2, corner + 2)


def _tint(theme: Theme, tone: str) -> QColor:
    return QColor(
        {
            "live": theme.accent,
            "calm": theme.faint,
            "warning": theme.warning,
            "alarm": theme.alarm,
            "dead": theme.faint,
        }[tone]
    )


def rectangle(spot: Rectangle) -> QRectF:
    """Return a spot as Qt has it."""
    return QRectF(spot.x, spot.y, spot.width, spot.height)


def _breakable(words: str) -> str:
    """Return figures that a line ends between, not inside."""
    hard = words.replace(" ", "\N{NO-BREAK SPACE}")
    return hard.replace(",\N{NO-BREAK SPACE}", ", ").replace(
        "\N{NO-BREAK SPACE}of\N{NO-BREAK SPACE}", " of\N{NO-BREAK SPACE}"
    )


def _sentence(state: str) -> str:
    """Return a state in small letters, which are narrower: "On battery 4.0 min", "1 of 14 tripped"."""
    words = state.lower().replace(" k,", " K,") if state[:1].isdigit() else state[:1] + state[1:].lower()
    return words.removesuffix(" k") + " K" if words.endswith(" k") else words
