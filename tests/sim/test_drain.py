"""When the jobs of a drained node leave it: at once, after their next checkpoint, or when they end."""

from __future__ import annotations

import pytest
from sim_scenes import assert_books_close, events, inject, job, times, tiny

from twin.record.channels import JobState
from twin.sim.engine.engine import Engine


def drained(value: str, nodes: int = 4, drain: str = "0 s", **more: object) -> Engine:
    """Return a run whose first node is drained at 400 s, 300 s after the first step of its job."""
    one = job(checkpoint={"interval": "600 s", "pause": "10 s", "drain": drain}, **more)
    return inject(Engine(tiny(nodes, (one,), duration="3 h")), f"400 s drain gpu/0/0 {value}")


def lost(engine: Engine) -> float:
    value: float = engine.summary()["ledger_gpu_s"]["lost_work"]
    return value


def test_at_once_loses_what_was_not_saved() -> None:
    engine = drained("")
    engine.advance(1000.0)
    assert engine.jobs.rows[0].nodes == [2, 1]
    assert lost(engine) == pytest.approx(16 * 300)
    assert drained("value=now").event_hash() == drained("").event_hash()


@pytest.mark.parametrize("drain_s", [0, 90])
def test_behind_the_next_checkpoint_nothing_is_lost(drain_s: int) -> None:
    engine = drained("value=checkpoint", drain=f"{drain_s} s")
    row = engine.jobs.rows[0]
    engine.advance(700.0)
    assert row.nodes == [0, 1]
    again = Engine.restore(engine.scenario, engine.snapshot())
    engine.advance(5000.0)
    again.advance(5000.0)
    assert row.nodes == [2, 1]
    assert lost(engine) == 0
    assert times(engine, "job_interrupted") == []
    taken = times(engine, "spare_taken")
    assert taken == [pytest.approx(710 + drain_s, abs=10)]  # a step is a few seconds
    assert events(engine, "job_resumed")[0].data["step"] > 0
    assert again.event_hash() == engine.event_hash()
    assert_books_close(engine)


def test_nobody_stands_still_to_leave_a_node_that_works() -> None:
    engine = drained("value=checkpoint", nodes=2)
    engine.advance(5000.0)
    assert engine.jobs.rows[0].state in (JobState.RUNNING, JobState.CHECKPOINT)
    assert engine.jobs.rows[0].nodes == [0, 1]
    assert_books_close(engine)


def test_a_node_taken_back_in_time_is_not_left() -> None:
    engine = inject(drained("value=checkpoint"), "500 s undrain gpu/0/0")
    engine.advance(5000.0)
    assert engine.jobs.rows[0].nodes == [0, 1]


def test_to_the_end_nothing_happens_to_the_job_and_nothing_new_comes() -> None:
    engine = drained("value=end", run="1000 s")
    plain = Engine(tiny(4, (job(run="1000 s"),), duration="3 h"))
    for one in (engine, plain):
        one.advance(5000.0)
    assert times(engine, "job_done") == times(plain, "job_done")
    assert not engine.nodes.usable[0]
    assert_books_close(engine)
