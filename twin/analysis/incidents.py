"""The incidents of a run as known at a time: each fault with the jobs it stopped and what that cost.

Only what had happened by that time counts, so a run and the same run cut off there tell the same.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from twin.analysis.event_spans import Span
from twin.analysis.explain_causes import Roots, stretches
from twin.analysis.incident import (
    COST_ACCOUNTS,
    PLANNED,
    CauseTotal,
    Incident,
    JobStop,
    Phase,
    Repair,
    expected_back,
    title_of,
)
from twin.analysis.incident_costs import StopCosts, stop_costs
from twin.physics.reliability import MAINTENANCE_S, REPAIR_CLASS, REPAIR_CLASSES
from twin.record.bookings import Booked
from twin.record.event_kinds import KINDS, is_momentary, kind_of
from twin.record.events import Event, Severity
from twin.record.reader import Reader
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.faults import Cause

_LATE = ("node_degraded",)
"""Events that begin an incident though they are no cause of a stop: that comes when somebody finds the fault."""
_RUNS = ("job_running", "job_resumed")
_PHASE_OF = {
    "detection": "detect",
    "idle_reserved": "wait",
    "idle_preempted": "wait",
    "restart_and_load": "restart",
}
_BUDGET = ("swap", "container", "init", "load", "warmup", "constant")


def incidents_of(
    reader: Reader, t_s: float | None = None, events: Sequence[Event] | None = None
) -> RunIncidents:
    """Return the incidents of a run file as known at a time [s]; None: at its end.

    Parameters
    ----------
    events
        All its events up to then; None: read them.

    Raises
    ------
    RunFileError
        When the file is damaged.
    """
    until_s = reader.t_end_s if t_s is None else t_s
    known = reader.all_events() if events is None else events
    known = known[: bisect_right(known, until_s, key=lambda event: event.t_s)]
    names = reader.header.ids.get("job", ())
    return RunIncidents(known, reader.header.scenario, reader.bookings(), names, until_s)


@dataclass
class _Found:
    """An incident while it is put together."""

    event: Event
    stops: list[int] = field(default_factory=list)
    followed: list[Event] = field(default_factory=list)


class RunIncidents:
    """The incidents of a run as known at a time.

    Parameters
    ----------
    events
        Of the run up to `t_s`, in order.
    scenario
        The scene of the run.
    booked
        Bookings of its ledger; None: an older program kept none, and costs are unknown.
    jobs
        Ids of its jobs, in the order in which bookings number them.
    t_s
        The time [s].
    """

    def __init__(
        self,
        events: Sequence[Event],
        scenario: Scenario,
        booked: Booked | None,
        jobs: Sequence[str],
        t_s: float,
    ) -> None:
        self.events, self.scenario, self.t_s = events, scenario, t_s
        self._causes: Mapping[str, Cause] = {cause.id: cause for cause in scenario.failures.causes}
        self._number = {name: number for number, name in enumerate(jobs)}
        self._stops = [event for event in events if event.kind == "job_interrupted"]
        self._costs = None if booked is None else self._priced(booked)
        self._held = self._held_gpus()
        self._roots = Roots(events)
        self.all = self._grouped()
        self._by_id = {incident.id: incident for incident in self.all}

    # --- what there is

    @cached_property
    def worst_first(self) -> tuple[Incident, ...]:
        """Return the incidents, the dearest first."""
        return tuple(sorted(self.all, key=lambda incident: (-incident.cost_gpu_s, incident.t_s)))

    @cached_property
    def by_cause(self) -> tuple[CauseTotal, ...]:
        """Return what each cause cost so far, the dearest first."""
        alike: dict[str, list[Incident]] = defaultdict(list)
        for incident in self.all:
            alike[incident.cause].append(incident)
        totals = [
            CauseTotal(
                cause,
                same[0].title,
                len(same),
                sum(len(incident.stops) for incident in same),
                math.fsum(incident.cost_gpu_s for incident in same),
            )
            for cause, same in alike.items()
        ]
        return tuple(sorted(totals, key=lambda total: (-total.gpu_s, -total.count, total.title)))

    @property
    def known_s(self) -> float:
        """Return up to when costs are known [s]: a file lags behind its run."""
        return self.t_s if self._costs is None else self._costs.until_s

    @property
    def priced(self) -> bool:
        """Return whether costs are known."""
        return self._costs is not None

    @property
    def installed_gpu_s(self) -> float:
        """Return the GPU time of the run so far [GPU s]."""
        return 0.0 if self._costs is None else self._costs.installed_gpu_s

    @property
    def gpu_s(self) -> dict[str, float]:
        """Return the cost of all incidents by account [GPU s]."""
        return {
            name: math.fsum(incident.gpu_s.get(name, 0.0) for incident in self.all) for name in COST_ACCOUNTS
        }

    @property
    def other_gpu_s(self) -> dict[str, float]:
        """Return what jobs spent in the same accounts without an interruption: starts, preemptions, moves [GPU s]."""
        if self._costs is None:
            return dict.fromkeys(COST_ACCOUNTS, 0.0)
        return dict(zip(COST_ACCOUNTS, self._costs.other_gpu_s.tolist(), strict=True))

    def get(self, id: str) -> Incident | None:
        """Return an incident by its id; None: there is none."""
        return self._by_id.get(id)

    def of_event(self, event: Event) -> Incident | None:
        """Return the incident that an event belongs to; None: it belongs to none."""
        found, kind = self._of_row.get(event.row), kind_of(event.kind)
        if found is not None:
            return self.all[found]
        job = event.word("job_id") or event.subject
        if job in self._number:  # what a job did next, and why
            told = kind.setback or (kind.job is not None and not kind.job.is_over)
            return self.of_job(job, event.t_s) if told or event.word("job_id") else None
        return self.of_thing(event.subject, event.t_s) if kind.ends else None

    def of_job(self, job: str, t_s: float = math.inf) -> Incident | None:
        """Return the last incident that stopped a job up to a time [s]; None: none did."""
        rows = self._rows_of_job.get(job, ())
        place = bisect_right(rows, t_s, key=lambda row: self._stops[row].t_s)
        return self.all[self._of_stop[rows[place - 1]]] if place else None

    def of_thing(self, id: str, t_s: float = math.inf) -> Incident | None:
        """Return the last incident of a component, its parts or what it is in, or of a job; None: it had none.

        Parameters
        ----------
        t_s
            Only of what had happened by then [s].
        """
        if id in self._number:
            return self.of_job(id, t_s)
        inside = f"{id}/"
        places = (
            place
            for name, places in self._of_place.items()
            if name == id or name.startswith(inside) or id.startswith(f"{name}/")
            for place in places
            if self.all[place].t_s <= t_s
        )
        last = max(places, default=None)
        return None if last is None else self.all[last]

    def total_of(self, cause: str) -> tuple[int, CauseTotal]:
        """Return the rank of a cause, from 1, and what it cost so far."""
        return next((rank, total) for rank, total in enumerate(self.by_cause, 1) if total.cause == cause)

    def cause_of(self, incident: Incident) -> Cause | None:
        """Return the cause of failure as the scene has it; None: it has none of the name."""
        return self._causes.get(incident.cause)

    # --- one of them

    def phases(self, stop: JobStop) -> tuple[Phase, ...]:
        """Return the phases of a stop, from the work it lost to the next step."""
        found = (
            [Phase("lost_work", stop.event.t_s - stop.lost_s, stop.event.t_s)] if stop.lost_s > 0.0 else []
        )
        if self._costs is None:
            return tuple(found)
        before_s = stop.event.t_s
        for account, begin_s, end_s in self._costs.spans_of(self._place_of(stop)):
            if begin_s > before_s + 1e-3:
                found.append(Phase("queue", before_s, begin_s))
            before_s = end_s
            runs = self._runs_at(stop.job, end_s) if account == "restart_and_load" else None
            if runs is not None:
                found += self._parts(runs, begin_s, end_s)
            else:
                found.append(Phase(_PHASE_OF[account], begin_s, None if math.isinf(end_s) else end_s))
        again = self.running_again(stop)
        if again is not None and again.t_s > before_s + 1e-3:  # nothing is booked of what runs elsewhere
            found.append(Phase("away", before_s, again.t_s))
        return tuple(found)

    @staticmethod
    def _parts(runs: Event, begin_s: float, end_s: float) -> list[Phase]:
        found, at_s = [], begin_s
        for name in _BUDGET:
            lasts_s = runs.number(f"{name}_s")
            if lasts_s > 0.0:
                found.append(Phase(name, at_s, at_s + lasts_s))
                at_s += lasts_s
        return found if abs(at_s - end_s) < 1e-3 else [Phase("restart", begin_s, end_s)]

    def running_again(self, stop: JobStop) -> Event | None:
        """Return the event with which a stopped job ran on; None: it has not yet."""
        last = self._last_turn(stop)
        return last if last is not None and last.kind in _RUNS else None

    def ended(self, stop: JobStop) -> Event | None:
        """Return the event with which a stopped job ended before it ran on; None: it did not."""
        last, turn = self._last_turn(stop), None
        if last is not None:
            turn = kind_of(last.kind).job
        return last if turn is not None and turn.is_over else None

    def _last_turn(self, stop: JobStop) -> Event | None:
        """Return the first event after a stop with which its job ran on, stopped again or ended."""
        turns = self._turns.get(stop.job, [])
        later = turns[bisect_right(turns, stop.event.row, key=lambda event: event.row) :]
        return next(iter(later), None)

    def events_of_job(self, job: str) -> Sequence[Event]:
        """Return the events with which a job ran, was stopped or ended."""
        return self._turns.get(job, ())

    def spares_taken(self, stop: JobStop) -> tuple[Event, ...]:
        """Return the events of the nodes that joined a job before it ran on."""
        next_turn = self._last_turn(stop)
        last = math.inf if next_turn is None else next_turn.row
        return tuple(event for event in self._joined.get(stop.job, ()) if stop.event.row < event.row < last)

    def repair(self, incident: Incident) -> Repair:
        """Return the repair of what failed, as known now."""
        event, cause = incident.event, self.cause_of(incident)
        found = self._repair_event(incident)
        repair_class = "" if cause is None else cause.repair
        median_s = p90_s = None
        if repair_class in REPAIR_CLASS:
            published = REPAIR_CLASSES[REPAIR_CLASS[repair_class]].repair
            median_s, p90_s = published.median_s, published.p90_s
        elif repair_class == "maintenance":
            median_s = p90_s = MAINTENANCE_S
        span = self._span(found)
        returned_s = None if span is None or span.end is None else span.end.t_s
        expected_s, waits = expected_back(found, self.events if returned_s is None else [found])
        restart = (is_momentary(found) and event.kind != "injected_failure") or repair_class == "restart"
        if span is None:
            expected_s = None
        return Repair(repair_class, median_s, p90_s, expected_s, returned_s, waits, restart and span is None)

    def out_of_use(self, incident: Incident) -> tuple[int, float]:
        """Return how many nodes an incident took out of use, and for how long all together so far [node s]."""
        rows = {incident.event.row, *(event.row for event in incident.followed)}
        found = [span for span in self._outages if span.begin.row in rows]
        return sum(span.nodes for span in found), math.fsum(span.within_s(0.0, self.t_s) for span in found)

    @cached_property
    def _outages(self) -> list[Span]:
        accounts = {"idle_in_repair", "idle_no_power"}
        about = {id for id, kind in KINDS.items() if not accounts.isdisjoint((*kind.opens, *kind.closes))}
        events = [event for event in self.events if event.kind in about]
        return [span for name in sorted(accounts) for span in stretches(name, events, 0.0, self.t_s)]

    def _repair_event(self, incident: Incident) -> Event:
        """Return the event that took nodes out of use: of a fault that works on, when it was found."""
        found = [event for event in incident.followed if event.kind == "node_found"]
        return found[-1] if found else incident.event

    def _span(self, event: Event) -> Span | None:
        return None if is_momentary(event) else self._roots.span_of(event)

    # --- how they are put together

    def _priced(self, booked: Booked) -> StopCosts:
        numbers = [self._number.get(event.subject, -2) for event in self._stops]
        return stop_costs(
            booked, self.t_s, np.array(numbers, np.intp), np.array([event.t_s for event in self._stops])
        )

    def _held_gpus(self) -> list[float]:
        """Return the GPUs that each stopped job held: what it was last started on."""
        held: dict[str, float] = {}
        found = []
        for event in self.events:
            if event.kind in ("job_submitted", "job_started"):
                held[event.subject] = event.number("gpus", held.get(event.subject, 0.0))
            elif event.kind == "job_interrupted":
                found.append(held.get(event.subject, 0.0))
        return found

    def _grouped(self) -> tuple[Incident, ...]:
        roots, found = self._roots, dict[int, _Found]()
        at_once: dict[tuple[float, str], int] = {}  # the row of the fault of a thing at a time
        last_of: dict[str, int] = {}  # row of the last fault of a thing
        stop = 0
        for event in self.events:
            kind = kind_of(event.kind)
            interrupts = event.kind == "job_interrupted"
            opens = event.kind in _LATE or (bool(kind.groups) and event.kind not in PLANNED)
            follows = bool(kind.caused_by) and event.severity >= Severity.WARNING
            if not (interrupts or opens or follows):
                continue
            chain = roots.chain(event)
            head = roots.begin_of(chain[-1] if chain else event)
            if event.kind == "node_found":
                place = last_of.get(event.subject, last_of.get(event.subject.rpartition("/")[0]))
                row = event.row if place is None else place
            else:
                row = at_once.get((head.t_s, head.subject), head.row)
                row = self._same(found, last_of, head, row)
            if row not in found:
                if not (interrupts or opens) and head is event:
                    continue
                found[row] = _Found(head)
            incident = found[row]
            if interrupts:
                incident.stops.append(stop)
                stop += 1
            elif event.row != incident.event.row:
                incident.followed.append(event)
            at_once.setdefault((head.t_s, head.subject), row)
            for name in (event.subject, event.word("on")):
                if name and name not in self._number:
                    last_of[name] = row
        return self._made(found)

    @staticmethod
    def _same(found: Mapping[int, _Found], last_of: Mapping[str, int], head: Event, row: int) -> int:
        """Return the row of the incident that an event at the head of a chain belongs to: a fault found later, too."""
        if head.kind == "node_found" and row not in found:
            return last_of.get(head.subject, row)
        return row

    def _made(self, found: Mapping[int, _Found]) -> tuple[Incident, ...]:
        made: list[Incident] = []
        self._of_row: dict[int, int] = {}
        self._of_place: dict[str, list[int]] = defaultdict(list)
        self._of_stop: dict[int, int] = {}
        for grouped in sorted(found.values(), key=lambda incident: incident.event.row):
            number = len(made)
            stops = []
            for row in grouped.stops:
                self._of_stop[row] = number
                gpu_s: dict[str, float] = {}
                if self._costs is not None:
                    gpu_s = dict(zip(COST_ACCOUNTS, self._costs.gpu_s[row].tolist(), strict=True))
                stops.append(JobStop(self._stops[row], self._held[row], gpu_s))
            cause, title = title_of(grouped.event)
            incident = Incident(grouped.event, cause, title, tuple(stops), tuple(grouped.followed))
            made.append(incident)
            for event in (grouped.event, *grouped.followed, *(stop.event for stop in stops)):
                self._of_row[event.row] = number
                if event.subject not in self._number:
                    self._of_place[event.subject].append(number)
        return tuple(made)

    # --- looked up

    def _place_of(self, stop: JobStop) -> int:
        return bisect_left(self._stops, stop.event.row, key=lambda event: event.row)

    @cached_property
    def _rows_of_job(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for row, event in enumerate(self._stops):
            found[event.subject].append(row)
        return found

    @cached_property
    def _turns(self) -> dict[str, list[Event]]:
        """Return, by job, the events with which it ran, was stopped or ended."""
        found: dict[str, list[Event]] = defaultdict(list)
        for event in self.events:
            turn = kind_of(event.kind).job
            if event.kind in (*_RUNS, "job_interrupted") or (turn is not None and turn.is_over):
                found[event.subject].append(event)
        return found

    @cached_property
    def _joined(self) -> dict[str, list[Event]]:
        found: dict[str, list[Event]] = defaultdict(list)
        for event in self.events:
            if event.kind == "spare_taken":
                found[event.word("job_id")].append(event)
        return found

    def _runs_at(self, job: str, t_s: float) -> Event | None:
        return next(
            (
                event
                for event in self._turns.get(job, ())
                if event.kind in _RUNS and abs(event.t_s - t_s) < 1e-6
            ),
            None,
        )
