"""Places where state is saved: which one outlives what, what a restart then costs, and what of the work is lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sim_scenes import RECOVERY, assert_books_close, causes, events, inject, job, times, tiny

from twin.record.channels import JobState
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine

SIZE = 14e9  # of the state: 14 bytes a parameter
READY_S = 100.0
TIERS = (
    {"to": "nvme", "load": "14 GB/s"},
    {"to": "peer", "every": 2, "load": "7 GB/s"},
)
"""Drives of the nodes take every checkpoint, memory of another node every second, the store every fourth."""


def scene(tiers: tuple[dict[str, Any], ...] = TIERS, **more: Any) -> Scenario:
    checkpoint = {"interval": "100 s", "pause": "1 s", "every": 4, "tiers": list(tiers)} | more
    one = job(checkpoint=checkpoint, recovery=RECOVERY | {"load": "1 GB/s"})
    return tiny(nodes=6, jobs=(one,), failures={"repair_constant": "2 h", "causes": causes(0.0)})


def interval_s(engine: Engine) -> float:
    steps = engine.plans[0].checkpoint_steps
    assert steps is not None
    return steps * engine.jobs.pace[0].step_s


@pytest.mark.parametrize(
    ("line", "saves", "load_s"),
    [
        ("fail gpu/0/0/0 cause=bug for=0 s", 7, 1.0),  # a process: the drives have the latest
        ("fail gpu/0/0/0", 6, 2.0),  # a node: its drives are gone, the memory of another has the sixth
        ("two", 4, 14.0),  # two at once may have held copies for each other: the store has the fourth
    ],
)
def test_the_newest_checkpoint_that_outlives_the_failure_is_loaded(
    line: str, saves: int, load_s: float
) -> None:
    engine = Engine(scene())
    at_s = READY_S + 7.5 * interval_s(engine) + 4
    lines = ["fail gpu/0/0/0", "fail gpu/0/1/0"] if line == "two" else [line]
    inject(engine, *(f"{at_s} s {one}" for one in lines))
    engine.advance(at_s + 1)
    row, steps = engine.jobs.rows[0], engine.plans[0].checkpoint_steps
    assert row.progress == saves * steps
    assert row.durable == 4 * steps  # the store has the fourth: that alone is kept
    engine.advance(at_s + 400)
    assert engine.summary()["jobs"][0]["away_s"]["load"] == pytest.approx(load_s)
    assert_books_close(engine)


def test_work_is_provisional_until_the_strongest_has_it_and_never_taken_back() -> None:
    engine = Engine(scene())
    row, kept = engine.jobs.rows[0], 0.0
    lines = [f"{t} s fail gpu/0/{t // 700 % 2}/0 cause=bug for=0 s" for t in range(700, 9000, 700)]
    inject(engine, *lines, "5000 s fail gpu/0/0/0", "7100 s fail gpu/0/1/0")
    seen = 0
    while engine.timers.next_s() < 10_000:
        engine.advance(engine.timers.next_s())
        assert float(np.sum(row.kept)) >= kept
        kept = float(np.sum(row.kept))
        assert row.durable <= row.progress
        assert len(row.in_flight) <= 3  # what no failure can go back to is not remembered
        seen = max(seen, len(row.in_flight))
        if row.state == JobState.RUNNING and not row.in_flight:
            assert kept == pytest.approx(16 * row.durable * engine.jobs.pace[0].step_s, rel=3e-2)
    assert seen >= 2
    assert_books_close(engine)


def test_a_failure_inside_a_drain_falls_back_by_one() -> None:
    engine = Engine(scene(tiers=(), every=1, drain="50 s"))
    at_s = READY_S + 2 * interval_s(engine) + 2 + 25  # the second is written and on its way
    engine = inject(engine, f"{at_s} s fail gpu/0/0/0 cause=bug for=0 s")
    engine.advance(at_s + 1)
    assert engine.jobs.rows[0].progress == engine.plans[0].checkpoint_steps
    later = inject(
        Engine(scene(tiers=(), every=1, drain="50 s")), f"{at_s + 26} s fail gpu/0/0/0 cause=bug for=0 s"
    )
    later.advance(at_s + 27)
    assert later.jobs.rows[0].progress == 2 * later.plans[0].checkpoint_steps


def test_an_object_store_is_stronger_than_the_store_and_settles_later() -> None:
    one = scene(tiers=({"to": "object", "drain": "300 s", "load": "2 GB/s"},), every=1)
    engine = Engine(one)
    engine.advance(READY_S + interval_s(engine) + 200)
    assert engine.jobs.rows[0].durable == 0  # the store has it, the other site has not
    assert times(engine, "checkpoint") == []
    engine.advance(READY_S + interval_s(engine) + 400)
    assert times(engine, "checkpoint") == [pytest.approx(READY_S + interval_s(engine) + 301, abs=0.5)]
    # Nodes lost before that: the store still helps, nothing is lost but what came after its latest.
    at_s = READY_S + 2 * interval_s(engine) + 3
    struck = inject(Engine(one), f"{at_s} s fail gpu/0/0/0", f"{at_s} s fail gpu/0/1/0")
    struck.advance(at_s + 500)
    assert events(struck, "job_resumed")[0].data["step"] == 2 * struck.plans[0].checkpoint_steps
    assert_books_close(struck)


def test_a_checkpoint_in_memory_alone_costs_no_pause_of_the_store() -> None:
    engine = Engine(scene(tiers=({"to": "peer", "pause": "0.1 s"},), every=10))
    engine.advance(READY_S + 10 * interval_s(engine) + 5)
    stall = engine.summary()["ledger_gpu_s"]["checkpoint_stall"]
    assert stall == pytest.approx(16 * (10 * 0.1 + 1.0), rel=1e-6)


def test_verification_keeps_work_later_and_snapshots_remember_everything() -> None:
    one = scene(verify="70 s")
    engine = Engine(one)
    at_s = READY_S + 4 * interval_s(engine) + 4
    engine.advance(at_s + 60)
    assert engine.jobs.rows[0].durable == 0
    engine.advance(at_s + 75)
    assert engine.jobs.rows[0].durable == 4 * engine.plans[0].checkpoint_steps
    lines = ("1500 s fail gpu/0/0/0", "1555 s fail gpu/0/1/0", "3000 s requeue train")
    whole = inject(Engine(one), *lines)
    whole.advance(5000.0)
    for stop_s in (650.0, 1530.0, 1556.0, 1700.0, 3001.0):
        half = inject(Engine(one), *lines)
        half.advance(stop_s)
        again = Engine.restore(one, half.snapshot())
        again.advance(5000.0)
        assert again.event_hash() == whole.event_hash()
        assert again.summary()["ledger_gpu_s"] == pytest.approx(whole.summary()["ledger_gpu_s"], rel=1e-12)


def test_an_adaptive_interval_follows_the_failures_seen() -> None:
    one = job(checkpoint={"interval": "adaptive", "pause": "10 s"})
    quiet = {"repair_constant": "0 s", "causes": causes(0.05)}
    engine = Engine(tiny(jobs=(one,), failures=quiet), 3)
    planned = engine.plans[0].checkpoint_steps
    lines = [f"{t} s fail gpu/0/0/0 cause=bug for=0 s" for t in range(2000, 40_000, 2000)]
    inject(engine, *lines)
    engine.advance(40_000.0)
    row = engine.jobs.rows[0]
    assert row.interval_steps * 3 < planned  # twenty a day where one in five days was expected
    busy = row.interval_steps
    engine.advance(20 * 86400.0)
    assert row.interval_steps > 2 * busy  # and it relaxes when they cease
    assert_books_close(engine)


def test_a_check_finds_wrong_results_and_goes_back_to_the_last_right_checkpoint() -> None:
    def story(verify: str) -> Engine:
        one = scene(tiers=(), every=1, verify=verify)
        engine = inject(Engine(one), "1000 s corrupt gpu/0/1/0 for=5h")
        engine.advance(6 * 3600.0)
        assert_books_close(engine)
        return engine

    checked, late = story("70 s"), story("0 s")
    right = events(late, "job_interrupted")[0].data["step"]
    assert events(checked, "job_interrupted")[0].data["step"] == right
    # The first checkpoint after it went wrong is found when it is read back; without a check it takes somebody hours.
    period_s = interval_s(checked) + 1
    first_wrong_s = READY_S + period_s * np.ceil((1000 - READY_S) / period_s)
    assert times(checked, "corruption_found") == [pytest.approx(first_wrong_s + 70, abs=1)]
    assert times(late, "corruption_found") == [1000 + 5 * 3600.0]
    lost = [one.summary()["ledger_gpu_s"]["lost_work"] for one in (checked, late)]
    assert lost[0] < 16 * 400 < 16 * 4.9 * 3600 < lost[1]
