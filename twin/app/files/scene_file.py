"""The file of the open scene: new, save, save under another name, go back to what is saved, and what a crash left."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from psygnal import Signal
from PySide6.QtWidgets import QFileDialog, QMainWindow, QMessageBox

from twin.app.files.files import Files
from twin.app.files.journal import Journal
from twin.app.files.journal_steps import StepNotes
from twin.app.files.recovery import RecoverableRun, RecoveredWork, discard, draft_of, run_of
from twin.app.files.scene_list import SUFFIX
from twin.app.session.editor import Editor
from twin.app.session.recording import copy_to_go_on
from twin.app.session.save_folder import is_shipped, save_folder
from twin.app.session.scene_errors import SCENE_ERRORS
from twin.app.session.session import Session
from twin.app.toolkit.plain_text import make_plain
from twin.app.toolkit.settings import UserSettings
from twin.commands.edit.draft import Draft
from twin.language import tr
from twin.record.runfile import RunFileError
from twin.scenario import Document, ScenarioError, load, loads
from twin.scenario.file.load import document_of
from twin.scenario.file.own_copies import copy_own_files
from twin.scenario.file.save import save
from twin.units import spoken

_FILTER = tr("Scenes (*{suffix})", suffix=SUFFIX)
NEW_NAME = f"untitled{SUFFIX}"
EMPTY = """format: twin/scenario
version: 3
catalog: "2026.11"

title: Untitled hall

duration: 7 day
seed: 1

halls:
  - id: hall
    title: Hall

failures: {rates: catalog, machines: catalog} # nodes fail as published fleets did, machines as the catalogue says
"""
"""A hall with nothing in it."""


class SceneFile:
    """Saves the open scene, and asks before anything unsaved is lost.

    Parameters
    ----------
    tell
        Shows a title and a sentence to the person.
    """

    saved = Signal(object)  # Path
    not_saved = Signal(str)  # why
    compare_wanted = Signal()  # with the file as it lies on the disk

    def __init__(
        self,
        session: Session,
        editor: Editor,
        files: Files,
        settings: UserSettings,
        window: QMainWindow,
        tell: Callable[[str, str], None],
    ) -> None:
        self._session, self._editor, self._files = session, editor, files
        self._settings, self._window, self._tell = settings, window, tell
        self.journal = Journal()
        self._steps: StepNotes | None = None
        self._left: RecoveredWork | None = None  # that is about to be opened
        self.kept_elsewhere: Callable[[], bool] = _nobody  # whether others keep what is done to the scene
        self.gives_up: Callable[[], bool] = _anybody  # asks about what others would lose with the scene
        self.asks = True  # else nobody is there: what is not saved stays in the journal, to be offered back
        self._disk: tuple[int, int] | None = None  # time and size of the file as it was read or written last
        self.journal.failed.connect(self._on_journal_failed)
        session.opened.connect(self._on_opened)
        session.began.connect(self._on_began)
        session.playing_changed.connect(lambda _: self._keep_run())
        session.broken.connect(lambda _: self._keep_run())
        editor.changed.connect(self._on_changed)
        files.may_leave = self.may_leave

    @property
    def document(self) -> Document | None:
        """Return what saving writes; None when no scene is open."""
        return self._session.draft.file if self._session.draft is not None else None

    @property
    def is_new(self) -> bool:
        """Return whether the scene has no file yet."""
        return self.document is not None and self.path is None

    @property
    def path(self) -> Path | None:
        """Return where the scene is saved; None: nowhere yet, or others keep it."""
        document = self.document
        return None if document is None or self._is_elsewhere() else document.path

    def _is_elsewhere(self) -> bool:
        """Return whether what is done to the scene is no change of a file: others keep it, or a drill hides in it."""
        return self.kept_elsewhere() or self._session.veil.covers(self._session.draft)

    def new(self) -> bool:
        """Begin with an empty hall; return whether that was done."""
        return self.begin(loads(EMPTY, NEW_NAME), NEW_NAME)

    def begin(self, document: Document, name: str) -> bool:
        """Begin with a scene that has no file yet; return whether that was done."""
        if not self.may_leave():
            return False
        self._session.work_on(Draft(document), Path(name), new=True)
        self._files.opened.emit(Path(name))
        return True

    def save(self) -> bool:
        """Write the scene where it came from; a new or shipped one asks where. Return whether it is saved."""
        document = self.document
        if document is None:
            return False
        path = self.path
        if path is None or is_shipped(path):
            return self.ask_save_as()
        if self.changed_on_disk() and not self._overwrite(path):
            return False
        return self._write(path)

    def ask_save_as(self) -> bool:
        """Let the person choose where the scene is saved; return whether it is."""
        document = self.document
        if document is None:
            return False
        path = self.path
        folder = save_folder(path)
        name = document.name if path is not None else name_for(document.scenario.title)
        chosen, _ = QFileDialog.getSaveFileName(
            self._window, tr("Save the scene"), str(folder / name), _FILTER
        )
        if not chosen:
            return False
        return self.save_as(Path(chosen if chosen.endswith((".yaml", ".yml")) else f"{chosen}{SUFFIX}"))

    def save_as(self, path: Path) -> bool:
        """Write the scene to another file, its own from now on unless others keep it; return whether that was done."""
        document = self.document
        if document is None:
            return False
        if path.parent.resolve() != (document.path.parent.resolve() if document.path else None):
            try:  # a scene names files beside it: they must be there too, and its own parts go along
                copy_own_files(document.scenario, path.parent)
                document_of_text(document, path)
            except (*SCENE_ERRORS, OSError) as error:
                self.not_saved.emit(str(error))
                return False
        return self._write(path)

    def revert(self) -> None:
        """Read the file again, without what is not saved."""
        path = self.path
        if path is None:
            return
        if self._session.draft is not None and self._session.draft.dirty:
            asked = tr("Revert to the saved scene? Unsaved changes are lost.")
            if not self._sure(asked, tr("Revert")):
                return
        self._files.open(path, ask=False)

    def recover(self, left: RecoveredWork) -> bool:
        """Open what a crash left behind, with the run where it stood; return whether that went well."""
        if not self.may_leave():
            return False
        path = left.path or Path(NEW_NAME)
        try:
            document = loads(left.text, path.name, left.path.parent if left.path is not None else None)
            run = run_of(document, left.run_file)
            draft = draft_of(document, left, run)
            on_disk = _text_of(left.path)
            if on_disk != draft.file.text:
                draft.mark_lost(left.begun if on_disk == left.begun else "")
                self._left = left
            words = self._go_on(draft, path, run, left)
        except SCENE_ERRORS as error:
            self._tell(tr("Not recovered"), f"{error}")
            return False
        finally:
            self._left = None
        self._files.opened.emit(path)
        if left.begun and on_disk not in (left.begun, draft.file.text):
            self._disk = (0, 0)  # another program has written it since: saving asks
        if self.journal.path is not None or not draft.dirty:
            discard(left.journal)  # the journal of this program holds it now
        if words:
            self._tell(tr("Recovered"), words)
        return True

    def _go_on(self, draft: Draft, path: Path, run: RecoverableRun, left: RecoveredWork) -> str:
        """Open a scene that was recovered with its run, in a copy of its recording; return what came of the run.

        "" when it had not begun.
        """
        session, new, state, branch = self._session, left.path is None, run.snapshot, None
        words = tr("The run is at its start: {lost}.", lost=run.lost) if run.lost else ""
        if state is not None and left.run_file is not None:
            where = (
                tr("its end")
                if run.over
                else tr("its last state, {time} after its start", time=spoken(state.t_s))
            )
            words = tr("The run is at {where}", where=where) + (
                "." if run.over else tr(", and continues from there.")
            )
            if round(run.t_s) > round(state.t_s):
                words += tr(
                    " It had reached {time}: the time between is simulated again.", time=spoken(run.t_s)
                )
            try:
                copied = copy_to_go_on(left.run_file)
                branch = copied.copy, copied.t_s
            except (RunFileError, OSError) as error:
                words += tr(
                    " Its past is not shown, because its recording cannot be copied: {error}", error=error
                )
        snapshot = state.data if state is not None and branch is None else None
        session.work_on(draft, path, run.seed, new=new, snapshot=snapshot, branch=branch)
        session.live.by_hand = list(run.by_hand)
        self.journal.note_run(left.run_file)
        return words

    def may_leave(self) -> bool:
        """Return whether the open scene may be closed: ask what shall become of what is not saved."""
        draft = self._session.draft
        if not self.asks:
            return True
        if not self.gives_up():
            return False
        if draft is None or not draft.dirty or self._is_elsewhere():
            return True
        box = QMessageBox(self._window)
        box.setObjectName("unsaved")
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle(tr("Not saved"))
        box.setText(tr("Save the changes of {name}?", name=draft.file.name))
        count = len(draft.done)
        box.setInformativeText(
            tr("The last one: {undo_title}.", undo_title=draft.undo_title)
            if count
            else tr("They are not on disk yet.")
        )
        make_plain(box)
        button = QMessageBox.StandardButton
        box.setStandardButtons(button.Save | button.Discard | button.Cancel)
        box.setDefaultButton(button.Save)
        answer = box.exec()
        return bool(answer == button.Discard or (answer == button.Save and self.save()))

    def close(self) -> None:
        """Nothing is to be recovered: what is not saved was given up; call when the window closes."""
        self.journal.end()

    def changed_on_disk(self) -> bool:
        """Return whether another program has written the scene's file since it was read or written here."""
        path = self.path
        return path is not None and self._disk is not None and _stamp(path) not in (None, self._disk)

    def same_on_disk(self) -> bool:
        """Return whether the disk holds, byte for byte, what was read or written last."""
        document, draft = self.document, self._session.draft
        try:
            return (
                document is not None
                and document.path is not None
                and draft is not None
                and document.path.read_bytes() == draft.saved_text.encode()
            )
        except OSError:
            return False

    def take_theirs(self) -> None:
        """Read the file as another program has written it; ask before what is not saved here is given up."""
        document, draft = self.document, self._session.draft
        if document is None or document.path is None or draft is None:
            return
        if draft.dirty:
            last = (
                tr(" The last change here was: {undo_title}.", undo_title=draft.undo_title)
                if draft.done
                else ""
            )
            asked = tr(
                "Take {name} from disk? Unsaved changes are lost.{last}", name=document.path.name, last=last
            )
            if not self._sure(asked, tr("Reload from disk")):
                return
        self._files.open(document.path, ask=False)

    def keep_mine(self) -> None:
        """Go on with the scene as it is here: saving writes it over what another program has written."""
        draft = self._session.draft
        if draft is not None:
            self.look_at_disk()
            draft.mark_lost()
            self.journal.begin(draft.file, draft.saved_text)
            self.journal.note(draft.file, tr("Keep my changes"))  # it lies nowhere else now
            self._editor.mark_saved()

    def look_at_disk(self) -> None:
        """Take note of the file as it is now, where another program's change shall stand."""
        document = self.document
        self._disk = _stamp(document.path) if document is not None and document.path is not None else None

    def _write(self, path: Path) -> bool:
        draft = self._session.draft
        if draft is None:
            return False
        try:
            written = save(draft.file, path)
        except ScenarioError as error:
            self.not_saved.emit(str(error))
            return False
        if self._is_elsewhere():  # this is a copy: what is open stays with those who keep it
            self._tell(tr("Copy saved"), str(path))
            return True
        draft.mark_saved(written)
        self._session.path = path
        self.look_at_disk()
        self.journal.begin(written)
        self._keep_run()
        self._settings.remember(path)
        self._editor.mark_saved()
        self.saved.emit(path)
        self._tell(tr("Saved"), str(path))
        return True

    def _overwrite(self, path: Path) -> bool:
        question = tr("{name} was changed by another program. Overwrite it?", name=path.name)
        return self._sure(question, tr("Overwrite"), can_compare=True)

    def _sure(self, question: str, yes: str, *, can_compare: bool = False) -> bool:
        """Ask before something is lost; Enter loses nothing."""
        box = QMessageBox(self._window)
        box.setObjectName("sure")
        box.setIcon(QMessageBox.Icon.Question)
        box.setText(question)
        make_plain(box)
        go = box.addButton(yes, QMessageBox.ButtonRole.AcceptRole)
        look = box.addButton(tr("Compare"), QMessageBox.ButtonRole.ActionRole) if can_compare else None
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        box.exec()
        if look is not None and box.clickedButton() is look:
            self.compare_wanted.emit()
        return box.clickedButton() is go

    def _on_opened(self, _path: object) -> None:
        draft = self._session.draft
        if draft is not None:
            self.journal.note_run(None)  # of the scene before
            if self._is_elsewhere():
                self.journal.end()
                self._steps = None
                return
            if not self._takes_over(draft):
                self.journal.begin(draft.file, draft.saved_text)
            self.journal.note(draft.file, draft.undo_title)  # where one comes back to what is not saved
            self._steps = StepNotes(draft)
            self.look_at_disk()

    def _takes_over(self, draft: Draft) -> bool:
        """Go on in the journal that is being recovered, if one is; return whether that is so."""
        left = self._left
        return left is not None and self.journal.take_over(left.journal, left.length, left.text, draft.file)

    def _on_began(self, run_file: Path | None) -> None:
        self.journal.note_run(run_file)
        self._keep_run()

    def _keep_run(self) -> None:
        """Let a run that has begun be found after a crash, though the scene is as it is saved."""
        session = self._session
        if session.begun and session.recording is None and session.run_file is not None and self._steps:
            self.journal.note_run(session.run_file, keep=True)

    def _on_journal_failed(self, reason: str) -> None:
        self._tell(
            tr("Journal not written"),
            tr(
                "The journal cannot be written: {reason}. You can continue, but a crash would lose "
                "unsaved changes.",
                reason=reason,
            ),
        )

    def _on_changed(self) -> None:
        draft = self._session.draft
        if draft is not None and self._steps is not None:
            step = self._steps.next(draft, live=self._session.begun)
            self.journal.note(draft.file, draft.undo_title, step)


def document_of_text(document: Document, path: Path) -> Document:
    """Return the document as it would be read from another place; raises as `load`."""
    source = document.files[0]
    return document_of(type(source)(path.name, path, source.text, source.tree))


def name_for(title: str) -> str:
    """Return the name that a file is offered for a scene of this title."""
    words = "-".join(re.findall(r"\w+", title.lower()))
    return f"{words[:60]}{SUFFIX}" if words else NEW_NAME


def _anybody() -> bool:
    """Return that nobody would lose anything with the scene."""
    return True


def _nobody() -> bool:
    """Return that nobody else keeps what is done to the scene."""
    return False


def _text_of(path: Path | None) -> str | None:
    """Return what lies on the disk; None when nothing does that is a text."""
    try:
        return load(path).text if path is not None else None
    except SCENE_ERRORS:
        return None


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
