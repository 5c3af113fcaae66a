"""Spares come from nobody who keeps nodes for himself; what a failure did not touch need not restart."""

from __future__ import annotations

from typing import Any

import pytest
from sim_scenes import RECOVERY, assert_books_close, inject, job, run_to_state, times, tiny

from twin.record.channels import JobState
from twin.sim.engine.engine import Engine


def window(nodes: int) -> dict[str, Any]:
    """Return nodes set aside for a tenant from 10 to 40 min."""
    return {"id": "course", "at": "600 s", "for": "1800 s", "nodes": nodes, "tenants": ["b"]}


def struck(reserved: int) -> Engine:
    """Return a run in which a job believed to be over loses its first node while nodes are set aside."""
    one = job(tenant="a", estimate="500 s", steps=100_000)
    tenants = [{"id": "a"}, {"id": "b"}]
    scene = tiny(jobs=(one,), tenants=tenants, reservations=[window(reserved)], duration="3 h")
    return inject(Engine(scene), "700 s fail gpu/0/0 for=2 h")


def test_a_spare_is_not_taken_from_a_reservation() -> None:
    engine = struck(reserved=3)
    engine.advance(1000.0)
    assert engine.jobs.rows[0].nodes == [3, 1]  # node 2 is set aside
    assert_books_close(engine)


def test_who_found_only_reserved_spares_goes_on_when_the_reservation_ends() -> None:
    engine = struck(reserved=4)
    engine.advance(2399.0)
    assert engine.jobs.rows[0].state == JobState.WAITING
    engine.advance(2401.0)
    assert engine.jobs.rows[0].nodes == [2, 1]
    assert_books_close(engine)


def test_a_spare_is_not_taken_where_a_tenant_keeps_apart() -> None:
    tenants = [{"id": "a"}, {"id": "b", "isolation": "rack"}]
    rows = [
        {"id": "gpu", "racks": {"count": 2, "nodes": [{"part": "DGX-H100", "count": 2, "first_u": 3}]}},
    ]
    jobs = (job(2, id="mine", tenant="a"), job(1, id="theirs", tenant="b"))
    scene = tiny(jobs=jobs, tenants=tenants, halls=[{"id": "hall", "rows": rows}], duration="3 h")
    engine = inject(Engine(scene), "1000 s fail gpu/0/0/0 for=1 h")
    engine.advance(2000.0)
    assert engine.jobs.rows[1].nodes == [2]
    assert engine.jobs.rows[0].state == JobState.WAITING  # node 3 is in the rack of b
    engine.advance(5000.0)
    assert engine.jobs.rows[0].nodes == [0, 1]
    assert_books_close(engine)


@pytest.mark.parametrize(("partial", "share"), [("none", 1.0), ("replica", 0.5)])
def test_a_crash_restarts_the_replica_it_struck_alone(partial: str, share: float) -> None:
    engine = Engine(tiny(jobs=(job(recovery=RECOVERY | {"partial": partial}),)))
    inject(engine, "1000 s fail gpu/0/0/0 cause=bug for=0 s")
    engine.advance(1000.0)
    run_to_state(engine, JobState.RESTARTING)
    row = engine.jobs.rows[0]
    swap_s, _, init_s, load_s, warmup_s, _ = row.budget_s
    assert (swap_s, init_s, warmup_s) == (0, 20 * share, 30)
    assert load_s == pytest.approx(share * engine.plans[0].load_s)
    assert times(engine, "job_interrupted") == [1000.0]
    run_to_state(engine, JobState.RUNNING)
    assert row.struck == []
