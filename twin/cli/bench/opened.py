"""Opens the window of the app for a measurement, with settings and state of its own."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

_LOOK_MS = 20


def private_application() -> None:
    """Make the application object; neither settings nor state of this person are read or written."""
    folder = tempfile.mkdtemp(prefix="twin-bench-")
    os.environ |= {"XDG_CONFIG_HOME": folder, "TWIN_STATE_DIR": folder}
    from twin.cli.bench.window import application

    application()


def open_window(
    path: str | Path, ready: Callable[[MainWindow], bool], begin: Callable[[MainWindow], None]
) -> int:
    """Open a scene or run file that exists, standing; return the exit code of the app.

    Parameters
    ----------
    ready
        Asked every few milliseconds from the first picture on, until it says yes.
    begin
        Is called then, once.
    """
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from twin.app.shell.main_window import MainWindow
    from twin.app.shell.start import run_app

    looking = QTimer()

    def watch() -> None:
        windows = [window for window in QApplication.topLevelWidgets() if isinstance(window, MainWindow)]
        if windows and windows[0].session.frame is not None and ready(windows[0]):
            looking.stop()
            begin(windows[0])

    looking.timeout.connect(watch)
    looking.start(_LOOK_MS)
    return run_app(path, play=False)
