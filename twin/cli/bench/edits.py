"""How soon the window shows an edit: random commands on a scene, each timed to the next picture of the hall.

``python -m twin.cli.bench.edits SCENE COUNT`` prints median, 99th percentile and maximum [ms], how many were done, and
whether undoing them all gave the text back to the byte.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from twin.cli.bench.simulation import SCENE

if TYPE_CHECKING:
    from twin.app.main_window import MainWindow
    from twin.commands.command import Command
    from twin.plant.tables import Plant

COUNT = 200
_PATIENCE_WALL_S = 300.0


def measure() -> dict[str, float | None]:
    """Return the figures by key; None where the app broke."""
    done = subprocess.run(
        [sys.executable, "-m", "twin.cli.bench.edits", SCENE, str(COUNT)],
        capture_output=True,
        text=True,
        check=False,
        timeout=_PATIENCE_WALL_S,
    )
    lines = done.stdout.split("\n")
    figures = next((json.loads(line) for line in lines if line.startswith("{")), None)
    if figures is None:
        print(f"no edit was timed: {done.stderr.strip()[-300:] or 'no reason given'}", file=sys.stderr)
        return {}
    return {"edit_p50_ms": figures["p50_ms"], "edit_max_ms": figures["max_ms"]}


def random_command(draw: random.Random, plant: Plant, number: int) -> Command:
    """Return one thing a person might do to what stands: most of it concerns a rack or a few."""
    from twin.commands.copies import Duplicate
    from twin.commands.delete import Delete
    from twin.commands.move import Move
    from twin.commands.place import AddPart
    from twin.commands.properties import Drain, SetProperty

    standing = np.flatnonzero(plant.racks.present)
    racks = [plant.racks.ids[slot] for slot in draw.sample(standing.tolist(), 3)]
    node = plant.nodes.ids[draw.choice(np.flatnonzero(plant.nodes.present).tolist())]
    kinds: tuple[Command, ...] = (
        Move(tuple(racks[: draw.randint(1, 3)]), (draw.choice((-0.6, 0.6)), 0.0)),
        Delete((racks[0],)),
        AddPart("DGX-H100", at=(draw.uniform(0, 60), 70.0 + 3.0 * (number % 40))),
        Duplicate((racks[0],), (0.0, 60.0 + 3.0 * (number % 40))),
        Drain((node,)),
        SetProperty(("",), "title", f"Another hall {number}"),
    )
    return draw.choice(kinds)


def main(scene: str, count: int) -> int:
    """Return the exit code of the app."""
    import os
    import tempfile

    folder = tempfile.mkdtemp(prefix="twin-bench-")
    os.environ |= {"XDG_CONFIG_HOME": folder, "TWIN_STATE_DIR": folder}
    from twin.cli.bench.window import application

    application()
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from twin.app.main_window import MainWindow
    from twin.app.start import run_app
    from twin.cli.scene import scene_path

    looking = QTimer()
    typists: list[_Typist] = []

    def watch() -> None:
        windows = [one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow)]
        if windows and windows[0].session.frame is not None:
            looking.stop()
            typists.append(_Typist(windows[0], count))
            typists[0].begin()

    looking.timeout.connect(watch)
    looking.start(20)
    return run_app(scene_path(scene), play=False)


class _Typist:
    """Does one command after another, each when the picture of the last was drawn."""

    def __init__(self, window: MainWindow, count: int) -> None:
        from PySide6.QtCore import QTimer

        self._window, self._count = window, count
        self._draw, self._began_s = random.Random(1), 0.0
        self._took_ms: list[float] = []
        self._tried = 0
        self._text = window.session.draft.file.text if window.session.draft is not None else ""
        self._next = QTimer(window)
        self._next.setSingleShot(True)
        self._next.timeout.connect(self._do)
        window.hall.view.canvas.events.draw.connect(self._on_draw)

    def begin(self) -> None:
        """Wait for a still window, then begin."""
        self._next.start(1500)

    def _do(self) -> None:
        from PySide6.QtCore import QTimer

        plant = self._window.session.plant
        if self._tried == self._count or plant is None:
            self._end()
            return
        self._tried += 1
        command = random_command(self._draw, plant, self._tried)
        self._began_s = perf_counter()
        if not self._window.editing.editor.do(command):
            self._began_s = 0.0
            QTimer.singleShot(0, self._do)
            return
        self._window.hall.view.canvas.update()

    def _on_draw(self, _event: object) -> None:
        from PySide6.QtCore import QTimer

        if self._began_s:
            began_s, self._began_s = self._began_s, 0.0
            QTimer.singleShot(0, lambda: self._drawn(began_s))  # behind the drawing itself

    def _drawn(self, began_s: float) -> None:
        self._took_ms.append(1e3 * (perf_counter() - began_s))
        self._next.start(20)

    def _end(self) -> None:
        editor, draft = self._window.editing.editor, self._window.session.draft
        while draft is not None and draft.done:
            editor.undo()
        same = draft is not None and draft.file.text == self._text
        p50, p99 = np.percentile(self._took_ms, [50, 99]).tolist()
        print(
            json.dumps(
                {
                    "p50_ms": p50,
                    "p99_ms": p99,
                    "max_ms": max(self._took_ms),
                    "done": len(self._took_ms),
                    "undone_to_the_byte": same,
                }
            ),
            flush=True,
        )
        self._window.editing.file.asks = False
        self._window.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
