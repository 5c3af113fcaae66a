"""Laws of the step time: parts sum, limits, monotonicity."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from training_cases import CUT, LLAMA_70B, cut_models, networks, profiles, stacks

from twin.physics.attention import attention
from twin.physics.collectives import collective_time_s
from twin.physics.training import Model, Parallel, SoftwareStack, StepParts, step_time
from twin.physics.training_inputs import FULL_NETWORK, Members, TrainingNetwork
from twin.planning.profile.profiles import load_profile

H100 = load_profile("h100")


def accounts_s(parts: StepParts) -> list[float]:
    return [
        parts.productive_s,
        parts.exposed_tensor_s,
        parts.exposed_pipeline_s,
        parts.exposed_data_s,
        parts.exposed_context_s,
        parts.exposed_expert_s,
        parts.pipeline_bubble_s,
        parts.launch_s,
        parts.straggler_s,
        parts.idle_load_s,
    ]


def step_s(case, stack, profile, network=FULL_NETWORK) -> float:
    return step_time(*case, stack, profile, network).step_s


def never_above(after_s: float, before_s: float) -> bool:
    return after_s <= before_s * (1 + 1e-12)


@given(cut_models(), stacks, profiles, networks)
def test_parts_are_positive_and_sum_to_the_step_both_ways(case, stack, profile, network):
    parts = step_time(*case, stack, profile, network)
    busy_s = parts.gemm_s + parts.memory_bound_s + parts.communication_s + parts.idle_s
    assert min(accounts_s(parts)) >= 0
    assert sum(accounts_s(parts)) == pytest.approx(parts.step_s, rel=1e-12)
    assert busy_s == pytest.approx(parts.step_s, rel=1e-12)
    assert 0 < parts.gemm_scaling_s < parts.step_s
    assert 0 < parts.mfu < 1


@given(
    cut_models(),
    stacks,
    profiles,
    networks,
    st.sampled_from(["scale_out_bytes_s", "scale_up_bytes_s", "hbm_bytes_s", "peak_flops_s"]),
    st.floats(1.0, 8.0),
)
def test_more_of_any_rate_is_never_slower(case, stack, profile, network, rate, factor):
    # What hides communication gets shorter with it, but never costs more than it saves.
    faster = replace(profile, **{rate: getattr(profile, rate) * factor})
    assert never_above(step_s(case, stack, faster, network), step_s(case, stack, profile, network))


@given(
    cut_models(),
    stacks,
    profiles,
    networks,
    st.sampled_from(["data", "pipeline", "tensor", "context", "expert"]),
    st.floats(1.0, 8.0),
)
def test_more_network_of_any_kind_is_never_slower(case, stack, profile, network, kind, factor):
    wider = replace(network, **{kind: getattr(network, kind) * factor})
    assert never_above(step_s(case, stack, profile, wider), step_s(case, stack, profile, network))


@given(cut_models(), stacks, profiles, networks, st.floats(0.0, 1e-3))
def test_longer_hops_are_never_faster(case, stack, profile, network, extra_s):
    longer = replace(network, hop_extra_s=network.hop_extra_s + extra_s)
    assert never_above(step_s(case, stack, profile, network), step_s(case, stack, profile, longer))


@given(cut_models(), stacks, profiles, networks)
def test_8_bit_is_never_slower_than_16_bit(case, stack, profile, network):
    short, full = replace(stack, precision="fp8"), replace(stack, precision="bf16")
    assert never_above(step_s(case, short, profile, network), step_s(case, full, profile, network))


@given(
    cut_models(),
    stacks,
    profiles,
    networks,
    st.sampled_from(["tp_overlap", "dp_overlap", "p2p_overlap", "ep_overlap"]),
)
def test_overlap_is_never_slower(case, stack, profile, network, switch):
    on, off = replace(stack, **{switch: True}), replace(stack, **{switch: False})
    assert never_above(step_s(case, on, profile, network), step_s(case, off, profile, network))


@given(cut_models(), stacks, profiles, networks)
def test_recomputing_more_is_never_faster(case, stack, profile, network):
    none, selective, full = (
        step_s(case, replace(stack, recompute=how), profile, network) for how in ("none", "selective", "full")
    )
    assert never_above(none, selective)
    assert never_above(selective, full)


@given(cut_models(), stacks, profiles, networks)
def test_waiting_for_the_cpu_is_never_faster(case, stack, profile, network):
    free = step_time(*case, replace(stack, launch_s=0.0), profile, network)
    bound = step_time(*case, replace(stack, launch_s=5e-3), profile, network)
    assert free.launch_s == profile.fixed_s
    assert free.productive_s == bound.productive_s
    assert never_above(free.step_s, bound.step_s)


@given(cut_models(), stacks, profiles, networks)
def test_one_replica_has_nothing_to_reduce(case, stack, profile, network):
    model, parallel = case
    alone = replace(parallel, dp=1, cp=1, ep=1, etp=None, global_batch=parallel.global_batch // parallel.dp)
    parts = step_time(model, alone, stack, profile, network)
    assert parts.exposed_data_s == 0
    assert parts.exposed_context_s == 0
    assert parts.exposed_expert_s == 0


@given(cut_models(), stacks, profiles, networks)
def test_interleave_divides_the_bubble(case, stack, profile, network):
    model, parallel = case
    stages = replace(parallel, pp=4)
    plain = step_time(model, replace(stages, vp=1), replace(stack, p2p_overlap=True), profile, network)
    finer = step_time(model, replace(stages, vp=3), replace(stack, p2p_overlap=True), profile, network)
    # Three times as many transfers take part in it, everything else is a third.
    transfer_s = 3 * finer.exposed_pipeline_s / parallel.microbatches
    assert finer.pipeline_bubble_s <= plain.pipeline_bubble_s / 3 + transfer_s


@pytest.mark.parametrize(("narrow", "wide"), [(1, 2), (2, 4), (4, 5), (5, 10), (10, 20)])
def test_larger_interleave_makes_the_bubble_smaller(narrow, wide):
    small = step_time(LLAMA_70B, replace(CUT, vp=wide), SoftwareStack(), H100)
    large = step_time(LLAMA_70B, replace(CUT, vp=narrow), SoftwareStack(), H100)
    assert small.pipeline_bubble_s < large.pipeline_bubble_s


def test_groups_of_one_do_not_communicate():
    parts = step_time(LLAMA_70B, Parallel(1, 1, 1, 1, 1, 1, 8), SoftwareStack(), H100)
    assert parts.communication_s == 0
    assert parts.pipeline_bubble_s == 0
    assert parts.straggler_s == 0
    assert parts.launch_s == H100.fixed_s


def test_data_parallel_term_appears_with_the_second_replica():
    one = step_time(LLAMA_70B, replace(CUT, cp=1, dp=1, global_batch=16), SoftwareStack(), H100)
    two = step_time(LLAMA_70B, replace(CUT, cp=1, dp=2, global_batch=32), SoftwareStack(), H100)
    assert one.exposed_data_s == 0
    assert two.exposed_data_s > 0


def test_bubble_of_plain_pipeline_is_the_classic_share():
    # 1F1B: (p-1)/n_mb of the steady time, once head and transfers are left out.
    model = replace(LLAMA_70B, vocab=1)
    profile = replace(H100, fixed_s=0.0, jitter_per_doubling=0.0)
    parts = step_time(
        model, Parallel(1, 8, 1, 1, 1, 1, 32), replace(SoftwareStack(), dp_overlap=False), profile
    )
    steady_s = parts.productive_s + parts.exposed_pipeline_s
    assert parts.pipeline_bubble_s / steady_s == pytest.approx(7 / 32, rel=0.02)


def test_step_scales_with_the_clock_only_in_products():
    parts = step_time(LLAMA_70B, CUT, SoftwareStack(), H100)
    assert parts.step_at_s(1.0) == parts.step_s
    assert parts.step_at_s(0.5) == pytest.approx(parts.step_s + parts.gemm_scaling_s)
    slower = replace(
        H100,
        gemm_efficiency=H100.gemm_efficiency / 2,
        attention_efficiency=H100.attention_efficiency / 2,
    )
    halved_s = step_time(LLAMA_70B, CUT, SoftwareStack(), slower).step_s
    assert parts.step_at_s(0.5) == pytest.approx(halved_s, rel=0.01)


def test_recompute_costs_a_forward_pass():
    none = step_time(LLAMA_70B, CUT, SoftwareStack(), H100)
    full = step_time(LLAMA_70B, CUT, SoftwareStack(recompute="full"), H100)
    assert 1.25 < full.productive_s / none.productive_s < 1.34
    assert full.exposed_tensor_s > none.exposed_tensor_s


@pytest.mark.parametrize(
    ("switch", "low", "high"), [("tp_overlap", 0.06, 0.13), ("p2p_overlap", 0.003, 0.05)]
)
def test_overlap_off_costs_what_was_measured(switch, low, high):
    on = step_time(LLAMA_70B, CUT, SoftwareStack(), H100).step_s
    off = step_time(LLAMA_70B, CUT, replace(SoftwareStack(), **{switch: False}), H100).step_s
    assert low < off / on - 1 < high


def test_selective_recompute_repeats_attention_alone():
    unfused = SoftwareStack(flash=False)
    none = step_time(LLAMA_70B, CUT, unfused, H100)
    selective = step_time(LLAMA_70B, CUT, replace(unfused, recompute="selective"), H100)
    x = CUT.microbatch * LLAMA_70B.seq / CUT.cp
    forward, _ = attention(x, LLAMA_70B, CUT.tp, unfused, H100)
    passes = CUT.microbatches * LLAMA_70B.layers / CUT.pp
    assert selective.productive_s - none.productive_s == pytest.approx(passes * forward.total_s)
    # Fused attention keeps no scores, so that there is nothing to repeat.
    fused = step_time(LLAMA_70B, CUT, SoftwareStack(recompute="selective"), H100)
    assert fused == step_time(LLAMA_70B, CUT, SoftwareStack(), H100)


def test_context_parallel_gathers_keys_and_values_behind_attention():
    # Two nodes of one group: keys and values of the whole sequence, 0.7 of the attention hides them.
    cut = Parallel(tp=8, pp=1, cp=16, dp=1, vp=1, microbatch=1, global_batch=1)
    parts = step_time(LLAMA_70B, cut, SoftwareStack(), H100)
    size = 2 * 2 * LLAMA_70B.seq * (8192 * 8 / 64) / 8
    gather_s = collective_time_s("all_gather", size, 16, 1, H100.links)
    forward, backward = attention(LLAMA_70B.seq / 16, LLAMA_70B, 8, SoftwareStack(), H100)
    shown_s = gather_s - 0.7 * forward.total_s + max(0, 2 * gather_s - 0.7 * backward.total_s)
    assert parts.exposed_context_s == pytest.approx(80 * shown_s)
    alone = step_time(LLAMA_70B, replace(cut, cp=1), SoftwareStack(), H100)
    assert alone.exposed_context_s == 0
    assert alone.productive_s > 8 * parts.productive_s


def test_exchange_hides_behind_a_step_that_waits_for_the_cpu():
    # The GPU that waits for the CPU is free for the network: more waiting never shows more of the reduction.
    cut = replace(CUT, tp=1, pp=1, cp=1, vp=1, dp=64, global_batch=64)
    bound = [
        step_time(LLAMA_70B, cut, SoftwareStack(launch_s=s), H100).exposed_data_s for s in (0, 20e-3, 60e-3)
    ]
    assert bound == sorted(bound, reverse=True)


def test_launch_bound_is_overhead_of_small_layers():
    tiny = Model(24, 2048, 8192, 16, 16, 51200, False, 512)
    cut = Parallel(1, 1, 1, 1, 1, 1, 16)
    free, bound, slow = (
        step_time(tiny, cut, SoftwareStack(launch_s=launch_s), load_profile("a100"))
        for launch_s in (0.0, 5e-3, 6e-3)
    )
    assert free.productive_s == bound.productive_s == slow.productive_s
    # Once bound, each of 16 x 24 layer passes takes the launch time forward and 1.3 of it backward.
    assert slow.step_s - bound.step_s == pytest.approx(16 * 24 * 2.3 * 1e-3)


def test_parameters_of_llama_405b():
    model = Model(126, 16384, 53248, 128, 8, 128256, True, 8192)
    assert model.parameters == pytest.approx(405.85e9, rel=1e-4)


@pytest.mark.benchmark
def test_benchmark_step_time(benchmark):
    benchmark(step_time, LLAMA_70B, CUT, SoftwareStack(), H100)


def test_a_split_tensor_group_is_as_fast_as_the_cards_of_half_of_it():
    """By hand: Llama 70B, tensor 8 on GB200 over two racks, four GPUs in each; nine collectives of a layer."""
    gb200 = load_profile("gb200")
    cut = Parallel(8, 1, 1, 1, 1, 1, 1)
    stack = SoftwareStack(tp_overlap=False)
    whole = step_time(LLAMA_70B, cut, stack, gb200)
    split = step_time(LLAMA_70B, cut, stack, gb200, TrainingNetwork(members=Members(tensor=4)))
    size = 2 * LLAMA_70B.seq * LLAMA_70B.hidden
    nvlink = gb200.scale_up_bytes_s * gb200.scale_up_efficiency
    cards = 4 * gb200.scale_out_bytes_s * gb200.scale_out_efficiency
    assert cards < nvlink
    for parts, bytes_s, crossings in ((whole, nvlink, 0), (split, cards, 1)):
        each_s = 8.4e-6 + (7 - crossings) * 3.4e-6 + crossings * 14e-6 + 7 / 8 * size / bytes_s
        assert parts.exposed_tensor_s == pytest.approx(LLAMA_70B.layers * 9 * each_s)
    more = step_time(LLAMA_70B, cut, stack, gb200, TrainingNetwork(members=Members(tensor=64)))
    assert more == whole  # the formula bounds what the places allow


def test_stages_that_share_a_domain_send_over_it():
    cut = Parallel(8, 4, 1, 1, 1, 1, 16)
    stack = SoftwareStack(p2p_overlap=False)
    apart = step_time(LLAMA_70B, cut, stack, H100).exposed_pipeline_s
    near = step_time(
        LLAMA_70B, cut, stack, H100, TrainingNetwork(members=Members(stages=True))
    ).exposed_pipeline_s
    wire_s = 2 * LLAMA_70B.seq * LLAMA_70B.hidden / 8
    links = H100.links
    gained_s = 16 * 2 * wire_s * (1 / links.scale_out_bytes_s - 1 / links.scale_up_bytes_s)
    assert apart - near == pytest.approx(gained_s * H100.p2p_factor)
