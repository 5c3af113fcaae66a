"""The session: which scene is open, its plant, its run, and what the run said last. Knows no widgets."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Any

from PySide6.QtCore import QObject, QTimer

from twin.app.session.frame_migration import is_of
from twin.app.session.hall_versions import HallVersions
from twin.app.session.over_seeds import OverSeeds
from twin.app.session.pace import PacedSession
from twin.app.session.recording import copy_to_go_on, read_recording
from twin.app.session.replay import Replay
from twin.app.session.run_state import RunState
from twin.app.session.scrubbing import FIGURES_WALL_S, Looking
from twin.app.session.site_curves import RunCurves
from twin.app.session.speeds import DEFAULT_SPEED as DEFAULT_SPEED
from twin.app.session.speeds import SPEEDS as SPEEDS
from twin.app.session.veil import Veil
from twin.app.session.worker_messages import WorkerTalk
from twin.app.toolkit.clock import Clock
from twin.catalog import Catalog, load_catalog
from twin.commands.edit.draft import Draft
from twin.plant.build import plant_of
from twin.plant.tables import Plant
from twin.record.events import Event, Severity
from twin.record.frame import Frame
from twin.runtime.client import Client
from twin.runtime.memory import forget
from twin.scenario import Document, load
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.faults import Intervention

POLL_MS, ASKING_POLL_MS = 33, 4
"""Between two looks at what the worker has said; and while an edit waits for its answer."""
BEGIN_AFTER_MS = 250
"""A scene edited before its run has begun is given to the worker when so long nothing more was changed."""


class Session(PacedSession):
    """One open scene and its run in the worker, or a recording of one.

    Attributes
    ----------
    path
        Of the open scene or recording; None before the first.
    draft
        The scene being worked on: its file, and every step back and forth; None before the first.
    live
        The run as it stands now.
    shown
        The frame that figures in words are of, everywhere in the window; at most FIGURES_WALL_S older.
    t_s, end_s
        Simulated time the run stands at, and its end [s].
    running
        Whether the run goes on.
    recording
        The run file that was opened, with no worker behind it; None: there is one.
    grows
        Another program still writes it.
    least_listed
        Events less severe than this are not listed, and nobody stops at them.
    curves, over_seeds
        The figures of the site over the whole run, and their bands over runs with other seeds.
    replay
        What of the run's record is looked at, when it is not the present.
    """

    def __init__(self, client: Client | None = None, parent: QObject | None = None) -> None:
        self.path: Path | None = None
        self.draft: Draft | None = None
        self.live = RunState()
        self.shown: Frame | None = None
        self._shown_wall_s = -math.inf
        self.picture_due: Callable[[], bool] = lambda: False  # of a changed hall: figures let it go first
        self.t_s = self.end_s = 0.0
        self.seed = 0
        self.running = False
        self._moved = False  # what `playing_changed` told last
        self.finished = False
        self.lost = False  # the worker is gone; `resume` brings another
        self.begun = False  # the run has left, or is about to leave, t = 0
        self.recording: Path | None = None
        self.grows = False
        self.veil = Veil()  # over what is hidden of a run
        self.least_listed = Severity.INFO
        self.curves = RunCurves()
        self.over_seeds = OverSeeds()
        self.summary: dict[str, Any] | None = None
        self.client = Client() if client is None else client
        self.replay = Replay()
        self.halls = HallVersions(self)
        self.looking = Looking(self, self.halls)
        self._talk = WorkerTalk(self, self.halls, self.looking)
        self.replay.looked.connect(self._on_looked)
        self.replay.playing_changed.connect(lambda _: self._tell_moving())
        self._timer = QTimer(parent, interval=POLL_MS)
        self._timer.timeout.connect(self.poll)
        self._timer.start()
        self._begins = QTimer(parent, singleShot=True, interval=BEGIN_AFTER_MS)
        self._begins.timeout.connect(self._begin_behind)

    # -- what is on screen ----

    @property
    def _screen(self) -> RunState:
        return self.looking.past or self.halls.foreseen or self.live

    @property
    def document(self) -> Document | None:
        """Return the scene as it stands at the time on screen; None before the first."""
        return self._screen.document

    @property
    def plant(self) -> Plant | None:
        """Return its hall."""
        return self._screen.plant

    @property
    def catalog(self) -> Catalog:
        """Return the parts there are to build with: the shipped ones, and those of the scene."""
        plant = self.plant
        return load_catalog() if plant is None else plant.catalog

    @property
    def frame(self) -> Frame | None:
        """Return the picture on screen."""
        return self._screen.frame

    @property
    def events(self) -> list[Event]:
        """Return what had happened by then, in order."""
        return self._screen.events

    @property
    def by_hand(self) -> list[Intervention]:
        """Return what people had done to the run by then, in order."""
        looking_s = self.looking_s
        return [
            intervention
            for intervention in self.live.by_hand
            if looking_s is None or intervention.at_s <= looking_s
        ]

    @property
    def looking_s(self) -> float | None:
        """Return the time that is looked at [s]; None: the present."""
        return self.replay.looking_s if self.looking.past is not None else None

    @property
    def shown_s(self) -> float:
        """Return the time on screen [s]."""
        looking_s = self.looking_s
        return self.t_s if looking_s is None else looking_s

    @property
    def playing(self) -> bool:
        """Return whether what is on screen moves."""
        return self.running if self.looking_s is None else self.replay.playing

    @property
    def run_file(self) -> Path | None:
        """Return where the run is recorded; None: nowhere, not yet, or a part of it is hidden."""
        kept = self.client.run_file if self.recording is None else self.recording
        return None if self.veil.covers(self.draft) else kept

    # -- the scene ----

    def open(self, path: str | Path, seed: int | None = None) -> None:
        """Open a scene and stand at t = 0; the present one stays when this fails.

        Whether it can be played the worker alone can tell: else `unplayable` follows, and the present one is back.

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
        branch: tuple[Path, float] | None = None,
    ) -> None:
        """Show a scene that is loaded: at t = 0, where a `snapshot` of its run was taken, or as a `branch` in a file.

        A `new` one stays even while no run can be made of it: it is being built.
        """
        forget()
        scenario = draft.shown.scenario
        plant = plant_of(scenario)
        self._talk.put_away()
        self.path, self.draft, self.stop_s = path, draft, math.inf
        self._talk.opening = not new
        self.seed = scenario.seed if seed is None else seed
        self.live = RunState(self.halls.seeded(draft.shown), plant)
        self.begin(snapshot, branch)
        self.take_speed(scenario.speed or self._own_speed)
        self.announce()

    def open_recording(self, path: Path) -> str:
        """Open a run file by itself, at its beginning; return in what it was made otherwise, "" for nothing.

        Raises
        ------
        RunFileError
            When it is none, or cannot be shown; the present scene stays.
        ScenarioError, PlantError, CatalogError, UnknownPart
            When no hall can be made of its scene.
        """
        found = read_recording(path)
        self._talk.put_away()
        self.path, self.draft, self.seed, self.stop_s = path, found.draft, found.seed, math.inf
        self.clear()
        self.client.rest()
        self.live = RunState(self.halls.seeded(found.draft.shown), found.plant, None, found.events)
        self.recording, self.live.by_hand, self.begun = path, found.by_hand, True
        self.end_s, self.summary, self.finished = found.end_s, found.summary, found.summary is not None
        self.curves.follow(path)
        self.replay.open(path, self.live.events, live=False)
        self.take_speed(found.draft.shown.scenario.speed or self._own_speed)
        self.announce()
        self.arrive(found.t_s)
        self.replay.look(0.0)
        self.began.emit(None)
        return found.warning

    def go_on(self) -> float:
        """Let a recorded run that has not come to its end go on in a copy of its file, and return from when [s].

        What was recorded after its last snapshot is simulated again, and happens again as it did.

        Raises
        ------
        RunFileError
            When the file cannot be copied.
        """
        if self.recording is None or self.draft is None or self.finished:
            return self.t_s
        found = copy_to_go_on(self.recording)
        self.recording, self.grows = None, False
        del self.live.events[found.events :]
        self.live.by_hand = [
            intervention for intervention in self.live.by_hand if intervention.at_s <= found.t_s
        ]
        self.curves.clear()
        self.replay.open(found.copy, self.live.events)
        self.arrive(found.t_s)
        self.replay.back_to_live()
        self.looking.shorten()
        self.client.load(found.scenario, self.seed, found.copy, branch_s=0.0)
        return found.t_s

    def announce(self) -> None:
        """Tell of the open scene; also those who came after it was opened, before the first `poll`."""
        if self.document is not None:
            self.opened.emit(self.path)
            self.document_changed.emit(self.document)
            self.plant_changed.emit(self.plant)
            self.run_started.emit()
            self.time_changed.emit(self.shown_s)

    def _begin_behind(self) -> None:
        """Restart the run of a changed scene, once its hall was drawn."""
        if self.picture_due():
            self._begins.start()
        else:
            self.restart()

    def rewritten(self) -> None:
        """The draft was changed before its run began: show it, and let the worker have it when all is still."""
        self.halls.rewritten()
        self._begins.start()

    def edited(self) -> None:
        """An edit of the draft acts in the run: show the hall it makes."""
        self.halls.edited()

    def show(self, document: Document, plant: Plant, *, anew: bool = False) -> None:
        """Attach the run to this scene and hall, restarted with `anew`, and signal which time is on screen."""
        before = self.document, self.plant
        if anew or plant is not self.live.plant:
            self.live.frame = None
        self.live.document, self.live.plant, self.halls.foreseen = document, plant, None
        self.halls.tell((None, None) if anew else before)

    def restart(self, seed: int | None = None) -> None:
        """Restart the run, with the same seed unless another is given; not one of which a part is hidden."""
        if self.draft is None or (self.begun and self.veil.covers(self.draft)):
            return
        self.replay.back_to_live()
        self.halls.take_back()
        if seed is not None:
            self.seed = seed
        was_edited = self.live.plant is not None and self.live.plant.epoch > 0
        if self.draft.at(0.0) or seed is not None or was_edited:
            document = self.halls.seeded(self.draft.shown)
            plant = plant_of(document.scenario) if was_edited or self.live.plant is None else self.live.plant
            self.show(document, plant)
        self.begin()
        self.run_started.emit()
        self.time_changed.emit(0.0)

    def begin(self, snapshot: bytes | None = None, branch: tuple[Path, float] | None = None) -> None:
        """Let the worker make a run of the scene, from its start or a snapshot, or go on in that of a branch."""
        if self.draft is None:
            return
        self.clear()
        self.begun = snapshot is not None or branch is not None
        scenario = self.veil.into(self.draft, self.halls.seeded(self.draft.file).scenario)
        self.end_s = scenario.duration_s
        run_file, branch_s = (None, None) if branch is None else branch
        self.client.load(scenario, self.seed, run_file, snapshot, branch_s)

    def clear(self) -> None:
        """Forget the run there was; the scene stays."""
        self._begins.stop()
        self._talk.begin()
        self.halls.clear()
        self.looking.forget()
        self.replay.clear()
        self.live.frame = self.shown = self.recording = self.summary = None
        self._shown_wall_s = -math.inf
        self.live.events, self.live.by_hand = [], []
        self.curves.clear()
        self.t_s, self.finished, self.lost, self.begun, self.grows = 0.0, False, False, False, False
        self.set_running(False)

    @property
    def clock(self) -> Clock:
        """Return the clock of the open scene."""
        assert self.document is not None
        return Clock.of(self.document.scenario)

    # -- the run ----

    def play(self, ratio: float | None = None, until_s: float = math.inf) -> None:
        """Let the run go on to `until_s` [s], or its record where that is on screen, at the speed chosen or a ratio."""
        if self.looking_s is not None:
            self.replay.play(ratio or self.speed)
        elif not (self.document is None or self.finished or self.lost or self.stands_at_stop()):
            self.leave_start()
            self.client.play(ratio or self.speed, min(until_s, self.stop_s))
            self.set_running(True)

    def pause(self) -> None:
        """Let what is on screen stand still; what has ended stands already."""
        if self.looking_s is not None:
            self.replay.pause()
        elif self.document is not None and not self.lost and not self.finished:
            self.client.pause()
            self.set_running(False)

    def halt(self) -> None:
        """Let everything stand still: the record that plays, and the run itself."""
        self.replay.pause()
        if self.running:
            self.client.pause()
            self.set_running(False)

    def toggle(self) -> None:
        """Play when standing, pause when playing; a run that is over stays, as does what came of it."""
        if self.playing:
            self.pause()
        elif self.looking_s is not None:
            self.play()
        elif self._talk.failure is not None and not self._talk.ready:
            self.restart()
            self.play()
        elif self.finished:
            self.at_end.emit()
        elif self.lost:
            self.resume()
        else:
            self.play()

    def step(self) -> None:
        """Go to the next event that is listed and stand still: let the run come to it, or look at it in the record."""
        if self.looking_s is not None:
            self.replay.step(1, self.least_listed)
        elif self.document is not None and not (self.finished or self.lost or self.veil.covers(self.draft)):
            self.set_running(False)
            if not self.stands_at_stop():
                self.leave_start()
                self.client.step(self.least_listed, self.stop_s)

    def leave_start(self) -> None:
        """Leave t = 0 with the scene as it is now."""
        if self._begins.isActive():
            self.restart()
        self.begun = True

    def resume(self) -> None:
        """After the worker died: start another, which continues from the last snapshot."""
        self.lost = False
        self._talk.resume()
        self.replay.back_to_live()
        self.play()
        self.recovered.emit()

    def intervene(self, intervention: Intervention, *, out: bool = False) -> None:
        """Do something to the run, or take it `out` while it is ahead; `broken` or `trouble` and `refused` follow.

        Nothing is done to a time that is over: `branch_wanted`.
        """
        if self.looking_s is not None:
            self.branch_wanted.emit(intervention)
        else:
            self._talk.intervene(intervention, out)

    def ask_edit(self, edit: Edit, *, out: bool = False) -> int:
        """Ask the worker to let an edit act, or to take one `out`; `edit_applied` or `edit_refused` follows."""
        self._timer.setInterval(ASKING_POLL_MS)
        return self._talk.ask_edit(edit, out)

    @property
    def asks(self) -> bool:
        """Return whether an edit was asked for just now and is not answered: that goes before pictures of the run."""
        return self._talk.waits

    def close(self) -> None:
        """End the worker; idempotent."""
        self._timer.stop()
        self._begins.stop()
        self.replay.clear()
        self.client.close()

    # -- what the worker says ----

    def poll(self) -> None:
        """Take what the worker sent since the last call, let the record move on, and tell those who listen."""
        if self.asks and self.halls.foreseen is not None and self.picture_due():
            return  # the picture of an edit goes before its answer
        self._talk.listen()
        if self.asks:
            return
        if self._timer.interval() != POLL_MS:
            self._timer.setInterval(POLL_MS)
        frame = self.client.latest_frame()
        if frame is not None and self._fits(frame):
            self.live.frame = frame
            self.curves.add(frame)
            if self._screen is self.live:
                self.frame_changed.emit(frame)
        wall_s = monotonic()
        self.curves.read(self.t_s, wall_s)
        self.replay.turn(wall_s)
        self.looking.turn(wall_s)
        figures = self._screen is self.live and self.frame is not self.shown
        if figures and wall_s - self._shown_wall_s >= FIGURES_WALL_S and not self.picture_due():
            self.shown, self._shown_wall_s = self.frame, wall_s
            self.figures_changed.emit(self.shown)

    def arrive(self, t_s: float) -> None:
        """The run stands at another time."""
        self.t_s = self.replay.reach_s = t_s
        self.stand(t_s)
        self.advanced.emit(t_s)
        if self.looking_s is None:
            self.time_changed.emit(t_s)

    def stand(self, t_s: float) -> None:
        """Let the edits of the file that act up to a time have acted."""
        if self.draft is not None and self.draft.at(max(t_s, self.draft.t_s)):
            self.edited()

    def set_running(self, running: bool) -> None:
        """Run or pause."""
        self.running = running
        self._tell_moving()

    def _tell_moving(self) -> None:
        if self.playing != self._moved:
            self._moved = self.playing
            self.playing_changed.emit(self._moved)

    def _on_looked(self, _t_s: float | None) -> None:
        self._tell_moving()
        self.looked.emit(self.looking_s)

    def _fits(self, frame: Frame) -> bool:
        """Return whether a frame is of the hall that stands, not of one before or after an edit."""
        plant = self.live.plant
        return plant is not None and is_of(frame.layout, plant) and not self._begins.isActive()
