"""What a picture needs to stand alone: title, legend, seed, time, and that it is simulated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QImageWriter, QLinearGradient, QPainter

from twin.language import tr
from twin.view3d.base.state import Theme
from twin.view3d.colour.legend import Category, Legend

_MARGIN = 22.0
_PAD = 14.0
_BETWEEN = 10.0
_BAR = (300.0, 12.0)
MAX_CATEGORIES = 12
"""More jobs than this are counted together in the last swatch."""


@dataclass(frozen=True)
class _Ink:
    strong: QColor
    quiet: QColor
    plate: QColor
    edge: QColor
    mark: QColor


def _ink(theme: Theme) -> _Ink:
    if theme == "contrast":
        return _Ink(
            QColor(255, 255, 255),
            QColor(228, 233, 241),
            QColor(0, 0, 0, 245),
            QColor(141, 151, 168),
            QColor(255, 217, 90),
        )
    if theme == "dark":
        return _Ink(
            QColor(240, 245, 252),
            QColor(160, 172, 190),
            QColor(9, 13, 21, 205),
            QColor(120, 140, 170, 60),
            QColor(255, 190, 80),
        )
    return _Ink(
        QColor(18, 25, 36),
        QColor(84, 96, 114),
        QColor(252, 253, 255, 225),
        QColor(60, 80, 110, 60),
        QColor(176, 88, 0),
    )


Area = tuple[float, float, float, float]
"""Left, top, width, height of a plate [logical px]."""


def overlay_areas(
    width: float,
    height: float,
    legend: Legend,
    *,
    title: str,
    subtitle: str = "",
    seed: int | None = None,
    t_s: float | None = None,
    more: Sequence[Legend] = (),
    left: bool = False,
) -> list[Area]:
    """Return what the plates of `draw_overlay` will cover, so that labels can keep clear of it.

    Parameters
    ----------
    width, height
        Of the picture [logical px].
    """
    places = (
        _title_place(title, _facts(subtitle, seed, t_s)),
        _mark_place(width),
        *(place for _, place in _stacked((legend, *more), width, height, left=left)),
    )
    return [(p.x(), p.y(), p.width(), p.height()) for p in places]


def draw_overlay(
    rgb: NDArray[np.uint8],
    legend: Legend,
    *,
    title: str,
    subtitle: str = "",
    seed: int | None = None,
    t_s: float | None = None,
    scale: float = 1.0,
    theme: Theme = "dark",
    simulated: bool = True,
    more: Sequence[Legend] = (),
    left: bool = False,
) -> NDArray[np.uint8]:
    """Return a picture with its title, legend and marks drawn over it; needs a QGuiApplication.

    Parameters
    ----------
    rgb
        uint8 (height, width, 3).
    legend
        Of the colouring shown.
    title, subtitle
        Scene, and a line under it.
    seed, t_s
        Written under the title when given; time in simulated seconds [s].
    scale
        Physical pixels per logical one; the overlay grows with it.
    simulated
        Whether to draw the SIMULATED mark.
    more
        Further legends, above the first: of the cables, of the collective.
    left
        Legends stand at the left, where the window has them and its camera leaves room; else at the right.
    """
    height, width = rgb.shape[:2]
    image = QImage(rgb.tobytes(), width, height, width * 3, QImage.Format.Format_RGB888).convertToFormat(
        QImage.Format.Format_RGBA8888
    )
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    painter.scale(scale, scale)
    ink = _ink(theme)
    _draw_title(painter, ink, title, _facts(subtitle, seed, t_s))
    if simulated:
        _draw_mark(painter, ink, width / scale)
    for each, place in _stacked((legend, *more), width / scale, height / scale, left=left):
        _draw_legend(painter, ink, each, place)
    painter.end()
    lines = np.frombuffer(image.constBits(), np.uint8).reshape(height, image.bytesPerLine() // 4, 4)
    return lines[:, :width, :3].copy()


def save_png(rgb: NDArray[np.uint8], path: Path | str, metadata: Mapping[str, str]) -> None:
    """Write a PNG with text fields (scenario hash, seed, version ...).

    Raises
    ------
    OSError
        When the file cannot be written.
    """
    height, width = rgb.shape[:2]
    image = QImage(rgb.tobytes(), width, height, width * 3, QImage.Format.Format_RGB888)
    for key, value in metadata.items():
        image.setText(key, value)
    if not QImageWriter(str(path), b"png").write(image):
        raise OSError(f"cannot write {path}")


def format_time(t_s: float) -> str:
    """Return simulated time as days and clock: "day 12, 07:30:05"."""
    days, rest = divmod(int(t_s), 86400)
    clock = f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    return tr("day {days}, {clock}", days=days, clock=clock) if days else clock


def _font(px: float, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    font = QFont()
    font.setFamilies(["Inter", "Noto Sans", "DejaVu Sans"])
    font.setPixelSize(round(px))
    font.setWeight(weight)
    return font


def _wide(font: QFont, text: str) -> float:
    return float(QFontMetricsF(font).horizontalAdvance(text))


def _plate(painter: QPainter, ink: _Ink, place: QRectF) -> None:
    painter.setPen(ink.edge)
    painter.setBrush(ink.plate)
    painter.drawRoundedRect(place, 8, 8)


def _write(painter: QPainter, font: QFont, colour: QColor, x: float, baseline: float, text: str) -> None:
    painter.setFont(font)
    painter.setPen(colour)
    painter.drawText(QPointF(x, baseline), text)


_TITLE = (21.0, QFont.Weight.DemiBold)
_SMALL_PX = 13.0
_MARK = "SIMULATED"


def _facts(subtitle: str, seed: int | None, t_s: float | None) -> list[str]:
    marks = ([] if t_s is None else [format_time(t_s)]) + (
        [] if seed is None else [tr("seed {seed}", seed=seed)]
    )
    return ([subtitle] if subtitle else []) + (["   ".join(marks)] if marks else [])


def _title_place(title: str, facts: list[str]) -> QRectF:
    wide = max([_wide(_font(*_TITLE), title), *(_wide(_font(_SMALL_PX), line) for line in facts)])
    return QRectF(_MARGIN, _MARGIN, wide + 2 * _PAD, 2 * _PAD + 20 + 19 * len(facts))


def _draw_title(painter: QPainter, ink: _Ink, title: str, facts: list[str]) -> None:
    _plate(painter, ink, _title_place(title, facts))
    baseline = _MARGIN + _PAD + 17
    _write(painter, _font(*_TITLE), ink.strong, _MARGIN + _PAD, baseline, title)
    for k, line in enumerate(facts):
        _write(painter, _font(_SMALL_PX), ink.quiet, _MARGIN + _PAD, baseline + 20 * (k + 1), line)


def _mark_font() -> QFont:
    font = _font(12, QFont.Weight.Bold)
    font.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, 2.0)
    return font


def _mark_place(width: float) -> QRectF:
    wide = _wide(_mark_font(), _MARK) + 2 * _PAD
    return QRectF(width - _MARGIN - wide, _MARGIN, wide, 28)


def _draw_mark(painter: QPainter, ink: _Ink, width: float) -> None:
    place = _mark_place(width)
    _plate(painter, ink, place)
    painter.setFont(_mark_font())
    painter.setPen(ink.mark)
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, _MARK)


@dataclass(frozen=True)
class _LaidOut:
    """A legend with its swatches in rows."""

    heading: str
    swatches: tuple[Category, ...]
    widths: list[float]
    rows: list[list[int]]
    bar: bool
    inner: float
    high: float


def _laid_out(legend: Legend) -> _LaidOut:
    heading = f"{legend.title[:1].upper()}{legend.title[1:]}" + (f"  [{legend.unit}]" if legend.unit else "")
    swatches = _shortened(legend.categories)
    bar = bool(legend.stops)
    if bar:
        swatches = tuple(c for c in swatches if c.count)
    widths = [_wide(_font(12), _caption(c)) + 34 for c in swatches]
    rows = _wrap(widths, 430.0)
    row_widths = (sum(widths[k] for k in row) - 14 for row in rows)
    inner = max([_BAR[0] if bar else 0.0, _wide(_heading_font(), heading), *row_widths])
    high = 2 * _PAD + 16 + (8 + _BAR[1] + 18 if bar else 4) + 22 * len(rows)
    return _LaidOut(heading, swatches, widths, rows, bar, inner, high)


def _heading_font() -> QFont:
    return _font(14, QFont.Weight.DemiBold)


def _stacked(
    legends: Sequence[Legend], width: float, height: float, *, left: bool = False
) -> list[tuple[Legend, QRectF]]:
    """Return the places of legends in a lower corner, the first at the bottom."""
    placed, bottom = [], height - _MARGIN
    for legend in legends:
        laid = _laid_out(legend)
        wide = laid.inner + 2 * _PAD
        x = _MARGIN if left else width - _MARGIN - wide
        placed.append((legend, QRectF(x, bottom - laid.high, wide, laid.high)))
        bottom -= laid.high + _BETWEEN
    return placed


def _draw_legend(painter: QPainter, ink: _Ink, legend: Legend, place: QRectF) -> None:
    laid = _laid_out(legend)
    _plate(painter, ink, place)
    x, y = place.x() + _PAD, place.y() + _PAD
    _write(painter, _heading_font(), ink.strong, x, y + 12, laid.heading)
    y += 26
    if laid.bar:
        _draw_bar(painter, ink, legend, x, y)
        y += _BAR[1] + 24
    for row in laid.rows:
        at = x
        for k in row:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor.fromRgbF(*laid.swatches[k].rgb))
            painter.drawRoundedRect(QRectF(at, y + 2, 14, 14), 3, 3)
            _write(painter, _font(12), ink.strong, at + 20, y + 13.5, _caption(laid.swatches[k]))
            at += laid.widths[k]
        y += 22


def _draw_bar(painter: QPainter, ink: _Ink, legend: Legend, x: float, y: float) -> None:
    gradient = QLinearGradient(x, 0, x + _BAR[0], 0)
    for value, rgb in legend.stops:
        gradient.setColorAt(legend.place(value), QColor.fromRgbF(*rgb))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(gradient)
    painter.drawRoundedRect(QRectF(x, y, *_BAR), 3, 3)
    font = _font(11.5)
    for value in legend.ticks:
        share = legend.place(value)
        text = f"{value:,.0f}" if legend.high - legend.low >= 10 else f"{value:.2g}"
        wide = _wide(font, text)
        place = min(max(x + share * _BAR[0] - wide / 2, x), x + _BAR[0] - wide)
        _write(painter, font, ink.quiet, place, y + _BAR[1] + 14, text)


def _caption(category: Category) -> str:
    count = f"  {category.count:,}" if category.count else ""
    return f"{category.icon} {category.label}{count}"


def _shortened(categories: tuple[Category, ...]) -> tuple[Category, ...]:
    if len(categories) <= MAX_CATEGORIES:
        return categories
    kept, rest = categories[: MAX_CATEGORIES - 1], categories[MAX_CATEGORIES - 1 :]
    return (
        *kept,
        Category(
            tr("{rest_count} more", rest_count=len(rest)), (0.5, 0.5, 0.5), "…", sum(c.count for c in rest)
        ),
    )


def _wrap(widths: list[float], limit: float) -> list[list[int]]:
    rows: list[list[int]] = []
    used = limit + 1
    for k, wide in enumerate(widths):
        if used + wide > limit:
            rows.append([])
            used = 0.0
        rows[-1].append(k)
        used += wide
    return rows
