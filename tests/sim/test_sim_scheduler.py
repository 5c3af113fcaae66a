"""The scheduler in the engine: exact hand cases, rules that need a clock, nodes and events, and snapshots."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.sim.sim_scenes import events, frame, inject, load_job, tiny
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine

FIRST = [(0, 6, 10), (1, 7, 5), (2, 10, 5), (3, 3, 20)]
SECOND = [(0, 6, 10), (1, 8, 10), (2, 4, 5), (3, 4, 20), (4, 2, 20), (5, 2, 4)]


def queue(rows: list[tuple[int, int, int]], policy: str, **more: Any) -> Scenario:
    jobs = tuple(load_job(f"j{k}", *row) for k, row in enumerate(rows))
    return tiny(10, jobs, scheduler={"policy": policy}, **({"duration": "1 h"} | more))


def starts(engine: Engine) -> list[float | None]:
    return [row.start_s for row in engine.jobs.rows]


def started(scenario: Scenario, until_s: float = 3600.0) -> Engine:
    engine = Engine(scenario)
    engine.advance(until_s)
    return engine


@pytest.mark.parametrize(
    ("case", "policy", "expected"),
    [
        (FIRST, "fifo", [0, 10, 15, 20]),
        (FIRST, "conservative", [0, 10, 15, 20]),
        (FIRST, "easy", [0, 10, 23, 3]),
        (SECOND, "fifo", [0, 10, 20, 20, 20, 25]),
        (SECOND, "conservative", [0, 10, 2, 20, 7, 20]),
        (SECOND, "easy", [0, 10, 2, 20, 7, 20]),
    ],
)
def test_hand_cases_in_the_engine(
    case: list[tuple[int, int, int]], policy: str, expected: list[float]
) -> None:
    assert starts(started(queue(case, policy))) == pytest.approx(expected, abs=1e-9)


def test_a_restored_run_decides_the_same() -> None:
    scenario = queue(SECOND, "priority")
    whole = started(scenario)
    cut = started(scenario, 3.5)
    again = Engine.restore(scenario, cut.snapshot())
    again.advance(3600.0)
    assert again.event_hash() == whole.event_hash()
    assert starts(again) == starts(whole)


def test_small_jobs_share_nodes_and_no_gpu_is_in_two() -> None:
    jobs = [load_job(f"p{k}", k, 1, 500, gpus=k % 7 + 1) for k in range(12)]
    jobs += [load_job(f"m{k}", k, 1, 500, mig="3g.40gb") for k in range(6)]
    engine = Engine(tiny(6, tuple(jobs), scheduler={"policy": "easy"}, duration="1 h"))
    for t_s in (5.0, 20.0, 400.0):
        engine.advance(t_s)
        held = sum(row.held for row in engine.jobs.active)
        assert held == pytest.approx(float(engine.nodes.held.sum()))
        assert (engine.nodes.slices >= 0).all()
    cut = Engine.restore(engine.scenario, engine.snapshot())
    for one in (engine, cut):
        one.advance(3600.0)
        assert all(row.outcome == "done" for row in one.jobs.rows)
    assert cut.event_hash() == engine.event_hash()
    assert engine.nodes.held.sum() == 0


def test_a_profile_of_seven_slices_is_one_whole_gpu() -> None:
    jobs = tuple(load_job(f"m{k}", 0, 1, 500, mig="7g.80gb") for k in range(9))
    engine = Engine(tiny(1, jobs, scheduler={"policy": "easy"}, duration="1 h"))
    engine.advance(300.0)
    assert [row.held for row in engine.jobs.active] == [1.0] * 8
    assert engine.nodes.held.sum() == 8
    assert engine.nodes.free_gpus.sum() == 0
    engine.advance(3600.0)
    assert [row.outcome for row in engine.jobs.rows] == ["done"] * 9


def test_a_cordoned_node_gets_no_work() -> None:
    scenario = queue(
        [(60, 10, 5)],
        "easy",
        interventions=[{"id": "c", "at": "1 s", "kind": "drain", "target": "gpu/0/3/0"}],
    )
    assert starts(started(scenario)) == [None]


def test_maintenance_is_logged_and_nobody_runs_into_it() -> None:
    windows = [
        {"id": "patch", "kind": "maintenance", "at": "100 s", "for": "50 s", "every": "1000 s", "nodes": 5}
    ]
    rows = [(0, 5, 200), (1, 10, 20), (2, 5, 200)]
    engine = started(queue(rows, "easy", reservations=windows))
    on = [event.t_s for event in events(engine, "reservation_on")]
    off = [event.t_s for event in events(engine, "reservation_off")]
    assert on == [100, 1100, 2100, 3100]
    assert off == [150, 1150, 2150, 3150]
    assert starts(engine) == pytest.approx([0, 200, 220], abs=1e-6)


def test_what_can_never_run_is_refused_and_blocks_nobody() -> None:
    jobs = (load_job("big", 0, 4, 10, tenant="a"), load_job("small", 1, 1, 10, tenant="a"))
    tenants = [{"id": "a", "quota": 8, "borrow": False}]
    engine = started(tiny(4, jobs, tenants=tenants, duration="1 h"))
    refused = events(engine, "job_refused")
    assert [event.subject for event in refused] == ["big"]
    assert "quota" in refused[0].text
    assert starts(engine) == [None, 1.0]


def test_a_partition_says_who_and_how_long() -> None:
    part = [{"id": "debug", "rows": ["gpu"], "tenants": ["a"], "limit": "1 min"}]
    jobs = (
        load_job("mine", 0, 1, 10, tenant="a", partition="debug"),
        load_job("yours", 0, 1, 10, tenant="b", partition="debug"),
        load_job("long", 0, 1, 10, tenant="a", partition="debug", limit="2 min"),
        load_job("over", 0, 1, 600, tenant="a", partition="debug"),
    )
    engine = started(tiny(4, jobs, tenants=[{"id": "a"}, {"id": "b"}], partitions=part, duration="1 h"))
    assert {event.subject for event in events(engine, "job_refused")} == {"yours", "long"}
    over = engine.jobs.rows[3]
    assert (over.outcome, over.end_s) == ("killed", 60.0)


def test_flexible_jobs_wait_for_a_clean_hour() -> None:
    grid = {"carbon": "100 g/kWh", "carbon_day": [5.0] * 8 + [1.0] * 16}
    jobs = (load_job("waits", 60, 1, 60, flexible=True), load_job("goes", 60, 1, 60))
    scheduler = {"policy": "easy", "green": {"carbon_limit": "200 g/kWh", "longest_wait": "20 h"}}
    site = {
        "climate": {"dry_bulb": "5 degC", "wet_bulb": "3 degC", "swing": "0 K"},
        "grid": grid,
    }
    engine = started(tiny(4, jobs, scheduler=scheduler, site=site, duration="1 day"), 86400.0)
    assert starts(engine) == [8 * 3600.0, 60.0]


def test_starts_keep_it_power_below_the_limit() -> None:
    jobs = tuple(load_job(f"j{k}", k, 1, 2000, workload={"kind": "load", "gpu": 1.0}) for k in range(6))
    free = started(tiny(6, jobs, scheduler={"policy": "easy"}, duration="1 h"), 1000.0)
    limit_w = 0.7 * free.meter.it_w
    scheduler = {"policy": "easy", "green": {"power_limit": f"{limit_w} W"}}
    engine = Engine(tiny(6, jobs, scheduler=scheduler, duration="1 h"))
    for t_s in np.arange(50.0, 3600.0, 50.0):
        engine.advance(float(t_s))
        assert engine.meter.it_w <= limit_w
    assert 1 <= sum(start is not None and start < 1000 for start in starts(engine)) < 6
    assert sum(start is not None for start in starts(engine)) == 6


def test_preemption_takes_lower_priority_and_it_comes_back() -> None:
    jobs = (
        load_job("low", 0, 4, 1000, preemptible=True, priority=-10),
        load_job("high", 100, 4, 200, priority=10),
    )
    scheduler = {"policy": "priority", "preemption": {"enabled": True, "minimum": "5 min"}}
    engine = started(tiny(4, jobs, scheduler=scheduler, duration="1 h"))
    low, high = engine.jobs.rows
    assert high.start_s == 300.0
    assert low.preemptions == 1
    assert low.outcome == "done"
    assert low.end_s == pytest.approx(500.0 + 1000.0)  # without a checkpoint all of it is done again


def test_who_gave_way_does_not_come_back_before_the_job_it_did_that_for() -> None:
    save = {"interval": "600 s", "pause": "10 s"}
    jobs = (
        load_job("one", 0, 2, 5000, preemptible=True, priority=-10, estimate="50 s"),
        load_job("slow", 0, 2, 5000, preemptible=True, priority=-10, checkpoint=save | {"drain": "200 s"}),
        load_job("high", 100, 4, 300, priority=10),
        load_job("tiny", 110, 1, 100, estimate="150 s"),
    )
    preemption = {"enabled": True, "minimum": "0 s"}
    scene = tiny(4, jobs, scheduler={"policy": "priority", "preemption": preemption}, duration="6 h")
    engine = Engine(scene)
    engine.advance(250.0)
    one, slow, high, small = engine.jobs.rows
    assert (one.nodes, small.nodes, high.nodes) == ([], [], [])  # kept free until all of them are
    assert slow.leaving
    again = Engine.restore(scene, engine.snapshot())
    for run in (engine, again):
        run.advance(run.end_s)
    assert (high.start_s, high.preemptions) == (310.0, 0)
    assert (one.preemptions, slow.preemptions) == (1, 1)
    assert {row.outcome for row in engine.jobs.rows} == {"done"}
    assert again.event_hash() == engine.event_hash()


def test_a_job_that_can_never_have_its_power_is_refused_and_holds_up_nobody() -> None:
    jobs = (load_job("large", 0, 4, 100, workload={"kind": "load", "gpu": 1.0}), load_job("small", 1, 1, 100))
    idle_w = Engine(tiny(4, jobs)).meter.it_w
    limit = {"policy": "easy", "green": {"power_limit": f"{idle_w + 12_000} W"}}
    engine = started(tiny(4, jobs, scheduler=limit, duration="1 h"))
    assert [row.outcome for row in engine.jobs.rows] == ["refused", "done"]
    assert "on top of" in events(engine, "job_refused")[0].text


def test_the_summary_counts_waits_and_what_was_held() -> None:
    tenants = [{"id": "a"}, {"id": "b"}]
    jobs = [load_job(f"j{k}", *row, tenant="ab"[k % 2]) for k, row in enumerate(FIRST)]
    scenario = tiny(10, tuple(jobs), scheduler={"policy": "easy"}, tenants=tenants, duration="100 s")
    found = started(scenario, 100.0).summary()
    queue = found["queue"]
    assert queue["wait_mean_s"] == pytest.approx(7.5)
    assert queue["wait_median_s"] == pytest.approx(4.5)  # waits 0, 9, 21, 0
    node_s = sum(nodes * run_s for _, nodes, run_s in FIRST)
    assert queue["allocation"] == pytest.approx(node_s / (10 * 100))
    assert queue["slowdown_mean"] == pytest.approx((1 + 14 / 10 + 26 / 10 + 1) / 4)
    assert queue["by_tenant"]["a"]["gpu_s"] == pytest.approx(8 * (6 * 10 + 10 * 5))
    shares = [one["allocation"] for one in queue["by_tenant"].values()]
    assert sum(shares) == pytest.approx(queue["allocation"])
    assert [job["wait_s"] for job in found["jobs"]] == pytest.approx([0, 9, 21, 0])
    assert [job["away_s"]["queue"] for job in found["jobs"]] == [0, 0, 0, 0]  # they were never away
    of_tenants = sum(one["energy_j"] for one in queue["by_tenant"].values())
    assert of_tenants == pytest.approx(sum(job["energy_j"] for job in found["jobs"]))


def test_frames_show_the_queue() -> None:
    engine = started(queue(FIRST, "easy"), 5.0)
    values = frame(engine).values
    assert values["site.queue"][0] == 2
    assert values["site.queue_gpus"][0] == 8 * 17
    assert values["site.allocated"][0] == pytest.approx(90)
    assert values["job.place"].tolist() == [0, 1, 2, 0]
    assert values["job.planned_s"].tolist() == [0, 10, 0, 0]


def test_nodes_of_a_job_that_was_requeued_and_ended_stand_by_for_nobody() -> None:
    engine = Engine(queue([(0, 2, 600)], "easy"))
    inject(engine, "100 s requeue j0")
    engine.advance(300.0)
    assert engine.nodes.wanted.any()
    engine.advance(1000.0)
    assert engine.jobs.rows[0].outcome == "done"
    assert not engine.nodes.wanted.any()
