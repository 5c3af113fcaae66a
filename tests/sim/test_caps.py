"""Power caps hold: rack, row, hall, feed and site stay below their limit, and what that costs is booked as such."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from sim_scenes import assert_books_close, events, inject, job, liquid, tiny

from twin.record.channels import JobState
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine
from twin.sim.thermal.power_caps import STEP_W, items_below, racks_of

TWO = (job(1, id="first", priority=5), job(1, id="second"))
SOFT: dict[str, Any] = {"kind": "load", "gpu": 0.35}
"""A load that a limit of 500 W on every GPU does not touch."""
POWER = [
    {"id": "grid", "kind": "utility"},
    {"id": "a", "kind": "pdu", "count": 2, "from": "grid", "feeds": ["gpu"]},
    {"id": "b", "kind": "pdu", "from": "grid", "feeds": ["gpu"]},
]


def scene(*caps: dict[str, Any], nodes: int = 3, jobs: tuple[dict[str, Any], ...] = TWO) -> Scenario:
    listed = [{"id": f"cap{i}"} | cap for i, cap in enumerate(caps)]
    return tiny(nodes=nodes, jobs=jobs, power=POWER, power_caps=listed)


def cap(target: str, limit_w: float, share: str = "proportional") -> dict[str, Any]:
    return {"target": target, "limit": f"{limit_w} W", "share": share}


def rack_w(engine: Engine) -> np.ndarray:
    return engine.meter.rack_w(engine.heat, engine.traces, engine.clocks)


def run(scenario: Scenario, until_s: float = 3600.0) -> tuple[Engine, np.ndarray]:
    """Return an engine, and the highest power that each rack, and in the last place all of them, ever drew [W]."""
    engine = Engine(scenario, 1)
    most = np.zeros(len(engine.plant.racks.ids) + 1)
    while engine.timers.next_s() <= until_s:
        engine.advance(engine.timers.next_s())
        now_w = rack_w(engine)
        most = np.maximum(most, np.append(now_w, now_w.sum()))
    engine.advance(until_s)
    return engine, most


def figures(engine: Engine) -> tuple[list[float], float, float]:
    said = engine.summary()
    paces = [pace.step_s for pace in engine.jobs.pace]
    return paces, said["thermal"]["gpu_max_c"], said["energy"]["it_j"]


@pytest.mark.parametrize("share", ["uniform", "proportional", "priority"])
def test_a_cap_on_a_hall_holds_for_the_whole_run_and_costs_time(share: str) -> None:
    free, _ = run(scene())
    engine, most = run(scene(cap("hall", 14e3, share)))
    assert most[-1] <= 14e3 * 1.01
    assert engine.meter.meters.it_max_w <= 14e3 * 1.01
    assert sum(figures(engine)[0]) > 1.15 * sum(figures(free)[0])
    assert engine.summary()["ledger_gpu_s"]["power_cap"] > 0
    assert free.summary()["ledger_gpu_s"]["power_cap"] == 0
    assert not events(free, "cap_on", "cap_exceeded")
    assert [event.subject for event in events(engine, "cap_on")] == ["hall"]
    assert_books_close(engine)


def test_a_lower_cap_never_heats_and_never_hastens() -> None:
    runs = [figures(run(scene(cap("all", limit_w)))[0]) for limit_w in (18e3, 15e3, 12e3, 11e3)]
    for faster, slower in pairwise(runs):
        assert all(a <= b * (1 + 1e-6) for a, b in zip(faster[0], slower[0], strict=True))
        assert slower[1] <= faster[1] + 0.05
        assert slower[2] < faster[2]


def test_a_cap_on_one_rack_leaves_the_others_alone() -> None:
    free, most_free = run(scene())
    engine, most = run(scene(cap("gpu/0/1", 5e3)))
    assert most[1] <= 5e3 * 1.01
    assert most[1] < 0.7 * most_free[1]
    assert most[0] == pytest.approx(most_free[0], rel=1e-3)
    assert figures(engine)[0][0] == pytest.approx(figures(free)[0][0], rel=1e-3)
    assert figures(engine)[0][1] > 1.2 * figures(free)[0][1]
    assert np.isinf(engine.limits.node_cap_w[0])
    assert engine.caps.gpus[np.isfinite(engine.limits.node_cap_w)].sum() == 8


def test_a_job_waits_for_its_capped_rack() -> None:
    engine, most = run(scene(cap("gpu/0/1", 5e3), nodes=2, jobs=(job(2),)))
    free, most_free = run(scene(nodes=2, jobs=(job(2),)))
    assert figures(engine)[0][0] > 1.2 * figures(free)[0][0]
    assert most[0] < most_free[0]  # its GPUs wait for those under the cap


def test_policies_differ_as_they_should() -> None:
    hungry, modest = job(1, id="hungry"), job(1, id="modest", priority=5, workload=SOFT)
    caps_w = {}
    for share in ("uniform", "proportional", "priority"):
        engine, most = run(scene(cap("hall", 11.5e3, share), jobs=(hungry, modest)))
        assert most[-1] <= 11.5e3 * 1.01
        caps_w[share] = engine.limits.node_cap_w[:2].tolist()
    assert caps_w["uniform"][1] == np.inf  # below the limit anyway
    assert caps_w["priority"][1] == np.inf  # the other gives first
    assert caps_w["proportional"][1] < 0.35 * 700 + 100
    assert caps_w["proportional"][0] > caps_w["uniform"][0]
    ranked = scene(cap("hall", 14e3, "priority"))
    first, second = run(ranked)[0].limits.node_cap_w[:2].tolist()
    assert second < 250 < first


def test_of_nested_caps_the_tighter_wins_and_all_hold() -> None:
    both = scene(cap("gpu/0/0", 6e3), cap("gpu/0", 13e3), cap("all", 1e6))
    engine, most = run(both)
    assert most[0] <= 6e3 * 1.01
    assert most[-1] <= 13e3 * 1.01
    assert engine.limits.node_cap_w[0] < engine.limits.node_cap_w[1]
    inner, _ = run(scene(cap("gpu/0/0", 6e3), cap("gpu/0", 30e3)))
    alone, _ = run(scene(cap("gpu/0/0", 6e3)))
    assert inner.limits.node_cap_w.tolist() == alone.limits.node_cap_w.tolist()
    assert [cap.target for cap in engine.caps.standing()] == ["gpu/0/0", "all", "gpu/0"]


def test_a_feed_counts_every_rack_below_it_in_full() -> None:
    engine, most = run(scene(cap("a/0", 10e3), nodes=4, jobs=(job(4),)))
    plant = engine.plant
    assert racks_of(plant, "a/0").tolist() == [0, 1]
    assert racks_of(plant, "b/0").tolist() == [0, 1, 2, 3]
    assert racks_of(plant, "grid/0").tolist() == [0, 1, 2, 3]
    assert items_below(plant.power.parent, plant.power.ids.index("a/1")).sum() == 1
    assert most[:2].sum() <= 10e3 * 1.01
    both, most_both = run(scene(cap("b/0", 20e3), nodes=4, jobs=(job(4),)))
    assert most_both[-1] <= 20e3 * 1.01  # feed A carries half of it, and may be lost
    assert both.limits.node_cap_w[0] == pytest.approx(engine.limits.node_cap_w[0], abs=STEP_W)


def test_losses_of_shelves_are_taken_off_first() -> None:
    engine, _ = run(scene(cap("hall", 14e3)))
    before_w = engine.limits.node_cap_w[0]
    meter = engine.meter
    args = (engine.now_s, meter.overhead_w, meter.static_w + 1e-9)
    changed = engine.caps.update(*args, lambda rack_w: np.full(len(rack_w), 160.0))
    assert changed
    assert engine.limits.node_cap_w[0] == pytest.approx(before_w - 3 * 160 / 16, abs=STEP_W)
    assert not engine.caps.update(
        *args, lambda rack_w: np.zeros(len(rack_w))
    )  # nothing it looks at has changed


def test_limits_are_whole_steps_and_alike_for_racks_alike() -> None:
    caps = [cap(f"gpu/0/{i}", 5e3) for i in range(6)]
    engine, _ = run(scene(*caps, nodes=6, jobs=(job(6),)), 1800.0)
    limits = set(engine.limits.node_cap_w.tolist())
    assert len(limits) == 1
    assert limits.pop() % STEP_W == 0
    assert len(events(engine, "cap_on")) == 1  # six at once are told as one


def test_caps_told_of_together_are_over_when_the_last_of_them_is() -> None:
    engine = Engine(scene(nodes=6, jobs=(job(6),)), 1)
    inject(engine, *(f"20 min power_cap gpu/0/{i} value=5kW for={10 + i}min" for i in range(6)))
    engine.advance(1500.0)
    engine = Engine.restore(engine.scenario, engine.snapshot())
    engine.advance(3600.0)
    told = [(event.t_s, event.subject) for event in events(engine, "cap_off")]
    assert told == [(pytest.approx(35 * 60.0, abs=1.0), "site")]


def test_a_cap_below_the_lowest_limits_is_broken_and_said_so() -> None:
    engine, most = run(scene(cap("hall", 6e3)))
    assert most[-1] > 6e3
    assert [event.subject for event in events(engine, "cap_exceeded")] == ["hall"]
    floor_w = engine.clocks.cap_range_w()[0]
    assert engine.limits.node_cap_w[:2].tolist() == [floor_w, floor_w]
    standing = engine.caps.standing()[0]
    assert standing.broken
    assert standing.gpus == 16


def test_caps_of_people_come_and_go_and_survive_a_snapshot() -> None:
    engine = Engine(scene(), 1)
    engine.advance(1800.0)
    before = engine.jobs.pace[0].step_s
    engine.caps.set("by hand", "gpu/0", 12e3)
    engine.incidents.machines_changed = True
    engine.follow_changes()
    engine.advance(2400.0)
    assert rack_w(engine).sum() <= 12e3 * 1.01
    again = Engine.restore(engine.scenario, engine.snapshot())
    for one in (engine, again):
        one.advance(3000.0)
        one.caps.clear("by hand")
        one.caps.clear("by hand")
        one.incidents.machines_changed = True
        one.follow_changes()
        one.advance(3600.0)
        assert one.jobs.pace[0].step_s == pytest.approx(before, rel=2e-3)
        assert np.isinf(one.limits.node_cap_w).all()
        assert len(events(one, "cap_off")) == 1
    assert again.event_hash() == engine.event_hash()


def test_a_job_keeps_its_limits_while_it_restarts() -> None:
    engine = inject(Engine(scene(cap("hall", 14e3)), 1), "1000 s fail gpu/0/0/0 cause=bug")
    engine.advance(999.0)
    before = engine.limits.node_cap_w.tolist()
    engine.advance(1005.0)
    assert engine.jobs.rows[0].state != JobState.RUNNING
    assert np.isfinite(engine.limits.node_cap_w[:2]).all()
    engine.advance(3000.0)
    assert engine.jobs.rows[0].state == JobState.RUNNING
    assert engine.limits.node_cap_w.tolist() == before
    assert len(events(engine, "cap_on")) == 1
    assert not events(engine, "cap_off")


def test_racks_of_many_gpus_on_cold_plates_hold_too() -> None:
    limit_w = 80e3
    caps = [{"id": "rack", "target": "gpu/0/0", "limit": f"{limit_w} W", "share": "uniform"}]
    free, most_free = run(liquid(jobs=(job(18),)), 1800.0)
    engine, most = run(liquid(jobs=(job(18),), power_caps=caps), 1800.0)
    assert most_free[0] > 1.05 * limit_w
    assert 0.8 * limit_w < most[0] <= 1.01 * limit_w
    assert engine.jobs.pace[0].step_s > free.jobs.pace[0].step_s
    assert_books_close(engine)


@pytest.mark.parametrize(
    "workload",
    [
        {"kind": "load", "gpu": 1.0, "cpu": 1.0},
        {"kind": "inference", "model": "llama3-8b", "requests": "40 /s"},
        {"kind": "hpc", "model": "x", "problem": {"kind": "monte-carlo", "paths": 1e9, "path_flop": 1e6}},
        {
            "kind": "hpc",
            "model": "x",
            "problem": {
                "kind": "stencil",
                "cells": [2048, 2048, 512],
                "cell_flop": 100,
                "cell": "2 kB",
                "state": "100 B",
            },
        },
    ],
    ids=["load", "inference", "monte-carlo", "stencil"],
)
def test_a_cap_holds_whatever_the_work_is(workload: dict[str, Any]) -> None:
    jobs = (job(2, workload=workload),)
    _, most_free = run(scene(jobs=jobs, nodes=2), 1200.0)
    limit_w = 0.85 * most_free[-1]
    engine, most = run(scene(cap("hall", limit_w), jobs=jobs, nodes=2), 1200.0)
    assert most[-1] <= 1.01 * limit_w
    assert_books_close(engine)


def test_what_cannot_be_capped_is_refused() -> None:
    engine = Engine(scene(), 1)
    for target in ("gpu/0/0/0", "crah/0", "nothing"):
        with pytest.raises(ValueError, match="cannot be capped"):
            engine.caps.set("x", target, 1e4)


def test_people_cap_racks_rows_halls_and_feeds_of_a_running_hall() -> None:
    engine = inject(
        Engine(scene(), 1),
        "1800 s power_cap gpu/0/1 value=5kW for=30min",
        "1800 s power_cap hall value=15kW for=60min",
        "1800 s power_cap b/0 value=14kW for=15min",
    )
    engine.advance(1799.0)
    assert np.isinf(engine.limits.node_cap_w).all()
    engine.advance(2400.0)
    assert rack_w(engine)[1] <= 5e3 * 1.01
    assert rack_w(engine).sum() <= 14e3 * 1.01
    engine.advance(5300.0)
    assert rack_w(engine)[1] > 5.5e3
    assert rack_w(engine).sum() <= 15e3 * 1.01
    engine.advance(6000.0)
    assert np.isinf(engine.limits.node_cap_w).all()
    assert len(events(engine, "cap_on")) == len(events(engine, "cap_off")) >= 2
    assert_books_close(engine)


def test_a_cap_counts_at_the_input_of_racks_behind_their_shelves() -> None:
    shelves = {"part": "power-shelf-33kW", "count": 8, "needed": 4}
    rows = [{"id": "gpu", "racks": {"count": 2, "part": "GB200-NVL72", "shelves": shelves}}]
    limit_w = 82e3
    caps = [{"id": "rack", "target": "gpu/0/0", "limit": f"{limit_w} W"}]
    engine = Engine(
        liquid(jobs=(job(18),), halls=[{"id": "hall", "rows": rows}], power=POWER, power_caps=caps), 1
    )
    most_w = lost_w = 0.0
    while engine.timers.next_s() <= 1800.0:
        engine.advance(engine.timers.next_s())
        most_w = max(most_w, float(engine.power.rack_in_w[0]))
        lost_w = max(lost_w, float(engine.power.rack_in_w[0] - rack_w(engine)[0]))
    assert lost_w > 1e3
    assert 0.8 * limit_w < most_w <= 1.01 * limit_w


def test_a_cap_that_was_out_of_reach_says_so_and_is_lifted_in_plain_words() -> None:
    engine = inject(Engine(scene(), 1), "20 min power_cap gpu/0/0 value=1W for=10min")
    engine.advance(3600.0)
    (said,) = events(engine, "cap_exceeded")
    assert said.t_s == 1200.0
    assert said.text.startswith("power cap 1 W not achievable: minimum draw is")
    assert {event.text for event in events(engine, "cap_off", "cap_kept")} == {"power cap 1 W removed"}
    assert all(event.t_s == 1800.0 for event in events(engine, "cap_off", "cap_kept"))


def test_items_below_are_those_on_a_way_down() -> None:
    parent = np.array([-1, 0, 0, 1, 1, 3, -1, 6], np.int32)
    assert np.flatnonzero(items_below(parent, 1)).tolist() == [1, 3, 4, 5]
    assert np.flatnonzero(items_below(parent, 6)).tolist() == [6, 7]
    assert np.flatnonzero(items_below(parent, 0)).tolist() == [0, 1, 2, 3, 4, 5]
    assert np.flatnonzero(items_below(parent, 5)).tolist() == [5]
