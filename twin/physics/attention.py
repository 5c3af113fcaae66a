"""What mixes the tokens of one layer: attention, its exchange in a context-parallel group, and state-space layers.

A state-space layer (Mamba-2) has two projections, which run at the profile's rate of products, and a scan by chunks,
which runs at its rate of attention or of memory, whichever is slower: within a chunk as attention over so many tokens,
and with the state at its start and its end. Nothing is fitted to state-space models.

References
----------
Dao et al., "FlashAttention", arXiv 2205.14135 (fused: no score matrix in memory).
DeepSeek-AI, "DeepSeek-V2", arXiv 2405.04434 (latent attention).
Shah et al., "FlashAttention-3", arXiv 2407.08608, figures 5, 6 and 9 (16 and 8 bits).
Dao and Gu, "Transformers are SSMs", arXiv 2405.21060, sections 6 and 7 (chunks, kernels, heads and groups).
"""

from __future__ import annotations

from typing import NamedTuple

from twin.physics.collectives import collective_time_s
from twin.physics.gemm import OPERAND_BYTES, BusyTime, memory_rate, product
from twin.physics.training_inputs import (
    Model,
    Parallel,
    Profile,
    SoftwareStack,
    StateSpace,
    TrainingNetwork,
    together,
)

# Fitted once for all profiles and published tables (PHYSICS 1); no hardware facts.
UNFUSED_ATTENTION_SHARE = 0.6
CAUSAL_SHARE = 0.5
HIDDEN_BY_ATTENTION = 0.7
FLASH_BACKWARD = 2.5
FITTED_HEAD_WIDTH = 128

CHUNK = 256
"""Tokens of a chunk, the default of the published kernels (state-spaces/mamba); recalled."""

STATE_BYTES = 4
"""Of one number of the state between chunks; 32-bit."""


class AttentionExchange(NamedTuple):
    """Communication beside compute: its exposed and its hidden part [s]."""

    exposed_s: float
    hidden_s: float


NO_EXCHANGE = AttentionExchange(0.0, 0.0)


def projections(x: float, model: Model, t: int, flops_s: float, profile: Profile) -> tuple[BusyTime, ...]:
    """Return the forward pass of the projections around attention, for `x` tokens over `t` GPUs.

    With latent attention the two down-projections are small and repeated on each GPU of the tensor group, as
    published stacks do; the up-projections are split by heads.
    """
    h = model.hidden
    latent = model.latent
    if latent is None:
        width = model.query_width
        queries_keys_values = (width + 2 * width * model.kv_heads / model.heads) / t
        return (
            product(x, queries_keys_values, h, flops_s, profile),
            product(x, h, width / t, flops_s, profile),
        )
    down = latent.query_rank + latent.kv_rank + latent.head_rotary
    key_value = latent.head_plain + latent.head_value
    return (
        product(x, down, h, flops_s, profile),
        product(x, model.heads * latent.head_key / t, latent.query_rank, flops_s, profile),
        product(x, model.heads * key_value / t, latent.kv_rank, flops_s, profile),
        product(x, h, model.heads * latent.head_value / t, flops_s, profile),
    )


def attention(
    x: float, model: Model, t: int, stack: SoftwareStack, profile: Profile
) -> tuple[BusyTime, BusyTime]:
    """Return the forward and backward pass of attention; unfused ones also move the score matrix."""
    flop = 4.0 * x * model.seen * model.attention_width / t
    if stack.flash:
        efficiency = profile.flash2_efficiency if stack.flash2 else profile.attention_efficiency
        fused_s = CAUSAL_SHARE * flop / (profile.peak_flops_s * efficiency) * _narrow_heads(model, profile)
        if stack.attention8:
            fused_s /= _gain_of_8_bits(model, profile)
        return BusyTime(fused_s, 0.0), BusyTime(FLASH_BACKWARD * fused_s, 0.0)
    products_s = flop / (profile.peak_flops_s * profile.gemm_efficiency * UNFUSED_ATTENTION_SHARE)
    score_s = x * model.seq * model.heads / t / memory_rate(profile)
    return BusyTime(products_s, 11 * score_s), BusyTime(2 * products_s, 14 * score_s)


def _narrow_heads(model: Model, profile: Profile) -> float:
    """Time of fused attention against that of heads of 128, on which efficiencies were fitted.

    Each score takes one exponential whatever the width of a head, and 4 d FLOP: at d = w both take as long.
    """
    width = profile.attention_softmax_width
    if not width:
        return 1.0
    return (1.0 + width * model.heads / model.attention_width) / (1.0 + width / FITTED_HEAD_WIDTH)


def _gain_of_8_bits(model: Model, profile: Profile) -> float:
    """Rate of attention in 8 bits against 16: heads narrower than 128 gain as much less as they are narrower.

    Published forward passes on H100 gain 1.2 at heads of 64, 1.4 at 128 and 1.6 at 256 (causal, 16k tokens); wider
    heads are taken as 128, and backward passes, of which none is published, gain the same [est].
    """
    return 1.0 + (profile.attention8_rate - 1.0) * min(
        1.0, model.attention_width / model.heads / FITTED_HEAD_WIDTH
    )


def context_exchange(
    x: float,
    model: Model,
    parallel: Parallel,
    forward: BusyTime,
    backward: BusyTime,
    profile: Profile,
    network: TrainingNetwork,
) -> tuple[AttentionExchange, AttentionExchange]:
    """Return the gathering of keys and values over the context group, forward and backward.

    It hides behind 0.7 of the attention, so that faster attention never costs more than it saves.
    """
    c = parallel.cp
    if c == 1:
        return NO_EXCHANGE, NO_EXCHANGE
    size = OPERAND_BYTES * x * c * model.key_value_width / parallel.tp
    nloc = together(
        max(1, min(c, parallel.stage_gpus(profile.domain_gpus) // parallel.tp)), network.members.context
    )
    links = profile.links_over(network.context, network.hop_extra_s)
    gather_s = collective_time_s("all_gather", size, c, nloc, links)
    hidden_s = min(gather_s, HIDDEN_BY_ATTENTION * forward.total_s)
    hidden_backward_s = min(2 * gather_s, HIDDEN_BY_ATTENTION * backward.total_s)
    return (
        AttentionExchange(gather_s - hidden_s, hidden_s),
        AttentionExchange(2 * gather_s - hidden_backward_s, hidden_backward_s),
    )


def state_space_projections(
    x: float, hidden: int, layer: StateSpace, t: int, flops_s: float, profile: Profile
) -> BusyTime:
    """Return the forward pass of the projections in and out of one layer.

    Parameters
    ----------
    x
        Tokens of a microbatch on this rank.
    hidden
        Width of the residual stream.
    layer
        Shape of the layer; its heads are split over the tensor group.
    t
        GPUs of the tensor group.
    flops_s
        Rate of very large products [FLOP/s].
    profile
        Fitted numbers of the hardware.
    """
    into = product(x, layer.projected / t, hidden, flops_s, profile)
    out = product(x, hidden, layer.width / t, flops_s, profile)
    return BusyTime(into.gemm_s + out.gemm_s, into.memory_s + out.memory_s)


def scan(x: float, layer: StateSpace, t: int, profile: Profile) -> BusyTime:
    """Return the forward pass of convolution, scan and gated norm of one layer; arguments as above."""
    width, shared = layer.width / t, layer.groups * layer.state / t
    within = CHUNK / 2 * (shared + width)
    flop = 2.0 * x * (within + 2.0 * width * layer.state)
    convolved = width + 2 * shared
    # Convolution in and out, read again for the states and for the output; output, gate, norm in and out.
    moved = OPERAND_BYTES * x * (4 * convolved + 5 * width)
    states = 4 * STATE_BYTES * x / CHUNK * width * layer.state  # written, passed on (read, written), read
    arithmetic_s = flop / (profile.peak_flops_s * profile.attention_efficiency)
    traffic_s = (moved + states) / memory_rate(profile)
    return BusyTime(arithmetic_s, 0.0) if arithmetic_s >= traffic_s else BusyTime(0.0, traffic_s)
