"""What the page of one job shows of a moment. No widgets."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from twin.app.jobs.events import JobEvents
from twin.app.jobs.waterfall import Waterfall, waterfall
from twin.app.planner.facts import planned_standing, reference_step_s
from twin.app.queue.history import JobHistory
from twin.app.toolkit import text
from twin.app.world.rows import World
from twin.app.world.wait_reasons import why_waiting
from twin.language import counted, tr
from twin.planning.profile.standing import Standing
from twin.plant.tables import Plant
from twin.record.accounts import JOB_SECONDS
from twin.record.channels import JobState
from twin.record.event_kinds import kind_of
from twin.record.frame import Frame
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.work import Job

_HELD = frozenset(
    {
        JobState.STARTING,
        JobState.RUNNING,
        JobState.CHECKPOINT,
        JobState.DETECTING,
        JobState.RESTARTING,
        JobState.WAITING,
    }
)
STATE_WORDS: dict[JobState, str] = {
    JobState.QUEUED: tr("queued"),
    JobState.STARTING: tr("starting"),
    JobState.RUNNING: tr("running"),
    JobState.CHECKPOINT: tr("writing checkpoint"),
    JobState.DETECTING: tr("failed, not yet detected"),
    JobState.RESTARTING: tr("restarting"),
    JobState.WAITING: tr("waiting for node"),
    JobState.DONE: tr("completed"),
    JobState.KILLED: tr("ended early"),
    JobState.REMOTE: tr("in a cloud"),
}
NOT_SUBMITTED = tr("not submitted yet")
STATE_COLOURS: dict[JobState, str] = {
    JobState.RUNNING: "ok",
    JobState.CHECKPOINT: "notice",
    JobState.STARTING: "notice",
    JobState.REMOTE: "notice",
    JobState.DETECTING: "alarm",
    JobState.RESTARTING: "warning",
    JobState.WAITING: "warning",
    JobState.KILLED: "alarm",
}
"""Colours of the theme by name; others are muted."""


@dataclass(frozen=True)
class ProgressFigures:
    """How far a job is, in steps and in time.

    Parameters
    ----------
    step, durable, total
        Steps done, safe, and asked for [-]; nobody knows what is safe in a cloud; no total: it runs on until the scene
        ends.
    submit_s, start_s, now_s
        Submitted; first start, None: not yet; now, or its end [s].
    ends_s
        When it ends at its present pace, or ended [s]; None: unknown.
    limit_s, deadline_s
        When it is killed, and when it should be done [s]; None: never.
    over
        Whether it is.
    """

    step: float
    durable: float | None
    total: float | None
    submit_s: float
    start_s: float | None
    now_s: float
    ends_s: float | None
    limit_s: float | None
    deadline_s: float | None
    over: bool

    @property
    def late(self) -> bool:
        """Return whether it misses its deadline, or its limit ends it first."""
        bounds = [at_s for at_s in (self.limit_s, self.deadline_s) if at_s is not None]
        return self.ends_s is not None and any(self.ends_s > at_s + 0.5 for at_s in bounds)


@dataclass(frozen=True)
class JobPage:
    """Everything the page says in words and figures."""

    id: str
    index: int
    title: str
    state: JobState
    state_words: str
    facts: str
    where: str
    progress: ProgressFigures
    time: Waterfall
    standing: Standing | None
    standing_tip: str


def job_page(world: World, history: JobHistory, events: JobEvents, job_id: str) -> JobPage | None:
    """Return the page of a job; None without a frame or where there is no such job."""
    frame, index = world.frame, history.index.get(job_id)
    if frame is None or index is None or index >= len(frame.values["job.state"]):
        return None
    spec, values = history.jobs[index], frame.values
    state = JobState(int(values["job.state"][index]))
    ended_s = events.end_s(job_id) if state in (JobState.DONE, JobState.KILLED) else None
    now_s = frame.t_s if ended_s is None else min(ended_s, frame.t_s)
    spent_s = {name: float(values[name][index]) for name in JOB_SECONDS}
    submit_s = min(spec.submit_s, now_s)
    whole_s = now_s - submit_s
    waits = state == JobState.QUEUED
    queue_s = whole_s - sum(spent_s.values()) if waits else float(values["job.wait_s"][index])
    away = events.first_s(job_id, "job_cloud") is not None
    why = why_waiting(int(values["job.why"][index]), partitions=bool(world.scenario.partitions))
    return JobPage(
        job_id,
        index,
        spec.title or spec.id,
        state,
        _state_words(state, why, events, job_id) if frame.t_s >= spec.submit_s else NOT_SUBMITTED,
        _facts(world, history, spec, index),
        _in_cloud(events, job_id, float(values["job.step_s"][index]))
        if state == JobState.REMOTE
        else _where(world.plant, frame, index, float(values["job.gpus"][index]), state),
        _progress(world, history, events, spec, index, state, now_s),
        waterfall(whole_s, min(max(queue_s, 0.0), whole_s), spent_s, away=away),
        *planned_standing(world, spec),
    )


def limit_of(scenario: Scenario, job: Job, partition: str) -> float | None:
    """Return the wall time a job may take from each start, with what its partition says [s]; None: any."""
    limit_s = job.limit_s
    part = next((owner for owner in scenario.partitions if owner.id == partition), None)
    if part is not None:
        limit_s = limit_s or part.default_limit_s or part.limit_s
        limit_s = min(limit_s, part.limit_s) if limit_s and part.limit_s else limit_s
    return limit_s


def _state_words(state: JobState, reason: str, events: JobEvents, job_id: str) -> str:
    if state == JobState.QUEUED:
        return tr("queued: {reason}", reason=reason) if reason else "queued"
    if state == JobState.KILLED:
        kinds = (kind_of(event.kind) for event in reversed(events.of(job_id)))
        return next((kind.job_title for kind in kinds if kind.job and kind.job.is_over), tr("ended early"))
    return STATE_WORDS[state]


def _facts(world: World, history: JobHistory, spec: Job, index: int) -> str:
    """Return whose it is, where it was submitted and what it asks for, in one line."""
    partition = history.partition_of(index)
    titles = {owner.id: owner.title or owner.id for owner in world.scenario.tenants}
    titles |= {owner.id: owner.title or owner.id for owner in world.scenario.partitions}
    gpus = history.gpus_of(index)
    parts = [titles.get(spec.tenant, spec.tenant) if spec.tenant else ""]
    parts += [tr("partition {partition}", partition=titles.get(partition, partition)) if partition else ""]
    parts += [tr("{mig} of a GPU", mig=spec.mig) if spec.mig else counted(gpus, "GPU")]
    parts += [tr("priority {priority:+d}", priority=spec.priority) if spec.priority else ""]
    return "  \N{MIDDLE DOT}  ".join(part for part in parts if part)


def _where(plant: Plant, frame: Frame, index: int, held: float, state: JobState) -> str:
    """Return where a job runs now, in words."""
    if state not in _HELD:
        return ""
    jobs = frame.values["gpu.job"]
    if len(jobs) != len(plant.gpus.node):  # of the hall before an edit, for one picture
        return ""
    nodes = np.unique(plant.gpus.node[jobs == index]).tolist()
    if not nodes:
        return ""
    if len(nodes) == 1:
        return tr(
            "{significant} GPUs of {node}", significant=text.significant(held), node=plant.nodes.ids[nodes[0]]
        )
    racks = len(np.unique(plant.nodes.rack[nodes]))
    first, last = plant.nodes.ids[nodes[0]], plant.nodes.ids[nodes[-1]]
    return tr(
        "{nodes:,} nodes in {racks}, {first} to {last}",
        racks=counted(racks, "rack"),
        nodes=len(nodes),
        first=first,
        last=last,
    )


def _in_cloud(events: JobEvents, job_id: str, step_s: float) -> str:
    """Return what is known of a job in a cloud: what it holds there, and how fast it steps."""
    went, came = events.last(job_id, "job_cloud"), events.last(job_id, "cloud_on")
    if went is None:
        return tr("in a cloud")
    cloud, gpus = str(went.data.get("cloud", "the cloud")), int(went.data.get("gpus", 0))
    held = tr("{gpus} of {cloud}", gpus=counted(gpus, "GPU"), cloud=cloud)
    if came is None or came.t_s < went.t_s:
        return tr("moving to the cloud: {held} ordered", held=held)
    if not _steps_there(events, job_id):
        return tr("in the cloud: {held}, starting", held=held)
    return tr(
        "in the cloud: {held}, {duration} a step, stops included", held=held, duration=text.duration(step_s)
    )


def _steps_there(events: JobEvents, job_id: str) -> bool:
    """Return whether a job in a cloud has taken its first step there."""
    went, stepping = events.last(job_id, "job_cloud"), events.last_s(job_id, "job_running", "job_resumed")
    return went is not None and stepping is not None and stepping > went.t_s


def _progress(
    world: World,
    history: JobHistory,
    events: JobEvents,
    spec: Job,
    index: int,
    state: JobState,
    now_s: float,
) -> ProgressFigures:
    frame, scenario = world.frame, world.scenario
    assert frame is not None
    step, durable = (float(frame.values[name][index]) for name in ("job.step", "job.durable_step"))
    over = state in (JobState.DONE, JobState.KILLED)
    total = _total(world, spec)
    if total is not None and state == JobState.DONE:
        total = step
    start_s = events.first_s(spec.id, "job_started")
    began_s = history.started_s.get(index)
    limit_s = limit_of(scenario, spec, history.partition_of(index))
    ends_s = now_s if over else None
    step_s = float(frame.values["job.step_s"][index])
    away = state == JobState.REMOTE
    going = _steps_there(events, spec.id) if away else state in _HELD
    if not over and total is not None and going and 0 < step_s < math.inf:
        ends_s = now_s + (total - step) * step_s / (1.0 if away else _duty(spec))
    last_s = events.last_s(spec.id, "job_started") if began_s is not None or over else None
    killed_s = last_s + limit_s if limit_s is not None and last_s is not None else None
    return ProgressFigures(
        step=step,
        durable=None if away else step if state == JobState.DONE else min(durable, step),
        total=total,
        submit_s=min(spec.submit_s, now_s),
        start_s=start_s,
        now_s=now_s,
        ends_s=ends_s,
        limit_s=killed_s,
        deadline_s=spec.deadline_s,
        over=over,
    )


def _duty(spec: Job) -> float:
    """Return the share of running time that a job steps; the rest are pauses of checkpoints [-]."""
    interval = spec.checkpoint.interval
    if not isinstance(interval, float) or interval <= 0:
        return 1.0
    return interval / (interval + spec.checkpoint.pause_s)


def _total(world: World, spec: Job) -> float | None:
    """Return how many steps a job is asked for; None: as many as it can."""
    if spec.steps is not None:
        return float(spec.steps)
    step_s = reference_step_s(world, spec) if spec.run_s is not None else None
    return spec.run_s / step_s if spec.run_s is not None and step_s else None
