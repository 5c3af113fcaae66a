"""Backfill by GPUs and slices on shared nodes: every start of random traces agrees with an oracle."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from usual_cases import usually

from tests.schedule.backfill_oracle import Job, start_times
from tests.schedule.queue_scenes import policy, run
from tests.sim.sim_scenes import tiny
from twin.schedule.queue import Request
from twin.schedule.windows import Window
from twin.sim.engine.engine import Engine

GPUS = 8
Backfill = Literal["easy", "conservative"]
WAYS: tuple[Backfill, ...] = ("easy", "conservative")


def random_jobs(
    seed: int, largest: int = GPUS, sliced: bool = False, most: int = 18
) -> tuple[list[Job], int]:
    """Return jobs that come faster than they run, and how many nodes there are."""
    rng = np.random.default_rng(seed)
    nodes, count = int(rng.integers(1, 4)), int(rng.integers(4, most))
    jobs = []
    for submit in np.sort(rng.integers(0, 40, count)).tolist():
        run_s = float(rng.integers(1, 60))
        slack = float(rng.choice([1.0, 1.0, 2.0, 5.0, 0.5]))
        slices = int(rng.integers(1, 8)) if sliced and rng.random() < 0.5 else 0
        gpus = 0 if slices else int(rng.integers(1, min(largest, nodes * GPUS) + 1))
        jobs.append(Job(float(submit), gpus, run_s, run_s * slack, slices))
    return jobs, nodes


def request(job: Job) -> Request:
    nodes, rest = (1, 0) if job.slices else (-(-job.gpus // GPUS), job.gpus % GPUS)
    asked = job.slices / 7 if job.slices else float(job.gpus)
    return Request(nodes, rest, job.slices, asked, 0, job.submit_s, job.estimate_s)


def replayed(jobs: list[Job], nodes: int, way: Backfill) -> list[float]:
    rows, run_s = [request(job) for job in jobs], [job.run_s for job in jobs]
    starts: list[float] = run(rows, policy(way), nodes=nodes, gpus=GPUS, run_s=run_s).start_s.tolist()
    return starts


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("block", usually(range(3), 1))
def test_jobs_of_parts_of_nodes_start_as_an_oracle_says(way: Backfill, block: int) -> None:
    for seed in range(100 * block, 100 * block + 100):
        jobs, nodes = random_jobs(seed)
        assert replayed(jobs, nodes, way) == start_times(jobs, nodes, GPUS, way), f"seed {seed}"


@pytest.mark.parametrize("way", WAYS)
def test_jobs_of_whole_nodes_and_a_part_start_as_an_oracle_says(way: Backfill) -> None:
    for seed in range(1000, 1040):
        jobs, nodes = random_jobs(seed, largest=3 * GPUS)
        assert any(job.gpus % GPUS for job in jobs)
        assert replayed(jobs, nodes, way) == start_times(jobs, nodes, GPUS, way), f"seed {seed}"


@pytest.mark.parametrize("way", WAYS)
def test_jobs_of_slices_start_as_an_oracle_says(way: Backfill) -> None:
    for seed in range(2000, 2025):
        jobs, nodes = random_jobs(seed, sliced=True)
        assert replayed(jobs, nodes, way) == start_times(jobs, nodes, GPUS, way), f"seed {seed}"


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("more", [{}, {"largest": 3 * GPUS}, {"sliced": True}])
def test_longer_traces_start_as_an_oracle_says(way: Backfill, more: dict[str, Any]) -> None:
    for seed in range(3000, 3100):
        jobs, nodes = random_jobs(seed, most=50, **more)
        assert replayed(jobs, nodes, way) == start_times(jobs, nodes, GPUS, way), f"seed {seed}"


@pytest.mark.parametrize("way", WAYS)
def test_whole_nodes_are_filled_like_the_gpus_of_one(way: Backfill) -> None:
    """Interchangeable nodes and interchangeable GPUs of a node are one problem, solved by two pieces of code."""
    for seed in range(4000, 4050):
        jobs, _ = random_jobs(seed)
        rows = [
            Request(job.gpus, gpus=job.gpus, submit_s=job.submit_s, estimate_s=job.estimate_s) for job in jobs
        ]
        done = run(rows, policy(way), nodes=GPUS, run_s=[job.run_s for job in jobs])
        assert done.start_s.tolist() == start_times(jobs, 1, GPUS, way), f"seed {seed}"


@pytest.mark.parametrize("way", WAYS)
def test_the_engine_starts_jobs_of_parts_as_an_oracle_says(way: Backfill) -> None:
    for seed in (7, 11, 23):
        jobs, nodes = random_jobs(seed)
        jobs = [Job(job.submit_s, job.gpus, job.run_s, 2 * job.run_s) for job in jobs]
        rows = tuple(
            {
                "id": f"j{number}",
                "submit": f"{job.submit_s} s",
                "gpus": job.gpus,
                "run": f"{job.run_s} s",
                "limit": f"{job.estimate_s} s",
                "workload": {"kind": "load", "gpu": 0.5},
                "checkpoint": {"interval": "none"},
                "recovery": {"constant": "0 s"},
            }
            for number, job in enumerate(jobs)
        )
        engine = Engine(tiny(nodes, rows, scheduler={"policy": way}))
        engine.advance(3600.0)
        starts = [row.start_s for row in engine.jobs.rows]
        assert starts == pytest.approx(start_times(jobs, nodes, GPUS, way), abs=1e-6), f"seed {seed}"


def test_a_part_waits_for_the_end_of_maintenance_and_passes_before_it() -> None:
    shut = Window("w", 20.0, 10.0, np.inf, np.array([True, False]))
    rows = [
        Request(nodes=1, gpus=8, estimate_s=100),
        Request(nodes=1, rest=6, gpus=6, estimate_s=30),  # too long for the other node before its maintenance
        Request(nodes=1, rest=2, gpus=2, estimate_s=40, submit_s=1),
        Request(nodes=1, rest=2, gpus=2, estimate_s=10, submit_s=2),
    ]
    for way in WAYS:
        done = run(rows, policy(way), nodes=2, gpus=GPUS, windows=[shut])
        assert done.nodes[0].tolist() == [1]
        assert done.start_s.tolist() == [0, 30, 30, 2]
