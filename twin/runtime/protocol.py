"""What the runtime needs of an engine, and the messages between app and worker."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from twin.physics.gpu_picture import GpuTraits
from twin.plant.tables import Plant
from twin.record.bookings import Bookings
from twin.record.detail import Detail
from twin.record.events import Event, Severity
from twin.record.frame import Frame, FrameLayout
from twin.record.redraw import Redraw
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.faults import Intervention

ENGINE = "twin.sim.engine.engine:Engine"
"""Dotted name of the real engine; nothing here imports it."""


class RunEngine(Protocol):
    """One run of a scenario; `EngineType` makes one."""

    scenario: Scenario
    plant: Plant
    seed: int
    layout: FrameLayout
    now_s: float
    end_s: float

    def advance(
        self, until_s: float, wall_budget_s: float | None = None, alert: Severity | None = None
    ) -> float:
        """Run every event up to `until_s`, until the budget is spent or, with an `alert`, so severe an event.

        An edit that acts counts as such an event. Return the time reached [s].
        Where a run is cut into advances never changes it.
        """
        ...

    def step_event(self) -> float:
        """Run up to and including the next recorded event; return the time reached [s]."""
        ...

    def intervene(self, intervention: Intervention | Edit) -> str | None:
        """Take an intervention or an edit at the next event boundary; return None, or why it is refused.

        It acts at the later of now and its own time. Once an edit has acted, `layout` is another one.
        """
        ...

    def withdraw(self, done: Intervention | Edit) -> str | None:
        """Take out what was asked for and is still ahead; return None, or why it stays.

        An edit is found by its name, an intervention by being like this one. The run goes on as if it had never been
        asked for.
        """
        ...

    @property
    def redraws(self) -> tuple[Redraw, ...]:
        """Return the redraws that were asked for."""
        ...

    def redraw(self, redraw: Redraw) -> None:
        """Draw chance from another seed from a time on; one that is known already is made once.

        Raises
        ------
        ValueError
            When that time has passed.
        """
        ...

    def boundary_s(self, at_s: float) -> float:
        """Return the earliest time, not before `at_s` [s], at which what people do acts as if it were known before.

        That is later than everything that has happened, and whole milliseconds where `at_s` is no later than now.
        """
        ...

    def fill(self, frame: Frame) -> None:
        """Write every channel at the present time into `frame`, its time and rows too; never changes the run.

        The arrays may be shared memory: write into them. Without `frame.detail` nobody reads GPUs and nodes.
        """
        ...

    def detail(self) -> Detail:
        """Return single GPUs and nodes at the present time, as few figures; never changes the run."""
        ...

    @property
    def dies(self) -> GpuTraits:
        """Return what sets GPUs apart for good; another object where that has changed."""
        ...

    def events(self, since_row: int) -> Sequence[Event]:
        """Return the events from row `since_row` on; after `restore`, those of this engine."""
        ...

    def event_hash(self) -> str:
        """Return the hash of all events so far."""
        ...

    def snapshot(self) -> bytes:
        """Return the whole discrete and continuous state, to be restored by `restore`."""
        ...

    @property
    def hall(self) -> object:
        """Return the hall as it stands, for `EngineType.restore` of a snapshot that is taken now."""
        ...

    def ledger_gpu_s(self) -> Mapping[str, float]:
        """Return the GPU-seconds of each account since the start, as in the summary."""
        ...

    def job_gpu_s(self) -> NDArray[np.float64]:
        """Return the same of each job, and in the last row of GPUs at rest, shape (jobs + 1, accounts) [GPU s]."""
        ...

    def figures(self, frame: Frame, ledger: Mapping[str, float]) -> Mapping[str, float]:
        """Return what the run has come to, by name; `frame` was just filled, `ledger` is that of now."""
        ...

    def record_bookings(self, bookings: Bookings) -> None:
        """Tell `bookings` from now on what is booked in the ledger; never changes the run."""
        ...

    def lasting(self) -> Sequence[tuple[int, float, NDArray[np.float64]]]:
        """Return what is spent now and not booked yet: number of the job or -1, since when [s], rate [GPU s / s]."""
        ...

    def summary(self) -> dict[str, Any]:
        """Return the object of ``twin run --json`` without the wall clock figures."""
        ...


class EngineType(Protocol):
    """What makes engines."""

    def __call__(self, scenario: Scenario, seed: int | None = None) -> RunEngine:
        """Return an engine at t = 0; `seed` None: the scenario's own."""
        ...

    def restore(self, scenario: Scenario, snapshot: bytes, hall: object = None) -> RunEngine:
        """Return an engine that stands where `RunEngine.snapshot` was taken.

        Its `hall` then need not be built again where it is given.

        Interventions and edits at the end of those of `scenario` that were not known then are taken up now.

        Raises
        ------
        ValueError
            When one of these is refused.
        """
        ...


@dataclass(frozen=True)
class LoadScene:
    """App to worker: build this scenario and stand at t = 0, at a snapshot, or where `run_file` ends.

    A branch is resumed in a copy of the file of its parent, cut off behind the last snapshot that it shares.

    Parameters
    ----------
    snapshot
        State to begin with; the run file then begins there.
    run_file
        Where to record; None: in the state folder.
    resume
        Go on in `run_file` from its last snapshot.
    told
        Rows of events that the app has been told of; on `resume` it is told of those between them and the snapshot.
    go_to_s
        Simulate up to here before standing there [s]: a branch is made at a time, and snapshots lie before it.
    """

    session: int
    scenario: Scenario
    seed: int | None = None
    snapshot: bytes | None = None
    run_file: str | None = None
    resume: bool = False
    told: int = 0
    go_to_s: float = 0.0


@dataclass(frozen=True)
class Play:
    """App to worker: run at `speed` x real time; infinity: as fast as possible. It stands still at `until_s` [s]."""

    session: int
    speed: float
    until_s: float = math.inf


@dataclass(frozen=True)
class Pause:
    """App to worker: stand still."""

    session: int


@dataclass(frozen=True)
class StepRun:
    """App to worker: run to the next event of at least this severity, or to `until_s` [s], and stand still."""

    session: int
    least: Severity = Severity.INFO
    until_s: float = math.inf


@dataclass(frozen=True)
class Intervene:
    """App to worker: do this, or edit the hall so, now (or at its time when that lies ahead)."""

    session: int
    rev: int
    intervention: Intervention | Edit


@dataclass(frozen=True)
class Withdraw:
    """App to worker: take this out as if it had never been asked for.

    That can be done while its time is ahead, and while the run still stands at that time and nothing was done after it:
    then `Rewound` comes before the answer.
    """

    session: int
    rev: int
    done: Intervention | Edit


@dataclass(frozen=True)
class Segment:
    """App to worker: the frame memory asked for with `Needs` is here."""

    session: int
    segment: str


@dataclass(frozen=True)
class Stop:
    """App to worker: close the run file and end."""


@dataclass(frozen=True)
class Needs:
    """Worker to app: make frame memory for `layout`. The client answers it; nobody else sees it."""

    session: int
    layout: FrameLayout


@dataclass(frozen=True)
class Ready:
    """Worker to app: the scenario is built; frames of `layout` come in segment `segment`."""

    session: int
    layout: FrameLayout
    segment: str
    run_file: str | None
    end_s: float


@dataclass(frozen=True)
class Relaid:
    """Worker to app: an edit of the hall has acted; from now on frames of `layout` come in segment `segment`."""

    session: int
    layout: FrameLayout
    segment: str


@dataclass(frozen=True)
class At:
    """Worker to app: stands at `t_s`; `events` rows have been told (the run file may be a second behind)."""

    session: int
    t_s: float
    events: int
    playing: bool
    ended: bool


@dataclass(frozen=True)
class Happened:
    """Worker to app: events in order, none left out."""

    session: int
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Rewound:
    """Worker to app: the run stands at `t_s` again, before the last act; events from row `events` on never happened."""

    session: int
    t_s: float
    events: int


@dataclass(frozen=True)
class Applied:
    """Worker to app: intervention or edit `rev` acts from `t_s`; or what `rev` takes out is gone, as known at `t_s`."""

    session: int
    rev: int
    t_s: float


@dataclass(frozen=True)
class Refused:
    """Worker to app: intervention, edit or withdrawal `rev` was refused."""

    session: int
    rev: int
    reason: str


@dataclass(frozen=True)
class Finished:
    """Worker to app: the run reached its end."""

    session: int
    summary: dict[str, Any]


@dataclass(frozen=True)
class Failed:
    """Worker to app: something broke."""

    session: int
    message: str
    traceback: str


@dataclass(frozen=True)
class Died:
    """From the client itself: the worker is gone. `Client.restart` goes on with the run.

    Attributes
    ----------
    last_words
        What broke, when the worker could still say it: perhaps of a run that had been put away by then.
    """

    session: int
    exit_code: int | None
    last_words: Failed | None = None


Request = LoadScene | Play | Pause | StepRun | Intervene | Withdraw
Order = Request | Segment | Stop
"""What the app says to the worker."""

Message = Ready | Relaid | At | Happened | Rewound | Applied | Refused | Finished | Failed | Died
"""What `Client.poll` returns."""
Reply = Needs | Message
"""What the worker says to the app (never `Died`)."""
