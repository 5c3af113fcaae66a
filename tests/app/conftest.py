"""The real window on a real display, with a check that nothing of it is left afterwards."""

from __future__ import annotations

import gc
import logging
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

# Before the application of pytest-qt is made, as `start.run_app` does it.
QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)

_SCENES = Path(__file__).parents[2] / "scenes"


def workers() -> list[psutil.Process]:
    """Return the worker processes of this test process."""
    return [child for child in psutil.Process().children() if "spawn_main" in " ".join(child.cmdline())]


class _Errors(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(self.format(record))


@pytest.fixture
def lab() -> Path:
    """The smallest scene: it is built at once, and a GPU fails at nine in the morning."""
    return _SCENES / "lab-16.twin.yaml"


@pytest.fixture
def find_workers() -> Callable[[], list[psutil.Process]]:
    """Return the function that lists the worker processes."""
    return workers


@pytest.fixture
def make_window(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., object]]:
    """Return a factory of shown windows; afterwards no widget, no process and no vispy error may be left."""
    from twin.app.look import Look
    from twin.app.main_window import MainWindow
    from twin.app.session import Session
    from twin.app.settings import Settings

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    before = set(app.topLevelWidgets())
    errors = _Errors()
    logging.getLogger("vispy").addHandler(errors)
    gc.disable()
    made: list[tuple[MainWindow, Look]] = []

    def make(scene: Path | None = None) -> MainWindow:
        settings = Settings(tmp_path / "settings.ini")
        look = Look(app, "dark")
        window = MainWindow(look, Session(), settings)
        made.append((window, look))
        window.resize(1400, 900)
        window.show()
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)  # keys act only in the active window
        if scene is not None:
            assert window.files.open(scene)
            qtbot.waitUntil(lambda: window.session.frame is not None or window.session.lost, timeout=30_000)
            assert not window.session.lost, [note.trouble for note in window.notifications.notes]
        return window

    yield make

    windows = [weakref.ref(window) for window, _ in made]
    while made:
        window, look = made.pop()
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
