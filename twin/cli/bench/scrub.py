"""How fast one scrubs through 54 days: each look at a recording of llama3-16k, timed to the picture of the hall.

``python -m twin.cli.bench.scrub RUN COUNT`` prints what a look costs the thread of the window [CPU ms], from the record
to the drawn picture with the docks that follow, what it costs all threads of the process (those that draw, too), and
how many pictures a second came of it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time, thread_time
from typing import TYPE_CHECKING

import numpy as np

from twin.cli.bench.simulation import SCENE

if TYPE_CHECKING:
    from twin.app.main_window import MainWindow

COUNT = 600
_PATIENCE_WALL_S = 300.0
_STILL = 15


def measure() -> dict[str, float | None]:
    """Return the figures by key; None where the app broke."""
    with tempfile.TemporaryDirectory(prefix="twin-bench-") as folder:
        run = Path(folder) / "scrub.twinrun"
        for words in (
            ("twin.cli", "run", SCENE, "--out", str(run), "--json"),
            ("twin.cli.bench.scrub", str(run), str(COUNT)),
        ):
            done = subprocess.run(
                [sys.executable, "-m", *words],
                capture_output=True,
                text=True,
                check=False,
                timeout=_PATIENCE_WALL_S,
            )
    lines = done.stdout.split("\n")
    figures = next((json.loads(line) for line in lines if line.startswith("{")), None)
    if figures is None:
        print(f"no look was timed: {done.stderr.strip()[-300:] or 'no reason given'}", file=sys.stderr)
        return {}
    return {f"scrub_{key}": value for key, value in figures.items()}


def main(run: str, count: int) -> int:
    """Return the exit code of the app."""
    import os

    folder = tempfile.mkdtemp(prefix="twin-bench-")
    os.environ |= {"XDG_CONFIG_HOME": folder, "TWIN_STATE_DIR": folder}
    from twin.cli.bench.window import application

    application()
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from twin.app.main_window import MainWindow
    from twin.app.start import run_app

    hands: list[_Hand] = []
    seen: list[int] = []

    def watch() -> None:
        windows = [one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow)]
        if windows and windows[0].session.frame is not None:
            seen.append(len(windows[0].session.curves.history))
            if len(seen) > _STILL and len(set(seen[-_STILL:])) == 1:  # the whole record was read
                looking.stop()
                hands.append(_Hand(windows[0], count))
                hands[0].begin()

    looking = QTimer()
    looking.timeout.connect(watch)
    looking.start(100)
    return run_app(run, play=False)


class _Hand:
    """Drags through the whole run at an even pace, a look with every picture."""

    def __init__(self, window: MainWindow, count: int) -> None:
        self._window, self._drawn = window, False
        self._times = np.linspace(0.0, window.session.t_s, count).tolist()
        self._took_ms: list[float] = []
        self._began_wall_s = self._began_s = self._last_s = 0.0
        window.hall.view.canvas.events.draw.connect(self._on_draw)

    def begin(self) -> None:
        """Take hold."""
        self._window.session.replay.scrubbing = True
        self._began_wall_s, self._began_s = perf_counter(), process_time()
        self._last_s = thread_time()
        self._look()

    def _on_draw(self, _event: object) -> None:
        from PySide6.QtCore import QTimer

        if not self._drawn:
            self._drawn = True
            QTimer.singleShot(0, self._next)  # behind the drawing itself

    def _look(self) -> None:
        self._drawn = False
        self._window.timeline.scrub(self._times[len(self._took_ms)])

    def _next(self) -> None:
        now_s = thread_time()
        self._took_ms.append(1e3 * (now_s - self._last_s))
        self._last_s = now_s
        if len(self._took_ms) == len(self._times):
            self._end()
        else:
            self._look()

    def _end(self) -> None:
        p99 = float(np.percentile(self._took_ms, 99))
        all_ms = 1e3 * (process_time() - self._began_s) / len(self._took_ms)
        pictures_s = len(self._took_ms) / (perf_counter() - self._began_wall_s)
        mean = float(np.mean(self._took_ms))
        figures = {"mean_ms": mean, "p99_ms": p99, "all_threads_ms": all_ms, "pictures_s": pictures_s}
        print(json.dumps(figures), flush=True)
        self._window.editing.file.asks = False
        self._window.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
