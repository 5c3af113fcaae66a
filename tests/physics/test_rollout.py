"""Generation of answers and the way of the weights back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.physics.collectives import collective_time_s
from twin.physics.rollout import rollout, weight_sync_s
from twin.physics.serving import ServingReplica, decode, prefill
from twin.physics.training_inputs import FULL_NETWORK, Model, TrainingNetwork
from twin.planning.profile.profiles import load_profile

H100 = load_profile("h100")
LLAMA3_8B = Model(32, 4096, 14336, 32, 8, 128256, True, 8192)
COPY = ServingReplica(LLAMA3_8B, H100)


def test_answers_of_one_length_in_one_batch_by_hand():
    found = rollout(COPY, 4, 8, 512, 1000, 1.0, 64)
    assert found.batch == 32
    assert found.tail_s == 0
    assert found.decode.total_s == pytest.approx(1000 * decode(COPY, 32, 1012).total_s)
    assert found.prefill.total_s == pytest.approx(4 * prefill(COPY, 512).total_s)


def test_more_answers_than_fit_take_turns():
    found = rollout(COPY, 16, 8, 512, 1000, 1.0, 64)
    assert found.batch == 64
    assert found.decode.total_s == pytest.approx(2 * 1000 * decode(COPY, 64, 1012).total_s)


def test_sum_over_all_passes_is_exact_where_a_pass_is_linear():
    # Half the answers have 500 tokens, half 1500: mean 1000, longest 1.5. Pass by pass, weights and launch a, one
    # answer k: 1500 passes in all, 16 answers in the last thousand of them.
    a = decode(COPY, 1e-9, 1012).total_s
    k = decode(COPY, 2, 1012).total_s - decode(COPY, 1, 1012).total_s
    by_pass_s = 500 * (a + 32 * k) + 1000 * (a + 16 * k)
    found = rollout(COPY, 4, 8, 512, 1000, 1.5, 64)
    assert found.decode.total_s + found.tail_s == pytest.approx(by_pass_s, rel=0.03)


@given(st.floats(1, 10), st.floats(1, 10), st.integers(1, 256))
def test_a_longer_tail_and_less_room_are_never_faster(one, other, limit):
    short, long = (rollout(COPY, 8, 8, 256, 500, tail, limit) for tail in sorted((one, other)))
    assert short.total_s <= long.total_s * (1 + 1e-12)
    assert rollout(COPY, 8, 8, 256, 500, one, limit + 1).total_s <= rollout(
        COPY, 8, 8, 256, 500, one, limit
    ).total_s * (1 + 1e-9)


def test_weights_reach_every_domain_through_all_of_its_cards():
    found = weight_sync_s(70e9, 64, H100, FULL_NETWORK)
    assert found == collective_time_s("all_gather", 140e9, 64, 8, H100.links)
    assert found == pytest.approx(140e9 / (8 * 50e9 * 0.9), rel=0.15)
    assert weight_sync_s(70e9, 1, H100, FULL_NETWORK) == 0
    assert weight_sync_s(70e9, 64, H100, TrainingNetwork(data=0.5)) > 1.9 * found
