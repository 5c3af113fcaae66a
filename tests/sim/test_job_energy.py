"""Jobs answer for what their nodes take, however nodes change hands: against sums taken moment by moment."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from twin.sim.core.nodes import NOBODY, SHARED, SLICES
from twin.sim.jobs.energy import JobEnergy

NODES, GPUS, JOBS = 12, 8, 60


class Hall(SimpleNamespace):
    """Nodes that change hands by chance; the last two may be shared by two jobs, slice by slice."""

    def deal(self, rng: np.random.Generator, newest: int) -> None:
        """Give some nodes to others; jobs come in the order of their numbers and go for good."""
        known = max(0, newest - 4)
        for node in rng.choice(NODES, rng.integers(1, 5), replace=False).tolist():
            self.job[node] = rng.choice([NOBODY, rng.integers(known, newest + 1)])
        self.parts = {}
        for node in (NODES - 2, NODES - 1):
            if rng.random() < 0.5:
                self.job[node] = SHARED
                self.parts[node] = {newest: int(rng.integers(1, SLICES * GPUS)), known: 1}
            elif self.job[node] == SHARED:
                self.job[node] = NOBODY
        rows = [(n, job, 0, slices) for n, held in self.parts.items() for job, slices in held.items()]
        self.table = tuple(np.array(rows, np.intp).reshape(-1, 4).T)
        self.version += 1

    def part_table(self) -> tuple[Any, ...]:
        """Return node, job, GPU and slices of every part."""
        return self.table

    def share_w(self, node_w: Any) -> tuple[Any, float]:
        """Return what each job answers for, and nobody [W]: node by node."""
        by_job, nobody_w = np.zeros(JOBS), 0.0
        for node, job in enumerate(self.job.tolist()):
            if job >= 0:
                by_job[job] += node_w[node]
                continue
            left_w = node_w[node]
            for holder, slices in self.parts.get(node, {}).items():
                part_w = node_w[node] * slices / (SLICES * GPUS)
                by_job[holder] += part_w
                left_w -= part_w
            nobody_w += left_w
        return by_job, nobody_w


def hall() -> Hall:
    """Return nodes that nobody holds."""
    table = tuple(np.zeros((4, 0), np.intp))
    job = np.full(NODES, NOBODY, np.int32)
    return Hall(job=job, gpus=np.full(NODES, GPUS), parts={}, table=table, version=0)


@pytest.mark.parametrize("seed", range(3))
def test_every_job_answers_for_its_nodes_and_parts(seed: int) -> None:
    rng, nodes = np.random.default_rng(seed), hall()
    meter, node_w = JobEnergy(JOBS, nodes), np.full(NODES, 1.0)  # type: ignore[arg-type]
    meter.share(node_w)
    energy_j, nobody_j, total_j = np.zeros(JOBS), 0.0, 0.0
    for newest in np.repeat(np.arange(5, JOBS), 3).tolist():
        dt_s = rng.random()
        by_job, nobody_w = nodes.share_w(node_w)
        energy_j, nobody_j = energy_j + by_job * dt_s, nobody_j + nobody_w * dt_s
        total_j += float(node_w.sum()) * dt_s
        meter.book_to(total_j)
        nodes.deal(rng, newest)
        if rng.random() < 0.5:
            node_w = rng.uniform(100.0, 1000.0, NODES)
            meter.share(node_w)
        else:
            meter.share()
        if rng.random() < 0.1:  # as after a snapshot
            saved = meter.state()
            meter = JobEnergy(JOBS, nodes)  # type: ignore[arg-type]
            meter.restore(saved)
    assert meter.reading(total_j) == pytest.approx(energy_j, rel=1e-9, abs=1e-6)
    assert meter.nobody_j == pytest.approx(nobody_j, rel=1e-9)


def test_a_hall_without_jobs_has_all_of_it_for_nobody() -> None:
    meter = JobEnergy(0, hall())  # type: ignore[arg-type]
    meter.share(np.full(NODES, 2.0))
    meter.book_to(48.0)
    meter.share()
    assert meter.nobody_j == 48.0
