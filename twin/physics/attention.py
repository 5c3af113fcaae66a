"""Attention of one layer: its projections, its products, and the exchange of a context-parallel group.

References
----------
Dao et al., "FlashAttention", arXiv 2205.14135 (fused: no score matrix in memory).
DeepSeek-AI, "DeepSeek-V2", arXiv 2405.04434 (latent attention).
"""

from __future__ import annotations

from typing import NamedTuple

from twin.physics.collectives import collective_time_s
from twin.physics.gemm import OPERAND_BYTES, BusyTime, memory_rate, product
from twin.physics.training_inputs import Model, Parallel, Profile, SoftwareStack, TrainingNetwork, together

# Fitted once for all profiles and published tables (PHYSICS 1); no hardware facts.
UNFUSED_ATTENTION_SHARE = 0.6
CAUSAL_SHARE = 0.5
HIDDEN_BY_ATTENTION = 0.7
FLASH_BACKWARD = 2.5
FITTED_HEAD_WIDTH = 128


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
        queries_keys_values = (h + 2 * h * model.kv_heads / model.heads) / t
        return (
            product(x, queries_keys_values, h, flops_s, profile),
            product(x, h, h / t, flops_s, profile),
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
    flop = 4.0 * x * model.seq * model.attention_width / t
    if stack.flash:
        efficiency = profile.flash2_efficiency if stack.flash2 else profile.attention_efficiency
        fused_s = CAUSAL_SHARE * flop / (profile.peak_flops_s * efficiency) * _narrow_heads(model, profile)
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
