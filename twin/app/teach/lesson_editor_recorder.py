"""A step recorded by doing it: the hall as the step finds it, what is done from there, and what can be asked of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from psygnal import Signal
from PySide6.QtCore import QObject, QTimer

from twin.analysis.rerun import settled
from twin.app.session.editor import Editor
from twin.app.session.session import Session
from twin.app.teach.hall_run import RecordingWait, with_kept
from twin.app.teach.lesson_editor_model import LessonInWriting
from twin.app.toolkit.problem_notice import Trouble
from twin.commands.edit.draft import Draft
from twin.language import tr
from twin.lessons.draft import ConditionProposal, LessonDraft, lines_of, proposals
from twin.lessons.schema import Way
from twin.lessons.step_hall import Act, acts_of_lines, hall_of, place_of_hall
from twin.lessons.values import StepEvidence
from twin.record.reader import Reader
from twin.record.runfile import RunFileError
from twin.scenario import Document
from twin.scenario.schema.document import Scenario

TICK_MS = 100


@dataclass(frozen=True)
class RecordedActs:
    """What was done while it was recorded.

    Attributes
    ----------
    begins_s, ends_s
        From when to when, in time of the run [s].
    acts
        To the run.
    settings
        Of the scene, before its run began: path and value.
    """

    begins_s: float
    ends_s: float
    acts: tuple[Act, ...]
    settings: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Beginning:
    t_s: float
    acts: int  # that people had done by then
    changes: int  # of the scene before its run
    begun: bool


class StepRecorder:
    """Records what is done in the hall of the session for a step of the lesson in writing."""

    changed = Signal()  # recording or not
    recorded = Signal(object)  # RecordedActs
    failed = Signal(object)  # Trouble

    def __init__(self, session: Session, writing: LessonInWriting, parent: QObject) -> None:
        self._session, self._writing = session, writing
        self.editor: Editor | None = None
        self.may_leave: Callable[[], bool] = lambda: True
        self._draft: Draft | None = None  # of the hall that was opened here
        self._kept: tuple[Act, ...] = ()  # which are part of its scene
        self._from: _Beginning | None = None
        self._ending = self._opening = False
        self._wait = RecordingWait()
        self._timer = QTimer(parent, interval=TICK_MS)
        self._timer.timeout.connect(self._look)
        session.opened.connect(lambda _: self._on_opened())
        session.run_started.connect(lambda: self._on_run_started())

    @property
    def is_open(self) -> bool:
        """Return whether the scene of the session is a hall that was opened for writing."""
        return self._draft is not None and self._session.draft is self._draft

    @property
    def recording(self) -> bool:
        """Return whether it is being recorded."""
        return self._from is not None

    @property
    def since_s(self) -> float:
        """Return from when it is recorded [s]."""
        return self._from.t_s if self._from is not None else self._session.t_s

    def open_hall(self, place: int, *, after: bool) -> bool:
        """Open the hall as a step finds or leaves it, and let it run to there; return whether that was done.

        Parameters
        ----------
        place
            Of the step.
        after
            Whether as it leaves it, with its solution.

        Raises
        ------
        ScenarioError, PlantError, CatalogError, UnknownPart
            When no hall can be made of it; what is open stays.
        """
        document, ways = self._hall(place, after)
        acts = acts_of_lines([line for way in ways for line in way.acts], document.scenario)
        draft = Draft(with_kept(document, acts))
        if not self.may_leave():
            return False
        self.cancel()
        writing, session = self._writing, self._session
        before, self._draft, self._opening = self._draft, draft, True
        try:
            session.work_on(draft, writing.path or Path(writing.name))
        except ValueError:
            self._draft = before
            raise
        finally:
            self._opening = False
        self._kept = acts
        first = place_of_hall(writing.lesson, place)
        steps = writing.lesson.steps[first : place + 1]
        times = [step.begins_s for step in steps] + [step.ends_s for step in (steps if after else steps[:-1])]
        goal_s = max((t_s for t_s in times if t_s is not None), default=0.0)
        session.go_on_to(min(goal_s, document.scenario.duration_s))
        return True

    def why_not(self, place: int, *, after: bool) -> str:
        """Return why nothing can be recorded in the hall as it stands, at or after a step; "": it can."""
        session = self._session
        if session.document is None or session.draft is None or session.recording is not None:
            return tr("No hall is open that can be worked in.")
        document, ways = self._hall(place, after)
        kept = self._kept if self.is_open else ()
        if _timeless(with_kept(document, kept).scenario) != _timeless(session.draft.file.scenario):
            return tr("Another hall is open than that of the step.")
        done = (*kept, *self._asked()) if session.begun else kept
        wanted = acts_of_lines([line for way in ways for line in way.acts], document.scenario)
        if _lines(done) != _lines(wanted):
            return tr("In this run other things were done than the steps before tell.")
        return ""

    def start(self) -> None:
        """Record from now on what is done."""
        session = self._session
        done = len(self._asked()) if session.begun else 0
        changes = len(session.draft.done) if session.draft is not None else 0
        self._from = _Beginning(session.t_s, done, changes, session.begun)
        self.changed.emit()

    def stop(self) -> None:
        """Stop the run and tell what was done, once the run file has come up to it."""
        if self._from is None or self._ending:
            return
        session = self._session
        if session.begun and not session.finished and not session.lost:
            session.set_running(False)
            session.client.pause()
        self._ending = True
        self._wait.begin()
        self._timer.start()

    def cancel(self) -> None:
        """Record no more."""
        self._timer.stop()
        was, self._from, self._ending = self._from, None, False
        if was is not None:
            self.changed.emit()

    def fits(self, place: int) -> bool:
        """Return whether the open hall is that of a step, before or after its solution; raises `ScenarioError`."""
        session = self._session
        if session.draft is None:
            return False
        kept = self._kept if self.is_open else ()
        standing = _timeless(session.draft.file.scenario)
        halls = (self._hall(place, after)[0] for after in (True, False))
        return any(_timeless(with_kept(document, kept).scenario) == standing for document in halls)

    def proposed(
        self, since_s: float, until_s: float | None, things: Sequence[tuple[str, str]]
    ) -> list[ConditionProposal]:
        """Return what could be asked of the run that is open.

        Parameters
        ----------
        since_s, until_s
            The step [s]; None: up to now.
        things
            (Kind, id) of what is selected.
        """
        document, run_file = self._session.live.document, self._session.run_file
        if document is None or run_file is None:
            return []
        try:
            with Reader(run_file) as reader:
                now_s = reader.t_end_s if until_s is None else min(until_s, reader.t_end_s)
                acts = (*self._kept, *(asked.done for asked in settled(reader).asked))
                evidence = StepEvidence(document.scenario, reader, acts, since_s, now_s, now_s)
                return proposals(evidence, things)
        except (RunFileError, OSError):
            return []

    # -- within ----

    def _hall(self, place: int, after: bool) -> tuple[Document, tuple[Way, ...]]:
        writing = self._writing
        assert writing.draft is not None
        file = writing.file()
        drawn = LessonDraft(writing.draft.id, file.lesson())  # with the first of all variants
        ways = drawn.ways_before(place, after=after)
        settings = [f"{path}={value}" for way in ways for path, value in way.settings.items()]
        return hall_of(file, drawn.lesson, place, settings), ways

    def _asked(self) -> tuple[Act, ...]:
        run_file = self._session.run_file
        if run_file is None:
            return ()
        try:
            with Reader(run_file) as reader:
                return tuple(asked.done for asked in settled(reader).asked)
        except (RunFileError, OSError):
            return ()

    def _look(self) -> None:
        """End the recording if the run file has come up to the run."""
        session, begin = self._session, self._from
        if begin is None or session.lost:
            self.cancel()
            return
        if self.editor is not None and self.editor.busy:
            return
        try:
            settings = () if begin.begun else self._settings(begin)
            if not session.begun:
                self._end(RecordedActs(begin.t_s, session.t_s, (), settings))
                return
            assert session.run_file is not None
            with Reader(session.run_file) as reader:
                if reader.t_end_s < session.t_s:
                    self._look_stalled()
                    return
                acts = tuple(asked.done for asked in settled(reader).asked)[begin.acts :]
                self._end(RecordedActs(begin.t_s, reader.t_end_s, acts, settings))
        except RunFileError:
            self._look_stalled()  # it is being begun
        except (OSError, ValueError) as error:
            self.cancel()
            self.failed.emit(Trouble(tr("Not recorded"), str(error)))

    def _look_stalled(self) -> None:
        """Let go of a recording for which the run file does not come any more."""
        if self._wait.is_over(self._session.run_file):
            self.cancel()
            self.failed.emit(Trouble(tr("Not recorded"), tr("The run itself is no longer recorded.")))

    def _settings(self, begin: _Beginning) -> tuple[tuple[str, str], ...]:
        """Return what was changed in the scene before its run; raises `ValueError` where a setting cannot say it."""
        draft = self._session.draft
        steps = draft.done[begin.changes :] if draft is not None else []
        changes = [change for step in steps if step.edit is None for change in step.changes]
        if any(change.value is None for change in changes):
            raise ValueError(
                tr("Something was taken out of the scene before its run: start the run first, then do it.")
            )
        return tuple((change.path, change.value or "") for change in changes)

    def _end(self, found: RecordedActs) -> None:
        self.cancel()
        self.recorded.emit(found)

    def _on_opened(self) -> None:
        if not self._opening:
            self.cancel()
            if not self.is_open:
                self._draft, self._kept = None, ()

    def _on_run_started(self) -> None:
        """Another run than that which is recorded has begun."""
        if self._from is not None and self._from.begun and not self._opening:
            self.cancel()
            self.failed.emit(Trouble(tr("Not recorded"), tr("The run was begun anew meanwhile.")))


def _timeless(scenario: Scenario) -> Scenario:
    """Return a scene without what people change while it runs, and without what no run looks at."""
    return scenario.model_copy(update={"edits": (), "extends": None, "chapters": ()})


def _lines(acts: Sequence[Act]) -> list[str]:
    return [line for act in acts for line in lines_of(act)]
