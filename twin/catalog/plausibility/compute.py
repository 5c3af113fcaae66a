"""Checks of GPUs, nodes and storage."""

from __future__ import annotations

from twin.catalog.catalog import Catalog
from twin.catalog.compute_parts import GpuPart, NodePart, StoragePart
from twin.catalog.plausibility.finding import CatalogFinding, Findings, shown

AIR_J_M3K = 1.19 * 1006.0
"""Heat capacity of air by volume at 23 degC, 1 bar [J/(m3 K)]."""

COOLANT_J_M3K = 67.2 * 60e3
"""Heat capacity by volume of water with 25 % propylene glycol [J/(m3 K)]: 67.2 W/K at 1 lpm."""

_INLET_C = 30.0
_SUPPLY_C = 40.0
_MAX_AIR_RISE_K = 22.0
_MAX_AIR_W_PER_U = 1800.0
_MAX_AIRFLOW_M3_S_PER_U = 0.095  # 200 CFM: more does not fit through the front of one rack unit
_FP8_RATIO = (1.9, 2.1)
_FP4_RATIO = (1.8, 3.2)
_BYTES_PER_FLOP = (1.5e-3, 1.0e-2)


def gpu(part: GpuPart) -> Findings:
    """Yield the findings for a GPU."""
    yield from _rates(part)
    yield from _power_and_clock(part)
    yield from _temperatures(part)


def _rates(part: GpuPart) -> Findings:
    low, high = _FP8_RATIO
    if part.peak_fp8_flops_s is not None:
        ratio = part.peak_fp8_flops_s / part.peak_bf16_flops_s
        if not low <= ratio <= high:
            message = (
                f"{shown(part.peak_fp8_flops_s, 'compute')} is {ratio:.2f} x the 16-bit peak; dense 8-bit is "
                f"2 x (a factor of 4 is a figure with sparsity, or a 16-bit peak without it)"
            )
            yield CatalogFinding("error", part.id, "peak_fp8_flops_s", message)
    if part.peak_fp4_flops_s is not None and part.peak_fp8_flops_s is not None:
        ratio = part.peak_fp4_flops_s / part.peak_fp8_flops_s
        if not _FP4_RATIO[0] <= ratio <= _FP4_RATIO[1]:
            message = f"is {ratio:.2f} x the 8-bit peak; dense 4-bit is 2 to 3 x"
            yield CatalogFinding("error", part.id, "peak_fp4_flops_s", message)
    if part.sustained_bf16_flops_s is not None and part.sustained_bf16_flops_s > part.peak_bf16_flops_s:
        yield CatalogFinding(
            "error", part.id, "sustained_bf16_flops_s", "is above the peak of the same precision"
        )
    balance = part.memory_bandwidth_bytes_s / part.peak_bf16_flops_s
    if not _BYTES_PER_FLOP[0] <= balance <= _BYTES_PER_FLOP[1]:
        message = f"{1e3 * balance:.1f} bytes per 1000 FLOP; GPUs for training have 1.5 to 10"
        yield CatalogFinding("warning", part.id, "memory_bandwidth_bytes_s", message)


def _power_and_clock(part: GpuPart) -> Findings:
    if part.idle_w >= part.tdp_w:
        message = f"idle {shown(part.idle_w, 'power')} is not below the TDP of {shown(part.tdp_w, 'power')}"
        yield CatalogFinding("error", part.id, "idle_w", message)
    if part.power_limit_min_w is not None and not part.idle_w <= part.power_limit_min_w <= part.tdp_w:
        yield CatalogFinding("error", part.id, "power_limit_min_w", "must lie between idle power and TDP")
    if not 30.0 <= part.tdp_w <= 3000.0:
        message = f"{shown(part.tdp_w, 'power')} is unusual; GPUs have 30 W to 3 kW"
        yield CatalogFinding("warning", part.id, "tdp_w", message)
    if not part.knee_clock_hz <= part.gemm_clock_hz <= part.boost_clock_hz:
        yield CatalogFinding("error", part.id, "gemm_clock_hz", "must lie between knee and boost clock")
    if part.idle_clock_hz >= part.boost_clock_hz:
        yield CatalogFinding("error", part.id, "idle_clock_hz", "is not below the boost clock")
    if not 0.4 <= part.min_voltage_v < part.max_voltage_v <= 1.5:
        yield CatalogFinding("error", part.id, "max_voltage_v", "core voltages must rise within 0.4 to 1.5 V")


def _temperatures(part: GpuPart) -> Findings:
    if not 50.0 <= part.max_op_c < part.slowdown_c < part.shutdown_c <= 125.0:
        message = (
            f"max-op {part.max_op_c:g}, slowdown {part.slowdown_c:g}, shutdown {part.shutdown_c:g} degC must "
            f"rise, within 50 to 125 degC"
        )
        yield CatalogFinding("error", part.id, "slowdown_c", message)
    if not 0.0 < part.hbm_power_fraction <= 0.4:
        yield CatalogFinding("error", part.id, "hbm_power_fraction", "must lie between 0 and 40 %")
    yield from _coolers(part)


_SINK = ("r_ja_k_w", "sink_heat_capacity_j_k")
_PLATE = ("r_plate_coolant_k_w", "plate_heat_capacity_j_k", "coolant_heat_capacity_j_k", "coolant_flow_m3_j")


def _coolers(part: GpuPart) -> Findings:
    """Check that heat sink, cold plate, or both are there as a whole and cool the GPU."""
    sink = [key for key in _SINK if getattr(part, key) is None]
    plate = [key for key in _PLATE if getattr(part, key) is None]
    if len(sink) == len(_SINK) and len(plate) == len(_PLATE):
        message = "has neither a heat sink (r_ja) nor a cold plate (r_plate_coolant), so nothing can cool it"
        yield CatalogFinding("warning", part.id, "r_ja_k_w", message)
    for name, missing, keys in (("heat sink", sink, _SINK), ("cold plate", plate, _PLATE)):
        if 0 < len(missing) < len(keys):
            yield CatalogFinding(
                "error", part.id, missing[0], f"is missing; a {name} needs {len(keys)} figures"
            )
    if not sink and part.r_ja_k_w is not None:
        yield from _too_hot(part, "r_ja_k_w", part.r_ja_k_w, _INLET_C, "inlet air")
    if not plate:
        yield from _too_hot(part, "r_plate_coolant_k_w", _cold_plate_k_w(part), _SUPPLY_C, "coolant")


def _cold_plate_k_w(part: GpuPart) -> float:
    """Die over coolant supply per watt: die to plate, plate to coolant, and the coolant's own rise [K/W]."""
    flow_w_k = COOLANT_J_M3K * (part.coolant_flow_m3_j or 0.0) * part.tdp_w
    to_plate = (1.0 - part.hbm_power_fraction) * part.r_die_plate_k_w
    return to_plate + (part.r_plate_coolant_k_w or 0.0) + 1.0 / flow_w_k


def _too_hot(part: GpuPart, key: str, resistance_k_w: float, medium_c: float, medium: str) -> Findings:
    die_c = medium_c + part.tdp_w * resistance_k_w
    if die_c > part.max_op_c:
        message = (
            f"at TDP and {medium_c:g} degC {medium} the die would have {die_c:.0f} degC, above its "
            f"{part.max_op_c:g} degC"
        )
        yield CatalogFinding("error", part.id, key, message)


def node(part: NodePart, gpu_part: GpuPart) -> Findings:
    """Yield the findings for a node that holds GPUs of type `gpu_part`."""
    yield from _node_power(part, gpu_part)
    yield from _supplies(part)
    if part.cooling == "air":
        yield from _air(part, gpu_part)
    else:
        yield from _liquid(part, gpu_part)
    if not part.inlet_min_c < part.inlet_max_c <= 50.0:
        yield CatalogFinding(
            "error", part.id, "inlet_max_c", "must be above the lowest inlet and at most 50 degC"
        )
    if part.n_gpu and part.scale_up_gpus % part.n_gpu:
        yield CatalogFinding(
            "error", part.id, "scale_up_gpus", f"is not a multiple of the {part.n_gpu} GPUs of the node"
        )
    for index, group in enumerate(part.nics):
        if group.use not in ("compute", "storage"):
            message = f"use is {group.use!r}; it must be compute or storage"
            yield CatalogFinding("error", part.id, f"nics[{index}]", message)


def _node_power(part: NodePart, gpu_part: GpuPart) -> Findings:
    gpus_w = part.n_gpu * gpu_part.tdp_w
    sum_text = f"{part.n_gpu} x {shown(gpu_part.tdp_w, 'power')} = {shown(gpus_w, 'power')}"
    if gpus_w >= part.max_w:
        message = f"{shown(part.max_w, 'power')} is below its GPUs alone: {sum_text}"
        yield CatalogFinding("error", part.id, "max_w", message)
    elif gpus_w + part.overhead_full_w > part.max_w:
        message = f"{sum_text} and {shown(part.overhead_full_w, 'power')} exceed {shown(part.max_w, 'power')}"
        yield CatalogFinding("error", part.id, "overhead_full_w", message)
    if part.overhead_idle_w > part.overhead_full_w:
        yield CatalogFinding("error", part.id, "overhead_idle_w", "is above the overhead at full load")
    if (part.fans_w or 0.0) > part.overhead_full_w - 0.5 * part.overhead_idle_w:
        message = (
            f"{shown(part.fans_w or 0.0, 'power')} leave less than half of the idle overhead for the rest"
        )
        yield CatalogFinding("error", part.id, "fans_w", message)
    idle_w = part.n_gpu * gpu_part.idle_w + part.overhead_idle_w
    if abs(part.idle_w - idle_w) > 0.1 * idle_w:
        message = f"{shown(part.idle_w, 'power')}, but idle GPUs and overhead make {shown(idle_w, 'power')}"
        yield CatalogFinding("warning", part.id, "idle_w", message)
    if part.measured_max_w is not None and part.measured_max_w > part.max_w:
        yield CatalogFinding("error", part.id, "measured_max_w", "is above the nameplate")


def idle_parts(part: NodePart, catalog: Catalog) -> Findings:
    """Yield a finding where a node with no job draws less than its parts do; cards draw the same at any load."""
    gpu_part, cpu = catalog.gpu(part.gpu), catalog.cpu(part.cpu)
    cpus_w = part.n_cpu * (cpu.idle_w or 0.0)
    cards_w = sum(group.count * catalog.nic(group.part).power_w for group in part.nics)
    gpus_w = part.n_gpu * gpu_part.idle_w
    for key, told_w, parts_w, names in (
        ("overhead_idle_w", part.overhead_idle_w, cpus_w + cards_w, "processors and cards"),
        ("idle_w", part.idle_w, gpus_w + cpus_w + cards_w, "GPUs, processors and cards"),
    ):
        if told_w < parts_w:
            message = (
                f"{shown(told_w, 'power')} is less than its idle {names} draw, {shown(parts_w, 'power')}"
            )
            yield CatalogFinding("error", part.id, key, message)


def _supplies(part: NodePart) -> Findings:
    if part.power_entry == "busbar":
        if part.psu_count:
            yield CatalogFinding(
                "error", part.id, "psu_count", "a node on a busbar has no power supplies of its own"
            )
        return
    if not part.psu_count or not part.psu_capacity_w:
        yield CatalogFinding(
            "error", part.id, "psu_count", "number and capacity of its power supplies are missing"
        )
        return
    # Without a statement one supply may fail: a server that stops with its first failed supply is not sold.
    needed = part.psu_needed if part.psu_needed is not None else max(part.psu_count - 1, 1)
    if needed > part.psu_count:
        yield CatalogFinding(
            "error", part.id, "psu_needed", f"needs {needed} power supplies but has {part.psu_count}"
        )
    capacity_w = needed * part.psu_capacity_w
    if capacity_w < part.max_w:
        message = (
            f"{needed} of {part.psu_count} x {shown(part.psu_capacity_w, 'power')} deliver "
            f"{shown(capacity_w, 'power')}, less than the {shown(part.max_w, 'power')} of the node"
        )
        yield CatalogFinding("error", part.id, "psu_capacity_w", message)


def _air(part: NodePart, gpu_part: GpuPart) -> Findings:
    if part.liquid_fraction > 0.0:
        yield CatalogFinding(
            "error", part.id, "liquid_fraction", "an air-cooled node gives no heat to liquid"
        )
    if part.max_w / part.height_u > _MAX_AIR_W_PER_U:
        message = (
            f"{shown(part.max_w, 'power')} in {part.height_u:g} U is {part.max_w / part.height_u:.0f} W per "
            f"U; air removes at most {_MAX_AIR_W_PER_U:.0f}"
        )
        yield CatalogFinding("error", part.id, "height_u", message)
    if part.airflow_m3_s / part.height_u > _MAX_AIRFLOW_M3_S_PER_U:
        message = f"{part.airflow_m3_s / part.height_u / 4.719e-4:.0f} CFM per U do not fit through its front"
        yield CatalogFinding("error", part.id, "airflow_m3_s", message)
    yield from _air_rise(part, part.max_w)
    if gpu_part.r_ja_k_w is None:
        message = f"{gpu_part.id} has no heat sink (r_ja), so the node cannot be air-cooled"
        yield CatalogFinding("error", part.id, "cooling", message)
    else:
        die_c = part.inlet_max_c + gpu_part.tdp_w * gpu_part.r_ja_k_w
        if die_c > gpu_part.max_op_c:
            message = f"at {part.inlet_max_c:g} degC inlet its GPUs would have {die_c:.0f} degC at TDP"
            yield CatalogFinding("error", part.id, "inlet_max_c", message)


def _liquid(part: NodePart, gpu_part: GpuPart) -> Findings:
    if not 0.5 <= part.liquid_fraction <= 1.0:
        message = f"{part.liquid_fraction:.0%} of the heat; cold plates take 50 to 100 %"
        yield CatalogFinding("error", part.id, "liquid_fraction", message)
    if gpu_part.r_plate_coolant_k_w is None:
        message = f"{gpu_part.id} has no cold plate (r_plate_coolant), so the node cannot be liquid-cooled"
        yield CatalogFinding("error", part.id, "cooling", message)
    if part.airflow_m3_s * AIR_J_M3K * _MAX_AIR_RISE_K > part.max_w and gpu_part.r_ja_k_w is not None:
        message = "is liquid, but its airflow alone carries all its heat: is it the air-cooled version?"
        yield CatalogFinding("warning", part.id, "cooling", message)
    yield from _air_rise(part, part.max_w * (1.0 - part.liquid_fraction))
    if part.coolant_flow_m3_s is None:
        yield CatalogFinding(
            "error", part.id, "coolant_flow_m3_s", "is missing; a liquid-cooled node needs a flow"
        )
    else:
        yield from coolant_rise(part.id, part.max_w * part.liquid_fraction, part.coolant_flow_m3_s)


def _air_rise(part: NodePart, heat_w: float) -> Findings:
    needed_m3_s = heat_w / (AIR_J_M3K * _MAX_AIR_RISE_K)
    if part.airflow_m3_s < needed_m3_s:
        message = (
            f"{part.airflow_m3_s / 4.719e-4:.0f} CFM warm by more than {_MAX_AIR_RISE_K:g} K on "
            f"{shown(heat_w, 'power')}; it needs {needed_m3_s / 4.719e-4:.0f} CFM"
        )
        yield CatalogFinding("error", part.id, "airflow_m3_s", message)


def coolant_rise(part_id: str, heat_w: float, flow_m3_s: float) -> Findings:
    """Yield a finding unless the coolant warms by 3 to 20 K."""
    rise_k = heat_w / (COOLANT_J_M3K * flow_m3_s) if flow_m3_s > 0.0 else float("inf")
    if not 3.0 <= rise_k <= 20.0:
        message = (
            f"{shown(flow_m3_s, 'volume_flow')} on {shown(heat_w, 'power')} warms by {rise_k:.0f} K; usual "
            f"are 5 to 15 K, 1.2 to 2 lpm per kW"
        )
        yield CatalogFinding("error", part_id, "coolant_flow_m3_s", message)


def storage(part: StoragePart) -> Findings:
    """Yield the findings for a storage unit."""
    if part.write_bytes_s > 1.2 * part.read_bytes_s:
        yield CatalogFinding(
            "warning", part.id, "write_bytes_s", "writes faster than it reads; are the two swapped?"
        )
    if part.power_w is not None and part.read_bytes_s / max(part.power_w, 1.0) > 2e9:
        yield CatalogFinding("warning", part.id, "power_w", "more than 2 GB/s per watt is unusual")
