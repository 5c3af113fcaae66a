"""The scene hybrid-burst tells what its notes say."""

from __future__ import annotations

import pytest
from sim_scenes import assert_books_close, events, shipped

from twin.record.channels import JobState
from twin.sim.engine.engine import Engine

HOUR_S = 3600.0


@pytest.fixture(scope="module")
def engine() -> Engine:
    run = Engine(shipped("hybrid-burst"))
    run.advance(run.end_s)
    return run


def test_every_run_of_the_desk_is_done_in_time_most_of_them_elsewhere(engine: Engine) -> None:
    desk = [
        (row, spec)
        for row, spec in zip(engine.jobs.rows, engine.jobs.specs, strict=True)
        if spec.tenant == "desk"
    ]
    assert len(desk) == 8
    for row, spec in desk:
        assert row.state == JobState.DONE
        assert row.end_s is not None
        assert row.end_s <= (spec.deadline_s or 0.0)
    assert [row.site for row, _ in desk] == ["", *["elbe"] * 7]


def test_the_large_run_goes_on_elsewhere_and_the_small_one_waits(engine: Engine) -> None:
    large, small = engine.jobs.rows[:2]
    assert (large.state, large.site, small.site) == (JobState.REMOTE, "elbe", "")
    assert small.state in (JobState.RUNNING, JobState.CHECKPOINT)
    said = engine.summary()["disaster"]["jobs"]
    assert [one["job"] for one in said] == ["large"]
    assert 0 < said[0]["rpo_s"] < HOUR_S + 0.5 * HOUR_S + 60.0  # a copy each hour, a checkpoint each half
    assert 600.0 < said[0]["rto_s"] < 1200.0
    assert [event.t_s / HOUR_S for event in events(engine, "site_lost", "site_back")] == [132.0, 148.0]


def test_own_gpus_are_cheaper_at_this_use_by_little(engine: Engine) -> None:
    said = engine.summary()["economics"]
    assert said["utilisation"] > said["clouds"]["elbe"]["break_even_utilisation"] > 0.6
    assert said["clouds"]["elbe"]["cheaper"] == "here"
    assert said["own_usd_gpu_h"] == pytest.approx(2.95, abs=0.3)
    assert_books_close(engine)


def test_what_tenants_held_is_what_was_allocated(engine: Engine) -> None:
    queue = engine.summary()["queue"]
    shares = [one["allocation"] for one in queue["by_tenant"].values()]
    assert sum(shares) == pytest.approx(queue["allocation"], rel=1e-9)  # the hours without power in neither
    assert queue["slowdown_mean"] > 1  # runs that went to the cloud waited too
