"""Pictures of parts: taken from the hall itself and shipped; of a part that has none, its size drawn to scale."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPainterPath, QPixmap, QPolygonF

from twin import resources
from twin.app.toolkit.theme import Theme
from twin.catalog import Part

RADIUS_PX = 6.0
_TALLEST_M = 2.6
_SLANT = 0.34
"""Share of its depth by which a box is seen from the side."""


class PartPictures:
    """Pictures by part or prefab, each read when it is first seen and kept while size and theme are the same."""

    def __init__(self) -> None:
        self._folder = Path(str(resources.folder("assets"))) / "parts"
        self._known: dict[tuple[str, object], QPixmap] = {}
        self._known_in: tuple[QSize, float, Theme] | None = None

    def has(self, id: str) -> bool:
        """Return whether a picture of this part was taken."""
        return (self._folder / f"{id}.jpg").is_file()

    def picture(self, id: str, part: Part | None, size: QSize, pixel_ratio: float, theme: Theme) -> QPixmap:
        """Return the picture of a part with rounded corners; drawn from its size where none was taken.

        Parameters
        ----------
        part
            Of the catalogue; None for a prefab.
        size
            Logical pixels.
        """
        asked = size, pixel_ratio, theme
        if asked != self._known_in:
            self._known_in = asked
            self._known.clear()
        key = id, None if part is None else part.size_m  # own parts of two scenes may share an id
        if key not in self._known:
            taken = QPixmap(str(self._folder / f"{id}.jpg")) if self.has(id) else QPixmap()
            self._known[key] = _made(taken, part, size, pixel_ratio, theme)
        return self._known[key]


def _made(taken: QPixmap, part: Part | None, size: QSize, pixel_ratio: float, theme: Theme) -> QPixmap:
    made = QPixmap(size * pixel_ratio)
    made.setDevicePixelRatio(pixel_ratio)
    made.fill(Qt.GlobalColor.transparent)
    painter = QPainter(made)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    frame = QRectF(0, 0, size.width(), size.height())
    rounded = QPainterPath()
    rounded.addRoundedRect(frame, RADIUS_PX, RADIUS_PX)
    painter.setClipPath(rounded)
    if taken.isNull():
        _paint_box(painter, frame, part, theme)
    else:
        wide = max(frame.width(), frame.height() * taken.width() / taken.height())
        high = wide * taken.height() / taken.width()
        target = QRectF((frame.width() - wide) / 2, (frame.height() - high) / 2, wide, high)
        painter.drawPixmap(target, taken, QRectF(taken.rect()))
    painter.end()
    return made


def _paint_box(painter: QPainter, frame: QRectF, part: Part | None, theme: Theme) -> None:
    """Draw a box of the proportions of a part, standing on the floor."""
    ground = QLinearGradient(frame.topLeft(), frame.bottomLeft())
    ground.setColorAt(0.0, QColor(theme.raised))
    ground.setColorAt(1.0, QColor(theme.hover))
    painter.fillRect(frame, ground)
    width_m, depth_m, height_m = (part.size_m if part is not None else None) or (0.6, 1.2, 2.2)
    scale = min(
        0.8 * frame.height() / max(height_m, 0.4 * _TALLEST_M),
        0.8 * frame.width() / (width_m + _SLANT * depth_m),
    )
    wide, deep, high = width_m * scale, _SLANT * depth_m * scale, max(height_m * scale, 3.0)
    left, floor = frame.center().x() - (wide + deep) / 2, frame.bottom() - 0.1 * frame.height()
    rise = min(0.5 * deep, 0.12 * frame.height())
    front = QRectF(left, floor - high, wide, high)
    side = QPolygonF(
        [
            front.topRight(),
            front.topRight() + QPointF(deep, -rise),
            front.bottomRight() + QPointF(deep, -rise),
            front.bottomRight(),
        ]
    )
    top = QPolygonF(
        [
            front.topLeft(),
            front.topRight(),
            front.topRight() + QPointF(deep, -rise),
            front.topLeft() + QPointF(deep, -rise),
        ]
    )
    painter.setPen(QColor(theme.border))
    for shape, shade in ((side, 160), (top, 115)):
        painter.setBrush(QColor(theme.faint).darker(shade))
        painter.drawPolygon(shape)
    painter.setBrush(QColor(theme.faint).darker(135))
    painter.drawRect(front)
