"""Input: what the jobs want to read, what stores and caches deliver, and how long a step waits for it."""

from __future__ import annotations

import numpy as np

from twin.catalog import Catalog
from twin.physics.storage import input_wait_s, max_min_share
from twin.record.channels import JobState
from twin.scenario.document import Scenario
from twin.scenario.work import VisionTraining
from twin.sim.jobs import JobRow, Jobs
from twin.sim.plan import JobPlan


def store_read_bytes_s(scenario: Scenario, catalog: Catalog, store: str | None) -> float | None:
    """Return the read bandwidth of a store of the scenario [B/s], None when none is named."""
    for item in scenario.storage:
        if item.id == store:
            part = catalog.storage(item.part).read_bytes_s if item.part else None
            bandwidth = item.read_bytes_s or part
            return bandwidth * item.count if bandwidth else None
    return None


class Ingest:
    """Shares each store's read bandwidth among the jobs that step and read from it, max-min fair."""

    def __init__(self, scenario: Scenario, catalog: Catalog, jobs: Jobs, plans: list[JobPlan]) -> None:
        self.jobs, self.plans = jobs, plans
        self.store = [job.storage for job in scenario.jobs]
        self.capacity = {s.id: store_read_bytes_s(scenario, catalog, s.id) for s in scenario.storage}

    def _missed_bytes(self, row: JobRow) -> float:
        """Bytes of a step that no cache holds: all in the first epoch, then what does not fit."""
        work, spec = self.jobs.work[row.index], self.jobs.specs[row.index].workload
        epoch = self.plans[row.index].epoch_steps
        if not isinstance(spec, VisionTraining) or epoch is None:
            return 0.0
        cached = 0.0
        if row.progress >= epoch * (1 - 1e-9):
            cached = min(1.0, spec.cache_bytes * len(row.nodes) / spec.dataset_bytes)
        return work.ingest_bytes * (1 - cached)

    def wait_s(self) -> dict[int, float]:
        """Return how long a step of each job that reads waits for its input [s]."""
        waits: dict[int, float] = {}
        for store, capacity in self.capacity.items():
            rows = [
                row
                for row in self.jobs.rows
                if self.store[row.index] == store and row.state in (JobState.RUNNING, JobState.CHECKPOINT)
            ]
            missed = np.array([self._missed_bytes(row) for row in rows])
            if capacity is None or not missed.any():
                continue
            step_s = np.array([self.jobs.work[row.index].step_s for row in rows])
            share = max_min_share(capacity, missed / step_s)
            read_s = np.divide(missed, share, out=np.zeros(len(rows)), where=missed > 0)
            for row, wait_s in zip(rows, input_wait_s(read_s, step_s).tolist(), strict=True):
                waits[row.index] = wait_s
        return waits
