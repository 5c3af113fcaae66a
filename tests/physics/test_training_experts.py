"""Mixtures of experts and latent attention: exchange and products by hand, plausibility of a whole run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from training_cases import DEEPSEEK, LLAMA_70B, MIXTRAL

from twin.physics.attention import attention, projections, scan, state_space_projections
from twin.physics.collectives import LAUNCH_S, RING_HOP_S, LinkBandwidths
from twin.physics.experts import (
    COPY_PASSES,
    COUNT_STOP_S,
    EXPERT_IMBALANCE,
    EXPOSED_WHEN_OVERLAPPED,
    all_to_all_s,
    dispatch_bytes,
    exchange_s,
    expert_products,
    reached,
    routed_copies,
)
from twin.physics.gemm import memory_rate, product, product_rate
from twin.physics.training import Model, Parallel, SoftwareStack, step_time
from twin.physics.training_inputs import FULL_NETWORK, Experts, TrainingNetwork
from twin.planning.profile.models import load_model
from twin.planning.profile.profiles import load_profile

H100 = load_profile("h100")
ONE_NODE = Parallel(1, 1, 1, 8, 1, 1, 8, ep=8)


def test_all_to_all_by_hand():
    links = LinkBandwidths(400e9, 50e9)
    assert all_to_all_s(1e9, 1, 1, links) == 0
    inside_s = all_to_all_s(1e9, 8, 8, links)
    assert inside_s == pytest.approx(LAUNCH_S + 7 * RING_HOP_S + 1e9 * 7 / 8 / 400e9)
    # 64 ranks on eight nodes: 56 of 64 shares leave the node, at the speed of the card.
    across_s = all_to_all_s(1e9, 64, 8, links)
    assert across_s == pytest.approx(1e9 * 56 / 64 / 50e9, rel=0.02)
    assert all_to_all_s(1e9, 64, 8, replace(links, hop_extra_s=1e-3)) == pytest.approx(across_s + 1e-3)


def test_tokens_that_travel_by_hand():
    x, stack = 4096.0, SoftwareStack()
    size = dispatch_bytes(x, MIXTRAL, MIXTRAL.experts, ONE_NODE, stack)
    assert size == EXPERT_IMBALANCE * 2 * 2 * x * 4096
    halves = replace(ONE_NODE, tp=2)
    assert dispatch_bytes(x, MIXTRAL, MIXTRAL.experts, halves, stack) == size / 2
    assert dispatch_bytes(x, MIXTRAL, MIXTRAL.experts, halves, replace(stack, seq_parallel=False)) == size
    there_and_back_s = exchange_s(x, MIXTRAL, MIXTRAL.experts, ONE_NODE, stack, H100, FULL_NETWORK)
    assert there_and_back_s == 2 * all_to_all_s(size, 8, 8, H100.links)


def test_exchange_shows_four_times_in_each_expert_layer_and_microbatch():
    one_s = exchange_s(4096.0, MIXTRAL, MIXTRAL.experts, ONE_NODE, SoftwareStack(), H100, FULL_NETWORK)
    parts = step_time(MIXTRAL, ONE_NODE, SoftwareStack(), H100)
    assert parts.exposed_expert_s == pytest.approx(32 * 2 * one_s)
    again = step_time(MIXTRAL, ONE_NODE, SoftwareStack(recompute="full"), H100)
    assert again.exposed_expert_s == pytest.approx(32 * 3 * one_s)
    hidden = step_time(MIXTRAL, ONE_NODE, SoftwareStack(ep_overlap=True), H100)
    assert hidden.exposed_expert_s == pytest.approx(EXPOSED_WHEN_OVERLAPPED * parts.exposed_expert_s)


def test_whole_experts_gather_nothing_and_meet_more_tokens():
    # Tensor groups of four: cut experts see four times as many tokens in a quarter of the width.
    cut = Parallel(4, 1, 1, 16, 1, 1, 16, ep=8)
    whole = replace(cut, etp=1)
    assert (cut.expert_tp, cut.expert_replicas) == (4, 2)
    assert (whole.expert_tp, whole.expert_replicas) == (1, 8)
    assert replace(cut, etp=4).expert_replicas == cut.expert_replicas
    x, stack, flops_s = 4096.0, SoftwareStack(), product_rate(H100, "bf16")
    tokens = EXPERT_IMBALANCE * x / 4 * 2
    up = product(tokens, 2 * 14336, 4096, flops_s, H100)
    down = product(tokens, 4096, 14336, flops_s, H100)
    work = expert_products(x, MIXTRAL, MIXTRAL.experts, whole, stack, H100)
    assert work.gemm_s == pytest.approx(up.gemm_s + down.gemm_s)
    split, apart = step_time(MIXTRAL, cut, stack, H100), step_time(MIXTRAL, whole, stack, H100)
    assert apart.exposed_tensor_s < split.exposed_tensor_s
    # Eight whole experts stand in one node of eight; cut over four GPUs each they do not.
    assert apart.exposed_expert_s < split.exposed_expert_s
    size = dispatch_bytes(x, MIXTRAL, MIXTRAL.experts, whole, stack)
    assert apart.exposed_expert_s == pytest.approx(32 * 4 * all_to_all_s(size, 8, 8, H100.links))


def test_dense_first_layers_exchange_nothing():
    parts = step_time(DEEPSEEK, replace(ONE_NODE, tp=1), SoftwareStack(), H100)
    all_routed = replace(DEEPSEEK, experts=replace(DEEPSEEK.experts, dense_layers=0))
    more = step_time(all_routed, ONE_NODE, SoftwareStack(), H100)
    assert parts.exposed_expert_s / more.exposed_expert_s == pytest.approx(58 / 61)


def test_grouped_products_by_hand():
    x, stack, flops_s = 4096.0, SoftwareStack(), product_rate(H100, "bf16")
    tokens = EXPERT_IMBALANCE * x * 2  # one expert of eight on this GPU: x * per_token * ep / count
    work = expert_products(x, MIXTRAL, MIXTRAL.experts, ONE_NODE, stack, H100)
    up = product(tokens, 2 * 14336, 4096, flops_s, H100)
    down = product(tokens, 4096, 14336, flops_s, H100)
    assert work.gemm_s == pytest.approx(up.gemm_s + down.gemm_s)
    router = product(x, 8, 4096, flops_s, H100)
    moved_s = EXPERT_IMBALANCE * COPY_PASSES["collective"] * 2 * 2 * x * 4096 / memory_rate(H100)
    assert work.memory_s == pytest.approx(router.total_s + moved_s)


def test_one_expert_for_all_is_a_dense_layer_with_a_router():
    dense = Model(32, 4096, 14336, 32, 8, 32000, True, 4096)
    single = replace(dense, experts=Experts(1, 1, 14336))
    cut = Parallel(1, 1, 1, 8, 1, 1, 8)
    assert single.layer_parameters == dense.layer_parameters + 4096
    plain, routed = (
        step_time(dense, cut, SoftwareStack(), H100),
        step_time(single, cut, SoftwareStack(), H100),
    )
    assert routed.exposed_expert_s == 0
    assert routed.gemm_s == pytest.approx(plain.gemm_s, rel=1e-3)
    assert plain.step_s < routed.step_s < 1.1 * plain.step_s  # tokens are sorted, activations weighted


def test_only_expert_traffic_sees_the_network_of_experts():
    cut = Parallel(1, 1, 1, 64, 1, 1, 64, ep=8)
    across = replace(cut, ep=32)
    mixtral = replace(MIXTRAL, experts=Experts(32, 2, 14336))
    full = step_time(mixtral, across, SoftwareStack(), H100)
    half = step_time(mixtral, across, SoftwareStack(), H100, TrainingNetwork(expert=0.5))
    assert half.exposed_expert_s == pytest.approx(2 * full.exposed_expert_s, rel=0.05)
    assert (half.exposed_data_s, half.productive_s) == (full.exposed_data_s, full.productive_s)
    inside = step_time(mixtral, cut, SoftwareStack(), H100, TrainingNetwork(expert=0.5))
    assert inside == step_time(mixtral, cut, SoftwareStack(), H100)


def test_latent_attention_that_compresses_nothing_works_as_much_as_plain():
    x, stack, flops_s = 4096.0, SoftwareStack(), product_rate(H100, "bf16")
    # Scores of 192, values of 128 per head: the mean of both takes the place of h.
    forward, backward = attention(x, DEEPSEEK, 8, stack, H100)
    assert DEEPSEEK.attention_width == 128 * 160
    assert forward.gemm_s == pytest.approx(2 * x * 4096 * 128 * 160 / 8 / (989e12 * 0.513))
    assert backward.gemm_s == 2.5 * forward.gemm_s
    one, eight = (projections(x, DEEPSEEK, t, flops_s, H100) for t in (1, 8))
    assert len(one) == 4
    assert eight[0] == one[0]  # the down-projection is repeated
    assert all(split.total_s < whole.total_s for split, whole in zip(eight[1:], one[1:], strict=True))


def test_deepseek_v3_run_takes_about_what_was_published():
    # 14.8 T tokens in 2.664 M hours of H800 (arXiv 2412.19437, table 1): tests/reference/deepseek_v3.yaml.
    model = load_model("deepseek-v3").model
    cut = Parallel(tp=1, pp=16, cp=1, dp=128, vp=2, microbatch=1, global_batch=15360, ep=64)
    stack = SoftwareStack(
        precision="fp8",
        recompute="selective",
        ep_overlap=True,
        dispatcher="fused",
        dispatch_bytes=1,
        even_stages=True,
    )
    step_s = step_time(model, cut, stack, load_profile("h800")).step_s
    hours = 14.8e12 / (15360 * 4096) * step_s / 3600 * 2048
    assert hours == pytest.approx(2.664e6, rel=0.05)
    # What each of its inventions is worth here.
    for without in ({"ep_overlap": False}, {"even_stages": False}):
        assert step_time(model, cut, replace(stack, **without), load_profile("h800")).step_s > 1.2 * step_s
    apart = replace(stack, ep_overlap=False)
    shares = [
        step_time(model, cut, replace(apart, **other), load_profile("h800")).exposed_expert_s
        for other in ({}, {"dispatch_bytes": 2}, {"dispatcher": "collective", "dispatch_bytes": 2})
    ]
    assert shares == sorted(shares)
    assert shares[2] > 2 * shares[0]


def test_fused_dispatch_sends_a_token_once_to_each_gpu_and_node():
    model = load_model("deepseek-v3").model
    experts, cut = model.experts, Parallel(1, 1, 1, 64, 1, 1, 64, ep=64)
    assert experts is not None
    fused = SoftwareStack(dispatcher="fused", balanced=True)
    copies = routed_copies(4096.0, experts, cut, fused)
    assert copies == pytest.approx(8 * 4096, rel=0.02)  # forced balance: a little above by chance
    assert reached(1, 8) == 1
    assert reached(64, 8) == pytest.approx(64 * (1 - (63 / 64) ** 8))
    size = dispatch_bytes(4096.0, model, experts, cut, fused)
    assert size == pytest.approx(2 * 7168 * copies * reached(64, 8) / 8)
    # Four nodes of eight on the cards at most; 7 of 8 are elsewhere.
    once_s = 2 * 7168 * copies / 8 * 4 * 7 / 8 / H100.links.scale_out_bytes_s
    there_and_back_s = exchange_s(4096.0, model, experts, cut, fused, H100, FULL_NETWORK)
    assert there_and_back_s == pytest.approx(2 * once_s, rel=0.05)
    anywhere = replace(model, experts=replace(experts, most_nodes=0))
    assert (
        exchange_s(4096.0, anywhere, anywhere.experts, cut, fused, H100, FULL_NETWORK)
        > 1.2 * there_and_back_s
    )


def test_cpu_holds_up_short_kernels_alone():
    model = load_model("qwen3-30b-a3b").model
    cut = Parallel(1, 1, 1, 8, 1, 1, 512, ep=8)
    free, bound = (step_time(model, cut, SoftwareStack(graphs=graphs), H100) for graphs in (True, False))
    long = [
        step_time(model, replace(cut, microbatch=8), SoftwareStack(graphs=g), H100) for g in (True, False)
    ]
    assert free.launch_s == H100.fixed_s
    assert bound.step_s - free.step_s > 2 * (long[1].step_s - long[0].step_s)
    stops_s = 2 * COUNT_STOP_S * 48 * 8
    assert long[1].launch_s - long[0].launch_s == pytest.approx(stops_s)


def test_windows_see_less():
    whole = load_model("gpt-oss-120b").model
    assert whole.window is not None
    assert whole.seen == pytest.approx(0.5 * 4096 + 0.5 * (2 * 256 - 256**2 / 4096))
    everywhere = replace(whole, window=None)
    assert everywhere.seen == 4096
    cut = Parallel(1, 1, 1, 8, 1, 1, 512, ep=8)
    assert (
        step_time(whole, cut, SoftwareStack(), H100).step_s
        < step_time(everywhere, cut, SoftwareStack(), H100).step_s
    )
    assert replace(whole, seq=64).seen == 64


def test_state_space_layers_by_hand():
    model = load_model("nemotron-h-8b").model
    layer = model.state_space
    assert layer is not None
    assert (model.attention_share, model.state_space_share, model.feed_forward_share) == pytest.approx(
        (4 / 52, 24 / 52, 24 / 52)
    )
    assert model.parameters / 1e9 == pytest.approx(
        8.1, rel=0.01
    )  # 8.1 B, nvidia/Nemotron-H-8B-Base-8K; recalled
    assert layer.width == 8192
    assert layer.projected == 2 * 8192 + 2 * 8 * 128 + 128
    flops_s = product_rate(H100, "bf16")
    by_hand = product(8192, layer.projected, 4096, flops_s, H100), product(8192, 4096, 8192, flops_s, H100)
    projected = state_space_projections(8192.0, 4096, layer, 1, flops_s, H100)
    assert projected.gemm_s == pytest.approx(sum(part.gemm_s for part in by_hand))
    # The scan is bound by memory, and linear in tokens where attention is quadratic.
    once, twice = scan(8192.0, layer, 1, H100), scan(16384.0, layer, 1, H100)
    moved = 8192 * (2 * (4 * (8192 + 2 * 1024) + 5 * 8192) + 16 * 8192 * 128 / 256)
    assert once == (0.0, pytest.approx(moved / memory_rate(H100)))
    assert twice.memory_s == pytest.approx(2 * once.memory_s)
    cut = Parallel(1, 1, 1, 64, 1, 1, 768)
    parts = step_time(model, cut, SoftwareStack(), H100)
    assert 0.25 < parts.mfu < 0.55
    halves = step_time(model, replace(cut, tp=2, dp=32), SoftwareStack(), H100)
    assert halves.exposed_tensor_s > 0
    assert halves.productive_s < 1.2 * parts.productive_s


def test_mixtral_works_like_a_dense_model_of_its_active_weights():
    # H100, experts over one node: between a third and a half of the peak, as Megatron-Core reports (recalled).
    parts = step_time(MIXTRAL, Parallel(1, 1, 1, 128, 1, 1, 1024, ep=8), SoftwareStack(), H100)
    dense = step_time(LLAMA_70B, Parallel(4, 4, 2, 4, 5, 1, 256), SoftwareStack(), H100)
    assert 0.3 < parts.mfu < 0.55
    assert parts.mfu < dense.mfu
