"""Does one random act after another in a window, looks after each at what must hold, and weighs what is kept.

What is weighed is a fixed state, so that only what should have gone can differ. Three things are kept on purpose, each
with a bound, and are brought to the same before: Qt's pictures of icons (10 MiB), by a change of theme there and back;
the buffers of the last drag, as large as the hall was then (14 MiB in a large window), and what docks out of sight
still know of the last scene, by another scene in between. Where a thing is made when it is first asked for and stays,
it is loaded beforehand where that is possible (code, units); programs of GL are made at their first drawing, which
with llvmpipe takes about a MiB each, so the first weighings do not count.

The memory of the window is held to the bound twice: as the system counts it after `malloc_trim`, holes and all, and as
what its two heaps say is in use. Its worker runs simulations of all sizes, so that its holes are a matter of the
largest run and of chance: it is held to the second alone, and the first is told.
"""

from __future__ import annotations

import gc
import logging
import random
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from psygnal import EmitLoopError
from PySide6.QtCore import QEventLoop, QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication, QFileDialog

from tests.app.monkey_attendant import Attendant
from tests.app.monkey_hands import Hands, copies
from tests.app.monkey_held import held_bytes, held_mib
from tests.app.monkey_level import Growth, Level, gl_objects, growths, kinds, known_items, qt_kinds
from twin.runtime.memory import give_back
from twin.runtime.protocol import Died, Failed
from twin.view3d.base.state import ViewState

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow
    from twin.commands.edit.draft import Draft

SCENES = ("lab-16", "nvl72-row", "shared-cluster", "superpod-h100")
WARM_UP = 4_000
"""Acts after which caches are full and windows were open once: memory is compared with what it was then."""
MOST_GROWTH = 0.05
_MEASURE_EVERY = 1_000
_MOST_KINDS = 24
_STILL_MS = 12
_TURN_MS = 5
_BLOCKED_MS = 40
_ODD_NOTES = (
    "Unexpected error",
    "Drawing error",
    "The simulation stopped",
    "Journal not written",
)
_SUSPECT = (
    "Error",
    "index ",
    "out of range",
    "NoneType",
    "not in list",
    "unhashable",
    "broadcast",
    "ndarray",
)
"""Words of a reason that no person should read: they are a fault of the program."""


class WentWrong(Exception):
    """What must never happen has happened."""


class Monkey:
    """Acts in a window.

    Parameters
    ----------
    folder
        For scenes that may be written over.
    tell
        Is told each act before it is done: after a crash the last one told is the culprit.
    """

    def __init__(
        self,
        window: MainWindow,
        folder: Path,
        seed: int,
        names: tuple[str, ...] = SCENES,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.window, self.seed, self._tell = window, seed, tell
        self.scenes = copies(names, folder)
        self._folder = folder
        self.hands = Hands(window, self.scenes)
        self.attendant = Attendant(self.hands, window)
        self.wrong: list[str] = []
        self.warnings: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self.landed = self.undone_all = 0
        self.acting = False
        self.number = 0
        self._bases: tuple[Draft, str] | None = None
        self.levels: list[Level] = []
        editor, session = window.editing.editor, window.session
        editor.refused.connect(self._on_refused)
        editor.landed.connect(self._on_landed)
        session.cannot_begin.connect(self._on_cannot_begin)
        session.opened.connect(self._on_opened)
        self._hear = session.client.poll
        session.client.poll = self._poll  # type: ignore[method-assign]

    # -- one act after another ----

    def run(self, count: int, first: int = 0) -> int:
        """Do acts `first` to `count`; raises WentWrong with what and when."""
        if not first:
            self.window.files.open(self.scenes[0])
        for number in range(first, count):
            self.number = number
            words = self.step(number)
            if self.wrong:
                raise WentWrong(f"act {number} ({words}):\n" + "\n".join(self.wrong))
            if number and number % _MEASURE_EVERY == 0:
                print(
                    self.measure(number),
                    *(f"  {n:+,} {kind}" for kind, n in self.grown()),
                    sep="\n",
                    flush=True,
                )
        return count

    def step(self, number: int) -> str:
        """Do one act and look at what came of it."""
        draw = random.Random(f"{self.seed} {number}")
        self.attendant.draw = draw
        words = ""
        try:
            self._tell(f"{number}")
            self.acting = True
            words = self.hands.act(draw)
            self.acting = False
            self._tell(f"{number} {words}")
            rest(_STILL_MS)
            if draw.random() < 0.02:
                self._undo_all()
        except Exception as error:  # noqa: BLE001 - whatever it is, it should not be
            self.wrong.append(_told(error))
        self.acting = False
        self._look()
        return words

    def _look(self) -> None:
        for note in self.window.notifications.notes:
            trouble = note.trouble
            if trouble.title in _ODD_NOTES:
                self.wrong.append(f"{trouble.title}: {trouble.text}\n{trouble.detail}")
                note.dismiss()
        if self.window.session.lost:
            self.wrong.append("the worker is gone")
            self.window.session.resume()

    def _undo_all(self) -> None:
        """Before a run begins, undoing all gives the file back to the byte, and redoing all the work."""
        editor, draft = self.window.editing.editor, self.window.editing.editor.draft
        if (
            draft is None
            or editor.why_not()
            or editor.live
            or self.window.session.looking_s is not None
            or self._bases is None
            or self._bases[0] is not draft
        ):
            return
        if draft.file.scenario.edits or any(step.title.startswith("Fold") for step in draft.done):
            return  # made while it ran: those are taken back by other edits
        text, count = draft.file.text, len(draft.done)
        while draft.done and editor.undo():
            pass
        if draft.file.text != self._bases[1]:
            raise WentWrong(f"{count} steps undone: the file is not as it was\n{draft.file.text}")
        while len(draft.done) < count and editor.redo():
            pass
        if draft.file.text != text:
            raise WentWrong(f"{count} steps done again: the file is not as it was")
        self.undone_all += 1

    # -- what is said meanwhile ----

    def _poll(self) -> list[Any]:
        """Hear the worker's last words also when they are of a scene that is put away."""
        messages = self._hear()
        for one in messages:
            words = one.last_words if isinstance(one, Died) else one
            if not isinstance(words, Failed) or not words.traceback:
                continue
            if "in _load" not in words.traceback or any(word in words.message for word in _SUSPECT):
                self.wrong.append(f"the worker failed: {words.message}\n{words.traceback}")
        return messages

    def _on_opened(self, _path: object) -> None:
        draft = self.window.session.draft
        if draft is not None and (self._bases is None or self._bases[0] is not draft):
            self._bases = (draft, draft.file.text) if not draft.done else None

    def _on_landed(self, _proposal: object) -> None:
        self.landed += 1

    def _on_refused(self, title: str, reason: str) -> None:
        self._reason(f"{title}: {reason}")

    def _on_cannot_begin(self, reason: str) -> None:
        if reason:
            self._reason(f"cannot begin: {reason}")

    def _reason(self, reason: str) -> None:
        self.reasons[reason] += 1
        if any(word in reason for word in _SUSPECT):
            self.wrong.append(f"a reason no person can act on: {reason}")

    def on_qt(self, kind: QtMsgType, _context: object, message: str) -> None:
        """Take what Qt says."""
        if kind in (QtMsgType.QtCriticalMsg, QtMsgType.QtFatalMsg):
            print(f"Qt: {message}", file=sys.stderr, flush=True)  # a fatal one is the last word
            self.wrong.append(f"Qt: {message}")
        else:
            self.warnings[message] += 1

    def on_exception(self, _kind: type[BaseException], error: BaseException, _trace: Any) -> None:
        """Take what no handler caught."""
        self.wrong.append(_told(error))

    # -- how much is held ----

    def measure(self, number: int) -> Level:
        """Go by way of the second scene to the first as it was shipped, close all that can be closed, and weigh it.

        Every weighing is of the same state: one scene newly opened at t = 0, one workspace as it is laid out at
        first, one size, layers and colours as at first, nothing selected, no dialog, no note. What is freed but still
        kept by the C library is given back to the system first, here as in the worker, which does so with each scene:
        holes in its heap are no leak.
        """
        window, session = self.window, self.window.session
        session.pause()
        window.editing.editor.locked = False
        self._close_all()
        window.tools.place.cancel()
        window.resize(1400, 900)
        for id in ("window.theme_light", "window.theme_dark", "view.text_usual"):
            window.menus.execute(id)
        # What is drawn stays with the person, whatever is opened.
        shown, at_first = window.hall.state, ViewState()
        shown.layers, shown.colour_by = at_first.layers, at_first.colour_by
        shown.cables_by, shown.traffic = at_first.cables_by, at_first.traffic
        shown.tiles_by = at_first.tiles_by
        for scene in reversed(self.scenes[:2]):
            window.files.open(self.hands.fresh(scene), ask=False)
            wait(lambda: session.frame is not None or session.lost)
        window.menus.execute("view.workspace_run")
        self._fill()
        window.menus.execute("window.reset_layout")
        for place in ("top", "close", "overview"):  # what is first drawn from near, or in motion, is made now
            window.hall.view.preset(place, animate=False)
            window.hall.view.grab()
            rest(300)
            window.hall.view.grab()
        for _ in range(4):
            rest(100)
            gc.collect()
        give_back()
        process = psutil.Process()
        mib = 2.0**20
        workers = [one for one in process.children(recursive=True) if "spawn_main" in " ".join(one.cmdline())]
        level = Level(
            number,
            process.memory_info().rss / mib,
            held_bytes() / mib,
            sum(one.memory_info().rss for one in workers) / mib,
            sum(held_mib(one.pid) or one.memory_info().rss / mib for one in workers),
            gl_objects(window),
            qt_kinds(window).total(),
            len(gc.get_objects()),
            kinds(window),
        )
        if known := known_items():
            self.wrong.append(f"items of layouts that Python knows, and Qt may free: {known}")
        self.levels.append(level)
        return level

    def _close_all(self) -> None:
        """Close what is open beside the window; by itself, for its last variable would keep a dialog with two halls."""
        while QApplication.activePopupWidget() is not None:
            QApplication.activePopupWidget().close()
        for dialog in self.hands.dialogs():
            dialog.close()
        for note in self.window.notifications.notes:
            note.dismiss()

    def _fill(self) -> None:
        """Let all that keeps what it last showed show the same: the first job, the scene, its properties."""
        window, inspector = self.window, self.window.docks.inspector
        window.planner.open("llama3")
        rest(100)
        window.planner.close()
        window.docks.show("outliner")
        rest(100)
        window.docks.show("inspector")
        window.hall.state.selection = ()
        inspector.show_thing(None)
        for page in ("properties", "facts"):
            inspector.show_page(page)
            rest(100)

    def leaks(self) -> list[Growth]:
        """Return what grows too much after the warm-up."""
        return [one for one in self.growths() if one.share > MOST_GROWTH]

    def growths(self) -> list[Growth]:
        """Return how all that is weighed grows after the warm-up."""
        return growths([level for level in self.levels if level.act >= WARM_UP])

    def grown(self) -> list[tuple[str, int]]:
        """Return the classes of which there are more than after the warm-up, and how many more."""
        levels = [level for level in self.levels if level.act >= WARM_UP]
        if len(levels) < 2:
            return []
        return (levels[-1].kinds - levels[0].kinds).most_common(_MOST_KINDS)

    def report(self) -> str:
        """Return what was done and found, for a person."""
        lines = [
            f"seed {self.seed}: {self.number + 1:,} acts, {self.landed:,} edits landed, "
            f"{sum(self.reasons.values()):,} refused, undone to the byte {self.undone_all} times",
            *(f"  {level}" for level in self.levels),
            *(f"  {one}" for one in self.growths()),
            *(f"  LEAK of {one.what}" for one in self.leaks()),
            *(f"  more than after the warm-up: {count:+,} {kind}" for kind, count in self.grown()),
            *(f"  {count:4} x refused: {reason[:160]}" for reason, count in self.reasons.most_common(25)),
            *(f"  {count:4} x Qt: {words[:160]}" for words, count in self.warnings.most_common(12)),
        ]
        return "\n".join(lines)


def _told(error: BaseException) -> str:
    """Return an error with the way to it, without the many words of signals it passed through."""
    while isinstance(error, EmitLoopError) and error.__cause__ is not None:
        error = error.__cause__
    return "".join(traceback.format_exception(error))


def wait(until: Callable[[], bool], most_ms: int = 300_000) -> None:
    """Let the window work until something holds."""
    for _ in range(most_ms // _TURN_MS):  # not by the clock: a machine that sleeps meanwhile is not slow
        if until():
            return
        rest(_TURN_MS)
    raise WentWrong("the window does not come to it:\n" + "".join(traceback.format_stack(limit=4)))


def rest(ms: int) -> None:
    """Let the window work, in a loop as the program's own: only such a one deletes what is to be deleted later."""
    loop = QEventLoop()
    QTimer.singleShot(ms, loop, loop.quit)
    loop.exec()


@contextmanager
def watched(monkey: Monkey) -> Iterator[None]:
    """Watch all that can go wrong; answer what blocks; choose files instead of a person."""

    class Log(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            monkey.wrong.append(self.format(record))

    hook, log = sys.excepthook, Log(logging.ERROR)
    sys.excepthook = monkey.on_exception
    logging.getLogger("vispy").addHandler(log)
    former = qInstallMessageHandler(monkey.on_qt)
    opens, saves = QFileDialog.getOpenFileName, QFileDialog.getSaveFileName
    folders = QFileDialog.getExistingDirectory
    folder, draw = monkey.scenes[0].parent, monkey.attendant

    def chosen(*_args: object, **_kwargs: object) -> tuple[str, str]:
        return (str(draw.draw.choice(monkey.scenes)), "") if draw.draw.random() < 0.6 else ("", "")

    def saved(_parent: object, title: str, name: str, *_rest: object, **_kwargs: object) -> tuple[str, str]:
        to = folder / f"saved-{draw.draw.randint(0, 2)}{''.join(Path(name).suffixes)}"
        return (str(to), "") if draw.draw.random() < 0.7 else ("", "")

    def folder_or_none(*_args: object, **_kwargs: object) -> str:
        return str(folder) if draw.draw.random() < 0.6 else ""

    QFileDialog.getOpenFileName = staticmethod(chosen)  # type: ignore[method-assign, assignment]
    QFileDialog.getSaveFileName = staticmethod(saved)  # type: ignore[method-assign, assignment]
    QFileDialog.getExistingDirectory = staticmethod(folder_or_none)  # type: ignore[method-assign, assignment]
    timer = QTimer()
    # Time passes within an act only when it waits in a loop of its own.
    timer.timeout.connect(lambda: draw.attend() if monkey.acting else None)
    timer.start(_BLOCKED_MS)
    try:
        yield
    finally:
        timer.stop()
        QFileDialog.getOpenFileName, QFileDialog.getSaveFileName = opens, saves  # type: ignore[method-assign]
        QFileDialog.getExistingDirectory = folders  # type: ignore[method-assign]
        qInstallMessageHandler(former)
        logging.getLogger("vispy").removeHandler(log)
        sys.excepthook = hook
        monkey.window.removeEventFilter(monkey.attendant)
