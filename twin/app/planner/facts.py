"""What the planner says of a job: step time, memory, and how far its numbers can be trusted. No widgets."""

from __future__ import annotations

from dataclasses import replace

from twin.app.planner.draft import draft_of_job, judge
from twin.app.planner.hardware import PlannerHardware, scene_hardware
from twin.app.toolkit import text
from twin.app.toolkit.standing_badge import badge_text
from twin.app.world.job_lookup import state_in_short
from twin.app.world.rows import FactRow, World, live_rows
from twin.language import tr
from twin.planning.job.job import JobEstimate
from twin.planning.profile.standing import Standing
from twin.plant.tables import Plant
from twin.record.accounts import JOB_SECONDS
from twin.record.channels import JobState
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.work import Job
from twin.shown_text import capitalised

_WHERE_KNOWN = frozenset({"job.network", "job.input_wait_s", "job.place", "job.why", "job.planned_s"})
_KNOWN_AWAY = frozenset({"job.state", "job.step", "job.step_s", "job.goodput", "job.wait_s"})
"""What is known of a job in a cloud; the rest is of GPUs here."""


def plan_rows(world: World, job: Job) -> list[FactRow]:
    """Return step time, memory and confidence of a job by the planner; nothing when it cannot be planned."""
    planned = _PLANNED.of(world, job)
    if planned is None:
        return []  # such a job is refused before it begins, and said so there
    if planned.kind == "load":
        hint = "\n".join(planned.low_confidence)
        return [FactRow(tr("Step time"), text.quantity(planned.step_s, "s"), hint=hint), *_power(job)]
    hint, standing = planned.standing_tip, planned.standing
    used = text.quantity(planned.memory.total_bytes, "B")
    whole = text.quantity(planned.gpu_bytes, "B")
    return [
        FactRow(tr("Step time"), text.quantity(planned.step_s, "s"), hint=hint),
        *_interval(planned),
        *_throughput(planned),
        *_phases(planned),
        *_service(planned),
        FactRow(tr("Confidence"), badge_text(standing) if standing else "", hint=hint, standing=standing),
        FactRow(
            tr("Memory of a GPU"),
            tr("{used} of {whole}", used=used, whole=whole),
            hint=tr("Of the fullest GPU: weights, optimizer, activations"),
        ),
        FactRow(tr("Fits in memory"), "yes" if planned.fits else tr("no: {reason}", reason=planned.reason)),
        *_power(job),
    ]


def planned_standing(world: World, job: Job) -> tuple[Standing | None, str]:
    """Return how sure the step time of a job is, and why; nothing where it cannot be planned, or is given."""
    planned = _PLANNED.of(world, job)
    return (planned.standing, planned.standing_tip) if planned is not None else (None, "")


def reference_step_s(world: World, job: Job) -> float | None:
    """Return the step time of a job by the planner [s]; None when it cannot be planned."""
    planned = _PLANNED.of(world, job)
    return planned.step_s if planned is not None and planned.step_s > 0 else None


def pace_rows(world: World, job: int) -> list[FactRow]:
    """Return what a job does now; of network and input only where something limits or feeds it."""
    rows = [row for row in live_rows(world, "job", job) if row.hint not in JOB_SECONDS]  # its page has those
    frame = world.frame
    if frame is not None and rows:
        if frame.values["job.state"][job] == JobState.REMOTE:
            return [row for row in rows if row.hint in _KNOWN_AWAY]
        words = state_in_short(frame, jobs_of(world.scenario)[job], job)
        rows = [replace(row, value=words) if row.hint == "job.state" else row for row in rows]
    return [row for row in rows if row.value != text.MISSING or row.hint not in _WHERE_KNOWN]


def _power(job: Job) -> list[FactRow]:
    """Return what is said of a job's power beyond its work; nothing where nothing is."""
    rows = []
    if job.power_floor > 0:
        hint = tr("Minimum GPU power while waiting: less load swing, more energy")
        rows.append(
            FactRow(
                tr("Power floor"),
                tr("{power_floor:.0f} % of working power", power_floor=100 * job.power_floor),
                hint=hint,
            )
        )
    if job.priority:
        rows.append(FactRow(tr("Priority"), f"{job.priority:+d}", hint=tr("Higher priority is capped later")))
    return rows


def _interval(planned: JobEstimate) -> list[FactRow]:
    """Return where the step time is expected; nothing where nothing says."""
    if planned.interval is None:
        return []
    low, high = (text.quantity(end_s, "s") for end_s in planned.interval.around(planned.step_s))
    hint = tr("Nine in ten measured step times: {rests_on}", rests_on=planned.interval.rests_on)
    return [FactRow(tr("Step time expected"), tr("{low} to {high}", low=low, high=high), hint=hint)]


def _throughput(planned: JobEstimate) -> list[FactRow]:
    if not planned.work_per_step:
        return []
    rate = f"{text.prefixed(planned.rate_s)} {planned.unit_of_work}/s"
    return [FactRow(tr("Throughput"), rate, hint=tr("Of the whole job, without interruptions"))]


def _phases(planned: JobEstimate) -> list[FactRow]:
    return [
        FactRow(capitalised(phase.name), text.quantity(phase.seconds, "s"), hint=tr("One phase of a step"))
        for phase in planned.phases
    ]


def _service(planned: JobEstimate) -> list[FactRow]:
    service = planned.service
    if service is None:
        return []
    capacity = tr(
        "{capacity_requests_time} requests/s",
        capacity_requests_time=text.prefixed(service.capacity_requests_s),
    )
    load = tr("{utilisation:.0f} % of {capacity}", utilisation=100 * service.utilisation, capacity=capacity)
    late = tr("Overloaded: request queue grows without bound")
    return [
        FactRow(
            tr("Load"), load, hint=late if service.overloaded else tr("Share of the capacity at full batches")
        ),
        FactRow(
            tr("First token"), text.quantity(service.first_token_s, "s"), hint=tr("Mean time from arrival")
        ),
        FactRow(tr("Further tokens"), text.quantity(service.token_s, "s"), hint=tr("Time per further token")),
        FactRow(
            tr("Concurrent requests"),
            tr("{batch:.3g} of {batch_limit:,}", batch=service.batch, batch_limit=service.batch_limit),
            hint=tr(
                "Per replica, of {replicas:,}; limited by memory, software or the scene",
                replicas=service.replicas,
            ),
        ),
    ]


class _Planned:
    """Estimates of the jobs of the plant that was asked for last: they are looked at several times a second."""

    def __init__(self) -> None:
        self._plant: Plant | None = None
        self._hardware: list[PlannerHardware] = []
        self._known: dict[Job, JobEstimate | None] = {}

    def of(self, world: World, job: Job) -> JobEstimate | None:
        """Return what the planner says of a job on its fabric; None when it cannot be planned."""
        if self._plant is not world.plant:
            self._plant, self._hardware, self._known = world.plant, scene_hardware(world), {}
        if job not in self._known:
            draft = draft_of_job(world, job, self._hardware)
            self._known[job] = judge(draft).estimate if draft is not None else None
        return self._known[job]


_PLANNED = _Planned()
