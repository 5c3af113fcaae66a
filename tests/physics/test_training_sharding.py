"""ZeRO stages and fully sharded training: volumes of the paper, times by hand, and their order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from training_cases import CUT, LLAMA_70B, cut_models, networks, profiles, stacks

from twin.physics.collectives import collective_time_s
from twin.physics.sharding import (
    data_parallel_bytes,
    exposed_data_s,
    optimizer_s,
    passes,
    rank_weights,
    replicated_weights,
)
from twin.physics.training import Model, Parallel, SoftwareStack, step_time
from twin.physics.training_inputs import FULL_NETWORK
from twin.planning.profile.profiles import load_profile

H100 = load_profile("h100")
STAGES = ("none", "optimizer", "gradients", "weights")
DATA_ONLY = Parallel(tp=1, pp=1, cp=1, dp=64, vp=1, microbatch=1, global_batch=64)


def exposed(model, cut, stack, profile, network, forward_s, backward_s):
    groups = replicated_weights(model, cut, profile.domain_gpus)
    return exposed_data_s(groups, cut.microbatches, stack, profile, network, forward_s, backward_s)


@pytest.mark.parametrize(
    ("sharding", "elements"), [(STAGES[0], 2), (STAGES[1], 2), (STAGES[2], 2), (STAGES[3], 3)]
)
def test_volume_is_that_of_the_zero_paper(sharding, elements):
    # Rajbhandari et al., section 7: 2 psi, and 3 psi once weights are sharded; one microbatch, 16-bit gradients.
    psi = rank_weights(LLAMA_70B, DATA_ONLY)
    sent = data_parallel_bytes(LLAMA_70B, DATA_ONLY, SoftwareStack(sharding=sharding))
    assert sent == pytest.approx(elements * psi * 2 * 63 / 64)


def test_each_further_microbatch_is_reduced_and_gathered_again():
    assert [passes(stage, 1.0) for stage in STAGES] == [(1, 0), (1, 1), (1, 1), (1, 2)]
    assert [passes(stage, 8.0) for stage in STAGES] == [(1, 0), (1, 1), (8, 1), (8, 16)]


def test_groups_of_one_exchange_nothing():
    alone = replace(DATA_ONLY, dp=1)
    for stage in STAGES:
        assert data_parallel_bytes(LLAMA_70B, alone, SoftwareStack(sharding=stage)) == 0
        assert exposed(LLAMA_70B, alone, SoftwareStack(sharding=stage), H100, FULL_NETWORK, 0, 0) == 0


def test_sharded_weights_by_hand():
    # Two layers on two nodes of eight, nothing hidden, three microbatches.
    model = Model(2, 1024, 4096, 8, 8, 4096, False, 1024)
    cut = Parallel(1, 1, 1, 16, 1, 1, 48)
    links, stack = H100.links, SoftwareStack(sharding="weights", dp_overlap=False)
    layer, embedding = model.layer_parameters, 4096 * 1024
    gather_s = 2 * collective_time_s("all_gather", 2 * layer, 16, 8, links)
    gather_s += collective_time_s("all_gather", 2 * embedding, 16, 8, links)
    reduce_s = 2 * collective_time_s("reduce_scatter", 2 * layer, 16, 8, links)
    reduce_s += collective_time_s("reduce_scatter", 2 * embedding, 16, 8, links)
    shown_s = exposed(model, cut, stack, H100, FULL_NETWORK, 1.0, 1.0)
    assert shown_s == pytest.approx(3 * (2 * gather_s + reduce_s))
    # With prefetch only what is longer than the passes shows, of each of the three microbatches.
    prefetch = replace(stack, dp_overlap=True)
    forward_s, backward_s = 0.5 * gather_s, 0.8 * (gather_s + reduce_s)
    shown_s = exposed(model, cut, prefetch, H100, FULL_NETWORK, forward_s, backward_s)
    assert shown_s == pytest.approx(3 * 0.5 * gather_s + 3 * 0.2 * (gather_s + reduce_s))
    hidden_s = exposed(model, cut, prefetch, H100, FULL_NETWORK, 1.0, 1.0)
    assert hidden_s == pytest.approx(3 * 0.1 * (2 * gather_s + reduce_s))


def test_sharded_gradients_are_reduced_after_every_microbatch():
    waiting = SoftwareStack(sharding="gradients", dp_overlap=False)
    one = replace(CUT, global_batch=CUT.dp)
    four = replace(CUT, global_batch=4 * CUT.dp)
    earlier = replace(waiting, sharding="optimizer")

    def shown_s(cut, stack):
        return step_time(LLAMA_70B, cut, stack, H100).exposed_data_s

    assert shown_s(one, waiting) == shown_s(one, earlier)
    assert shown_s(four, earlier) == shown_s(one, earlier)
    weights = rank_weights(LLAMA_70B, CUT)
    reduce_s = collective_time_s("reduce_scatter", 2 * weights, 16, 2, H100.links)
    assert shown_s(four, waiting) - shown_s(one, waiting) == pytest.approx(3 * reduce_s)


@given(cut_models(), stacks, profiles, networks)
def test_sharding_more_is_never_faster(case, stack, profile, network):
    times = [
        step_time(*case, replace(stack, sharding=stage), profile, network).step_s for stage in STAGES[1:]
    ]
    assert times[0] <= times[1] * (1 + 1e-12) <= times[2] * (1 + 1e-12) ** 2


@given(cut_models(), stacks)
def test_weights_of_all_groups_make_the_model(case, stack):
    model, cut = case
    assume(cut.pp == 1)
    whole = model.layers * model.layer_parameters + model.vocab * model.hidden
    held = sum(part.weights / part.ranks for part in replicated_weights(model, cut, 8))
    assert held * cut.gpus == pytest.approx(whole)


def test_optimizer_of_sharded_groups_is_as_much_shorter():
    groups = replicated_weights(LLAMA_70B, CUT, 8)
    whole = optimizer_s(groups, SoftwareStack(sharding="none"), H100)
    for stage in STAGES[1:]:
        assert optimizer_s(
            replicated_weights(LLAMA_70B, CUT, 8), SoftwareStack(sharding=stage), H100
        ) == pytest.approx(whole / 16)


def test_fully_sharded_llama_8b_costs_a_little_more_than_a_sharded_optimizer():
    # One microbatch of 8192 tokens and 32 GPUs: the gathers hide behind compute, as FSDP's prefetch promises.
    model, cut = Model(32, 4096, 14336, 32, 8, 128256, True, 8192), Parallel(1, 1, 1, 32, 1, 1, 32)
    sharded = step_time(model, cut, SoftwareStack(), H100)
    fully = step_time(model, cut, SoftwareStack(sharding="weights"), H100)
    assert 1.0 < fully.step_s / sharded.step_s < 1.1
    assert fully.productive_s == sharded.productive_s
