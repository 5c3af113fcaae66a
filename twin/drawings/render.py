"""Sheets as files: PDF with a page for each, or SVG, by Qt's own writers. Needs no display."""

from __future__ import annotations

import os
from collections.abc import Sequence

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QImage,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
    QPen,
    QPolygonF,
)
from PySide6.QtSvg import QSvgGenerator

from twin.drawings.paper import Sheet
from twin.drawings.sheet import SheetPicture, SheetText, Stroke
from twin.view3d.place.underlay_image import image_of

FAMILIES = ("DejaVu Sans", "Liberation Sans", "Arial", "Helvetica", "sans-serif")
_MARK_COLOURS = {"": "black", "added": "#009e73", "gone": "#d55e00", "moved": "#0072b2", "changed": "#cc79a7"}
"""Okabe and Ito (2008): apart for colour-blind people; marks differ in their lines as well."""
_PER_MM = 40.0
"""Units of the painter in a millimetre: fonts have whole sizes."""
_PDF_DPI = 1200
_FINEST_PX = 4096
"""Longest side of a picture on a sheet."""
_CAPITAL = 0.73
"""Height of capitals over the size of a font; that of DejaVu Sans."""


def pdf_bytes(sheets: Sequence[Sheet], title: str) -> bytes:
    """Return a PDF with a page for each sheet."""
    _application()
    data = QByteArray()
    device = QBuffer(data)
    device.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(device)
    writer.setTitle(title)
    writer.setCreator("gpu-twin")
    writer.setResolution(_PDF_DPI)
    painter: QPainter | None = None
    for sheet in sheets:
        size = QPageSize(
            QSizeF(*sheet.size_mm),
            QPageSize.Unit.Millimeter,
            sheet.name,
            QPageSize.SizeMatchPolicy.ExactMatch,
        )
        writer.setPageLayout(QPageLayout(size, QPageLayout.Orientation.Portrait, QMarginsF()))
        if painter is None:
            painter = QPainter(writer)
        else:
            writer.newPage()
        _paint(painter, sheet, _PDF_DPI / 25.4)
    if painter is not None:
        painter.end()
    device.close()
    return bytes(data.data())


def svg_bytes(sheet: Sheet, title: str) -> bytes:
    """Return one sheet as SVG."""
    _application()
    data = QByteArray()
    device = QBuffer(data)
    device.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(device)
    generator.setTitle(title)
    dots = 10  # in a millimetre
    generator.setResolution(round(dots * 25.4))
    wide, high = sheet.size_mm
    generator.setSize(QSize(round(wide * dots), round(high * dots)))
    generator.setViewBox(QRectF(0, 0, wide * dots, high * dots))
    painter = QPainter(generator)
    _paint(painter, sheet, dots)
    painter.end()
    device.close()
    return bytes(data.data())


def picture(sheet: Sheet, dots_per_mm: float) -> QImage:
    """Return one sheet as it looks on paper, for previews."""
    _application()
    wide, high = (round(side * dots_per_mm) for side in sheet.size_mm)
    image = QImage(max(1, wide), max(1, high), QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    _paint(painter, sheet, dots_per_mm)
    painter.end()
    return image


def _application() -> None:
    """Bring up what draws text, where no window has done so; it needs no display."""
    if QGuiApplication.instance() is None:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        QGuiApplication([])


def _paint(painter: QPainter, sheet: Sheet, dots_per_mm: float) -> None:
    painter.save()
    painter.scale(dots_per_mm / _PER_MM, dots_per_mm / _PER_MM)
    for below in sheet.pictures:
        _below(painter, below)
    for stroke in sheet.strokes:
        _stroke(painter, stroke)
    for words in sheet.words:
        _words(painter, words)
    painter.restore()


def _below(painter: QPainter, below: SheetPicture) -> None:
    area, part, image = below.area, below.part, image_of(below.picture, _FINEST_PX)
    wide, high = image.width(), image.height()
    painter.setOpacity(below.dark)
    painter.drawImage(
        QRectF(area.left * _PER_MM, area.top * _PER_MM, area.wide * _PER_MM, area.high * _PER_MM),
        image,
        QRectF(part.left * wide, part.top * high, part.wide * wide, part.high * high),
    )
    painter.setOpacity(1.0)


def _stroke(painter: QPainter, stroke: Stroke) -> None:
    pen = QPen(QColor(_MARK_COLOURS[stroke.mark]), stroke.wide_mm * _PER_MM)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    if stroke.dashed and stroke.wide_mm:
        pen.setDashPattern([3.0 / stroke.wide_mm, 1.5 / stroke.wide_mm])
    painter.setPen(pen if stroke.wide_mm else QPen(Qt.PenStyle.NoPen))
    shape = QPolygonF([QPointF(x * _PER_MM, y * _PER_MM) for x, y in stroke.points])
    if not stroke.closed:
        painter.drawPolyline(shape)
        return
    if stroke.grey is None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
    else:
        painter.setBrush(QColor.fromRgbF(1.0 - stroke.grey, 1.0 - stroke.grey, 1.0 - stroke.grey))
    painter.drawPolygon(shape)


def _words(painter: QPainter, words: SheetText) -> None:
    font = QFont()
    font.setFamilies(list(FAMILIES))
    font.setPixelSize(max(1, round(words.high_mm / _CAPITAL * _PER_MM)))
    font.setBold(words.bold)
    painter.setFont(font)
    painter.setPen(QColor("black"))
    long = QFontMetricsF(font).horizontalAdvance(words.text)
    most = words.long_mm * _PER_MM
    closer = min(1.0, most / long) if long > 0 else 1.0
    before = {"left": 0.0, "middle": 0.5, "right": 1.0}[words.anchor] * long
    painter.save()
    painter.translate(words.at[0] * _PER_MM, words.at[1] * _PER_MM)
    if words.upright:
        painter.rotate(-90)
    painter.scale(closer, 1.0)
    painter.drawText(QPointF(-before, 0.0), words.text)
    painter.restore()
