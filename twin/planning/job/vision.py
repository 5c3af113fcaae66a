"""A vision or video model in data-parallel training on hardware."""

from __future__ import annotations

from dataclasses import dataclass

from twin.language import tr
from twin.physics.checkpoint import checkpoint_bytes
from twin.physics.memory import OPTIMIZER_BYTES, WEIGHT_BYTES, MemoryParts
from twin.physics.roofline import GRADIENT_BYTES, SampleWork, data_parallel_step
from twin.physics.sharding import OPTIMIZER_BYTES_PER_WEIGHT
from twin.physics.training_inputs import FULL_NETWORK, TrainingNetwork
from twin.planning.job.result import JobEstimate, fits, memory_reason
from twin.planning.profile.profiles import load_calibrated


@dataclass(frozen=True, slots=True)
class VisionJob:
    """A vision or video model in data-parallel training.

    Attributes
    ----------
    gpus
        GPUs of the job.
    profile
        Name of a profile, such as "h100".
    sample_flop
        Model FLOP of one sample, forward and backward [FLOP].
    sample_bytes
        Input read for one sample [B].
    parameters
        Weights of the model.
    batch_per_gpu
        Samples of one step on one GPU.
    efficiency
        Achieved share of the 16-bit peak, 0..1.
    sample_hbm_bytes
        Traffic of one sample between GPU and memory [B]; 0 when unknown.
    sample_activation_bytes
        Kept for the backward pass of one sample [B]; 0 when unknown.
    gpu_bytes, network
        As for `LlmJob`.
    """

    gpus: int
    profile: str
    sample_flop: float
    sample_bytes: float
    parameters: float
    batch_per_gpu: int
    efficiency: float = 0.35
    sample_hbm_bytes: float = 0.0
    sample_activation_bytes: float = 0.0
    gpu_bytes: float | None = None
    network: TrainingNetwork = FULL_NETWORK


def estimate_vision(job: VisionJob) -> JobEstimate:
    """Return the estimate of a vision model in training on its hardware; raises as `twin.planning.job.job.estimate`."""
    calibrated = load_calibrated(job.profile)
    profile = calibrated.profile
    memory = MemoryParts(
        weights_bytes=WEIGHT_BYTES * job.parameters,
        gradients_bytes=GRADIENT_BYTES * job.parameters,
        optimizer_bytes=OPTIMIZER_BYTES * job.parameters,
        activations_bytes=job.sample_activation_bytes * job.batch_per_gpu,
    )
    gpu_bytes = profile.hbm_bytes if job.gpu_bytes is None else job.gpu_bytes
    work = SampleWork(job.sample_flop, job.sample_hbm_bytes, job.efficiency)
    return JobEstimate(
        kind="vision",
        gpus=job.gpus,
        parts=data_parallel_step(work, job.parameters, job.batch_per_gpu, job.gpus, profile, job.network),
        memory=memory,
        gpu_bytes=gpu_bytes,
        fits=fits(memory, gpu_bytes),
        reason=memory_reason(memory, gpu_bytes),
        parameters=job.parameters,
        checkpoint_bytes=checkpoint_bytes(job.parameters),
        input_bytes=job.sample_bytes * job.batch_per_gpu * job.gpus,
        # Work and efficiency of a sample are the user's own figures, whatever the profile was fitted to.
        confidence="uncalibrated",
        unit_of_work=tr("samples"),
        work_per_step=float(job.batch_per_gpu * job.gpus),
        hbm_bytes=job.gpus
        * (job.batch_per_gpu * job.sample_hbm_bytes + OPTIMIZER_BYTES_PER_WEIGHT * job.parameters)
        if job.sample_hbm_bytes
        else 0.0,
        low_confidence=("FLOP and efficiency of a sample are user input, uncalibrated.",),
    )
