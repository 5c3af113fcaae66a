"""Open the app on a scene, print how long its first picture of the hall took, close it.

``python -m twin.cli.bench.first_picture SCENE BEGAN``; BEGAN is the monotonic clock when this process was started [s].
"""

from __future__ import annotations

import sys
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from twin.cli.scene import scene_path

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

_LOOK_MS = 5


def main(scene: str, began_s: float) -> int:
    """Return the exit code of the app."""
    from twin.report.platform_choice import decide_platform

    decide_platform()
    from PySide6.QtCore import QCoreApplication, Qt, QTimer
    from PySide6.QtWidgets import QApplication

    from twin.app.shell.start import run_app

    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    QApplication(["twin"])
    looking = QTimer()

    def watch() -> None:
        """Wait for the window, then for a draw of its hall once it has a frame."""
        if (loaded := sys.modules.get("twin.app.shell.main_window")) is None:
            return  # run_app loads it behind the start of the worker, as everywhere
        windows = [w for w in QApplication.topLevelWidgets() if isinstance(w, loaded.MainWindow)]
        if windows:
            looking.stop()
            windows[0].hall.view.canvas.events.draw.connect(lambda _event: drawn(windows[0]))

    def drawn(window: MainWindow) -> None:
        if window.session.frame is not None:
            QTimer.singleShot(0, window, lambda: painted(window))  # behind the drawing itself

    def painted(window: MainWindow) -> None:
        print(f"{monotonic() - began_s:.3f}", flush=True)
        window.close()

    looking.timeout.connect(watch)
    looking.start(_LOOK_MS)
    return run_app(partial(scene_path, scene))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], float(sys.argv[2])))
