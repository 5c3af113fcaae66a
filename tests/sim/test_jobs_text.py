"""Snapshots say of ended jobs what the table says, at any time of a run, and a run goes on from them the same."""

import json
from pathlib import Path

from twin.scenario import load
from twin.sim.edits.snapshot import unpack
from twin.sim.engine.engine import Engine

SCENE = load(Path(__file__).parents[2] / "scenes" / "shared-cluster.twin.yaml").scenario


def test_ended_jobs_are_told_as_they_are() -> None:
    engine, ended = Engine(SCENE), 0
    for part in range(1, 6):
        engine.advance(part * 10_000.0)
        data = engine.snapshot()
        assert unpack(data)["jobs"] == json.loads(json.dumps(engine.jobs.state()))
        ended = sum(1 for row in engine.jobs.rows if row.outcome)
    assert ended > 20
    again = Engine.restore(SCENE, data)
    assert again.snapshot() == data
    for one in (engine, again):
        one.advance(60_000.0)
    assert engine.event_hash() == again.event_hash()
    assert engine.snapshot() == again.snapshot()
