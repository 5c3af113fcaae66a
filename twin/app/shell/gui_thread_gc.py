"""Garbage collection on the GUI thread only: on another thread it would destroy GL objects and abort Qt."""

from __future__ import annotations

import gc
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

YOUNG_MS = 1000
FULL_EVERY = 60  # young rounds between two full ones


class GuiCollector(QObject):
    """Turns automatic collection off and collects from a timer of the GUI thread.

    Parameters
    ----------
    waits_for
        Whether something goes before, such as a picture: then the round is left out.
    """

    def __init__(self, parent: QObject | None = None, waits_for: Callable[[], bool] = lambda: False) -> None:
        super().__init__(parent)
        self._waits_for = waits_for
        self._rounds = 0
        self._frozen = False
        self._timer = QTimer(self)
        self._timer.setInterval(YOUNG_MS)
        self._timer.timeout.connect(self._collect)

    def start(self) -> None:
        """Collect from now on; the first round freezes what is loaded: later ones walk over what came after."""
        gc.disable()
        self._timer.start()

    def stop(self) -> None:
        """Give collection back to Python."""
        self._timer.stop()
        self._frozen = False
        gc.unfreeze()
        gc.enable()

    def _collect(self) -> None:
        if self._waits_for():
            return
        self._rounds += 1
        if not self._frozen:
            gc.collect()
            gc.freeze()
            self._frozen = True
            return
        gc.collect(2 if self._rounds % FULL_EVERY == 0 else 1)
