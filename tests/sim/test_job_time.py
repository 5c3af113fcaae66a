"""Where the time of a job went: what frames tell of each job adds up to what the ledger tells of all."""

import pytest
from sim_scenes import causes, job, shipped, tiny

from twin.record.accounts import JOB_SECONDS
from twin.record.frame import Frame
from twin.sim.engine.engine import Engine

OF_JOBS = {account for accounts in JOB_SECONDS.values() for account in accounts}


def _frame(engine: Engine) -> Frame:
    frame = Frame.empty(engine.layout)
    engine.fill(frame)
    return frame


@pytest.mark.parametrize("name", ["lab-16", "mixed-workloads"])
def test_jobs_and_ledger_tell_the_same(name: str) -> None:
    engine = Engine(shipped(name), 3)
    for share in (0.1, 0.37, 1.0):
        engine.advance(share * engine.end_s)
        values = _frame(engine).values
        gpu_s = sum(float(values[id][row.index]) * row.gpus for id in JOB_SECONDS for row in engine.jobs.rows)
        ledger = engine.summary()["ledger_gpu_s"]
        booked = sum(seconds for account, seconds in ledger.items() if account in OF_JOBS)
        assert gpu_s == pytest.approx(booked, rel=1e-5)


def test_each_phase_of_a_restart_is_told_apart() -> None:
    scene = tiny(jobs=(job(2, steps=100_000),), failures={"repair_constant": "2 h", "causes": causes(0.0)})
    engine = Engine(scene, 1)
    from twin.scenario.reading.inject_option import parse_injection

    assert engine.intervene(parse_injection("4000 s fail gpu/0/0/0 for=1h")) is None
    engine.advance(9000.0)
    values = _frame(engine).values
    assert values["job.detect_s"][0] == pytest.approx(10.0, abs=0.01)
    assert values["job.lost_s"][0] > 0
    assert values["job.checkpoint_s"][0] == pytest.approx(10.0 * (9000 // 610 - 1), abs=30.0)
    held_s = sum(float(values[id][0]) for id in JOB_SECONDS)
    assert held_s == pytest.approx(
        9000.0, rel=1e-3
    )  # a spare was there: it never stood with less than it asked for
