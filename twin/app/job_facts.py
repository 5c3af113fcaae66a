"""What the planner says of a job: step time, memory, and how far its numbers can be trusted. No widgets."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from twin.app import text
from twin.app.fact_rows import Row, World, live_rows
from twin.planning.figures import ProfileError
from twin.planning.job import JobEstimate, PlanError
from twin.planning.scenario_job import allowed_nodes, estimate_of
from twin.scenario.work import Job

_WHERE_KNOWN = frozenset({"job.network", "job.input_wait_s"})
_CONFIDENCE = {
    "calibrated": "The step time was fitted to published runs on this GPU.",
    "derived": "The step time was carried over from a GPU whose published runs were fitted.",
    "uncalibrated": "No published run backs the step time: expect it to be off.",
}


def plan_rows(world: World, job: Job) -> list[Row]:
    """Return step time, memory and confidence of a job by the planner; nothing when it cannot be planned."""
    hardware = _hardware(world, job)
    if hardware is None:
        return []
    try:
        planned = _planned(job, *hardware)
    except (PlanError, ProfileError):
        return []  # such a job is refused before it begins, and said so there
    hint = _CONFIDENCE.get(planned.confidence, "")
    used = text.quantity(planned.memory.total_bytes, "B")
    whole = text.quantity(planned.gpu_bytes, "B")
    return [
        Row("Step time", text.quantity(planned.step_s, "s"), hint=hint),
        *_throughput(planned),
        *_phases(planned),
        *_service(planned),
        Row("Confidence", planned.confidence, hint="\n".join([hint, *planned.low_confidence])),
        Row(
            "Memory of a GPU",
            f"{used} of {whole}",
            hint="Of the fullest GPU: weights, optimizer, activations",
        ),
        Row("Fits in memory", "yes" if planned.fits else f"no: {planned.reason}"),
    ]


def pace_rows(world: World, job: int) -> list[Row]:
    """Return what a job does now; of network and input only where something limits or feeds it."""
    rows = live_rows(world, "job", job)
    return [row for row in rows if row.value != text.MISSING or row.hint not in _WHERE_KNOWN]


def _throughput(planned: JobEstimate) -> list[Row]:
    if not planned.work_per_step:
        return []
    rate = f"{text.prefixed(planned.rate_s)} {planned.unit_of_work}/s"
    return [Row("Throughput", rate, hint="Of the whole job, while nothing interrupts it")]


def _phases(planned: JobEstimate) -> list[Row]:
    return [
        Row(phase.name.capitalize(), text.quantity(phase.seconds, "s"), hint="One phase of a step")
        for phase in planned.phases
    ]


def _service(planned: JobEstimate) -> list[Row]:
    service = planned.service
    if service is None:
        return []
    capacity = f"{text.prefixed(service.capacity_requests_s)} requests/s"
    load = f"{100 * service.utilisation:.0f} % of {capacity}"
    late = "More is asked than it can answer: those that wait become ever more"
    return [
        Row("Load", load, hint=late if service.overloaded else "Of what it answers at full batches"),
        Row("First token", text.quantity(service.first_token_s, "s"), hint="From arrival, in the mean"),
        Row("Further tokens", text.quantity(service.token_s, "s"), hint="Each one of an answer"),
        Row(
            "Answered at once",
            f"{service.batch:.3g} of {service.batch_limit:,}",
            hint=f"Requests of one of {service.replicas:,} replicas; memory, software or the scene sets the limit",
        ),
    ]


def _hardware(world: World, job: Job) -> tuple[int, str, float] | None:
    """Return the GPUs a job asks for, their part, and the memory of one [B]; None without nodes for it."""
    plant = world.plant
    allowed = allowed_nodes(plant, job.rows)
    if not allowed.any():
        return None
    node = int(np.argmax(allowed))
    part = plant.gpu_parts[int(plant.gpus.part[int(plant.nodes.gpu_first[node])])]
    return int(plant.nodes.gpu_count[node]) * job.nodes, part, world.catalog.gpu(part).memory_bytes


_planned = lru_cache(maxsize=64)(estimate_of)
