"""Where the plates along the top of the hall stand, so that none lies on another however long their words are."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from twin.app.hall.facility_overlay import ToldPlate
from twin.app.hall.overlay import SimulatedMark, Ticker

MARGIN, BETWEEN = 14, 8
_TICKER_PX = 220
"""Least width in which the newest event can be read [px at the usual size of text]."""


def place_at_top(
    host: QWidget,
    top: int,
    lowest: int,
    mark: SimulatedMark,
    badge: QWidget,
    ticker: Ticker,
    told: Sequence[ToldPlate],
) -> int:
    """Place the mark on the right, and from the left the badge and the newest event, below them what is told.

    The mark takes more lines where one would be too long. The newest event stands below the badge where beside it
    there is no room, and gives way where there is none below either.

    Parameters
    ----------
    host
        What they lie over.
    top, lowest
        How far up and down they may reach in it [px].
    told
        Plates of several lines.

    Returns
    -------
    int
        How far down the left side is taken [px].
    """
    told = [plate for plate in told if plate.isVisibleTo(host)]
    left = MARGIN + (badge.width() + BETWEEN if badge.isVisibleTo(host) else 0)
    least = round(_TICKER_PX * mark.scale)
    mark.keep_within(host.width() - left - least - BETWEEN - MARGIN)
    mark.move(host.width() - mark.width() - MARGIN, top + MARGIN)
    badge.move(MARGIN, top + MARGIN)
    below = top + MARGIN + max(badge.height(), ticker.height()) + BETWEEN
    room, beside = mark.x() - left - BETWEEN, mark.x() - MARGIN - BETWEEN
    if room >= least:
        ticker.move(left, top + MARGIN)
        ticker.keep_within(room)
    elif below + ticker.height() + BETWEEN + sum(plate.height() + BETWEEN for plate in told) > lowest:
        ticker.hide()
    else:
        ticker.move(MARGIN, below)
        ticker.keep_within(beside)
        below += ticker.height() + BETWEEN if ticker.isVisibleTo(host) else 0
    for plate in told:
        free = below > mark.geometry().bottom()
        plate.keep_within(host.width() if free else max(beside, least))
        plate.move(MARGIN, below)
        below += plate.height() + BETWEEN
    return below
