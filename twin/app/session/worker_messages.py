"""What is said between the window and the worker: what was asked of it, and what it says of the run."""

from __future__ import annotations

from bisect import bisect_left
from time import monotonic

from twin.app.session.hall_versions import HallVersions
from twin.app.session.recording import is_recording
from twin.app.session.restore_point import OpenScene, last_snapshot
from twin.app.session.run_state import RunState
from twin.app.session.scrubbing import Looking
from twin.app.session.session_state import SessionState
from twin.app.toolkit.problem_notice import CANNOT_START, NOT_PERMITTED, Trouble, Unplayable
from twin.language import tr
from twin.record.events import Event
from twin.runtime.protocol import (
    Applied,
    At,
    Died,
    Failed,
    Finished,
    Happened,
    Message,
    Ready,
    Refused,
    Relaid,
    Rewound,
)
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.faults import Intervention

PATIENCE_WALL_S = 0.3
"""So long the picture of an edit goes before those of the run; a worker that is slower to answer holds up nothing."""


class WorkerTalk:
    """Takes what the worker says, and tells the session what becomes of it.

    Attributes
    ----------
    ready
        The worker has made a run of the scene.
    opening
        The scene never ran yet: where it cannot be played, the one before comes back.
    former
        That one; None: there was none.
    failure
        What broke last; None: nothing.
    """

    def __init__(self, session: SessionState, halls: HallVersions, looking: Looking) -> None:
        self._session, self._halls, self._looking = session, halls, looking
        self.ready = self.opening = False
        self.former: OpenScene | None = None
        self.failure: Failed | None = None
        self._asked: dict[int, Intervention] = {}  # not answered yet
        self._asked_out: dict[int, Intervention] = {}
        self._asked_edits: set[int] = set()
        self._asked_wall_s = 0.0  # of the newest of them
        self._at: At | None = None  # not told yet

    @property
    def waits(self) -> bool:
        """Return whether an edit was asked for just now and is not answered yet."""
        return bool(self._asked_edits) and monotonic() - self._asked_wall_s < PATIENCE_WALL_S

    def begin(self) -> None:
        """Another run is asked for."""
        self._asked, self._asked_out, self._asked_edits, self._at = {}, {}, set(), None
        self.ready, self.failure = False, None

    def resume(self) -> None:
        """Let another worker go on from the last snapshot."""
        self.ready, self.failure = False, None
        self._session.client.restart()

    def intervene(self, intervention: Intervention, out: bool = False) -> None:
        """Ask it to do something to the run, or to take it out while it is ahead."""
        session = self._session
        if session.document is None or session.finished or session.lost:
            nothing = tr("Run finished: start it again to inject a fault.")
            session.trouble.emit(Trouble(tr("Change refused"), nothing))
            session.refused.emit(intervention, nothing)
        elif not out and (reason := session.permit(intervention)):
            session.trouble.emit(Trouble(NOT_PERMITTED, reason))
            session.refused.emit(intervention, reason)
        elif out:
            self._asked_out[session.client.withdraw(intervention)] = intervention
        else:
            session.asked.emit(intervention)
            self._asked[session.client.intervene(intervention)] = intervention

    def ask_edit(self, edit: Edit, out: bool = False) -> int:
        """Ask it to let an edit act, or to take one out; return the number of what is asked."""
        client = self._session.client
        number = client.withdraw(edit) if out else client.intervene(edit)
        self._asked_edits.add(number)
        self._asked_wall_s = monotonic()
        return number

    def put_away(self) -> None:
        """Keep what it takes to come back to the scene that is open, should the next one not be playable."""
        session, plant = self._session, self._session.live.plant
        known = self.ready or session.recording is not None
        if known and session.path is not None and session.draft is not None and plant is not None:
            events = list(session.live.events)
            self.former = OpenScene(
                session.path, session.draft, plant, session.seed, session.run_file, events
            )

    def listen(self) -> None:
        """Take what it said since the last call; of the times it stood at the newest, once no answer is awaited."""
        client = self._session.client
        for message in client.poll():
            if isinstance(message, At):
                self._at = message
                continue
            if isinstance(message, Finished | Refused):
                # A summary is of a run that stands at its end, and what was to be taken out may have acted just now.
                self._tell_time()
            self._hear_known(message)
        if not self.waits:
            self._tell_time()

    def _tell_time(self) -> None:
        """Take the newest of the times it stood at, if that is not told yet."""
        if self._at is not None:
            at, self._at = self._at, None
            self._hear_known(at)

    def _hear_known(self, message: Message) -> None:
        """Take what is of the run that is open, not of one put away, perhaps by a message of this turn."""
        session = self._session
        if message.session == session.client.session and session.recording is None:
            self.hear(message)

    def hear(self, message: Message) -> None:
        """Take one thing it says."""
        session = self._session
        match message:
            case At():
                self._arrive(message)
            case Happened(events=events):
                events = session.veil.of(session.draft, events)
                self._halls.leave_out(events)
                session.stand(events[-1].t_s if events else 0.0)  # they are of the hall as it is by then
                self._add(events)
            case Ready(end_s=end_s):
                session.end_s, self.ready, self.former = end_s, True, None
                self.opening = False
                run_file = session.client.run_file
                session.curves.follow(run_file)
                session.replay.open(run_file, session.live.events)
                session.began.emit(run_file)
                session.cannot_begin.emit("")
            case Relaid(layout=layout):
                self._halls.believe(layout)
            case Finished(summary=summary):
                session.summary = summary
                session.ended.emit(summary)
            case Refused(rev=rev, reason=reason):
                if rev in self._asked_edits:
                    self._asked_edits.discard(rev)
                    session.edit_refused.emit(rev, reason)
                    return
                if rev in self._asked_out:
                    session.not_withdrawn.emit(self._asked_out.pop(rev), reason)
                    return
                asked = self._asked.pop(rev, None)
                session.trouble.emit(Trouble(tr("Change refused"), reason))
                if asked is not None:
                    session.refused.emit(asked, reason)
            case Failed():
                self._fail(message)
            case Died():
                self._lose_worker(message)
            case Rewound():
                self._go_back_to(message)
            case Applied(rev=rev, t_s=t_s):  # its effect comes as events and frames
                if rev in self._asked_edits:
                    self._asked_edits.discard(rev)
                    session.edit_applied.emit(rev, t_s)
                elif rev in self._asked:
                    session.live.by_hand.append(self._asked.pop(rev))
                    session.broken.emit(session.live.by_hand[-1])
                elif rev in self._asked_out:
                    gone = self._asked_out.pop(rev)
                    session.live.by_hand[:] = [
                        intervention for intervention in session.live.by_hand if intervention is not gone
                    ]
                    session.mended.emit(gone)

    def _add(self, events: tuple[Event, ...]) -> None:
        """Keep new events only: a run continued from a snapshot sends the events since then again."""
        _session, held = self._session, self._session.live.events
        last_row = held[-1].row if held else -1
        fresh = [event for event in events if event.row > last_row]
        held.extend(fresh)
        self._looking.tell(fresh)

    def _go_back_to(self, rewound: Rewound) -> None:
        """Forget what happened since: to the run it never did."""
        session, live, self._at = self._session, self._session.live, None
        stays = bisect_left(live.events, rewound.events, key=lambda event: event.row)
        live.events = live.events[:stays]  # another list: whoever has read on in the last one begins again
        if self._halls.foreseen is not None:
            self._halls.foreseen.events = live.events
        if session.draft is not None:
            session.draft.go_back(rewound.t_s)
        session.curves.go_back(rewound.t_s)
        session.replay.open(session.client.run_file, live.events)
        session.arrive(rewound.t_s)
        session.went_back.emit(rewound.t_s)
        self._looking.shorten()

    def _arrive(self, at: At) -> None:
        session = self._session
        session.finished = at.ended
        if at.t_s != session.t_s:
            session.arrive(at.t_s)
        stopped = session.running and at.t_s >= session.stop_s
        if at.ended or stopped:  # a worker that stands says nothing new: it may be about to answer a `play`
            session.set_running(False)
        if stopped:
            session.at_stop.emit()

    def _fail(self, failed: Failed) -> None:
        """Tell at once what broke; a fault of a run at work ends the worker, and `Died` tells of both."""
        session = self._session
        if not self.ready and self.opening:
            self._go_back(failed)
        elif not self.ready:
            self.failure = failed
            session.cannot_begin.emit(failed.message)
            if session.running:  # else it is being built, and says so quietly
                session.trouble.emit(Trouble(CANNOT_START, failed.message, failed.traceback))
            session.set_running(False)
            session.begun = False
        elif failed.traceback:
            self.failure = failed
        else:
            session.trouble.emit(Trouble(tr("The run is not recorded"), failed.message))

    def _go_back(self, failed: Failed) -> None:
        """Bring back the scene before the one that cannot be played, with its run where it stood."""
        session = self._session
        path, former = session.path, self.former
        self.opening, self.former = False, None
        session.client.close()  # it may be about to end, or not
        session.path = session.draft = None
        session.live = RunState()
        if former is None:
            session.clear()
        elif is_recording(former.path):
            session.open_recording(former.path)
        else:
            session.path, session.draft, session.seed = former.path, former.draft, former.seed
            session.live = RunState(self._halls.seeded(former.draft.shown), former.plant)
            session.begin(last_snapshot(former.run_file))
            session.announce()
            session.live.events = former.events
            self._looking.tell(former.events)
        if path is not None:
            session.unplayable.emit(Unplayable(path, failed.message))

    def _lose_worker(self, died: Died) -> None:
        session = self._session
        session.lost = True
        session.set_running(False)
        kept = tr("The scene is not lost.")
        words = died.last_words or self.failure
        if words is not None:
            text, detail = f"{words.message}. {kept}", words.traceback
        else:
            code = "" if died.exit_code is None else tr(" (exit code {exit_code})", exit_code=died.exit_code)
            text, detail = (
                tr("The simulation process ended unexpectedly{code}. {kept}", code=code, kept=kept),
                "",
            )
        session.trouble.emit(Trouble(tr("The simulation stopped"), text, detail, resumable=True))
