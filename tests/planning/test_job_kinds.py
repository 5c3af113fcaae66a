"""Every kind of workload of a scenario as an estimate: parts, memory, refusals, and what the app shows of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.catalog import load_catalog
from twin.physics.training import StepParts
from twin.physics.training_inputs import TrainingNetwork
from twin.planning.job.hpc import HpcJob
from twin.planning.job.job import LlmJob, PlanError, ReinforcementJob, estimate
from twin.planning.job.result import JobEstimate
from twin.planning.job.scenario_job import estimate_of, planned_job
from twin.planning.job.vector_peaks import vector_peak_flops_s
from twin.planning.profile.profiles import load_profile
from twin.planning.profile.standing import WORTH_OF_EXPERTS
from twin.scenario.schema.work import Job

H100 = load_profile("h100")
LLM: dict[str, Any] = {
    "kind": "llm",
    "model": "llama3-8b",
    "global_batch": 256,
    "parallelism": {"tensor": 2},
}
TUTOR: dict[str, Any] = {
    "kind": "reinforcement",
    "model": "llama3-8b",
    "prompts": 256,
    "samples": 8,
    "output_tokens": 1536,
    "parallelism": {"tensor": 4},
}
CHAT: dict[str, Any] = {"kind": "inference", "model": "llama3-70b", "requests": "6 /s", "tensor": 4}
GRID: dict[str, Any] = {
    "kind": "stencil",
    "cells": [1024, 1024, 64],
    "cell_flop": 1000,
    "cell": "2 kB",
    "state": "1 kB",
    "halo": 2,
}
PATHS: dict[str, Any] = {"kind": "monte-carlo", "paths": 1e9, "path_flop": 1e5}
VISION: dict[str, Any] = {
    "kind": "vision",
    "model": "made up",
    "sample_flop": 3e13,
    "parameters": 1e9,
    "batch_per_gpu": 8,
    "sample": "1 MB",
    "dataset": "1 PB",
}


def hpc(problem: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"kind": "hpc", "model": "made up", "problem": problem | more}


def job_of(workload: dict[str, Any], nodes: int = 4) -> Job:
    return Job.model_validate({"id": "one", "nodes": nodes, "workload": workload})


def estimated(workload: dict[str, Any], nodes: int = 4, **more: Any) -> JobEstimate:
    return estimate_of(job_of(workload, nodes), 8 * nodes, "H100-SXM", 80e9, **more)


def busy_s(parts: StepParts) -> float:
    return parts.gemm_s + parts.memory_bound_s + parts.communication_s + parts.idle_s


KINDS = [LLM, VISION, TUTOR, TUTOR | {"rollout_nodes": 2}, CHAT, hpc(GRID), hpc(PATHS)]


@pytest.mark.parametrize("workload", KINDS)
def test_parts_sum_to_the_step_by_account_and_by_what_gpus_do(workload):
    result = estimated(workload)
    parts = result.parts
    named = [getattr(parts, name) for name in StepParts.__slots__ if name.endswith("_s")]
    assert all(seconds >= 0 for seconds in named if seconds is not None)
    assert busy_s(parts) == pytest.approx(parts.step_s, rel=1e-12)
    assert parts.gemm_scaling_s <= parts.step_s * (1 + 1e-12)
    assert 0 < result.mfu < 1
    assert result.gpus == 32
    assert result.fits
    assert result.reason == ""
    assert result.kind == workload["kind"]
    assert result.unit_of_work
    assert result.rate_s == pytest.approx(result.work_per_step / result.step_s)


@pytest.mark.parametrize("workload", KINDS)
@given(factor=st.floats(0.05, 1.0))
def test_less_network_is_never_faster(workload, factor):
    slow = TrainingNetwork(factor, factor, factor, factor, factor)
    assert estimated(workload, network=slow).step_s >= estimated(workload).step_s * (1 - 1e-12)


def test_what_the_app_shows_of_training():
    result = estimated(LLM)
    assert (result.unit_of_work, result.work_per_step) == ("tokens", 256 * 8192)
    assert result.low_confidence == ()
    assert 500 < result.intensity_flop_byte < 5000  # above the ridge of an H100, near 300
    assert estimated(LLM | {"token": "2 B"}).input_bytes == 2 * 256 * 8192
    doubted = estimated(LLM, network=TrainingNetwork(data=0.5)).low_confidence
    assert len(doubted) == 1
    assert "fabric" in doubted[0]
    mixture = estimated(LLM | {"model": "mixtral-8x7b", "parallelism": {"tensor": 2, "expert": 8}})
    assert mixture.low_confidence == (f"{WORTH_OF_EXPERTS}.",)


def test_stack_options_replace_what_the_profile_says():
    plain = planned_job(job_of(LLM), 32, "H100-SXM", 80e9)
    said = LLM | {"stack": {"sharding": "weights", "flash": False, "gradient_bytes": 4, "launch": "1 ms"}}
    other = planned_job(job_of(said), 32, "H100-SXM", 80e9)
    assert isinstance(plain, LlmJob)
    assert isinstance(other, LlmJob)
    assert plain.stack is not None
    assert other.stack is not None
    assert (plain.stack.sharding, plain.stack.flash, plain.stack.grad_bytes) == ("optimizer", True, 2)
    assert (other.stack.sharding, other.stack.flash, other.stack.grad_bytes) == ("weights", False, 4)
    assert other.stack.launch_s == 1e-3
    assert other.stack.tp_overlap == plain.stack.tp_overlap


def test_a_vision_job_may_name_its_profile():
    assert estimated(VISION | {"profile": "a100"}).step_s > 2 * estimated(VISION).step_s


# --- reinforcement learning


def test_phases_of_reinforcement_learning_make_its_step():
    result = estimated(TUTOR)
    assert sum(phase.seconds for phase in result.phases) == pytest.approx(result.step_s)
    generation = result.phases[0].seconds
    assert 0.3 < generation / result.step_s < 0.95  # arXiv 2405.11143: generation dominates the step
    assert result.work_per_step == 2048
    assert result.low_confidence
    learner = planned_job(job_of(TUTOR), 32, "H100-SXM", 80e9).learner
    assert result.hbm_bytes > estimate(learner).hbm_bytes > 0


def test_the_longest_answer_is_a_straggler():
    even, uneven = estimated(TUTOR | {"longest": 1}), estimated(TUTOR | {"longest": 4})
    assert uneven.parts.straggler_s > even.parts.straggler_s
    assert uneven.parts.productive_s == even.parts.productive_s


def test_sides_of_their_own_wait_for_each_other():
    split = estimated(TUTOR | {"rollout_nodes": 2})
    generation, scoring, learning, sync = (phase.seconds for phase in split.phases)
    assert split.step_s == pytest.approx(max(generation, scoring + learning) + sync)
    assert split.parts.pipeline_bubble_s == pytest.approx(abs(generation - scoring - learning) / 2)


def test_no_reference_model_is_less_work_and_less_memory():
    plain, lean = estimated(TUTOR), estimated(TUTOR | {"reference": False})
    assert lean.step_s < plain.step_s
    assert lean.parts.model_flop < plain.parts.model_flop
    assert lean.memory.weights_bytes < plain.memory.weights_bytes


def test_learner_of_a_reinforcement_job_is_a_training_job():
    planned = planned_job(job_of(TUTOR | {"rollout_nodes": 2}), 32, "H100-SXM", 80e9)
    assert isinstance(planned, ReinforcementJob)
    assert planned.rollout_gpus == 16
    assert planned.learner.parallel.gpus == 16
    assert planned.gpus == 32


@pytest.mark.parametrize(
    ("workload", "message"),
    [
        (TUTOR | {"rollout_nodes": 4}, "all 4 nodes generate and none trains"),
        (TUTOR | {"rollout_tensor": 3}, "32 generating GPUs are not a multiple of 3 GPUs of a copy"),
        (TUTOR | {"prompts": 1, "samples": 1}, "global batch of 1 is not a multiple"),
        (CHAT | {"tensor": 3}, "32 GPUs are not a multiple of 3 GPUs of a replica"),
        (CHAT | {"tensor": 32, "model": "llama3-8b"}, ""),
    ],
)
def test_what_cannot_run_is_refused(workload, message):
    if not message:
        assert estimated(workload).step_s > 0  # 32 heads over 32 GPUs: legal, if slow
        return
    with pytest.raises(PlanError, match=message):
        estimated(workload)


def test_a_learner_that_fills_its_gpu_leaves_no_room_to_answer():
    crowded = estimated(TUTOR | {"model": "llama3-70b", "parallelism": {"tensor": 8}})
    assert not crowded.fits
    assert crowded.reason


# --- serving


def test_a_service_below_capacity_takes_its_second_and_idles():
    result = estimated(CHAT)
    service = result.service
    assert service is not None
    assert result.step_s == pytest.approx(1)
    assert result.parts.idle_load_s == pytest.approx(1 - service.utilisation)
    assert not service.overloaded
    assert service.replicas == 8
    assert result.rate_s == pytest.approx(6)
    assert service.output_tokens_s == pytest.approx(6 * 256)
    assert 0 < service.token_s < 0.05
    assert 0 < service.first_token_s < 1
    assert result.checkpoint_bytes == pytest.approx(8 * 141e9, rel=0.01)


def test_an_overloaded_service_falls_behind_at_its_capacity():
    capacity = estimated(CHAT).service.capacity_requests_s
    over = estimated(CHAT | {"requests": f"{2 * capacity} /s"})
    assert over.service.overloaded
    assert over.step_s == pytest.approx(2)
    assert over.rate_s == pytest.approx(capacity)
    assert over.parts.idle_load_s == 0
    assert busy_s(over.parts) == pytest.approx(over.step_s)


def test_weights_that_leave_no_room_for_one_request_do_not_fit():
    result = estimated(CHAT | {"tensor": 1})
    assert not result.fits
    assert result.reason.startswith("needs 1")
    assert "weights 141" in result.reason


def test_eight_bit_weights_and_cache_serve_more():
    plain = estimated(CHAT).service
    eight = estimated(CHAT | {"precision": "fp8", "cache_precision": "fp8"}).service
    assert eight.capacity_requests_s > 1.3 * plain.capacity_requests_s
    assert eight.token_s < plain.token_s


# --- simulation


def test_a_grid_bound_by_memory_by_hand():
    result = estimated(hpc(GRID))
    traffic_s = 1024 * 1024 * 64 * 2e3 / 32 / (H100.hbm_bytes_s * H100.hbm_efficiency)
    assert result.parts.productive_s == pytest.approx(traffic_s)
    assert result.parts.gemm_s == 0
    assert result.parts.exposed_pipeline_s > 0
    assert result.intensity_flop_byte == pytest.approx(0.5)
    assert result.memory.total_bytes == pytest.approx(1024 * 1024 * 64 * 1e3 / 32)
    assert result.checkpoint_bytes == pytest.approx(1024 * 1024 * 64 * 1e3)


def test_paths_by_hand_need_no_network_and_scale_without_loss():
    one, many = estimated(hpc(PATHS), 1), estimated(hpc(PATHS), 16)
    assert one.step_s == pytest.approx(1e9 * 1e5 / 8 / (66.9e12 * 0.5))
    assert many.step_s == pytest.approx(one.step_s / 16)
    assert many.parts.communication_s == 0
    assert many.mfu == pytest.approx(0.5)
    assert estimated(hpc(PATHS), network=TrainingNetwork(0.1, 0.1, 0.1, 0.1, 0.1)) == estimated(hpc(PATHS))


@given(st.integers(1, 40))
def test_a_grid_of_one_size_gains_ever_less_from_nodes(nodes):
    few, more = estimated(hpc(GRID), nodes), estimated(hpc(GRID), 2 * nodes)
    assert more.parts.productive_s == pytest.approx(few.parts.productive_s / 2)
    assert more.parts.exposed_pipeline_s / more.step_s >= few.parts.exposed_pipeline_s / few.step_s * 0.99


def test_halo_bytes_between_nodes_for_the_traffic_of_a_job():
    planned = planned_job(job_of(hpc(GRID)), 32, "H100-SXM", 80e9)
    assert isinstance(planned, HpcJob)
    # Four nodes cut the plane in 2 x 2: each has two faces of 512 x 64 cells, two layers of 8 B, over 8 GPUs.
    assert planned.halo_bytes == 2 * 512 * 64 * 2 * 8 / 8
    paths = planned_job(job_of(hpc(PATHS)), 32, "H100-SXM", 80e9)
    assert isinstance(paths, HpcJob)
    assert paths.halo_bytes == 0


def test_a_grid_that_is_too_large_does_not_fit():
    result = estimated(hpc(GRID, state="100 kB"), 1)
    assert not result.fits
    assert result.reason == (
        "needs 838.9 GB of 76.0 GB usable on a GPU (fields of the grid, or state of the paths)"
    )


def test_peaks_of_simulation_are_known_for_every_gpu_of_the_catalogue():
    for gpu in load_catalog().ids("gpu"):
        assert 1e12 <= vector_peak_flops_s(gpu, "fp64") <= vector_peak_flops_s(gpu, "fp32") < 2e14
