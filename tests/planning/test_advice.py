"""What would make a job fit: smallest changes, cheapest first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from twin.planning.job.job import LlmJob, VisionJob, cut, estimate
from twin.planning.job.llm import default_stack
from twin.planning.search.advice import advise, fewest_gpus, would_fit
from twin.planning.search.vision_advice import largest_batch

TIGHT = LlmJob("llama3-70b", cut(64, 128, tp=4, pp=4, cp=1, vp=5, microbatch=2), "h100")


def test_a_job_that_fits_needs_no_advice() -> None:
    assert advise(LlmJob("llama3-8b", cut(8, 128, cp=2), "h100")) == ()


@pytest.mark.parametrize(
    "job",
    [
        TIGHT,
        LlmJob("llama3-405b", cut(512, 256, tp=8), "h100"),
        LlmJob("gpt3-175b", cut(64, 64, tp=8, pp=4), "a100"),
        LlmJob("llama3-70b", cut(64, 128, tp=2, pp=2, microbatch=2), "h100"),
    ],
    ids=lambda job: str(job.model),
)
def test_each_advice_fits_and_says_its_cost(job: LlmJob) -> None:
    before = estimate(job)
    assert not before.fits
    found = advise(job)
    assert found
    assert [one.step_s for one in found] == sorted(one.step_s for one in found)
    for one in found:
        after = estimate(one.job)
        assert after.fits
        assert after.gpus == before.gpus
        assert (after.step_s, after.memory) == (one.step_s, one.memory)
        assert one.words


def test_levers_are_named_and_turned_no_further_than_needed() -> None:
    found = {one.words: one.job for one in advise(TIGHT)}
    assert set(found) == {"tensor 4 -> 8", "context 1 -> 4", "full recomputation"}
    less = replace(TIGHT, parallel=replace(TIGHT.parallel, cp=2, dp=2))
    assert "microbatch 2 -> 1" in {one.words for one in advise(less)}
    for words, job in found.items():
        if words.startswith("context 1 -> "):
            halved = replace(job.parallel, cp=job.parallel.cp // 2, dp=job.parallel.dp * 2)
            assert halved.cp == 1 or not estimate(replace(job, parallel=halved)).fits


def test_sharding_the_optimizer_helps_a_replicated_one() -> None:
    stack = replace(default_stack("h100", "llama3-8b"), sharding="none", recompute="full")
    job = LlmJob("llama3-8b", cut(8, 8), "h100", stack)
    assert not estimate(job).fits
    assert any("ZeRO-1" in one.words for one in advise(job))


def test_experts_may_be_spread_further() -> None:
    job = LlmJob("mixtral-8x7b", cut(64, 128, tp=1, pp=2, ep=1), "h100")
    assert not estimate(job).fits
    found = {one.words: one for one in advise(job)}
    spread = [words for words in found if words.startswith("expert 1 -> ")]
    assert spread
    for one in found.values():
        assert estimate(one.job).fits


def test_where_nothing_helps_more_gpus_are_offered() -> None:
    (one,) = advise(LlmJob("llama3-405b", cut(16, 16, tp=8), "h100"))
    assert one.words.startswith("128 GPUs instead of 16")
    assert estimate(one.job).fits
    assert fewest_gpus("llama3-405b", 8, 8, "h100") is not None
    assert fewest_gpus("llama3-405b", 1, 1, "h100", gpu_bytes=1e9) is None


def test_a_vision_job_is_told_the_largest_batch_that_fits() -> None:
    job = VisionJob(8, "h100", 1e13, 1e6, 1e9, batch_per_gpu=256, sample_activation_bytes=0.5e9)
    batch = largest_batch(job)
    assert 0 < batch < 256
    assert estimate(replace(job, batch_per_gpu=batch)).fits
    assert not estimate(replace(job, batch_per_gpu=batch + 1)).fits
    assert would_fit(job).startswith(f"what would fit: batch 256 -> {batch} on each GPU (")
    assert would_fit(replace(job, batch_per_gpu=batch)) == ""


@pytest.mark.parametrize(
    ("parameters", "sample_bytes", "said"),
    [
        (22e9, 1e9, "the model state alone needs 352 of 76 GB usable"),
        (22e9, 0.0, "the model state alone needs 352 of 76 GB usable"),
        (4e9, 20e9, "model state and a single sample need 84 of 76 GB usable"),
    ],
)
def test_where_no_batch_fits_a_larger_gpu_is_named(parameters: float, sample_bytes: float, said: str) -> None:
    job = VisionJob(8, "h100", 1e13, 1e6, parameters, 32, sample_activation_bytes=sample_bytes)
    assert would_fit(job) == f"no batch fits: {said}; use a GPU with more memory"
