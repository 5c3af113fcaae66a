"""What leads to the Study window and out of it: menu, palette, files, a field of the inspector, the run of a point."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from twin.app.toolkit.problem_notice import Trouble
from twin.commands.edit.draft import Draft
from twin.language import tr
from twin.record.state_folder import STUDY_SUFFIX
from twin.studies.study_error import StudyError

if TYPE_CHECKING:
    from twin.app.shell.window_api import WindowApi
    from twin.app.study.study_scene import PointScene
    from twin.app.study.window import StudiedScene, StudyWindow
    from twin.studies.background import StudyEnd

_HELP = "sweeps.md#in-the-window"


class StudyActions:
    """Holds the Study window, made when it is first asked for.

    Parameters
    ----------
    window
        Of which session, files and inspector are taken.
    """

    def __init__(self, window: WindowApi) -> None:
        self._window = window
        self.dialog: StudyWindow | None = None
        window.files.openers[STUDY_SUFFIX] = self.open_file
        window.docks.inspector.properties.vary_wanted.connect(self.vary)
        window.session.document_changed.connect(self._on_document)

    def open(self) -> None:
        """Show the window, with the open scene where no study is shown."""
        dialog = self._shown()
        dialog.bring_up_to_date()
        if dialog.form.keys.rows:
            dialog.form.keys.rows[0].path.setFocus()

    def vary(self, path: str, values: str = "") -> None:
        """Set up a study in which a key of the open scene varies."""
        dialog = self._shown()
        dialog.bring_up_to_date()
        dialog.vary(path, values)

    def open_file(self, path: Path) -> bool:
        """Show a sweep file; return whether it is one."""
        dialog = self._made()
        try:
            dialog.open_file(path)
        except (StudyError, OSError) as error:
            self._window.notifications.warn(Trouble(tr("This study cannot be opened"), str(error)), None)
            return False
        self._window.settings.remember(path)
        self._shown()
        return True

    def close(self) -> None:
        """End what runs, with the window; the file keeps what was done."""
        if self.dialog is not None:
            self.dialog.close_runs()

    def _made(self) -> StudyWindow:
        if self.dialog is None:
            from twin.app.study.window import StudyWindow

            window = self._window
            self.dialog = StudyWindow(window.look, window, self._open_scene)
            self.dialog.run_wanted.connect(self.run_point)
            self.dialog.finished_run.connect(self._on_finished)
            self.dialog.help_wanted.connect(lambda: window.help.open(_HELP))
        return self.dialog

    def _shown(self) -> StudyWindow:
        dialog = self._made()
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()
        return dialog

    def _open_scene(self) -> StudiedScene | None:
        """Return the open scene; None where there is none, or a part of it is hidden from the person."""
        from twin.app.study.window import StudiedScene

        session = self._window.session
        draft = session.draft
        if draft is None or session.veil.covers(draft):
            return None
        return StudiedScene(draft.file, draft.file.path, session.seed)

    def run_point(self, point: PointScene) -> None:
        """Open the scene of a point, and run it; what is not saved of the open one is asked about first."""
        window = self._window
        if not window.files.may_leave():
            return
        window.files.keep_picture()
        path = point.document.path or Path(point.name)
        window.session.work_on(Draft(point.document), path, point.seed)
        window.files.opened.emit(path)
        window.session.play()
        window.tell(tr("{name}, seed {seed}: the run of this point", name=point.name, seed=point.seed))

    def _on_document(self, _document: object) -> None:
        if self.dialog is not None and self.dialog.isVisible():
            self.dialog.bring_up_to_date()

    def _on_finished(self, path: Path, end: StudyEnd) -> None:
        """Tell of a study that has ended unseen, and let it be opened again."""
        self._window.settings.remember(path)
        if self.dialog is not None and not self.dialog.isVisible() and not end.halted:
            self._window.notifications.tell(tr("Study finished"), str(path))
