"""Work on the thread of the window that is done a little at a time, and what ends with a window."""

from __future__ import annotations

from collections.abc import Callable, Generator
from time import monotonic
from typing import Generic, TypeVar

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

Found = TypeVar("Found")
_SLICE_S = 0.01
"""So long the window waits for it at a time, or for one step."""
_HELD_MS = 20
"""So long it waits for what goes first."""


class SlicedWork(QObject, Generic[Found]):
    """Takes the steps of one piece of work, a few at a time, and hands on what it comes to.

    Parameters
    ----------
    done
        Takes what the last step comes to.
    is_held
        Whether something else goes first, such as a picture of a changed hall.
    """

    def __init__(self, parent: QObject, done: Callable[[Found], None], is_held: Callable[[], bool]) -> None:
        super().__init__(parent)
        self._done, self._is_held = done, is_held
        self._steps: Generator[None, None, Found] | None = None
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._go_on)

    @property
    def is_running(self) -> bool:
        """Return whether steps are left."""
        return self._steps is not None

    def begin(self, steps: Generator[None, None, Found]) -> None:
        """Take steps from now on, in place of those before."""
        self._steps = steps
        self._timer.start(0)

    def stop(self) -> None:
        """Take no more steps."""
        self._steps = None
        self._timer.stop()

    def _go_on(self) -> None:
        self._timer.setInterval(_HELD_MS if self._is_held() else 0)
        end_s = monotonic() + _SLICE_S
        try:
            while self._steps is not None and not self._is_held() and monotonic() < end_s:
                next(self._steps)
        except StopIteration as last:
            self.stop()
            self._done(last.value)


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
