"""What a training step is made of: the model, how it is cut, the software stack, the hardware profile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from twin.physics.collectives import Links

Recompute = Literal["none", "selective", "full"]
Precision = Literal["bf16", "fp8"]


@dataclass(frozen=True, slots=True)
class Model:
    """A dense transformer.

    Attributes
    ----------
    layers
        Transformer layers; may be fractional for a mean pipeline stage.
    hidden, ffn
        Width of the residual stream and of the feed-forward network.
    heads, kv_heads
        Attention heads and key-value heads (equal without grouped-query attention).
    vocab
        Vocabulary size.
    gated
        Whether the feed-forward network has a gate (three matrices, SwiGLU) or not (two).
    seq
        Tokens of one sequence.
    """

    layers: float
    hidden: int
    ffn: int
    heads: int
    kv_heads: int
    vocab: int
    gated: bool
    seq: int

    @property
    def layer_parameters(self) -> float:
        """Weights of one layer, norms and biases as 4 h."""
        h = self.hidden
        attention = h * h * (2 + 2 * self.kv_heads / self.heads)
        return attention + h * self.ffn * (3 if self.gated else 2) + 4 * h

    @property
    def parameters(self) -> float:
        """Weights of the model with untied input and output embedding."""
        return self.layers * self.layer_parameters + 2 * self.vocab * self.hidden

    def step_flop(self, global_batch: float) -> float:
        """Return the model FLOP of one step [FLOP]: forward and backward, no recompute, attention not halved.

        Publishers count differently, so compare step times between sources, never MFU.
        """
        s, h = self.seq, self.hidden
        forward = 2 * s * self.layers * (self.layer_parameters - 4 * h)
        forward += 4 * s * s * h * self.layers + 2 * s * h * self.vocab
        return 3.0 * global_batch * forward


@dataclass(frozen=True, slots=True)
class Parallel:
    """How the model and the batch are cut over GPUs.

    Attributes
    ----------
    tp, pp, cp, dp
        Tensor, pipeline, context and data parallel degree.
    vp
        Virtual pipeline stages (interleave) of each GPU.
    microbatch
        Sequences of one microbatch.
    global_batch
        Sequences of one step.
    """

    tp: int
    pp: int
    cp: int
    dp: int
    vp: int
    microbatch: int
    global_batch: int

    @property
    def gpus(self) -> int:
        """GPUs of the job."""
        return self.tp * self.pp * self.cp * self.dp

    @property
    def microbatches(self) -> float:
        """Microbatches that pass each pipeline in one step."""
        return self.global_batch / (self.dp * self.microbatch)


@dataclass(frozen=True, slots=True)
class Stack:
    """What the training software does.

    Attributes
    ----------
    recompute
        Activations computed again in the backward pass.
    seq_parallel
        Whether norms and dropout are split over the tensor group.
    flash
        Fused attention; otherwise the score matrix goes through memory.
    distributed_optimizer
        Whether optimizer state is sharded over the data-parallel group.
    tp_overlap, dp_overlap, p2p_overlap
        Whether tensor, data and pipeline communication hide behind compute.
    grad_bytes
        Bytes of one gradient element.
    deferred_head
        Whether the embedding weight gradient is taken out of the pipeline.
    launch_s
        CPU launch bound of a layer's forward pass [s]; 0 where kernels are longer than their launch.
    precision
        Of the four linear layers; the rest is 16-bit.
    """

    recompute: Recompute = "none"
    seq_parallel: bool = True
    flash: bool = True
    distributed_optimizer: bool = True
    tp_overlap: bool = True
    dp_overlap: bool = True
    p2p_overlap: bool = True
    grad_bytes: int = 2
    deferred_head: bool = False
    launch_s: float = 0.0
    precision: Precision = "bf16"


@dataclass(frozen=True, slots=True)
class Profile:
    """Effective numbers of a GPU generation with its software stack, fitted to published runs.

    Attributes
    ----------
    peak_flops_s, peak8_flops_s
        Dense 16-bit and 8-bit peak [FLOP/s].
    hbm_bytes_s, hbm_bytes
        Memory bandwidth [B/s] and capacity [B].
    scale_up_bytes_s, scale_out_bytes_s
        Per GPU and direction [B/s]: NVLink class, and network card.
    domain_gpus
        GPUs of one scale-up domain.
    scale_up_efficiency, scale_out_efficiency
        Achieved share of each.
    gemm_efficiency, gemm_ramp_flop
        Large-product share of the peak, and the work [FLOP] at which it has fallen to half of that.
    hbm_efficiency, attention_efficiency
        Achieved shares of memory bandwidth, and of the 16-bit peak in fused attention.
    tensor_exposed
        Share of tensor communication that overlap leaves exposed.
    jitter_per_doubling
        Relative slow-down of a step with each doubling of the number of domains.
    fixed_s
        Time of a step that nothing else explains [s].
    p2p_factor
        Multiplier of pipeline transfers.
    fp8_efficiency
        Share of the bf16 efficiency that 8-bit products keep.
    """

    peak_flops_s: float
    peak8_flops_s: float
    hbm_bytes_s: float
    hbm_bytes: float
    scale_up_bytes_s: float
    scale_out_bytes_s: float
    domain_gpus: int
    scale_up_efficiency: float
    scale_out_efficiency: float
    gemm_efficiency: float
    gemm_ramp_flop: float
    hbm_efficiency: float
    attention_efficiency: float
    tensor_exposed: float
    jitter_per_doubling: float
    fixed_s: float
    p2p_factor: float
    fp8_efficiency: float

    @property
    def links(self) -> Links:
        """Effective bandwidths that collectives see."""
        return Links(
            self.scale_up_bytes_s * self.scale_up_efficiency,
            self.scale_out_bytes_s * self.scale_out_efficiency,
        )

    def peak(self, precision: Precision) -> float:
        """Return the dense peak of a precision [FLOP/s]."""
        return self.peak8_flops_s if precision == "fp8" else self.peak_flops_s
