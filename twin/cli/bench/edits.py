"""How soon the window shows an edit: random commands on a scene, each timed to the next picture of the hall.

``python -m twin.cli.bench.edits SCENE COUNT`` does them twice: as the scene stands at t = 0, and while its run goes on.
It prints the CPU time of the GUI thread by kind of command and by phase, what the window still does after the picture,
the slowest edits one by one, and as JSON in the last line: median, 99th percentile and maximum [ms], how many were
done, how many took longer than `GOAL_MS`, and whether undoing them all gave the text back to the byte. CPU time tells
of the program; wall time tells of the machine and its load as well.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter, thread_time
from typing import TYPE_CHECKING

import numpy as np

from twin.cli.bench.campus import SCENE as CAMPUS
from twin.cli.bench.opened import open_window, private_application
from twin.cli.bench.phases import PhaseTimer
from twin.cli.bench.simulation import SCENE

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow
    from twin.commands.edit.command import Command
    from twin.plant.tables import Plant

COUNT = 200
CAMPUS_COUNT = 40
GOAL_MS = 100.0
"""Each edit shall be seen so soon."""
_SLOWEST = 5
_PATIENCE_WALL_S = 900.0
_STILL_MS = 1500
_BETWEEN_MS = 20

PHASES: dict[str, tuple[str, ...]] = {
    "command": ("twin.commands.edit.draft:Draft.propose",),
    "splice and read": (
        "twin.commands.edit.draft:spliced",
        "twin.commands.wiring.connect_new:edit",
        "twin.app.session.hall_versions:edited",
    ),
    "landing": ("twin.commands.edit.draft:Draft.land", "twin.commands.edit.draft:Draft.land_edit"),
    "plant": (
        "twin.app.session.hall_versions:plant_of",
        "twin.app.session.hall_versions:rebuild",
        "twin.commands.edit.command:plant_of",
    ),
    "docks told": ("twin.app.session.session:Session.rewritten", "twin.app.session.session:Session.edited"),
    "geometry": ("twin.view3d.view.hall_view:HallView.set_plant",),
    "journal": ("twin.app.files.journal:Journal.note",),
    "rules": ("twin.app.monitor.checks_dock:RulesDock.ask",),
    "draw": ("twin.view3d.view.hall_view:HallView._on_draw",),
}


@dataclass
class Timed:
    """One edit.

    Attributes
    ----------
    kind, title
        Of command.
    cpu_ms, wall_ms
        Of the GUI thread, and of a clock, up to its picture [ms]; while the run goes on that does not wait for the
        answer of the worker.
    answer_ms
        Up to that answer, of a clock [ms].
    after_ms
        CPU time of the GUI thread from its picture to the next command [ms].
    phases
        CPU time up to the picture by phase [ms].
    """

    kind: str
    title: str = ""
    cpu_ms: float = 0.0
    wall_ms: float = 0.0
    answer_ms: float = 0.0
    after_ms: float = 0.0
    phases: dict[str, float] = field(default_factory=dict)


def measure() -> dict[str, float | None]:
    """Return the figures of the shipped training hall by key; None where the app broke."""
    return _figures(SCENE, COUNT, "edit")


def measure_campus() -> dict[str, float | None]:
    """Return the figures of the shipped campus by key."""
    return _figures(CAMPUS, CAMPUS_COUNT, "campus_edit")


def _figures(scene: str, count: int, head: str) -> dict[str, float | None]:
    done = subprocess.run(
        [sys.executable, "-m", "twin.cli.bench.edits", scene, str(count)],
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
    still = {key: figures[key] for key in ("p50_ms", "max_ms", "cpu_p50_ms", "cpu_max_ms")}
    live = {f"running_{key}": figures["running"][key] for key in ("p50_ms", "max_ms", "cpu_max_ms")}
    return {f"{head}_{key}": value for key, value in (still | live).items()}


def random_command(draw: random.Random, plant: Plant, number: int) -> Command:
    """Return one edit that a person might make; most concern a rack or a few."""
    from twin.commands.place.delete import Delete
    from twin.commands.place.move import MoveThings
    from twin.commands.place.place import AddPart
    from twin.commands.place.properties import DrainNodes, SetProperty
    from twin.commands.room.copies import Duplicate
    from twin.commands.wiring.connect_new import WiredIn

    standing = np.flatnonzero(plant.racks.present)
    racks = [plant.racks.ids[slot] for slot in draw.sample(standing.tolist(), 3)]
    node = plant.nodes.ids[draw.choice(np.flatnonzero(plant.nodes.present).tolist())]
    kinds: tuple[Command, ...] = (
        MoveThings(tuple(racks[: draw.randint(1, 3)]), (draw.choice((-0.6, 0.6)), 0.0)),
        Delete((racks[0],)),
        WiredIn(
            AddPart(
                draw.choice(("DGX-H100", plant.node_parts[0])),
                at=(draw.uniform(0, 60), 70.0 + 3.0 * (number % 40)),
            )
        ),
        Duplicate((racks[0],), (0.0, 60.0 + 3.0 * (number % 40))),
        DrainNodes((node,)),
        SetProperty(("",), "title", f"Another hall {number}"),
    )
    return draw.choice(kinds)


def main(scene: str, count: int) -> int:
    """Return the exit code of the app."""
    from twin.cli.scene import scene_path

    path = scene_path(scene)
    private_application()
    phases = PhaseTimer()
    for phase, places in PHASES.items():
        phases.watch(phase, *places)
    typists: list[_Typist] = []

    def standing(window: MainWindow) -> None:
        typists.append(_Typist(window, phases, count, lambda: running(window)))
        typists[0].begin()

    def running(window: MainWindow) -> None:
        same = typists[0].undo()
        window.session.play()
        typists.append(_Typist(window, phases, count, lambda: end(window, same)))
        typists[1].begin()

    def end(window: MainWindow, same: bool) -> None:
        for name, typist in zip(("At t = 0", "While the run goes on"), typists, strict=True):
            print(table(name, typist.timed), flush=True)
            print(slowest(typist.timed), flush=True)
        still, live = (summary(typist.timed) for typist in typists)
        print(json.dumps({**still, "undone_to_the_byte": same, "running": live}), flush=True)
        window.editing.file.asks = False
        window.close()

    return open_window(path, lambda window: True, standing)


class _Typist:
    """Does one command after another, each when the picture of the last was drawn."""

    def __init__(self, window: MainWindow, phases: PhaseTimer, count: int, ended: Callable[[], None]) -> None:
        from PySide6.QtCore import QTimer

        self._window, self._phases, self._count, self._ended = window, phases, count, ended
        self._draw = random.Random(1)
        self.timed: list[Timed] = []
        self._now: Timed | None = None  # the edit whose picture is not drawn yet
        self._landed = False
        self._since_wall_s = self._since_cpu_s = 0.0
        self._last: Timed | None = None  # the edit done last, perhaps not answered yet
        self._tried = 0
        self._text = window.session.draft.file.text if window.session.draft is not None else ""
        self._next = QTimer(window)
        self._next.setSingleShot(True)
        self._next.timeout.connect(self._do)
        window.hall.view.canvas.events.draw.connect(self._on_draw)
        window.editing.editor.foreseen.connect(self._on_shown, priority=1)  # before the window draws it
        window.editing.editor.landed.connect(self._on_landed)
        window.editing.editor.refused.connect(self._on_refused)

    def begin(self) -> None:
        """Wait for a still window, then begin."""
        self._next.start(_STILL_MS)

    def undo(self) -> bool:
        """Take everything back; return whether the text is as it was, to the byte."""
        editor, draft = self._window.editing.editor, self._window.session.draft
        while draft is not None and draft.done:
            editor.undo()
        return draft is not None and draft.file.text == self._text

    def _do(self) -> None:
        session = self._window.session
        if self._window.editing.editor.busy:
            self._next.start(_BETWEEN_MS)
            return
        if self.timed and self._now is None and not self.timed[-1].after_ms:
            self.timed[-1].after_ms = 1e3 * (thread_time() - self._since_cpu_s)
        if self._tried == self._count or session.plant is None or session.finished:
            self._end()
            return
        self._tried += 1
        command = random_command(self._draw, session.plant, self._tried)
        self._phases.take()
        self._now = self._last = Timed(type(command).__name__, command.title)
        self._landed = False
        self._since_wall_s, self._since_cpu_s = perf_counter(), thread_time()
        self._window.editing.editor.do(command)

    def _on_shown(self, _proposal: object) -> None:
        if self._now is not None:
            self._landed = True
            self._window.hall.view.canvas.update()

    def _on_landed(self, proposal: object) -> None:
        if self._last is not None:
            self._last.answer_ms = 1e3 * (perf_counter() - self._since_wall_s)
        self._on_shown(proposal)

    def _on_refused(self, *_why: str) -> None:
        self._now = self._last = None
        self._next.start(0)

    def _on_draw(self, _event: object) -> None:
        from PySide6.QtCore import QTimer

        if self._now is not None and self._landed:
            now, self._now = self._now, None
            QTimer.singleShot(0, lambda: self._drawn(now))  # behind the drawing itself

    def _drawn(self, now: Timed) -> None:
        now.cpu_ms = 1e3 * (thread_time() - self._since_cpu_s)
        now.wall_ms = 1e3 * (perf_counter() - self._since_wall_s)
        now.phases = {phase: 1e3 * spent_s for phase, spent_s in self._phases.take().items()}
        self.timed.append(now)
        self._since_cpu_s = thread_time()
        self._next.start(_BETWEEN_MS)

    def _end(self) -> None:
        editor = self._window.editing.editor
        self._window.hall.view.canvas.events.draw.disconnect(self._on_draw)
        editor.foreseen.disconnect(self._on_shown)
        editor.landed.disconnect(self._on_landed)
        editor.refused.disconnect(self._on_refused)
        self._ended()


def summary(timed: list[Timed]) -> dict[str, float]:
    """Return the figures of many edits [ms]."""
    wall = [edit.wall_ms for edit in timed]
    cpu = [edit.cpu_ms for edit in timed]
    after = [edit.after_ms for edit in timed]
    answer_p50, answer_p99 = np.percentile([edit.answer_ms for edit in timed], [50, 99]).tolist()
    p50, p99 = np.percentile(wall, [50, 99]).tolist()
    cpu_p50, cpu_p99 = np.percentile(cpu, [50, 99]).tolist()
    return {
        "p50_ms": p50,
        "p99_ms": p99,
        "max_ms": max(wall),
        "over_goal": sum(spent_ms > GOAL_MS for spent_ms in wall),
        "answer_p50_ms": answer_p50,
        "answer_p99_ms": answer_p99,
        "cpu_p50_ms": cpu_p50,
        "cpu_p99_ms": cpu_p99,
        "cpu_max_ms": max(cpu),
        "after_cpu_max_ms": max(after),
        "done": len(timed),
    }


def table(title: str, timed: list[Timed]) -> str:
    """Return the CPU time of the GUI thread by kind of command, and by phase [ms]."""
    phases = [*PHASES, *sorted({phase for edit in timed for phase in edit.phases} - set(PHASES))]
    heads = ["edits", "p50", "max", *phases, "after"]
    widths = [max(len(head), 6) for head in heads]
    lines = [title, " ".join([f"{'':<14}", *(f"{h:>{w}}" for h, w in zip(heads, widths, strict=True))])]
    for kind in [*sorted({edit.kind for edit in timed}), ""]:
        of_kind = [edit for edit in timed if kind in ("", edit.kind)]
        cpu = [edit.cpu_ms for edit in of_kind]
        figures = [
            f"{len(of_kind):d}",
            f"{np.median(cpu):.1f}",
            f"{max(cpu):.1f}",
            *(f"{np.mean([edit.phases.get(phase, 0.0) for edit in of_kind]):.1f}" for phase in phases),
            f"{np.mean([edit.after_ms for edit in of_kind]):.1f}",
        ]
        cells = (f"{figure:>{width}}" for figure, width in zip(figures, widths, strict=True))
        lines.append(" ".join([f"{kind or 'all':<14}", *cells]))
    return "\n".join([*lines, ""])


def slowest(timed: list[Timed]) -> str:
    """Return the edits that took longest by a clock, and the CPU time of each of their phases [ms]."""
    over = sum(edit.wall_ms > GOAL_MS for edit in timed)
    lines = [f"{over} of {len(timed)} edits took longer than {GOAL_MS:.0f} ms; the slowest:"]
    for number, edit in sorted(enumerate(timed, 1), key=lambda each: -each[1].wall_ms)[:_SLOWEST]:
        spent = sorted(edit.phases.items(), key=lambda each: -each[1])
        parts = ", ".join(f"{phase} {spent_ms:.1f}" for phase, spent_ms in spent if spent_ms >= 0.05)
        waited_ms = edit.wall_ms - edit.cpu_ms
        lines.append(f"{edit.wall_ms:6.1f} edit {number} {edit.title}: {parts}, waiting {waited_ms:.1f}")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
