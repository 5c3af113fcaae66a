"""A run at work: takes requests, advances the engine in slices, tells what happens; for worker and inline."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from traceback import format_exc
from types import TracebackType
from typing import Protocol

from twin.record.contents import BY_HAND, UNDONE, Snapshot
from twin.record.events import Event, Severity
from twin.record.frame import Frame, FrameLayout
from twin.record.reader import Reader
from twin.record.recorder import Recorder, RecordMark
from twin.record.runfile import RunFileError
from twin.record.scenario_json import part_to_json
from twin.record.state_folder import new_run_path
from twin.runtime.loading import begun_anew, engine_type, gone_on
from twin.runtime.protocol import (
    Applied,
    At,
    Failed,
    Finished,
    Happened,
    Intervene,
    LoadScene,
    Message,
    Pause,
    Play,
    Ready,
    Refused,
    Relaid,
    Request,
    Rewound,
    RunEngine,
    StepRun,
    Withdraw,
)
from twin.runtime.recent_acts import RecentAct, RecentActs
from twin.runtime.state_before import StateBefore, holds
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.edit import AT_ONCE_S, Edit
from twin.scenario.schema.faults import Intervention

REPORT_WALL_S = 1.0 / 30.0
IDLE_WALL_S = 0.25
_LAG_WALL_S = 0.1
_SPEED_WINDOW_S = 0.5


@dataclass(frozen=True)
class _Answer:
    """What was answered to a request: a time [s], and the rows of events that stayed where the run went back."""

    t_s: float
    rows: int | None = None


class Outlet(Protocol):
    """Where a session puts what it has to show and say."""

    def send(self, message: Message, *, droppable: bool = False) -> None:
        """Say `message`; a droppable one will be said again soon."""

    def open(self, session: int, layout: FrameLayout) -> str:
        """Make room for frames of `layout`; return the name of the place."""

    def write(self, fill: Callable[[Frame], None], speed: float) -> None:
        """Show the frame that `fill` writes."""


class EngineSession:
    """One engine with its recorder and its clock.

    Parameters
    ----------
    outlet
        Takes messages and frames.
    engine
        Dotted name of the engine class.
    """

    def __init__(self, outlet: Outlet, engine: str) -> None:
        self._outlet = outlet
        self._engine_name = engine
        self._engine: RunEngine | None = None
        self._layout: FrameLayout | None = None  # of the frames that are shown
        self._recorder: Recorder | None = None
        self._number = 0
        self._rows = 0
        self._scenario: Scenario | None = None  # as the run was loaded
        self._acts = RecentActs()
        self._done_revs: dict[int, _Answer] = {}
        self._ended = False
        self._stand()

    @property
    def engine(self) -> RunEngine | None:
        """The engine; None: no scene is loaded."""
        return self._engine

    @property
    def recorder(self) -> Recorder | None:
        """What records the run; None: nothing does."""
        return self._recorder

    def handle(self, request: Request) -> None:
        """Do what the app asks; what belongs to an older session is left out."""
        if isinstance(request, LoadScene):
            self._load(request)
        elif self._engine is None or request.session != self._number:
            return
        elif isinstance(request, Play):
            self._play(self._engine, request.speed, request.until_s)
        elif isinstance(request, Pause):
            self._stand()
            self._observe(force=True)
            self._report(self._engine)
        elif isinstance(request, StepRun):
            self._step(self._engine, request.least, request.until_s)
        elif isinstance(request, Withdraw):
            self._withdraw(self._engine, request)
        else:
            self._intervene(self._engine, request)

    def turn(self, wall_budget_s: float) -> float:
        """Run for at most about `wall_budget_s`; return how long nothing is to be done after it [wall s]."""
        engine = self._engine
        if engine is None or not self.playing:
            return IDLE_WALL_S
        begin_wall_s = monotonic()
        target_s = min(self._due_s(begin_wall_s), self._until_s, engine.end_s)
        self._advance(engine, target_s, begin_wall_s + wall_budget_s)
        wall_s = monotonic()
        if engine.now_s >= engine.end_s:
            self._finish(engine)
            return IDLE_WALL_S
        if engine.now_s >= self._until_s:
            self._stand()
            self._observe(force=True)
            self._report(engine)
            return IDLE_WALL_S
        if self._due_s(wall_s) - engine.now_s > _LAG_WALL_S * self._speed:
            self._clock(engine, wall_s)  # too slow for this speed: what was missed is not caught up
        if wall_s - self._report_wall_s >= REPORT_WALL_S:
            self._report(engine, droppable=True)
        if engine.now_s < target_s:
            return 0.0
        return max(0.0, min(self._report_wall_s + REPORT_WALL_S - monotonic(), REPORT_WALL_S))

    @property
    def told(self) -> int:
        """Return how many rows of events have been sent."""
        return self._rows

    def close(self) -> None:
        """Close the run file; the run can be resumed from there."""
        if self._recorder is not None:
            try:
                self._recorder.close()
            except RunFileError as error:
                self._lose_recorder(error)
        self._recorder = self._engine = None

    def __enter__(self) -> EngineSession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close; but an engine that broke is asked for nothing more, least of all for a snapshot."""
        if self._recorder is not None and error is not None and not isinstance(error, SystemExit):
            self._recorder.abandon()
            self._recorder = None
        self.close()

    def _load(self, request: LoadScene) -> None:
        self._stand()
        self.close()
        try:
            engine, snapshot, missed = self._build(request)
            engine.advance(engine.now_s)  # what happens at the start has happened in the first picture
            path = Path(request.run_file) if request.run_file else new_run_path(request.scenario.title)
            self._recorder = Recorder(engine, path, resume=request.resume, resumed=snapshot)
        except (RunFileError, OSError) as error:
            self._outlet.send(Failed(request.session, str(error), ""))
            return
        except ValueError as error:  # what the model raises about a scene that cannot be run
            self._outlet.send(Failed(request.session, str(error), format_exc()))
            return
        self._engine, self._number, self._ended = engine, request.session, False
        self._rows = snapshot.events if snapshot else 0
        segment = self._outlet.open(request.session, engine.layout)
        self._layout = engine.layout
        self._outlet.send(Ready(request.session, engine.layout, segment, str(path), engine.end_s))
        if missed:
            self._outlet.send(Happened(self._number, missed))
        if request.go_to_s > engine.now_s:
            self._advance(engine, min(request.go_to_s, engine.end_s), math.inf)
        self._report(engine)
        if engine.now_s >= engine.end_s:
            self._finish(engine)

    def _build(self, request: LoadScene) -> tuple[RunEngine, Snapshot | None, tuple[Event, ...]]:
        """Return the engine, the snapshot it goes on from, and the events before that the app was not told of."""
        make = engine_type(self._engine_name)
        self._scenario, self._done_revs = request.scenario, {}
        self._acts.clear()
        if request.resume and request.run_file:
            with Reader(request.run_file) as reader:
                snapshot = reader.nearest_snapshot(math.inf)
                if snapshot is not None:
                    for marker in (marker for marker in reader.markers() if marker.kind in BY_HAND):
                        note = json.loads(marker.data)
                        self._done_revs[int(note["rev"])] = _Answer(marker.t_s, note.get("rows"))
                        if "undone_rev" in note:
                            self._done_revs[int(note["undone_rev"])] = _Answer(marker.t_s)
                    missed = [e for e in reader.all_events(request.told) if e.row < snapshot.events]
                    engine = gone_on(make, request.scenario, snapshot.data, reader.header.redraws)
                    return engine, snapshot, tuple(missed)
                redraws = reader.header.redraws
            return begun_anew(make, request.scenario, request.seed, redraws), None, ()
        if request.snapshot is not None:
            return gone_on(make, request.scenario, request.snapshot), None, ()
        return make(request.scenario, request.seed), None, ()

    def _play(self, engine: RunEngine, speed: float, until_s: float) -> None:
        self._speed, self._until_s = speed, until_s
        self.playing = speed > 0.0 and not self._ended and engine.now_s < until_s
        self._clock(engine, monotonic())
        self._report(engine)

    def _stand(self) -> None:
        self.playing, self._speed, self._until_s = False, 0.0, math.inf
        self._begin_s = self._begin_wall_s = 0.0
        self._report_wall_s = -math.inf
        self._window_s = self._window_wall_s = 0.0
        self._measured = 0.0

    def _clock(self, engine: RunEngine, wall_s: float) -> None:
        """Let simulated time be measured from now on."""
        self._begin_s, self._begin_wall_s = engine.now_s, wall_s

    def _due_s(self, wall_s: float) -> float:
        if math.isinf(self._speed):
            return math.inf
        return self._begin_s + (wall_s - self._begin_wall_s) * self._speed

    def _advance(self, engine: RunEngine, target_s: float, deadline_wall_s: float) -> None:
        """Advance to `target_s` by way of the recorder's sample times, or until the time is up."""
        while engine.now_s < target_s:
            stop_s = target_s if self._recorder is None else min(target_s, self._recorder.next_s)
            left_s = deadline_wall_s - monotonic()
            alert = None if self._recorder is None else self._recorder.alert
            engine.advance(max(stop_s, engine.now_s), max(left_s, 0.001), alert)
            self._observe()
            if monotonic() >= deadline_wall_s:
                return

    def _advance_to(self, engine: RunEngine, least: Severity, until_s: float) -> None:
        """Advance to the next event of at least a severity or to a time [s], by way of the recorder's sample times."""
        rows, end_s = self._rows, min(engine.end_s, until_s)  # all before has been told
        while engine.now_s < end_s:
            recorder = self._recorder
            stop_s = end_s if recorder is None else min(end_s, recorder.next_s)
            sampled = None if recorder is None else recorder.alert
            engine.advance(max(stop_s, engine.now_s), None, least if sampled is None else min(least, sampled))
            self._observe()
            fresh = engine.events(rows)
            if any(event.severity >= least for event in fresh):
                return
            rows = fresh[-1].row + 1 if fresh else rows

    def _observe(self, force: bool = False) -> None:
        if self._recorder is None or self._ended:  # at the end the file is closed, and there is nothing new
            return
        try:
            self._recorder.observe(force)
            if force:
                self._recorder.commit()
        except RunFileError as error:
            self._lose_recorder(error)

    def _lose_recorder(self, error: RunFileError) -> None:
        if self._recorder is not None:
            self._recorder.abandon()
            self._recorder = None
        self._acts.clear()  # of what comes now nothing is kept, so there is no way back past it
        self._outlet.send(
            Failed(self._number, f"{str(error).rstrip('.')}; the run continues without recording", "")
        )

    def _step(self, engine: RunEngine, least: Severity, until_s: float) -> None:
        self._stand()
        if not self._ended:
            if least > Severity.INFO or math.isfinite(until_s):
                self._advance_to(engine, least, until_s)
            else:
                engine.step_event()
            self._observe(force=True)
        if engine.now_s >= engine.end_s:
            self._finish(engine)
        else:
            self._report(engine)

    def _intervene(self, engine: RunEngine, request: Intervene) -> None:
        if request.rev in self._done_revs:  # asked before a crash, done, and the answer lost
            self._answer(request.rev)
            return
        # All that is due has happened, so that it can be asked again at the same point.
        engine.advance(engine.now_s)
        asked = request.intervention
        t_s = engine.boundary_s(
            asked.at_s
        )  # it is the same whether known before or not: so it can be branched
        done = asked.model_copy(update={"at_s": t_s})
        at_once = t_s - engine.now_s <= AT_ONCE_S
        # Undo goes back to before what acts now; what is ahead it just takes out.
        state, hall = (
            (engine.snapshot(), engine.hall) if at_once and self._recorder is not None else (b"", None)
        )
        reason = "the run has finished" if self._ended else engine.intervene(done)
        if reason is not None:
            self._outlet.send(Refused(self._number, request.rev, reason))
            return
        kind = "edit" if isinstance(asked, Edit) else "intervention"
        mark = self._mark(engine, kind, t_s, request.rev, done, state=self._with_act(state, done))
        if mark is not None:
            self._acts.add(RecentAct(request.rev, asked, done, state, hall, mark, at_once), engine.now_s)
        self._done_revs[request.rev] = _Answer(t_s)
        self._answer(request.rev)
        if not self.playing:
            engine.advance(t_s if at_once else engine.now_s)  # so that what was done now shows
            self._observe()
            self._report(engine)

    def _withdraw(self, engine: RunEngine, request: Withdraw) -> None:
        """Take out what is still ahead, or was done last and just now; it can be asked again at the same point."""
        if request.rev in self._done_revs:
            self._answer(request.rev)
            return
        engine.advance(engine.now_s)
        act = self._acts.find(request.done)
        done = request.done if act is None else act.done
        reason = "the run has finished" if self._ended else engine.withdraw(done)
        undone: RecentAct | None = None
        if reason is not None and act is not None and self._can_go_back(engine, act):
            engine, reason, undone = self._go_back(engine, act), None, act
        if reason is not None:
            self._report(engine)  # so that whoever asked knows what has acted by now
            self._outlet.send(Refused(self._number, request.rev, reason))
            return
        self._acts.take_out(act)
        kind = "withdrawn" if undone is None else UNDONE
        state = b"" if undone is None else undone.state  # to which the run went back
        self._mark(engine, kind, engine.now_s, request.rev, done, undone, state)
        rows = None if undone is None else undone.mark.place.events
        self._done_revs[request.rev] = _Answer(engine.now_s, rows)
        self._answer(request.rev)
        if rows is not None:
            self._report(engine)

    def _can_go_back(self, engine: RunEngine, act: RecentAct) -> bool:
        """Return whether the run stands where an act left it: what people have seen it do since stays."""
        last = not self._ended and self._acts.is_last(act)
        return last and act.at_once and engine.now_s <= act.done.at_s

    def _go_back(self, engine: RunEngine, act: RecentAct) -> RunEngine:
        """Put the run back to before an act, and return its engine."""
        assert self._scenario is not None
        make = engine_type(self._engine_name)
        before = gone_on(make, self._scenario, act.state, engine.redraws, act.hall)
        if self._rows < act.mark.place.events:
            self._report(engine)  # it alone knows of those
        self._engine = before
        if self._recorder is not None:
            try:
                self._recorder.go_back(act.mark, before)
            except RunFileError as error:
                self._lose_recorder(error)
        if self.playing:
            self._clock(before, monotonic())
        return before

    def _with_act(self, state: bytes, done: Intervention | Edit) -> bytes:
        """Return the state of the run behind an act from that before it; b"": it is to be taken anew.

        An act that the scene has as well could not be told from that of the scene.
        """
        known = self._scenario is None or holds(self._scenario, done)
        return b"" if known or not state else StateBefore(state, done).data()

    def _answer(self, rev: int) -> None:
        """Say from when something acts, or that it is gone, and how far the run went back for that."""
        answer = self._done_revs[rev]
        if answer.rows is not None:
            self._rows = min(self._rows, answer.rows)
            self._outlet.send(Rewound(self._number, answer.t_s, answer.rows))
        self._outlet.send(Applied(self._number, rev, answer.t_s))

    def _mark(
        self,
        engine: RunEngine,
        kind: str,
        t_s: float,
        rev: int,
        done: Intervention | Edit,
        undone: RecentAct | None = None,
        state: bytes = b"",
    ) -> RecordMark | None:
        """Let the run file tell what was done, or taken out again, for those who do it again.

        `state` is that of the run where it is known already.
        """
        if self._recorder is None:
            return None
        what = "edit" if isinstance(done, Edit) else "intervention"
        note = {"rev": rev, "asked_s": engine.now_s, what: json.loads(part_to_json(done))}
        if undone is not None:  # its own mark is gone
            note |= {"rows": undone.mark.place.events, "undone_rev": undone.rev}
        try:
            return self._recorder.mark(t_s, kind, _words(done), json.dumps(note), state)
        except RunFileError as error:
            self._lose_recorder(error)
        return None

    def _finish(self, engine: RunEngine) -> None:
        if self._ended:
            return
        self._ended = True
        summary = engine.summary()
        self._stand()
        if self._recorder is not None:
            try:
                self._recorder.finish(summary)
            except RunFileError as error:
                self._lose_recorder(error)
        self._report(engine)
        self._outlet.send(Finished(self._number, summary))

    def _report(self, engine: RunEngine, droppable: bool = False) -> None:
        """Say what happened and show a frame."""
        wall_s = monotonic()
        self._measure(engine, wall_s)
        if engine.layout != self._layout:
            self._layout = engine.layout
            segment = self._outlet.open(self._number, engine.layout)
            self._outlet.send(Relaid(self._number, engine.layout, segment))
        events = tuple(engine.events(self._rows))
        if events:
            self._rows = events[-1].row + 1
            self._outlet.send(Happened(self._number, events))
        self._outlet.write(engine.fill, self._measured)
        at = At(self._number, engine.now_s, self._rows, self.playing, self._ended)
        self._outlet.send(at, droppable=droppable)
        self._report_wall_s = wall_s

    def _measure(self, engine: RunEngine, wall_s: float) -> None:
        if not self.playing:
            self._measured = 0.0
        elif not self._window_wall_s or (self._measured == 0.0 and math.isfinite(self._speed)):
            self._measured = self._speed if math.isfinite(self._speed) else 0.0
            self._window_s, self._window_wall_s = engine.now_s, wall_s
        elif wall_s - self._window_wall_s >= _SPEED_WINDOW_S or self._measured == 0.0:
            passed_s = max(wall_s - self._window_wall_s, 1e-6)
            self._measured = (engine.now_s - self._window_s) / passed_s
            self._window_s, self._window_wall_s = engine.now_s, wall_s


def _words(done: Intervention | Edit) -> str:
    return done.title if isinstance(done, Edit) else f"{done.kind} {done.target}"
