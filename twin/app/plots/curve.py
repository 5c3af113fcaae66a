"""A curve on a plot: a line, and behind all lines the band it moves in. Loaded late: pyqtgraph takes 0.4 s."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QColor, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsPathItem

from twin.app.plots.columns import CurvePiece, Drawn

_BAND_ALPHA, _EDGE_ALPHA = 0.25, 0.5
"""Of the band and of its edges: a peak that is a column wide is hardly more than edges."""


class PlotCurve:
    """Draws one curve.

    Parameters
    ----------
    item
        Plot item of pyqtgraph.

    Attributes
    ----------
    line, band
        Its items.
    drawn
        What they show, in the unit of the axis.
    """

    def __init__(self, item: Any) -> None:
        self.drawn: Drawn | None = None
        self.band = QGraphicsPathItem()
        self.band.setZValue(-1.0)  # behind the lines of all curves
        self.line = pg.PlotCurveItem(connect="finite")
        box = item.getViewBox()
        box.addItem(self.band, ignoreBounds=True)
        box.addItem(self.line, ignoreBounds=True)

    def set_pen(self, pen: QPen) -> None:
        """Draw with this pen; the band has its colour."""
        self.line.setPen(pen)
        self.band.setBrush(_faint(pen, _BAND_ALPHA))
        self.band.setPen(pg.mkPen(_faint(pen, _EDGE_ALPHA), width=1.0))

    def show(self, drawn: Drawn) -> None:
        """Draw this."""
        self.drawn = drawn
        self.line.setData(drawn.t_s, drawn.values)
        self.band.setPath(_outline(drawn.pieces))


def _faint(pen: QPen, alpha: float) -> QColor:
    tint = QColor(pen.color())
    tint.setAlphaF(alpha)
    return tint


def _outline(pieces: tuple[CurvePiece, ...]) -> QPainterPath:
    """Return all pieces as one path: there along the greatest values, back along the least."""
    if not pieces:
        return QPainterPath()
    x = np.concatenate([each for piece in pieces for each in (piece.t_s, piece.t_s[::-1])])
    y = np.concatenate([each for piece in pieces for each in (piece.high, piece.low[::-1])])
    joined = np.ones(len(x), np.int32)
    joined[np.cumsum([2 * len(piece.t_s) for piece in pieces]) - 1] = 0
    path: QPainterPath = pg.arrayToQPath(x, y, connect=joined)
    return path
