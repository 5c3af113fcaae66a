"""A month of a shared cluster with twenty thousand jobs: every GPU-second is accounted for, and no job is lost."""

from __future__ import annotations

import pytest

from twin.cli.bench.cluster import JOBS, cluster_month
from twin.record.channels import JobState
from twin.scenario.generators.all_jobs import jobs_of
from twin.sim.engine.engine import Engine


def test_the_month_asks_for_nine_in_ten_gpus() -> None:
    scene = cluster_month()
    jobs = jobs_of(scene)
    asked = sum((job.gpus or 8 * job.nodes) * (job.run_s or 0.0) for job in jobs)
    assert len(jobs) == JOBS == 20_000
    assert asked / (2048 * 8 * scene.duration_s) == pytest.approx(0.9, abs=0.05)
    assert scene.scheduler.policy == "easy"


@pytest.mark.slow
def test_its_ledger_is_exact() -> None:
    engine = Engine(cluster_month())
    engine.advance(engine.end_s)
    figures = engine.summary()
    installed = figures["gpus"] * engine.now_s
    booked = figures["ledger_gpu_s"]
    assert sum(booked.values()) == pytest.approx(installed, rel=1e-9)
    assert min(booked.values()) >= 0
    assert figures["energy"]["residual"] <= 1e-9
    rows = engine.jobs.rows
    waiting = {row.index for row in rows if row.state == JobState.QUEUED}
    assert waiting == set(engine.scheduler.queue)
    ended = sum(row.state in (JobState.DONE, JobState.KILLED) for row in rows)
    assert ended + len(waiting) + len(engine.jobs.active) == JOBS
    assert ended > 0.9 * JOBS
