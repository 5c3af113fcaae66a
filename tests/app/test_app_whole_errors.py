"""A handler that Qt calls while Python waits in Qt may fail with any error: it is told, and the program goes on."""

from __future__ import annotations

import subprocess
import sys

from patience import HANG_S

_SCRIPT = """
from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from twin.app.shell.crash_guard import make_errors_whole

make_errors_whole()
app = QApplication([])

class Sees(QObject):
    clicked = Signal(bool)

    def eventFilter(self, watched, event, words="kept"):
        if event.type() == QEvent.Type.User:
            print(words)
            [][1]
        return super().eventFilter(watched, event)

class Asks(QDialog):
    def reject(self):
        print("slot")

sees, asks, at = Sees(), Asks(), QWidget()
at.installEventFilter(sees)
sees.clicked.connect(asks.reject)
sees.clicked.emit(True)
try:
    QApplication.sendEvent(at, QEvent(QEvent.Type.User))
except IndexError as error:
    print(error)
print("goes on")
"""


def test_an_index_out_of_range_in_a_handler_is_told_and_not_the_end() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=False, timeout=HANG_S
    )
    assert done.returncode == 0, done.stderr
    told = done.stdout.splitlines()
    assert [told[0], told[1], told[-1]] == ["slot", "kept", "goes on"]
    assert "list index out of range" in told[2]
