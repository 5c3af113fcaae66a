"""What nodes draw while they work on a job: the power model of a GPU, and the mean over a step."""

from __future__ import annotations

from typing import NamedTuple

from twin.catalog import Catalog, CatalogError, GpuPart, NodePart
from twin.catalog.figure import STATUSES
from twin.physics.flow_laws import EASY_C, HostParts, NodePower
from twin.physics.gpu_power import (
    GpuPowerModel,
    StepWork,
    clock_under_cap,
    dynamic_unit_w,
    gpu_power_model,
    own_clock,
    slowest_spread,
    synchronous_w,
)
from twin.physics.swings import RAMP_S, Waveform, step_waveform, woven
from twin.physics.training import StepParts
from twin.plant.tables import LoopKind, Plant

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


def step_work(model: GpuPowerModel, parts: StepParts, fp8: bool) -> StepWork:
    """Return what a step asks of each of its GPUs."""
    gemm_a = model.a_gemm_fp8 if fp8 else model.a_gemm
    return StepWork(gemm_a, parts.gemm_s, parts.memory_bound_s, parts.woven_s)


def gpu_wave(model: GpuPowerModel, parts: StepParts, gpus: int, *, fp8: bool = False) -> Waveform:
    """Return what the mean of `gpus` GPUs draws through their step at its default cap, without leakage above 25 C.

    The cap holds back what it draws while it computes; whatever it waits for, it waits as in communication.
    """
    work = step_work(model, parts, fp8)
    if work.busy_s <= 0.0:
        return Waveform(model.idle_w, model.idle_w, parts.step_s, 1.0)
    activity = work.activity(model)
    slowest_ghz = float(clock_under_cap(model, model.cap_w, slowest_spread(gpus), activity, 0.0))
    own_ghz = float(own_clock(model, model.cap_w, 1.0, activity, 0.0, work.products_a(model), slowest_ghz))
    wait_w = model.idle_w + float(dynamic_unit_w(model, own_ghz, model.a_comm))
    busy_w = model.idle_w + float(
        synchronous_w(model, own_ghz, 1.0, work, work.busy_s, reference_ghz=slowest_ghz)
    )
    between_w, duty = woven(busy_w, wait_w, work.busy_s, parts.step_s, parts.once)
    return step_waveform(between_w, wait_w, parts.step_s, duty, RAMP_S)


def clock_share(model: GpuPowerModel, parts: StepParts, limit_w: float, *, fp8: bool = False) -> float:
    """Return the clock under a power limit over that under the part's own limit, for the work of a step."""
    activity = step_work(model, parts, fp8).activity(model)
    limited, own = (clock_under_cap(model, cap_w, 1.0, activity, 0.0) for cap_w in (limit_w, model.cap_w))
    return float(limited / own)


def gpu_step_w(model: GpuPowerModel, parts: StepParts, gpus: int, *, fp8: bool = False) -> float:
    """Return the mean power of a GPU over a step, as `gpu_wave` [W]."""
    return gpu_wave(model, parts, gpus, fp8=fp8).mean_w


def besides_gpus(node: NodePart, gpu: GpuPart) -> NodePower:
    """Return the power of a node besides its GPUs, as its catalogue entry has it: in air."""
    return NodePower(
        idle_w=node.overhead_idle_w,
        full_w=node.overhead_full_w,
        peak_w=max(node.overhead_full_w, node.max_w - node.n_gpu * gpu.tdp_w),
        fans_w=node.fans_w or 0.0,
        idle_share=gpu.idle_w / gpu.tdp_w,
    )


class PowerShare(NamedTuple):
    """Power of one kind of part of a node, all of them together [W], and how well it is known."""

    part: str
    power_w: float
    status: str


def power_by_part(
    catalog: Catalog,
    node: NodePart,
    driven: float,
    *,
    inlet_c: float = EASY_C,
    at_peak: bool = False,
    in_tank: bool = False,
) -> tuple[PowerShare, ...]:
    """Return the power of a node by part: gpus, cpus, cards, fans, rest.

    Each is known as well as the least known figure behind it; what processors draw under load is an estimate.

    Parameters
    ----------
    driven
        Dynamic power of its GPUs over that at their rating, 0..1 [-].
    inlet_c, at_peak, in_tank
        Air it breathes [C]; whether it runs up to its nameplate; whether it hangs in a tank, without fans.
    """
    gpu, cpu = catalog.gpu(node.gpu), catalog.cpu(node.cpu)
    host = HostParts(
        cpu_idle_w=node.n_cpu * (cpu.idle_w or 0.0),
        cpu_full_w=node.n_cpu * cpu.tdp_w if cpu.idle_w is not None else 0.0,
        cards_w=sum(group.count * catalog.nic(group.part).power_w for group in node.nics),
    )
    power = besides_gpus(node, gpu)
    shares = (power.without_fans() if in_tank else power).by_part(host, driven, inlet_c, at_peak)

    def known(*figures: tuple[str, str]) -> str:
        found = [
            figure.status for part, key in figures for figure in catalog.figures(part) if figure.key == key
        ]
        return max(found, key=STATUSES.index, default="estimated")

    gpus_w = node.n_gpu * (gpu.idle_w + driven * (gpu.tdp_w - gpu.idle_w))
    cards = known(*((group.part, "power_w") for group in node.nics))
    overhead = known((node.id, "overhead_idle_w"), (node.id, "overhead_full_w"))
    return (
        PowerShare("gpus", gpus_w, known((gpu.id, "idle_w"), (gpu.id, "tdp_w"))),
        PowerShare("cpus", float(shares.cpus_w), "estimated"),
        PowerShare("cards", float(shares.cards_w), cards),
        PowerShare("fans", float(shares.fans_w), known((node.id, "fans_w"))),
        PowerShare("rest", float(shares.rest_w), overhead),
    )


def node_step_w(
    node: NodePart, gpu: GpuPart, parts: StepParts, gpus: int, *, fp8: bool = False, in_tank: bool = False
) -> float:
    """Return the mean power of a node over a step: its GPUs, and the rest of it as they are driven [W].

    Parameters
    ----------
    node, gpu
        What it is.
    parts, gpus
        The step, and how many GPUs take it together.
    fp8
        Whether the matrix products are 8-bit.
    in_tank
        Whether it hangs in a tank, where its fans are taken out; else it breathes air of at most 25 C.
    """
    model, rest = power_of(gpu), besides_gpus(node, gpu)
    gpu_w = gpu_step_w(model, parts, gpus, fp8=fp8)
    driven = (gpu_w - model.idle_w) / (model.cap_w - model.idle_w)
    return node.n_gpu * gpu_w + float((rest.without_fans() if in_tank else rest).power_w(driven))


def all_in_tanks(plant: Plant) -> bool:
    """Return whether all nodes of a hall hang in tanks."""
    loop = plant.nodes.loop[plant.nodes.present]
    return bool(len(loop) and (loop >= 0).all() and (plant.loops.kind[loop] == LoopKind.IMMERSION).all())


def job_w(
    catalog: Catalog, node: str, gpus: int, parts: StepParts, *, fp8: bool = False, in_tank: bool = False
) -> float:
    """Return the mean power of the nodes of a job over a step, whole nodes of one part; as `node_step_w` [W]."""
    part = catalog.node(node)
    nodes = -(-gpus // part.n_gpu)
    return nodes * node_step_w(part, catalog.gpu(part.gpu), parts, gpus, fp8=fp8, in_tank=in_tank)
