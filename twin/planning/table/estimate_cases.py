"""A row of a case table as a training job, and its estimate by the model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from twin.catalog import load_catalog
from twin.physics.memory import MemoryParts, memory_per_gpu
from twin.physics.training import StepParts, step_time
from twin.physics.training_inputs import Model, Parallel, SoftwareStack, TrainingNetwork
from twin.planning.job.job_power import clock_share, power_of
from twin.planning.job.llm import refuse_attention, refuse_illegal
from twin.planning.job.result import MEMORY_SHARE, PlanError, memory_reason
from twin.planning.profile.figures import ProfileError
from twin.planning.profile.profiles import CalibratedProfile
from twin.planning.profile.uncertainty import Interval, interval_of
from twin.planning.search.search import fastest_microbatch
from twin.planning.table.case_cells import CaseColumn, CellError
from twin.planning.table.case_columns import read_row, understood
from twin.planning.table.case_file import CaseFile
from twin.planning.table.case_model import (
    has_deferred_head,
    model_of,
    profile_of_row,
    stack_of_release,
)

_STACK_COLUMNS = (
    "recompute",
    "seq_parallel",
    "tp_overlap",
    "dp_overlap",
    "p2p_overlap",
    "ep_overlap",
    "grad_bytes",
    "precision",
    "graphs",
    "dispatcher",
    "dispatch_bytes",
    "fused_experts",
    "balanced",
    "even_stages",
    "compiled",
    "offload",
)
_ROOM = 1.2
"""Memory needed over memory usable from which a run that happened must have made room: what we count is that wide."""


@dataclass(frozen=True, slots=True)
class TrainingCase:
    """A training run that a row describes, with nothing left open.

    Attributes
    ----------
    model, parallel, stack, network
        As for `step_time`.
    calibrated
        Profile of its hardware and software.
    measured_s
        Measured step time [s]; none where the row gives none.
    power_limit_w
        Of a GPU [W]; none: its own.
    """

    model: Model
    parallel: Parallel
    stack: SoftwareStack
    network: TrainingNetwork
    calibrated: CalibratedProfile
    measured_s: float | None
    power_limit_w: float | None = None

    @property
    def confidence(self) -> str:
        """How far the profile is calibrated; `low` where nothing is fitted to such models."""
        return "low" if self.model.experts else self.calibrated.confidence

    @property
    def interval(self) -> Interval:
        """Where nine in ten measured step times of such runs are expected."""
        experts = self.model.experts is not None
        return interval_of(self.calibrated, self.stack.precision, experts, self.parallel.gpus)


@dataclass(frozen=True, slots=True)
class CaseEstimate:
    """Estimate of one row.

    Attributes
    ----------
    case
        The run; none where the row cannot be judged.
    parts, memory
        Step time [s] and memory [B] of the run.
    reason
        Why it cannot be judged, or why it does not fit in memory; empty otherwise.
    """

    case: TrainingCase | None = None
    parts: StepParts | None = None
    memory: MemoryParts | None = None
    reason: str = ""

    @property
    def predicted_s(self) -> float | None:
        """Predicted step time [s]."""
        return None if self.parts is None else self.parts.step_s

    @property
    def measured_s(self) -> float | None:
        """Measured step time [s]."""
        return None if self.case is None else self.case.measured_s

    @property
    def ratio(self) -> float | None:
        """Predicted over measured step time."""
        if self.parts is None or self.measured_s is None:
            return None
        return self.parts.step_s / self.measured_s


def judge_table(table: CaseFile, profile: CalibratedProfile | None = None) -> list[CaseEstimate]:
    """Return the estimate of each row, in order.

    Parameters
    ----------
    table
        As read.
    profile
        For all rows; none: by the columns profile and gpu.

    Raises
    ------
    CaseFileError
        When the table as a whole cannot be understood.
    """
    columns = understood(table)
    return [
        judge_cells(cells, columns, profile, table.surplus.get(number, ()), table.decimal_comma)
        for number, cells in enumerate(table.rows)
    ]


def judge_cells(
    cells: Mapping[str, str],
    columns: Mapping[str, CaseColumn],
    profile: CalibratedProfile | None = None,
    surplus: Sequence[str] = (),
    decimal_comma: bool = False,
) -> CaseEstimate:
    """Return the estimate of one row of texts; parameters as for `judge_table` and `read_row`."""
    if surplus:
        return CaseEstimate(reason=f"{surplus[0]!r} has no column; quote a cell that holds a comma")
    try:
        return judge(case_of(read_row(cells, columns, decimal_comma), profile))
    except (CellError, PlanError, ProfileError) as fault:
        return CaseEstimate(reason=str(fault))


def judge(case: TrainingCase) -> CaseEstimate:
    """Return the estimate of a run."""
    profile = case.calibrated.profile
    memory = memory_per_gpu(case.model, case.parallel, case.stack)
    parts = step_time(case.model, case.parallel, case.stack, profile, case.network)
    if case.power_limit_w is not None:
        parts = _limited(case, parts, case.power_limit_w)
    return CaseEstimate(case, parts, memory, _memory_words(case, memory))


def _limited(case: TrainingCase, parts: StepParts, limit_w: float) -> StepParts:
    """Return the step under a power limit: products and attention at the clock that it leaves."""
    gpu = load_catalog().gpu(case.calibrated.gpus[0])
    share = clock_share(power_of(gpu), parts, limit_w, fp8=case.stack.precision != "bf16")
    full = case.calibrated.profile
    slowed = replace(
        full,
        gemm_efficiency=full.gemm_efficiency * share,
        attention_efficiency=full.attention_efficiency * share,
        flash2_efficiency=full.flash2_efficiency * share,
    )
    return step_time(case.model, case.parallel, case.stack, slowed, case.network)


def _memory_words(case: TrainingCase, memory: MemoryParts) -> str:
    """Return why a run does not fit, or what it must have done as it is said to have happened."""
    words = memory_reason(memory, case.calibrated.profile.hbm_bytes)
    if case.measured_s is None:
        return words
    share = case.stack.recompute_share
    if share < 1.0:
        return f"recomputation of {share:.0%} of the layers is assumed, without it the run would not fit"
    return f"{words}: recomputation or offload is assumed" if words else ""


def case_of(values: Mapping[str, Any], profile: CalibratedProfile | None = None) -> TrainingCase:
    """Return the run that the values of a row describe.

    Blanks take the defaults of the profile's stack; a blank microbatch or interleave is the fastest that fits.

    Parameters
    ----------
    values
        By column name, as `read_row` returns them.
    profile
        Goes before what the row says of profile and GPU.

    Raises
    ------
    CellError, PlanError, ProfileError
        When the row does not say enough, contradicts itself, or cannot run.
    """
    calibrated = profile or profile_of_row(values)
    if "p2p_factor" in values:
        numbers = replace(calibrated.profile, p2p_factor=values["p2p_factor"])
        calibrated = replace(calibrated, profile=numbers)
    model = model_of(values)
    stack = _stack(values, model, stack_of_release(values, model, calibrated))
    parallel = _degrees(values, model)
    network = _network(values, calibrated)
    microbatch, vp = values.get("microbatch"), values.get("vp")
    if microbatch is None or vp is None:
        numbers = calibrated.profile
        room = math.inf if stack.offload and _happened(values) else numbers.hbm_bytes
        parallel = fastest_microbatch(
            model, parallel, stack, numbers, room, microbatch=microbatch, vp=vp, network=network
        )
    else:
        parallel = replace(parallel, microbatch=microbatch, vp=vp)
    refuse_illegal(model, parallel)
    refuse_attention(stack)
    if "recompute" not in values:
        stack = _with_room(model, parallel, stack, calibrated) if _happened(values) else stack
    return TrainingCase(
        model,
        parallel,
        stack,
        network,
        calibrated,
        _measured_s(values, model, parallel),
        values.get("power_limit_w"),
    )


def _stack(values: Mapping[str, Any], model: Model, default: SoftwareStack) -> SoftwareStack:
    changes: dict[str, Any] = {key: values[key] for key in _STACK_COLUMNS if key in values}
    if "overlap" in values:
        for key in ("tp_overlap", "dp_overlap", "p2p_overlap"):
            changes.setdefault(key, values["overlap"])
    if "attention" in values:
        changes["flash"] = values["attention"] is not False
        changes["flash2"] = values["attention"] == "flash2"
        changes["attention8"] = values["attention"] == "flash8"
    shardings = {
        values[key]
        for key in ("optimizer", "sharding", "fsdp", "zero", "distributed_optimizer")
        if key in values
    }
    if len(shardings) > 1:
        raise CellError("columns optimizer, sharding, zero and distributed_optimizer contradict each other")
    if shardings:
        changes["sharding"] = shardings.pop()
    for key in ("launch_s", "launch_ms", "launch_us"):
        if key in values:
            changes["launch_s"] = values[key]
    deferred = default.deferred_head and has_deferred_head(values.get("model", ""), model)
    return replace(default, **{"deferred_head": values.get("deferred_head", deferred), **changes})


def _degrees(values: Mapping[str, Any], model: Model) -> Parallel:
    tp, pp, cp, ep = (values.get(key, 1) for key in ("tp", "pp", "cp", "ep"))
    group = tp * pp * cp
    gpus, dp = values.get("gpus"), values.get("dp")
    if gpus is None and dp is None:
        raise CellError("column 'gpus' is blank; give the number of GPUs (or 'dp')")
    if "global_batch" not in values:
        raise CellError("column 'global_batch' is blank; give the sequences of one step")
    if gpus is not None and gpus % group:
        raise PlanError(
            f"{gpus} GPUs are not a multiple of tensor {tp} x pipeline {pp} x context {cp} = {group}"
        )
    if gpus is not None and dp is not None and gpus == tp * pp * dp and dp % cp == 0:
        dp //= cp  # it counts the context groups too, as the number of GPUs tells
    if gpus is not None and dp is not None and gpus != group * dp:
        raise PlanError(
            f"tensor {tp} x pipeline {pp} x context {cp} x data {dp} = {group * dp} GPUs, but column 'gpus' says {gpus}"
        )
    if dp is None:
        assert gpus is not None
        dp = gpus // group
    if ep > 1 and model.experts is None:
        raise PlanError(f"expert parallel {ep}, but the model has no experts; give columns experts and topk")
    cut = Parallel(tp, pp, cp, dp, values.get("vp", 1), values.get("microbatch", 1), values["global_batch"])
    return replace(cut, ep=ep, etp=values.get("etp"))


def _network(values: Mapping[str, Any], calibrated: CalibratedProfile) -> TrainingNetwork:
    speeds = {values[key] for key in ("nic", "nic_gbit_s", "nic_gbyte_s") if key in values}
    if len(speeds) > 1:
        raise CellError("columns nic, nic_gbit_s and nic_gbyte_s contradict each other")
    nic = speeds.pop() if speeds else None
    factor = 1.0 if nic is None else nic / calibrated.profile.scale_out_bytes_s
    return TrainingNetwork(factor, factor, factor, factor, factor)


_MEASURED = ("step_time_s", "step_time_ms", "tflops_per_gpu", "tokens_per_s_per_gpu")


def _happened(values: Mapping[str, Any]) -> bool:
    return any(key in values for key in _MEASURED)


def _with_room(
    model: Model, parallel: Parallel, stack: SoftwareStack, calibrated: CalibratedProfile
) -> SoftwareStack:
    """Return the stack of a run that is said to have happened: it recomputes as many layers as memory asks for.

    Where the stack can move activations to the CPU behind compute, it does that.
    """
    usable_bytes = MEMORY_SHARE * calibrated.profile.hbm_bytes
    needed_bytes = memory_per_gpu(model, parallel, stack).total_bytes
    if stack.offload or stack.recompute == "full" or needed_bytes <= _ROOM * usable_bytes:
        return stack
    full = replace(stack, recompute="full")
    freed_bytes = needed_bytes - memory_per_gpu(model, parallel, full).total_bytes
    return replace(full, recompute_share=min(1.0, (needed_bytes - usable_bytes) / freed_bytes))


def _measured_s(values: Mapping[str, Any], model: Model, parallel: Parallel) -> float | None:
    for key in ("step_time_s", "step_time_ms"):
        if key in values:
            return float(values[key])
    if "tokens_per_s_per_gpu" in values and "tflops_per_gpu" not in values:
        return float(parallel.global_batch * model.seq / (values["tokens_per_s_per_gpu"] * parallel.gpus))
    if "tflops_per_gpu" not in values:
        return None
    flop = model.step_flop(parallel.global_batch)
    if values.get("flops_kind", "").strip().lower().startswith("hfu"):
        flop = recomputed_flop(model, parallel.global_batch)
    return float(flop / (values["tflops_per_gpu"] * parallel.gpus))


def recomputed_flop(model: Model, global_batch: int) -> float:
    """Return the FLOP of a step as SC'21 counts it, with full recomputation: 96 B s L h^2 (1 + s/6h + V/16Lh)."""
    h, s, layers = model.hidden, model.seq, model.layers
    return 96 * global_batch * s * layers * h**2 * (1 + s / (6 * h) + model.vocab / (16 * layers * h))


@dataclass(frozen=True, slots=True)
class Errors:
    """How far predictions are from measurements, over the rows that have both.

    Attributes
    ----------
    rows
        How many.
    mape_pct, median_pct, p90_pct, worst_pct
        Mean, median, 90th percentile and largest of the absolute errors [%].
    bias_pct
        Mean of the signed errors [%]; positive: predicted too slow.
    worst
        Place of the worst among the ratios given.
    """

    rows: int
    mape_pct: float
    median_pct: float
    p90_pct: float
    worst_pct: float
    bias_pct: float
    worst: int


def errors_of(ratios: Sequence[float]) -> Errors | None:
    """Return the errors of predicted over measured; none where nothing was measured."""
    if not ratios:
        return None
    signed = 100 * (np.asarray(ratios, dtype=float) - 1)
    absolute = np.abs(signed)
    return Errors(
        rows=len(ratios),
        mape_pct=float(absolute.mean()),
        median_pct=float(np.median(absolute)),
        p90_pct=float(np.percentile(absolute, 90)),
        worst_pct=float(absolute.max()),
        bias_pct=float(signed.mean()),
        worst=int(absolute.argmax()),
    )
