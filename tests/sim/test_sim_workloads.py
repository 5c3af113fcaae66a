"""The engine runs every kind of workload: what it books, what a failure costs it, and what power it draws."""

from __future__ import annotations

from typing import Any

import pytest
from sim_scenes import RECOVERY, inject, job, tiny

from twin.record.accounts import ACCOUNTS
from twin.record.channels import JobState
from twin.sim.engine.engine import Engine

TUTOR = {
    "kind": "reinforcement",
    "model": "llama3-8b",
    "prompts": 64,
    "samples": 4,
    "output_tokens": 1000,
    "parallelism": {"tensor": 4},
}
CHAT = {"kind": "inference", "model": "llama3-70b", "requests": "4 /s", "tensor": 4}
GRID = {
    "kind": "hpc",
    "model": "weather",
    "problem": {
        "kind": "stencil",
        "cells": [2048, 2048, 64],
        "cell_flop": 6000,
        "cell": "6 kB",
        "state": "1 kB",
        "exchanges": 6,
        "halo_cell": "80 B",
    },
}
PATHS = {
    "kind": "hpc",
    "model": "options",
    "problem": {"kind": "monte-carlo", "paths": 5e9, "path_flop": 1e5, "result": "1 MB"},
}


def engine_with(workload: dict[str, Any], **more: Any) -> Engine:
    return Engine(tiny(nodes=3, jobs=(job(2, workload=workload, **more),)))


def booked(engine: Engine) -> dict[str, float]:
    return dict(engine.summary()["ledger_gpu_s"])


@pytest.mark.parametrize("workload", [TUTOR, CHAT, GRID, PATHS], ids=["tutor", "chat", "grid", "paths"])
def test_every_second_of_every_gpu_is_booked_once(workload: dict[str, Any]) -> None:
    engine = engine_with(workload)
    inject(engine, "2 h fail gpu/0/0/0")
    engine.advance(6 * 3600.0)
    assert sum(booked(engine).values()) == pytest.approx(6 * 3600 * 24, rel=1e-9)
    assert engine.jobs.rows[0].state in (JobState.RUNNING, JobState.CHECKPOINT)
    assert engine.jobs.rows[0].interruptions == 1


def test_a_failure_costs_a_service_a_restart_and_no_work() -> None:
    engine = engine_with(CHAT)
    engine.advance(7200.0)
    before = engine.jobs.progress_at(engine.jobs.rows[0], 7200.0)
    inject(engine, "2 h fail gpu/0/0/0")
    engine.advance(3 * 3600.0)
    ledger = booked(engine)
    assert ledger["lost_work"] == 0
    assert ledger["checkpoint_stall"] == 0
    assert ledger["restart_and_load"] > 0
    assert engine.jobs.rows[0].lost_gpu_s == 0
    assert engine.jobs.rows[0].progress >= before - 1e-6


def test_paths_lose_what_came_after_their_last_checkpoint() -> None:
    engine = engine_with(PATHS)
    inject(engine, "2 h fail gpu/0/0/0")
    engine.advance(3 * 3600.0)
    assert 0 < engine.jobs.rows[0].lost_gpu_s <= 16 * 620


def test_a_service_below_capacity_answers_a_second_in_a_second() -> None:
    engine = engine_with(CHAT)
    engine.advance(3600.0)
    pace, work = engine.jobs.pace[0], engine.jobs.work[0]
    assert pace.step_s == pytest.approx(1)
    idle = pace.share[ACCOUNTS.index("idle_no_load")]
    assert 0.3 < idle < 1
    assert work.parts[ACCOUNTS.index("idle_no_load")] == pytest.approx(idle, abs=0.05)
    assert booked(engine)["idle_no_load"] > 0


def test_slower_clocks_take_the_capacity_of_a_service_that_nobody_needs() -> None:
    # Long prompts and short answers: bound by arithmetic, as only clocks of matrix products matter.
    engine = engine_with(CHAT | {"requests": "2 /s", "prompt_tokens": 8000, "output_tokens": 50})
    engine.advance(3600.0)
    idle = engine.jobs.pace[0].share[ACCOUNTS.index("idle_no_load")]
    inject(engine, "1 h power_cap train value=300W")
    engine.advance(2 * 3600.0)
    pace = engine.jobs.pace[0]
    assert pace.step_s == pytest.approx(1)
    assert pace.share[ACCOUNTS.index("power_cap")] > 0
    assert pace.share[ACCOUNTS.index("idle_no_load")] < idle


def test_an_overloaded_service_falls_behind() -> None:
    engine = engine_with(CHAT | {"requests": "100 /s"})
    engine.advance(3600.0)
    assert engine.jobs.pace[0].step_s > 2
    (said,) = [event for event in engine.events(0) if event.kind == "does_not_fit"]
    assert "is overloaded: 100 requests/s on a capacity of" in said.text
    assert booked(engine)["idle_no_load"] == 0


def test_power_follows_what_bounds_the_work() -> None:
    drawn_w = {}
    for name, workload in (("paths", PATHS), ("grid", GRID), ("rest", CHAT | {"requests": "0.01 /s"})):
        engine = engine_with(workload)
        engine.advance(3600.0)
        drawn_w[name] = engine.meter.it_w
    assert drawn_w["paths"] > 1.3 * drawn_w["grid"]
    assert drawn_w["grid"] > 1.2 * drawn_w["rest"]


def test_weights_are_loaded_again_after_a_failure() -> None:
    load = RECOVERY | {"load": "10 GB/s"}
    engine = engine_with(CHAT, recovery=load)
    work = engine.jobs.work[0]
    assert engine.recovery.plans[0].checkpoint_steps is None
    assert engine.recovery.plans[0].load_s == pytest.approx(work.checkpoint_bytes / 10e9)
