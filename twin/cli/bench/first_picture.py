"""Open the app on a scene, print how long its first picture of the hall took, close it.

``python -m twin.cli.bench.first_picture SCENE BEGAN``; BEGAN is the monotonic clock when this process was started [s].
"""

from __future__ import annotations

import sys
from time import monotonic

from twin.cli.scene import scene_path

_LOOK_MS = 5


def main(scene: str, began_s: float) -> int:
    """Return the exit code of the app."""
    from twin.report.platform_choice import decide_platform

    decide_platform()
    from PySide6.QtCore import QCoreApplication, Qt, QTimer
    from PySide6.QtWidgets import QApplication

    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    QApplication(["twin"])
    from twin.app.shell.main_window import MainWindow
    from twin.app.shell.start import run_app

    looking = QTimer()

    def watch() -> None:
        """Wait for the window, then for a draw of its hall once it has a frame."""
        windows = [window for window in QApplication.topLevelWidgets() if isinstance(window, MainWindow)]
        if windows:
            looking.stop()
            windows[0].hall.view.canvas.events.draw.connect(lambda _event: drawn(windows[0]))

    def drawn(window: MainWindow) -> None:
        if window.session.frame is not None:
            print(f"{monotonic() - began_s:.3f}", flush=True)
            QTimer.singleShot(0, window, window.close)

    looking.timeout.connect(watch)
    looking.start(_LOOK_MS)
    return run_app(scene_path(scene))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], float(sys.argv[2])))
