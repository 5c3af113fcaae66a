"""A job on hardware: what sim, estimate and the job dialog ask for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from twin.physics.training import Model, Parallel, SoftwareStack
from twin.physics.training_inputs import FULL_NETWORK, TrainingNetwork
from twin.planning.job.job import LlmJob, PlanError, VisionJob, cut, default_stack, estimate
from twin.planning.profile.profiles import load_profile
from twin.planning.search.search import fastest_microbatch

LLAMA_16K = LlmJob("llama3-405b", cut(16384, 2048, tp=8, pp=16, vp=7), "h100")
VIDEO = VisionJob(
    gpus=256, profile="h100", sample_flop=5e12, sample_bytes=20e6, parameters=1e9, batch_per_gpu=32
)


def test_llama3_step_is_near_the_published_rate():
    # Llama 3 405B, 16,384 H100: 400 TFLOP/s per GPU, 41 % (arXiv 2407.21783, Table 4, recalled).
    # Its FLOP count differs from ours, so this is a plausibility check and no validation.
    result = estimate(LLAMA_16K)
    assert result.gpus == 16384
    assert 0.37 < result.mfu < 0.50
    assert result.parameters == pytest.approx(405.85e9, rel=1e-4)
    assert result.checkpoint_bytes == pytest.approx(5.68e12, rel=1e-3)
    assert result.input_bytes == 4 * 8192 * 2048
    assert result.confidence == "calibrated"


def test_what_does_not_fit_says_why():
    result = estimate(LLAMA_16K)
    assert not result.fits
    assert result.reason.startswith("needs 81.0 GB of 76.0 GB usable on a GPU (model state 13.9")
    roomy = estimate(replace(LLAMA_16K, gpu_bytes=141e9))
    assert roomy.fits
    assert roomy.reason == ""
    assert roomy.parts == result.parts


def test_less_network_is_slower_and_changes_nothing_else():
    half = estimate(replace(LLAMA_16K, network=TrainingNetwork(data=0.5, pipeline=0.5)))
    full = estimate(LLAMA_16K)
    assert half.step_s > full.step_s
    assert half.parts.productive_s == full.parts.productive_s
    assert estimate(replace(LLAMA_16K, network=FULL_NETWORK)) == full


def test_stack_defaults_come_from_profile_and_model():
    assert default_stack("h100", "llama3-405b") == SoftwareStack(deferred_head=True)
    assert default_stack("h100", "llama3-8b") == SoftwareStack()
    assert not default_stack("a100", "llama3-405b").deferred_head
    assert default_stack("a100", "gpt3-175b").recompute == "full"
    assert default_stack("h100", "gpt3-175b", "fp8", "selective") == SoftwareStack(
        precision="fp8", recompute="selective"
    )


def test_explicit_shape_equals_its_preset():
    shape = Model(32, 4096, 14336, 32, 8, 128256, True, 8192)
    by_name = estimate(LlmJob("llama3-8b", cut(8, 128, cp=2), "h100"))
    assert estimate(LlmJob(shape, cut(8, 128, cp=2), "h100")) == by_name


def test_cut_finds_data_parallelism():
    assert cut(2304, 1008, tp=8, pp=9, cp=2, vp=7) == Parallel(8, 9, 2, 16, 7, 1, 1008)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cut(100, 64, tp=8), "100 GPUs are not a multiple of tensor 8 x pipeline 1 x context 1"),
        (
            lambda: cut(64, 100, tp=8),
            "global batch of 100 is not a multiple of data parallel 8 x microbatch 1",
        ),
        (lambda: cut(64, 4, tp=8), "global batch of 4 is not a multiple"),
        (
            lambda: estimate(LlmJob("llama3-8b", Parallel(3, 1, 1, 1, 1, 1, 8), "h100")),
            "tensor parallel 3 does not divide 32 attention heads",
        ),
        (
            lambda: estimate(
                LlmJob(Model(32, 4096, 14336, 32, 5, 128256, True, 8192), cut(8, 128, cp=2), "h100")
            ),
            "5 key-value heads do not divide 32 attention heads; use 4",
        ),
        (
            lambda: estimate(LlmJob("llama3-8b", Parallel(1, 8, 1, 1, 8, 1, 8), "h100")),
            "8 pipeline stages x 8 interleaved are more than 32 layers",
        ),
        (
            lambda: estimate(LlmJob("llama3-8b", Parallel(1, 1, 3, 1, 1, 1, 8), "h100")),
            "context parallel 3 does not divide 8192 tokens",
        ),
        (
            lambda: estimate(LlmJob("llama3-8b", Parallel(1, 1, 1, 3, 1, 1, 8), "h100")),
            "global batch of 8 is not a multiple of data parallel 3 x microbatch 1",
        ),
    ],
)
def test_illegal_cuts_are_refused(make, message):
    with pytest.raises(PlanError, match=message):
        make()


def test_vision_step_by_hand():
    result = estimate(VIDEO)
    arithmetic_s = 32 * 5e12 / (989e12 * 0.35)
    optimizer_s = 30 * 1e9 / (3.35e12 * 0.885)
    assert result.parts.productive_s == pytest.approx(arithmetic_s + optimizer_s)
    assert result.parts.gemm_s == pytest.approx(arithmetic_s)
    assert result.input_bytes == 256 * 32 * 20e6
    assert result.kind == "vision"
    assert result.parts.exposed_data_s > 0
    assert result.fits


def test_vision_on_one_gpu_reduces_nothing():
    assert estimate(replace(VIDEO, gpus=1)).parts.exposed_data_s == 0


def test_vision_bound_by_memory_does_not_follow_the_clock():
    result = estimate(replace(VIDEO, sample_hbm_bytes=1e12))
    assert result.parts.gemm_s == 0
    assert result.parts.step_at_s(0.5) == result.step_s
    assert result.parts.productive_s > 32 * 1e12 / 3.35e12


def test_vision_parts_sum_to_the_step_both_ways():
    parts = estimate(VIDEO).parts
    busy_s = parts.gemm_s + parts.memory_bound_s + parts.communication_s + parts.idle_s
    assert busy_s == pytest.approx(parts.step_s, rel=1e-12)


def test_vision_that_does_not_fit_says_why():
    assert "needs" in estimate(replace(VIDEO, parameters=10e9)).reason


def test_fastest_microbatch_fits_and_beats_its_neighbours():
    model, profile, stack = (
        Model(84, 8192, 32768, 64, 64, 131072, False, 4096),
        load_profile("h100"),
        SoftwareStack(),
    )
    open_cut = Parallel(8, 2, 1, 48, 1, 1, 384)
    best = fastest_microbatch(model, open_cut, stack, profile, profile.hbm_bytes)
    chosen = estimate(LlmJob(model, best, "h100", stack))
    assert chosen.fits
    for microbatch in (1, 2, 4, 8):
        other = estimate(LlmJob(model, replace(open_cut, microbatch=microbatch), "h100", stack))
        assert chosen.step_s <= other.step_s or not other.fits


def test_fastest_microbatch_falls_back_to_one_when_nothing_fits():
    model, profile = Model(84, 8192, 32768, 64, 64, 131072, False, 4096), load_profile("h100")
    tight = fastest_microbatch(model, Parallel(8, 2, 1, 48, 3, 4, 384), SoftwareStack(), profile, 1e9)
    assert (tight.microbatch, tight.vp) == (1, 1)
