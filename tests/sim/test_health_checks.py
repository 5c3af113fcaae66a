"""Health checks: what they find, how often, and what becomes of the node and of its job."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.sim.sim_scenes import assert_books_close, causes, events, frame, inject, job, tiny
from twin.record.channels import NodeCondition
from twin.sim.engine.engine import Engine

HOUR_S = 3600.0
DAY_S = 24 * HOUR_S
STEPS = 30_000
"""Of a job of some seven hours."""


def ward(nodes: int = 4, jobs: tuple[dict[str, Any], ...] = (), **check: Any) -> Engine:
    """Return a run with one check that finds all it can see, unless said otherwise."""
    one = {"id": "burn_test", "coverage": "100 %"} | check
    failures = {"repair_constant": "2 h", "causes": causes(0.0), "checks": [one]}
    return Engine(tiny(nodes, jobs, duration="60 day", failures=failures))


def test_a_free_node_is_repaired_when_a_check_finds_it() -> None:
    engine = inject(ward(every="6 h"), "1 h slow gpu/0/0/0 value=77% for=9day")
    engine.advance(DAY_S)
    (found,) = events(engine, "health_check")
    assert (found.t_s, found.subject) == (6 * HOUR_S, "gpu/0/0/0")
    assert engine.degraded.sick() == []
    assert engine.summary()["health"] == {
        "runs": 4 * 4,
        "found": 1,
        "by_check": {"burn_test": {"runs": 16, "found": 1}},
    }


def test_a_node_at_work_goes_to_repair_when_its_job_has_left() -> None:
    work = job(2, steps=STEPS)
    engine = inject(ward(4, (work,), every="2 h"), "1 h slow gpu/0/0/0 value=90% for=9day")
    engine.advance(3 * HOUR_S)
    assert engine.nodes.withheld[0]
    assert engine.jobs.rows[0].interruptions == 0
    assert engine.jobs.rows[0].end_s is None
    engine.advance(DAY_S)
    assert engine.jobs.rows[0].end_s is not None
    (found,) = events(engine, "node_found")
    assert found.t_s == engine.jobs.rows[0].end_s
    assert not engine.nodes.withheld.any()
    assert len(events(engine, "health_check")) == 1
    assert_books_close(engine)


def test_wrong_results_stop_the_job_at_once() -> None:
    engine = inject(ward(4, (job(2),), every="2 h"), "1 h corrupt gpu/0/0/0 for=9day")
    engine.advance(3 * HOUR_S)
    assert [event.t_s for event in events(engine, "node_found")] == [2 * HOUR_S]
    assert engine.jobs.rows[0].interruptions == 1


def test_a_report_changes_nothing_and_is_told_once() -> None:
    engine = inject(ward(every="2 h", action="report"), "1 h slow gpu/0/0/0 for=9day")
    engine.advance(DAY_S)
    assert len(events(engine, "health_check")) == 1
    assert engine.degraded.sick() == [0]
    assert engine.nodes.usable.all()


def test_a_check_sees_only_its_kinds_of_faults() -> None:
    engine = inject(ward(every="2 h", finds=["pcie"]), "1 h slow gpu/0/0/0 for=9day")
    engine.advance(DAY_S)
    assert events(engine, "health_check") == []


def test_found_at_one_run_is_the_coverage() -> None:
    nodes, coverage = 300, 0.6
    engine = ward(nodes, every="2 h", coverage=coverage)
    for rack in range(nodes):
        inject(engine, f"1 h slow gpu/0/{rack}/0 for=9day")
    engine.advance(2 * HOUR_S)
    error = math.sqrt(nodes * coverage * (1 - coverage))
    assert abs(engine.summary()["health"]["found"] - nodes * coverage) < 3 * error
    engine.advance(4 * HOUR_S)  # the rest has the same chance again
    assert abs(engine.summary()["health"]["found"] - nodes * 0.84) < 3 * error


def test_between_jobs_nodes_wait_for_the_outcome() -> None:
    jobs = tuple(job(4, id=id, steps=STEPS) for id in ("first", "second"))
    engine = ward(4, jobs, lasts="30 min")
    engine.advance(DAY_S)
    first, second = engine.jobs.rows
    assert first.end_s is not None
    assert second.start_s == first.end_s + 1800
    assert engine.summary()["ledger_gpu_s"]["idle_drained"] == pytest.approx(2 * 1800 * 32)
    assert engine.summary()["health"]["runs"] == 8
    assert_books_close(engine)


def test_a_check_that_lasts_holds_idle_nodes_and_lets_work_go_on() -> None:
    engine = ward(4, (job(2),), every="5 h", lasts="1 h")
    engine.advance(5.5 * HOUR_S)
    shown = frame(engine).values["node.condition"]
    assert sorted(shown.tolist()) == [NodeCondition.IN_USE] * 2 + [NodeCondition.CHECKED] * 2
    engine.advance(6 * HOUR_S)
    assert np.count_nonzero(engine.nodes.withheld) == 0
    assert engine.summary()["ledger_gpu_s"]["idle_drained"] == pytest.approx(HOUR_S * 16)


def test_a_snapshot_amid_a_check_goes_on_the_same() -> None:
    engine = ward(12, (job(4), job(4, id="other", steps=STEPS)), every="5 h", lasts="1 h", coverage=0.5)
    for rack in range(0, 12, 2):
        inject(engine, f"1 h slow gpu/0/{rack}/0 for=9day")
    engine.advance(5.5 * HOUR_S)
    copy = Engine.restore(engine.scenario, engine.snapshot())
    for run in (engine, copy):
        run.advance(3 * DAY_S)
    assert copy.event_hash() == engine.event_hash()
    assert copy.summary() == engine.summary()


LEMON = {"failures": 3, "within": "10 day", "replace": "4 day"}


def orchard(**rule: Any) -> Engine:
    """Return a run of ten nodes with a lemon rule; nothing fails by itself."""
    failures = {"repair_constant": "2 h", "causes": causes(0.0), "lemon_rule": LEMON | rule}
    return Engine(tiny(10, (), duration="60 day", failures=failures))


def test_the_third_failure_within_the_window_takes_a_node_out_until_it_is_replaced() -> None:
    engine = orchard()
    inject(engine, *(f"{day} day fail gpu/0/0/0 cause=gpu" for day in (0, 1, 12, 14, 16)))
    before = engine.failures.quality.copy()
    engine.advance(17 * DAY_S)
    (out,) = events(engine, "lemon_out")  # of the failures on days 12, 14 and 16
    assert out.t_s == 16 * DAY_S
    assert frame(engine).values["node.condition"][0] == NodeCondition.REPLACED
    engine.advance(21 * DAY_S)
    assert [event.t_s for event in events(engine, "replaced")] == [20 * DAY_S]
    assert engine.nodes.usable.all()
    assert engine.failures.generation[0] == 1
    assert engine.summary()["lemons"] == {"out": 1, "replaced": 1}
    assert (engine.failures.quality[1:] == before[1:]).all()


def test_without_replacement_a_lemon_is_repaired_and_stays_out() -> None:
    engine = orchard(replace=None)
    inject(engine, *(f"{day} day fail gpu/0/0/0 cause=gpu" for day in (0, 1, 2)))
    engine.advance(10 * DAY_S)
    assert frame(engine).values["node.condition"][0] == NodeCondition.LEMON
    assert engine.summary()["lemons"] == {"out": 1, "replaced": 0}


def test_planned_work_makes_no_lemon() -> None:
    engine = orchard()
    inject(engine, *(f"{day} day fail gpu/0/0/0 cause=work" for day in (0, 1, 2, 3)))
    engine.advance(10 * DAY_S)
    assert events(engine, "lemon_out") == []


def fleet_failures(rule: dict[str, Any] | None, seed: int) -> tuple[int, int]:
    """Return failures of 120 lemons and better nodes in the second half of a hard time, and nodes taken out."""
    rates = [{"id": "gpu", "rate": "32 per 1000 node-day", "repair": "gpu"}]
    failures = {"repair_constant": "8 h", "causes": rates, "lemons": True, "lemon_rule": rule}
    engine = Engine(tiny(120, (), duration="100 day", failures=failures), seed=seed)
    engine.advance(100 * DAY_S)
    late = [event for event in events(engine, "failure") if event.t_s > 50 * DAY_S]
    return len(late), engine.summary()["lemons"]["out"]


@pytest.mark.slow
def test_taking_lemons_out_cuts_the_failures_of_a_fleet() -> None:
    rule = {"failures": 3, "within": "22 day", "replace": "2 day"}
    without, _ = fleet_failures(None, 5)
    with_rule, out = fleet_failures(rule, 5)
    assert out > 5
    assert with_rule < 0.93 * without
