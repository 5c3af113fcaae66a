"""How far work in the background is, as a line of the status bar that is there as long as the work goes on."""

from __future__ import annotations

from abc import abstractmethod

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QProgressBar, QSizePolicy, QWidget

from twin.app.toolkit.look import Look, tool_button
from twin.app.toolkit.text_fields import ElidedLabel
from twin.app.toolkit.theme import scaled

_POLL_MS, _BAR_PX, _WORDS_PX = 150, 140, 160


class StatusProgress(QWidget):
    """Says what runs and how far it is; it can be given up there. Hidden until it is shown.

    Parameters
    ----------
    progress
        What the bar tells, for readers of the screen.
    cancel
        What its button does.
    """

    def __init__(self, look: Look, window: QMainWindow, progress: str, cancel: str) -> None:
        super().__init__(window)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 8, 0)
        row.setSpacing(8)
        self.words = ElidedLabel("muted")
        self.words.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.words.setMinimumWidth(scaled(_WORDS_PX))
        self.bar = QProgressBar()
        self.bar.setFixedWidth(scaled(_BAR_PX))
        self.bar.setAccessibleName(progress)
        self.cancel_button = tool_button(look, "close", cancel)
        self.cancel_button.clicked.connect(self.cancel)
        for widget in (self.words, self.bar, self.cancel_button):
            row.addWidget(widget)
        # The status bar makes room for it even while it is hidden, and the hall gives way.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        window.statusBar().addPermanentWidget(self)
        self._timer = QTimer(self)
        self._timer.setInterval(_POLL_MS)
        self._timer.timeout.connect(self.poll)
        self.hide()

    @abstractmethod
    def cancel(self) -> None:
        """Give up what runs."""

    @abstractmethod
    def poll(self) -> None:
        """Hear how far it is; called while the timer runs."""
