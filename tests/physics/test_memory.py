"""Memory of a GPU against Korthikanti et al., Figure 1, and its laws."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from ruamel.yaml import YAML
from training_cases import CUT, DEEPSEEK, LLAMA_70B, MIXTRAL, cut_models, stacks

from twin.physics.experts import EXPERT_IMBALANCE
from twin.physics.memory import (
    layer_activation_bytes,
    layers_in_flight,
    mean_state_bytes,
    memory_per_gpu,
)
from twin.physics.sharding import replicated_weights
from twin.physics.training import Model, Parallel, SoftwareStack, rank_weights

REFERENCE = Path(__file__).resolve().parents[1] / "reference/training_steps.yaml"
ROWS = YAML(typ="safe", pure=True).load(REFERENCE.read_text())["korthikanti_memory"]["rows"]
GIB = 2**30
UNFUSED = SoftwareStack(seq_parallel=False, flash=False, sharding="none", grad_bytes=4)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["model"])
def test_published_activations_within_one_percent(row):
    model, cut = Model(*row["shape"]), Parallel(*row["cut"])
    none = memory_per_gpu(model, cut, UNFUSED)
    selective = memory_per_gpu(model, cut, replace(UNFUSED, recompute="selective", seq_parallel=True))
    assert none.activations_bytes / GIB == pytest.approx(row["none_gib"], rel=0.01)
    assert selective.activations_bytes / GIB == pytest.approx(row["selective_gib"], rel=0.01)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["model"])
def test_published_weights_and_optimizer_within_two_percent(row):
    state = mean_state_bytes(Model(*row["shape"]), Parallel(*row["cut"]), UNFUSED)
    assert state / GIB == pytest.approx(row["state_gib"], rel=0.02)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["model"])
def test_heaviest_stage_is_a_little_above_the_mean(row):
    model, cut = Model(*row["shape"]), Parallel(*row["cut"])
    memory = memory_per_gpu(model, cut, UNFUSED)
    state = memory.total_bytes - memory.activations_bytes
    assert 1.0 <= state / mean_state_bytes(model, cut, UNFUSED) <= 1.09


def test_each_recompute_saves_memory():
    unfused = replace(UNFUSED, seq_parallel=True)
    kept = [
        memory_per_gpu(LLAMA_70B, CUT, replace(unfused, recompute=how)).activations_bytes
        for how in ("none", "selective", "full")
    ]
    assert kept[0] > kept[1] > kept[2]


def test_flash_attention_keeps_no_scores():
    selective = memory_per_gpu(LLAMA_70B, CUT, SoftwareStack(flash=False, recompute="selective"))
    assert memory_per_gpu(LLAMA_70B, CUT, SoftwareStack()) == selective


def test_distributed_optimizer_shards_over_data_and_context_group():
    whole = memory_per_gpu(LLAMA_70B, CUT, SoftwareStack(sharding="none"))
    sharded = memory_per_gpu(LLAMA_70B, CUT, SoftwareStack())
    assert sharded.optimizer_bytes == pytest.approx(whole.optimizer_bytes / 16)
    assert sharded.weights_bytes == whole.weights_bytes


@pytest.mark.parametrize(
    ("changes", "layers"),
    [
        ({"pp": 1, "vp": 1}, 80),
        ({"vp": 1}, 80),
        ({"vp": 5}, 80 * (1 + 3 / 20)),
        ({"vp": 1, "global_batch": 16}, 20 * 2),
        ({"vp": 5, "global_batch": 32}, 80),  # as many microbatches as stages: never more than all of them
    ],
)
def test_layers_in_flight(changes, layers):
    assert layers_in_flight(LLAMA_70B, replace(CUT, **changes)) == pytest.approx(layers)


ONE = Parallel(1, 1, 1, 1, 1, 1, 1)


@pytest.mark.parametrize(
    ("model", "repeated", "split"),
    [
        (Model(96, 12288, 49152, 96, 96, 51200, False, 2048), 10, 24),  # GPT: Korthikanti's 34
        (
            Model(96, 18432, 73728, 96, 8, 256000, False, 4096),
            10,
            2 + 4 / 12 + 2 + 16,
        ),  # Nemotron: few key heads
        (LLAMA_70B, 8, 2 + 4 / 8 + 2 + 6 * 3.5),  # gated, no dropout
        (MIXTRAL, 8, 2 + 4 / 4 + 2 + 2 * (4 + 6 * 3.5)),  # two experts for each token
    ],
)
def test_activations_of_a_layer_by_hand(model, repeated, split):
    sbh = model.seq * model.hidden
    assert layer_activation_bytes(model, ONE, SoftwareStack()) == pytest.approx((repeated + split) * sbh)
    eight = replace(ONE, tp=8)
    assert layer_activation_bytes(model, eight, SoftwareStack()) == pytest.approx(
        (repeated + split) / 8 * sbh
    )
    whole_norms = layer_activation_bytes(model, eight, SoftwareStack(seq_parallel=False))
    assert whole_norms == pytest.approx((repeated + split / 8) * sbh)


def test_activations_of_latent_attention_by_hand():
    dense = replace(DEEPSEEK, experts=None)
    compressed = 2 * (1536 + 512 + 64)
    heads = 2 * 128 * (192 + 192 + 128 + 128)  # queries, keys, values, what attention gives
    expected = (8 * 7168 + compressed + heads + 6 * 18432) * 4096
    assert layer_activation_bytes(dense, ONE, SoftwareStack()) == pytest.approx(expected)


def test_zero_paper_table_of_memory():
    # Rajbhandari et al., figure 1: 7.5 billion weights, 64 GPUs: 120, 31.4, 16.6 and 1.9 GB of model state.
    model = Model(32, 4096, 4 * 4096, 32, 32, 1, False, 2048)
    scale = 7.5e9 / rank_weights(model, ONE)
    cut = Parallel(1, 1, 1, 64, 1, 1, 64)
    state = []
    for stage in ("none", "optimizer", "gradients", "weights"):
        memory = memory_per_gpu(model, cut, SoftwareStack(sharding=stage))
        state.append(scale * (memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes) / 1e9)
    assert state == pytest.approx([120, 31.4, 16.6, 1.9], rel=0.015)


def test_sharded_weights_need_room_for_the_layers_at_work():
    layer, embedding = LLAMA_70B.layer_parameters / 4, 128256 * 8192 / 4
    assert embedding > layer
    assert memory_per_gpu(LLAMA_70B, CUT, SoftwareStack()).working_bytes == 0
    gradients = memory_per_gpu(LLAMA_70B, CUT, SoftwareStack(sharding="gradients"))
    assert gradients.working_bytes == pytest.approx(2 * embedding)
    weights = memory_per_gpu(LLAMA_70B, CUT, SoftwareStack(sharding="weights"))
    assert weights.working_bytes == pytest.approx(2 * embedding + 2 * (embedding + layer))
    plain = memory_per_gpu(LLAMA_70B, CUT, SoftwareStack(sharding="weights", dp_overlap=False))
    assert plain.working_bytes == pytest.approx((2 + 2) * embedding)


def test_experts_are_shared_out_and_sharded_over_those_who_hold_the_same():
    cut = Parallel(1, 1, 1, 64, 1, 1, 64, ep=8)
    plain, experts = replicated_weights(MIXTRAL, cut, 8)
    assert (plain.ranks, plain.ranks_per_node) == (64, 8)
    assert (experts.ranks, experts.ranks_per_node) == (8, 1)
    assert experts.weights == pytest.approx(32 * 3 * 4096 * 14336)  # one expert of each layer
    memory = memory_per_gpu(MIXTRAL, cut, SoftwareStack())
    assert memory.weights_bytes == pytest.approx(2 * (plain.weights + experts.weights))
    assert memory.optimizer_bytes == pytest.approx(12 * (plain.weights / 64 + experts.weights / 8))
    assert memory.working_bytes == pytest.approx(2 * EXPERT_IMBALANCE * 2 * 2 * 4096 * 4096)
    split = replace(cut, tp=4, dp=16)
    assert replicated_weights(MIXTRAL, split, 8)[1].weights == experts.weights / 4
    assert replicated_weights(MIXTRAL, replace(split, etp=1), 8)[1] == experts
    whole = memory_per_gpu(MIXTRAL, replace(cut, ep=1), SoftwareStack())
    assert whole.weights_bytes == pytest.approx(2 * (plain.weights + 8 * experts.weights))


@given(cut_models(), stacks)
def test_sharding_more_never_holds_more_model_state(case, stack):
    held = []
    for stage in ("none", "optimizer", "gradients", "weights"):
        memory = memory_per_gpu(*case, replace(stack, sharding=stage))
        held.append(memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes)
        parts = (held[-1], memory.activations_bytes, memory.working_bytes)
        assert min(parts) >= 0
        assert memory.total_bytes == pytest.approx(sum(parts))
    assert held == sorted(held, reverse=True)


@given(cut_models(), stacks)
def test_recomputing_more_never_holds_more(case, stack):
    held = [
        memory_per_gpu(*case, replace(stack, recompute=how)).activations_bytes
        for how in ("none", "selective", "full")
    ]
    assert held == sorted(held, reverse=True)
