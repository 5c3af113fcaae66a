"""Jobs that burst to a cloud: when they go, what they do there, what it costs; this site's books know none of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sim_scenes import assert_books_close, causes, events, finding, frame, inject, job, tiny

from twin.physics.checkpoint import renewal_ettr
from twin.record.channels import JobState
from twin.sim.engine.engine import Engine
from twin.sim.summary.cloud import clouds
from twin.sim.summary.queue import queue_figures

DAY_S = 86400.0


def sky(**more: Any) -> dict[str, Any]:
    """Return a cloud with room for one job of two nodes, half an hour of waiting, and a fast line."""
    one = {
        "id": "sky",
        "quota": 16,
        "price": 3.0,
        "provisioning": "600 s",
        "bandwidth": "1 GB/s",
        "egress": 1e-9,
        "burst": {"wait": "1800 s"},
    }
    return one | more


def busy(*jobs: dict[str, Any], cloud: dict[str, Any] | None = None, **more: Any) -> Engine:
    """Return a hall of two nodes that one job without end fills, and jobs that wait behind it."""
    endless = job(2, "base")
    scenario = tiny(2, jobs=(endless, *jobs), clouds=[cloud or sky()], duration="2 day", **more)
    return Engine(scenario)


def short(id: str = "peak", **more: Any) -> dict[str, Any]:
    return job(2, id, run="2 h", checkpoint={"interval": "none"}, **more)


def test_a_job_goes_when_it_has_waited_long_enough_and_is_paid_by_the_hour() -> None:
    engine = busy(short(), cloud=sky(data="300 GB"))
    engine.advance(DAY_S)
    row = engine.jobs.rows[1]
    assert [event.t_s for event in events(engine, "job_cloud")] == [1800.0]
    assert row.start_s == 1800.0 + 600.0  # data are there after 300 s, nodes after 600
    assert row.end_s == pytest.approx(2400.0 + 100.0 + 7200.0)  # container, init and warm-up, then the work
    assert (row.state, row.site, row.outcome) == (JobState.DONE, "sky", "done")
    assert row.waited_s == pytest.approx(2400.0)
    figures = engine.summary()["cloud"]["sky"]
    assert figures["gpu_h"] == pytest.approx(16 * 7300 / 3600)
    assert figures["cost_usd"] == pytest.approx(3.0 * 16 * 7300 / 3600)
    assert figures["egress_usd"] == pytest.approx(engine.jobs.work[1].checkpoint_bytes * 1e-9)
    assert figures["quota_peak"] == 16
    assert_books_close(engine)


def test_data_on_a_slow_line_come_later_than_nodes() -> None:
    engine = busy(short(), cloud=sky(data="3 TB"))
    engine.advance(DAY_S)
    assert engine.jobs.rows[1].start_s == 1800.0 + 3000.0


def test_the_line_serves_one_after_the_other() -> None:
    engine = busy(short("one"), short("two"), cloud=sky(data="1 TB", quota=32))
    engine.advance(DAY_S)
    assert [row.start_s for row in engine.jobs.rows[1:]] == [1800.0 + 1000.0, 1800.0 + 2000.0]


def test_quota_holds_and_the_next_goes_when_one_ends() -> None:
    engine = busy(short("one"), short("two"), short("three"))
    worst, last = 0, 0.0
    while engine.now_s < 2 * DAY_S:
        engine.advance(min(2 * DAY_S, engine.now_s + 500.0))
        worst = max(worst, engine.clouds.books[0].used)
        assert engine.clouds.books[0].used <= 16
    assert worst == 16
    for row in engine.jobs.rows[1:]:
        assert row.state == JobState.DONE
        assert row.start_s is not None
        assert row.start_s >= last
        last = row.end_s or math.inf
    assert engine.summary()["cloud"]["sky"]["jobs"] == 3


def test_who_may_not_go_waits_here() -> None:
    for may, quota in ((False, 16), (True, 8)):
        engine = busy(short(cloud=may), cloud=sky(quota=quota))
        engine.advance(DAY_S)
        assert engine.jobs.rows[1].state == JobState.QUEUED
        assert engine.summary()["cloud"]["sky"]["jobs"] == 0


def test_largest_keeps_large_jobs_here() -> None:
    engine = busy(short(), cloud=sky(burst={"wait": "1800 s", "largest": 8}))
    engine.advance(DAY_S)
    assert engine.jobs.rows[1].state == JobState.QUEUED


def test_another_pace_and_a_minimum_that_is_paid() -> None:
    engine = busy(short(), cloud=sky(speed=2.0, minimum="10 h"))
    engine.advance(DAY_S)
    row = engine.jobs.rows[1]
    assert row.end_s == pytest.approx(2400.0 + 100.0 + 3600.0)
    assert engine.summary()["cloud"]["sky"]["gpu_h"] == pytest.approx(160.0)


def test_failures_and_checkpoints_there_are_taken_in_the_mean() -> None:
    engine = busy(job(2, "peak", run="2 h"), failures={"causes": causes(0.5), "repair_constant": "1 h"})
    engine.advance(2 * DAY_S)
    row, plan, work = engine.jobs.rows[1], engine.plans[1], engine.jobs.planned[1]
    ready = next(event.t_s for event in events(engine, "cloud_on"))
    rate = engine.failures.per_node_s * 2
    restart_s = plan.detection_s(None) + sum(plan.restart(swapped=False, load_s=plan.load_s))
    kept = float(renewal_ettr(plan.checkpoint_steps * work.step_s, 10.0, restart_s, rate))
    assert 0.5 < kept < 0.99
    assert row.end_s == pytest.approx(ready + 100.0 + 7200.0 / kept, rel=1e-6)


def test_a_deadline_that_cannot_be_met_here_sends_a_job_at_once_and_one_that_can_keeps_it() -> None:
    ends = job(2, "base", run="1 h", checkpoint={"interval": "none"})
    rule = sky(burst={"deadlines": True})
    for deadline, goes in (("3 h", True), ("4 h", False)):
        scenario = tiny(2, jobs=(ends, short(deadline=deadline)), clouds=[rule], duration="1 day")
        engine = Engine(scenario)
        engine.advance(DAY_S)
        row = engine.jobs.rows[1]
        assert (row.site == "sky") is goes
        assert row.end_s is not None
        assert row.end_s <= float(deadline[0]) * 3600


def test_a_deadline_that_the_cloud_cannot_meet_either_sends_nobody() -> None:
    engine = busy(short(deadline="2 h"), cloud=sky(burst={"deadlines": True}))
    engine.advance(DAY_S)
    assert engine.jobs.rows[1].state == JobState.QUEUED


def test_a_snapshot_anywhere_goes_on_the_same() -> None:
    def fresh() -> Engine:
        return busy(short("one"), short("two"), cloud=sky(data="1 TB", replication={"every": "20 min"}))

    whole = fresh()
    whole.advance(DAY_S)
    for mark in (1000.0, 1900.0, 2450.0, 5000.0, 12000.0):
        engine = fresh()
        engine.advance(mark)
        again = Engine.restore(engine.scenario, engine.snapshot())
        again.advance(DAY_S)
        assert again.event_hash() == whole.event_hash()
        assert again.summary()["cloud"] == whole.summary()["cloud"]


def test_frames_show_a_job_in_the_cloud_go_on_however_seldom_they_are_taken() -> None:
    often, once = busy(short()), busy(short())
    for t_s in np.arange(2000.0, 6000.0, 100.0):
        often.advance(float(t_s))
        shown = frame(often)
    often.advance(6000.0)
    once.advance(6000.0)
    for engine in (often, once):
        shown = frame(engine).values
        assert shown["job.state"][1] == JobState.REMOTE
        done = (6000.0 - 2500.0) / engine.jobs.planned[1].step_s
        assert shown["job.step"][1] == pytest.approx(done, rel=1e-6)
        assert shown["job.gpus"][1] == 0


def test_a_job_that_is_cancelled_there_is_paid_until_then() -> None:
    engine = inject(busy(short()), "1.5 h cancel peak")
    engine.advance(DAY_S)
    row = engine.jobs.rows[1]
    assert (row.state, row.outcome, row.end_s) == (JobState.KILLED, "cancelled", 5400.0)
    assert engine.summary()["cloud"]["sky"]["gpu_h"] == pytest.approx(16 * 3000 / 3600)
    assert engine.clouds.books[0].used == 0
    assert_books_close(engine)


def test_economics_say_what_is_cheaper_at_this_use() -> None:
    engine = busy(short(), ownership={"capital": 50000})
    engine.advance(DAY_S)
    said = engine.summary()["economics"]
    assert said["utilisation"] == pytest.approx(1.0)
    figures = (
        engine.summary()
    )  # and that use is what the queue calls allocation, also where jobs are preempted
    figures["ledger_gpu_s"]["idle_preempted"] += figures["installed_gpu_s"]
    figures["ledger_gpu_s"]["idle_no_job"] += 2 * figures["installed_gpu_s"]
    use = clouds(engine, figures)["economics"]["utilisation"]
    assert (
        use == pytest.approx(0.5) == queue_figures(engine, figures["ledger_gpu_s"], np.zeros(2))["allocation"]
    )
    assert 1.9 < said["own_usd_gpu_h"] < 2.2
    assert said["clouds"]["sky"]["cheaper"] == "here"
    assert 0.6 < said["clouds"]["sky"]["break_even_utilisation"] < 0.75
    idle = Engine(tiny(8, jobs=(job(2),), clouds=[sky()], ownership={"capital": 50000}))
    idle.advance(DAY_S)
    assert idle.summary()["economics"]["clouds"]["sky"]["cheaper"] == "there"


def test_waiting_ends_when_the_nodes_in_the_cloud_are_there() -> None:
    engine = Engine(finding("cl2"))
    engine.advance(3000.0)  # the first has its nodes, the data of the second are on the line
    assert [one["wait_s"] for one in engine.summary()["jobs"]] == pytest.approx([0.0, 2800.0, 2880.0])
    engine.advance(engine.end_s)
    own, first, second = engine.summary()["jobs"]
    assert own["wait_s"] == 0.0
    assert first["wait_s"] == pytest.approx(2800.0)  # waited 1,800 s for a place, 1,000 s for its data
    assert second["wait_s"] == pytest.approx(3740.0)  # and this one 940 s for the line
    (stepped,) = [event.t_s for event in events(engine, "job_running") if event.subject == "w2"]
    assert stepped == second["submit_s"] + second["wait_s"] == second["start_s"]
    assert [event.subject for event in events(engine, "cloud_on")] == ["w1", "w2"]
