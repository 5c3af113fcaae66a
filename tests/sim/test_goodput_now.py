"""Goodput now: a checkpoint pause of seconds is a part of running, a stand is none; over hours it is the ledger's."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from sim_scenes import frame, inject, run_to_state, shipped, tiny

from twin.record.accounts import KEPT_STEP
from twin.record.channels import JobState
from twin.record.reader import Reader
from twin.runtime.inline import run
from twin.sim.engine.engine import Engine

STANDS = (JobState.STARTING, JobState.DETECTING, JobState.RESTARTING, JobState.WAITING)


def now(engine: Engine, channel: str = "site.goodput_now") -> float:
    """Return a figure of the only job, or of the site."""
    return float(frame(engine).values[channel][0])


@pytest.mark.parametrize("state", STANDS)
def test_a_job_at_a_stand_counts_nothing(state: JobState) -> None:
    engine = inject(Engine(tiny(nodes=3), 1), "2000 s fail gpu/0/0/0", "3000 s fail gpu/0/1/0")
    run_to_state(engine, state)
    assert now(engine) == now(engine, "job.mfu") == 0.0


def test_a_job_that_writes_a_checkpoint_is_at_its_pace() -> None:
    engine = Engine(shipped("llama3-16k"), 1)
    engine.advance(3000.0)
    assert engine.jobs.rows[0].state == JobState.RUNNING
    running = {one: now(engine, one) for one in ("site.goodput_now", "job.mfu", "job.input_wait_s")}
    run_to_state(engine, JobState.CHECKPOINT)
    assert {one: now(engine, one) for one in running} == pytest.approx(running, rel=1e-2)
    assert 90.0 < running["site.goodput_now"] < 100.0


def test_over_hours_it_is_what_the_ledger_has_of_them(tmp_path: Path) -> None:
    """From any sample to another of a stretch without failures, however they fall on checkpoints."""
    path = tmp_path / "run.twinrun"
    run(shipped("superpod-h100"), 1, until_s=40_000.0, record=path)
    with Reader(path) as reader:
        curve = reader.series(0, "site.goodput_now", 2000.0, math.inf, points=10**6)
        first_s, last_s = float(curve.t_s[0]), float(curve.t_s[-1])
        account = reader.ledger_range(first_s, last_s).gpu_s
        steps = sum(account[name] for name in KEPT_STEP)
        share = steps / (steps + account["checkpoint_stall"])
    assert account["checkpoint_stall"] > 0.0
    assert float(curve.low.min()) / 100 == pytest.approx(share, abs=5e-3)
    assert float(curve.high.max()) / 100 == pytest.approx(share, abs=5e-3)
