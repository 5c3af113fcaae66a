"""Laws of the step time: parts sum, limits, monotonicity."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.physics.training import Model, Parallel, Stack, StepParts, step_time
from twin.planning.profiles import load_profile

LLAMA_70B = Model(80, 8192, 28672, 64, 8, 128256, True, 8192)
CUT = Parallel(tp=4, pp=4, cp=2, dp=8, vp=5, microbatch=1, global_batch=128)
H100 = load_profile("h100")

profiles = st.sampled_from(["a100", "h100", "gb200", "b200", "mi300x"]).map(load_profile)
stacks = st.builds(
    Stack,
    recompute=st.sampled_from(["none", "selective", "full"]),
    seq_parallel=st.booleans(),
    flash=st.booleans(),
    sharding=st.sampled_from(["none", "optimizer"]),
    tp_overlap=st.booleans(),
    dp_overlap=st.booleans(),
    p2p_overlap=st.booleans(),
    grad_bytes=st.sampled_from([2, 4]),
    deferred_head=st.booleans(),
    launch_s=st.sampled_from([0.0, 1.1e-3]),
    precision=st.sampled_from(["bf16", "fp8"]),
)
powers = st.sampled_from([1, 2, 4, 8])
cuts = st.builds(
    lambda tp, pp, cp, dp, vp, mb, n: Parallel(tp, pp, cp, dp, vp if pp > 1 else 1, mb, n * dp * mb),
    powers,
    powers,
    powers,
    st.sampled_from([1, 2, 16, 128]),
    st.sampled_from([1, 2, 5]),
    st.sampled_from([1, 2, 4]),
    st.integers(1, 64),
)


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
    ]


@given(cuts, stacks, profiles)
def test_parts_are_positive_and_sum_to_the_step_both_ways(parallel, stack, profile):
    parts = step_time(LLAMA_70B, parallel, stack, profile)
    busy_s = parts.gemm_s + parts.memory_bound_s + parts.communication_s + parts.idle_s
    assert min(accounts_s(parts)) >= 0
    assert sum(accounts_s(parts)) == pytest.approx(parts.step_s, rel=1e-12)
    assert busy_s == pytest.approx(parts.step_s, rel=1e-12)
    assert 0 < parts.gemm_scaling_s < parts.step_s
    assert 0 < parts.mfu < 1


@given(cuts, stacks, profiles, st.floats(1.0, 8.0))
def test_more_network_bandwidth_is_never_slower(parallel, stack, profile, factor):
    faster = replace(profile, scale_out_bytes_s=profile.scale_out_bytes_s * factor)
    before = step_time(LLAMA_70B, parallel, stack, profile).step_s
    assert step_time(LLAMA_70B, parallel, stack, faster).step_s <= before * (1 + 1e-12)


@given(cuts, stacks, profiles, st.floats(1.0, 8.0))
def test_more_memory_bandwidth_is_never_slower(parallel, stack, profile, factor):
    # Faster compute hides less communication, but never loses more than it saves.
    faster = replace(profile, hbm_bytes_s=profile.hbm_bytes_s * factor)
    before = step_time(LLAMA_70B, parallel, stack, profile).step_s
    assert step_time(LLAMA_70B, parallel, stack, faster).step_s <= before * (1 + 1e-12)


@pytest.mark.parametrize(("narrow", "wide"), [(1, 2), (2, 4), (4, 5), (5, 10), (10, 20)])
def test_larger_interleave_makes_the_bubble_smaller(narrow, wide):
    small = step_time(LLAMA_70B, replace(CUT, vp=wide), Stack(), H100)
    large = step_time(LLAMA_70B, replace(CUT, vp=narrow), Stack(), H100)
    assert small.pipeline_bubble_s < large.pipeline_bubble_s


def test_groups_of_one_do_not_communicate():
    parts = step_time(LLAMA_70B, Parallel(1, 1, 1, 1, 1, 1, 8), Stack(), H100)
    assert parts.communication_s == 0
    assert parts.pipeline_bubble_s == 0
    assert parts.straggler_s == 0
    assert parts.launch_s == H100.fixed_s


def test_data_parallel_term_appears_with_the_second_replica():
    one = step_time(LLAMA_70B, replace(CUT, cp=1, dp=1, global_batch=16), Stack(), H100)
    two = step_time(LLAMA_70B, replace(CUT, cp=1, dp=2, global_batch=32), Stack(), H100)
    assert one.exposed_data_s == 0
    assert two.exposed_data_s > 0


def test_bubble_of_plain_pipeline_is_the_classic_share():
    # 1F1B: (p-1)/n_mb of the steady time, once head and transfers are left out.
    model = replace(LLAMA_70B, vocab=1)
    profile = replace(H100, fixed_s=0.0, jitter_per_doubling=0.0)
    parts = step_time(model, Parallel(1, 8, 1, 1, 1, 1, 32), replace(Stack(), dp_overlap=False), profile)
    steady_s = parts.productive_s + parts.exposed_pipeline_s
    assert parts.pipeline_bubble_s / steady_s == pytest.approx(7 / 32, rel=0.02)


def test_step_scales_with_the_clock_only_in_products():
    parts = step_time(LLAMA_70B, CUT, Stack(), H100)
    assert parts.step_at_s(1.0) == parts.step_s
    assert parts.step_at_s(0.5) == pytest.approx(parts.step_s + parts.gemm_scaling_s)
    slower = replace(
        H100,
        gemm_efficiency=H100.gemm_efficiency / 2,
        attention_efficiency=H100.attention_efficiency / 2,
    )
    halved_s = step_time(LLAMA_70B, CUT, Stack(), slower).step_s
    assert parts.step_at_s(0.5) == pytest.approx(halved_s, rel=0.01)


def test_recompute_costs_a_forward_pass():
    none = step_time(LLAMA_70B, CUT, Stack(), H100)
    full = step_time(LLAMA_70B, CUT, Stack(recompute="full"), H100)
    assert 1.25 < full.productive_s / none.productive_s < 1.34
    assert full.exposed_tensor_s > none.exposed_tensor_s


@pytest.mark.parametrize(
    ("switch", "low", "high"), [("tp_overlap", 0.06, 0.13), ("p2p_overlap", 0.003, 0.05)]
)
def test_overlap_off_costs_what_was_measured(switch, low, high):
    on = step_time(LLAMA_70B, CUT, Stack(), H100).step_s
    off = step_time(LLAMA_70B, CUT, replace(Stack(), **{switch: False}), H100).step_s
    assert low < off / on - 1 < high


def test_launch_bound_is_overhead_of_small_layers():
    tiny = Model(24, 2048, 8192, 16, 16, 51200, False, 512)
    cut = Parallel(1, 1, 1, 1, 1, 1, 16)
    free, bound, slow = (
        step_time(tiny, cut, Stack(launch_s=launch_s), load_profile("a100")) for launch_s in (0.0, 5e-3, 6e-3)
    )
    assert free.productive_s == bound.productive_s == slow.productive_s
    # Once bound, each of 16 x 24 layer passes takes the launch time forward and 1.3 of it backward.
    assert slow.step_s - bound.step_s == pytest.approx(16 * 24 * 2.3 * 1e-3)


def test_parameters_of_llama_405b():
    model = Model(126, 16384, 53248, 128, 8, 128256, True, 8192)
    assert model.parameters == pytest.approx(405.85e9, rel=1e-4)


@pytest.mark.benchmark
def test_benchmark_step_time(benchmark):
    benchmark(step_time, LLAMA_70B, CUT, Stack(), H100)
