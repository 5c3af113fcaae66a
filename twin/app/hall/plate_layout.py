"""Where the plates over the hall stand, so that none lies on another and the hall keeps room beside them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QWidget

from twin.app.hall.facility_overlay import ToldPlate
from twin.app.hall.overlay import SimulatedMark, Ticker
from twin.view3d.place.free_room import free_room

MARGIN, BETWEEN = 14, 8
_LEAST_LEFT = 0.4
"""So much of the picture, as one rectangle, stays free beside the legends; the first may take more."""
_LEAST_LEFT_BESIDE_FIRST = 0.25
_TICKER_PX = 220
"""Least width in which the newest event can be read [px at the usual size of text]."""


def place_at_top(
    host: QWidget,
    picture: QRect,
    lowest: int,
    mark: SimulatedMark,
    badge: QWidget,
    ticker: Ticker,
    told: Sequence[ToldPlate],
    one_row: bool = False,
) -> int:
    """Place the mark on the right, and from the left the badge and the newest event, below them what is told.

    The mark takes more lines where one would be too long. The newest event stands below the badge where beside it
    there is no room, and gives way where there is none below either. In `one_row` a line that is told stands in its
    place, where there is room, and gives way to it while it lasts.

    Parameters
    ----------
    host
        What they lie over.
    picture
        What they stand in the corners of, as far as nothing else is at its edges.
    lowest
        How far down they may reach [px].
    told
        Plates of several lines.

    Returns
    -------
    int
        How far down the left side is taken [px].
    """
    told = [plate for plate in told if plate.told is not None]
    for plate in told:
        plate.show()
    top, margin = picture.top(), picture.left() + MARGIN
    left = margin + (badge.width() + BETWEEN if badge.isVisibleTo(host) else 0)
    least = round(_TICKER_PX * mark.scale)
    mark.keep_within(host.width() - left - least - BETWEEN - MARGIN)
    mark.move(host.width() - mark.width() - MARGIN, top + MARGIN)
    badge.move(margin, top + MARGIN)
    below = top + MARGIN + max(badge.height(), ticker.height()) + BETWEEN
    room, beside = mark.x() - left - BETWEEN, mark.x() - margin - BETWEEN
    for plate in [plate for plate in told if one_row and plate.is_line][:1]:
        told.remove(plate)
        plate.keep_within(room)
        plate.move(left, top + MARGIN)
        plate.setVisible(room >= least and not ticker.isVisibleTo(host))
    if room >= least:
        ticker.move(left, top + MARGIN)
        ticker.keep_within(room)
    elif below + ticker.height() + BETWEEN + sum(plate.height() + BETWEEN for plate in told) > lowest:
        ticker.hide()
    else:
        ticker.move(margin, below)
        ticker.keep_within(beside)
        below += ticker.height() + BETWEEN if ticker.isVisibleTo(host) else 0
    for plate in told:
        free = below > mark.geometry().bottom()
        plate.keep_within(host.width() - picture.left() if free else max(beside, least))
        plate.move(margin, below)
        below += plate.height() + BETWEEN
    return below


def place_legends(
    picture: QRect,
    first: QWidget,
    others: Sequence[QWidget],
    strips: Collection[QWidget] = (),
    one_row: bool = False,
) -> list[QWidget]:
    """Place legends from the lower left corner up, then from the lower right, and return those there is room for.

    `strips` stand beside one another along the lower edge, as many as fit there; in `one_row` they stand nowhere else.
    """
    placed: list[QWidget] = []
    bottom = picture.bottom() + 1 - MARGIN
    ends = {False: bottom, True: bottom}  # of the left side, the right
    beside = picture.left() + MARGIN
    for plate in (first, *others):
        least = _LEAST_LEFT if placed else _LEAST_LEFT_BESIDE_FIRST
        size = plate.size()
        places = [
            QRect(QPoint(picture.left() + MARGIN, ends[False] - size.height()), size),
            QRect(QPoint(picture.right() + 1 - MARGIN - size.width(), ends[True] - size.height()), size),
        ]
        if plate in strips:
            places = [
                QRect(QPoint(beside, bottom - size.height()), size),
                *([] if one_row and placed else places),
            ]
        at = next((at for at in places if _leaves_room(picture, at, placed, least)), None)
        if at is None:
            continue
        plate.move(at.topLeft())
        for on_right, column in ((False, at.left() == picture.left() + MARGIN), (True, at == places[-1])):
            if column:
                ends[on_right] = at.top() - BETWEEN
        beside = max(beside, at.right() + 1 + BETWEEN) if plate in strips else beside
        placed.append(plate)
    return placed


def _leaves_room(picture: QRect, at: QRect, placed: Sequence[QWidget], least: float) -> bool:
    """Return whether a place is in the picture, on no plate, and leaves so much of the picture free in one piece."""
    taken = [plate.geometry() for plate in placed]
    if not picture.contains(at) or any(at.intersects(other) for other in taken):
        return False
    areas = [area.translated(-picture.topLeft()) for area in (*taken, at)]
    size = float(picture.width()), float(picture.height())
    room = free_room(size, tuple((r.x(), r.y(), r.width(), r.height()) for r in areas))
    whole = room.width >= size[0] and room.height >= size[1]  # there is none
    return not whole and room.width * room.height >= least * size[0] * size[1]
