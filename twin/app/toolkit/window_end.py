"""Something that ends with a window, without the window knowing it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget


class WindowEnd(QObject):
    """Calls something when a window is closed.

    Parameters
    ----------
    window
        Which one.
    end
        What ends then; it may be asked more than once.
    """

    def __init__(self, window: QWidget, end: Callable[[], None]) -> None:
        super().__init__(window)
        self._end = end
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """End it with the window."""
        if event.type() == QEvent.Type.Close and watched is self.parent():
            self._end()
        return super().eventFilter(watched, event)
