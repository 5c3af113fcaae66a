"""A field of letters that choose what a list shows; Escape empties it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit


class SearchField(QLineEdit):
    """A search field: as long as something stands in it Escape is its own and does not clear the selection."""

    def __init__(self) -> None:
        super().__init__()
        self.setClearButtonEnabled(True)

    def event(self, event: QEvent) -> bool:
        """Take Escape before the shortcuts of the window do."""
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape and self.text():
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.clear()
                return True
        return super().event(event)
