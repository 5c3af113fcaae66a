"""What nodes draw while they work on a job: the power model of a GPU, and the mean over a step."""

from __future__ import annotations

from twin.catalog import Catalog, CatalogError, GpuPart, NodePart
from twin.physics.gpu_power import (
    GpuPowerModel,
    clock_under_cap,
    dynamic_unit_w,
    gpu_power_model,
    mean_activity,
)
from twin.physics.training import StepParts

GHZ = 1e9


def power_of(gpu: GpuPart) -> GpuPowerModel:
    """Return the power model of a GPU.

    Raises
    ------
    CatalogError
        When its figures contradict each other.
    """
    try:
        return gpu_power_model(
            idle_w=gpu.idle_w,
            cap_w=gpu.tdp_w,
            f_v_ghz=gpu.knee_clock_hz / GHZ,
            f_max_ghz=gpu.boost_clock_hz / GHZ,
            gemm_ghz=gpu.gemm_clock_hz / GHZ,
            v_min=gpu.min_voltage_v,
            v_max=gpu.max_voltage_v,
            leak_w_per_k=gpu.leak_w_k,
            max_op_c=gpu.max_op_c,
            slowdown_c=gpu.slowdown_c,
            shutdown_c=gpu.shutdown_c,
        )
    except ValueError as error:
        raise CatalogError(gpu.id, 0, "", str(error)) from None


def gpu_step_w(model: GpuPowerModel, parts: StepParts, *, fp8: bool = False) -> float:
    """Return the mean power of a GPU over a step at its default cap, without leakage above 25 C [W].

    The cap holds back what the GPU draws while it works; bubbles and other waits draw as much less as they are idle.
    """
    work = parts.gemm_s, parts.memory_bound_s, parts.communication_s
    busy_s = sum(work)
    if busy_s <= 0.0:
        return model.idle_w
    working = float(mean_activity(model, *work, 0.0, busy_s, fp8))
    working_w = min(model.cap_w, model.idle_w + float(dynamic_unit_w(model, model.f_max_ghz, working)))
    over_step = float(mean_activity(model, *work, parts.idle_s, parts.step_s, fp8))
    return model.idle_w + (working_w - model.idle_w) * over_step / working


def clock_share(model: GpuPowerModel, parts: StepParts, limit_w: float, *, fp8: bool = False) -> float:
    """Return the clock under a power limit over that under the part's own limit, for the work of a step."""
    work = parts.gemm_s, parts.memory_bound_s, parts.communication_s
    activity = mean_activity(model, *work, 0.0, sum(work), fp8)
    limited, own = (clock_under_cap(model, cap_w, 1.0, activity, 0.0) for cap_w in (limit_w, model.cap_w))
    return float(limited / own)


def node_step_w(node: NodePart, gpu: GpuPart, parts: StepParts, *, fp8: bool = False) -> float:
    """Return the mean power of a node over a step: its GPUs, and the rest of it as they are driven [W]."""
    model = power_of(gpu)
    gpu_w = gpu_step_w(model, parts, fp8=fp8)
    driven = (gpu_w - model.idle_w) / (model.cap_w - model.idle_w)
    return node.n_gpu * gpu_w + node.overhead_idle_w + driven * (node.overhead_full_w - node.overhead_idle_w)


def job_w(catalog: Catalog, node: str, gpus: int, parts: StepParts, *, fp8: bool = False) -> float:
    """Return the mean power of the nodes of a job over a step, whole nodes of one part [W]."""
    part = catalog.node(node)
    nodes = -(-gpus // part.n_gpu)
    return nodes * node_step_w(part, catalog.gpu(part.gpu), parts, fp8=fp8)
