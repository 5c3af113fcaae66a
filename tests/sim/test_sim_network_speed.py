"""Speed of fabrics in a run; run with ``--benchmark-only``. Promised: a start or end 0.5 ms, a full solve 50 ms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fabric_scenes import hall, model
from pytest_benchmark.fixture import BenchmarkFixture

from twin.catalog import load_catalog
from twin.plant.build import build
from twin.record.channels import JobState
from twin.sim.core.ledger import Ledger
from twin.sim.engine.engine import Engine
from twin.sim.fabric.fabric_state import FabricState
from twin.sim.fabric.route_variants import RouteFault
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.plan import plan_jobs

NODES, JOBS = 2048, 50


def standing(kind: str, jobs: int, nodes: int, **fabric: Any) -> FabricState:
    """Return jobs that step on a fabric of 16,384 GPUs, nodes dealt out in turn: all meet in the spines."""
    specs = [model(f"j{k}", nodes, 16 * nodes) for k in range(jobs)]
    scene = hall(*specs, nodes=NODES, fabric={"kind": kind, "unit_nodes": 32} | fabric)
    plant = build(scene)
    network = FabricState(plant, load_catalog(), scene.jobs)
    plans, work, gpus = plan_jobs(scene, plant, load_catalog(), 0.0, networks=network.expected())
    table = Jobs(scene.jobs, work, gpus, Ledger())
    network.bind(table, plans)
    for row in table.rows:
        row.nodes = np.arange(row.index, NODES, jobs)[:nodes].tolist()
        row.state = JobState.RUNNING
    network.update(range(jobs))
    return network


@pytest.fixture(scope="module")
def crowded() -> FabricState:
    return standing("rail-optimised", JOBS, NODES // JOBS, oversubscription=3)


@pytest.mark.benchmark(group="network")
def test_full_solve_of_all_jobs(benchmark: BenchmarkFixture, crowded: FabricState) -> None:
    assert all(seat.slow is not None for seat in crowded.seats.values())

    def whole() -> None:
        crowded._solved.clear()
        crowded._share()

    benchmark(whole)


@pytest.mark.benchmark(group="network")
def test_a_job_ends_and_starts_in_the_crowd(benchmark: BenchmarkFixture, crowded: FabricState) -> None:
    def again() -> None:
        crowded._step(7, False)
        crowded._step(7, True)
        crowded._sum()

    benchmark(again)


@pytest.mark.benchmark(group="network")
def test_a_job_of_some_hundred_gpus_gets_a_place(benchmark: BenchmarkFixture) -> None:
    network = standing("rail-optimised", JOBS, NODES // JOBS)
    nodes = network.seats[7].nodes
    benchmark(lambda: network._sit(7, nodes))


@pytest.mark.benchmark(group="network")
def test_the_largest_job_gets_another_place(benchmark: BenchmarkFixture) -> None:
    network = standing("rail-optimised", 1, NODES - 64)
    nodes = [list(range(k, k + NODES - 64)) for k in (0, 1, 2, 3)]
    turn = iter(range(10**9))
    benchmark(lambda: network._sit(0, nodes[next(turn) % 4]))


@pytest.mark.benchmark(group="network")
def test_a_fault_routes_all_jobs_anew(benchmark: BenchmarkFixture, crowded: FabricState) -> None:
    last = len(crowded.links) - 1
    turn = iter(range(10**9))
    benchmark(lambda: crowded.set_faults([RouteFault("link", np.array([last - next(turn) % 2]))]))
    crowded.set_faults([])


@pytest.mark.benchmark(group="network")
def test_a_second_fault_looks_at_both_alone(benchmark: BenchmarkFixture, crowded: FabricState) -> None:
    last = len(crowded.links) - 1
    first, turn = RouteFault("first", np.array([last])), iter(range(10**9))
    benchmark(
        lambda: crowded.set_faults([first, RouteFault("second", np.array([last - 1 - next(turn) % 2]))])
    )
    crowded.set_faults([])


def test_a_crowd_in_the_engine_keeps_its_books() -> None:
    """The same state comes about in a run: nobody gets more than there is."""
    engine = Engine(hall(*[model(f"j{k}", 2, 32) for k in range(8)], fabric={"oversubscription": 4}), 1)
    engine.advance(1000.0)
    network = engine.network
    rate = np.zeros(2 * len(network.links))
    for seat in network.seats.values():
        rate[seat.dlink] += seat.peak
    assert (rate <= network._alarm).all() or any(seat.slow is not None for seat in network.seats.values())
