"""Runs held against each other: the one that is open against a recording, or a branch against what it left."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from twin.app.compare_dialog import CompareDialog
from twin.app.compare_run import ComparedRun
from twin.app.look import Look
from twin.app.notifications import Notifications
from twin.app.recording import SUFFIX
from twin.app.scene_errors import SCENE_ERRORS
from twin.app.session import Session
from twin.app.trouble import Trouble
from twin.record.runfile import RunFileError

_FILTER = f"Recorded runs (*{SUFFIX});;All files (*)"


class CompareRuns:
    """Opens windows with two runs.

    Attributes
    ----------
    dialog
        The last one, while it is open.
    """

    def __init__(self, look: Look, session: Session, notifications: Notifications, window: QWidget) -> None:
        self._look, self._session, self._notifications, self._window = look, session, notifications, window
        self.dialog: CompareDialog | None = None

    def ask(self) -> None:
        """Let the person choose a recording, and hold it against the run that is open."""
        mine = self._session.run_file
        if mine is None:
            self._notifications.tell("Nothing is recorded yet", "Let the run play first.")
            return
        folder = self._session.path.parent if self._session.path is not None else Path.home()
        chosen, _ = QFileDialog.getOpenFileName(self._window, "Compare with a run", str(folder), _FILTER)
        if chosen:
            self.show(mine, Path(chosen))

    def show(self, a: Path, b: Path) -> None:
        """Show two recordings side by side."""
        self.close()
        self._session.halt()
        opened: list[ComparedRun] = []
        try:
            opened += [ComparedRun(a)]
            opened += [ComparedRun(b)]
        except (RunFileError, *SCENE_ERRORS) as error:
            for run in opened:
                run.close()
            self._notifications.warn(Trouble("These runs cannot be compared", str(error)), None)
            return
        self.dialog = CompareDialog(self._look, (opened[0], opened[1]), self._window)
        self.dialog.finished.connect(self._forget)
        self.dialog.show()

    def close(self) -> None:
        """Close the window, if there is one."""
        if self.dialog is not None:
            self.dialog.close()

    def _forget(self) -> None:
        self.dialog = None
