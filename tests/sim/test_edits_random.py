"""Whatever is edited while the hall runs: GPU-seconds and energy add up, and a replay is the same run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from edit_scenes import absent, closed, edit, racks, with_edits
from sim_scenes import events, inject, job, liquid, tiny
from usual_cases import usually

from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine

FAULTS = {
    "repair_constant": "1 h",
    "causes": [
        {"id": "gpu", "rate": "2 per node-day", "repair": "gpu"},
        {"id": "bug", "rate": "2 per node-day", "repair": "restart"},
        {
            "id": "drags",
            "rate": "1 per node-day",
            "repair": "gpu",
            "effect": "slow",
            "severity": "30 %",
            "found": "1 h",
        },
    ],
}
POWER = [
    {"id": "grid", "kind": "utility", "capacity": "5 MW"},
    {"id": "ups", "kind": "ups", "parent": "grid", "capacity": "2 MW", "battery": {"energy": "100 kWh"}},
    {"id": "pdu", "kind": "pdu", "parent": "ups", "count": 2, "capacity": "1 MW", "feeds": ["gpu"]},
]
POLICIES = ("spare", "requeue", "shrink", "drop-replica")


def _scene(seed: int) -> Scenario:
    kind = seed % 3
    more: dict[str, Any] = {"failures": FAULTS, "seed": seed, "duration": "2 day"}
    if kind == 0:
        return tiny(nodes=6, jobs=(job(3), job(2, "other", priority=1)), **more)
    if kind == 1:
        return liquid(racks=3, loops=3, jobs=(job(30),), **more)
    shared = (job(2), job(1, "part", gpus=3, steps=4000), job(1, "slice", gpus=2))
    return tiny(nodes=5, jobs=shared, **more)


def _changes(draw: np.random.Generator, scene: Scenario, gone: set[str], count: list[int]) -> list[Any]:
    least = 5 if scene.halls[0].rows[0].racks.part is None else 2
    what = draw.integers(6)
    if what == 0 and count[0] < 9:
        count[0] += 1
        return [racks(count[0])]
    if what == 1 and count[0] - len(gone) > least:
        rack = f"gpu/0/{int(draw.choice([i for i in range(count[0]) if f'gpu/0/{i}' not in gone]))}"
        gone.add(rack)
        return [absent(rack)]
    if what == 2 and gone:
        rack = sorted(gone)[0]
        gone.discard(rack)
        return [absent(rack, False)]
    if what == 3:
        rack = f"gpu/0/{int(draw.integers(count[0]))}"
        if rack in gone:
            return []
        return [
            (
                f"halls[hall].overrides[{rack}].at",
                f"{{x: {5 + draw.integers(9)} m, y: {30 + draw.integers(9)} m}}",
            )
        ]
    if what == 4:
        return [("cooling.loops[crah].supply", f"{20 + int(draw.integers(5))} degC")]
    return [("jobs[train].checkpoint.interval", f"{300 + 60 * int(draw.integers(9))} s")]


@pytest.mark.parametrize("seed", usually(range(24), 1))
def test_books_stay_closed_and_a_replay_is_the_same_run(seed: int) -> None:
    scene, draw = _scene(seed), np.random.default_rng(seed)
    engine = Engine(scene)
    gone: set[str] = set()
    count = [scene.halls[0].rows[0].racks.count]
    installed, since_s, until_s = 0.0, 0.0, 0.0
    for number in range(10):
        until_s += float(draw.uniform(600.0, 4000.0))
        engine.advance(until_s)
        changes = _changes(draw, scene, gone, count)
        if not changes:
            continue
        before = float(engine.nodes.gpus.sum())
        at_s = until_s + 0.25
        why = engine.intervene(edit(at_s, f"edit-{number}", *changes))
        assert why is None, why
        engine.advance(at_s)
        installed += before * (at_s - since_s)
        since_s = at_s
        closed(engine, installed)
    until_s += 5000.0
    engine.advance(until_s)
    closed(engine, installed + float(engine.nodes.gpus.sum()) * (until_s - since_s))
    assert not events(engine, "refused")
    again = Engine(with_edits(scene, *engine.edits.asked))
    again.advance(until_s)
    assert again.event_hash() == engine.event_hash()
    snapshot = Engine.restore(scene, engine.snapshot())
    snapshot.advance(until_s + 20000.0)
    engine.advance(until_s + 20000.0)
    assert snapshot.event_hash() == engine.event_hash()


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_goes_on_without_what_is_taken_away(policy: str) -> None:
    one = job(4)
    one["recovery"] = one["recovery"] | {"policy": policy}
    scene = tiny(nodes=6, jobs=(one,))
    engine = inject(Engine(scene), "900s fail gpu/0/4 for=2h")
    engine.advance(1000.0)
    assert engine.intervene(edit(1000.5, "less", absent("gpu/0/0"), absent("gpu/0/4"))) is None
    engine.advance(20000.0)
    row = engine.jobs.rows[0]
    assert row.progress > 5000
    assert 0 not in row.nodes
    assert 4 not in engine.repairs.tickets
    closed(engine, 8 * (6 * 1000.5 + 4 * (20000.0 - 1000.5)))
