"""Pictures of buildings as images of Qt, no finer than they can be shown."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QImageReader, QPainter
from PySide6.QtSvg import QSvgRenderer

from twin.scenario.formats.underlay_file import Picture


@lru_cache(maxsize=4)
def image_of(picture: Picture, longest_px: int) -> QImage:
    """Return a picture, its longer side of so many pixels at most; an empty image where its data are damaged."""
    size = QSize(round(picture.width), round(picture.height))
    if picture.kind == "svg":
        wide, high = picture.width, picture.height
        scale = longest_px / max(wide, high)
        size = QSize(max(1, round(wide * scale)), max(1, round(high * scale)))
    elif max(size.width(), size.height()) > longest_px:
        size.scale(longest_px, longest_px, Qt.AspectRatioMode.KeepAspectRatio)
    if picture.kind != "svg":
        buffer = QBuffer()
        buffer.setData(QByteArray(picture.data))
        buffer.open(QIODevice.OpenModeFlag.ReadOnly)
        reader = QImageReader(buffer, QByteArray(picture.kind.encode()))
        reader.setScaledSize(size.expandedTo(QSize(1, 1)))
        return reader.read().convertToFormat(QImage.Format.Format_RGBA8888)
    image = QImage(size, QImage.Format.Format_RGBA8888)
    image.fill(Qt.GlobalColor.transparent)
    renderer = QSvgRenderer(QByteArray(picture.data))
    if renderer.isValid():
        painter = QPainter(image)
        renderer.render(painter, QRectF(0, 0, size.width(), size.height()))
        painter.end()
    return image


def pixels_of(picture: Picture, longest_px: int) -> NDArray[np.uint8]:
    """Return a picture as red, green, blue and opacity, shape (height, width, 4), the top row first."""
    image = image_of(picture, longest_px)
    if image.isNull():
        return np.zeros((1, 1, 4), np.uint8)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 4 * image.width()].reshape(image.height(), image.width(), 4).copy()
