"""Hand cases on a hall of four nodes: every second of a failure is where it should be."""

from __future__ import annotations

import pytest
from sim_scenes import RECOVERY, events, inject, job, run_to_state, times, tiny

from twin.record.channels import JobState
from twin.sim.core.nodes import DRAINED, FREE
from twin.sim.engine.engine import Engine
from twin.sim.jobs.work import Work

START_S = 100.0  # container + init + warm-up


def load_s(engine: Engine) -> float:
    """Return how long a checkpoint takes to load [s]."""
    work: Work = engine.jobs.work[0]
    return work.checkpoint_bytes / 1e9


def one_loss(engine: Engine) -> tuple[int, float, float]:
    """Return (interruptions, lost GPU seconds, ledger's) of job 0."""
    row = engine.jobs.rows[0]
    return row.interruptions, row.lost_gpu_s, engine.summary()["ledger_gpu_s"]["lost_work"]


def test_without_failures_ettr_is_what_the_step_counts_say() -> None:
    engine = Engine(tiny(nodes=2), 1)
    engine.advance(5 * 86400.0)
    run_to_state(engine, JobState.CHECKPOINT)
    run_to_state(engine, JobState.RUNNING)  # just after a write
    row, plan = engine.jobs.rows[0], engine.plans[0]
    writes = len(times(engine, "checkpoint"))
    assert row.progress == row.durable == writes * plan.checkpoint_steps
    booked = engine.summary()["ledger_gpu_s"]
    assert booked["checkpoint_stall"] == pytest.approx(writes * 10.0 * 16, rel=1e-12)
    assert booked["restart_and_load"] == pytest.approx(START_S * 16, rel=1e-12)
    wall_s = engine.now_s - START_S
    tau_s = wall_s / writes - 10.0
    assert tau_s == pytest.approx(plan.checkpoint_steps * engine.jobs.pace[0].step_s, rel=1e-3)
    ettr = engine.summary()["jobs"][0]["ettr"]
    assert ettr * engine.now_s == pytest.approx(writes * tau_s, rel=1e-12)
    assert ettr == pytest.approx(tau_s / (tau_s + 10), rel=START_S / wall_s * 1.01)


def test_steps_are_counted_and_a_job_ends_at_its_last() -> None:
    engine = Engine(tiny(jobs=(job(steps=1000),)), 1)
    engine.advance(86400.0)
    done = events(engine, "job_done")
    assert [event.data["step"] for event in done] == [1000]
    figures = engine.summary()["jobs"][0]
    assert figures["state"] == "done"
    assert figures["steps"] == 1000
    work = engine.jobs.work[0]
    pauses = len(times(engine, "checkpoint")) * 10.0
    assert done[0].t_s == pytest.approx(START_S + 1000 * work.step_s + pauses, rel=2e-2)
    kept = figures["ettr"] * (figures["end_s"] - figures["start_s"])
    assert kept == pytest.approx(done[0].t_s - START_S - pauses, rel=1e-9)
    assert (engine.nodes.job == -1).all()


def test_a_failure_at_a_known_time_gives_the_exact_timeline() -> None:
    engine = inject(Engine(tiny(), 1), "2000 s fail gpu/0/1/0 cause=gpu")
    engine.advance(2000.0 - 1e-6)
    durable_s = times(engine, "checkpoint")[-1]
    durable = engine.jobs.rows[0].durable
    engine.advance(86400.0)
    assert one_loss(engine)[0] == 1
    assert one_loss(engine)[1] == pytest.approx((2000.0 - durable_s) * 16, rel=1e-9)
    assert one_loss(engine)[2] == pytest.approx(one_loss(engine)[1], rel=1e-12)
    assert times(engine, "job_interrupted") == [2000.0]
    assert times(engine, "spare_taken") == [2010.0]
    resumed = events(engine, "job_resumed")
    assert [event.t_s for event in resumed] == pytest.approx([2010 + 40 + 50 + 20 + load_s(engine) + 30])
    assert resumed[0].data["step"] == int(durable)
    assert times(engine, "repaired") == [2000.0 + 7200.0]
    booked = engine.summary()["ledger_gpu_s"]
    assert booked["detection"] == pytest.approx(10 * 16)
    assert booked["restart_and_load"] == pytest.approx((START_S + 140 + load_s(engine)) * 16)
    assert booked["idle_in_repair"] == pytest.approx((7200 - 10) * 8)
    assert engine.jobs.rows[0].nodes == [0, 2]
    assert engine.summary()["interruptions"]["by_cause"]["gpu"] == 1


def test_a_failure_while_a_checkpoint_drains_falls_back_to_the_one_before() -> None:
    drains = job(checkpoint={"interval": "600 s", "pause": "10 s", "drain": "200 s"})
    engine = Engine(tiny(jobs=(drains,)), 1)
    for _ in range(3):  # checkpoints
        run_to_state(engine, JobState.CHECKPOINT)
        run_to_state(engine, JobState.RUNNING)
    row, plan = engine.jobs.rows[0], engine.plans[0]
    assert row.progress == 3 * plan.checkpoint_steps
    assert row.durable == 2 * plan.checkpoint_steps
    inject(engine, f"{engine.now_s + 199.9} s fail gpu/0/0/0 cause=bug")
    engine.advance(engine.now_s + 200.5)
    assert row.durable == row.progress == 2 * plan.checkpoint_steps
    assert events(engine, "job_interrupted")[0].data["step"] == 2 * plan.checkpoint_steps
    assert row.lost_gpu_s == pytest.approx((600 + 199.9) * 16, rel=1e-2)
    later = Engine(tiny(jobs=(drains,)), 1)
    inject(later, f"{times(engine, 'job_interrupted')[0] + 0.2} s fail gpu/0/0/0 cause=bug")
    later.advance(engine.now_s)
    assert later.jobs.rows[0].durable == 3 * plan.checkpoint_steps


def test_a_failure_in_a_restart_restarts_the_restart() -> None:
    engine = inject(Engine(tiny(), 1), "2000 s fail gpu/0/1/0 cause=bug", "2050 s fail gpu/0/0/0 cause=bug")
    engine.advance(3000.0)
    assert times(engine, "job_resumed") == pytest.approx([2060 + 100 + load_s(engine)])
    assert times(engine, "job_interrupted") == [2000.0, 2050.0]
    booked = engine.summary()["ledger_gpu_s"]
    assert booked["detection"] == pytest.approx(2 * 10 * 16)
    assert booked["restart_and_load"] == pytest.approx((START_S + 40 + 100 + load_s(engine)) * 16)


def test_without_a_spare_the_job_waits_for_the_repair() -> None:
    engine = inject(Engine(tiny(nodes=2), 1), "2000 s fail gpu/0/1/0 cause=gpu")
    engine.advance(86400.0)
    assert times(engine, "waiting_for_spare") == [2010.0]
    assert times(engine, "spare_taken") == [9200.0]
    assert times(engine, "job_resumed") == pytest.approx([9200 + 100 + load_s(engine)])
    booked = engine.summary()["ledger_gpu_s"]
    assert booked["idle_reserved"] == pytest.approx((9200 - 2010) * 8)
    assert booked["idle_in_repair"] == pytest.approx((9200 - 2010) * 8)


def test_a_finished_job_gives_its_nodes_to_one_that_waits() -> None:
    short = job(id="short", steps=6000)
    engine = inject(Engine(tiny(jobs=(job(), short)), 1), "2000 s fail gpu/0/1/0 cause=gpu")
    engine.advance(9000.0)
    done_s = times(engine, "job_done")[0]
    assert 2010 < done_s < 9000
    assert times(engine, "spare_taken") == [done_s]
    assert engine.jobs.rows[0].state == JobState.RUNNING


def test_a_hang_is_found_by_the_watchdog_and_keeps_its_node() -> None:
    engine = inject(Engine(tiny(), 1), "2000 s fail gpu/0/1/0 cause=hang")
    engine.advance(4000.0)
    assert times(engine, "job_resumed") == pytest.approx([2300 + 100 + load_s(engine)])
    assert engine.jobs.rows[0].nodes == [0, 1]
    assert not times(engine, "spare_taken", "repaired")
    assert engine.summary()["ledger_gpu_s"]["detection"] == pytest.approx(300 * 16)


def test_drain_and_undrain() -> None:
    engine = inject(Engine(tiny(nodes=3), 1), "2000 s drain gpu/0/1/0", "4000 s undrain gpu/0/1/0")
    engine.advance(3000.0)
    assert engine.jobs.rows[0].nodes == [0, 2]
    assert engine.nodes.condition.tolist() == [FREE, DRAINED, FREE]
    engine.advance(5000.0)
    assert engine.nodes.condition.tolist() == [FREE, FREE, FREE]
    assert engine.jobs.rows[0].nodes == [0, 2]
    counted = engine.summary()["interruptions"]
    assert counted["unexpected"] == 0
    assert counted["planned"] == 1
    assert engine.summary()["ledger_gpu_s"]["idle_drained"] == pytest.approx((4000 - 2010) * 8)


def test_a_hall_is_drained_as_one_thing() -> None:
    engine = inject(Engine(tiny(nodes=3), 1), "2000 s drain hall", "4000 s undrain hall")
    engine.advance(3000.0)
    assert engine.nodes.condition.tolist() == [DRAINED] * 3
    assert engine.jobs.rows[0].state == JobState.WAITING
    (drained,) = events(engine, "drained")
    assert (drained.subject, drained.data["nodes"]) == ("hall", 3)
    engine.advance(5000.0)
    assert engine.nodes.condition.tolist() == [FREE] * 3
    assert engine.jobs.rows[0].state == JobState.RUNNING
    assert engine.summary()["interruptions"]["planned"] == 1


def test_a_cordon_outlasts_a_repair_and_ends_with_it_if_lifted_before() -> None:
    lines = ("2000 s fail gpu/0/3/0 cause=gpu", "3000 s drain gpu/0/3/0", "20000 s undrain gpu/0/3/0")
    engine = inject(Engine(tiny(), 1), *lines, "21000 s fail gpu/0/3/0 cause=gpu")
    engine.advance(10000.0)
    assert engine.nodes.condition[3] == DRAINED
    engine.advance(40000.0)
    assert engine.nodes.condition[3] == FREE
    drained = tiny(halls=[_hall_with_drained()])
    engine = inject(Engine(drained, 1), "2000 s fail gpu/0/3/0 cause=gpu")
    engine.advance(86400.0)
    assert engine.nodes.condition[3] == DRAINED


def _hall_with_drained() -> dict[str, object]:
    hall = tiny().halls[0].model_dump(by_alias=True)
    return hall | {"overrides": {"gpu/0/3/0": {"drained": True}}}


def test_failures_of_idle_nodes_interrupt_nobody() -> None:
    engine = inject(Engine(tiny(), 1), "2000 s fail gpu/0/3/0 cause=gpu")
    engine.advance(20000.0)
    assert engine.summary()["interruptions"]["unexpected"] == 0
    assert engine.summary()["ledger_gpu_s"]["idle_in_repair"] == pytest.approx(7200 * 8)


def test_jobs_queue_first_come_first_served_and_never_overtake() -> None:
    jobs = (job(3, id="a", steps=3000), job(2, id="b", steps=3000), job(1, id="c", steps=3000))
    engine = Engine(tiny(jobs=jobs), 1)
    engine.advance(86400.0)
    starts = {event.subject: event.t_s for event in events(engine, "job_started")}
    ends = {event.subject: event.t_s for event in events(engine, "job_done")}
    assert starts == {"a": 0.0, "b": ends["a"], "c": ends["a"]}


def test_one_restart_time_may_stand_for_all_parts() -> None:
    constant = job(recovery={"constant": "77 s"})
    engine = inject(Engine(tiny(jobs=(constant,)), 1), "2000 s fail gpu/0/1/0 cause=gpu")
    engine.advance(3000.0)
    assert times(engine, "job_running") == [77.0]
    assert times(engine, "job_resumed") == [2077.0]


def test_recovery_parts_are_those_of_the_scene() -> None:
    slower = job(recovery=RECOVERY | {"container": "150 s"})
    engines = [inject(Engine(tiny(jobs=(j,)), 1), "2000 s fail gpu/0/1/0 cause=gpu") for j in (job(), slower)]
    for engine in engines:
        engine.advance(4000.0)
    fast, slow = (times(engine, "job_resumed")[0] for engine in engines)
    assert slow - fast == pytest.approx(100.0)
