"""Halls of own nodes in the engine: of 1, 2, 4 and 16 GPUs, of an own GPU, and of a copy that changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import own_scene
from twin.catalog import load_catalog
from twin.catalog.part_text import copy_of
from twin.commands.room.room_design import design
from twin.commands.room.room_plan import RoomRequest
from twin.planning.search.scene_plan import plan_for_scene, scene_gpus
from twin.plant.build import build
from twin.plant.domains import scale_up_domains
from twin.record.channels import JobState
from twin.rules import check
from twin.scenario import load
from twin.scenario.schema.scene_catalog import catalog_of
from twin.sim.engine.engine import Engine


@pytest.mark.parametrize("gpus", [1, 2, 4, 16])
def test_nodes_of_any_number_of_gpus_are_planned_wired_and_run(tmp_path: Path, gpus: int) -> None:
    scenario = load(own_scene.write(tmp_path, gpus=gpus, tensor=gpus)).scenario
    plant = build(scenario)
    assert plant.nodes.gpu_count.tolist() == [gpus] * 4
    assert len(plant.node_links.node) == 4 * gpus  # a card for each GPU, each to a leaf
    assert len(set(scale_up_domains(plant).tolist())) == 4
    hardware = scene_gpus(plant, plant.catalog)
    assert (hardware.node_gpus, hardware.domain_gpus, hardware.count) == (gpus, gpus, 4 * gpus)
    plan = plan_for_scene(hardware, "llama3-8b", 4 * gpus, 64).best[0]
    assert plan.parallel.tp <= gpus
    engine = Engine(scenario)
    engine.advance(1800.0)
    row = engine.jobs.rows[0]
    assert row.gpus == 4 * gpus
    assert row.state == JobState.RUNNING
    assert [event.kind for event in engine.events(0)] == ["job_submitted", "job_started", "job_running"]
    assert engine.meter.it_w > 4 * (92 * gpus + 632)  # more than idle
    assert not engine.jobs.planned[0].misfit
    rules = {finding.rule for finding in check(scenario, plant, plant.catalog).open}
    assert not rules & {"node-unlinked", "node-unreachable", "run-impossible", "job-fits", "tensor-group"}


@pytest.mark.parametrize("gpus", [1, 2, 4, 16])
def test_a_room_of_such_nodes_is_designed_and_passes_the_check(tmp_path: Path, gpus: int) -> None:
    scenario = load(own_scene.write(tmp_path, gpus=gpus)).scenario
    catalog = catalog_of(scenario)
    made = design(RoomRequest(part=own_scene.NODE, rows=1, racks=4, nodes=2), catalog)
    room = made.scene
    assert room.plant.nodes.gpu_count.tolist() == [gpus] * 8
    report = check(room.scenario, room.plant, catalog)
    assert not [finding.sentence for finding in report.open if finding.severity == "error"]


def test_more_gpus_in_a_node_draw_more_power_and_step_faster(tmp_path: Path) -> None:
    steps, watts = [], []
    for gpus in (2, 4):
        engine = Engine(load(own_scene.write(tmp_path / str(gpus), gpus=gpus)).scenario)
        engine.advance(1200.0)
        steps.append(engine.jobs.planned[0].step_s)
        watts.append(engine.meter.it_w)
    assert steps[1] < 0.6 * steps[0]
    assert watts[1] > 1.4 * watts[0]


def test_a_copy_under_another_name_runs_as_the_shipped_part(tmp_path: Path) -> None:
    own = own_scene.write(tmp_path / "own", node="MY-DGX", model="llama3-8b", tensor=2)
    (own.parent / "parts" / "mine.yaml").write_text(copy_of(load_catalog(), "DGX-H100", "MY-DGX"))
    shipped = own_scene.write(tmp_path / "shipped", node="DGX-H100", model="llama3-8b", tensor=2)
    hashes, steps = [], []
    for path in (own, shipped):
        engine = Engine(load(path).scenario)
        engine.advance(3600.0)
        hashes.append(engine.event_hash())
        steps.append(engine.jobs.planned[0].step_s)
    assert steps[0] == steps[1]
    assert hashes[0] == hashes[1]
