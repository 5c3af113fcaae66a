"""A profile fitted to somebody's own runs, as `twin calibrate` writes it, inside a scenario."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from twin.scenario.schema.base import DocumentPart

Standing = Literal["published", "derived", "fitted", "estimated", "recalled"]


class CalibratedFigure(DocumentPart):
    """One number with what it stands on."""

    value: float = Field(description="in the unit beside it")
    unit: str = Field(description="such as TFLOP/s, GB/s, s, GFLOP, or 1 for a pure number")
    status: Standing = Field(description="provenance")
    source: str = Field(min_length=1, description="source")


def _figure(description: str) -> CalibratedFigure | None:
    figure: CalibratedFigure | None = Field(default=None, description=description)
    return figure


class CalibratedFigures(DocumentPart):
    """Effective numbers that differ from those of the profile it extends."""

    peak_flops_s: CalibratedFigure | None = _figure("dense 16-bit peak")
    peak8_flops_s: CalibratedFigure | None = _figure("dense 8-bit peak")
    hbm_bytes_s: CalibratedFigure | None = _figure("memory bandwidth")
    hbm_bytes: CalibratedFigure | None = _figure("memory of a GPU")
    scale_up_bytes_s: CalibratedFigure | None = _figure(
        "bandwidth in a scale-up domain, per GPU and direction"
    )
    scale_out_bytes_s: CalibratedFigure | None = _figure("bandwidth between domains, per GPU and direction")
    domain_gpus: CalibratedFigure | None = _figure("GPUs of a scale-up domain")
    scale_up_efficiency: CalibratedFigure | None = _figure("achieved share in a domain")
    scale_out_efficiency: CalibratedFigure | None = _figure("achieved share between domains")
    gemm_efficiency: CalibratedFigure | None = _figure("share of the peak in large products")
    gemm_ramp_flop: CalibratedFigure | None = _figure("work at which it has fallen to half of that")
    hbm_efficiency: CalibratedFigure | None = _figure("achieved share of memory bandwidth")
    attention_efficiency: CalibratedFigure | None = _figure("share of the peak in fused attention")
    tensor_exposed: CalibratedFigure | None = _figure("tensor communication that overlap leaves exposed")
    jitter_per_doubling: CalibratedFigure | None = _figure("slow-down with each doubling of domains")
    fixed_s: CalibratedFigure | None = _figure("time of a step that nothing else explains")
    p2p_factor: CalibratedFigure | None = _figure("multiplier of pipeline transfers")
    fp8_efficiency: CalibratedFigure | None = _figure("share of the 16-bit efficiency that 8-bit keeps")
    scale_up_peers: CalibratedFigure | None = _figure("GPUs it has links of its own to, without a switch")
    mxfp8_efficiency: CalibratedFigure | None = _figure("rate of MXFP8 products against FP8")
    nvfp4_efficiency: CalibratedFigure | None = _figure("rate of NVFP4 products against FP8")
    cast_bytes: CalibratedFigure | None = _figure("memory traffic of casting an element to 8 bits, in bytes")
    flash2_efficiency: CalibratedFigure | None = _figure("share of the peak in FlashAttention-2")
    attention_softmax_width: CalibratedFigure | None = _figure(
        "head size at which exponentials take as long as products"
    )
    loss_bytes: CalibratedFigure | None = _figure("memory traffic of the loss for each logit, in bytes")
    gather_exposed: CalibratedFigure | None = _figure(
        "gathers of sharded weights that overlap leaves exposed"
    )
    gather_efficiency: CalibratedFigure | None = _figure(
        "rate of gathers of sharded weights against a collective over all cards of a node"
    )
    attention8_rate: CalibratedFigure | None = _figure(
        "rate of attention in 8 bits against 16, for heads of 128"
    )


class OwnRuns(DocumentPart):
    """What the runs show that a profile was fitted to."""

    rows: int = Field(ge=1, description="runs")
    most_gpus: int = Field(ge=1, description="GPUs of the largest")
    mean_pct: float = Field(gt=0, description="mean error expected on runs like them [%]")
    p90_pct: float = Field(gt=0, description="error that nine in ten stay below [%]")


class Calibration(DocumentPart):
    """A profile of one's own: paste what `twin calibrate` wrote."""

    title: str = Field(min_length=1, description="display name")
    extends: str = Field(description="shipped profile with the other values, such as h100")
    confidence: Literal["own runs"] = Field(default="own runs", description="how far it is calibrated")
    gpus: tuple[str, ...] = Field(default=(), description="GPUs it was fitted on; none: those of extends")
    notes: str = Field(default="", description="what it was fitted to")
    own_runs: OwnRuns | None = Field(default=None, description="what they show")
    figures: CalibratedFigures = Field(default=CalibratedFigures(), description="what differs")
