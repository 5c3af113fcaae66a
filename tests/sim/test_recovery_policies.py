"""The shipped scene of recovery policies: four answers to the same lost nodes differ as they should, and why."""

from __future__ import annotations

from typing import Any

import pytest
from sim_scenes import shipped, times

from twin.record.channels import JobState
from twin.sim.engine.engine import Engine

HOUR_S = 3600.0
SPARE, REQUEUE, SHRINK, DROP = range(4)


@pytest.fixture(scope="module")
def told() -> tuple[Engine, dict[str, list[float]], list[dict[str, Any]]]:
    """Return a run of 30 h, goodput of each after 18 and 30 h, and the jobs' summaries then."""
    engine = Engine(shipped("recovery-policies"))
    goodput = {}
    for hour in (18, 30):
        engine.advance(hour * HOUR_S - 1)
        goodput[f"{hour} h"] = [engine.jobs.goodput(row, engine.now_s) or 0.0 for row in engine.jobs.rows[:4]]
    return engine, goodput, engine.summary()["jobs"][:4]


def test_while_spares_last_the_queue_alone_is_dear(told: Any) -> None:
    _, goodput, _ = told
    spare, requeue, shrink, drop = goodput["18 h"]
    assert shrink == pytest.approx(spare, abs=0.002)  # it takes spares too
    assert requeue < spare - 0.1  # three hours of small jobs went first
    assert spare < drop < 1.01  # two failures that cost next to nothing
    assert spare == pytest.approx(1 - 2 * (1650 / (18 * HOUR_S)) - 150 / (18 * HOUR_S), abs=0.01)


def test_without_a_spare_to_go_on_with_less_beats_to_wait(told: Any) -> None:
    engine, goodput, _ = told
    spare, requeue, shrink, drop = goodput["30 h"]
    assert drop > shrink > spare > requeue
    assert spare == pytest.approx(goodput["18 h"][SPARE] * 18 / 30, abs=0.08)  # it stands since 20 h
    states = [row.state for row in engine.jobs.rows[:4]]
    assert states == [JobState.WAITING, JobState.QUEUED, JobState.RUNNING, JobState.RUNNING]
    assert [row.width for row in engine.jobs.rows[SHRINK : DROP + 1]] == [15, 15]


def test_each_loses_its_time_where_its_policy_puts_it(told: Any) -> None:
    engine, _, jobs = told
    away = [job["away_s"] for job in jobs]
    assert away[REQUEUE]["queue"] == pytest.approx((3 + 10) * HOUR_S + 130, abs=60)  # since 20 h again
    assert away[SPARE]["wait"] == pytest.approx(10 * HOUR_S - 21)
    assert away[SPARE]["queue"] == away[SHRINK]["queue"] == away[DROP]["queue"] == 0
    assert away[SPARE]["swap"] == away[SHRINK]["swap"] - 45 == 90
    assert sum(away[DROP].values()) < 80  # notices, and joins those it takes back
    lost = [job["lost_s"] for job in jobs]
    assert lost[DROP] < 30 < 3 * 1200 < min(lost[SPARE], lost[SHRINK])
    assert times(engine, "waiting_for_spare") == [20 * HOUR_S + 20]


def test_the_books_of_all_four_close(told: Any) -> None:
    engine, _, _ = told
    booked = engine.summary()["ledger_gpu_s"]
    assert sum(booked.values()) == pytest.approx(576 * engine.now_s, rel=1e-9)
    assert engine.summary()["energy"]["residual"] <= 1e-9


def test_the_steps_of_the_notes_are_those_of_the_run() -> None:
    engine = Engine(shipped("recovery-policies"))
    for hours, steps in ((20.0, (4600, 3900, 4600, 5000)), (72.0, (9100, 8300, 16_900, 17_400))):
        engine.advance(hours * HOUR_S)
        assert [job["steps"] for job in engine.summary()["jobs"][:4]] == pytest.approx(steps, abs=60)
        assert all(f"{step:,}" in engine.scenario.notes for step in steps)
