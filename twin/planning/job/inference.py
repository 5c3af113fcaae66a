"""A served language model on hardware.

One step is what arrives in one second. Below capacity it takes that second, part of it unused; above, it takes
longer, and the service falls behind. What is unused is counted at full batches, as an operator sizes a service:
a lightly loaded GPU is busy with small batches for most of the second all the same, and its power says so.
"""

from __future__ import annotations

from dataclasses import dataclass

from twin.language import tr
from twin.physics.memory import MemoryParts
from twin.physics.serving import Serving, ServingReplica, batch_limit, serve
from twin.physics.training import StepParts
from twin.physics.training_inputs import FULL_NETWORK, Model, TrainingNetwork
from twin.planning.job.result import MEMORY_SHARE, JobEstimate, PlanError, Service
from twin.planning.profile.models import load_model
from twin.planning.profile.profiles import load_calibrated
from twin.scenario.schema.work import Inference

WINDOW_S = 1.0
MOST_AT_ONCE = 4096
"""Requests that any serving software decodes at once; more gain nothing."""

DOUBTS = (
    "Serving uses a roofline model: within 20 % of most published TensorRT-LLM rows.",
    "All prompts and all answers have one length, and any failure stops the whole service.",
)


@dataclass(frozen=True, slots=True)
class InferenceJob:
    """A served language model.

    Attributes
    ----------
    workload
        As a scenario has it.
    gpus
        GPUs of the job; `workload.tensor` of them are one replica.
    profile
        Name of a profile, such as "h100".
    gpu_bytes, network
        As for `LlmJob`.
    model
        What is served; none: the preset of the workload.
    """

    workload: Inference
    gpus: int
    profile: str
    gpu_bytes: float | None = None
    network: TrainingNetwork = FULL_NETWORK
    model: Model | None = None


def estimate_inference(job: InferenceJob) -> JobEstimate:
    """Return the estimate of a served model on its hardware; raises as `twin.planning.job.job.estimate`."""
    workload, profile = job.workload, load_calibrated(job.profile).profile
    model = job.model or load_model(workload.model).model
    if job.gpus % workload.tensor:
        raise PlanError(
            f"{job.gpus} GPUs are not a multiple of {workload.tensor} GPUs of a replica", "gpus", "tensor"
        )
    if model.heads % workload.tensor:
        raise PlanError(
            f"tensor parallel {workload.tensor} does not divide {model.heads} attention heads", "tensor"
        )
    replica = ServingReplica(
        model, profile, workload.tensor, workload.precision, workload.cache_precision, job.network
    )
    replicas = job.gpus // workload.tensor
    gpu_bytes = profile.hbm_bytes if job.gpu_bytes is None else job.gpu_bytes
    context = workload.prompt_tokens + workload.output_tokens / 2
    weights_bytes = replica.weight_bytes / workload.tensor
    room = batch_limit(MEMORY_SHARE * gpu_bytes - weights_bytes, replica, context)
    limit = max(1, min(room, workload.batch_limit or MOST_AT_ONCE))
    served = serve(
        replica, workload.requests_s / replicas, workload.prompt_tokens, workload.output_tokens, limit
    )
    cache_bytes = limit * replica.cache_request_bytes(context)
    memory = MemoryParts(weights_bytes, 0.0, 0.0, 0.0, cache_bytes=cache_bytes)
    parts = _parts(served, replicas, profile.peak(workload.precision) * job.gpus)
    return JobEstimate(
        kind="inference",
        gpus=job.gpus,
        parts=parts,
        memory=memory,
        gpu_bytes=gpu_bytes,
        fits=room >= 1,
        reason="" if room >= 1 else _reason(weights_bytes, cache_bytes, gpu_bytes),
        parameters=model.parameters,
        checkpoint_bytes=replica.weight_bytes * replicas,
        input_bytes=0.0,
        confidence="uncalibrated",
        unit_of_work=tr("requests"),
        work_per_step=workload.requests_s * WINDOW_S,
        hbm_bytes=served.now.hbm_bytes * replicas * parts.step_s,
        low_confidence=DOUBTS,
        service=Service(
            replicas=replicas,
            first_token_s=served.first_token_s,
            token_s=served.token_s,
            batch=served.batch,
            batch_limit=limit,
            output_tokens_s=workload.output_tokens * workload.requests_s / max(1.0, served.utilisation),
            capacity_requests_s=served.capacity_s * replicas,
            utilisation=served.utilisation,
            overloaded=served.utilisation > 1.0,
        ),
    )


def _parts(served: Serving, replicas: int, peak_flops_s: float) -> StepParts:
    """Return the window: its use at full batches for the ledger, what really runs in it for the power."""
    full, now = served.full, served.now
    step_s = max(WINDOW_S, full.total_s)
    flop = full.flop * replicas
    running_s = step_s / WINDOW_S
    return StepParts(
        productive_s=full.gemm_s + full.memory_s,
        exposed_tensor_s=full.communication_s,
        exposed_pipeline_s=0.0,
        exposed_data_s=0.0,
        exposed_context_s=0.0,
        exposed_expert_s=0.0,
        pipeline_bubble_s=0.0,
        launch_s=full.launch_s,
        straggler_s=0.0,
        gemm_s=now.gemm_s * running_s,
        memory_bound_s=now.memory_s * running_s,
        communication_s=now.communication_s * running_s,
        idle_s=max(0.0, step_s - (now.total_s - now.launch_s) * running_s),
        gemm_scaling_s=full.gemm_s,
        model_flop=flop,
        mfu=flop / (peak_flops_s * step_s),
        idle_load_s=max(0.0, WINDOW_S - full.total_s),
    )


def _reason(weights_bytes: float, cache_bytes: float, gpu_bytes: float) -> str:
    return (
        f"needs {(weights_bytes + cache_bytes) / 1e9:.1f} GB of {MEMORY_SHARE * gpu_bytes / 1e9:.1f} GB usable "
        f"on a GPU (weights {weights_bytes / 1e9:.1f}, keys and values of one request {cache_bytes / 1e9:.1f})"
    )
