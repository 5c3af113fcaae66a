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

from twin.cli.bench.opened import open_window, private_application
from twin.cli.bench.simulation import SCENE
from twin.record.reader import Reader
from twin.record.runfile import RunFileError

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

COUNT = 600
_PATIENCE_WALL_S = 300.0
_STILL = 75
"""So many times nothing more is read of a record that is at its end."""


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
    """Return the exit code of the app; 2 where the run file cannot be read."""
    try:
        Reader(Path(run)).close()
    except RunFileError as error:
        print(error, file=sys.stderr)
        return 2
    private_application()
    hands: list[_Hand] = []
    seen: list[int] = []

    def read(window: MainWindow) -> bool:
        """Return whether the whole record was read: its curves have not grown for a while."""
        seen.append(len(window.session.curves.history))
        return len(seen) > _STILL and len(set(seen[-_STILL:])) == 1

    def begin(window: MainWindow) -> None:
        hands.append(_Hand(window, count))
        hands[0].begin()

    return open_window(run, read, begin)


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
