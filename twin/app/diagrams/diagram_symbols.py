"""Symbols of diagrams, drawn after IEC 60617 and ISO 10628 where these have one; and marks for states."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from twin.app.toolkit.theme import font

Draw = Callable[[QPainter, QRectF], None]


def draw_symbol(
    painter: QPainter, name: str, spot: QRectF, ink: QColor, fill: QColor, charge: float = math.nan
) -> None:
    """Draw a symbol in a square.

    Parameters
    ----------
    name
        Kind of power stage, of cooling machine, or ``rack``, ``node``, ``gpu``, ``sky``; others: a plain box.
    ink, fill
        Lines; what fills a battery.
    charge
        How full the battery is, 0..1; nan: there is none.
    """
    painter.save()
    painter.setPen(QPen(ink, max(1.3, spot.width() / 17), Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if name == "battery":
        _battery(painter, spot, fill, charge)
    else:
        _DRAWINGS.get(name, _plain)(painter, spot)
        if not math.isnan(charge):
            low = QRectF(spot.left(), spot.bottom() - spot.height() * 0.2, spot.width(), spot.height() * 0.2)
            _bar(painter, low, fill, charge)
    painter.restore()


def draw_mark(painter: QPainter, tone: str, spot: QRectF, ink: QColor, ground: QColor) -> None:
    """Draw the mark of a state: a triangle for alarms, a disc for warnings, a cross for dead, two bars for calm."""
    painter.save()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    centre, radius = spot.center(), spot.width() / 2
    if tone == "alarm":
        painter.drawPolygon(
            QPolygonF([QPointF(centre.x(), spot.top()), spot.bottomRight(), spot.bottomLeft()])
        )
        _letter(painter, "!", spot.translated(0, radius * 0.24), ground, round(spot.width() * 0.72))
    elif tone == "warning":
        painter.drawEllipse(centre, radius, radius)
        _letter(painter, "!", spot, ground, round(spot.width() * 0.8))
    elif tone == "dead":
        painter.setPen(QPen(ink, 1.8, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        inner = spot.adjusted(1, 1, -1, -1)
        painter.drawLine(inner.topLeft(), inner.bottomRight())
        painter.drawLine(inner.topRight(), inner.bottomLeft())
    elif tone == "calm":
        for x in (0.22, 0.6):
            painter.drawRect(
                QRectF(spot.left() + x * spot.width(), spot.top() + 1, radius * 0.4, spot.height() - 2)
            )
    else:
        painter.drawPolygon(QPolygonF([spot.topLeft(), QPointF(spot.right(), centre.y()), spot.bottomLeft()]))
    painter.restore()


def _letter(painter: QPainter, words: str, spot: QRectF, ink: QColor, size_px: int) -> None:
    painter.setPen(ink)
    painter.setFont(font(max(size_px, 7), bold=True))
    painter.drawText(spot, Qt.AlignmentFlag.AlignCenter, words)


def _at(spot: QRectF, x: float, y: float) -> QPointF:
    return QPointF(spot.left() + x * spot.width(), spot.top() + y * spot.height())


def _part(spot: QRectF, x: float, y: float, width: float, height: float) -> QRectF:
    return QRectF(_at(spot, x, y), _at(spot, x + width, y + height))


def _path(painter: QPainter, spot: QRectF, *points: tuple[float, float]) -> None:
    painter.drawPolyline(QPolygonF([_at(spot, *point) for point in points]))


def _wave(painter: QPainter, spot: QRectF, x: float, y: float, width: float) -> None:
    """Draw the sign of alternating current."""
    path = QPainterPath(_at(spot, x, y))
    high = width * 0.42
    path.cubicTo(
        _at(spot, x + width * 0.2, y - high),
        _at(spot, x + width * 0.3, y - high),
        _at(spot, x + width / 2, y),
    )
    path.cubicTo(
        _at(spot, x + width * 0.7, y + high), _at(spot, x + width * 0.8, y + high), _at(spot, x + width, y)
    )
    painter.drawPath(path)


def _three_ellipses(
    painter: QPainter, spot: QRectF, apart_deg: float, place: tuple[float, float, float, float]
) -> None:
    """Draw an ellipse (left, top, width, height; from the middle, in sides of the square) three times, turned."""
    left, top, width, height = place
    ellipse = QRectF(left * spot.width(), top * spot.height(), width * spot.width(), height * spot.height())
    for turn in range(3):
        painter.save()
        painter.translate(spot.center())
        painter.rotate(apart_deg * turn)
        painter.drawEllipse(ellipse)
        painter.restore()


def _bar(painter: QPainter, spot: QRectF, fill: QColor, share: float) -> None:
    pen = painter.pen()
    painter.fillRect(
        QRectF(spot.left(), spot.top(), spot.width() * min(max(share, 0.0), 1.0), spot.height()), fill
    )
    painter.setPen(QPen(pen.color(), 1.0))
    painter.drawRect(spot)


def _battery(painter: QPainter, spot: QRectF, fill: QColor, charge: float) -> None:
    _bar(painter, _part(spot, 0.02, 0.24, 0.86, 0.52), fill, 0.0 if math.isnan(charge) else charge)
    painter.fillRect(_part(spot, 0.9, 0.4, 0.09, 0.2), painter.pen().color())


def _plain(painter: QPainter, spot: QRectF) -> None:
    painter.drawRoundedRect(_part(spot, 0.1, 0.15, 0.8, 0.7), 3, 3)


def _utility(painter: QPainter, spot: QRectF) -> None:
    _path(painter, spot, (0.2, 1.0), (0.5, 0.0), (0.8, 1.0))
    _path(painter, spot, (0.1, 0.34), (0.9, 0.34))
    _path(painter, spot, (0.06, 0.58), (0.94, 0.58))
    _path(painter, spot, (0.27, 0.78), (0.63, 0.5))
    _path(painter, spot, (0.73, 0.78), (0.37, 0.5))


def _transformer(painter: QPainter, spot: QRectF) -> None:
    painter.drawEllipse(_part(spot, 0.2, 0.0, 0.6, 0.6))
    painter.drawEllipse(_part(spot, 0.2, 0.4, 0.6, 0.6))


def _switchgear(painter: QPainter, spot: QRectF) -> None:
    """Draw a circuit breaker: a blade, and the cross at its fixed contact."""
    _path(painter, spot, (0.5, 0.0), (0.5, 0.24))
    _path(painter, spot, (0.38, 0.12), (0.62, 0.36))
    _path(painter, spot, (0.62, 0.12), (0.38, 0.36))
    _path(painter, spot, (0.24, 0.34), (0.5, 0.74), (0.5, 1.0))


def _ups(painter: QPainter, spot: QRectF) -> None:
    painter.drawRect(_part(spot, 0.02, 0.0, 0.96, 0.76))
    _path(painter, spot, (0.02, 0.76), (0.98, 0.0))
    _wave(painter, spot, 0.12, 0.2, 0.3)
    _path(painter, spot, (0.58, 0.52), (0.86, 0.52))
    _path(painter, spot, (0.58, 0.62), (0.86, 0.62))


def _pdu(painter: QPainter, spot: QRectF) -> None:
    painter.drawRect(_part(spot, 0.1, 0.06, 0.8, 0.52))
    for x in (0.26, 0.5, 0.74):
        _path(painter, spot, (x, 0.58), (x, 1.0))
        painter.drawEllipse(_at(spot, x, 0.32), 1.2, 1.2)


def _busbar(painter: QPainter, spot: QRectF) -> None:
    painter.fillRect(_part(spot, 0.0, 0.34, 1.0, 0.16), painter.pen().color())
    _path(painter, spot, (0.5, 0.0), (0.5, 0.36))
    for x in (0.14, 0.5, 0.86):
        _path(painter, spot, (x, 0.5), (x, 0.94))


def _round(letter: str) -> Draw:
    def draw(painter: QPainter, spot: QRectF) -> None:
        painter.drawEllipse(_part(spot, 0.04, 0.04, 0.92, 0.92))
        ink = painter.pen().color()
        pen = painter.pen()
        _letter(painter, letter, _part(spot, 0.0, 0.02, 1.0, 0.68), ink, round(spot.height() * 0.44))
        painter.setPen(pen)
        _wave(painter, spot, 0.3, 0.74, 0.4)

    return draw


def _reactor(painter: QPainter, spot: QRectF) -> None:
    painter.drawEllipse(_part(spot, 0.04, 0.04, 0.92, 0.92))
    painter.drawEllipse(_at(spot, 0.5, 0.5), 1.6, 1.6)
    _three_ellipses(painter, spot, 60.0, (-0.36, -0.13, 0.72, 0.26))


def _sun(painter: QPainter, spot: QRectF) -> None:
    painter.drawEllipse(_part(spot, 0.28, 0.28, 0.44, 0.44))
    for turn in range(8):
        angle = turn * math.pi / 4
        x, y = math.cos(angle), math.sin(angle)
        _path(painter, spot, (0.5 + 0.33 * x, 0.5 + 0.33 * y), (0.5 + 0.48 * x, 0.5 + 0.48 * y))


def _rack(painter: QPainter, spot: QRectF) -> None:
    painter.drawRect(_part(spot, 0.18, 0.0, 0.64, 1.0))
    for y in (0.2, 0.4, 0.6, 0.8):
        _path(painter, spot, (0.28, y), (0.72, y))


def _node(painter: QPainter, spot: QRectF) -> None:
    painter.drawRoundedRect(_part(spot, 0.0, 0.28, 1.0, 0.44), 2, 2)
    painter.drawEllipse(_at(spot, 0.18, 0.5), 1.2, 1.2)
    _path(painter, spot, (0.4, 0.5), (0.86, 0.5))


def _gpu(painter: QPainter, spot: QRectF) -> None:
    painter.drawRect(_part(spot, 0.2, 0.2, 0.6, 0.6))
    painter.drawRect(_part(spot, 0.38, 0.38, 0.24, 0.24))
    for x in (0.34, 0.5, 0.66):
        for start, end in ((0.04, 0.2), (0.8, 0.96)):
            _path(painter, spot, (x, start), (x, end))
            _path(painter, spot, (start, x), (end, x))


def _pump(painter: QPainter, spot: QRectF) -> None:
    """Draw a pump: a circle with its triangle (ISO 10628)."""
    painter.drawEllipse(_part(spot, 0.04, 0.04, 0.92, 0.92))
    _path(painter, spot, (0.2, 0.84), (0.5, 0.06), (0.8, 0.84))


def _fan(painter: QPainter, spot: QRectF) -> None:
    painter.drawRect(_part(spot, 0.0, 0.02, 1.0, 0.96))
    painter.drawEllipse(_at(spot, 0.5, 0.5), 1.8, 1.8)
    _three_ellipses(painter, spot, 120.0, (-0.1, -0.4, 0.2, 0.32))


def _exchanger(painter: QPainter, spot: QRectF) -> None:
    painter.drawRect(_part(spot, 0.02, 0.02, 0.96, 0.96))
    _path(painter, spot, (0.02, 0.98), (0.98, 0.02))
    _wave(painter, spot, 0.1, 0.28, 0.34)
    _wave(painter, spot, 0.56, 0.72, 0.34)


def _tank(painter: QPainter, spot: QRectF) -> None:
    _path(painter, spot, (0.04, 0.1), (0.04, 0.94), (0.96, 0.94), (0.96, 0.1))
    _wave(painter, spot, 0.1, 0.32, 0.4)
    _wave(painter, spot, 0.5, 0.32, 0.4)
    for x in (0.3, 0.5, 0.7):
        _path(painter, spot, (x, 0.5), (x, 0.84))


def _tower(painter: QPainter, spot: QRectF) -> None:
    _path(painter, spot, (0.22, 0.12), (0.78, 0.12), (0.98, 0.98), (0.02, 0.98), (0.22, 0.12))
    _path(painter, spot, (0.2, 0.42), (0.8, 0.42))
    for x in (0.32, 0.5, 0.68):
        _path(painter, spot, (x, 0.56), (x, 0.66))
        _path(painter, spot, (x, 0.78), (x, 0.88))
    painter.drawEllipse(_at(spot, 0.5, 0.04), 3.0, 1.2)


def _dry_cooler(painter: QPainter, spot: QRectF) -> None:
    painter.drawRect(_part(spot, 0.02, 0.3, 0.96, 0.66))
    _path(painter, spot, *((0.12 + 0.152 * k, 0.46 if k % 2 else 0.8) for k in range(6)))
    for x in (0.28, 0.72):
        painter.drawEllipse(_at(spot, x, 0.16), 0.16 * spot.width(), 0.07 * spot.height())


def _chiller(painter: QPainter, spot: QRectF) -> None:
    painter.drawRect(_part(spot, 0.02, 0.02, 0.96, 0.96))
    for turn in range(3):
        angle = turn * math.pi / 3 + math.pi / 2
        x, y = 0.36 * math.cos(angle), 0.36 * math.sin(angle)
        _path(painter, spot, (0.5 - x, 0.5 - y), (0.5 + x, 0.5 + y))
    painter.drawEllipse(_at(spot, 0.5, 0.5), 0.16 * spot.width(), 0.16 * spot.height())


def _sky(painter: QPainter, spot: QRectF) -> None:
    _sun(painter, _part(spot, 0.3, -0.06, 0.66, 0.66))
    cloud = QPainterPath(_at(spot, 0.2, 0.94))
    cloud.cubicTo(_at(spot, -0.1, 0.92), _at(spot, -0.04, 0.56), _at(spot, 0.22, 0.62))
    cloud.cubicTo(_at(spot, 0.28, 0.36), _at(spot, 0.66, 0.38), _at(spot, 0.7, 0.62))
    cloud.cubicTo(_at(spot, 1.04, 0.58), _at(spot, 1.04, 0.94), _at(spot, 0.78, 0.94))
    cloud.closeSubpath()
    painter.drawPath(cloud)


_DRAWINGS: dict[str, Draw] = {
    "utility": _utility,
    "transformer": _transformer,
    "switchgear": _switchgear,
    "ups": _ups,
    "pdu": _pdu,
    "busbar": _busbar,
    "generator": _round("G"),
    "gas": _round("M"),
    "smr": _reactor,
    "solar": _sun,
    "rack": _rack,
    "node": _node,
    "gpu": _gpu,
    "pump": _pump,
    "fan": _fan,
    "cdu": _exchanger,
    "crah": _fan,
    "rear-door": _fan,
    "immersion": _tank,
    "cooling-tower": _tower,
    "dry-cooler": _dry_cooler,
    "chiller": _chiller,
    "sky": _sky,
}
