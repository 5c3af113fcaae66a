"""Who stays beside the monkey: answers what blocks, and keeps the window open."""

from __future__ import annotations

import random

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QLineEdit

from tests.app.monkey_hands import Hands
from tests.app.monkey_touch import TYPED, type_words
from twin.app.shell.main_window import MainWindow


class Attendant(QObject):
    """Answers what blocks: boxes that ask, menus that wait in a loop of their own, the end of the program."""

    def __init__(self, hands: Hands, window: MainWindow) -> None:
        super().__init__()
        self._hands, self._window = hands, window
        self.draw = random.Random(0)
        self.waited = 0
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the window open."""
        if watched is self._window and event.type() == QEvent.Type.Close:
            event.ignore()
            return True
        return False

    def attend(self) -> None:
        """Look whether something blocks, and answer it."""
        modal = QApplication.activeModalWidget()
        popup = QApplication.activePopupWidget()
        if popup is not None:
            self._hands.choose(popup, self.draw)
        elif modal is not None:
            buttons = [
                one for one in modal.findChildren(QAbstractButton) if one.isVisible() and one.isEnabled()
            ]
            for field in modal.findChildren(QLineEdit):
                type_words(field, self.draw.choice(TYPED))
            if buttons:
                QTest.mouseClick(self.draw.choice(buttons), Qt.MouseButton.LeftButton)
            elif isinstance(modal, QDialog):
                modal.reject()
        else:  # a drag in a loop of its own
            QTest.keyClick(self._window.hall.view.native, Qt.Key.Key_Escape)
