"""Tenants that ask for nodes, leaves or racks of their own share them with nobody, at any time; moves keep to rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sim_scenes import air_cooling, assert_books_close, events, inject, job, tiny

from twin import scenario
from twin.record.channels import JobState
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine

HOUR_S = 3600.0
NODES, PER_RACK = 8, 2


def shared(isolation: str, *, exclusive: bool = False, jobs: tuple[dict[str, Any], ...] = ()) -> Scenario:
    """Return eight nodes, two a rack and four a leaf, which jobs of three tenants want all the time."""
    rows = [
        {
            "id": "gpu",
            "racks": {
                "count": NODES // PER_RACK,
                "nodes": [{"part": "DGX-H100", "count": PER_RACK, "first_u": 3}],
            },
        },
        {"id": "net", "at": {"y": "4 m"}, "racks": {"count": 1, "role": "network"}},
    ]
    part = {"part": "QM9700", "racks": "net"}
    fabric = {"id": "ib", "kind": "leaf-spine", "rows": ["gpu"], "unit_nodes": 4, "leaf": part, "spine": part}
    tenants = [{"id": "bank", "isolation": isolation}, {"id": "lab"}, {"id": "club"}]
    partition = {"id": "all", "rows": ["gpu"], "exclusive": exclusive}
    cooling = air_cooling(["gpu", "net"])
    return tiny(
        halls=[{"id": "hall", "rows": rows}],
        fabrics=[fabric],
        cooling=cooling,
        tenants=tenants,
        partitions=[partition],
        scheduler={"policy": "easy"},
        jobs=jobs or wanted(),
        duration="2 day",
    )


def wanted() -> tuple[dict[str, Any], ...]:
    """Return sixty jobs of changing size and tenant; some take only part of a node."""
    made = []
    for i in range(60):
        tenant = ("bank", "lab", "club")[i % 3]
        nodes = 1 + i % 2
        one = {
            "id": f"{tenant}-{i}",
            "tenant": tenant,
            "partition": "all",
            "submit": f"{i * 400} s",
            "nodes": nodes,
            "run": f"{1000 + 700 * (i % 5)} s",
            "workload": {"kind": "load", "gpu": 0.7},
            "checkpoint": {"interval": "none"},
        }
        if i % 4 == 0:
            one["gpus"] = 8 * nodes - 6
        made.append(one)
    return tuple(made)


def holders(engine: Engine) -> list[set[str]]:
    """Return which tenants hold any part of each node now."""
    specs = engine.jobs.specs
    return [{str(specs[job].tenant) for job in engine.nodes.jobs_on(node)} for node in range(NODES)]


def zones(engine: Engine, isolation: str) -> list[int]:
    plant = engine.plant
    if isolation == "rack":
        return plant.nodes.rack.tolist()
    if isolation == "leaf":
        links = plant.node_links
        return [int(links.leaf[links.node == node].min()) for node in range(NODES)]
    return list(range(NODES))


@pytest.mark.parametrize("isolation", ["node", "leaf", "rack"])
def test_nobody_shares_what_a_tenant_asks_for_alone(isolation: str) -> None:
    engine = Engine(shared(isolation))
    zone, met, beside = zones(engine, isolation), 0, 0
    while engine.now_s < 2 * 24 * HOUR_S and any(r.state != JobState.DONE for r in engine.jobs.rows):
        engine.advance(engine.timers.next_s())
        here = holders(engine)
        by_zone: dict[int, set[str]] = {}
        for node, who in enumerate(here):
            by_zone.setdefault(zone[node], set()).update(who)
        for who in by_zone.values():
            assert who == {"bank"} or "bank" not in who
            met += who == {"bank"}
            beside += len(who) > 1
    assert {row.state for row in engine.jobs.rows} == {JobState.DONE}
    assert met > 0
    assert beside > 0  # the others do share
    assert_books_close(engine)


def test_an_exclusive_partition_lets_two_tenants_never_share_a_node() -> None:
    for exclusive in (True, False):
        engine = Engine(shared("none", exclusive=exclusive))
        most = 0
        while any(row.state != JobState.DONE for row in engine.jobs.rows):
            engine.advance(engine.timers.next_s())
            most = max(most, *(len(who) for who in holders(engine)))
        assert (most == 1) is exclusive


def two_rows(*jobs: dict[str, Any], second: str = "DGX-H100") -> Scenario:
    rows = [
        {
            "id": name,
            "at": {"y": f"{4 * k} m"},
            "racks": {"count": 2, "nodes": [{"part": part, "count": 1, "first_u": 3}]},
        }
        for k, (name, part) in enumerate((("gpu", "DGX-H100"), ("two", second)))
    ]
    loop = {"id": "crah", "kind": "air", "part": "CRAH-chilled", "plant": "water", "serves": ["gpu", "two"]}
    return tiny(
        halls=[{"id": "hall", "rows": rows}],
        cooling={
            "plants": [{"id": "water", "kind": "dry-cooler", "supply": "14 degC"}],
            "loops": [loop | {"supply": "22 degC"}],
        },
        tenants=[{"id": "bank"}, {"id": "lab"}],
        partitions=[
            {"id": "a", "rows": ["gpu"]},
            {"id": "b", "rows": ["two"], "limit": "3 h"},
            {"id": "safe", "rows": ["two"], "tenants": ["bank"]},
        ],
        jobs=jobs,
        duration="2 day",
    )


def test_a_waiting_job_moves_and_a_running_one_does_not() -> None:
    jobs = (job(2, "x", partition="a"), job(2, "y", partition="a", tenant="lab"))
    engine = inject(Engine(two_rows(*jobs)), "1 h move x value=b", "2 h move y value=b")
    engine.advance(1.9 * HOUR_S)
    assert engine.jobs.rows[1].state == JobState.QUEUED
    assert [event.subject for event in events(engine, "refused")] == ["x"]
    engine.advance(3 * HOUR_S)
    row = engine.jobs.rows[1]
    assert row.start_s == 2 * HOUR_S
    names = [engine.plant.nodes.ids[node] for node in row.nodes]
    assert names == ["two/0/0/0", "two/0/1/0"]
    assert events(engine, "job_moved")[0].data == {"partition": 1, "partition_id": "b"}
    again = Engine.restore(engine.scenario, engine.snapshot())
    engine.advance(24 * HOUR_S)
    again.advance(24 * HOUR_S)
    assert again.event_hash() == engine.event_hash()
    assert engine.jobs.rows[1].state == JobState.KILLED  # the wall time of its new partition
    assert engine.jobs.rows[1].end_s == 5 * HOUR_S
    assert_books_close(engine)


def test_moves_that_cannot_be_are_refused_with_what_would_be_right() -> None:
    engine = Engine(two_rows(job(2, "x", partition="a", tenant="lab"), job(1, "y", rows=["gpu"])))
    for line, said in (
        ("1 h move x value=c", "value: unknown partition c; known: "),
        ("1 h move x value=safe", "does not admit tenant lab"),
        ("1 h move y value=b", "has none of the rows"),
        ("1 h move x", "needs the key 'value'"),
        ("1 h move z value=b", "z: unknown job; known: "),
    ):
        refusal = engine.intervene(scenario.parse_injection(line))
        assert refusal is not None
        assert said in refusal
    assert np.all(engine.nodes.condition == 0)


def test_partitions_tell_the_hardware_of_a_mixed_hall_and_a_moved_job_goes_at_the_pace_there() -> None:
    jobs = (job(2, "x", partition="a"), job(2, "y", partition="a"))
    engine = inject(Engine(two_rows(*jobs, second="DGX-A100")), "1 h move y value=b")
    fast = engine.jobs.planned[1].step_s
    engine.advance(2 * HOUR_S)
    row = engine.jobs.rows[1]
    assert (row.start_s, row.held) == (HOUR_S, 16)
    assert engine.jobs.planned[1].step_s > 1.5 * fast
    assert engine.jobs.pace[1].step_s == pytest.approx(engine.jobs.planned[1].step_s, rel=0.05)
    assert engine.jobs.planned[0].step_s == fast
    assert_books_close(engine)
