"""Opens a scene in the real window, shows its first moment and its tool tips, and ends. To be run under strace."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip, QWidget


def main(scene: Path, folder: Path) -> None:
    """Open `scene` in a window whose settings lie in `folder`."""
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    app = QApplication([])
    from twin.app.session.session import Session
    from twin.app.shell.main_window import MainWindow
    from twin.app.toolkit.look import Look
    from twin.app.toolkit.settings import UserSettings

    look = Look(app, "dark")
    window = MainWindow(look, Session(), UserSettings(folder / "settings.ini"))
    window.show()
    assert window.files.open(scene)
    while window.session.frame is None:
        QTest.qWait(20)
    for tip in {widget.toolTip() for widget in window.findChildren(QWidget)}:
        QToolTip.showText(QPoint(10, 10), tip, window)

    print(window.windowTitle())
    sys.stdout.flush()
    window.close()
    look.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
