"""The runner of lessons: the attempt of a person, its hall in the session, and what is measured and said meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from time import monotonic, perf_counter

from psygnal import Signal
from PySide6.QtCore import QObject, QTimer

from twin.app.session.editor import Editor
from twin.app.session.scene_errors import SCENE_ERRORS
from twin.app.session.session import Session
from twin.app.teach.hall_run import LessonHall, RecordingWait
from twin.app.teach.review import Review, reviewing
from twin.app.teach.said import Said, allowed_words, hint_said, solved_said, verdict_said, why_said
from twin.app.toolkit.problem_notice import Trouble
from twin.language import tr
from twin.lessons.attempt import Attempt, begun_attempt
from twin.lessons.judgement import StepVerdict, is_allowed, key_allowed
from twin.lessons.lesson_file import LessonFile
from twin.lessons.schema import Answer
from twin.record.reader import Reader
from twin.record.runfile import RunFileError
from twin.scenario import Change
from twin.scenario.schema.faults import Intervention

TICK_MS = 100
REVIEW_WALL_S = 0.5
"""So often a step is measured while its run goes on [s]."""
SLICE_WALL_S = 0.008
"""So long measuring takes the thread of the window at once [s]."""
DEAR_WALL_S = 0.02
"""One measure that takes longer is taken only while the run stands."""
KEEP_WALL_S = 5.0
"""So often the time of a run that plays is kept [s]."""


class LessonRunner:
    """Leads a person through a lesson.

    Attributes
    ----------
    session
        In which halls are opened.
    attempt
        Of the lesson that is open; None: none is.
    review
        How its step stood when it was measured last.
    said
        What was said last about this step; None: nothing yet.
    """

    turned = Signal()  # another lesson, another step, or this one anew
    reviewed = Signal()
    spoke = Signal()  # `said`
    opened = Signal(object)  # Path of a lesson whose hall has been opened in the session
    closed = Signal()
    failed = Signal(object)  # Trouble

    def __init__(self, session: Session, parent: QObject) -> None:
        self.session = session
        self._editor: Editor | None = None
        self.hall = LessonHall(session)
        self.attempt: Attempt | None = None
        self.review: Review | None = None
        self.said: Said | None = None
        self._verdict: StepVerdict | None = None  # of the last check
        self._work: Generator[None, None, Review] | None = None
        self._dear = False
        self._seen: tuple[object, ...] = ()
        self._due_wall_s = self._keep_wall_s = 0.0
        self._asked: tuple[Answer | None] | None = None  # a check that waits for the run file
        self._wait = RecordingWait()
        self._timer = QTimer(parent, interval=TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._slices = QTimer(parent, interval=0)
        self._slices.timeout.connect(self._measure)
        self.hall.arrived.connect(self._on_arrived)
        self.hall.limit.connect(self._on_limit)
        self.hall.restarted.connect(self.again)
        self.hall.left.connect(self.close)
        session.broken.connect(lambda _: self._note())
        session.mended.connect(lambda _: self._note())
        session.playing_changed.connect(lambda moves: None if moves else self._note())

    def attach(self, editor: Editor) -> None:
        """Follow edits, and refuse those that a step does not allow."""
        self._editor = editor
        editor.changed.connect(self._note)

    # -- a lesson ----

    def start(self, file: LessonFile, person: str) -> None:
        """Begin a lesson, or go on where this person left it.

        Raises
        ------
        ScenarioError, PlantError, CatalogError, UnknownPart
            When it cannot be played; what is open stays.
        OSError
            When progress cannot be kept.
        """
        self.take(begun_attempt(file, person))

    def take(self, attempt: Attempt, keep_at: Path | None = None) -> None:
        """Go on with an attempt, and keep it in another place once its hall is open; raises as `start`."""
        self._note()
        self._open_hall(attempt)
        self.attempt = attempt
        if keep_at is not None:
            self._kept(lambda: attempt.keep_at(keep_at))
        self._timer.start()
        self.session.permit = self._why_no_act
        if self._editor is not None:
            self._editor.permit = self._why_no_edit
        self._turn()

    def close(self) -> None:
        """Leave the lesson; what was done is kept."""
        if self.attempt is None:
            return
        self._note()
        self.hall.close()
        self.attempt = self.review = self.said = self._verdict = self._asked = None
        self._stop_measuring()
        self._timer.stop()
        self.session.permit = lambda _asked: ""
        if self._editor is not None:
            self._editor.permit = lambda _changes: ""
        self.closed.emit()
        self.turned.emit()

    # -- steps ----

    def go(self, place: int) -> None:
        """Go to another step of the lesson."""
        attempt = self.attempt
        if attempt is None or not 0 <= place < len(attempt.lesson.steps):
            return
        before = attempt.hall_step
        fresh = attempt.result.step(attempt.lesson.steps[place].id).opened is None
        self._note()
        self._kept(lambda: attempt.go(place))
        try:
            if attempt.hall_step != before or not self.hall.is_open:
                self._open_hall(attempt)
            else:
                self.hall.turn(self.path(attempt), fresh=fresh)
        except SCENE_ERRORS as error:
            self.failed.emit(Trouble(tr("The hall of this step cannot be opened"), str(error)))
        except OSError as error:
            self._tell_unkept(error)
        self._turn()

    def again(self) -> None:
        """Begin the step again, with the hall as it was before it."""
        attempt = self.attempt
        if attempt is None:
            return
        self._kept(attempt.again)
        try:
            self._open_hall(attempt)
        except (*SCENE_ERRORS, OSError) as error:
            self.failed.emit(Trouble(tr("The hall of this step cannot be opened"), str(error)))
        self._turn()

    def hint(self) -> None:
        """Give the next hint; it costs points."""
        attempt = self.attempt
        taken = attempt.record.hints if attempt is not None else 0
        if attempt is not None and taken < len(attempt.step.hints):
            self._kept(attempt.hint)
            self._say(hint_said(attempt.step.hints[taken], taken + 1))
            self.turned.emit()

    def check(self, answer: Answer | None = None) -> None:
        """Hold the step against the run as it stands, once the run file has come up to it; `spoke` follows."""
        if self.attempt is None or self.hall.arriving:
            return
        if self.attempt.record.solved:  # for good: another answer, or a later time, takes nothing back
            self._say(solved_said(self.attempt))
            return
        self._asked = (answer,)
        self._wait.begin()
        session = self.session
        if session.begun and not session.finished and not session.lost:
            session.set_running(False)
            session.client.pause()  # what was done just now is in the run file then
        self._check_now()

    @property
    def checking(self) -> bool:
        """Return whether a check waits for the run file."""
        return self._asked is not None

    def why(self) -> None:
        """Say how each condition stands, and what is known about a mistake."""
        verdict = self._verdict or (self.review.verdict if self.review is not None else None)
        if self.attempt is not None and verdict is not None:
            self._say(why_said(self.attempt, verdict))

    def finish(self) -> None:
        """Come to the end of the lesson."""
        attempt = self.attempt
        if attempt is not None:
            self._note()
            self._kept(attempt.finish)
            self.session.pause()
            self.turned.emit()

    # -- what is permitted ----

    def _why_no_act(self, act: Intervention) -> str:
        attempt = self.attempt
        if attempt is None or not self.hall.is_open:
            return ""
        if self.hall.arriving:
            return tr("The hall is on its way to the beginning of the step.")
        return "" if is_allowed(attempt.step.allowed, act) else allowed_words(attempt.step.allowed)

    def _why_no_edit(self, changes: Sequence[Change]) -> str:
        attempt = self.attempt
        if attempt is None or not self.hall.is_open:
            return ""
        if self.hall.arriving:
            return tr("The hall is on its way to the beginning of the step.")
        allowed = attempt.step.allowed
        if all(key_allowed(allowed, change.path) for change in changes):
            return ""
        return allowed_words(allowed)

    # -- following the run ----

    def _tick(self) -> None:
        self.hall.pace()
        wall_s = monotonic()
        session = self.session
        if session.running and wall_s - self._keep_wall_s >= KEEP_WALL_S:
            self._note()
        if self._asked is not None:
            self._check_now()
        elif self._work is None and wall_s >= self._due_wall_s and not self.hall.arriving:
            self._begin_measuring(wall_s)

    def _begin_measuring(self, wall_s: float) -> None:
        attempt, session = self.attempt, self.session
        if attempt is None or not self.hall.is_open or (self._dear and session.running):
            return
        document = session.live.document
        seen = (session.t_s, id(document), attempt.result, attempt.place)
        if document is None or seen == self._seen:
            return
        self._seen = seen
        self._due_wall_s = wall_s + REVIEW_WALL_S
        self._work = reviewing(attempt, document.scenario, session.run_file)
        self._slices.start()

    def _measure(self) -> None:
        """Measure on for a few milliseconds."""
        begin_s = perf_counter()
        while self._work is not None and perf_counter() - begin_s < SLICE_WALL_S:
            piece_s = perf_counter()
            try:
                next(self._work)
            except StopIteration as done:
                self._stop_measuring()
                self._take_review(done.value)
            except (RunFileError, OSError):  # the run is being put away
                self._stop_measuring()
            if perf_counter() - piece_s > DEAR_WALL_S:
                self._dear = True

    def _stop_measuring(self) -> None:
        self._slices.stop()
        work, self._work = self._work, None
        if work is not None:
            work.close()

    def _take_review(self, review: Review) -> None:
        attempt = self.attempt
        if attempt is None:
            return
        self.review = review
        self.reviewed.emit()
        if review.verdict.solved and attempt.step.is_task and not attempt.record.solved:
            self.check()

    def _check_now(self) -> None:
        """Do the check that waits, if the run file has come up to the run."""
        attempt, session, asked = self.attempt, self.session, self._asked
        document = session.live.document
        if attempt is None or asked is None or document is None:
            return
        if self._editor is not None and self._editor.busy:
            return
        self._stop_measuring()
        self._note()
        run_file = session.run_file
        try:
            if run_file is None:
                verdict = attempt.judged(attempt.evidence(document.scenario, None, 0.0), asked[0])
            else:
                with Reader(run_file) as reader:
                    if session.begun and reader.t_end_s < session.t_s and not session.lost:
                        self._look_stalled()  # it is written still
                        return
                    evidence = attempt.evidence(document.scenario, reader, reader.t_end_s)
                    verdict = attempt.judged(evidence, asked[0], reader.event_count, reader.event_hash)
        except RunFileError:
            self._look_stalled()  # it is being begun
            return
        except OSError:  # it cannot be opened
            self._look_stalled()
            return
        self._asked, self._verdict = None, verdict
        self._kept(lambda: attempt.keep_at(attempt.path))
        self.review = Review(verdict, self.review.figures if self.review is not None else {}, session.t_s)
        ends_s = attempt.span(document.scenario)[1]
        self._say(verdict_said(attempt, verdict, session.clock.says, ends_s))
        self.reviewed.emit()
        self.turned.emit()

    def _look_stalled(self) -> None:
        """Let go of a check for which the run file does not come any more."""
        if self._wait.is_over(self.session.run_file):
            self._asked = None
            words = tr(
                "The run is no longer recorded, so nothing can be held against it. Try the step again."
            )
            self._say(Said("notice", tr("Not checked."), words))

    def _on_arrived(self) -> None:
        self._seen = ()
        self._note()
        self.turned.emit()

    def _on_limit(self) -> None:
        """Judge the step where it ends; what was judged there already stands."""
        attempt = self.attempt
        if attempt is not None and attempt.step.conditions and not attempt.record.solved:
            self.check()
        elif attempt is not None and self.said is None:
            self._say(Said("notice", tr("The step ends here."), tr("Answer, or go on to the next step.")))

    # -- within ----

    def _open_hall(self, attempt: Attempt) -> None:
        path = self.path(attempt)
        self.hall.open(attempt, path)
        self.opened.emit(path)

    @staticmethod
    def path(attempt: Attempt) -> Path:
        """Return the file of a lesson; one that was never saved has the name it would have."""
        return attempt.file.path or Path(f"{attempt.file.id}.twin-lesson.yaml")

    def _turn(self) -> None:
        self._stop_measuring()
        self.review = self.said = self._verdict = self._asked = None
        self._dear, self._seen = False, ()
        self.turned.emit()

    def _say(self, said: Said) -> None:
        self.said = said
        self.spoke.emit()

    def _note(self) -> None:
        """Keep what was done so far."""
        self._keep_wall_s = monotonic()
        if self.attempt is not None:
            self._kept(self.hall.note)

    def _kept(self, act: Callable[[], object]) -> None:
        """Do something that is kept; say so where the disk takes none."""
        try:
            act()
        except OSError as error:
            self._tell_unkept(error)

    def _tell_unkept(self, error: OSError) -> None:
        words = tr(
            "Your progress cannot be saved: {reason}. Go on, but a crash would lose it.",
            reason=error.strerror or str(error),
        )
        self.failed.emit(Trouble(tr("Progress not saved"), words))
