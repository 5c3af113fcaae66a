"""Roofline: step time of plain data-parallel training (vision, video), and memory traffic of a transformer step.

References
----------
Williams, Waterman, Patterson, "Roofline: an insightful visual performance model", CACM 52 (2009).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from twin.physics.collectives import collective_time_s
from twin.physics.sharding import DATA_EXPOSED_FLOOR, OPTIMIZER_BYTES_PER_WEIGHT
from twin.physics.training import StepParts
from twin.physics.training_inputs import (
    FULL_NETWORK,
    Model,
    Parallel,
    Profile,
    SoftwareStack,
    TrainingNetwork,
    together,
)

GRADIENT_BYTES = 2
BACKWARD_SHARE = 2 / 3


@dataclass(frozen=True, slots=True)
class SampleWork:
    """Work of one training sample.

    Attributes
    ----------
    flop
        Model FLOP, forward and backward [FLOP].
    hbm_bytes
        Traffic between GPU and its memory [B]; 0 when unknown, then arithmetic alone decides.
    efficiency
        Achieved share of the 16-bit peak, 0..1.
    """

    flop: float
    hbm_bytes: float
    efficiency: float


def data_parallel_step(
    work: SampleWork,
    parameters: float,
    batch_per_gpu: int,
    gpus: int,
    profile: Profile,
    network: TrainingNetwork = FULL_NETWORK,
) -> StepParts:
    """Return the time of one step, by part [s].

    Compute is the slower of arithmetic and memory traffic; the gradient all-reduce hides behind the backward
    pass except for what is longer, and a tenth of it always shows.

    Parameters
    ----------
    work
        Of one sample.
    parameters
        Weights of the model, whole on each GPU.
    batch_per_gpu
        Samples of one step on one GPU.
    gpus
        GPUs of the job.
    profile
        Fitted numbers of the hardware.
    network
        What the fabric gives the job on its places.
    """
    hbm_bytes_s = profile.hbm_bytes_s * profile.hbm_efficiency
    arithmetic_s = batch_per_gpu * work.flop / (profile.peak_flops_s * work.efficiency)
    traffic_s = batch_per_gpu * work.hbm_bytes / hbm_bytes_s
    gemm_s = arithmetic_s if arithmetic_s >= traffic_s else 0.0
    memory_s = traffic_s if traffic_s > arithmetic_s else 0.0
    links = profile.links_over(network.data, network.hop_extra_s)
    nloc = together(min(gpus, profile.domain_gpus), network.members.data)
    reduce_s = collective_time_s("all_reduce", GRADIENT_BYTES * parameters, gpus, nloc, links)
    data_s = max(0.0, reduce_s - BACKWARD_SHARE * (gemm_s + memory_s), DATA_EXPOSED_FLOOR * reduce_s)
    memory_s += OPTIMIZER_BYTES_PER_WEIGHT * parameters / hbm_bytes_s

    jitter = profile.jitter_per_doubling * math.log2(max(1.0, gpus / profile.domain_gpus))
    steady_s = gemm_s + memory_s + data_s + profile.fixed_s
    straggler_s = jitter * steady_s
    flop = gpus * batch_per_gpu * work.flop
    return StepParts(
        productive_s=gemm_s + memory_s,
        exposed_tensor_s=0.0,
        exposed_pipeline_s=0.0,
        exposed_data_s=data_s,
        exposed_context_s=0.0,
        exposed_expert_s=0.0,
        pipeline_bubble_s=0.0,
        launch_s=profile.fixed_s,
        straggler_s=straggler_s,
        gemm_s=gemm_s,
        memory_bound_s=memory_s,
        communication_s=data_s,
        idle_s=profile.fixed_s + straggler_s,
        gemm_scaling_s=gemm_s * (1.0 + jitter),
        model_flop=flop,
        mfu=flop / (profile.peak_flops_s * gpus * (steady_s + straggler_s)),
    )


def transformer_traffic_bytes(model: Model, parallel: Parallel, stack: SoftwareStack) -> float:
    """Return the traffic between all GPUs of a job and their memory in one training step [B].

    Operands and results of the matrix products at 16 bit (backward twice the forward pass, as two products each),
    elementwise work, unfused scores, and the optimizer; fused attention reads its inputs once. What caches on the
    chip save is not counted, so this is an upper estimate.

    Parameters
    ----------
    model, parallel, stack
        As for `twin.physics.training.step_time`.
    """
    x = parallel.microbatch * model.seq / parallel.cp
    t, h = parallel.tp, model.hidden
    inner = model.ffn
    if model.experts is not None:
        active = (model.experts.per_token + model.experts.shared) * model.experts.ffn
        inner = round(model.expert_share * active + (1.0 - model.expert_share) * model.ffn)
    weights = (model.plain_layer_parameters + model.expert_layer_parameters / parallel.ep) / t
    widths = (
        4 * h + (2 * model.attention_width + model.key_value_width + (3 if model.gated else 2) * inner) / t
    )
    products = 2 * (weights + x * widths)
    scores = 0.0 if stack.flash else 11 * x * model.seq * model.heads / t
    forward = products + scores + x * (22 * h / (t if stack.seq_parallel else 1) + 4 * inner / t)
    backward = 2 * products + 1.5 * (forward - products) + (forward if stack.recompute == "full" else 0.0)
    head = 3 * 2 * (x * h + h * model.vocab / t + x * model.vocab / t) + 12 * x * model.vocab / t
    ranks = parallel.tp * parallel.cp * parallel.dp
    layers = parallel.microbatches * ranks * (model.layers * (forward + backward) + head)
    shared = parallel.dp * parallel.cp if stack.sharding == "none" else 1
    return layers + shared * OPTIMIZER_BYTES_PER_WEIGHT * model.parameters
