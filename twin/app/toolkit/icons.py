"""Icons: the drawings of assets/icons in the colour asked for, sharp at any pixel ratio."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap, QPixmapCache
from PySide6.QtSvg import QSvgRenderer

from twin.resources import folder

_SIZES_PX = (16, 20, 24, 32, 48)


@cache
def _drawing(name: str) -> str:
    return (folder("assets") / "icons" / f"{name}.svg").read_text(encoding="utf-8")


def pixmap(name: str, colour: str, size_px: int, pixel_ratio: float = 1.0) -> QPixmap:
    """Return icon `name` in `colour` (``#rrggbb``), `size_px` logical pixels wide.

    Raises
    ------
    FileNotFoundError
        When there is no such icon.
    """
    return _painted(_renderer(name, colour), size_px, pixel_ratio)


def _renderer(name: str, colour: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(_drawing(name).replace("currentColor", colour).encode()))


def _painted(renderer: QSvgRenderer, size_px: int, pixel_ratio: float) -> QPixmap:
    image = QPixmap(round(size_px * pixel_ratio), round(size_px * pixel_ratio))
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter, QRectF(image.rect()))
    painter.end()
    image.setDevicePixelRatio(pixel_ratio)
    return image.copy()  # alone: what was painted on keeps what it was painted with, 40 KiB a picture


@cache
def icon(name: str, colour: str, disabled: str = "#7f8796", checked: str = "") -> QIcon:
    """Return icon `name` with its pictures for the normal, disabled and (when given) checked state."""
    made = QIcon()
    looks = [(colour, QIcon.Mode.Normal, QIcon.State.Off), (disabled, QIcon.Mode.Disabled, QIcon.State.Off)]
    looks += [(checked, QIcon.Mode.Normal, QIcon.State.On)] if checked else []
    for tint, mode, state in looks:
        renderer = _renderer(name, tint)  # read once for all sizes
        for size in _SIZES_PX:
            for ratio in (1.0, 2.0):
                made.addPixmap(_painted(renderer, size, ratio), mode, state)
    return made


def forget() -> None:
    """Drop the cached icons: of colours that are no longer those of the theme, or before the QApplication goes.

    Qt keeps pictures by icon and size until they come to 10 MiB: those of icons that are gone are of no use to anybody.
    """
    icon.cache_clear()
    QPixmapCache.clear()
