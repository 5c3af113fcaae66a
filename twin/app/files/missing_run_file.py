"""The file of the run on screen is deleted, moved away or replaced: that is told once, with what can still be done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from psygnal import Signal
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QFileDialog, QMainWindow

from twin.app.files.files import Files
from twin.app.session.recording import SUFFIX
from twin.app.session.session import Session
from twin.app.toolkit.notifications import Note, Notifications
from twin.app.toolkit.problem_notice import Trouble
from twin.language import tr
from twin.record.runfile import RunFileError

PERIOD_MS = 1000
PATIENCE = 2
"""So many looks in a row must miss a file: programs that save move one aside for a moment."""
KEEP = tr("Keep a copy \N{HORIZONTAL ELLIPSIS}")
Identity = tuple[int, int]


class GoneFile(QObject):
    """Looks about once a second whether the file of the run is still the one that was opened.

    Attributes
    ----------
    gone
        It is not, and that has been told.
    """

    changed = Signal()  # `gone`

    def __init__(
        self, session: Session, files: Files, notifications: Notifications, window: QMainWindow
    ) -> None:
        super().__init__(window)
        self._session, self._files = session, files
        self._notifications, self._window = notifications, window
        self.gone = False
        self._path: Path | None = None
        self._known: Identity | None = None
        self._missed = 0
        self._note: Note | None = None
        session.opened.connect(self._forget)
        session.began.connect(self._forget)
        self._timer = QTimer(self)
        self._timer.setInterval(PERIOD_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    @property
    def replaced(self) -> bool:
        """Return whether another file stands in its place at this moment: what is in there is of another run."""
        now = None if self._path is None else _identity(self._path)
        return self._known is not None and now is not None and now != self._known

    @property
    def word(self) -> str:
        """Return what stands behind the name of the run while its file is gone."""
        return tr(" (file gone)") if self.gone else ""

    def look(self) -> None:
        """Look whether it is still there, and tell when it is not, or is again."""
        path = self._session.run_file
        if path != self._path:
            self._forget()
            self._path, self._known = path, None if path is None else _identity(path)
        if path is None or self._known is None:
            return
        now = _identity(path)
        if now == self._known:
            self._missed = 0
            self._set(False)
        elif not self.gone:
            self._missed += 1
            if now is not None or self._missed >= PATIENCE:
                self._set(True)
                self._tell(path, tr("deleted or moved") if now is None else tr("replaced by another file"))

    def keep(self, path: Path) -> bool:
        """Write the run that is still open to `path` and open that, at the time on screen; say whether it could be."""
        session, at_s = self._session, self._session.looking_s
        try:
            session.replay.save_copy(path)
        except RunFileError as error:
            session.trouble.emit(Trouble(tr("Copy not saved"), str(error)))
            return False
        self._forget()
        if not self._files.open(path, ask=False):
            return False
        if at_s is not None:
            session.replay.look(at_s)
        return True

    def _ask(self) -> None:
        """Let the person choose where the copy goes."""
        name = "run" if self._path is None else self._path.name.removesuffix(SUFFIX)
        chosen, _ = QFileDialog.getSaveFileName(
            self._window,
            tr("Save a copy of the run"),
            tr("{name} (copy){suffix}", name=name, suffix=SUFFIX),
            tr("Runs (*{suffix})", suffix=SUFFIX),
        )
        if chosen:
            self.keep(Path(chosen if chosen.endswith(SUFFIX) else f"{chosen}{SUFFIX}"))

    def _tell(self, path: Path, how: str) -> None:
        title, what = tr("The run's file is missing"), tr("{path} was {how}.", path=path, how=how)
        if self._session.recording is None:
            left = tr(
                "The run continues but is no longer recorded; earlier times may be unavailable: "
                "start it again to have it recorded."
            )
        elif not self._session.replay.holds:
            left = tr("Times not yet shown are lost.")
        else:
            left = tr("It stays readable until you open another run; you can save a copy.")
            answers: dict[str, Callable[[], object]] = {KEEP: self._ask}
            self._note = self._notifications.ask(Trouble(title, f"{what} {left}"), answers)
            return
        self._session.trouble.emit(Trouble(title, f"{what} {left}"))

    def _forget(self, _of: object = None) -> None:
        """Watch the file of the run on screen, also after a restart."""
        self._path, self._known, self._missed = None, None, 0
        self._set(False)

    def _set(self, gone: bool) -> None:
        if gone == self.gone:
            return
        self.gone = gone
        if not gone and self._note is not None:
            if self._note in self._notifications.notes:
                self._note.dismiss()
            self._note = None
        self.changed.emit()


def _identity(path: Path) -> Identity | None:
    """Return what a file is known by, whatever its name; None: there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
