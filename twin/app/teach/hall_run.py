"""The hall of a lesson in the session: opened as it was left, run to where its step begins, stopped where it ends."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import monotonic

from psygnal import Signal

from twin.analysis.rerun import settled
from twin.app.session.scene_errors import SCENE_ERRORS
from twin.app.session.session import Session
from twin.commands.edit.draft import Draft
from twin.commands.edit.draft_steps import edit_text
from twin.lessons.attempt import Attempt
from twin.lessons.replay import span_of
from twin.lessons.step_hall import Act, place_of_hall
from twin.record.reader import Reader
from twin.record.runfile import RunFileError
from twin.record.scenario_json import part_to_json
from twin.scenario import Change, Document, Patch
from twin.scenario.file.patch_text import apply
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.faults import Intervention

NEAR_WALL_S = 2.5
"""So long before its limit a run begins to slow down, of the time that people have [s]."""
SLOWEST = 8
"""It becomes so much slower, at most."""
STALLED_WALL_S = 5.0
"""A run file that has not come up to its run, and does not grow for so long, is not written any more [s]."""


class RecordingWait:
    """Waits for a run file to come up to its run, as long as it grows."""

    def __init__(self) -> None:
        self._size, self._since_wall_s = -1, math.inf

    def begin(self) -> None:
        """Wait from now on."""
        self._size, self._since_wall_s = -1, monotonic()

    def is_over(self, run_file: Path | None) -> bool:
        """Return whether the file has not grown for so long that nobody writes it any more."""
        try:
            size = run_file.stat().st_size if run_file is not None else 0
        except OSError:
            size = 0
        if size > self._size:
            self._size, self._since_wall_s = size, monotonic()
        return monotonic() - self._since_wall_s > STALLED_WALL_S


class LessonHall:
    """Opens the hall of an attempt in a session, follows what is done there, and keeps it.

    Attributes
    ----------
    arriving
        Whether the run is on its way to where the person should find it.
    """

    arrived = Signal()  # the run stands where the person should find it
    limit = Signal()  # the run stands where the step ends
    restarted = Signal()  # somebody began the run anew
    left = Signal()  # another scene was opened

    def __init__(self, session: Session) -> None:
        self._session = session
        self._attempt: Attempt | None = None
        self._draft: Draft | None = None
        self._opening = self.arriving = self._begun = self._pacing = False
        self._kept: tuple[Act, ...] = ()  # of before this run, which are part of its scene
        self._acts: tuple[Act, ...] = ()
        self._scene: str | None = None  # text that the run began with, where that is not the lesson's
        self._was: str | None = None  # the same as the hall was opened
        self._text = ""  # of the document as it was opened
        self._speed, self._seed = session.speed, session.seed
        session.at_stop.connect(self._on_stop)
        session.ended.connect(lambda _: self._on_stop())
        session.run_started.connect(self._on_run_started)
        session.opened.connect(lambda _: self._on_opened())
        session.speed_changed.connect(self._on_speed)
        session.playing_changed.connect(lambda _: self._look_begun())

    @property
    def is_open(self) -> bool:
        """Return whether the scene of the session is the hall of a lesson."""
        return self._attempt is not None and self._session.draft is self._draft

    @property
    def limit_s(self) -> float:
        """Return how far the run may go [s]: to the end of the step, or of the last step of this hall that was seen."""
        attempt, document = self._attempt, self._session.document
        if attempt is None or document is None:
            return math.inf
        lesson, hall = attempt.lesson, place_of_hall(attempt.lesson, attempt.place)
        seen = [
            place
            for place in range(attempt.place, len(lesson.steps))
            if place_of_hall(lesson, place) == hall
            and attempt.result.step(lesson.steps[place].id).opened is not None
        ]
        ends = [span_of(lesson, place, document.scenario)[1] for place in (attempt.place, *seen[-1:])]
        return next((ends_s for ends_s in ends if ends_s > self._session.t_s), ends[-1])

    def open(self, attempt: Attempt, path: Path) -> None:
        """Open the hall as the person left it, and let it run to where they were, or to where the step begins.

        Raises
        ------
        ScenarioError, PlantError, CatalogError, UnknownPart
            When no hall can be made of it; the scene that is open stays.
        """
        document = attempt.document()
        kept = tuple(done.act for done in attempt.hall.acts)
        draft = Draft(with_kept(document, kept))
        goal_s = max(attempt.hall.until_s, attempt.span(document.scenario)[0])
        former = self._attempt, self._draft, self.arriving
        self._attempt, self._draft, self.arriving, self._opening = attempt, draft, True, True
        try:
            self._session.work_on(draft, path)
        except SCENE_ERRORS:
            self._attempt, self._draft, self.arriving = former
            raise
        finally:
            self._opening = False
        self._kept, self._seed = kept, self._session.seed
        self._acts = kept
        self._scene = self._was = attempt.hall.scene
        self._text, self._begun = draft.file.text, False
        self._go_to(min(goal_s, document.scenario.duration_s))

    def turn(self, path: Path, *, fresh: bool) -> None:
        """Let the run stand where another step in the same hall wants it, when it was never seen before.

        Where the run is past its beginning already, the hall is opened anew, unless something was done since: then it
        stays as it is. Raises as `open`, and `OSError` where that cannot be kept.
        """
        attempt, document = self._attempt, self._session.document
        assert attempt is not None
        assert document is not None
        begins_s = attempt.step.begins_s
        t_s = self._session.t_s
        if fresh and begins_s is not None and t_s < begins_s:
            self._go_to(min(begins_s, document.scenario.duration_s))
        elif (
            fresh
            and begins_s is not None
            and t_s > begins_s > max((act.at_s for act in self._acts), default=-1)
        ):
            try:
                attempt.did(self._acts, begins_s, self._scene)
            finally:
                self.open(attempt, path)
        else:
            self._take_limit()

    def close(self) -> None:
        """Have nothing to do with the session any more."""
        self._attempt = self._draft = None
        self.arriving = False

    def note(self) -> None:
        """Keep what was done so far, and how far the run came; raises `OSError`."""
        attempt, session = self._attempt, self._session
        if attempt is None or not self.is_open or self.arriving:
            return
        if session.begun:
            self._acts = self._asked()
        elif session.draft is not None:
            text = session.draft.file.text
            self._scene = self._was if text == self._text else text
            session.draft.mark_saved()
        attempt.did(self._acts, session.t_s, self._scene)

    def pace(self) -> None:
        """Slow down near the limit, so that nobody misses it."""
        session = self._session
        if not self.is_open or self.arriving or not session.running or math.isinf(self._speed):
            return
        left_wall_s = (session.stop_s - session.t_s) / self._speed
        slower = 1
        while slower < SLOWEST and left_wall_s * slower < NEAR_WALL_S:
            slower *= 2
        self._pace(self._speed / slower)

    def _pace(self, speed: float) -> None:
        self._pacing = True
        try:
            self._session.take_speed(speed)
        finally:
            self._pacing = False

    def _go_to(self, goal_s: float) -> None:
        self.arriving = True
        self._session.go_on_to(goal_s)

    def _take_limit(self) -> None:
        self._session.stop_s = self.limit_s

    def _asked(self) -> tuple[Act, ...]:
        """Return what people have done up to now: what is part of the scene, and what the run file tells."""
        run_file = self._session.run_file
        if run_file is None:
            return self._acts
        try:
            with Reader(run_file) as reader:
                found = settled(reader)
        except RunFileError:
            return self._acts
        kept = [act for act in self._kept if act not in found.out_of_scene]
        return (*kept, *(request.done for request in found.asked))

    def _on_stop(self) -> None:
        if not self.is_open:
            return
        if not self.arriving:
            self._pace(self._speed)
            self.limit.emit()
            return
        self.arriving = False
        attempt = self._attempt
        assert attempt is not None
        if attempt.step.speed is not None:
            self._session.take_speed(attempt.step.speed)
        self._take_limit()
        self.arrived.emit()

    def _on_speed(self, speed: float) -> None:
        if not self._pacing:
            self._speed = speed

    def _on_run_started(self) -> None:
        if self._opening or not self.is_open:
            return
        if self._begun or self._session.seed != self._seed:
            self._begun, self._seed = False, self._session.seed
            self.restarted.emit()

    def _look_begun(self) -> None:
        self._begun = self._begun or (self.is_open and self._session.begun)

    def _on_opened(self) -> None:
        if self._attempt is not None and not self._opening and not self.is_open:
            self.close()
            self.left.emit()


def with_kept(document: Document, acts: Sequence[Act]) -> Document:
    """Return a scene in which acts of a person happen again, after what it has itself; raises `ScenarioError`."""
    changes = [Change(f"edits[{act.id}]", edit_text(act)) for act in acts if isinstance(act, Edit)]
    done = [act for act in acts if isinstance(act, Intervention)]
    if done:
        both = (*document.scenario.interventions, *done)
        changes.append(Change("interventions", _as_text(both)))
    return apply(document, Patch(tuple(changes))) if changes else document


def _as_text(acts: Iterable[Intervention]) -> str:
    return json.dumps([json.loads(part_to_json(act)) for act in acts])
