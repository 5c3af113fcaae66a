"""A job of which only the power is known: what the planner, the checks and the window make of it."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from twin.app.planner.draft import JobDraft, edited, estimate_draft, on_hardware, worth, yaml_of
from twin.app.planner.fields import fields_for
from twin.app.planner.hardware import profile_hardware
from twin.app.planner.pipeline_schedule import timeline
from twin.app.planner.presets import presets, work_name
from twin.app.planner.roofline import standing
from twin.app.planner.scaling import can_be_strong, can_be_weak, same_cut
from twin.app.planner.search import can_be_searched
from twin.catalog import load_catalog
from twin.physics.training_inputs import TrainingNetwork
from twin.planning.job.job import LoadJob, estimate
from twin.planning.job.load import node_load
from twin.planning.job.scenario_job import estimate_of, planned_job
from twin.planning.network.placement import profile_of
from twin.planning.network.traffic import exchanges_of
from twin.scenario.checks import parallelism
from twin.scenario.schema.work import Job, Load


def load(**more: Any) -> Load:
    return Load.model_validate({"kind": "load", "gpu": "79 %", "cpu": "33 %"} | more)


def job(**more: Any) -> Job:
    return Job.model_validate({"id": "hpl", "nodes": 4, "workload": {"kind": "load", "gpu": 0.79} | more})


def test_a_step_is_all_productive_all_at_the_clock_and_as_long_as_it_says() -> None:
    result = estimate_of(job(step="90 s"), 16, "H100-SXM", 80e9)
    parts = result.parts
    assert result.kind == "load"
    assert result.step_s == parts.productive_s == parts.gemm_s == parts.gemm_scaling_s == 90.0
    assert parts.model_flop == parts.mfu == 0.0
    assert result.fits
    assert result.memory.total_bytes == result.checkpoint_bytes == result.input_bytes == 0.0
    assert result.confidence == "uncalibrated"
    assert result.low_confidence


def test_it_needs_no_profile_and_asks_nothing_of_the_fabric() -> None:
    slow = TrainingNetwork(data=0.1, pipeline=0.1)
    planned = planned_job(job(), 16, "a GPU that no profile serves", 64e9, slow)
    assert isinstance(planned, LoadJob)
    assert estimate(planned).step_s == 60.0
    assert profile_of(planned) is None
    assert exchanges_of(planned, 16) == ()
    assert list(parallelism.names(job(), load_catalog())) == []
    unserved = "a GPU that no profile serves"
    assert not list(parallelism.wrong(job(), 4, unserved, nameless=False, catalog=load_catalog()))


def test_the_rest_of_the_node_works_as_hard_as_the_gpus_unless_it_says_otherwise() -> None:
    assert node_load(load()) == 0.33
    assert node_load(load(cpu=None)) == 0.79
    assert node_load(load(cpu=0)) == 0.0


@pytest.mark.parametrize("wrong", [{"gpu": "101 %"}, {"gpu": -0.1}, {"step": "0 s"}, {"cpu": 2}])
def test_loads_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        load(**wrong)


def test_the_job_dialog_plans_nothing_and_says_so() -> None:
    hardware = profile_hardware()
    draft = JobDraft(load(), 64, hardware[0])
    found = estimate_draft(draft)
    assert found.step_s == 60.0
    assert "gives the power of this load" in worth(draft, found)
    assert timeline(draft, found) is None
    assert not can_be_searched(draft)
    assert not can_be_strong(draft)
    assert not can_be_weak(draft)
    assert same_cut(draft, weak=False) == []
    assert standing(draft, found, None, hardware).absent == (("this draft", "no arithmetic"),)
    assert [spec.key for spec in fields_for(draft.workload)] == ["gpu"]
    changed = edited(draft, "gpu", 0.5)
    assert estimate_draft(changed).step_s == 60.0
    assert work_name(changed.workload) == "load of 50 %"
    assert on_hardware(draft, hardware[1]).workload == draft.workload
    assert "profile" not in yaml_of(draft)
    assert "kind: load" in yaml_of(draft)
    assert not any(preset.is_of(draft.workload) for preset in presets(None))
