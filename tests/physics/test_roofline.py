"""Memory traffic of a transformer step, for its place under the roofline."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.physics.roofline import transformer_traffic_bytes
from twin.physics.training_inputs import Experts, Model, Parallel, SoftwareStack

LLAMA3_8B = Model(32, 4096, 14336, 32, 8, 128256, True, 8192)
ONE = Parallel(1, 1, 1, 1, 1, 1, 8)


def test_traffic_of_one_gpu_by_hand():
    x, h, kv, f, v, weights = 8192, 4096, 1024, 14336, 128256, LLAMA3_8B.layer_parameters
    operands = (h + h + 2 * kv) + (h + h) + (h + 2 * f) + (f + h)
    products = 2 * (weights + x * operands)
    elementwise = x * (22 * h + 4 * f)
    layer = 3 * products + 2.5 * elementwise
    head = 6 * (x * h + h * v + x * v) + 12 * x * v
    by_hand = 8 * (32 * layer + head) + 30 * LLAMA3_8B.parameters
    assert transformer_traffic_bytes(LLAMA3_8B, ONE, SoftwareStack()) == pytest.approx(by_hand, rel=0.01)


def test_cutting_moves_more_never_less():
    alone = transformer_traffic_bytes(LLAMA3_8B, ONE, SoftwareStack())
    assert transformer_traffic_bytes(LLAMA3_8B, replace(ONE, dp=8), SoftwareStack()) == pytest.approx(
        alone, rel=0.05
    )
    assert transformer_traffic_bytes(LLAMA3_8B, replace(ONE, tp=8), SoftwareStack()) > alone
    assert transformer_traffic_bytes(LLAMA3_8B, replace(ONE, dp=8), SoftwareStack(sharding="none")) > alone


def test_recompute_and_scores_cost_traffic():
    plain = transformer_traffic_bytes(LLAMA3_8B, ONE, SoftwareStack())
    assert transformer_traffic_bytes(LLAMA3_8B, ONE, SoftwareStack(recompute="full")) > 1.2 * plain
    assert transformer_traffic_bytes(LLAMA3_8B, ONE, SoftwareStack(flash=False)) > 2 * plain


def test_a_mixture_reads_all_experts_and_moves_the_vectors_of_few():
    dense = replace(LLAMA3_8B, ffn=2 * 14336)
    mixture = replace(LLAMA3_8B, experts=Experts(8, 2, 14336))
    more = transformer_traffic_bytes(mixture, ONE, SoftwareStack()) / transformer_traffic_bytes(
        dense, ONE, SoftwareStack()
    )
    assert 1 < more < 4


@given(st.integers(1, 64))
def test_larger_microbatches_read_weights_less_often(size):
    small = transformer_traffic_bytes(LLAMA3_8B, replace(ONE, microbatch=1, global_batch=64), SoftwareStack())
    large = transformer_traffic_bytes(
        LLAMA3_8B, replace(ONE, microbatch=size, global_batch=64), SoftwareStack()
    )
    assert large <= small
