"""Whoever comes far behind in a long queue changes nothing, and asks for no decision."""

from __future__ import annotations

import pytest
from usual_cases import usually

from twin.scenario import loads
from twin.scenario.schema.document import Scenario
from twin.schedule.planner import Planner
from twin.sim.engine.engine import Engine

SCENE = """
format: twin/scenario
version: 3
catalog: "2026.11"
title: A queue that only grows
duration: 1 day
halls:
  - id: hall
    rows: [{id: gpu, count: 1, pitch: 3 m, racks: {count: 2, nodes: [{part: DGX-H100, count: 4, first_u: 2}]}}]
cooling:
  plants: [{id: water, kind: chiller, supply: 16 degC}]
  loops: [{id: crah, kind: air, part: FanWall-500, count: 1, plant: water, serves: [gpu], supply: 22 degC}]
scheduler: {policy: easy, depth: 6}
streams:
  - id: many
    count: 400
    arrivals: {kind: poisson, gap: 60 s}
    sizes: {gpus: [1, 2, 8, 16, 64], weights: [5, 3, 4, 3, 1]}
    lengths: {kind: lognormal, mean: 1 h, sigma: 1.0, longest: 6 h}
    limit: 2
    recovery: {policy: requeue, constant: 2 min}
failures:
  causes: [{id: software, rate: 50 per 1000 node-day, repair: restart}]
"""


def scene(backfill: str, depth: int = 6) -> Scenario:
    said = SCENE.replace("policy: easy, depth: 6", f"policy: {backfill}, depth: {depth}")
    return loads(said, "far-back").scenario


@pytest.mark.parametrize(
    ("backfill", "depth"), usually([("easy", 6), ("easy", 500), ("conservative", 6)], [("easy", 6)])
)
def test_the_same_starts_come_with_and_without_looking_again(
    backfill: str, depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    decisions = []
    decide = Planner.decide

    def counted(self: Planner, *args: object) -> object:
        decisions.append(len(args))
        return decide(self, *args)

    monkeypatch.setattr(Planner, "decide", counted)
    fewer = Engine(scene(backfill, depth))
    fewer.advance(fewer.end_s)
    asked = len(decisions)
    monkeypatch.setattr("twin.sim.queue.scheduler.QueueScheduler._is_settled", lambda self: False)
    every = Engine(scene(backfill, depth))
    every.advance(every.end_s)
    assert fewer.event_hash() == every.event_hash()
    assert asked < (len(decisions) - asked) * 0.9


def test_a_run_restored_in_a_long_queue_goes_on_the_same() -> None:
    scenario = scene("conservative")
    engine = Engine(scenario)
    engine.advance(5 * 3600.0)
    again = Engine.restore(scenario, engine.snapshot())
    again.advance(12 * 3600.0)
    engine.advance(12 * 3600.0)
    assert len(engine.scheduler.queue) > 6
    assert engine.event_hash() == again.event_hash()
    assert engine.snapshot() == again.snapshot()


@pytest.mark.parametrize("policy", usually(["priority", "easy", "shortest"], ["easy"]))
def test_only_those_are_put_in_order_who_may_be_looked_at(
    policy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = Engine(scene(policy))
    some.advance(some.end_s)
    monkeypatch.setattr(Planner, "_most", lambda self, site: 10**9)
    every = Engine(scene(policy))
    every.advance(every.end_s)
    assert max(len(some.scheduler.queue), len(every.scheduler.queue)) > 20
    assert some.event_hash() == every.event_hash()
    assert some.scheduler.planned == every.scheduler.planned
    assert some.scheduler.reasons == every.scheduler.reasons
