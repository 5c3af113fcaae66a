"""What one step of a job does: its time by account, what scales with the clock, what it reads and saves."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from twin.arrays import Floats
from twin.catalog import Catalog
from twin.physics.training_inputs import FULL_NETWORK, TrainingNetwork
from twin.planning.job.load import node_load
from twin.planning.job.result import Service
from twin.planning.job.scenario_job import estimate_of
from twin.planning.profile.profiles import Confidence
from twin.planning.profile.uncertainty import Interval
from twin.record.accounts import ACCOUNTS
from twin.scenario.schema.work import Hpc, Inference, Job, LlmTraining, Load, Reinforcement
from twin.sim.core.ledger import INDEX
from twin.sim.core.nodes import SLICES


@dataclass(frozen=True)
class Work:
    """One step of a job at the reference clock; durations in seconds.

    Parameters
    ----------
    step_s, parts
        Time of the step, and the same by ledger account, shape (accounts,) [s].
    clocked_s
        Part of it that grows as f_ref / f [s].
    gemm_s, memory_s
        Busy with matrix products, and with memory traffic; the rest is network and waiting [s].
    close_s
        Exposed communication woven into them layer by layer (tensor, context) [s]; the power cap sees their mean.
    model_flop, peak_flop_s
        Model FLOP of a step [FLOP], and dense peak of one GPU at its precision [FLOP/s].
    checkpoint_bytes, ingest_bytes
        Saved at a checkpoint; read in one step; of the whole job [B].
    misfit
        Why its GPUs are too few or too small, by the planner: memory, or the load of a service; empty when not.
    confidence
        How far the profile behind these times is calibrated.
    doubts
        What of them no published measurement stands behind, for people.
    interval
        How far the time of a step may be off; None: unknown.
    fp8
        Whether the big products are 8-bit.
    duty
        Share of running time in steps, 0..1 [-]; the rest are checkpoint pauses.
    once
        Share of the waits between that which come once a step, on all GPUs at one time [-].
    rest_s
        Not even communicating or waiting for others: nobody asks the service anything [s].
    stateless
        Whether a failure loses nothing, because what a step did is delivered at once.
    gpu_load, node_load
        Of work known only by its power: utilisation of GPUs, and of the rest of the node [-]; None: of other work.
    node_at_peak
        Whether the latter runs up to the nameplate power of the node, as a load of its own is given against that.
    """

    step_s: float
    parts: Floats
    clocked_s: float
    gemm_s: float
    memory_s: float
    close_s: float
    model_flop: float
    peak_flop_s: float
    checkpoint_bytes: float
    ingest_bytes: float
    misfit: str = ""
    confidence: Confidence = "uncalibrated"
    doubts: tuple[str, ...] = ()
    interval: Interval | None = None
    fp8: bool = False
    duty: float = 1.0
    once: float = 1.0
    rest_s: float = 0.0
    stateless: bool = False
    gpu_load: float | None = None
    node_load: float | None = None
    node_at_peak: bool = False


def work_of(
    job: Job,
    gpus: int,
    gpu_part: str,
    catalog: Catalog,
    network: TrainingNetwork = FULL_NETWORK,
    node: str = "",
) -> Work:
    """Return one step of `job` on `gpus` GPUs of `gpu_part` in nodes of a part, with what the fabric gives it there.

    Raises
    ------
    twin.planning.job.job.PlanError
        When the job is cut in a way that cannot run.
    """
    workload = job.workload
    gpu = catalog.gpu(gpu_part)
    memory_bytes = gpu.memory_bytes if job.mig is None else mig_memory_bytes(job.mig)
    fp8 = isinstance(workload, LlmTraining | Reinforcement | Inference) and workload.precision != "bf16"
    result = estimate_of(job, gpus, gpu_part, memory_bytes, network, catalog=catalog, node=node)
    step = result.parts
    parts = np.zeros(len(ACCOUNTS))
    for account, seconds in (
        ("productive", step.productive_s + step.launch_s),
        ("exposed_tensor", step.exposed_tensor_s),
        ("exposed_pipeline", step.exposed_pipeline_s),
        ("exposed_data", step.exposed_data_s),
        ("exposed_context", step.exposed_context_s),
        ("exposed_expert", step.exposed_expert_s),
        ("pipeline_bubble", step.pipeline_bubble_s),
        ("straggler", step.straggler_s),
        ("idle_no_load", step.idle_load_s),
    ):
        parts[INDEX[account]] = seconds
    work = Work(
        step_s=float(parts.sum()),
        parts=parts,
        clocked_s=step.gemm_scaling_s,
        gemm_s=step.gemm_s,
        memory_s=step.memory_bound_s,
        close_s=step.exposed_tensor_s + step.exposed_context_s,
        model_flop=step.model_flop,
        # Simulations have a peak of their own, that of their precision.
        peak_flop_s=step.model_flop / (step.mfu * gpus * step.step_s)
        if isinstance(workload, Hpc)
        else (gpu.peak_fp8_flops_s if fp8 else None) or gpu.peak_bf16_flops_s,
        checkpoint_bytes=result.checkpoint_bytes,
        misfit=result.reason or _overload(result.service),
        confidence=result.confidence,
        doubts=result.low_confidence,
        interval=result.interval,
        fp8=fp8,
        ingest_bytes=result.input_bytes,
        once=step.once,
        rest_s=max(0.0, step.idle_s - step.launch_s) if isinstance(workload, Inference) else 0.0,
        stateless=isinstance(workload, Inference),
        gpu_load=workload.gpu if isinstance(workload, Load) else None,
        node_load=node_load(workload) if isinstance(workload, Load) else None,
        node_at_peak=isinstance(workload, Load) and workload.cpu is not None,
    )
    if job.mig is None or isinstance(workload, Load):
        return work
    return stretched(work, SLICES / mig_slices(job.mig))


def stretched(work: Work, factor: float) -> Work:
    """Return `work` with every part of its step `factor` [-] times as long."""
    return replace(
        work,
        step_s=work.step_s * factor,
        parts=work.parts * factor,
        clocked_s=work.clocked_s * factor,
        gemm_s=work.gemm_s * factor,
        memory_s=work.memory_s * factor,
        close_s=work.close_s * factor,
        rest_s=work.rest_s * factor,
    )


def repeated(work: Work, times: float) -> Work:
    """Return so many steps of `work` as one."""
    if times == 1:
        return work
    flop, ingest_bytes = work.model_flop * times, work.ingest_bytes * times
    return replace(stretched(work, times), model_flop=flop, ingest_bytes=ingest_bytes)


def mig_slices(profile: str) -> int:
    """Return the compute slices of a MIG profile, of seven.

    >>> mig_slices("3g.40gb")
    3
    """
    return int(profile.split("g.")[0])


def mig_memory_bytes(profile: str) -> float:
    """Return the memory of a MIG profile [B].

    >>> mig_memory_bytes("3g.40gb")
    40000000000.0
    """
    return 1e9 * float(profile.split(".")[1].removesuffix("gb"))


def _overload(service: Service | None) -> str:
    if service is None or not service.overloaded:
        return ""
    asked_s = service.utilisation * service.capacity_requests_s
    return (
        f"is overloaded: {asked_s:.3g} requests/s on a capacity of {service.capacity_requests_s:.3g} requests/s; "
        "its request queue grows without bound"
    )
