"""The loss of the site: who goes on elsewhere, what is lost, and that the books stay exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sim_scenes import assert_books_close, events, inject, job, tiny

from twin.record.channels import JobState
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine

HOUR_S = 3600.0
LOSS_S = 10.7 * HOUR_S


def scene(*jobs: dict[str, Any], **cloud: Any) -> Scenario:
    one = {
        "id": "sky",
        "quota": 64,
        "price": 3.0,
        "provisioning": "600 s",
        "bandwidth": "1 GB/s",
        "data": "720 GB",
        "replication": {"every": "1 h"},
    }
    chosen = jobs or (job(2, "a", run="20 h"), job(2, "b", run="20 h"))
    return tiny(4, jobs=chosen, clouds=[one | cloud], duration="4 day")


def lost(scenario: Scenario, lasts: str = "24 h") -> Engine:
    return inject(Engine(scenario), f"{LOSS_S} s site_loss site for={lasts}")


def test_replicated_jobs_go_on_in_the_cloud_and_stay_there() -> None:
    engine = lost(scene(replication={"every": "1 h", "jobs": ["a"]}))
    engine.advance(LOSS_S + 1200.0)
    here, there = engine.jobs.rows[1], engine.jobs.rows[0]
    assert there.state == JobState.REMOTE
    assert there.nodes == []
    assert there.held == 0
    assert here.state == JobState.WAITING
    assert_books_close(engine)
    engine.advance(4 * 24 * HOUR_S)
    assert (there.state, there.site) == (JobState.DONE, "sky")
    assert (here.state, here.site) == (JobState.DONE, "")
    assert here.end_s is not None
    assert here.end_s > LOSS_S + 24 * HOUR_S
    assert_books_close(engine)


def test_rpo_is_the_work_since_the_last_whole_copy_and_rto_the_time_to_the_first_step() -> None:
    engine = lost(scene())
    engine.advance(LOSS_S - 0.001)
    row = engine.jobs.rows[0]
    last = [event for event in events(engine, "replicated") if event.subject == "a"][-1]
    reached = engine.jobs.progress_at(row, LOSS_S)
    engine.advance(LOSS_S + 2000.0)
    said = engine.summary()["disaster"]
    mine = next(one for one in said["jobs"] if one["job"] == "a")
    step_s = engine.jobs.planned[0].step_s
    assert mine["rpo_s"] == pytest.approx((reached - last.data["step"]) * step_s, abs=2 * step_s)
    assert mine["rpo_s"] < HOUR_S + 720.0 + 2 * 610.0
    plan = engine.plans[0]
    assert mine["rto_s"] == pytest.approx(10.0 + 600.0 + sum(plan.restart(swapped=False, load_s=plan.load_s)))
    assert said["losses"] == 1


def test_everything_is_dark_until_the_site_is_back_and_draws_nothing() -> None:
    engine = lost(scene())
    engine.advance(LOSS_S + 600.0)
    before = engine.summary()
    engine.advance(LOSS_S + 23 * HOUR_S)
    after = engine.summary()
    dark = after["ledger_gpu_s"]["idle_no_power"] - before["ledger_gpu_s"]["idle_no_power"]
    assert dark == pytest.approx(32 * (22 * HOUR_S + 3000.0))
    assert after["energy"]["it_j"] - before["energy"]["it_j"] == pytest.approx(0.0, abs=1.0)
    engine.advance(LOSS_S + 26 * HOUR_S)
    assert np.all(engine.nodes.condition == 0)
    assert [event.t_s for event in events(engine, "site_lost", "site_back")] == [LOSS_S, LOSS_S + 24 * HOUR_S]
    assert_books_close(engine)


def test_a_copy_on_its_way_counts_for_nothing() -> None:
    engine = lost(scene(bandwidth="10 MB/s"))  # data take 20 hours
    engine.advance(4 * 24 * HOUR_S)
    assert engine.summary()["disaster"]["jobs"] == []
    assert engine.summary()["cloud"]["sky"]["jobs"] == 0
    assert {row.state for row in engine.jobs.rows} == {JobState.DONE}


def test_with_too_little_quota_the_second_waits_for_the_first_or_for_the_site() -> None:
    engine = lost(scene(quota=16), lasts="2 h")
    engine.advance(4 * 24 * HOUR_S)
    sites = [row.site for row in engine.jobs.rows]
    assert sorted(sites) == ["", "sky"]
    assert {row.state for row in engine.jobs.rows} == {JobState.DONE}
    assert_books_close(engine)


def test_work_that_only_this_site_had_is_lost_work() -> None:
    engine = lost(scene())
    engine.advance(LOSS_S - 1.0)
    kept = sum(sum(row.kept) for row in engine.jobs.rows)
    engine.advance(LOSS_S + 1000.0)
    gone = sum(row.lost_gpu_s for row in engine.jobs.rows)
    assert gone > 0
    assert engine.summary()["ledger_gpu_s"]["lost_work"] == pytest.approx(gone)
    assert sum(sum(row.kept) for row in engine.jobs.rows) < kept
    assert_books_close(engine)


def test_who_bursts_when_the_line_breaks_waits_again() -> None:
    queued = job(2, "late", run="1 h", submit="10.3 h")
    jobs = (job(2, "a", run="40 h"), job(2, "b", run="40 h"), queued)
    engine = lost(scene(*jobs, burst={"wait": "600 s"}, data="7 TB", replication=None), lasts="1 h")
    engine.advance(LOSS_S - 1.0)
    row = engine.jobs.rows[2]
    assert row.state == JobState.REMOTE
    engine.advance(LOSS_S)
    assert (row.state, row.site) == (JobState.QUEUED, "")
    assert engine.clouds.books[0].used == 0
    assert_books_close(engine)


def test_snapshots_around_the_loss_go_on_the_same() -> None:
    whole = lost(scene())
    whole.advance(3 * 24 * HOUR_S)
    for mark in (3700.0, LOSS_S - 1.0, LOSS_S + 5.0, LOSS_S + 300.0, LOSS_S + 5000.0):
        engine = lost(scene())
        engine.advance(mark)
        again = Engine.restore(engine.scenario, engine.snapshot())
        again.advance(3 * 24 * HOUR_S)
        assert again.event_hash() == whole.event_hash()
        assert again.summary()["disaster"] == whole.summary()["disaster"]
