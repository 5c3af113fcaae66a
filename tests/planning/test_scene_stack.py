"""Keys of a scene's workload that say what stacks and estimates know: experts, attention in 8 bits, further tokens."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from twin.physics.attention import attention
from twin.physics.model_shape import Model
from twin.physics.training_inputs import SoftwareStack
from twin.planning.job.job import LlmJob, estimate
from twin.planning.job.llm import cut, default_stack
from twin.planning.job.result import PlanError
from twin.planning.job.scenario_job import estimate_of, planned_job
from twin.planning.profile.models import load_model
from twin.planning.profile.profiles import load_profile, stack_keys
from twin.planning.table.estimate_cases import case_of
from twin.scenario.schema.work import Job
from twin.scenario.schema.workload import StackOptions

H100 = load_profile("h100")
HEAD_64, HEAD_128 = (Model(32, 4096, 14336, heads, 8, 128256, True, 8192) for heads in (64, 32))


def job(model: str = "deepseek-v3", stack: dict[str, Any] | None = None, **said: Any) -> Job:
    workload = {"kind": "llm", "model": model, "global_batch": 512, "stack": stack or {}, **said}
    workload.setdefault("parallelism", {"pipeline": 4, "expert": 32})
    return Job.model_validate({"id": "job", "nodes": 32, "workload": workload})


def step_s(of: Job) -> float:
    return estimate_of(of, 256, "H100-SXM", 1e15).step_s


def test_a_scene_can_say_each_option_of_a_stack() -> None:
    said = set(StackOptions.model_fields)
    names = {"tp_overlap": "tensor_overlap", "dp_overlap": "data_overlap", "p2p_overlap": "pipeline_overlap"}
    names |= {"ep_overlap": "expert_overlap", "grad_bytes": "gradient_bytes"}
    of_the_workload = {"recompute", "precision"}
    derived = {"recompute_share", "offload", "deferred_head"}  # of measured runs, and of the preset
    for field in SoftwareStack.__dataclass_fields__:
        assert field in of_the_workload | derived or names.get(field, field) in said, field
    assert "attention8" in stack_keys()


@pytest.mark.parametrize(
    ("key", "value", "shorter"),
    [
        ("dispatcher", "fused", True),
        ("dispatch_bytes", 1, True),
        ("balanced", True, True),
        ("fused_experts", True, True),
        ("graphs", False, False),
        ("even_stages", True, True),
    ],
)
def test_an_option_of_experts_changes_the_step_as_it_does_in_an_estimate(
    key: str, value: object, shorter: bool
) -> None:
    plain, changed = step_s(job()), step_s(job(stack={key: value}))
    assert changed < plain if shorter else changed > plain
    row = {
        **{"model": "deepseek-v3", "profile": "h100", "gpu": "H100-SXM", "gpus": 256, "global_batch": 512},
        **{"pp": 4, "ep": 32, "microbatch": 1, "vp": 1, "recompute": "none", key: value},
    }
    case = case_of(row)
    same = estimate(LlmJob(case.model, case.parallel, case.calibrated, case.stack))
    assert changed == pytest.approx(same.step_s, rel=1e-12)


def test_nodes_of_a_token_and_further_tokens_change_the_model() -> None:
    preset = load_model("deepseek-v3").model
    assert preset.experts is not None
    planned = planned_job(job(predicted=0, expert_nodes=2), 256, "H100-SXM", 80e9)
    assert isinstance(planned, LlmJob)
    expected = replace(preset, predicted=0, experts=replace(preset.experts, most_nodes=2))
    assert planned.model == expected
    fused = {"dispatcher": "fused"}
    assert step_s(job(stack=fused, expert_nodes=1)) < step_s(job(stack=fused, expert_nodes=4))
    assert step_s(job(predicted=2)) > step_s(job(predicted=1)) > step_s(job(predicted=0))
    untouched = planned_job(job(), 256, "H100-SXM", 80e9)
    assert isinstance(untouched, LlmJob)
    assert untouched.model == preset
    with pytest.raises(PlanError, match="llama3-8b has none") as refusal:
        step_s(job("llama3-8b", expert_nodes=2, parallelism={}))
    assert refusal.value.key == "expert_nodes"


def test_attention_in_8_bits_by_hand() -> None:
    plain = SoftwareStack()
    for model, gain in ((HEAD_128, 1.4), (HEAD_64, 1.2)):  # half as wide heads gain half as much
        slow, back = attention(8192, model, 1, plain, H100)
        quick, quick_back = attention(8192, model, 1, replace(plain, attention8=True), H100)
        assert slow.gemm_s / quick.gemm_s == pytest.approx(gain, rel=1e-12)
        assert back.gemm_s / quick_back.gemm_s == pytest.approx(gain, rel=1e-12)
    a100 = load_profile("a100")  # it has no such arithmetic
    assert attention(8192, HEAD_128, 1, plain, a100) == attention(
        8192, HEAD_128, 1, replace(plain, attention8=True), a100
    )


def test_attention_in_8_bits_is_off_unless_asked_for_and_only_where_kernels_have_it() -> None:
    assert not default_stack("h100", "llama3-8b").attention8
    long = {"sequence": 131072, "global_batch": 32, "parallelism": {"context": 8, "tensor": 8}}
    plain = step_s(job("llama3-8b", **long))
    assert step_s(job("llama3-8b", {"attention8": True}, **long)) < 0.95 * plain
    assert step_s(job("llama3-8b", {"attention8": False}, **long)) == plain
    for others in ({"flash2": True}, {"flash": False}):
        with pytest.raises(PlanError, match="attention in 8 bits needs other kernels") as refusal:
            step_s(job("llama3-8b", {"attention8": True, **others}, **long))
        assert refusal.value.key == "stack.attention8"
    case = case_of(
        {**{"model": "llama3-8b", "gpu": "H100", "gpus": 8, "global_batch": 64}, "attention": "flash8"}
    )
    assert case.stack.attention8
    with pytest.raises(PlanError):
        estimate(LlmJob("llama3-8b", cut(8, 64), "h100-fsdp", replace(case.stack, flash2=True)))
