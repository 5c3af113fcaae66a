"""An incident: what failed, the jobs it stopped, what that cost, and its repair."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from twin.language import tr
from twin.record.accounts import NODE_WAITS, STOP_COSTS
from twin.record.event_kinds import kind_of
from twin.record.events import Event
from twin.shown_text import capitalised, spelled

COST_ACCOUNTS = (*STOP_COSTS, *NODE_WAITS)
"""Accounts of a job that an incident costs, from the failure to the next step."""
PHASES: dict[str, str] = {
    "lost_work": tr("lost work"),
    "detect": "detect",
    "wait": tr("wait for node"),
    "queue": "queue",
    "swap": "swap",
    "container": "container",
    "init": "init",
    "load": "load",
    "warmup": "warm-up",
    "constant": "restart",
    "restart": "restart",
    "away": tr("start elsewhere"),
}
"""Phases of a stop and their titles.

``constant`` and ``restart`` are a restart whose parts are not told, ``away`` one in a cloud.
"""
PLANNED = frozenset({"maintenance", "drained"})
"""Kinds of events of planned work: an incident only where it stops a job."""
PLANNED_LOSS = tr("Planned work, but the model saves no checkpoint first; operators would.")
"""What there is to say of work that is lost to planned work."""


@dataclass(frozen=True)
class Phase:
    """A stretch of a stop.

    Parameters
    ----------
    kind
        One of `PHASES`.
    begin_s, end_s
        Its begin and end [s]; no end: it still lasts.
    """

    kind: str
    begin_s: float
    end_s: float | None

    @property
    def title(self) -> str:
        """Return its title."""
        return PHASES[self.kind]

    def lasts_s(self, now_s: float) -> float:
        """Return how long it lasted, or has lasted up to `now_s` [s]."""
        return max((now_s if self.end_s is None else self.end_s) - self.begin_s, 0.0)


@dataclass(frozen=True)
class JobStop:
    """A job that an incident interrupted.

    Parameters
    ----------
    event
        Its interruption.
    gpus
        GPUs it held then.
    gpu_s
        Cost by account [GPU s]; none: an older program made the run file, and kept no bookings.
    """

    event: Event
    gpus: float
    gpu_s: Mapping[str, float]

    @property
    def job(self) -> str:
        """Return the id of the job."""
        return self.event.subject

    @property
    def lost_s(self) -> float:
        """Return the work that it lost, in seconds of all its GPUs [s]."""
        return self.event.number("lost_s")


@dataclass(frozen=True)
class Incident:
    """What failed, and the jobs it stopped.

    Parameters
    ----------
    event
        The fault behind it; of an interruption without one the interruption itself.
    cause
        Id of the cause of failure, or of the kind of event.
    title
        Its cause in words.
    stops
        Jobs it interrupted, in order of time.
    followed
        Events that it brought about, in order.
    """

    event: Event
    cause: str
    title: str
    stops: tuple[JobStop, ...]
    followed: tuple[Event, ...]

    @property
    def id(self) -> str:
        """Return its id: the number of its event, which stays the same however long the run goes on."""
        return str(self.event.row)

    @property
    def t_s(self) -> float:
        """Return when it began [s]."""
        return self.event.t_s

    @property
    def subject(self) -> str:
        """Return the component or job that it began with."""
        return self.event.subject

    @property
    def planned(self) -> bool:
        """Return whether it is planned work."""
        return self.event.kind in PLANNED

    @cached_property
    def gpu_s(self) -> dict[str, float]:
        """Return the cost of all jobs by account, without zeros [GPU s]."""
        total = {name: sum(stop.gpu_s.get(name, 0.0) for stop in self.stops) for name in COST_ACCOUNTS}
        return {name: gpu_s for name, gpu_s in total.items() if gpu_s > 0.0}

    @cached_property
    def cost_gpu_s(self) -> float:
        """Return the cost of all jobs [GPU s]."""
        return sum(self.gpu_s.values())

    @property
    def jobs(self) -> tuple[str, ...]:
        """Return the ids of the jobs it interrupted."""
        return tuple(dict.fromkeys(stop.job for stop in self.stops))

    @property
    def places(self) -> tuple[str, ...]:
        """Return the ids of all it is about."""
        events = (self.event, *self.followed, *(stop.event for stop in self.stops))
        return tuple(dict.fromkeys(event.subject for event in events))


@dataclass(frozen=True)
class CauseTotal:
    """All incidents of one cause so far.

    Parameters
    ----------
    cause, title
        Its id and its words.
    count
        How often it struck.
    stops
        Interruptions of jobs.
    gpu_s
        Their cost [GPU s].
    """

    cause: str
    title: str
    count: int
    stops: int
    gpu_s: float


@dataclass(frozen=True)
class Repair:
    """The repair of what failed, as known at a time.

    Parameters
    ----------
    repair_class
        As the cause names it; "": none is known.
    median_s, p90_s
        Published repair times of that class [s]; None: none are.
    expected_s
        When it is expected back [s]; None: nothing is out of use, or nobody knows.
    returned_s
        When it was back [s]; None: it is not yet.
    waits
        What it waits for, as the last event says; "": nothing.
    restart
        Whether a restart is all it needs.
    """

    repair_class: str
    median_s: float | None
    p90_s: float | None
    expected_s: float | None
    returned_s: float | None
    waits: str
    restart: bool


def expected_back(event: Event, events: Sequence[Event]) -> tuple[float | None, str]:
    """Return when what an event took out of use is expected back, and what its repair waits for, as told since.

    Parameters
    ----------
    event
        That took it out of use.
    events
        Of the run so far, it among them.

    Returns
    -------
    tuple
        Time [s], None: nobody knows; and words, "": it waits for nothing.
    """
    lasts_s, waits = event.number("lasts_s", event.number("repair", -1.0)), ""
    expected_s = event.t_s + lasts_s if lasts_s > 0.0 else None
    for wait in events[bisect_left(events, event.row, key=lambda other: other.row) :]:
        about = wait.subject == event.subject or event.subject.startswith(f"{wait.subject}/")
        if wait.kind == "repair_waits" and about:
            waits, comes_s = wait.text, wait.number("comes_in_s", -1.0)
            if comes_s >= 0.0 and expected_s is not None:
                expected_s = max(expected_s, wait.t_s + comes_s)
    return expected_s, waits


def title_of(event: Event) -> tuple[str, str]:
    """Return the cause of an incident and its words, from its event."""
    cause = event.word("cause")
    if cause:
        words = spelled(cause.replace("_", " "))
    elif event.kind == "job_interrupted":
        words = event.word("why") or "interruption"
    else:
        words = kind_of(event.kind).title
    return cause or event.kind, capitalised(words)
