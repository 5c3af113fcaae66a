"""What the events of a run tell of its jobs: who held which GPUs when, who waits, what each tenant has. No widgets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from twin.app.queue.growing_columns import End, GrowingRows, Spans, StepCurve
from twin.plant.graph import find
from twin.plant.tables import Plant
from twin.record.event_kinds import kind_of
from twin.record.event_kinds.kind import EventKind, Gantt, JobTurn
from twin.record.events import Event, Severity
from twin.record.node_list import node_ranges
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.work import Job

NOBODY = ""
"""Tenant of jobs that have none."""
_ENDS = {JobTurn.DONE: End.DONE, JobTurn.ENDED: End.KILLED, JobTurn.CLOUD: End.CHANGED}
_MIG_SLICES = 7


@dataclass
class Account:
    """What one tenant has had."""

    held: StepCurve = field(default_factory=StepCurve)
    waiting: StepCurve = field(default_factory=StepCurve)
    waiting_jobs: int = 0
    running_jobs: int = 0
    starts: int = 0
    waited_s: float = 0.0  # of those started


class JobHistory:
    """Follows the events of one run.

    Parameters
    ----------
    scenario, plant
        Of the run.

    Attributes
    ----------
    jobs
        All jobs; their places are the rows of ``job.*`` channels.
    tenants
        Ids; `NOBODY` is the last where some job has no tenant.
    owner
        Tenant of each job (jobs,).
    partition_gpus
        GPU slots of each partition, by its id.
    spans
        The boxes of the chart.
    waiting
        Jobs in the queue, and since when [s], in the order they came.
    started_s
        Jobs that hold GPUs, and since when [s].
    failures
        Time [s] and GPU slot of each failure of a GPU or node.
    reserved
        Nodes that a reservation has, as the run told: id to ranges of nodes.
    """

    def __init__(self, scenario: Scenario, plant: Plant) -> None:
        self.plant = plant
        self.jobs = jobs_of(scenario)
        self.index = {job.id: place for place, job in enumerate(self.jobs)}
        named = {tenant.id: None for tenant in scenario.tenants} | {
            job.tenant: None for job in self.jobs if job.tenant
        }
        lonely = any(job.tenant is None for job in self.jobs)
        self.tenants: tuple[str, ...] = (*named, *((NOBODY,) if lonely or not named else ()))
        places = {tenant: place for place, tenant in enumerate(self.tenants)}
        self.owner = np.array([places[job.tenant or NOBODY] for job in self.jobs], np.int32)
        self.partitions = tuple(partition.id for partition in scenario.partitions)
        row = plant.racks.row[plant.gpus.rack]
        generator = np.array([id.rpartition("/")[0] for id in plant.rows.ids], str)
        self.partition_gpus: dict[str, NDArray[np.bool_]] = {
            partition.id: np.asarray((row >= 0) & np.isin(generator, partition.rows)[row])
            for partition in scenario.partitions
        }
        self._node_gpus = plant.nodes.gpu_count.astype(np.int64)
        self.clear()

    def clear(self) -> None:
        """Another run begins."""
        self.version = 0  # of what is told here: it grows with every call of `add`
        self.spans, self.failures = Spans(), GrowingRows(2)
        self.waiting: dict[int, float] = {}
        self.started_s: dict[int, float] = {}
        self.moved: dict[int, str] = {}
        self.reserved: dict[str, list[tuple[int, int]]] = {}
        self.accounts = [Account() for _ in self.tenants]
        self.waiting_gpus = StepCurve()
        self.by_end = dict.fromkeys(End, 0)
        self._open: dict[int, list[int]] = {}
        self._asked: dict[int, int] = {}
        self._leaving: set[int] = set()
        self._parts: dict[int, list[tuple[int, float, float]]] = {}  # of shared nodes: job, first GPU, behind
        self._holder: NDArray[np.int32] = np.full(len(self.plant.nodes.ids), -1, np.int32)

    def partition_of(self, job: int) -> str:
        """Return the partition a job is submitted to, or was moved to; "" for any."""
        return self.moved.get(job) or self.jobs[job].partition or ""

    def gpus_of(self, job: int) -> int:
        """Return how many GPUs a job asks for, as far as is known."""
        spec = self.jobs[job]
        if job in self._asked:
            return self._asked[job]
        per_node = int(self._node_gpus.max(initial=1))
        return spec.gpus or (1 if spec.mig else spec.nodes * per_node)

    def holds(self, job: int) -> list[tuple[float, float]]:
        """Return the GPUs a job holds now: ranges of slots, the last one outside."""
        low, high = self.spans.low, self.spans.high
        return [(float(low[span]), float(high[span])) for span in self._open.get(job, ())]

    def nodes_of(self, job: int) -> list[int]:
        """Return the nodes a job holds now, in whole or in part."""
        first, spans = self.plant.nodes.gpu_first, self._open.get(job, [])
        begins = np.searchsorted(first, self.spans.low[spans], "right") - 1
        ends = np.searchsorted(first, self.spans.high[spans], "left")
        return [node for pair in zip(begins.tolist(), ends.tolist(), strict=True) for node in range(*pair)]

    def add(self, events: Iterable[Event]) -> None:
        """Take the next events of the run."""
        self.version += 1
        for event in events:
            kind, job = kind_of(event.kind), self.index.get(event.subject)
            if kind.gantt is Gantt.SWAPS:
                self._exchange(event)
            elif kind.gantt is Gantt.RESERVES:
                self.reserved[event.subject] = self._here(node_ranges(event.where))
            elif kind.gantt is Gantt.FAILS:
                if "repair" in event.data or event.severity == Severity.ALARM:  # slow by hand is a notice
                    self._fail(event)
            elif job is not None:
                self._job(kind, job, event)

    # -- jobs ----

    def _job(self, kind: EventKind, job: int, event: Event) -> None:
        t_s, drawn = event.t_s, kind.gantt
        if drawn is Gantt.TAKES:
            self._leave(job, t_s, End.PREEMPTED if job in self._leaving else End.CHANGED)
            self._wait_no_more(job, t_s, started=True)
            self._hold(job, t_s, self._places(job, event))
        elif drawn is Gantt.WAITS:
            self._asked[job] = event.integer("gpus") or self.gpus_of(job)
            self._wait(job, t_s)
        elif drawn is Gantt.YIELDS:
            self._leaving.add(job)  # it gives its GPUs back when it returns to the queue
        elif drawn is Gantt.RETURNS:
            self._leave(job, t_s, End.PREEMPTED if job in self._leaving else End.REQUEUED)
            self._wait(job, t_s)
        elif kind.job in _ENDS:
            self._leave(job, t_s, _ENDS[kind.job])
            self._wait_no_more(job, t_s)
        elif drawn is Gantt.CHANGES:
            if 0 <= event.integer("partition", -1) < len(self.partitions):
                self.moved[job] = self.partitions[event.integer("partition")]
            if event.where:
                self._leave(job, t_s, End.CHANGED, goes_on=True)
                self._hold(job, t_s, self._places(job, event), goes_on=True)

    def _wait(self, job: int, t_s: float) -> None:
        if job in self.waiting:
            return
        self.waiting[job] = t_s
        account, gpus = self.accounts[self.owner[job]], self.gpus_of(job)
        account.waiting_jobs += 1
        account.waiting.change(t_s, gpus)
        self.waiting_gpus.change(t_s, gpus)

    def _wait_no_more(self, job: int, t_s: float, started: bool = False) -> None:
        since_s = self.waiting.pop(job, None)
        account, gpus = self.accounts[self.owner[job]], self.gpus_of(job)
        if since_s is not None:
            account.waiting_jobs -= 1
            account.waiting.change(t_s, -gpus)
            self.waiting_gpus.change(t_s, -gpus)
        if started:
            account.starts += 1
            account.waited_s += t_s - since_s if since_s is not None else 0.0

    def _hold(self, job: int, t_s: float, places: list[tuple[float, float]], goes_on: bool = False) -> None:
        self._open[job] = [self.spans.open(job, low, high, t_s) for low, high in places]
        account = self.accounts[self.owner[job]]
        account.held.change(t_s, sum(high - low for low, high in places))
        if not goes_on:
            account.running_jobs += 1
            self.started_s[job] = t_s

    def _leave(self, job: int, t_s: float, how: End, goes_on: bool = False) -> None:
        """Let a job give back all it holds."""
        self._leaving.discard(job)
        numbers = self._open.pop(job, None)
        if numbers is None:
            return
        account, first = self.accounts[self.owner[job]], self.plant.nodes.gpu_first
        low, high = self.spans.low, self.spans.high
        for number in numbers:
            begin = int(np.searchsorted(first, low[number], "right")) - 1
            for node in range(begin, int(np.searchsorted(first, high[number], "left"))):
                if self._holder[node] == job:
                    self._holder[node] = -1
                elif node in self._parts:
                    self._parts[node] = [part for part in self._parts[node] if part[0] != job]
            account.held.change(t_s, -float(high[number] - low[number]))
            self.spans.close(number, t_s, how)
        if not goes_on:
            account.running_jobs -= 1
            self.started_s.pop(job, None)
            self.by_end[how] += 1

    # -- places ----

    def _places(self, job: int, event: Event) -> list[tuple[float, float]]:
        """Return the GPUs a job takes, as ranges of slots; of a shared last node only its part."""
        nodes = node_ranges(event.where)
        ranges = self._here(nodes) if nodes else self._unsaid(event.integer("nodes", self.jobs[job].nodes))
        if not ranges:
            return []
        shared = ranges[-1][1] if _part_gpus(self.jobs[job], self._node_gpus, ranges) else -1
        first, places = self.plant.nodes.gpu_first, list[tuple[float, float]]()
        for begin, end in ranges:
            last = end - 1 if end == shared and (begin, end) == ranges[-1] else end
            if last >= begin:
                self._take(job, begin, last, event.t_s)
                places.append((float(first[begin]), float(first[last] + self._node_gpus[last])))
        if shared >= 0:
            size = _part_gpus(self.jobs[job], self._node_gpus, ranges)
            places.append(self._part(job, shared, size, event.t_s))
        return _joined(places)

    def _here(self, ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return those nodes that this hall has: an event may be of a larger one, until lists follow who looks back."""
        last = len(self._node_gpus) - 1
        return [(begin, min(end, last)) for begin, end in ranges if begin <= last]

    def _unsaid(self, nodes: int) -> list[tuple[int, int]]:
        """Return the lowest free nodes: the run did not say which ones it took."""
        free = np.flatnonzero(self._holder < 0)[:nodes]
        return [(node, node) for node in free.tolist()]

    def _take(self, job: int, begin: int, last: int, t_s: float) -> None:
        """Note who holds nodes; whoever held them before, as far as was told, no longer does."""
        held = self._holder[begin : last + 1]
        for job_beside in np.unique(held[held >= 0]).tolist():
            if job_beside != job:
                taken = begin + np.flatnonzero(held == job_beside)
                for node in taken.tolist():
                    self._cut(job_beside, node, t_s)
        self._holder[begin : last + 1] = job

    def _part(self, job: int, node: int, size: float, t_s: float) -> tuple[float, float]:
        """Return the first gap of a shared node that is large enough."""
        if self._holder[node] >= 0:
            self._cut(int(self._holder[node]), node, t_s)
        at = begin = float(self.plant.nodes.gpu_first[node])
        end = begin + float(self._node_gpus[node])
        for _, low, high in sorted(self._parts.get(node, ()), key=lambda part: part[1]):
            if low - at >= size - 1e-9:
                break
            at = max(at, high)
        at = max(min(at, end - size), begin)
        self._parts.setdefault(node, []).append((job, at, at + size))
        return at, at + size

    def _cut(self, job: int, node: int, t_s: float) -> None:
        """Take one node out of what a job holds."""
        low = float(self.plant.nodes.gpu_first[node])
        high = low + float(self._node_gpus[node])
        self._holder[node] = -1
        held = self._open.get(job, [])
        begins, ends = self.spans.low[held], self.spans.high[held]
        for at in np.flatnonzero((begins <= low) & (high <= ends))[:1].tolist():
            self.spans.close(held.pop(at), t_s, End.CHANGED)
            rests = [(a, b) for a, b in ((float(begins[at]), low), (high, float(ends[at]))) if b > a]
            held += [self.spans.open(job, a, b, t_s) for a, b in rests]
            self.accounts[self.owner[job]].held.change(t_s, low - high)

    # -- failures ----

    def _fail(self, event: Event) -> None:
        kind, slot = find(self.plant, event.subject) or ("", -1)
        if kind == "gpu":
            self.failures.add(event.t_s, slot)
        elif kind == "node":
            self.failures.add(event.t_s, int(self.plant.nodes.gpu_first[slot]))

    def _exchange(self, event: Event) -> None:
        """Let a job hold the nodes that it has after a swap, and no others."""
        ranges = self._here(node_ranges(event.where))
        has = {node for begin, end in ranges for node in range(begin, end + 1)}
        job = self._who(event, has)
        if job not in self._open or not has:
            return
        had = set(self.nodes_of(job))
        for node in sorted(had - has):
            self._cut(job, node, event.t_s)
        first, gained = self.plant.nodes.gpu_first, sorted(has - had)
        for node in gained:
            self._take(job, node, node, event.t_s)
        places = [(float(first[node]), float(first[node] + self._node_gpus[node])) for node in gained]
        for low, high in _joined(places):
            self._open[job].append(self.spans.open(job, low, high, event.t_s))
            self.accounts[self.owner[job]].held.change(event.t_s, high - low)

    def _who(self, event: Event, has: set[int]) -> int:
        """Return the job that has these nodes after a swap; files of older versions do not name it. -1: nobody."""
        if event.subject in self.index:
            return self.index[event.subject]
        if named := event.word("job_id"):
            return self.index.get(named, -1)
        shared = {job: len(has.intersection(self.nodes_of(job))) for job in self._open} if has else {}
        return max(shared, key=lambda job: shared[job]) if any(shared.values()) else -1


def _part_gpus(job: Job, node_gpus: NDArray[np.int64], ranges: list[tuple[int, int]]) -> float:
    """Return how much of its last node a job takes [GPUs]; 0 where it takes it whole."""
    if job.mig is not None:
        return int(job.mig[0]) / _MIG_SLICES
    if job.gpus is None:
        return 0.0
    whole = sum(int(node_gpus[begin : end + 1].sum()) for begin, end in ranges)
    last = int(node_gpus[ranges[-1][1]])
    rest = job.gpus - (whole - last)
    return float(rest) if 0 < rest < last else 0.0


def _joined(places: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return ranges with neighbours made one."""
    out: list[tuple[float, float]] = []
    for low, high in sorted(places):
        if out and abs(out[-1][1] - low) < 1e-9:
            out[-1] = (out[-1][0], high)
        else:
            out.append((low, high))
    return out
