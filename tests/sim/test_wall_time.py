"""Jobs that give their nodes up early: killed at their wall time, cancelled, preempted, back to the queue, given up."""

from __future__ import annotations

from typing import Any

import pytest
from sim_scenes import assert_books_close, causes, events, frame, inject, job, run_to_state, times, tiny

from twin.record.channels import JobState
from twin.record.events import Severity
from twin.record.frame import Frame
from twin.sim.engine.engine import Engine

READY_S = 100.0  # container, init, warm-up of the small scenes


def at_400(engine: Engine) -> Engine:
    """Run to 400 s, where something unimportant happens."""
    inject(engine, "400 s drain gpu/0/3")
    engine.advance(400.0)
    return engine


def whole(one: Engine) -> dict[str, Any]:
    """Run to the end; return the summary of the only job."""
    one.advance(one.end_s)
    assert_books_close(one)
    return one.summary()["jobs"][0]  # type: ignore[no-any-return]


@pytest.mark.parametrize("limit_s", [60.0, 650.0, 705.0, 1000.0, 5000.0])
def test_a_job_is_killed_at_exactly_its_wall_time_whatever_it_does(limit_s: float) -> None:
    engine = Engine(tiny(jobs=(job(limit=f"{limit_s} s"),), duration="3 h"))
    figures = whole(engine)
    assert times(engine, "job_killed") == [limit_s]
    assert figures["end_s"] == limit_s
    assert figures["state"] == "killed"
    assert [event.severity for event in events(engine, "job_killed")] == [Severity.NOTICE]
    booked = engine.summary()["ledger_gpu_s"]
    # Its 16 GPUs were at work or on their way there for all of it, and idle from then on.
    spent = sum(seconds for account, seconds in booked.items() if not account.startswith("idle_"))
    assert spent == pytest.approx(16 * limit_s, rel=1e-9)


def test_a_killed_job_keeps_what_its_last_checkpoint_holds_and_no_more() -> None:
    with_none = Engine(tiny(jobs=(job(limit="1000 s", checkpoint={"interval": "none"}),), duration="1 h"))
    whole(with_none)
    booked = with_none.summary()["ledger_gpu_s"]
    assert booked["lost_work"] == pytest.approx(16 * (1000 - READY_S), rel=1e-9)
    assert booked["productive"] == 0
    saved = Engine(tiny(jobs=(job(limit="1000 s"),), duration="1 h"))
    figures = whole(saved)
    row = saved.jobs.rows[0]
    lost = saved.summary()["ledger_gpu_s"]["lost_work"]
    kept_s = saved.plans[0].checkpoint_steps * saved.jobs.pace[0].step_s
    assert figures["steps"] == saved.plans[0].checkpoint_steps
    assert sum(row.kept) == pytest.approx(16 * kept_s, rel=1e-3)
    assert lost + sum(row.kept) == pytest.approx(16 * (1000 - READY_S - 10), rel=1e-9)


def test_a_waiting_job_starts_where_the_killed_one_was() -> None:
    jobs = (job(4, id="first", limit="1000 s"), job(4, id="second"))
    engine = Engine(tiny(jobs=jobs, duration="1 h"))
    engine.advance(engine.end_s)
    assert times(engine, "job_started") == [0.0, 1000.0]
    assert_books_close(engine)


def test_cancel_and_requeue_by_hand() -> None:
    engine = inject(
        Engine(tiny(duration="2 h")), "1000 s requeue train", "2000 s cancel train", "3000 s cancel train"
    )
    figures = whole(engine)
    assert times(engine, "job_requeued") == [1000.0]
    assert times(engine, "job_started") == [0.0, 1000.0]
    assert times(engine, "job_cancelled") == [2000.0]
    assert times(engine, "refused") == [3000.0]
    assert figures["restarts"] == 0
    assert engine.jobs.rows[0].outcome == "cancelled"
    # Container, init and warm-up again, and 10 s to write are no work; what was done after 700 s is done twice.
    assert figures["away_s"]["container"] == 50
    assert figures["away_s"]["queue"] == 0


def test_a_job_is_given_up_after_its_attempts() -> None:
    one = job(recovery=job()["recovery"] | {"attempts": 2})
    lines = [f"{1000 * k} s fail gpu/0/0/0 cause=bug for=0 s" for k in range(1, 5)]
    engine = inject(
        Engine(tiny(jobs=(one,), failures={"repair_constant": "0 s", "causes": causes(0.0)})), *lines
    )
    engine.advance(4000.0)
    assert len(times(engine, "job_resumed")) == 2
    assert times(engine, "job_given_up") == [3010.0]
    assert_books_close(engine)


def test_a_preempted_job_saves_first_and_loses_nothing() -> None:
    one = job(checkpoint={"interval": "600 s", "pause": "10 s", "drain": "30 s"})
    engine = at_400(Engine(tiny(jobs=(one,))))
    row = engine.jobs.rows[0]
    engine.recovery.preempt(row)
    run_to_state(engine, JobState.RESTARTING)
    assert times(engine, "job_requeued") == [pytest.approx(440.0)]
    assert row.progress == row.durable == pytest.approx(300 / engine.jobs.pace[0].step_s, rel=1e-2)
    assert engine.summary()["ledger_gpu_s"]["lost_work"] == 0
    engine.advance(1000.0)
    assert (row.preemptions, row.requeues) == (1, 1)
    assert events(engine, "job_resumed")[0].data["step"] == int(row.durable)
    assert_books_close(engine)


def test_a_job_preempted_without_a_checkpoint_loses_its_work() -> None:
    engine = at_400(Engine(tiny()))
    engine.recovery.preempt(engine.jobs.rows[0], checkpoint=False)
    assert engine.jobs.rows[0].state == JobState.QUEUED
    assert engine.summary()["ledger_gpu_s"]["lost_work"] == pytest.approx(16 * 300.0, rel=1e-9)


def test_work_that_is_not_yet_safe_for_good_stays_in_the_books_of_a_queued_job() -> None:
    checkpoint = {"interval": "600 s", "pause": "10 s", "drain": "30 s", "verify": "300 s"}
    jobs = (job(checkpoint=checkpoint), job(4, id="wide", submit="420 s", steps=100))
    engine = at_400(Engine(tiny(jobs=jobs)))
    inject(engine, "401 s undrain gpu/0/3")
    row = engine.jobs.rows[0]
    engine.recovery.preempt(row)
    run_to_state(engine, JobState.QUEUED)
    assert row.in_flight
    assert row.durable == 0 < row.progress
    assert_books_close(engine)
    back = Engine.restore(engine.scenario, engine.snapshot())
    back.advance(500.0)
    assert back.jobs.rows[0].in_flight
    assert_books_close(back)
    engine.advance(engine.now_s + 7200.0)
    assert row.durable > 0
    assert_books_close(engine)


def test_a_job_whose_work_ends_at_its_wall_time_is_done() -> None:
    load = {"id": "exact", "nodes": 2, "workload": {"kind": "load", "gpu": "50 %"}, "limit": "700.1 s"}
    load |= {"checkpoint": {"interval": "none"}, "recovery": {"constant": "0 s"}, "submit": "33.3 s"}
    done = Engine(tiny(jobs=(load | {"run": "700.1 s"},), duration="1 h"))
    done.advance(done.end_s)
    assert done.jobs.rows[0].outcome == "done"
    assert done.summary()["ledger_gpu_s"]["lost_work"] == 0
    over = Engine(tiny(jobs=(load | {"run": "700.2 s"},), duration="1 h"))
    over.advance(over.end_s)
    assert over.jobs.rows[0].outcome == "killed"


def test_frames_show_a_job_cancelled_in_the_queue() -> None:
    engine = Engine(tiny(jobs=(job(4, id="first"), job(4, id="second")), duration="1 h"))
    engine.advance(100.0)
    assert frame(engine).values["job.state"][1] == JobState.QUEUED
    inject(engine, "200 s cancel second")
    shown = Frame.empty(engine.layout)
    engine.fill(shown)
    engine.advance(300.0)
    engine.fill(shown)
    assert shown.values["job.state"].tolist() == [engine.jobs.rows[0].state, JobState.KILLED]


def test_a_killed_job_answers_for_its_energy_and_for_no_more() -> None:
    def energy_j(until_s: float, limit: str) -> float:
        engine = Engine(tiny(jobs=(job(limit=limit),), duration="2 h"))
        engine.advance(until_s)
        value: float = engine.summary()["jobs"][0]["energy_j"]
        return value

    killed = energy_j(7200.0, "1000 s")
    assert killed == pytest.approx(energy_j(1000.0, "2 h"), rel=1e-6)
    assert 2 * 4000 < killed / 1000 < 2 * 11_000  # two DGX, idle or at full power


def test_a_job_cancelled_before_it_came_is_never_submitted() -> None:
    engine = inject(Engine(tiny(jobs=(job(submit="500 s"),), duration="1 h")), "100 s cancel train")
    engine.advance(1000.0)
    assert times(engine, "job_cancelled") == [100.0]
    assert times(engine, "job_submitted") == []
    assert engine.scheduler.queue == []
