"""The real window on a real display, with a check that nothing of it is left afterwards."""

from __future__ import annotations

import functools
import gc
import logging
import shutil
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest
from patience import wait_until
from patient_bot import PatientBot
from PySide6.QtCore import QByteArray, QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog
from ready_processes import COARSE, ready_processes

if TYPE_CHECKING:
    from twin.app.shell.main_window import MainWindow

MakeWindow = Callable[..., "MainWindow"]

# Before the application of pytest-qt is made, as `start.run_app` does it.
QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)

_SCENES = Path(__file__).parents[2] / "scenes"
_WAIT_OF_QT = QTest.qWait
"""vispy puts a busy loop in its place, in which what is to be deleted later never is."""
_STOOD: weakref.WeakKeyDictionary[MainWindow, QByteArray] = weakref.WeakKeyDictionary()
"""How the docks of a window stood when the test before had opened its scene: mostly they still do."""


def workers() -> list[psutil.Process]:
    """Return the worker processes of this test process, which `ready_processes` forks from a server of its own."""
    me, alive = psutil.Process(), []
    for child in me.children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # it has just ended, or is a zombie
            forked = "forkserver" in " ".join(child.cmdline()) and child.ppid() != me.pid
            if forked or "spawn_main" in " ".join(child.cmdline()):
                alive.append(child)
    return alive


@pytest.fixture(scope="module", autouse=True)
def _ready_processes() -> Iterator[None]:
    with ready_processes():
        yield


@pytest.fixture(scope="module")
def coarse_workers() -> Iterator[None]:
    """Let worker processes record few samples: for modules that look at runs, not at how they are sampled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(COARSE, "1")
        yield


class _Errors(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(self.format(record))


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> PatientBot:
    """Return pytest-qt's bot, with patience: a loaded machine may take its time."""
    return PatientBot(request)


@pytest.fixture
def lab() -> Path:
    """The smallest scene: it is built at once, and a GPU fails at nine in the morning."""
    return _SCENES / "lab-16.twin.yaml"


@pytest.fixture
def my_lab(lab: Path, tmp_path: Path) -> Path:
    """The same as a scene of the person's own, with what is made of it beside it."""
    path = tmp_path / "my-lab.twin.yaml"
    shutil.copy(lab, path)
    return path


@pytest.fixture
def find_workers() -> Callable[[], list[psutil.Process]]:
    """Return the function that lists the worker processes."""
    return workers


@contextmanager
def _windows(app: QApplication, folder: Path) -> Iterator[MakeWindow]:
    """Yield a factory of shown windows; afterwards no widget, no process and no vispy error may be left."""
    from twin.app.session.session import Session
    from twin.app.shell.main_window import MainWindow
    from twin.app.toolkit.look import Look
    from twin.app.toolkit.settings import UserSettings
    from twin.view3d.gl.antialias import StillBuffer

    before = set(app.topLevelWidgets())
    errors = _Errors()
    logging.getLogger("vispy").addHandler(errors)
    gc.disable()
    gc.freeze()  # what is there by now is not looked through again when a window goes
    made: list[tuple[MainWindow, Look]] = []

    def make(scene: Path | None = None) -> MainWindow:
        look = Look(app, "dark")
        window = MainWindow(look, Session(), UserSettings(folder / "settings.ini"))
        made.append((window, look))
        QTest.qWait = _WAIT_OF_QT  # type: ignore[method-assign]
        window.resize(1400, 900)
        window.show()
        window.activateWindow()
        _wait(window.isActiveWindow)  # keys act only in the active window
        if scene is not None:
            _open(window, scene)
        return window

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))
        patch.delenv("TWIN_STATE_DIR", raising=False)  # it would go before that
        # Smooth edges are looked at in tests/view3d: here each picture at rest would take twice as long.
        patch.setattr(StillBuffer, "available", staticmethod(lambda: False))
        yield make

    windows = [weakref.ref(window) for window, _ in made]
    while made:
        window, look = made.pop()
        if window.session.draft is not None:
            window.session.draft.mark_saved()
        window.editing.file.asks = False  # nobody is there to be asked
        window.close()
        window.deleteLater()
        look.close()
        del window, look
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.enable()
    gc.collect()
    left = [widget for widget in set(app.topLevelWidgets()) - before if widget.isVisible()]
    logging.getLogger("vispy").removeHandler(errors)
    assert not left, left
    assert not [window for window in windows if window() is not None], "a closed window is still held"
    assert not workers()
    assert not errors.texts, errors.texts


def _wait(until: Callable[[], bool]) -> None:
    wait_until(until, "the window does not come to it", rest=lambda: QTest.qWait(5))


def _open(window: MainWindow, scene: Path) -> None:
    session = window.session
    assert window.files.open(scene)
    _wait(lambda: session.frame is not None or session.lost)
    assert not session.lost, [note.trouble for note in window.notifications.notes]


@pytest.fixture
def make_window(qapp: QApplication, tmp_path: Path) -> Iterator[MakeWindow]:
    """Return a factory of windows for this test alone: of how a window begins and ends."""
    with _windows(qapp, tmp_path) as make:
        yield make


@pytest.fixture(scope="module")
def _window_of_module(
    qapp: QApplication, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[], MainWindow]]:
    with _windows(qapp, tmp_path_factory.mktemp("window")) as make:
        window = functools.cache(make)
        yield window
        window.cache_clear()


@pytest.fixture
def use_window(_window_of_module: Callable[[], MainWindow]) -> MakeWindow:
    """Return what opens a scene in the one window of the module, which is then as it is at first."""

    def use(scene: Path) -> MainWindow:
        window = _window_of_module()
        _put_back(window)
        _open(window, scene)
        _STOOD[window] = window.saveState()
        return window

    return use


@pytest.fixture
def window(
    request: pytest.FixtureRequest, _window_of_module: Callable[[], MainWindow], lab: Path
) -> Iterator[MainWindow]:
    """The one window of the module with the smallest scene in it, as the test before left it."""
    window = _window_of_module()
    if window.session.path != lab:
        _open(window, lab)
    yield window
    del window
    request.node.funcargs.clear()  # pytest keeps what the last test was given until after the window is gone


def _put_back(window: MainWindow) -> None:
    """Undo what a test before may have done to the view: none of it belongs to the scene."""
    from twin.app.jobs.events import EventFilter as Lines
    from twin.app.jobs.model import JobFilter as Jobs
    from twin.app.monitor.events_dock import FIRST_SHOWN
    from twin.app.session.session import DEFAULT_SPEED
    from twin.view3d.base.state import ViewState

    if window.session.draft is not None:
        window.session.draft.mark_saved()  # nobody is there to be asked
    window.session.pause()
    window.session.set_speed(DEFAULT_SPEED)
    for dialog in window.findChildren(QDialog):
        dialog.close()
    for note in window.notifications.notes:
        note.dismiss()
    window.resize(1400, 900)
    window.show_hall()
    if window.saveState() != _STOOD.get(window):
        window.menus.execute("window.reset_layout")
    window.menus.execute("window.theme_dark")
    state, first, docks = window.hall.state, ViewState(), window.docks
    state.colour_by, state.cables_by, state.layers = first.colour_by, first.cables_by, first.layers
    state.tiles_by = first.tiles_by
    state.selection, state.focus_job = (), None
    docks.inspector.show_thing(None)
    docks.events.search.clear()
    docks.events.severity_buttons[FIRST_SHOWN].click()
    docks.jobs.search.clear()
    docks.jobs.which_buttons[Jobs.ALL].click()
    docks.job.which_buttons[Lines.ALL].click()
    docks.queue.colour_buttons["job"].click()
    window.activateWindow()
    _wait(window.isActiveWindow)


@pytest.fixture
def open_rows(use_window: MakeWindow, tmp_path: Path) -> Iterator[MakeWindow]:
    """Racks at x = 3.3 to 5.1 on the lines y = 3.6 (fronts to -y) and y = 7.8 (fronts to +y), seen from -y."""
    from tests.app.placing_hands import SCENE, look_at_rows  # it needs Qt as it is set up above

    made: list[MainWindow] = []

    def make() -> MainWindow:
        scene = tmp_path / "rows.twin.yaml"
        scene.write_text(SCENE)
        made.append(use_window(scene))
        look_at_rows(made[0])
        return made[0]

    yield make
    editing = made[0].editing
    made.pop().tools.place.cancel()
    editing.editor.locked = False
    assert editing.editor.draft is not None
    editing.editor.draft.mark_saved()  # nobody is there to be asked
