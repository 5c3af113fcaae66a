"""What if from here: cuts a branch from the run at the time on screen, and answers it or goes on in it."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from psygnal import Signal
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from twin.analysis.branch import Addition, Started, branch_scene, parent_scene, start_branch
from twin.analysis.branch_changes import instead_in_words
from twin.analysis.what_if import RUN_SUFFIX, what_if, whole_run
from twin.app.branches.answer import Answering, Question
from twin.app.branches.choices import Sort, folder_of, run_beside
from twin.app.branches.dialog import BranchDialog, Wish
from twin.app.files.files import Files
from twin.app.session.save_folder import is_shipped
from twin.app.session.session import Session
from twin.app.toolkit.look import Look
from twin.app.toolkit.problem_notice import Unplayable
from twin.commands.edit.draft import Draft
from twin.language import tr
from twin.record.reader import Reader
from twin.record.runfile import RunFileError, sidecar_paths
from twin.scenario import ScenarioError
from twin.scenario.reading.extend import SUFFIX
from twin.units import spoken
from twin.whole_file import write_whole

_BEHIND_S = 1e-3
"""A cut lies so much behind what has just happened [s]."""
_AGAIN_MS = 50
_TRIES = 60
"""Looks at the run file until it holds the time of the cut; the worker writes it about once a second."""


class BranchActions:
    """Asks for branches, makes them, and opens them.

    Parameters
    ----------
    tell
        Says a sentence in the status bar.
    answering
        Runs a branch and the run it leaves on to one end.
    """

    made = Signal(object)  # Path of the scene of a branch

    def __init__(
        self,
        look: Look,
        session: Session,
        files: Files,
        window: QWidget,
        tell: Callable[[str], None],
        selected: Callable[[], str | None],
        answering: Answering,
    ) -> None:
        self._look, self._session, self._files, self._window, self._tell = look, session, files, window, tell
        self._selected, self._answering = selected, answering
        self.dialog: BranchDialog | None = None
        self._newest: Path | None = None  # scene of a branch that has not run yet
        session.branch_wanted.connect(lambda wanted: self.ask((wanted,)))
        session.began.connect(lambda _: self._settle())
        session.unplayable.connect(self._take_back)
        answering.given_up.connect(self._leave_nothing)
        answering.answered.connect(lambda answered: self.made.emit(answered.question.runs[1]))

    def ask(
        self,
        additions: tuple[Addition, ...] = (),
        sort: Sort | None = None,
        since_s: float | None = None,
    ) -> None:
        """Ask what shall be other from the time on screen on; `additions` were asked for already.

        Parameters
        ----------
        sort
            The sort of change that is chosen at first.
        since_s
            Where the run is at its end, right after this time [s].
        """
        session = self._session
        document, plant = session.document, session.plant
        if document is None or plant is None:
            return
        if session.run_file is None:
            self._tell(tr("No run to branch yet: start it first"))
            return
        session.halt()
        at_s = self._cut_s()
        if since_s is not None and at_s >= session.end_s:
            at_s = (math.floor(since_s * 1e3) + 1) / 1e3
        if at_s >= session.end_s:
            self._tell(tr("The run ends here: go back to the time to branch from"))
            return
        if self.dialog is not None:
            self.dialog.close()
        self.dialog = BranchDialog(
            self._look,
            at_s,
            f"{spoken(round(at_s, 3))}, {session.clock.says(at_s)}" if at_s else tr("its start"),
            document.scenario,
            plant,
            folder_of(session.path),
            additions,
            self._window,
            self._selected(),
        )
        if sort is not None:
            self.dialog.choose(sort)
        self.dialog.wanted.connect(self._wanted)
        self.dialog.destroyed.connect(self._forget)
        self.dialog.show()

    def _cut_s(self) -> float:
        """Return the time on screen [s], or the next millisecond where something has happened just then."""
        session = self._session
        at_s, events = session.shown_s, session.events
        return (math.floor(at_s * 1e3) + 1) / 1e3 if events and events[-1].t_s >= at_s else at_s

    def _forget(self) -> None:
        self.dialog = None

    def _wanted(self, wish: Wish) -> None:
        if wish.seeds and self._answering.running:
            self._fail(
                ValueError(tr("another what-if is running; wait for it, or cancel it in the status bar"))
            )
            return
        if not wish.seeds and not self._files.may_leave():
            return
        QApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
        self._try(wish, _TRIES)

    def _try(self, wish: Wish, tries: int) -> None:
        """Make the branch as soon as the file holds the run up to its cut."""
        run_file = self._session.run_file
        if self.dialog is None:  # closed meanwhile: nobody wants it any more
            QApplication.restoreOverrideCursor()
            return
        try:
            if run_file is None:
                raise RunFileError(tr("the run is not recorded, so it cannot be branched"))
            with Reader(run_file) as reader:
                if tries and reader.summary is None and reader.t_end_s < wish.at_s - _BEHIND_S:
                    QTimer.singleShot(_AGAIN_MS, self._window, lambda: self._try(wish, tries - 1))
                    return
                started = self._make(reader, wish)
                question = self._question(reader, wish, started) if wish.seeds else None
        except (RunFileError, ScenarioError, OSError) as error:
            QApplication.restoreOverrideCursor()
            self._fail(error)
            return
        QApplication.restoreOverrideCursor()
        if question is None:
            self._open(Draft(started.document), started.run_file, wish)
            return
        self.dialog.close()
        self._answering.begin(question)
        self._tell(
            tr("The run and its branch are simulated in the background; the comparison opens when they end")
        )

    def _make(self, reader: Reader, wish: Wish) -> Started:
        """Write the scene of a branch, the run it leaves beside it, and what it goes on in."""
        folder, path = wish.path.parent, wish.path
        folder.mkdir(parents=True, exist_ok=True)
        extends = parent_scene(reader, folder, self._known(), wish.at_s)
        text = branch_scene(extends, folder, reader, wish.at_s, wish.additions, wish.title)
        write_whole(path, text.encode())
        kept = folder / reader.path.name
        if not (kept.exists() or wish.seeds):  # unsaved runs are not kept for ever
            reader.save_copy(kept)
        return start_branch(reader, wish.at_s, path, run_beside(path))

    def _question(self, reader: Reader, wish: Wish, started: Started) -> Question:
        """Return what is to be run on: the branch, and the run beside it where that is not over."""
        asked = what_if(reader, started.document.scenario, wish.at_s)
        parent, goes_on = whole_run(reader, wish.path.parent, asked)
        scenes = (reader.header.scenario if goes_on else None, started.document.scenario)
        words = instead_in_words(wish.additions, asked.parent.scenario, self._session.plant)
        return Question(asked, words, (parent, started.run_file), scenes, wish.seeds)

    def _leave_nothing(self, question: Question) -> None:
        """A what-if got no answer: leave no files of it."""
        parent, branch = question.runs
        branch.with_name(branch.name.removesuffix(RUN_SUFFIX) + SUFFIX).unlink(missing_ok=True)
        for run in (branch,) if question.scenes[0] is None else (branch, parent):
            _remove(run)
        self.made.emit(branch)

    def _known(self) -> Path | str | None:
        """Return the scene of the run, as far as it lies in a file."""
        path = self._session.path
        if path is None or self._session.recording is not None:
            return None
        return f"builtin:{path.name.removesuffix(SUFFIX)}" if is_shipped(path) else path

    def _open(self, draft: Draft, run: Path, wish: Wish) -> None:
        """Open the branch and go on there."""
        if self.dialog is not None:
            self.dialog.close()
        session, self._newest = self._session, wish.path
        try:
            session.work_on(draft, wish.path, branch=(run, wish.at_s))
        except ValueError as error:
            self._tell(str(error))
            return
        self._files.took(wish.path)
        if wish.additions:
            session.play()
        self.made.emit(wish.path)
        self._tell(tr("{title}, branch from {at}", title=draft.file.scenario.title, at=spoken(wish.at_s)))

    def _settle(self) -> None:
        self._newest = None

    def _take_back(self, refused: Unplayable) -> None:
        """The run does not take what was asked of the branch: leave no files of it."""
        if refused.path == self._newest:
            self._newest = None
            refused.path.unlink(missing_ok=True)
            _remove(run_beside(refused.path))

    def _fail(self, error: Exception) -> None:
        sentence = str(error)
        if isinstance(error, ScenarioError):
            problem = error.problems[0]
            key = problem.key.rpartition(".")[2].rpartition("]")[2] or problem.key
            reason = " ".join(word for word in (key, problem.value, problem.reason) if word)
            sentence = reason + (f"; {problem.hint}" if problem.hint else "")
        if self.dialog is not None:
            self.dialog.show_problem(sentence)
        else:
            self._tell(sentence)


def _remove(run: Path) -> None:
    """Remove a run file, and what is left beside it where its writer was ended."""
    for path in (run, *sidecar_paths(run)):
        path.unlink(missing_ok=True)
