"""What drawing off screen needs around it: a display, and a Qt application made in the right order."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication


def on_display(size: tuple[int, int]) -> None:
    """Go on where there is a display; else run this command again in one of its own (Xvfb), and exit as it does.

    Raises
    ------
    Failure
        When no display can be had.
    """
    import typer

    from twin.cli.display import has_display, in_virtual_display

    if not has_display():
        raise typer.Exit(in_virtual_display(sys.argv[1:], *size))


def qt_application() -> QApplication:
    """Return the Qt application of this process; needs a display."""
    from twin.app.shell.platform_choice import decide_platform

    decide_platform()
    from PySide6.QtCore import QCoreApplication, Qt
    from PySide6.QtWidgets import QApplication

    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    there = QApplication.instance()
    return there if isinstance(there, QApplication) else QApplication(["twin"])
