"""Reinforcement learning of a language model on hardware: generate, score, learn, give the weights back.

All GPUs do these in turn, or some nodes only generate, one step ahead of the learner; then the step is the longer
of the two sides, and the other one waits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from twin.language import tr
from twin.physics.memory import MemoryParts
from twin.physics.rollout import Rollout, rollout, weight_sync_s
from twin.physics.serving import ServingReplica, batch_limit
from twin.physics.training import StepParts
from twin.physics.training_inputs import Model
from twin.planning.job.llm import LlmJob, estimate_llm
from twin.planning.job.result import (
    MEMORY_SHARE,
    JobEstimate,
    PlanError,
    StepPhase,
    fits,
    memory_reason,
)
from twin.planning.job.training_facts import described
from twin.planning.profile.models import load_model
from twin.planning.profile.profiles import load_calibrated
from twin.scenario.schema.work import Reinforcement

DOUBTS = (
    "Generation uses a roofline model; the ratio of longest to mean answer is a scene input.",
    "Scoring counts as forward passes of the learner.",
)
TOKEN_BYTES = 4


@dataclass(frozen=True, slots=True)
class ReinforcementJob:
    """Reinforcement learning of a language model.

    Attributes
    ----------
    workload
        As a scenario has it.
    learner
        What learns, on its GPUs; a batch is all answers of a step.
    rollout_gpus
        GPUs that only generate; 0: the learner's do both in turn.
    model
        What generates; none: the preset of the workload.
    """

    workload: Reinforcement
    learner: LlmJob
    rollout_gpus: int = 0
    model: Model | None = None

    @property
    def gpus(self) -> int:
        """GPUs of the job."""
        return self.learner.parallel.gpus + self.rollout_gpus


def answer_model(workload: Reinforcement, model: Model) -> Model:
    """Return a model with the length that the learner sees: a prompt and its mean answer."""
    return replace(model, seq=workload.prompt_tokens + workload.output_tokens)


def estimate_reinforcement(job: ReinforcementJob) -> JobEstimate:
    """Return the estimate of reinforcement learning on its hardware; raises as `twin.planning.job.job.estimate`."""
    workload, learner = job.workload, described(job.learner, estimate_llm(job.learner))
    generating = job.rollout_gpus or job.gpus
    if generating % workload.rollout_tensor:
        raise PlanError(
            f"{generating} generating GPUs are not a multiple of {workload.rollout_tensor} GPUs of a copy",
            *("gpus", "rollout_tensor"),
        )
    roll, replicas, limit, memory = _generation(job, learner, generating // workload.rollout_tensor)
    profile = load_calibrated(_name(job.learner)).profile
    sync_s = weight_sync_s(learner.parameters, job.gpus, profile, job.learner.network)
    scoring = (2 if workload.reference else 1) / (4 if workload.recompute == "full" else 3)
    learned = _with_scoring(learner.parts, scoring)
    parts = _together(job, roll, learned, sync_s)
    flop = roll.flop * replicas + learner.parts.model_flop * (1 + (2 if workload.reference else 1) / 3)
    peak = profile.peak(workload.precision) * job.gpus
    parts = replace(parts, model_flop=flop, mfu=flop / (peak * parts.step_s))
    room = limit >= 1 and fits(memory, learner.gpu_bytes)
    answers = workload.prompts * workload.samples
    return JobEstimate(
        kind="reinforcement",
        gpus=job.gpus,
        parts=parts,
        memory=memory,
        gpu_bytes=learner.gpu_bytes,
        fits=room,
        reason="" if room else _reason(memory, learner.gpu_bytes),
        parameters=learner.parameters,
        checkpoint_bytes=learner.checkpoint_bytes,
        input_bytes=float(TOKEN_BYTES * workload.prompts * workload.prompt_tokens),
        confidence="uncalibrated",
        unit_of_work=tr("answers"),
        work_per_step=float(answers),
        hbm_bytes=roll.hbm_bytes * replicas + learner.hbm_bytes * (1 + scoring),
        low_confidence=(*learner.low_confidence, *DOUBTS),
        phases=(
            StepPhase(tr("generation"), roll.total_s),
            StepPhase(tr("scoring"), learned.step_s - learner.step_s),
            StepPhase(tr("learning"), learner.step_s),
            StepPhase(tr("weights to the generating copies"), sync_s),
        ),
    )


def _generation(
    job: ReinforcementJob, learner: JobEstimate, replicas: int
) -> tuple[Rollout, int, int, MemoryParts]:
    """Return generation on one replica, number of replicas, concurrent answers, and memory of the fullest GPU."""
    workload = job.workload
    profile = load_calibrated(_name(job.learner)).profile
    model = job.model or load_model(workload.model).model
    replica = ServingReplica(
        model, profile, workload.rollout_tensor, workload.precision, network=job.learner.network
    )
    copy_bytes = replica.weight_bytes / workload.rollout_tensor
    frozen_bytes = learner.memory.weights_bytes if workload.reference else 0.0
    kept = replace(learner.memory, weights_bytes=learner.memory.weights_bytes + frozen_bytes)
    if job.rollout_gpus:
        resting, learning = MemoryParts(copy_bytes, 0.0, 0.0, 0.0), kept
    else:
        both = replace(kept, weights_bytes=kept.weights_bytes + copy_bytes)
        resting, learning = replace(both, activations_bytes=0.0, working_bytes=0.0), both
    context = workload.prompt_tokens + workload.output_tokens
    free_bytes = MEMORY_SHARE * learner.gpu_bytes - resting.total_bytes
    limit = batch_limit(free_bytes, replica, context)
    prompts_of_replica = math.ceil(workload.prompts * workload.samples / replicas) / workload.samples
    roll = rollout(
        replica,
        prompts_of_replica,
        workload.samples,
        workload.prompt_tokens,
        workload.output_tokens,
        workload.longest,
        max(1, limit),
    )
    cache_bytes = roll.batch * replica.cache_request_bytes(context)
    writing = replace(resting, cache_bytes=cache_bytes)
    fullest = max((writing, learning), key=lambda memory: memory.total_bytes)
    return roll, replicas, limit, fullest


def _with_scoring(step: StepParts, scoring: float) -> StepParts:
    """Return a learner's step with `scoring` of its passes once more, without gradients to exchange."""
    more = 1.0 + scoring
    return replace(
        step,
        productive_s=step.productive_s * more,
        exposed_tensor_s=step.exposed_tensor_s * more,
        exposed_pipeline_s=step.exposed_pipeline_s * more,
        exposed_context_s=step.exposed_context_s * more,
        exposed_expert_s=step.exposed_expert_s * more,
        pipeline_bubble_s=step.pipeline_bubble_s * more,
        gemm_s=step.gemm_s * more,
        memory_bound_s=step.memory_bound_s * more,
        communication_s=(step.communication_s - step.exposed_data_s) * more + step.exposed_data_s,
        idle_s=step.idle_s + scoring * step.pipeline_bubble_s,
        gemm_scaling_s=step.gemm_scaling_s * more,
    )


def _together(job: ReinforcementJob, roll: Rollout, learned: StepParts, sync_s: float) -> StepParts:
    """Return the step of the mean GPU: the two sides one after the other, or beside each other."""
    rolling = roll.prefill.then(roll.decode)
    if job.rollout_gpus:
        rolling_share = job.rollout_gpus / job.gpus
        period_s = max(roll.total_s, learned.step_s)
        waiting_s = rolling_share * (period_s - roll.total_s) + (1 - rolling_share) * (
            period_s - learned.step_s
        )
        learning_share = 1 - rolling_share
    else:
        rolling_share, learning_share, waiting_s = 1.0, 1.0, 0.0
    communication_s = (
        rolling_share * rolling.communication_s + learning_share * learned.communication_s + sync_s
    )
    gemm_s = rolling_share * rolling.gemm_s + learning_share * learned.gemm_s
    memory_s = rolling_share * rolling.memory_s + learning_share * learned.memory_bound_s
    idle_s = rolling_share * (rolling.launch_s + roll.tail_s) + learning_share * learned.idle_s + waiting_s
    return StepParts(
        productive_s=rolling_share * (rolling.gemm_s + rolling.memory_s)
        + learning_share * learned.productive_s,
        exposed_tensor_s=rolling_share * rolling.communication_s + learning_share * learned.exposed_tensor_s,
        exposed_pipeline_s=learning_share * learned.exposed_pipeline_s,
        exposed_data_s=learning_share * learned.exposed_data_s + sync_s,
        exposed_context_s=learning_share * learned.exposed_context_s,
        exposed_expert_s=learning_share * learned.exposed_expert_s,
        pipeline_bubble_s=learning_share * learned.pipeline_bubble_s + waiting_s,
        launch_s=rolling_share * rolling.launch_s + learning_share * learned.launch_s,
        straggler_s=rolling_share * roll.tail_s + learning_share * learned.straggler_s,
        gemm_s=gemm_s,
        memory_bound_s=memory_s,
        communication_s=communication_s,
        idle_s=idle_s,
        gemm_scaling_s=rolling_share * rolling.gemm_s + learning_share * learned.gemm_scaling_s,
        model_flop=0.0,
        mfu=0.0,
    )


def _name(job: LlmJob) -> str:
    return job.profile if isinstance(job.profile, str) else job.profile.name


def _reason(memory: MemoryParts, gpu_bytes: float) -> str:
    return memory_reason(memory, gpu_bytes) or (
        f"has no memory for one answer beside {memory.weights_bytes / 1e9:.1f} GB of weights, gradients and "
        f"optimizer on a GPU of {gpu_bytes / 1e9:.0f} GB"
    )
