"""Software stacks: what they change in a step, and that the fits of their profiles hold for models never seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.planning.left_out import FITS
from twin.physics.training import step_time
from twin.physics.training_inputs import Model, Parallel, SoftwareStack
from twin.planning.job.llm import cut
from twin.planning.profile.profiles import (
    load_calibrated,
    load_profile,
    profile_for_gpu,
    variant_for_software,
)
from twin.planning.table.estimate_cases import CaseEstimate, case_of, judge

MODEL = Model(32, 4096, 14336, 32, 8, 128256, True, 8192)
_GPT_175B = Model(96, 12288, 49152, 96, 96, 51200, False, 2048)
CUT = Parallel(1, 1, 1, 8, 1, 1, 64)


def step_s(profile: str = "h100", model: Model = MODEL, cut: Parallel = CUT, **stack: object) -> float:
    changed = replace(load_calibrated(profile).stack, **stack)  # type: ignore[arg-type]
    return step_time(model, cut, changed, load_profile(profile)).step_s


def judged(**cells: object) -> CaseEstimate:
    run = {"model": "llama3-8b", "gpu": "H100", "gpus": 8, "microbatch": 1, "vp": 1, "global_batch": 64}
    return judge(case_of({**run, **cells}))


def test_eager_kernels_and_flash_attention_2_take_longer() -> None:
    assert step_s(compiled=False) > 1.02 * step_s()
    assert step_s(flash2=True) > 1.1 * step_s()
    # attention grows with the square of the length, the rest with the length
    long = replace(MODEL, seq=65536)
    assert step_s(model=long, flash2=True) / step_s(model=long) > step_s(flash2=True) / step_s()


def test_narrow_heads_wait_for_exponentials() -> None:
    narrow = replace(MODEL, heads=64, kv_heads=16)
    assert step_s("h100-fsdp", narrow) > 1.03 * step_s("h100-fsdp")
    assert step_s("h100", narrow) == pytest.approx(step_s("h100"))


def test_precisions_by_rate() -> None:
    bf16, fp8, mxfp8, nvfp4 = (
        step_s("gb200-bridge", precision=name) for name in ("bf16", "fp8", "mxfp8", "nvfp4")
    )
    assert bf16 > mxfp8 > fp8 > nvfp4
    assert step_s("h100", precision="nvfp4") == step_s("h100", precision="fp8")


def test_gradients_of_early_chunks_hide_behind_the_others() -> None:
    # 340B on nodes of eight: without it a third of the step would be the exchange (measured: 1.70 s)
    model, cut = Model(96, 18432, 73728, 96, 8, 256000, False, 4096), Parallel(8, 4, 1, 4, 12, 1, 32)
    alone, hidden = (
        step_time(model, cut, SoftwareStack(precision="fp8", chunk_overlap=ahead), load_profile("b200"))
        for ahead in (False, True)
    )
    assert hidden.exposed_data_s < 0.5 * alone.exposed_data_s


def test_power_limit_slows_products_alone() -> None:
    full, limited = judged(), judged(power_limit_w=500.0)
    assert full.parts is not None
    assert limited.parts is not None
    assert 1.1 < limited.parts.gemm_s / full.parts.gemm_s < 700 / 500
    assert limited.parts.memory_bound_s == pytest.approx(full.parts.memory_bound_s)


def test_a_run_that_happened_made_room() -> None:
    asked = judged(model="llama3-70b", gpus=64, fsdp="weights", gpu="H100")
    assert asked.reason.startswith("needs ")
    assert "assumed" not in asked.reason
    ran = judged(model="llama3-70b", gpus=64, fsdp="weights", gpu="H100", tokens_per_s_per_gpu=600.0)
    assert ran.case is not None
    assert 0.5 < ran.case.stack.recompute_share < 1.0
    assert "recomputation of" in ran.reason
    assert ran.memory is not None
    assert ran.memory.total_bytes == pytest.approx(0.95 * 80e9, rel=1e-6)
    assert ran.predicted_s is not None
    assert asked.predicted_s is not None
    assert asked.predicted_s < ran.predicted_s < 4 / 3 * asked.predicted_s
    # a superchip offloads behind compute
    moved = judged(model="llama3-70b", gpus=64, fsdp="weights", gpu="GB200", microbatch=2, global_batch=128)
    kept = judged(
        model="llama3-70b",
        gpus=64,
        fsdp="weights",
        gpu="GB200",
        microbatch=2,
        global_batch=128,
        step_time_s=4.0,
    )
    assert kept.predicted_s == moved.predicted_s
    assert kept.reason.endswith("recomputation or offload is assumed")


def test_new_parts_are_served_with_their_standing() -> None:
    standing = {gpu: profile_for_gpu(gpu).confidence for gpu in ("H800", "H200", "B300", "GB300", "MI325X")}
    assert standing == {
        "H800": "derived",
        "H200": "derived",
        "B300": "derived",
        "GB300": "calibrated",
        "MI325X": "calibrated",
    }
    assert {profile_for_gpu(gpu).confidence for gpu in ("MI300X", "MI355X")} == {"derived"}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(FITS))
def test_profiles_hold_what_is_fitted(name: str) -> None:
    fit, profile = FITS[name], load_profile(name)
    logs = fit.fitted(fit.cases())
    for figure, log in zip(fit.start, logs, strict=True):
        if not figure.startswith("rate_"):
            assert getattr(profile, figure) == pytest.approx(np.exp(log), rel=0.03), figure


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "goal_pct"),
    [
        ("h100-fsdp", 8.0),
        ("a100-zero3", 4.0),
        ("h100-nemo-24", 5.0),
        ("b200-nemo-25", 7.0),
        ("gb200-bridge", 7.0),
        ("mi325x", 10.0),
    ],
)
def test_models_left_out_of_the_fit(name: str, goal_pct: float) -> None:
    errors = FITS[name].left_out_pct()
    print(f"{name}: {len(errors)} rows, mean {np.abs(errors).mean():.2f} %, bias {errors.mean():+.2f} %")
    assert np.abs(errors).mean() < 1.5 * goal_pct


def test_steps_of_deepspeed_zero_3_last_as_long_as_its_gathers() -> None:
    """More GPUs for the same batch gain nothing: each of them gathers all weights for its own part of the batch."""
    profile = load_calibrated("a100-zero3")
    steps_s = [
        step_time(_GPT_175B, cut(gpus, 1536, microbatch=1536 // gpus), profile.stack, profile.profile).step_s
        for gpus in (384, 768, 1536)
    ]
    assert steps_s == pytest.approx([81.6, 66.7, 66.7], rel=0.06)  # arXiv 2104.04473, Table 2
    parted = cut(1536, 1536, tp=8, pp=12)
    megatron = load_calibrated("a100")
    assert step_time(_GPT_175B, parted, megatron.stack, megatron.profile).step_s < steps_s[2] / 2.5
    at_full_rate = replace(profile.profile, gather_efficiency=1.0)
    quick = step_time(_GPT_175B, cut(1536, 1536), profile.stack, at_full_rate)
    assert quick.exposed_data_s < 0.3 * steps_s[2]


def test_software_is_told_by_its_longest_name() -> None:
    a100 = load_calibrated("a100")
    assert variant_for_software(a100, "Megatron-DeepSpeed").name == "a100-deepspeed"
    assert variant_for_software(a100, "DeepSpeed ZeRO-3 0.3.13").name == "a100-zero3"
    assert variant_for_software(a100, "Megatron-LM").name == "a100"
