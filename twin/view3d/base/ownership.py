"""Who jobs and GPUs belong to: what colourings by tenant and partition need beside frames. No GL."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from twin.arrays import Ints32
from twin.plant.tables import Plant
from twin.record.frame import Frame
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.document import Scenario


@dataclass(frozen=True, eq=False)
class OwnerNames:
    """Names of jobs, tenants and partitions, and who belongs to which.

    Parameters
    ----------
    jobs, tenants, partitions
        Names as people call them, by slot.
    tenant_of_job
        Slot of the tenant of each job, -1 for none (jobs,).
    partition_of_gpu
        Slot of the first partition a GPU belongs to, -1 for none (GPU slots,).
    """

    jobs: tuple[str, ...]
    tenants: tuple[str, ...]
    partitions: tuple[str, ...]
    tenant_of_job: Ints32
    partition_of_gpu: Ints32

    @classmethod
    def of(cls, scenario: Scenario, plant: Plant) -> OwnerNames:
        """Return the groups of a scene."""
        jobs = jobs_of(scenario)
        names = {owner.id: owner.title or owner.id for owner in scenario.tenants}
        names |= {job.tenant: job.tenant for job in jobs if job.tenant and job.tenant not in names}
        place = {id: slot for slot, id in enumerate(names)}
        tenants = np.array([place[job.tenant] if job.tenant else -1 for job in jobs], np.int32)
        row = plant.racks.row[plant.gpus.rack]
        generator = [id.rpartition("/")[0] for id in plant.rows.ids]
        partition = np.full(len(row), -1, np.int32)
        for slot, owner in reversed(list(enumerate(scenario.partitions))):
            in_partition = np.array([name in owner.rows for name in generator], bool)
            partition[(row >= 0) & in_partition[row]] = slot
        return cls(
            tuple(job.title or job.id for job in jobs),
            tuple(names.values()),
            tuple(owner.title or owner.id for owner in scenario.partitions),
            tenants,
            partition,
        )

    def names(self, colour_by: str) -> tuple[str, ...]:
        """Return the names of what a colouring tells apart."""
        return {"gpu.job": self.jobs, "gpu.tenant": self.tenants, "gpu.partition": self.partitions}[colour_by]

    def slots(self, colour_by: str, frame: Frame) -> Ints32:
        """Return job, tenant or partition of each GPU of a frame, -1 for none."""
        job: Ints32 = frame.values["gpu.job"].astype(np.int32)
        if colour_by == "gpu.job":
            return job
        if colour_by == "gpu.tenant":
            known = (job >= 0) & (job < len(self.tenant_of_job))
            return np.where(known, self.tenant_of_job[np.where(known, job, 0)] if known.any() else -1, -1)
        out = np.full(len(job), -1, np.int32)
        count = min(len(job), len(self.partition_of_gpu))
        out[:count] = self.partition_of_gpu[:count]
        return out


_NONE = np.zeros(0, np.int32)
NO_GROUPS = OwnerNames((), (), (), _NONE, _NONE)
"""Of pictures that know no scene: all that can be told apart are jobs by number."""
GROUPED = ("gpu.job", "gpu.tenant", "gpu.partition")
"""Colourings by belonging."""
