"""Nodes, coolant, power, fabric, stores and jobs that change while the hall runs."""

from __future__ import annotations

import json

import numpy as np
import pytest
from edit_scenes import closed, edit, replayed, take
from sim_scenes import events, frame, inject, job, liquid, shipped, times, tiny

from twin.record.channels import JobState
from twin.sim.engine.engine import Engine

NODE = ("halls[hall].overrides[gpu/0/2/0].rack", "gpu/0/0")


def test_a_node_that_moves_to_another_rack_works_on_there_and_so_do_its_neighbours() -> None:
    scene = tiny(nodes=3, jobs=(job(3),))
    plain = Engine(scene)
    plain.advance(6000.0)
    engine = replayed(scene, 6000.0, edit(1000.5, "move", NODE))
    plant, row = engine.plant, engine.jobs.rows[0]
    there = {plant.nodes.ids[node]: plant.racks.ids[plant.nodes.rack[node]] for node in row.nodes}
    assert there == {"gpu/0/0/0": "gpu/0/0", "gpu/0/1/0": "gpu/0/1", "gpu/0/2/0": "gpu/0/0"}
    assert not events(engine, "job_interrupted")
    assert np.allclose(times(engine, "checkpoint"), times(plain, "checkpoint"), rtol=1e-4)
    closed(engine, 24 * 6000.0)


def _more(rack: int) -> tuple[str, str]:
    return f"halls[hall].overrides[gpu/0/{rack}/1]", "{part: DGX-H100, u: 20}"


def test_nodes_of_a_rack_that_gets_one_more_keep_all_they_have_been_through() -> None:
    scene = tiny(nodes=4, jobs=(job(2),))
    faults = (
        "500s fail gpu/0/2/0 for=2h",
        "600s slow gpu/0/0/0 value=80%",
        "700s bad_contact gpu/0/0/0/3 value=2",
    )
    plain, engine = inject(Engine(scene), *faults), inject(Engine(scene), *faults)
    engine.advance(1000.0)
    take(engine, edit(1000.5, "more", _more(0), _more(2)))
    restored = Engine.restore(scene, engine.snapshot())
    plain.advance(9000.0)
    for one in (engine, restored):
        one.advance(9000.0)
        nodes = one.plant.nodes
        slot = {nodes.ids[k]: k for k in np.flatnonzero(nodes.present).tolist()}
        assert len(slot) == 6
        assert slot["gpu/0/0/0"] > 3  # the rack holds more nodes than ever: they have other slots
        assert sorted(one.jobs.rows[0].nodes) == sorted([slot["gpu/0/0/0"], slot["gpu/0/1/0"]])
        assert [e.t_s for e in events(one, "repaired")] == [7700.0]
        assert not events(one, "job_interrupted")
        assert one.degraded.sick() == [slot["gpu/0/0/0"]]
        assert one.traces.alone == [int(nodes.gpu_first[slot["gpu/0/0/0"]]) + 3]
        assert np.allclose(
            [t for t in times(one, "checkpoint") if t > 1000.0], times(plain, "checkpoint")[1:], atol=2.0
        )
        closed(one, 8 * (4 * 1000.5 + 6 * (9000.0 - 1000.5)))
    assert engine.event_hash() == restored.event_hash()


@pytest.mark.parametrize("loops", [2, 4])
def test_racks_go_over_to_other_coolant_loops_with_their_heat(loops: int) -> None:
    scene = liquid(racks=4, loops=3, jobs=(job(72),))
    engine = Engine(scene)
    engine.advance(3000.0)
    before = engine.heat.node_die_c().copy()
    take(engine, edit(3000.5, "cdu", ("cooling.loops[cdu].count", str(loops))))
    engine.advance(3000.5)
    assert np.allclose(engine.heat.node_die_c(), before, atol=1.0)
    assert int(engine.plant.loops.present.sum()) == loops + 1
    engine.advance(9000.0)
    assert engine.jobs.rows[0].state in (JobState.RUNNING, JobState.CHECKPOINT)
    assert abs(float(engine.heat.node_die_c().mean()) - float(before.mean())) < 5.0
    closed(engine, 288 * 9000.0)


def test_a_fault_of_what_is_taken_away_ends_with_it() -> None:
    scene = liquid(racks=3, loops=3, jobs=(job(18),))
    engine = inject(Engine(scene), "600s pump_stop cdu/2 for=4h", "700s leak gpu/0/2 for=4h")
    engine.advance(1000.0)
    gone = edit(
        1000.5, "gone", ("cooling.loops[cdu].count", "2"), ("halls[hall].overrides[gpu/0/2].absent", "true")
    )
    take(engine, gone)
    engine.advance(20000.0)
    assert not engine.incidents.facility.acting
    assert engine.jobs.rows[0].state in (JobState.RUNNING, JobState.CHECKPOINT)
    closed(engine, 216 * 1000.5 + 144 * (20000.0 - 1000.5))


def test_what_is_done_to_a_rack_that_an_edit_brings_waits_for_it() -> None:
    scene = tiny(nodes=2)
    hit = [{"at": "3000 s", "kind": "fail", "target": "gpu/0/2", "for": "1 h"}]
    scene = type(scene).model_validate(
        json.loads(scene.model_dump_json(by_alias=True)) | {"interventions": hit}
    )
    engine = replayed(scene, 5000.0, edit(2000.0, "more", ("halls[hall].rows[gpu].racks.count", "3")))
    assert [e.subject for e in events(engine, "injected_failure")] == ["gpu/0/2"]
    assert not events(engine, "refused")


def test_drained_by_an_edit_and_back_at_work() -> None:
    drained = "halls[hall].overrides[gpu/0/0/0].drained"
    edits = edit(1000.0, "drain", (drained, "true")), edit(3000.0, "back", (drained, "false"))
    engine = replayed(tiny(nodes=3), 4000.0, *edits)
    assert engine.jobs.rows[0].nodes == [1, 2] or sorted(engine.jobs.rows[0].nodes) == [1, 2]
    assert engine.nodes.usable.tolist() == [True, False, False]
    closed(engine, 24 * 4000.0)


def test_a_job_that_is_added_is_submitted_and_its_interval_can_change() -> None:
    work = (
        "{kind: vision, model: made up, sample_flop: 3e13, parameters: 1e9, batch_per_gpu: 8, sample: 1 kB, "
    )
    work += "dataset: 1 PB}"
    new = f"{{id: late, nodes: 1, submit: 2000 s, steps: 100, workload: {work}}}"
    engine = Engine(tiny(nodes=3))
    engine.advance(1000.0)
    take(engine, edit(1000.5, "job", ("jobs[late]", new)))
    take(engine, edit(3000.0, "often", ("jobs[train].checkpoint.interval", "120 s")))
    engine.advance(6000.0)
    assert [(e.subject, e.t_s) for e in events(engine, "job_submitted")] == [("train", 0.0), ("late", 2000.0)]
    assert engine.jobs.rows[1].state == JobState.DONE
    gaps = np.diff([e.t_s for e in events(engine, "checkpoint") if e.t_s > 3700.0])
    assert (gaps < 200.0).all()
    assert engine.layout.counts["job"] == 2
    closed(engine, 24 * 6000.0)


def test_power_fabric_and_row_grow_together_in_a_superpod() -> None:
    scene = shipped("superpod-h100")
    engine = Engine(scene)
    engine.advance(4000.0)
    grown = edit(
        4000.5,
        "grow",
        ("halls[su].rows[gpu].racks.count", "9"),
        ("fabrics[ib].spine.count", "8"),
        title="a rack more, and spines for it",
    )
    take(engine, grown)
    engine.advance(4000.5)
    assert int(engine.plant.nodes.present.sum()) == int(engine.first[1].nodes.present.sum()) + 4
    assert engine.network.links.node_a.max() >= len(engine.first[1].nodes.ids)
    inject(engine, "5000s fail gpu/0/0/0 for=4h")
    engine.advance(9000.0)
    assert any(e.subject.startswith("gpu/0/8") for e in events(engine, "spare_taken")) or not events(
        engine, "waiting_for_spare"
    )
    closed(engine, 256 * 4000.5 + 288 * (9000.0 - 4000.5))


def test_a_plant_that_nothing_hangs_on_any_more_is_left_by_its_loops_and_found_again() -> None:
    scene = liquid(racks=2, jobs=(job(18),))
    data = json.loads(scene.model_dump_json(by_alias=True))
    data["cooling"]["plants"].append({"id": "chilled", "kind": "chiller", "supply": "18 degC"})
    for loop in data["cooling"]["loops"]:
        loop["plant"] = "chilled"
    engine = Engine(type(scene).model_validate(data))
    engine.advance(2000.0)
    assert engine.cooling.asked.water[1] < 1.0, "less than design heat asks for less than design flow"
    take(
        engine, edit(2000.5, "over", *((f"cooling.loops[{loop}].plant", "water") for loop in ("cdu", "crah")))
    )
    engine.advance(3000.0)
    assert frame(engine).values["plant.return_c"][1] == 18.0, "what is sent to nothing comes back as it was"
    restored = Engine.restore(engine.scenario, engine.snapshot())
    for hall in (engine, restored):
        take(
            hall,
            edit(3000.5, "back", *((f"cooling.loops[{loop}].plant", "chilled") for loop in ("cdu", "crah"))),
        )
        hall.advance(6000.0)
        closed(hall, 144 * 6000.0)
    assert engine.event_hash() == restored.event_hash()
