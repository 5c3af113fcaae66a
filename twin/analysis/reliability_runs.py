"""Figures of failures, checkpoints and queues, each from the part of the program that makes it."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from twin.physics import reliability
from twin.planning.risk.reliability_model import ReliabilityModel, SampledCause
from twin.planning.risk.reliability_sample import (
    DAY_S,
    sample,
    with_checkpoints,
)
from twin.runtime.loading import engine_type
from twin.runtime.protocol import ENGINE
from twin.scenario import load, loads
from twin.scenario.formats.fault_trace import Faults
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scheduling import Backfill
from twin.schedule.planner import Planner
from twin.schedule.policies import Policy
from twin.schedule.queue import NodeLabels, Request, Requests
from twin.schedule.replay import Replayed, replay

RSC_1_S = 6.50e-3 / DAY_S
"""Failures of a node of RSC-1 [1/s]."""
NODE_GPUS = 8
RESTART_S = 300.0
RUNS = 200
LLAMA_SEEDS = 2


def mttf_hours(gpus: int) -> float:
    """Return the mean time between failures of a job at the rate of RSC-1 [h]."""
    return ReliabilityModel(gpus // NODE_GPUS, 0, (SampledCause(RSC_1_S),), DAY_S).mean_between_s / 3600.0


def sampled_ettr(nodes: int, interval_s: float, queue_s: float) -> float:
    """Return the ETTR of a job at the rate of RSC-1 without pauses, by the Monte Carlo path."""
    wait_s = RESTART_S + queue_s
    history = sample(ReliabilityModel(nodes, 0, (SampledCause(RSC_1_S),), 30 * DAY_S, wait_s, wait_s), RUNS)
    return float(with_checkpoints(history, interval_s, 0.0).ettr.mean())


def engine_ettr(nodes: int, interval_s: float, queue_s: float) -> float:
    """Return the same by the engine, on two nodes that fail so much more often."""
    rate = nodes * RSC_1_S * DAY_S
    scene = _hall(
        nodes=2,
        days=120 / rate,
        job=f"checkpoint: {{interval: {interval_s} s, pause: 0 s}}, recovery: {{constant: {RESTART_S + queue_s} s}}",
        failures=f"causes: [{{id: node, rate: {rate / 2} per node-day, repair: restart}}]",
    )
    return float(np.mean([_run(scene, seed)["ettr"] for seed in range(3)]))


def llama_causes() -> tuple[dict[str, float], int]:
    """Return interruptions by cause of the causes of llama3-16k on its nodes, the mean of some runs, and how many."""
    scene = load("builtin:llama3-16k").scenario
    hall = _hall(
        nodes=2144,
        asked=2048,
        days=scene.duration_s / DAY_S,
        job="checkpoint: {interval: none}, recovery: {constant: 3 min}",
        failures="causes: []",
    ).model_copy(update={"failures": scene.failures})
    total: Counter[str] = Counter()
    for seed in range(LLAMA_SEEDS):
        interruptions = _run(hall, seed)["interruptions"]
        total.update(interruptions["by_cause"])
    return {cause: count / LLAMA_SEEDS for cause, count in total.items()}, LLAMA_SEEDS


def lemon_share_pct(nodes: int = 2000, worst: float = 0.012) -> float:
    """Return by how much faults fall when the worst nodes by realised counts go, over 349 days [%]."""
    expected = 4.18e-3 * 349
    quality = reliability.lemon_factor(0, np.arange(100 * nodes, dtype=np.uint64)).reshape(100, nodes)
    counts = np.random.default_rng(0).poisson(quality * expected)
    removed = round(worst * nodes)
    worst_counts = np.sort(counts, axis=1)[:, -removed:].sum(axis=1)
    return float(100 * (worst_counts / counts.sum(axis=1)).mean())


def infinitehbd(trace: Path) -> dict[str, float]:
    """Return mean, 99 % quantile and most nodes down at a time of a fault trace, weighted by time."""
    from twin.analysis.reliability_runs import concurrent_down
    from twin.scenario.formats.fault_trace import read_faults

    down = concurrent_down(read_faults(trace), 348.98 * DAY_S)
    return {"mean": float(down.mean), "p99": float(down.p99), "max": float(down.most)}


# --- queues

Case = tuple[tuple[float, int, float], ...]
"""Submitted [s], processors, running time [s] of each job."""
CASES: dict[str, Case] = {
    "first": ((0, 6, 10), (1, 7, 5), (2, 10, 5), (3, 3, 20)),
    "second": ((0, 6, 10), (1, 8, 10), (2, 4, 5), (3, 4, 20), (4, 2, 20), (5, 2, 4)),
}


def scheduled(case: Case, backfill: Backfill, processors: int = 10) -> Replayed:
    """Return when jobs of a case start, their estimates exact, on single processors."""
    return replay(
        _planner(case, backfill, processors), [run for _, _, run in case], np.ones(processors, np.int64)
    )


def _planner(case: Case, backfill: Backfill, processors: int) -> Planner:
    everywhere = np.ones(processors, bool)
    requests = [Request(nodes=size, gpus=size, submit_s=submit, estimate_s=run) for submit, size, run in case]
    alike = np.zeros(processors, np.int64)
    policy = Policy(order="submit", backfill=backfill)
    return Planner(policy, Requests(requests), [(everywhere,)], NodeLabels(alike, alike, alike, alike))


def mm8_wait(load: float, jobs: int = 30_000, seeds: int = 4) -> tuple[float, float]:
    """Return the mean wait of jobs at eight processors in service times, and its standard error."""
    means = []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        submit = np.cumsum(rng.exponential(1 / (8 * load), jobs))
        run = rng.exponential(1.0, jobs)
        case = tuple(zip(submit.tolist(), [1] * jobs, run.tolist(), strict=True))
        wait = scheduled(case, "none", 8).wait_s
        means.append(float(wait[jobs // 10 :].mean()))
    return float(np.mean(means)), float(np.std(means, ddof=1) / math.sqrt(seeds))


# --- scenes


def _run(scene: Scenario, seed: int) -> dict[str, Any]:
    engine = engine_type(ENGINE)(scene, seed)
    engine.advance(engine.end_s)
    return engine.summary()


def _hall(*, nodes: int, days: float, job: str, failures: str, asked: int | None = None) -> Scenario:
    """Return a hall whose one job does next to nothing, so that only failures cost time."""
    each = 4 if nodes % 4 == 0 else 1
    racks = f"{{count: {nodes // each}, nodes: [{{part: DGX-H100, count: {each}}}]}}"
    fans = max(1, nodes // 40)
    return loads(f"""
format: twin/scenario
version: 3
catalog: "2026.11"
title: Failures alone
duration: {days} day
site: {{climate: {{dry_bulb: 10 degC, wet_bulb: 7 degC, swing: 0 K}}}}
halls: [{{id: hall, rows: [{{id: gpu, racks: {racks}}}]}}]
cooling:
  plants: [{{id: water, kind: chiller, supply: 14 degC}}]
  loops:
    - {{id: crah, kind: air, part: FanWall-500, units: {fans}, plant: water, serves: [gpu], supply: 20 degC}}
jobs: [{{id: run, nodes: {asked or nodes}, workload: {{kind: load, gpu: 10 %, step: 10 s}}, {job}}}]
failures: {{{failures}}}
""").scenario


@dataclass(frozen=True)
class Down:
    """Nodes down at once, weighted by time."""

    mean: float
    p99: int
    most: int


def concurrent_down(faults: Faults, until_s: float) -> Down:
    """Return how many distinct nodes are down at once between 0 and `until_s` [s].

    A node with several faults at once counts once, until the last of them is over.
    """
    times, steps = [np.zeros(1), np.full(1, until_s)], [np.zeros(2, np.int64)]
    for node in range(faults.nodes):
        of_node = np.flatnonzero(faults.node == node)
        start, end = faults.start_s[of_node], np.maximum.accumulate(faults.end_s[of_node])
        first = np.append(True, start[1:] > end[:-1])
        last = np.append(np.flatnonzero(first)[1:] - 1, len(of_node) - 1)
        times += [start[first], end[last]]
        steps += [np.ones(int(first.sum()), np.int64), -np.ones(len(last), np.int64)]
    at, step = np.minimum(np.concatenate(times), until_s), np.concatenate(steps)
    order = np.argsort(at, kind="stable")
    count, lasts_s = np.cumsum(step[order])[:-1], np.diff(at[order])
    spent_s = np.bincount(count, lasts_s)
    share = np.cumsum(spent_s) / until_s
    reached = np.flatnonzero(spent_s > 0)
    return Down(
        mean=float(np.arange(len(spent_s)) @ spent_s / until_s),
        p99=int(np.searchsorted(share, 0.99)),
        most=int(reached.max(initial=0)),
    )
