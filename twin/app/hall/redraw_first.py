"""Whether a changed hall is about to be drawn: what can wait lets its picture go first."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import monotonic

from PySide6.QtCore import QTimer

from twin.view3d.view.hall_view import HallView

_PATIENCE_S = 3.0
"""So long a picture is waited for on a busy machine: a hall that others cover is never drawn."""


class PictureDue:
    """Asked by a call; figures, design rules and the collector of garbage ask before they begin.

    Parameters
    ----------
    view
        Of the hall.
    asks
        Whether an edit waits for its answer: the hall is about to change, or the worker is to have the processors.
    """

    def __init__(self, view: HallView, asks: Callable[[], bool] = lambda: False) -> None:
        self._since_s, self._widget, self._asks = -_PATIENCE_S, view.native, asks
        view.canvas.events.draw.connect(self._on_draw)

    def __call__(self) -> bool:
        """Return whether the hall has changed and is not drawn yet, or an edit waits for its answer."""
        return self.undrawn() or (self._asks() and self._widget.isVisible())

    def undrawn(self) -> bool:
        """Return whether the hall has changed and is not drawn yet."""
        return monotonic() - self._since_s < _PATIENCE_S and self._widget.isVisible()

    def expect(self) -> None:
        """The hall has changed."""
        self._since_s = monotonic()

    def now(self) -> None:
        """Draw a changed hall first; messages of the run come later."""
        if self.undrawn():
            self._widget.repaint()

    def _on_draw(self, _event: object) -> None:
        behind = partial(self._on_drawn, self._since_s)
        QTimer.singleShot(0, self._widget, behind)  # the drawing itself

    def _on_drawn(self, since_s: float) -> None:
        if self._since_s == since_s:  # else the hall has changed again since that drawing
            self._since_s = -_PATIENCE_S
