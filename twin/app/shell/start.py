"""Starting the app: what must be decided before Qt is imported, the first picture soon, no silent crash."""

from __future__ import annotations

import gc
import logging
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from twin.language import FOLDER, tr
from twin.report.platform_choice import decide_platform

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from twin.app.session.session import Session
    from twin.app.shell.main_window import MainWindow

_LOG = logging.getLogger(__name__)


def run_app(
    path: str | Path | Callable[[], Path] | None = None,
    *,
    seed: int | None = None,
    play: bool = True,
    speed: float | None = None,
    exit_after_s: float | None = None,
    picture: str | Path | None = None,
) -> int:
    """Open the window and stay until it is closed.

    Parameters
    ----------
    path
        Scene or run file to open, or what finds it while the worker starts, and raises what is wrong with it; None: the
        last one, or the welcome page when there is none.
    seed
        Of all random draws; None: the scene's own.
    play
        Whether the run begins to move at once; where unsaved work was left behind, when that is discarded.
    speed
        Ratio to real time; None: the window's default.
    exit_after_s
        Close by itself after so many wall seconds [s].
    picture
        Save a picture of the whole window there just before it closes by itself.

    Returns
    -------
    int
        0 when the window was closed, 2 when `path` cannot be opened and nothing else is to be done.
    """
    gc.disable()  # until there is a window, whose thread collects: what is loaded stays
    decide_platform()
    from PySide6.QtCore import QCoreApplication, Qt, QTimer
    from PySide6.QtGui import QGuiApplication
    from PySide6.QtWidgets import QApplication

    from twin.app.shell.crash_guard import make_errors_whole
    from twin.runtime.client import Client

    make_errors_whole()  # before the classes of the window are defined
    client = Client()
    client.start()  # the worker loads the engine while this process reads the scene, and loads Qt and OpenGL
    with ExitStack() as unless_found:
        unless_found.callback(gc.enable)
        unless_found.callback(client.give_up)
        path = path() if callable(path) else path
        unless_found.pop_all()
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    QCoreApplication.setApplicationName("gpu-twin")
    QGuiApplication.setDesktopFileName("gpu-twin")
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else QApplication(sys.argv[:1])

    from twin.app.session.session import Session
    from twin.app.toolkit.settings import UserSettings

    settings = UserSettings()
    chosen = Path(path) if path is not None else next(iter(settings.recent), None)
    session = Session(client)
    is_open = chosen is not None and _open_early(session, chosen, seed)

    from twin.app.shell.gui_thread_gc import GuiCollector
    from twin.app.shell.main_window import MainWindow
    from twin.app.toolkit.look import Look
    from twin.app.toolkit.problem_notice import Trouble
    from twin.record.state_folder import prune_runs, pruned_words

    translate_qt(app)
    look = Look(app, settings.theme, settings.text_scale)
    app.setWindowIcon(look.icon("logo", "accent"))
    if speed is not None:
        session.set_speed(speed)
    window = MainWindow(look, session, settings)
    hook = ExceptionHook(window)
    collector = GuiCollector(app, window.hall.picture_due)
    window.show()
    code = 0

    def begin() -> None:
        if chosen is not None and is_open:
            window.files.take_over(chosen)
            session.poll()  # the run may stand already: then the first picture shows it
        elif chosen is not None and not window.files.open(chosen, seed) and exit_after_s is not None:
            refuse()
        collector.start()
        if exit_after_s is None:
            if gone := prune_runs():
                window.notifications.warn(Trouble(tr("Old recordings were deleted"), pruned_words(gone)))
            window.editing.offer_recovery(go)
            window.lessons.offer()
        else:  # nobody is there to be asked
            go()

    def go() -> None:
        """Let what was opened move from its start, unless a person has opened another or let it move meanwhile."""
        still = session.path == chosen and session.shown_s == 0.0
        if play and chosen is not None and still and window.files.opener_of(chosen) is None:
            session.play()

    def refuse() -> None:
        nonlocal code
        code = 2
        window.editing.file.asks = False
        window.close()

    def finish() -> None:
        if picture is not None:
            window.grab().save(str(picture))
        window.editing.file.asks = False
        window.close()

    if exit_after_s is not None and path is not None:
        session.unplayable.connect(refuse)
    QTimer.singleShot(0, window, begin)
    if exit_after_s is not None:
        QTimer.singleShot(round(exit_after_s * 1000), window, finish)
    app.exec()
    collector.stop()
    hook.remove()
    look.close()
    return code


def translate_qt(app: QApplication) -> bool:
    """Let buttons and menus of Qt's own speak the language of the system; return whether Qt has a translation."""
    from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator

    translator = QTranslator(app)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    found = bool(os.environ.get(FOLDER)) and translator.load(QLocale(), "qtbase", "_", folder)
    return found and app.installTranslator(translator)


def _open_early(session: Session, path: Path, seed: int | None) -> bool:
    """Open a scene while there is no window yet: the worker builds the run while this process loads the rest."""
    from twin.app.session.recording import is_recording
    from twin.app.session.scene_errors import SCENE_ERRORS
    from twin.record.state_folder import LESSON_SUFFIX

    if is_recording(path) or path.name.endswith(LESSON_SUFFIX):
        return False  # there is no run to be built meanwhile
    try:
        session.open(path, seed)
    except SCENE_ERRORS:
        return False  # opened again with the window, which says what is wrong
    return True


class ExceptionHook:
    """Shows in the window what no handler caught, and logs it."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self._before = sys.excepthook
        sys.excepthook = self._on_exception

    def remove(self) -> None:
        """Put back the hook that was there before."""
        sys.excepthook = self._before

    def _on_exception(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        from twin.app.toolkit.problem_notice import Trouble

        detail = "".join(traceback.format_exception(kind, error, trace))
        _LOG.error("not caught: %s", detail)
        if issubclass(kind, KeyboardInterrupt):
            self._window.close()
            return
        self._window.notifications.warn(Trouble(tr("Unexpected error"), f"{kind.__name__}: {error}", detail))
