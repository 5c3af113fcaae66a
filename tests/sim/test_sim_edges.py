"""Scenes with something missing, at the edge, or impossible."""

from __future__ import annotations

import pytest
from sim_scenes import WORKLOAD, assert_books_close, events, frame, inject, job, tiny

from twin.catalog import load_catalog
from twin.planning.job.job import PlanError
from twin.scenario import parse_injection
from twin.sim.engine.engine import Engine
from twin.sim.jobs.plan import UnplaceableJob
from twin.sim.thermal.thermal_build import UncooledNode

NOT_COOLED = {"plants": [], "loops": []}


def ran(engine: Engine, until_s: float = 7200.0) -> Engine:
    engine.advance(until_s)
    frame(engine)
    assert_books_close(engine)
    again = Engine.restore(engine.scenario, engine.snapshot())
    assert again.summary() == engine.summary()
    return engine


def test_a_hall_without_jobs_idles() -> None:
    figures = ran(Engine(tiny(jobs=()), 1)).summary()
    assert figures["ettr"] is None
    assert figures["goodput"] is None
    assert figures["jobs"] == []
    booked = {account: s for account, s in figures["ledger_gpu_s"].items() if s}
    assert booked == {"idle_no_job": 7200.0 * 32}


def test_a_hall_where_nothing_fails() -> None:
    for failures in ({"enabled": False}, {"causes": []}):
        engine = ran(
            Engine(tiny(failures=failures, jobs=(job(checkpoint={"interval": "daly"}),)), 1), 86400.0
        )
        assert engine.summary()["interruptions"]["unexpected"] is None
        assert engine.plans[0].checkpoint_steps is None
        assert engine.summary()["ledger_gpu_s"]["checkpoint_stall"] == 0


def test_without_checkpoints_a_failure_costs_everything() -> None:
    engine = inject(Engine(tiny(jobs=(job(checkpoint={"interval": "none"}),)), 1), "5000 s fail gpu/0/0/0")
    ran(engine)
    assert engine.jobs.rows[0].lost_gpu_s == pytest.approx((5000 - 100) * 16, rel=1e-9)
    assert events(engine, "job_interrupted")[0].data["step"] == 0


def test_a_hall_without_power_tree_or_fabric_has_no_losses() -> None:
    engine = ran(Engine(tiny(), 1))
    assert engine.summary()["power"]["loss_w"] == 0


def test_a_power_tree_that_feeds_nothing_has_no_losses() -> None:
    tree = [{"id": "grid", "kind": "utility"}, {"id": "pdu", "kind": "pdu", "from": "grid"}]
    assert ran(Engine(tiny(power=tree), 1)).summary()["power"]["loss_w"] == 0


def test_a_hall_without_cooling_is_refused() -> None:
    with pytest.raises(UncooledNode, match="gpu/0/0/0"):
        Engine(tiny(cooling=NOT_COOLED), 1)


def test_liquid_only_parts_need_a_liquid_loop() -> None:
    with pytest.raises(UncooledNode, match="liquid"):
        Engine(tiny(part="GB200-compute-tray", nodes=1, jobs=(job(1),)), 1)


def test_a_hall_without_nodes_stands_there() -> None:
    halls = [{"id": "hall", "rows": [{"id": "gpu", "racks": {"count": 2}}]}]
    engine = Engine(tiny(halls=halls, jobs=()), 1)
    engine.advance(7200.0)
    frame(engine)
    assert engine.summary()["gpus"] == 0


def test_a_single_node() -> None:
    engine = inject(Engine(tiny(nodes=1, jobs=(job(1),)), 1), "1 h fail gpu/0/0/0 cause=gpu")
    ran(engine, 43200.0)
    assert [event.t_s for event in events(engine, "repaired")] == [3600 + 7200]


def test_every_node_part_of_the_catalogue_runs() -> None:
    catalog = load_catalog()
    for part in catalog.ids("node"):
        try:
            engine = Engine(tiny(part=part, nodes=2, jobs=(job(2),)), 1)
        except UncooledNode:
            continue
        ran(engine)
        drawn_w = engine.meter.node_w(engine.heat, engine.traces, engine.clocks)
        assert drawn_w.max() < catalog.node(part).max_w, part
        assert engine.summary()["thermal"]["throttle_gpu_s"] == 0, part


def test_jobs_that_no_hall_could_hold_are_refused() -> None:
    with pytest.raises(UnplaceableJob, match="5 nodes"):
        Engine(tiny(nodes=4, jobs=(job(5),)), 1)
    workload = {
        "kind": "llm",
        "model": "llama3-8b",
        "global_batch": 128,
        "parallelism": {"tensor": 3},
    }
    with pytest.raises(PlanError):
        Engine(tiny(jobs=(job(2, workload=workload),)), 1)


def test_jobs_keep_to_their_rows_and_one_kind_of_node() -> None:
    rows = [
        {"id": "gpu", "racks": {"count": 2, "nodes": [{"part": "DGX-H100", "count": 1}]}},
        {"id": "old", "at": {"y": "4 m"}, "racks": {"count": 3, "nodes": [{"part": "DGX-A100", "count": 1}]}},
    ]
    cooling = tiny().cooling.model_dump(by_alias=True)
    cooling["loops"][0]["serves"] = ["gpu", "old"]
    parts = {"halls": [{"id": "hall", "rows": rows}], "cooling": cooling}
    with pytest.raises(UnplaceableJob, match="2 kinds"):
        Engine(tiny(**parts), 1)
    jobs = (job(2, id="new", rows=["gpu"]), job(2, id="aged", rows=["old"]))
    engine = ran(inject(Engine(tiny(jobs=jobs, **parts), 1), "1 h fail old/0/0/0 cause=gpu"))
    generators = [
        {engine.plant.nodes.ids[node].split("/")[0] for node in row.nodes} for row in engine.jobs.rows
    ]
    assert generators == [{"gpu"}, {"old"}]
    new, aged = engine.summary()["jobs"]
    assert new["step_s"] < 0.6 * aged["step_s"]


def test_what_is_absent_is_neither_booked_nor_placed_nor_heated() -> None:
    halls = tiny(nodes=6).halls[0].model_dump(by_alias=True)
    halls["overrides"] = {"gpu/0/0": {"absent": True}, "gpu/0/2/0": {"absent": True}}
    engine = ran(Engine(tiny(halls=[halls], jobs=(job(3),)), 1))
    figures = engine.summary()
    assert figures["nodes"] == 4
    assert figures["gpus"] == 32
    names = [engine.plant.nodes.ids[node] for node in engine.jobs.rows[0].nodes]
    assert names == ["gpu/0/1/0", "gpu/0/3/0", "gpu/0/4/0"]
    with pytest.raises(UnplaceableJob):
        Engine(tiny(halls=[halls], jobs=(job(5),)), 1)


def test_two_halls_on_two_plants() -> None:
    rows = [
        [{"id": id, "racks": {"count": 2, "nodes": [{"part": "DGX-H100", "count": 1}]}}] for id in ("a", "b")
    ]
    plants = [{"id": f"water-{id}", "supply": "14 degC"} for id in ("a", "b")]
    loops = [
        {
            "id": f"crah-{id}",
            "kind": "air",
            "part": "CRAH-chilled",
            "plant": f"water-{id}",
            "serves": [id],
            "supply": "22 degC",
        }
        for id in ("a", "b")
    ]
    halls = [{"id": f"hall-{id}", "rows": row} for id, row in zip("ab", rows, strict=True)]
    scene = tiny(halls=halls, cooling={"plants": plants, "loops": loops}, jobs=(job(4),))
    engine = inject(Engine(scene, 1), "1 h heat_rejection_loss water-b for=10min")
    engine.advance(3600 + 500.0)
    values = frame(engine).values
    assert values["loop.supply_c"][1] > values["loop.supply_c"][0] + 2
    ran(engine, 4 * 3600.0)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1 h fail gpu/9/0/0", "gpu/9/0/0"),
        ("1 h fail crah/0", "loop"),
        ("1 h fail gpu/0/0/0 cause=moths", "moths"),
        ("1 h pump_stop gpu/0", "loop"),
        ("1 h heat_rejection_loss crah/0", "facility loop"),
        ("1 h power_cap nobody value=400W", "nobody"),
        ("1 h power_cap train", "value"),
        ("1 h power_cap train value=0W", "0 W"),
        ("1 h power_cap train value=3m", "power"),
        ("1 h set site.name value=x", "--set"),
    ],
)
def test_what_cannot_be_done_is_refused_with_its_reason(line: str, said: str) -> None:
    engine = Engine(tiny(), 1)
    refusal = engine.intervene(parse_injection(line))
    assert refusal is not None
    assert said in refusal
    before = engine.event_hash()
    assert engine.event_hash() == before
    assert not engine.incidents.asked


def test_an_intervention_of_the_scene_that_cannot_be_done_is_said() -> None:
    wrong = [{"at": "1 h", "kind": "fail", "target": "gpu/9/0/0"}]
    engine = Engine(tiny(interventions=wrong), 1)
    assert [event.kind for event in engine.events(0)] == ["refused"]


def test_a_run_stops_at_its_end_and_stays_there() -> None:
    engine = Engine(tiny(duration="1 h"), 1)
    assert engine.advance(1e9) == 3600.0
    assert engine.advance(1e9) == 3600.0
    assert engine.step_event() == 3600.0
    assert_books_close(engine)


def test_a_job_submitted_after_the_end_never_starts() -> None:
    engine = ran(Engine(tiny(duration="1 h", jobs=(job(submit="2 h"),)), 1))
    assert engine.summary()["jobs"][0]["state"] == "not_submitted"
    assert engine.summary()["jobs"][0]["ettr"] is None


def test_epochs_do_not_stretch_the_time_between_checkpoints() -> None:
    small = WORKLOAD | {"dataset": "10 MB"}  # 128 samples of 1 kB a step: an epoch every 78.1 steps
    plain, epochs = (Engine(tiny(jobs=(job(workload=w),)), 1) for w in (WORKLOAD, small))
    for engine in (plain, epochs):
        engine.advance(7200.0)
    writes = [len(events(engine, "checkpoint")) for engine in (plain, epochs)]
    assert writes[0] == writes[1] > 8
