"""GPUs and nodes that no profile was made for: whose fit they take, and how it is scaled."""

from __future__ import annotations

import pytest

from tests import own_scene
from twin.catalog.catalog import Catalog, with_own
from twin.catalog.own_texts import OwnText
from twin.planning.job.scenario_job import estimate_of, planned_job
from twin.planning.profile.adapted import adapted_name
from twin.planning.profile.figures import ProfileError
from twin.planning.profile.hardware_profile import nearest_profile, profile_on
from twin.planning.profile.models import load_model
from twin.planning.profile.profiles import load_calibrated
from twin.planning.profile.standing import worth
from twin.planning.profile.uncertainty import interval_of
from twin.scenario.schema.work import Job

LLM = {"kind": "llm", "model": "llama3-8b", "global_batch": 64, "parallelism": {"tensor": 2}}
GRID = {
    "kind": "hpc",
    "model": "waves",
    "problem": {
        "kind": "stencil",
        "cells": [1024, 1024, 64],
        "cell_flop": 100000,
        "cell": "2 kB",
        "state": "1 kB",
        "precision": "fp64",
    },
}


def toys(peak: float = 500.0, vendor: str = "Toys", gpus: int = 8, gpu: str = own_scene.GPU) -> Catalog:
    text = own_scene.gpu_text(peak=peak).replace("vendor: Toys", f"vendor: {vendor}")
    return with_own(
        (
            OwnText("gpu.yaml", "parts", text),
            OwnText("node.yaml", "parts", own_scene.parts_text(gpus, gpu)),
            OwnText("toy.yaml", "models", own_scene.MODEL_TEXT),
        )
    )


def job(workload: dict, nodes: int = 4) -> Job:
    return Job.model_validate({"id": "a", "nodes": nodes, "workload": workload})


def test_an_own_gpu_has_its_own_peaks_and_the_shares_of_the_nearest_of_its_maker() -> None:
    catalog = toys(vendor="NVIDIA")
    found, base = profile_on(own_scene.GPU, catalog), load_calibrated("a100")
    assert (found.extends, found.confidence) == ("a100", "uncalibrated")
    assert found.profile.peak_flops_s == 500e12
    assert found.profile.hbm_bytes_s == 2e12
    assert found.profile.gemm_efficiency == base.profile.gemm_efficiency
    assert "No calibration profile is for TOY-GPU" in worth(found)
    assert "A100-SXM-80" in found.borrowed
    assert nearest_profile(toys(vendor="AMD").gpu(own_scene.GPU)).gpus[0].startswith("MI")
    assert nearest_profile(toys(peak=950.0, vendor="nvidia").gpu(own_scene.GPU)).name in ("h100", "h800")
    assert interval_of(found, "bf16", False, 32).pct > interval_of(base, "bf16", False, 32).pct


def test_the_name_of_a_borrowed_profile_says_all_of_it() -> None:
    found = profile_on(own_scene.GPU, toys(), own_scene.NODE)
    assert load_calibrated(found.name) == found
    assert load_calibrated("h100") is load_calibrated("h100")
    for wrong in (
        "h100@X;peak_flops_s=-1",
        "h100@X;jitter=1",
        "h100@X;domain_gpus=no",
        "h999@X;hbm_bytes=1.0",
    ):
        with pytest.raises(ProfileError):
            load_calibrated(wrong)


def test_scaled_to_the_figures_of_its_base_it_says_what_the_base_says() -> None:
    base = load_calibrated("h100")
    keys = ("peak_flops_s", "peak8_flops_s", "hbm_bytes_s", "hbm_bytes", "scale_up_bytes_s", "domain_gpus")
    name = adapted_name("h100", "SAME", {key: getattr(base.profile, key) for key in keys})
    assert load_calibrated(name).profile == base.profile


def test_steps_of_half_the_hardware_take_twice_as_long() -> None:
    work = job(LLM | {"parallelism": {}})
    figures = {"peak_flops_s": 2.0, "hbm_bytes_s": 2.0, "scale_up_bytes_s": 2.0}
    base = load_calibrated("h100").profile

    def busy(factor: float) -> float:
        name = adapted_name("h100", "X", {key: getattr(base, key) * factor for key in figures})
        changed = work.workload.model_copy(update={"profile": name})
        parts = estimate_of(work.model_copy(update={"workload": changed}), 32, "H100-SXM", 80e9).parts
        return parts.gemm_s + parts.memory_bound_s

    assert busy(0.5) == pytest.approx(2.0 * busy(1.0), rel=0.02)


@pytest.mark.parametrize("gpus", [1, 2, 4, 16])
def test_own_nodes_have_their_own_scale_up_domain(gpus: int) -> None:
    catalog = toys(gpus=gpus, gpu="H100-SXM")
    found = profile_on("H100-SXM", catalog, own_scene.NODE)
    assert found.profile.domain_gpus == gpus
    assert found.confidence == "derived"
    assert "TOY-NODE joins another number of GPUs" in found.borrowed
    assert profile_on("H100-SXM", catalog, "DGX-H100") is load_calibrated("h100")


def test_an_own_node_like_the_shipped_one_takes_the_shipped_profile() -> None:
    assert profile_on("H100-SXM", toys(gpu="H100-SXM"), own_scene.NODE) is load_calibrated("h100")


def test_tensor_groups_of_16_are_faster_where_16_share_a_domain() -> None:
    work = job(LLM | {"parallelism": {"tensor": 16}})
    times = [
        estimate_of(
            work, 64, "H100-SXM", 80e9, catalog=toys(gpus=gpus, gpu="H100-SXM"), node=own_scene.NODE
        ).step_s
        for gpus in (4, 8, 16)
    ]
    assert times[2] < times[1] < times[0]


def test_jobs_on_own_gpus_say_what_is_borrowed() -> None:
    found = estimate_of(job(LLM), 32, own_scene.GPU, 80e9, catalog=toys())
    assert found.low_confidence[0].startswith("No calibration profile is for TOY-GPU")
    assert found.confidence == "uncalibrated"
    named = estimate_of(job(LLM | {"profile": "h100"}), 32, own_scene.GPU, 80e9, catalog=toys())
    assert not any("No calibration profile" in doubt for doubt in named.low_confidence)
    with pytest.raises(ProfileError, match="no profile serves"):
        estimate_of(job(LLM), 32, own_scene.GPU, 80e9)


def test_a_simulation_borrows_the_peak_of_its_precision_in_proportion() -> None:
    own = estimate_of(job(GRID), 32, own_scene.GPU, 80e9, catalog=toys())
    a100 = estimate_of(job(GRID | {"profile": "a100"}), 32, "A100-SXM-80", 80e9)
    assert own.parts.gemm_s == pytest.approx(a100.parts.gemm_s * 312 / 500, rel=1e-6)


@pytest.mark.parametrize(
    "workload",
    [
        LLM | {"model": "toy-1b"},
        {"kind": "inference", "model": "toy-1b", "tensor": 2, "requests": "6 /s"},
        {"kind": "reinforcement", "model": "toy-1b", "prompts": 32, "samples": 2, "rollout_tensor": 2},
    ],
)
def test_own_models_learn_and_serve(workload: dict) -> None:
    catalog, work = toys(), job(workload)
    assert estimate_of(work, 32, "H100-SXM", 80e9, catalog=catalog).step_s > 0.0
    with pytest.raises(ProfileError, match="toy-1b"):
        planned_job(work, 32, "H100-SXM", 80e9)


def test_an_own_model_is_a_preset() -> None:
    preset = load_model("toy-1b", toys())
    assert (preset.title, preset.status, preset.deferred_head) == ("Toy 1B", "estimated", False)
    assert preset.model.parameters == pytest.approx(1.104e9, rel=0.001)
    with pytest.raises(ProfileError):
        load_model("toy-1b")
