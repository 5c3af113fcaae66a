"""The session: which scene is open, its plant, its run, and what the run said last. Knows no widgets."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

from psygnal import Signal
from PySide6.QtCore import QObject, QTimer

from twin.app.clock import Clock
from twin.app.open_scene import OpenScene, last_snapshot
from twin.app.run_curves import RunCurves
from twin.app.scene_errors import SCENE_ERRORS
from twin.commands.draft import Draft
from twin.plant.build import build
from twin.plant.patch import rebuild
from twin.plant.tables import Plant
from twin.record.events import Event
from twin.record.frame import Frame
from twin.runtime.client import Client
from twin.runtime.protocol import Applied, At, Died, Failed, Finished, Happened, Ready, Refused
from twin.scenario import Document, load
from twin.scenario.edit import Edit
from twin.scenario.edits import edited, in_order
from twin.scenario.faults import Intervention

POLL_MS = 33
FIGURES_WALL_S = 0.15
"""Figures in words change at most so often: faster than this nobody reads them."""
BEGIN_AFTER_MS = 250
"""A scene edited before its run has begun is given to the worker when so long nothing more was changed."""
SPEEDS: tuple[float, ...] = (1.0, 10.0, 60.0, 600.0, 3600.0, 21600.0, 86400.0, math.inf)
"""Ratios to real time on offer; infinity: as fast as possible."""
DEFAULT_SPEED = 600.0


@dataclass(frozen=True)
class Trouble:
    """Something a person should know of: one sentence, details on demand, whether the run can be resumed."""

    title: str
    text: str = ""
    detail: str = ""
    resumable: bool = False


@dataclass(frozen=True)
class Unplayable:
    """A scene that reads well and of which the worker could make no run; the scene before it is back."""

    path: Path
    reason: str


class Session:
    """One open scene and its run in the worker.

    Attributes
    ----------
    path, document, plant
        Of the open scene, as it stands at the present time of the run; None before the first.
    draft
        The scene being worked on: its file, and every step back and forth; None before the first.
    frame
        The newest frame, for the picture.
    shown
        The frame that figures in words are of, everywhere in the window; at most FIGURES_WALL_S older.
    events
        Every event of the run so far, in order.
    t_s, end_s
        Simulated time, and the end of the run [s].
    by_hand
        What a person has done to this run, in order.
    curves
        The figures of the site over the whole run.
    """

    opened = Signal(object)  # Path: another scene, of which nothing is known yet
    document_changed = Signal(object)  # Document
    plant_changed = Signal(object)  # Plant
    frame_changed = Signal(object)  # Frame
    figures_changed = Signal(object)  # Frame: `shown`
    events_added = Signal(object)  # list[Event]
    run_started = Signal()  # a new run stands at t = 0; what was shown of the last one is void
    time_changed = Signal(float)
    playing_changed = Signal(bool)
    speed_changed = Signal(float)
    ended = Signal(object)  # summary
    trouble = Signal(object)  # Trouble
    broken = Signal(object)  # Intervention that the run has taken
    unplayable = Signal(object)  # Unplayable
    recovered = Signal()
    began = Signal(object)  # file the run is recorded in, or None
    cannot_begin = Signal(str)  # why no run can be made of the scene as it stands; "": one can
    edit_applied = Signal(int, float)  # number that `ask_edit` returned, time it acts from [s]
    edit_refused = Signal(int, str)  # number, reason

    def __init__(self, client: Client | None = None, parent: QObject | None = None) -> None:
        self.path: Path | None = None
        self.draft: Draft | None = None
        self.document: Document | None = None
        self.plant: Plant | None = None
        self.frame: Frame | None = None
        self.shown: Frame | None = None
        self._shown_wall_s = -math.inf
        self.events: list[Event] = []
        self.t_s = 0.0
        self.end_s = 0.0
        self.seed = 0
        self.playing = False
        self.finished = False
        self.lost = False  # the worker is gone; `resume` brings another
        self._ready = False  # the worker has made a run of the scene
        self._opening = False  # a scene that never ran yet
        self._former: OpenScene | None = None
        self._failure: Failed | None = None
        self._asked: dict[int, Intervention] = {}  # not answered yet
        self._asked_edits: set[int] = set()
        self._left_out: set[str] = set()  # ids of edits of the file that could not act in this run
        self.begun = False  # the run has left, or is about to leave, t = 0
        self.by_hand: list[Intervention] = []
        self.speed = self._own_speed = DEFAULT_SPEED
        self.curves = RunCurves()
        self.summary: dict[str, Any] | None = None
        self.client = Client() if client is None else client
        self._timer = QTimer(parent)
        self._timer.setInterval(POLL_MS)
        self._timer.timeout.connect(self.poll)
        self._timer.start()
        self._begins = QTimer(parent)
        self._begins.setSingleShot(True)
        self._begins.setInterval(BEGIN_AFTER_MS)
        self._begins.timeout.connect(self.restart)

    # -- the scene ----

    def open(self, path: str | Path, seed: int | None = None) -> None:
        """Open a scene and stand at t = 0; the present one stays when this fails.

        Whether the scene can be played, the worker alone can tell: `unplayable` follows when it cannot, and the
        present scene is back.

        Raises
        ------
        ScenarioError
            When the file is no good; its problems name file, line, key and reason.
        """
        self.work_on(Draft(load(Path(path))), Path(path), seed)

    def work_on(
        self,
        draft: Draft,
        path: Path,
        seed: int | None = None,
        *,
        new: bool = False,
        snapshot: bytes | None = None,
    ) -> None:
        """Show a scene that is loaded: at t = 0, or where a `snapshot` of its run was taken.

        A `new` one stays even while no run can be made of it: it is being built.
        """
        scenario = draft.shown.scenario
        plant = build(scenario)
        self._former = self._present() if self._ready else self._former
        self.path, self.draft, self.plant = path, draft, plant
        self._opening = not new
        self.seed = scenario.seed if seed is None else seed
        self.document = self._seeded(draft.shown)
        self._begin(snapshot)
        self._take_speed(scenario.speed or self._own_speed)
        self.announce()

    def announce(self) -> None:
        """Tell of the open scene; also those who came after it was opened, before the first `poll`."""
        if self.document is not None:
            self.opened.emit(self.path)
            self.document_changed.emit(self.document)
            self.plant_changed.emit(self.plant)
            self.run_started.emit()
            self.time_changed.emit(0.0)

    def rewritten(self) -> None:
        """The draft was changed before its run began: show it, and let the worker have it when all is still."""
        assert self.draft is not None
        self.document = self._seeded(self.draft.shown)
        self.plant = build(self.document.scenario)
        self.frame = self.shown = None  # of another hall
        self.document_changed.emit(self.document)
        self.plant_changed.emit(self.plant)
        self._begins.start()

    def edited(self) -> None:
        """An edit of the draft acts in the run: show the hall it makes."""
        assert self.draft is not None
        assert self.plant is not None
        draft, standing = self.draft, self.plant
        ordered = in_order(draft.file.scenario)
        acted = [edit for edit in ordered if edit.at_s <= draft.t_s and edit.id not in self._left_out]
        if len(acted) > self.plant.epoch:
            scenario = self.document.scenario if self.document is not None else draft.shown.scenario
            if self._left_out:  # the scene that is shown has them, the hall has not
                scenario = self._seeded(draft.file).scenario
                for edit in acted[: self.plant.epoch]:
                    scenario = edited(scenario, edit.changes)
            for edit in acted[self.plant.epoch :]:  # the worker rebuilds at each of them
                try:
                    after = edited(scenario, edit.changes)
                    self.plant, scenario = rebuild(self.plant, after), after
                except SCENE_ERRORS as error:  # the scene was changed below it; the worker leaves it out too
                    self._left_out.add(edit.id)
                    self.trouble.emit(Trouble("An edit no longer fits", f"{edit.title or edit.id}: {error}"))
        self.document = self._seeded(draft.shown)
        if self.plant is not standing:
            self.frame = self.shown = None  # of another hall
        self.document_changed.emit(self.document)
        if self.plant is not standing:
            self.plant_changed.emit(self.plant)

    def _seeded(self, document: Document) -> Document:
        """Return a document with the seed of this run, where it decides which jobs come."""
        scenario = document.scenario
        if not scenario.streams or scenario.seed == self.seed:
            return document
        return replace(document, scenario=scenario.model_copy(update={"seed": self.seed}))

    def restart(self, seed: int | None = None) -> None:
        """Begin the run anew, with the same seed unless another is given."""
        if self.draft is None:
            return
        if seed is not None:
            self.seed = seed
        was_edited = self.plant is not None and self.plant.epoch > 0
        changes = self.draft.at(0.0) or seed is not None or was_edited
        if changes:
            self.document = self._seeded(self.draft.shown)
        if was_edited:
            self.plant = build(self.draft.shown.scenario)
            self.frame = self.shown = None  # of another hall
        if changes:
            self.document_changed.emit(self.document)
        if was_edited:
            self.plant_changed.emit(self.plant)
        self._begin()
        self.run_started.emit()
        self.time_changed.emit(0.0)

    def _begin(self, snapshot: bytes | None = None) -> None:
        if self.draft is None:
            return
        self._begins.stop()
        self.frame = self.shown = None
        self._shown_wall_s = -math.inf
        self.events, self.summary = [], None
        self._asked, self._asked_edits, self.by_hand = {}, set(), []
        self._left_out = set()
        self.begun = snapshot is not None
        self.curves.clear()
        scenario = self._seeded(self.draft.file).scenario
        self.t_s, self.end_s, self.finished = 0.0, scenario.duration_s, False
        self.lost, self._ready, self._failure = False, False, None
        self._set_playing(False)
        self.client.load(scenario, self.seed, snapshot=snapshot)

    def _present(self) -> OpenScene | None:
        if self.path is None or self.draft is None or self.plant is None:
            return None
        return OpenScene(
            self.path, self.draft, self.plant, self.seed, self.client.run_file, list(self.events)
        )

    def _go_back(self, failed: Failed) -> None:
        """Bring back the scene before the one that cannot be played, with its run where it stood."""
        path, former = self.path, self._former
        self._opening, self._former = False, None
        self.client.close()  # it may be about to end, or not
        self.path = self.draft = self.document = self.plant = None
        if former is not None:
            self.path, self.draft, self.plant = former.path, former.draft, former.plant
            self.seed = former.seed
            self.document = self._seeded(former.draft.shown)
            self._begin(last_snapshot(former.run_file))
            self.announce()
            self.events = former.events
            self.events_added.emit(list(former.events))
        else:
            self._set_playing(False)
        if path is not None:
            self.unplayable.emit(Unplayable(path, failed.message))

    @property
    def clock(self) -> Clock:
        """Return the clock of the open scene."""
        assert self.document is not None
        return Clock.of(self.document.scenario)

    # -- the run ----

    def play(self) -> None:
        """Run on at the present speed."""
        if self.document is not None and not self.finished and not self.lost:
            self._leave()
            self.client.play(self.speed)
            self._set_playing(True)

    def pause(self) -> None:
        """Stand still; what has ended stands already."""
        if self.document is not None and not self.lost and not self.finished:
            self.client.pause()
            self._set_playing(False)

    def toggle(self) -> None:
        """Play when standing, pause when playing; after the end, start anew."""
        if self.finished or (self._failure is not None and not self._ready):
            self.restart()
            self.play()
        elif self.lost:
            self.resume()
        elif self.playing:
            self.pause()
        else:
            self.play()

    def step(self) -> None:
        """Run to the next event and stand still."""
        if self.document is not None and not self.finished and not self.lost:
            self._set_playing(False)
            self._leave()
            self.client.step()

    def _leave(self) -> None:
        """Leave t = 0 with the scene as it is now."""
        if self._begins.isActive():
            self.restart()
        self.begun = True

    def set_speed(self, ratio: float) -> None:
        """Choose the ratio to real time; infinity: as fast as possible. It holds for scenes that ask for none."""
        self._own_speed = ratio
        self._take_speed(ratio)

    def _take_speed(self, ratio: float) -> None:
        if ratio == self.speed:
            return
        self.speed = ratio
        if self.playing:
            self.client.play(ratio)
        self.speed_changed.emit(ratio)

    def change_speed(self, notches: int) -> None:
        """Go `notches` places along `SPEEDS`."""
        nearest = min(range(len(SPEEDS)), key=lambda i: abs(_notch(SPEEDS[i]) - _notch(self.speed)))
        self.set_speed(SPEEDS[max(0, min(nearest + notches, len(SPEEDS) - 1))])

    def resume(self) -> None:
        """After the worker died: start another, which goes on from the last snapshot."""
        self.lost, self._ready, self._failure = False, False, None
        self.client.restart()
        self.play()
        self.recovered.emit()

    def intervene(self, intervention: Intervention) -> None:
        """Do something to the run; `trouble` tells when it is refused, else its effect comes as events."""
        if self.document is None or self.finished or self.lost:
            self.trouble.emit(Trouble("Not done", "Nothing runs that could be broken: start the run again."))
            return
        self._asked[self.client.intervene(intervention)] = intervention

    def ask_edit(self, edit: Edit) -> int:
        """Ask the worker to let an edit act now; `edit_applied` or `edit_refused` follows with this number."""
        number = self.client.intervene(edit)
        self._asked_edits.add(number)
        return number

    def close(self) -> None:
        """End the worker; idempotent."""
        self._timer.stop()
        self._begins.stop()
        self.client.close()

    # -- what the worker says ----

    def poll(self) -> None:
        """Take what the worker sent since the last call and tell those who listen."""
        for message in self.client.poll():
            if message.session != self.client.session:
                continue  # of a scene that an earlier message of this turn has put away
            match message:
                case At():
                    self._arrive(message)
                case Happened(events=events):
                    self._stand(events[-1].t_s if events else 0.0)  # they are of the hall as it is by then
                    self._add(events)
                case Ready(end_s=end_s):
                    self.end_s, self._ready, self._former = end_s, True, None
                    self._opening = False
                    self.curves.follow(self.client.run_file)
                    self.began.emit(self.client.run_file)
                    self.cannot_begin.emit("")
                case Finished(summary=summary):
                    self.summary = summary
                    self.ended.emit(summary)
                case Refused(rev=rev, reason=reason):
                    if rev in self._asked_edits:
                        self._asked_edits.discard(rev)
                        self.edit_refused.emit(rev, reason)
                        continue
                    self._asked.pop(rev, None)
                    self.trouble.emit(Trouble("Not done", reason))
                case Failed():
                    self._fail(message)
                case Died():
                    self._lose_worker(message)
                case Applied(rev=rev, t_s=t_s):  # its effect comes as events and frames
                    if rev in self._asked_edits:
                        self._asked_edits.discard(rev)
                        self.edit_applied.emit(rev, t_s)
                    elif rev in self._asked:
                        self.by_hand.append(self._asked.pop(rev))
                        self.broken.emit(self.by_hand[-1])
        frame = self.client.latest_frame()
        if frame is not None and self._fits(frame):
            self.frame = frame
            self.curves.add(frame)
            self.frame_changed.emit(frame)
        wall_s = monotonic()
        self.curves.read(self.t_s, wall_s)
        if self.frame is not self.shown and wall_s - self._shown_wall_s >= FIGURES_WALL_S:
            self.shown, self._shown_wall_s = self.frame, wall_s
            self.figures_changed.emit(self.shown)

    def _fits(self, frame: Frame) -> bool:
        """Return whether a frame is of the hall that is shown, not of one before or after an edit."""
        return (
            self.plant is not None and frame.layout.epoch == self.plant.epoch and not self._begins.isActive()
        )

    def _add(self, events: tuple[Event, ...]) -> None:
        """Keep what is new: a run that goes on from a snapshot tells again what happened since."""
        last_row = self.events[-1].row if self.events else -1
        fresh = [event for event in events if event.row > last_row]
        if fresh:
            self.events.extend(fresh)
            self.events_added.emit(fresh)

    def _fail(self, failed: Failed) -> None:
        """Tell at once what broke; a fault of a run at work ends the worker, and `Died` tells of both."""
        if not self._ready and self._opening:
            self._go_back(failed)
        elif not self._ready:
            self._failure = failed
            self.cannot_begin.emit(failed.message)
            if self.playing:  # else it is being built, and says so quietly
                self.trouble.emit(Trouble("The run cannot begin", failed.message, failed.traceback))
            self._set_playing(False)
            self.begun = False
        elif failed.traceback:
            self._failure = failed
        else:
            self.trouble.emit(Trouble("The run is not recorded", failed.message))

    def _arrive(self, at: At) -> None:
        self.finished = at.ended
        if at.t_s != self.t_s:
            self.t_s = at.t_s
            self._stand(at.t_s)
            self.time_changed.emit(at.t_s)
        if at.ended:  # a worker that stands says nothing new: it may be about to answer a `play`
            self._set_playing(False)

    def _stand(self, t_s: float) -> None:
        """Let the edits of the file that act up to a time have acted."""
        if self.draft is not None and self.draft.at(max(t_s, self.draft.t_s)):
            self.edited()

    def _lose_worker(self, died: Died) -> None:
        self.lost = True
        self._set_playing(False)
        kept = "Nothing of the scene is lost."
        words = died.last_words or self._failure
        if words is not None:
            text, detail = f"{words.message}. {kept}", words.traceback
        else:
            code = "" if died.exit_code is None else f" (exit code {died.exit_code})"
            text, detail = f"The simulation process ended unexpectedly{code}. {kept}", ""
        self.trouble.emit(Trouble("The simulation stopped", text, detail, resumable=True))

    def _set_playing(self, playing: bool) -> None:
        if playing != self.playing:
            self.playing = playing
            self.playing_changed.emit(playing)


def _notch(ratio: float) -> float:
    return math.log10(ratio) if math.isfinite(ratio) else 9.0
