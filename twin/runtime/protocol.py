"""What the runtime needs of an engine, and the messages between app and worker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from twin.plant.tables import Plant
from twin.record.events import Event
from twin.record.frame import Frame, Layout
from twin.scenario.document import Scenario
from twin.scenario.faults import Intervention


class Engine(Protocol):
    """One run of a scenario. `twin.sim.engine.Engine` is the real one; found by dotted name, never imported here."""

    scenario: Scenario
    plant: Plant
    seed: int
    layout: Layout
    now_s: float
    end_s: float

    def advance(self, until_s: float, wall_budget_s: float | None = None) -> float:
        """Run every event up to `until_s` or until the budget is spent; return the time reached [s]."""
        ...

    def step_event(self) -> float:
        """Run up to and including the next recorded event; return the time reached [s]."""
        ...

    def intervene(self, intervention: Intervention) -> str | None:
        """Take an intervention at the next event boundary; return None, or why it is refused."""
        ...

    def fill(self, frame: Frame) -> None:
        """Write every channel at the present time into `frame`; never changes the run."""
        ...

    def events(self, since_row: int) -> Sequence[Event]:
        """Return the events from row `since_row` on."""
        ...

    def event_hash(self) -> str:
        """Return the hash of all events so far."""
        ...

    def snapshot(self) -> bytes:
        """Return the whole discrete and continuous state, to be restored by `restore`."""
        ...

    def summary(self) -> dict[str, Any]:
        """Return the object of ``twin run --json`` without the wall clock figures."""
        ...


@dataclass(frozen=True)
class Load:
    """App to worker: build this scenario and stand at t = 0, or at a snapshot."""

    session: int
    scenario: Scenario
    seed: int | None = None
    snapshot: bytes | None = None
    run_file: str | None = None


@dataclass(frozen=True)
class Play:
    """App to worker: run at `speed` x real time; infinity: as fast as possible."""

    session: int
    speed: float


@dataclass(frozen=True)
class Pause:
    """App to worker: stand still."""

    session: int


@dataclass(frozen=True)
class Step:
    """App to worker: run to the next event and stand still."""

    session: int


@dataclass(frozen=True)
class Intervene:
    """App to worker: do this now (or at its time when that lies ahead)."""

    session: int
    rev: int
    intervention: Intervention


@dataclass(frozen=True)
class Stop:
    """App to worker: close the run file and end."""


@dataclass(frozen=True)
class Ready:
    """Worker to app: the scenario is built; frames of `layout` come in segment `segment`."""

    session: int
    layout: Layout
    segment: str
    run_file: str | None
    end_s: float


@dataclass(frozen=True)
class At:
    """Worker to app: stands at `t_s`; `events` rows are readable in the run file."""

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
class Applied:
    """Worker to app: intervention `rev` acts from `t_s`."""

    session: int
    rev: int
    t_s: float


@dataclass(frozen=True)
class Refused:
    """Worker to app: intervention `rev` was refused."""

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
