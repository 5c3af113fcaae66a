"""What the job dialog thinks, without the dialog: drafts, refusals, YAML, the step over time, scaling, roofline."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from twin.app.form.typed import step_range, text_of, typed_value
from twin.app.planner.draft import (
    JobDraft,
    default_draft,
    draft_of_job,
    edited,
    judge,
    network_of,
    planned_draft,
    shown_value,
    worth,
    yaml_of,
)
from twin.app.planner.facts import plan_rows
from twin.app.planner.fields import fields_for, value_of, with_value, workload_fields
from twin.app.planner.hardware import PlannerHardware, profile_hardware, scene_hardware
from twin.app.planner.pipeline_schedule import timeline
from twin.app.planner.presets import presets
from twin.app.planner.roofline import roof, standing
from twin.app.planner.scaling import same_cut, speed_ups
from twin.app.planner.search import best_plans, offers, with_plan
from twin.app.toolkit.account_colours import colour, memory_pieces, step_pieces
from twin.app.toolkit.count_field import notches
from twin.app.toolkit.text import quantity
from twin.app.toolkit.theme import DARK, LIGHT
from twin.app.world.rows import World
from twin.catalog import load_catalog
from twin.planning.job.job import LlmJob
from twin.planning.search.advice import advise
from twin.plant.build import build
from twin.scenario import load, loads
from twin.scenario.schema.work import Inference, Job, Load, VisionTraining

_SCENES = Path(__file__).parents[2] / "scenes"


@cache
def world_of(scene: str) -> World:
    scenario = load(_SCENES / f"{scene}.twin.yaml").scenario
    return World(scenario, build(scenario), load_catalog(), None)


@pytest.fixture(scope="module")
def lab_world() -> World:
    return world_of("lab-16")


@pytest.fixture(scope="module")
def hardware(lab_world: World) -> list[PlannerHardware]:
    return [*scene_hardware(lab_world), *profile_hardware()]


@pytest.fixture
def lab_draft(lab_world: World, hardware: list[PlannerHardware]) -> JobDraft:
    draft = draft_of_job(lab_world, lab_world.scenario.jobs[0], hardware)
    assert draft is not None
    return draft


def _cut(draft: JobDraft, **degrees: int) -> JobDraft:
    for name, degree in degrees.items():
        draft = replace(draft, workload=with_value(draft.workload, f"parallelism.{name}", degree))
    return draft


def test_a_draft_starts_as_the_job_of_the_scene(lab_world: World, lab_draft: JobDraft) -> None:
    job = lab_world.scenario.jobs[0]
    assert lab_draft.workload == job.workload
    assert lab_draft.gpus == 8 * job.nodes == 16
    assert lab_draft.hardware.in_scene
    assert lab_draft.hardware.gpus == 16
    assert lab_draft.data_parallel == 8
    assert judge(lab_draft).faults == {}


def test_every_field_can_be_changed_and_is_shown_as_changed(lab_draft: JobDraft) -> None:
    for spec in fields_for(lab_draft.workload):
        if spec.choices:
            value: object = spec.choices[-1]
        elif spec.kind == "switch":
            value = not shown_value(lab_draft, spec.key)
        else:
            value = 7
        assert typed_value(spec, text_of(spec, value)) == value
        assert shown_value(edited(lab_draft, spec.key, value), spec.key) == value, spec.key
        assert spec.tip
        assert spec.title


def test_the_schema_says_bounds_choices_and_help_of_each_kind_of_workload() -> None:
    serving = {spec.key: spec for spec in workload_fields(Inference)}
    assert serving["prompt_tokens"].high == 10_000_000
    assert serving["precision"].choices == ("bf16", "fp8")
    assert step_range(serving["requests_s"]) == (1, 1_000_000)
    assert serving["tensor"].tip == "GPUs of one replica, in one scale-up domain (1 to 128)"
    load = {spec.key: spec for spec in workload_fields(Load)}
    assert step_range(load["gpu"]) == (0, 100)
    assert typed_value(load["gpu"], "35 %") == 0.35
    vision = {spec.key: spec for spec in workload_fields(VisionTraining)}
    assert step_range(vision["efficiency"]) == (1, 100)


def test_what_a_job_leaves_open_is_shown_as_model_and_profile_have_it(lab_draft: JobDraft) -> None:
    plain = replace(lab_draft, workload=lab_draft.workload.model_copy(update={"sequence": None}))
    values = {spec.key: shown_value(plain, spec.key) for spec in fields_for(plain.workload)}
    assert values["sequence"] == 8192
    assert values["stack.sharding"] == "optimizer"
    assert values["stack.data_overlap"] is True
    assert "parallelism.expert" not in values  # no experts in this model
    mixture = replace(plain, workload=with_value(plain.workload, "model", "mixtral-8x7b"))
    assert "parallelism.expert" in {spec.key for spec in fields_for(mixture.workload)}


@pytest.mark.parametrize(
    ("degrees", "batch", "field"),
    [
        ({"tensor": 3}, 128, "gpus"),
        ({}, 127, "global_batch"),
        ({"tensor": 1, "pipeline": 16, "interleave": 64}, 128, "parallelism.pipeline"),
        ({"tensor": 1, "microbatch": 3}, 128, "global_batch"),
    ],
)
def test_an_illegal_cut_is_refused_in_words_at_its_field(
    lab_draft: JobDraft, degrees: dict[str, int], batch: int, field: str
) -> None:
    draft = _cut(lab_draft, **degrees)
    draft = replace(draft, workload=with_value(draft.workload, "global_batch", batch))
    judged = judge(draft)
    assert judged.estimate is None
    assert list(judged.faults) == [field]
    assert len(judged.faults[field].split()) > 5


def test_a_refusal_of_several_fields_is_told_at_the_one_just_changed(lab_draft: JobDraft) -> None:
    draft = _cut(lab_draft, tensor=3)
    assert list(judge(draft, "parallelism.tensor").faults) == ["parallelism.tensor"]
    assert list(judge(draft, "precision").faults) == ["gpus"]


def test_a_refusal_of_a_field_that_is_not_shown_is_told_at_the_gpus(lab_draft: JobDraft) -> None:
    assert list(judge(_cut(lab_draft, expert=4)).faults) == ["gpus"]  # this model has no experts


def test_a_served_model_is_refused_at_its_own_degree(hardware: list[PlannerHardware]) -> None:
    said = {"kind": "inference", "model": "llama3-8b", "requests": 20.0, "tensor": 3}
    judged = judge(JobDraft(Inference.model_validate(said), 12, hardware[-1]))
    assert "does not divide 32 attention heads" in judged.faults["tensor"]


def test_more_gpus_than_the_scene_has_are_refused(lab_draft: JobDraft) -> None:
    assert "exceed the 16 of the scene" in judge(replace(lab_draft, gpus=32)).faults["gpus"]


@pytest.mark.parametrize("scene", ["lab-16", "llama3-16k", "nvl72-row", "mixed-workloads", "video-ingest"])
def test_the_copied_yaml_is_the_job(scene: str) -> None:
    world = world_of(scene)
    hardware = scene_hardware(world)
    for job in world.scenario.jobs:
        draft = draft_of_job(world, job, hardware)
        assert draft is not None
        lines = "".join(f"    {line}\n" for line in yaml_of(draft).splitlines())
        text = (_SCENES / f"{scene}.twin.yaml").read_text()
        head = text[: text.index("\njobs:")]
        read = loads(f"{head}\njobs:\n  - id: copy\n{lines}", folder=_SCENES).scenario.jobs[0]
        assert read.nodes == job.nodes
        assert read.workload == job.workload


def test_yaml_for_other_hardware_names_its_profile(hardware: list[PlannerHardware]) -> None:
    draft = default_draft([one for one in hardware if not one.in_scene])
    assert "profile: h100\n" in yaml_of(draft)
    assert "stack" not in yaml_of(draft)  # what is not said is not written


def test_a_preset_of_vision_says_that_its_data_set_is_a_guess(hardware: list[PlannerHardware]) -> None:
    vit = next(preset for preset in presets(None) if preset.title.startswith("ViT-L/16"))
    draft = vit.apply(default_draft(hardware))
    assert "sample: 110 kB" in yaml_of(draft)
    assert "dataset: 110 GB # a million samples: put your own" in yaml_of(draft)
    assert vit.is_of(draft.workload)


def test_every_model_of_the_list_can_be_judged_on_every_hardware(hardware: list[PlannerHardware]) -> None:
    start = default_draft(hardware)
    for preset in presets(None):
        for one in hardware:
            draft = preset.apply(replace(start, hardware=one, gpus=16))
            judged = judge(draft)
            assert judged.estimate is not None, (preset.title, judged.faults)
            assert worth(draft, judged.estimate)


def test_pieces_are_the_whole_step_and_the_whole_memory_in_colours_of_both_themes(
    lab_draft: JobDraft,
) -> None:
    estimate = judge(_cut(lab_draft, pipeline=2, context=2)).estimate
    assert estimate is not None
    step, memory = step_pieces(estimate.parts), memory_pieces(estimate.memory)
    assert sum(piece.value for piece in step) == pytest.approx(estimate.step_s, rel=1e-12)
    assert sum(piece.value for piece in memory) == pytest.approx(estimate.memory.total_bytes, rel=1e-12)
    for theme in (DARK, LIGHT):
        assert len({colour(theme, piece.account) for piece in step}) == len(step)


def test_every_kind_of_workload_is_planned_in_full() -> None:
    world = world_of("mixed-workloads")
    kinds = set()
    for job in world.scenario.jobs:
        draft = draft_of_job(world, job, scene_hardware(world))
        assert draft is not None
        estimate = judge(draft).estimate
        assert estimate is not None, job.id
        kinds.add(estimate.kind)
        assert sum(piece.value for piece in step_pieces(estimate.parts)) == pytest.approx(estimate.step_s)
        held = sum(piece.value for piece in memory_pieces(estimate.memory))
        assert held == pytest.approx(estimate.memory.total_bytes)
        assert len(same_cut(draft, weak=False)) > 1
        assert "low confidence" in worth(draft, estimate) or estimate.kind == "llm"
        for spec in fields_for(draft.workload):
            assert shown_value(draft, spec.key) is not None, spec.key
    assert kinds == {"llm", "reinforcement", "inference", "hpc"}


def test_a_job_of_a_scene_is_planned_on_the_fabric_of_the_scene() -> None:
    world = world_of("ethernet-tcp")
    here = draft_of_job(world, world.scenario.jobs[0], scene_hardware(world))
    assert here is not None
    healthy = next(one for one in profile_hardware() if one.profile == here.profile)
    on_fabric, ideal = judge(here).estimate, judge(replace(here, hardware=healthy)).estimate
    assert on_fabric is not None
    assert ideal is not None
    assert on_fabric.parts.productive_s == pytest.approx(ideal.parts.productive_s)
    assert on_fabric.step_s > ideal.step_s
    assert "of the bandwidth it was calibrated on" in worth(here, on_fabric)
    best = best_plans(here, top=1).best[0]
    after = judge(with_plan(here, best)).estimate
    assert after is not None
    assert after.step_s == pytest.approx(best.step_s, rel=1e-9)
    facts = {row.label: row.value for row in plan_rows(world, world.scenario.jobs[0])}
    assert facts["Step time"] == quantity(on_fabric.step_s, "s")


def test_the_pictured_step_is_as_long_as_the_estimate() -> None:
    for scene in ("llama3-16k", "nvl72-row", "superpod-h100"):
        world = world_of(scene)
        draft = draft_of_job(world, world.scenario.jobs[0], scene_hardware(world))
        assert draft is not None
        estimate = judge(draft).estimate
        assert estimate is not None
        made = timeline(draft, estimate)
        assert made is not None
        assert made.step_s == pytest.approx(estimate.step_s, rel=1e-9)
        assert 0.25 < made.forward_s / (made.forward_s + made.backward_s) < 0.4
        planned = planned_draft(draft)
        assert isinstance(planned, LlmJob)
        assert made.schedule.microbatches + made.left_out == planned.parallel.microbatches


def test_whole_rounds_are_left_out_of_long_steps_and_counted(lab_draft: JobDraft) -> None:
    draft = _cut(lab_draft, tensor=1, pipeline=8)
    draft = replace(draft, workload=with_value(draft.workload, "global_batch", 2048))
    estimate = judge(draft).estimate
    assert estimate is not None
    made = timeline(draft, estimate)
    assert made is not None
    assert made.left_out > 0
    assert made.left_out % 8 == 0
    first, last = made.schedule.start_s[0], made.schedule.end_s[0].argmax()
    assert made.number(0, float(first[0])) == 1
    assert made.number(int(made.schedule.microbatch[0, last]), float(first[last])) == 1024
    assert made.clock_s(made.schedule.makespan_s) == pytest.approx(made.pipeline_s)
    assert np.isfinite(made.break_s)


def test_full_recomputation_makes_backward_passes_longer_by_a_forward_pass(lab_draft: JobDraft) -> None:
    def passes(recompute: str) -> tuple[float, float]:
        draft = replace(lab_draft, workload=with_value(lab_draft.workload, "recompute", recompute))
        estimate = judge(draft).estimate
        assert estimate is not None
        made = timeline(draft, estimate)
        assert made is not None
        return made.forward_s, made.backward_s

    plain, full = passes("none"), passes("full")
    assert full[0] == pytest.approx(plain[0], rel=0.05)
    assert full[1] - plain[1] == pytest.approx(plain[0], rel=0.05)


def test_the_best_plan_is_no_slower_than_the_scenes_own_cut(lab_draft: JobDraft) -> None:
    found = best_plans(lab_draft)
    best = with_plan(lab_draft, found.best[0])
    judged, own = judge(best), judge(lab_draft)
    assert judged.estimate is not None
    assert own.estimate is not None
    assert judged.estimate.fits
    assert judged.estimate.step_s == pytest.approx(found.best[0].step_s, rel=1e-9)
    assert judged.estimate.step_s <= own.estimate.step_s
    assert best.gpus == lab_draft.gpus


def test_advice_makes_a_job_fit(lab_draft: JobDraft) -> None:
    large = _cut(lab_draft, microbatch=8)
    judged = judge(large)
    assert judged.estimate is not None
    assert not judged.estimate.fits
    offered = offers(large)
    assert offered
    planned = planned_draft(large, network_of(large))
    assert isinstance(planned, LlmJob)
    for one, advice in zip(offered, advise(planned), strict=True):
        after = judge(one.draft).estimate
        assert after is not None
        assert after.fits, one.words
        assert after.step_s == pytest.approx(advice.step_s, rel=1e-9)


@pytest.mark.parametrize("weak", [False, True])
def test_scaling_stays_at_or_below_linear(weak: bool) -> None:
    world = world_of("llama3-16k")
    draft = draft_of_job(world, world.scenario.jobs[0], scene_hardware(world))
    assert draft is not None
    points = same_cut(draft, weak=weak)
    base, ups = speed_ups(points)
    assert base is not None
    assert base.fits
    assert [point.gpus for point in points] == sorted({point.gpus for point in points})
    assert draft.gpus in {point.gpus for point in points}
    for point, up in zip(points, ups, strict=True):
        if point.gpus >= base.gpus:
            assert up <= point.gpus / base.gpus * (1 + 1e-9)
    if weak:
        assert points[-1].gpus > draft.gpus


def test_dots_stand_under_the_roof(
    lab_world: World, lab_draft: JobDraft, hardware: list[PlannerHardware]
) -> None:
    above = roof(lab_draft)
    shown = standing(lab_draft, judge(lab_draft).estimate, lab_world, hardware).dots
    assert [dot.is_draft for dot in shown] == [False, True]
    peak = dict(above.peaks)["BF16"]
    assert above.ridge(peak) == pytest.approx(peak / above.memory_bytes_s)
    for dot in shown:
        assert dot.busy_flops_s is not None
        assert dot.flops_s < dot.busy_flops_s < min(peak, dot.intensity * above.memory_bytes_s)


def test_every_job_of_a_scene_has_a_dot_or_a_reason() -> None:
    world = world_of("mixed-workloads")
    offered = scene_hardware(world)
    jobs = {job.title or job.id for job in world.scenario.jobs}
    first = draft_of_job(world, world.scenario.jobs[0], offered)
    assert first is not None
    found = standing(first, judge(first).estimate, world, offered)
    assert {dot.title for dot in found.dots if not dot.is_draft} | {t for t, _ in found.absent} == jobs
    quiet = [dot for dot in found.dots if dot.intensity == math.inf]
    assert [dot.title for dot in quiet] == [
        job.title or job.id
        for job in world.scenario.jobs
        if job.workload.kind == "hpc" and draft_has_no_traffic(world, job, offered)
    ]
    assert quiet


def draft_has_no_traffic(world: World, job: Job, offered: list[PlannerHardware]) -> bool:
    draft = draft_of_job(world, job, offered)
    estimate = judge(draft).estimate if draft is not None else None
    return estimate is not None and estimate.intensity_flop_byte == 0.0


def test_slider_stops_have_no_gap_wider_than_two() -> None:
    stops = notches(17_152, also=(16_384, 99_999))
    assert stops[0] == 1
    assert stops[-1] == 17_152
    assert 16_384 in stops
    assert all(b <= 2 * a for a, b in pairwise(stops))
    assert value_of(default_draft(profile_hardware()).workload, "parallelism.tensor") == 1
