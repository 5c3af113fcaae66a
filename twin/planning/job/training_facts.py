"""Facts of a training run beside its time: tokens, memory traffic, and the parts that no measurement backs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from twin.language import tr
from twin.physics.roofline import transformer_traffic_bytes
from twin.physics.training_inputs import Model
from twin.planning.job.llm import LlmJob, default_stack
from twin.planning.job.result import JobEstimate
from twin.planning.profile.models import load_model
from twin.planning.profile.standing import WORTH_OF_EXPERTS

NEARLY_FULL = 0.99
"""Share of the profile's network from which a fabric counts as the one it was fitted on."""

SLOWDOWN_MODELLED = (
    "Fabric bandwidth is below that of the calibration fabric; the slowdown is modelled, not calibrated."
)


def described(job: LlmJob, result: JobEstimate) -> JobEstimate:
    """Return the estimate of a training run with its tokens, memory traffic and unmeasured parts added."""
    model = load_model(job.model).model if isinstance(job.model, str) else job.model
    stack = default_stack(job.profile, job.model) if job.stack is None else job.stack
    return replace(
        result,
        unit_of_work=tr("tokens"),
        work_per_step=float(job.parallel.global_batch * model.seq),
        hbm_bytes=transformer_traffic_bytes(model, job.parallel, stack),
        low_confidence=tuple(_doubts(job, result, model)),
    )


def _doubts(job: LlmJob, result: JobEstimate, model: Model) -> Iterator[str]:
    if model.experts is not None:
        yield f"{WORTH_OF_EXPERTS}."
    elif result.confidence == "uncalibrated":
        yield "The profile of this GPU is uncalibrated: no published run backs it."
    elif result.interval is not None and not result.interval.sure:
        yield f"No published run of this GPU, stack and precision: step time {result.interval.words}."
    slow = job.network
    least = min(slow.data, slow.pipeline, slow.tensor, slow.context, slow.expert)
    if least < NEARLY_FULL or slow.hop_extra_s > 0.0:
        yield SLOWDOWN_MODELLED
