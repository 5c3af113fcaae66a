"""Where the plate beside the pointer stands: off the ghost, off the words on its lines, inside the view."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPoint, QRect, QSize

from twin.view3d.base import camera
from twin.view3d.base.edit_shapes import Ghost
from twin.view3d.base.state import CameraPose

POINTER_PX = 22
"""Room left and right of the pointer, and above and below."""
LARGEST_PX = 320
"""A ghost that is larger on screen is no longer walked round: the plate would stand far from the pointer."""
WORDS_PX = QSize(76, 26)
"""About what words on a line take."""


def seen_of(ghost: Ghost, pose: CameraPose, size_px: tuple[float, float]) -> tuple[QRect, list[QRect]]:
    """Return where bodies of a ghost are on screen (null without any), and where the words on its lines are."""
    bodies = [box.corners for box in ghost.boxes if not box.flat and box.tone != "slot"]
    around = QRect()
    if bodies:
        at = camera.project(pose, np.concatenate(bodies), *size_px)
        if (at[:, 2] > 0).all():
            low, high = at[:, :2].min(axis=0), at[:, :2].max(axis=0)
            around = QRect(
                QPoint(*np.round(low).astype(int).tolist()), QPoint(*np.round(high).astype(int).tolist())
            )
    middles = [(np.array(line.start) + np.array(line.stop)) / 2 for line in ghost.lines if line.text]
    words = []
    for x, y, depth in camera.project(pose, np.array(middles), *size_px).tolist() if middles else ():
        if depth > 0:
            corner = QPoint(round(x) - WORDS_PX.width() // 2, round(y) - WORDS_PX.height() // 2)
            words.append(QRect(corner, WORDS_PX))
    return around, words


def beside(at: QPoint, size: QSize, room: QRect, ghost: QRect, clear: Sequence[QRect]) -> QPoint:
    """Return the corner of a plate beside a place, inside the view: of the places round it the one that covers least.

    Parameters
    ----------
    ghost
        What the plate stands beside, where that is no larger than `LARGEST_PX`.
    clear
        What else is not to be covered.
    """
    held = QRect(at.x() - POINTER_PX, at.y() - POINTER_PX, 2 * POINTER_PX, 2 * POINTER_PX)
    if not ghost.isNull() and max(ghost.width(), ghost.height()) <= LARGEST_PX:
        held = held.united(ghost.adjusted(-8, 0, 8, 0))
    right, left, middle = held.right() + 4, held.left() - 4 - size.width(), at.x() - size.width() // 2
    below, above = at.y() + POINTER_PX, at.y() - POINTER_PX - size.height()
    places = [QPoint(x, y) for y in (below, above) for x in (right, left)]
    places += [QPoint(x, held.top() - 4 - size.height()) for x in (right, left, middle)]
    places += [QPoint(middle, held.bottom() + 4)]
    inside = [
        QPoint(
            max(room.left(), min(place.x(), room.right() + 1 - size.width())),
            max(room.top(), min(place.y(), room.bottom() + 1 - size.height())),
        )
        for place in places
    ]
    return min(inside, key=lambda place: sum(_area(QRect(place, size) & area) for area in (held, *clear)))


def _area(rectangle: QRect) -> int:
    return max(rectangle.width(), 0) * max(rectangle.height(), 0)
