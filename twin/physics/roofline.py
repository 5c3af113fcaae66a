"""Step time of plain data-parallel training by roofline: vision and video models.

References
----------
Williams, Waterman, Patterson, "Roofline: an insightful visual performance model", CACM 52 (2009).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from twin.physics.collectives import collective_time_s
from twin.physics.training import DATA_EXPOSED_FLOOR, OPTIMIZER_BYTES_PER_WEIGHT, StepParts
from twin.physics.training_inputs import FULL_NETWORK, Network, Profile

GRADIENT_BYTES = 2
BACKWARD_SHARE = 2 / 3


@dataclass(frozen=True, slots=True)
class SampleWork:
    """What one training sample costs.

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
    network: Network = FULL_NETWORK,
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
    reduce_s = collective_time_s(
        "all_reduce", GRADIENT_BYTES * parameters, gpus, min(gpus, profile.domain_gpus), links
    )
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
