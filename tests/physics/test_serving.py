"""Serving by roofline, held against published TensorRT-LLM tables, hand cases and what must be monotone."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.physics.serving import ServingReplica, batch_limit, decode, prefill, serve
from twin.physics.training_inputs import Experts, Latent, Model
from twin.planning.profile.models import load_model
from twin.planning.profile.profiles import load_profile

H100, A100 = load_profile("h100"), load_profile("a100")
LLAMA3_70B = Model(80, 8192, 28672, 64, 8, 128256, True, 8192)
GPTJ = Model(28, 4096, 16384, 16, 16, 50400, False, 2048)
LLAMA_7B = Model(32, 4096, 11008, 32, 32, 32000, True, 4096)
LLAMA_70B = Model(80, 8192, 28672, 64, 8, 32000, True, 4096)

# NVIDIA/TensorRT-LLM docs/source/performance.md @138f96d (v0.6.1): model, profile, precision, batch, GPUs, input,
# output, published output tokens per second and GPU. Static batches, so all requests begin and end together.
THROUGHPUT = [
    (GPTJ, H100, "fp8", 1024, 1, 128, 128, 26150),
    (GPTJ, H100, "fp8", 120, 1, 128, 2048, 8011),
    (GPTJ, H100, "fp8", 64, 1, 2048, 128, 2551),
    (GPTJ, H100, "fp8", 64, 1, 2048, 2048, 3327),
    (LLAMA_7B, H100, "fp8", 768, 1, 128, 128, 19694),
    (LLAMA_7B, H100, "fp8", 112, 1, 128, 2048, 6818),
    (LLAMA_7B, H100, "fp8", 80, 1, 2048, 128, 2244),
    (LLAMA_7B, H100, "fp8", 48, 1, 2048, 2048, 2740),
    (LLAMA_70B, H100, "fp8", 1024, 2, 128, 128, 2657),
    (LLAMA_70B, H100, "fp8", 96, 2, 2048, 128, 306),
    (GPTJ, A100, "bf16", 512, 1, 128, 128, 6374),
    (GPTJ, A100, "bf16", 120, 2, 128, 2048, 2192),
    (GPTJ, A100, "bf16", 60, 1, 2048, 128, 670),
    (GPTJ, A100, "bf16", 64, 2, 2048, 2048, 903),
    (LLAMA_7B, A100, "bf16", 384, 1, 128, 128, 5586),
    (LLAMA_7B, A100, "bf16", 60, 1, 128, 2048, 1928),
    (LLAMA_7B, A100, "bf16", 52, 1, 2048, 128, 591),
    (LLAMA_7B, A100, "bf16", 64, 2, 2048, 2048, 782),
    (LLAMA_70B, A100, "bf16", 1280, 4, 128, 128, 670),
    (LLAMA_70B, A100, "bf16", 120, 4, 2048, 128, 79),
]
# The same table: a large model and long answers stay far below what memory allows; their cause is not known.
UNEXPLAINED = [
    (LLAMA_70B, H100, "fp8", 480, 4, 128, 2048, 1486),
    (LLAMA_70B, H100, "fp8", 64, 2, 2048, 2048, 547),
    (LLAMA_70B, A100, "bf16", 240, 4, 128, 2048, 525),
]
# The same document (v0.5): first token of one request [ms].
FIRST_TOKEN = [
    (GPTJ, H100, "fp8", 1, 2048, 29),
    (LLAMA_7B, H100, "fp8", 1, 2048, 36),
    (LLAMA_70B, H100, "fp8", 4, 2048, 109),
    (GPTJ, A100, "bf16", 1, 2048, 129),
    (LLAMA_7B, A100, "bf16", 1, 2048, 133),
    (LLAMA_70B, A100, "bf16", 4, 2048, 377),
]


def tokens_s_of_a_gpu(model, profile, precision, batch, gpus, read, written):
    replica = ServingReplica(model, profile, gpus, precision, precision)
    decoding_s = written * decode(replica, batch, read + written / 2).total_s
    return batch * written / (prefill(replica, read, batch).total_s + decoding_s) / gpus


def test_published_throughput_without_any_fit():
    errors = [tokens_s_of_a_gpu(*row[:-1]) / row[-1] - 1 for row in THROUGHPUT]
    assert max(abs(error) for error in errors) < 0.20
    assert sum(abs(error) for error in errors) / len(errors) < 0.08


@pytest.mark.parametrize("row", UNEXPLAINED)
def test_what_the_roofline_cannot_explain_is_slower_and_not_faster(row):
    assert 1.2 < tokens_s_of_a_gpu(*row[:-1]) / row[-1] < 2.5


@pytest.mark.parametrize(("model", "profile", "precision", "gpus", "tokens", "ms"), FIRST_TOKEN)
def test_published_first_token(model, profile, precision, gpus, tokens, ms):
    assert prefill(
        ServingReplica(model, profile, gpus, precision, precision), tokens
    ).total_s == pytest.approx(ms / 1e3, rel=0.15)


def test_decode_of_one_request_reads_all_weights_once():
    # 69.5e9 weights without the input embedding at 2 B over eight times 3.35 TB/s: the floor of a token.
    found = decode(ServingReplica(LLAMA3_70B, H100, 8), 1, 1)
    floor_s = 2 * (LLAMA3_70B.parameters - 128256 * 8192) / (8 * 3.35e12)
    assert found.memory_s == pytest.approx(floor_s / H100.hbm_efficiency, rel=0.01)
    assert found.gemm_s == 0
    assert floor_s == pytest.approx(5.19e-3, rel=0.01)
    assert found.flop / found.hbm_bytes == pytest.approx(
        1.0, rel=0.02
    )  # two FLOP for each weight of two bytes


def test_prefill_is_two_flop_for_each_weight_and_token():
    found = prefill(ServingReplica(LLAMA3_70B, H100, 8), 2048)
    assert found.flop == pytest.approx(2 * LLAMA3_70B.parameters * 2048, rel=0.05)
    assert found.gemm_s > 10 * found.memory_s


def test_kept_keys_and_values_by_hand():
    assert ServingReplica(LLAMA3_70B, H100).cache_token_bytes == 2 * 80 * 2 * 8 * 128
    assert ServingReplica(LLAMA3_70B, H100, cache_precision="fp8").cache_token_bytes == 2 * 80 * 8 * 128
    latent = Latent(1536, 512, 128, 64, 128)
    deepseek = replace(LLAMA3_70B, layers=61, hidden=7168, heads=128, kv_heads=128, latent=latent)
    assert ServingReplica(deepseek, H100).cache_token_bytes == 2 * 61 * 576  # arXiv 2412.19437: 70 kB a token
    assert ServingReplica(deepseek, H100, 8).cache_shards == 1
    assert ServingReplica(LLAMA3_70B, H100, 4).cache_shards == 4
    assert ServingReplica(LLAMA3_70B, H100, 16).cache_shards == 8
    assert batch_limit(10 * 327680 * 100.0, ServingReplica(LLAMA3_70B, H100), 100) == 10
    assert batch_limit(-1.0, ServingReplica(LLAMA3_70B, H100), 100) == 0


GPT_OSS = load_model("gpt-oss-120b").model
"""36 layers, of which every second sees the last 128 tokens alone; 8 key-value heads of 64."""


def test_layers_with_a_window_keep_and_read_no_more_than_that():
    replica = ServingReplica(GPT_OSS, H100)
    layer_token = 2 * 2 * 8 * 64  # keys and values of 16 bits
    assert replica.cache_token_bytes == 36 * layer_token
    assert replica.cache_request_bytes(4096) == 18 * 4096 * layer_token + 18 * 128 * layer_token
    assert replica.cache_request_bytes(100) == 36 * 100 * layer_token  # shorter than the window: all
    whole = ServingReplica(replace(GPT_OSS, window=None), H100)
    free = 1000.0 * whole.cache_request_bytes(4096)
    assert batch_limit(free, whole, 4096) == 1000
    assert batch_limit(free, replica, 4096) == 1939  # 8192 / (4096 + 128)
    windowed, full = decode(replica, 64, 4096), decode(whole, 64, 4096)
    saved = 64 * 18 * (4096 - 128)  # tokens that are neither read nor multiplied
    assert full.hbm_bytes - windowed.hbm_bytes == pytest.approx(saved * layer_token, rel=1e-9)
    assert full.flop - windowed.flop == pytest.approx(4 * saved * 64 * 64, rel=1e-9)
    assert full.memory_s > windowed.memory_s


def test_a_prompt_is_read_as_training_reads_a_sequence():
    replica, whole = ServingReplica(GPT_OSS, H100), ServingReplica(replace(GPT_OSS, window=None), H100)
    windowed, full = prefill(replica, 8192), prefill(whole, 8192)
    near = 128 + 128  # the window and the tile at its edge
    seen = (8192 + 2 * near - near * near / 8192) / 2
    saved = 0.5 * 4 * 8192 * (8192 - seen) * 64 * 64 * 36
    assert full.flop - windowed.flop == pytest.approx(saved, rel=1e-9)
    assert prefill(replica, 64).flop == prefill(whole, 64).flop


def test_latent_attention_reads_its_small_vectors_once_for_all_heads():
    deepseek = load_model("deepseek-v3").model
    replica = ServingReplica(deepseek, H100, 8)
    assert replica.cache_request_bytes(1000) == 2 * 61 * 576 * 1000  # on each of the 8 GPUs
    one, two = (decode(replica, 32, context) for context in (1000, 2000))
    assert two.flop - one.flop == pytest.approx(4 * 32 * 1000 * 128 * (512 + 64 / 2) * 61, rel=1e-9)
    assert two.hbm_bytes - one.hbm_bytes == pytest.approx(8 * 32 * 1000 * 2 * 61 * 576, rel=1e-9)


def test_one_request_of_a_mixture_reads_only_its_experts():
    mixture = Model(32, 4096, 14336, 32, 8, 32000, True, 4096, experts=Experts(8, 2, 14336))
    one, many = decode(ServingReplica(mixture, H100), 1, 1), decode(ServingReplica(mixture, H100), 256, 1)
    head = mixture.vocab * mixture.hidden
    seen, whole = mixture.active_parameters - head, mixture.parameters - head
    assert one.hbm_bytes == pytest.approx(2 * seen, rel=0.01)
    assert many.hbm_bytes > 2 * whole


def test_little_and_the_empty_replica():
    replica = ServingReplica(LLAMA3_70B, H100, 4)
    served = serve(replica, 2.0, 1000, 300, 256)
    # Little: requests in decode = arrivals x time in decode.
    assert served.batch == pytest.approx(2.0 * 299 * served.token_s, rel=1e-3)
    assert served.now.total_s == pytest.approx(served.busy, rel=1e-3)
    assert served.full.total_s == pytest.approx(served.utilisation, rel=1e-12)
    assert served.utilisation < served.busy < 1
    seldom = serve(replica, 1e-4, 1000, 300, 256)
    alone_s = prefill(replica, 1000).total_s + 299 * decode(replica, 1, 1150).total_s
    assert seldom.busy == pytest.approx(1e-4 * alone_s, rel=0.01)


def test_capacity_is_where_the_load_meets_it():
    replica = ServingReplica(LLAMA3_70B, H100, 4)
    capacity = serve(replica, 1.0, 1000, 300, 128).capacity_s
    at = serve(replica, capacity * 0.999, 1000, 300, 128)
    over = serve(replica, capacity * 2, 1000, 300, 128)
    assert at.utilisation == pytest.approx(0.999)
    assert at.batch == pytest.approx(128, rel=0.05)
    assert over.utilisation == pytest.approx(2)
    assert over.busy == 1
    assert over.now.total_s == pytest.approx(1, rel=1e-9)
    assert over.now.flop == pytest.approx(over.full.flop / 2)


LOADS = st.floats(0.01, 50)


@given(LOADS, LOADS, st.integers(1, 512))
def test_more_load_is_never_faster_for_anyone(one, other, limit):
    replica = ServingReplica(LLAMA3_70B, H100, 8)
    low, high = (serve(replica, load, 500, 200, limit) for load in sorted((one, other)))
    assert low.batch <= high.batch * (1 + 1e-6)
    assert low.token_s <= high.token_s * (1 + 1e-6)
    assert low.utilisation <= high.utilisation
    assert 0 <= low.busy <= 1 + 1e-12


@given(st.floats(1.0, 8.0), st.floats(1, 512), st.floats(1, 8192))
def test_more_bandwidth_and_smaller_batches_are_never_slower(factor, batch, context):
    slow = ServingReplica(LLAMA3_70B, H100, 8)
    fast = ServingReplica(LLAMA3_70B, replace(H100, hbm_bytes_s=H100.hbm_bytes_s * factor), 8)
    assert decode(fast, batch, context).total_s <= decode(slow, batch, context).total_s * (1 + 1e-12)
    assert decode(slow, batch, context).total_s <= decode(slow, batch + 1, context).total_s * (1 + 1e-12)
    assert math.isfinite(decode(slow, batch, context).total_s)


def test_answers_of_one_token_are_prefill_alone():
    replica = ServingReplica(LLAMA3_70B, H100, 8)
    read_s = prefill(replica, 500).total_s
    half, over = (serve(replica, load / read_s, 500, 1, 16) for load in (0.5, 2.0))
    assert half.capacity_s == pytest.approx(1 / read_s)
    assert half.busy == pytest.approx(0.5)
    assert half.first_token_s == pytest.approx(
        read_s * (1 + 0.5 / 2 / 0.5)
    )  # Pollaczek-Khinchine, constant service
    assert half.token_s == 0
    assert over.utilisation == pytest.approx(2)
    assert over.now.total_s == pytest.approx(1)
