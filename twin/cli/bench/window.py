"""How fast the window draws, answers and opens; needs a display."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from time import monotonic, perf_counter

import numpy as np

from twin.report.platform_choice import decide_platform

decide_platform()

from PySide6.QtCore import QCoreApplication, QEventLoop, Qt, QTimer  # noqa: E402  (the platform is decided before)
from PySide6.QtWidgets import QApplication  # noqa: E402

from twin.catalog import load_catalog  # noqa: E402
from twin.cli.bench.campus import SCENE as CAMPUS  # noqa: E402
from twin.cli.bench.simulation import SCENE  # noqa: E402
from twin.plant.build import build  # noqa: E402
from twin.runtime.client import Client  # noqa: E402
from twin.runtime.protocol import At  # noqa: E402
from twin.scenario import load  # noqa: E402

_TICK_MS = 10
_POLL_MS = 16
_WATCH_WALL_S = 4.0
_PATIENCE_WALL_S = 60.0


def application() -> QApplication:
    """Return the one application object of this process."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    return QApplication(["twin"])


def drawing(gpus: int) -> dict[str, float]:
    """Return the figures of drawing and picking in a hall of so many GPUs by key."""
    application()
    from twin.view3d.view.bench import measure_all

    return measure_all((gpus,))


def gui_timer_ms() -> dict[str, float]:
    """Return how late a 10 ms timer of the GUI comes, idle and while a worker simulates flat out [ms]."""
    application()
    figures = _percentiles("idle", _lateness_ms(_WATCH_WALL_S))
    client = Client()
    try:
        client.load(
            load(SCENE).scenario, run_file=Path(tempfile.mkdtemp(prefix="twin-bench-")) / "bench.twinrun"
        )
        client.play(math.inf)
        timer = QTimer()
        timer.timeout.connect(lambda: (client.poll(), client.latest_frame()))
        _wait_until_running(client)
        timer.start(_POLL_MS)
        figures |= _percentiles("simulating", _lateness_ms(_WATCH_WALL_S))
        figures["gui_timer_added_p99_ms"] = (
            figures["gui_timer_simulating_p99_ms"] - figures["gui_timer_idle_p99_ms"]
        )
        timer.stop()
    finally:
        client.close()
        _remove(client.run_file)
    return figures


def campus_drawing() -> dict[str, float]:
    """Return the figures of drawing the shipped campus by key."""
    application()
    from twin.view3d.view.bench import measure_view

    view = measure_view(build(load(CAMPUS).scenario, load_catalog()))
    return {"campus_view_rest_ms": view.rest_ms, "campus_view_moving_ms": view.moving_ms}


def first_picture_s(scene: str = SCENE) -> float | None:
    """Return the time from starting the app to its first picture of a scene [s]; None when none came."""
    with tempfile.TemporaryDirectory(prefix="twin-bench-") as folder:
        environment = {**os.environ, "XDG_CONFIG_HOME": folder, "TWIN_STATE_DIR": folder}
        began = monotonic()
        command = [sys.executable, "-m", "twin.cli.bench.first_picture", scene, repr(began)]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=120
        )
    lines = done.stdout.split()
    if done.returncode != 0 or not lines:
        print(
            f"the app showed no picture: {done.stderr.strip()[-300:] or 'no reason given'}", file=sys.stderr
        )
        return None
    return float(lines[0])  # it may be drawn again before it is closed


def _wait_until_running(client: Client) -> None:
    """Return once the worker simulates."""
    began = monotonic()

    def running() -> bool:
        moved = any(isinstance(message, At) and message.t_s > 0 for message in client.poll())
        return moved or monotonic() - began > _PATIENCE_WALL_S

    _spin(running)


def _spin(done: Callable[[], bool]) -> None:
    """Run the event loop until `done`, asked every few milliseconds."""
    loop, timer = QEventLoop(), QTimer()
    timer.timeout.connect(lambda: loop.quit() if done() else None)
    timer.start(_POLL_MS)
    loop.exec()
    timer.stop()


def _lateness_ms(wall_s: float) -> list[float]:
    """Return how much later than asked for each tick of a timer came during `wall_s` [ms]."""
    ticks: list[float] = []
    timer = QTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(lambda: ticks.append(perf_counter()))
    timer.start(_TICK_MS)
    end = monotonic() + wall_s
    _spin(lambda: monotonic() >= end)
    timer.stop()
    return [max(0.0, 1e3 * (after - before) - _TICK_MS) for before, after in pairwise(ticks)]


def _percentiles(name: str, late_ms: list[float]) -> dict[str, float]:
    p50, p99 = np.percentile(late_ms, [50, 99]).tolist()
    return {f"gui_timer_{name}_p50_ms": p50, f"gui_timer_{name}_p99_ms": p99}


def _remove(run_file: Path | None) -> None:
    if run_file is not None:
        for file in run_file.parent.iterdir():
            file.unlink()
        run_file.parent.rmdir()
