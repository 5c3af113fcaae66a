"""Inputs of a training step: the model, its cut, the software stack, the hardware profile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from twin.physics.collectives import LinkBandwidths
from twin.physics.model_shape import AttentionWindow, Experts, Latent, Model, StateSpace

__all__ = [
    "FULL_NETWORK",
    "AttentionWindow",
    "Dispatcher",
    "Experts",
    "Latent",
    "Members",
    "Model",
    "Order",
    "Parallel",
    "Precision",
    "Profile",
    "Recompute",
    "Sharding",
    "SoftwareStack",
    "StateSpace",
    "TrainingNetwork",
    "together",
]

Recompute = Literal["none", "selective", "full"]
Precision = Literal["bf16", "fp8", "mxfp8", "nvfp4"]
"""Of the linear layers: 16 bits, 8 with a scale for a whole tensor, 8 with one for 32 elements, 4 with one for 16."""
PRECISIONS: tuple[Precision, ...] = get_args(Precision)
Sharding = Literal["none", "optimizer", "gradients", "weights"]
"""What the data-parallel group shares out: nothing, optimizer state (ZeRO-1, the distributed optimizer),
gradients too (ZeRO-2), weights too (ZeRO-3, FSDP)."""
Dispatcher = Literal["collective", "fused"]
Order = Literal["data-first", "pipeline-first"]
"""What neighbouring ranks are beyond tensor and context groups: replicas of a stage, or the stages of a replica
(Megatron's default, and its --use-tp-pp-dp-mapping)."""


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
    ep
        Expert parallel degree: experts are spread over as many groups of GPUs; ep * etp divides tp * cp * dp.
    etp
        Tensor parallel degree of each expert; none: that of the dense layers.
    order
        Of ranks.
    """

    tp: int
    pp: int
    cp: int
    dp: int
    vp: int
    microbatch: int
    global_batch: int
    ep: int = 1
    etp: int | None = None
    order: Order = "data-first"

    def stage_gpus(self, domain_gpus: int) -> int:
        """Return how many GPUs of one stage share a domain of some size when ranks fill domains in their order."""
        if self.order == "data-first":
            return domain_gpus
        inner = self.tp * self.cp
        return max(min(inner, domain_gpus), inner * (domain_gpus // (inner * self.pp)))

    @property
    def expert_tp(self) -> int:
        """GPUs that each expert is cut over."""
        return self.tp if self.etp is None else self.etp

    @property
    def expert_replicas(self) -> int:
        """GPUs that hold the same part of the same experts."""
        return self.tp * self.cp * self.dp // (self.expert_tp * self.ep)

    @property
    def gpus(self) -> int:
        """GPUs of the job."""
        return self.tp * self.pp * self.cp * self.dp

    @property
    def microbatches(self) -> float:
        """Microbatches that pass each pipeline in one step."""
        return self.global_batch / (self.dp * self.microbatch)


@dataclass(frozen=True, slots=True)
class SoftwareStack:
    """Features of the training software.

    Attributes
    ----------
    recompute
        Activations computed again in the backward pass.
    recompute_share
        Share of the layers that full recomputation is for.
    offload
        Whether activations that memory does not hold go to the CPU while compute runs, over a link that hides it.
    seq_parallel
        Whether norms and dropout are split over the tensor group.
    flash
        Fused attention; otherwise the score matrix goes through memory.
    sharding
        What the data-parallel group shares out among its members.
    tp_overlap, dp_overlap, p2p_overlap, ep_overlap
        Whether tensor, data, pipeline and expert communication hide behind compute.
    grad_bytes
        Bytes of one gradient element.
    deferred_head
        Whether the embedding weight gradient is taken out of the pipeline.
    launch_s
        CPU launch bound of a layer's forward pass [s]; 0 where kernels are longer than their launch.
    precision
        Of the four linear layers; the rest is 16-bit.
    graphs
        Whether whole steps are replayed from CUDA graphs, or the CPU keeps ahead of the GPU anyway; otherwise it
        launches expert layers kernel by kernel and waits for the counts of tokens.
    dispatcher
        Exchange of tokens between experts: "collective" all-to-all of copies sorted before and after, or "fused"
        kernels that send a token once to each GPU and node that wants it (DeepEP, HybridEP).
    fused_experts
        Whether activation and casts of an expert's inner width are part of its products.
    dispatch_bytes
        Of one element on the way to the experts; the way back is 16-bit.
    balanced
        Whether the router is forced to spread tokens evenly, as vendors do for their tables.
    even_stages
        Whether the pipeline stage with the output head has fewer layers, so that all stages take as long.
    compiled
        Norms, activation functions and loss in fused kernels, by a compiler or by hand; otherwise one by one (eager).
    flash2
        Whether fused attention is FlashAttention-2 and not the best there is for the GPU.
    chunk_overlap
        Whether gradients of a pipeline chunk that is through hide behind the other chunks of the stage.
    attention8
        Whether fused attention multiplies in 8 bits, forward and backward; never in FlashAttention-2.
    """

    recompute: Recompute = "none"
    recompute_share: float = 1.0
    offload: bool = False
    seq_parallel: bool = True
    flash: bool = True
    sharding: Sharding = "optimizer"
    tp_overlap: bool = True
    dp_overlap: bool = True
    p2p_overlap: bool = True
    ep_overlap: bool = False
    grad_bytes: int = 2
    deferred_head: bool = False
    launch_s: float = 0.0
    precision: Precision = "bf16"
    graphs: bool = True
    dispatcher: Dispatcher = "collective"
    fused_experts: bool = False
    dispatch_bytes: int = 2
    balanced: bool = False
    even_stages: bool = False
    compiled: bool = True
    flash2: bool = False
    chunk_overlap: bool = False
    attention8: bool = False


@dataclass(frozen=True, slots=True)
class Members:
    """How many GPUs of a group share a scale-up domain on the places a job really has, in its worst group.

    A group that a placement splits sends through the cards of the fewest that are together. None: no group of the
    kind is split, or nobody knows the places; then whole domains of the profile are filled in order of ranks.

    Attributes
    ----------
    data, tensor, context, expert
        Of each kind of communication.
    replicas
        Of GPUs that hold the same experts.
    stages
        Whether neighbouring pipeline stages always share a domain.
    """

    data: int | None = None
    tensor: int | None = None
    context: int | None = None
    expert: int | None = None
    replicas: int | None = None
    stages: bool = False


def together(filled: int, real: int | None) -> int:
    """Return how many of a group share a domain: as many as filled domains allow, no more than really do."""
    return filled if real is None else min(filled, real)


@dataclass(frozen=True, slots=True)
class TrainingNetwork:
    """Network performance of a placed job, relative to the profile's own network.

    A profile was fitted on healthy, rail-optimised, non-blocking fabrics: there every factor is 1.

    Attributes
    ----------
    data, pipeline, tensor, context, expert
        Scale-out bandwidth of each kind of communication, as a factor on the profile's; above 0. It carries speed
        and number of network cards, oversubscription, collisions, lost links and what other jobs take.
    hop_extra_s
        Added to every hop between nodes [s]: more switches on the way, slower technology.
    members
        Of each group in a scale-up domain.
    """

    data: float = 1.0
    pipeline: float = 1.0
    tensor: float = 1.0
    context: float = 1.0
    expert: float = 1.0
    hop_extra_s: float = 0.0
    members: Members = Members()


FULL_NETWORK = TrainingNetwork()
"""The network of the profile itself."""


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
    scale_up_peers
        GPUs that each GPU of a domain has links of its own to, without a switch; 0: a switch joins them.
    mxfp8_efficiency, nvfp4_efficiency
        Rate of these products against `fp8`.
    cast_bytes
        Memory traffic of casting an element of an input of a linear layer to 8 bits or less [B]; 0 where the efficiency
        of its products holds it.
    flash2_efficiency
        Share of the 16-bit peak in FlashAttention-2.
    attention_softmax_width
        Head size at which exponentials take as long as products, where they do not overlap; 0: they do.
    loss_bytes
        Memory traffic of the loss for each logit [B].
    gather_exposed
        Share of gathers and reductions of sharded weights that shows although compute hides them.
    gather_efficiency
        Rate of these gathers and reductions against that of a collective over all cards of a node.
    attention8_rate
        Rate of fused attention in 8 bits against that in 16, for heads of 128 or more; narrower ones gain less, as
        exponentials stay 32-bit.
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
    scale_up_peers: int = 0
    mxfp8_efficiency: float = 1.0
    nvfp4_efficiency: float = 1.0
    cast_bytes: float = 0.0
    flash2_efficiency: float = 0.181
    attention_softmax_width: float = 0.0
    loss_bytes: float = 12.0
    gather_exposed: float = 0.1
    gather_efficiency: float = 1.0
    attention8_rate: float = 1.0

    @property
    def links(self) -> LinkBandwidths:
        """Effective bandwidths that collectives see on the profile's own network."""
        return self.links_over(1.0)

    def links_over(self, factor: float, hop_extra_s: float = 0.0) -> LinkBandwidths:
        """Return effective bandwidths where the scale-out network gives `factor` of the profile's."""
        return LinkBandwidths(
            self.scale_up_bytes_s * self.scale_up_efficiency,
            self.scale_out_bytes_s * self.scale_out_efficiency * factor,
            hop_extra_s,
            self.scale_up_peers,
        )

    def peak(self, precision: Precision) -> float:
        """Return the dense peak of a precision [FLOP/s]; that of 4 bits is counted as 8 bits."""
        return self.peak_flops_s if precision == "bf16" else self.peak8_flops_s
