"""Memory of a GPU against Korthikanti et al., Figure 1, and its laws."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from twin.physics.memory import layers_in_flight, mean_state_bytes, memory_per_gpu
from twin.physics.training import Model, Parallel, Stack

REFERENCE = Path(__file__).resolve().parents[1] / "reference/training_steps.yaml"
ROWS = YAML(typ="safe", pure=True).load(REFERENCE.read_text())["korthikanti_memory"]["rows"]
GIB = 2**30
UNFUSED = Stack(seq_parallel=False, flash=False, sharding="none", grad_bytes=4)
LLAMA_70B = Model(80, 8192, 28672, 64, 8, 128256, True, 8192)
CUT = Parallel(tp=4, pp=4, cp=2, dp=8, vp=5, microbatch=1, global_batch=128)


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
    selective = memory_per_gpu(LLAMA_70B, CUT, Stack(flash=False, recompute="selective"))
    assert memory_per_gpu(LLAMA_70B, CUT, Stack()) == selective


def test_distributed_optimizer_shards_over_data_and_context_group():
    whole = memory_per_gpu(LLAMA_70B, CUT, Stack(sharding="none"))
    sharded = memory_per_gpu(LLAMA_70B, CUT, Stack())
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
