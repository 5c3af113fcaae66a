"""Faults seen elsewhere strike here at their times; the published trace of InfiniteHBD comes out exactly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sim_scenes import assert_books_close, causes, events, tiny

from twin.analysis.reliability_runs import concurrent_down
from twin.scenario.formats.fault_trace import Faults, faults_of, pack, read_faults
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine

TRACE = Path("/work/shared/reference/traces/infinitehbd/fault_trace.json")
DAY_S = 86400.0
SEEN_DAYS = 348.98


def _replaying(faults: Faults, nodes: int = 4, **more: Any) -> Scenario:
    failures = {"causes": causes(0.0), "trace": {"file": "faults.csv", "rows": pack(faults)}}
    return tiny(nodes=nodes, failures=failures, **more)


def _table(*rows: str) -> Faults:
    return faults_of("node,start_s,end_s,cause\n" + "\n".join(rows), "faults.csv")


def test_a_node_is_down_until_the_last_of_its_faults_is_over() -> None:
    faults = _table("x,1000,5000,gpu", "y,2000,2500,nic", "x,3000,9000,nic", "x,4000,4500,fan")
    engine = Engine(_replaying(faults), 1)
    engine.advance(20_000.0)
    assert [(one.t_s, one.subject) for one in events(engine, "failure")] == [
        (1000.0, "gpu/0/0/0"),
        (2000.0, "gpu/0/1/0"),
        (3000.0, "gpu/0/0/0"),
        (4000.0, "gpu/0/0/0"),
    ]
    assert [(one.t_s, one.subject) for one in events(engine, "repaired")] == [
        (2500.0, "gpu/0/1/0"),
        (9000.0, "gpu/0/0/0"),
    ]
    figures = engine.summary()
    assert figures["failures"]["down"]["mean"] == pytest.approx((8000 + 500) / 20_000)
    assert figures["failures"]["down"]["most"] == 2
    assert figures["failures"]["by_cause"] | {"gpu": 1, "nic": 2, "fan": 1} == figures["failures"]["by_cause"]
    assert figures["interruptions"]["unexpected"] == 2  # later ones strike nodes in repair, which hold no job
    assert_books_close(engine)


def test_nodes_beyond_those_that_stand_here_are_left_out_and_times_can_be_stretched() -> None:
    faults = _table(*(f"n{k},{100 * (k + 1)},{100 * (k + 2)},gpu" for k in range(6)))
    scene = _replaying(faults, jobs=())
    trace = scene.failures.trace
    assert trace is not None
    failures = scene.failures.model_copy(update={"trace": trace.model_copy(update={"time": 10.0})})
    engine = Engine(scene.model_copy(update={"failures": failures}), 1)
    engine.advance(20_000.0)
    assert [one.t_s for one in events(engine, "failure")] == [1000.0, 2000.0, 3000.0, 4000.0]
    assert [one.data["nodes"] for one in events(engine, "trace_cut")] == [2]


def test_a_replay_restores_to_the_same_future() -> None:
    rng = np.random.default_rng(3)
    start = np.sort(rng.uniform(0, 20 * DAY_S, 60))
    faults = Faults(np.arange(60) % 4, start, start + rng.exponential(DAY_S / 4, 60), ("gpu", "nic") * 30)
    scene = _replaying(faults)
    whole = Engine(scene, 8)
    whole.advance(9 * DAY_S)
    again = Engine.restore(scene, whole.snapshot())
    for engine in (whole, again):
        engine.advance(25 * DAY_S)
    assert whole.event_hash() == again.event_hash()
    assert whole.summary()["failures"] == again.summary()["failures"]


@pytest.fixture(scope="module")
def infinitehbd() -> Faults:
    if not TRACE.exists():
        pytest.skip(f"{TRACE} is not on this machine")
    return read_faults(TRACE)


def test_the_published_trace_has_the_published_figures(infinitehbd: Faults) -> None:
    down = concurrent_down(infinitehbd, SEEN_DAYS * DAY_S)
    assert (round(down.mean, 2), down.p99, down.most) == (9.26, 31, 35)
    assert (len(infinitehbd.cause), infinitehbd.nodes) == (584, 231)


@pytest.mark.slow
def test_the_published_trace_replayed_on_400_nodes_gives_them_too(infinitehbd: Faults) -> None:
    rows = {"id": "gpu", "racks": {"count": 100, "nodes": [{"part": "DGX-H100", "count": 4, "first_u": 3}]}}
    halls = [{"id": "hall", "rows": [rows]}]
    scene = _replaying(infinitehbd, halls=halls, jobs=(), duration="349 day")
    engine = Engine(scene, 1)
    engine.advance(SEEN_DAYS * DAY_S)
    figures = engine.summary()
    down = figures["failures"]["down"]
    assert figures["nodes"] == 400
    assert (round(down["mean"], 2), down["p99"], down["most"]) == (9.26, 31, 35)
    assert down["mean"] == pytest.approx(concurrent_down(infinitehbd, SEEN_DAYS * DAY_S).mean, rel=1e-9)
    assert sum(figures["failures"]["by_cause"].values()) == 584
