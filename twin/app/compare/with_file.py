"""The open scene beside another one: a file that is chosen, or its own file as it lies on the disk now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from psygnal import Signal
from PySide6.QtWidgets import QFileDialog, QMainWindow

from twin.app.compare.diff_dialog import DiffDialog
from twin.app.compare.scene_comparison import compare
from twin.app.files.file_watcher import DiskWatch
from twin.app.files.scene_file import SceneFile
from twin.app.files.scene_list import SUFFIX
from twin.app.session.scene_errors import SCENE_ERRORS
from twin.app.session.session import Session
from twin.app.toolkit.look import Look
from twin.app.toolkit.notifications import Note, Notifications
from twin.app.toolkit.problem_notice import Trouble
from twin.language import tr
from twin.scenario import load

_FILTER = tr("Scenes (*{suffix} *.yaml *.yml);;All files (*)", suffix=SUFFIX)


class Comparing:
    """Compares, and asks what shall become of a file that another program has written.

    Parameters
    ----------
    scene
        The file of the open scene.
    """

    simulate_wanted = Signal(object)  # Path of a scene that the open one is to be run against

    def __init__(
        self,
        look: Look,
        session: Session,
        scene: SceneFile,
        notifications: Notifications,
        window: QMainWindow,
    ) -> None:
        self._look, self._session, self._scene = look, session, scene
        self._notifications, self._window = notifications, window
        self._note: Note | None = None
        self._gone = False
        self.watch = DiskWatch(window)
        self.watch.touched.connect(self.look_at_disk)
        session.opened.connect(self._follow)
        scene.saved.connect(self._follow)
        scene.compare_wanted.connect(self.with_saved)

    def ask(self) -> None:
        """Let the person choose a scene, and show what differs from it."""
        document = self._scene.document
        if document is None:
            return
        folder = Path.home() if document.path is None else document.path.parent
        chosen, _ = QFileDialog.getOpenFileName(
            self._window, tr("Compare with a scene"), str(folder), _FILTER
        )
        if chosen:
            path = Path(chosen)
            both = {"Simulate both\N{HORIZONTAL ELLIPSIS}": partial(self.simulate_wanted.emit, path)}
            self.show(path, path.name, both)

    def with_saved(self) -> None:
        """Show what differs from the file as it lies on the disk."""
        document, path = self._scene.document, self._scene.path
        if document is None:
            return
        if path is None:
            self._notifications.tell(tr("Not saved yet"), tr("The scene has no file to compare with."))
            return
        self.show(path, tr("{name} on the disk", name=document.name))

    def show(
        self, path: Path, title: str, answers: Mapping[str, Callable[[], object]] | None = None
    ) -> DiffDialog | None:
        """Show what differs between a file and the open scene; None where the file cannot be read."""
        draft = self._session.draft
        if draft is None:
            return None
        try:
            found = compare(load(path), draft.file, self._session.shown_s, self._session.plant)
        except SCENE_ERRORS as error:
            self._notifications.tell(
                tr("{name} cannot be compared", name=path.name), str(error).splitlines()[0]
            )
            return None
        dialog = DiffDialog(
            self._look, found, (title, tr("{name} here", name=draft.file.name)), self._window, answers
        )
        dialog.show()
        return dialog

    def look_at_disk(self) -> None:
        """Ask what to do when another program has written the file, or tell that it is gone."""
        scene, draft = self._scene, self._session.draft
        path = scene.path
        if draft is None or path is None:
            return
        if not path.is_file():
            if not self._gone:
                self._gone = True
                scene.keep_mine()
                self._notifications.tell(
                    tr("{name} was deleted on disk", name=path.name), tr("Save creates it again.")
                )
            return
        self._gone = False
        if not scene.changed_on_disk():
            return
        if scene.same_on_disk():
            scene.look_at_disk()
            return
        if self._note is not None and self._note in self._notifications.notes:
            return
        reload: dict[str, Callable[[], object]] = {tr("Reload from disk"): scene.take_theirs}
        keep: dict[str, Callable[[], object]] = {tr("Keep my changes"): scene.keep_mine}
        answers = keep | reload if draft.dirty else reload | keep  # the first, the usual one, loses nothing

        def beside() -> None:
            self.show(path, tr("{name} on the disk", name=path.name), answers)

        if draft.dirty:
            words = tr("Another program changed the file, and the scene has unsaved changes.")
            choices = {tr("Compare"): beside, **answers}
        else:
            words = tr("Another program changed the file.")
            choices = {tr("Reload"): scene.take_theirs, tr("Compare"): beside}
        self._note = self._notifications.ask(
            Trouble(tr("{name} has changed", name=path.name), words), choices
        )

    def close(self) -> None:
        """Watch nothing any more."""
        self.watch.close()

    def _follow(self, _path: object) -> None:
        self._gone = False
        if self._note is not None and self._note in self._notifications.notes:
            self._note.dismiss()
        self._note = None
        self.watch.follow(self._scene.path)
