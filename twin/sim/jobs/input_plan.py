"""What a step of each job reads, and from which tier, resolved into numbers the stores share out."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from twin.catalog import Catalog
from twin.physics.input_tiers import cache_hit_ratio, read_time_s, tier_shares
from twin.physics.storage import max_min_share, outstanding_bytes_s
from twin.plant.tables import Plant, Stores
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.work import Input, LlmTraining, VisionTraining
from twin.sim.jobs.plan import JobPlan
from twin.sim.jobs.work import Work

OPERATION_BYTES = 4.0 * 2**20
"""Moved by one operation on large files: what file systems of this kind make of them [est]."""
REQUESTS_PER_GPU = 16
"""Reads that data loaders keep under way for each GPU, such as 8 workers that fetch 2 ahead [est]."""


@dataclass(frozen=True, slots=True)
class Use:
    """What each byte of a flow costs one store: bytes read of it, bytes written to it, operations."""

    store: int
    read: float
    write: float
    operations: float


@dataclass(frozen=True, slots=True)
class InputReading:
    """Where the input of a step comes from in one epoch.

    Parameters
    ----------
    stored_bytes
        From the store that the job names, of the whole job [B]; the caches of the nodes hold the rest.
    node_s
        Time that memory and drives of the nodes take for the rest [s].
    limit_bytes_s
        What the readers get of the store at most, for its slow answers [B/s].
    uses
        Of the store and of those behind it, for each byte from the store.
    """

    stored_bytes: float
    node_s: float
    limit_bytes_s: float
    uses: tuple[Use, ...]


@dataclass(frozen=True, slots=True)
class JobInput:
    """What a job reads in its first epoch and in later ones, and the names of where it comes from."""

    first: InputReading
    later: InputReading
    epoch_steps: float | None

    def reading(self, progress: float) -> InputReading:
        """Return what a step after `progress` steps reads."""
        begun = self.epoch_steps is not None and progress >= self.epoch_steps * (1 - 1e-9)
        return self.later if begun else self.first


def job_inputs(
    scenario: Scenario, plant: Plant, catalog: Catalog, plans: list[JobPlan], works: list[Work]
) -> list[JobInput | None]:
    """Return the input of each job; None for those that read from no store."""
    stores = plant.storage
    chains = [_chain(stores, job.storage) for job in jobs_of(scenario)]
    room = _room(scenario, stores, chains)
    made: list[JobInput | None] = []
    for i, (job, work) in enumerate(zip(jobs_of(scenario), works, strict=True)):
        if not chains[i] or not isinstance(job.workload, Input) or work.ingest_bytes <= 0:
            made.append(None)
            continue
        node = catalog.node(plant.node_parts[int(plant.nodes.part[int(np.argmax(plans[i].allowed))])])
        drive = catalog.storage("NVMe-U2-gen4")
        tiers = _Tiers(
            step_bytes=work.ingest_bytes,
            workload=job.workload,
            nodes=job.nodes,
            requests=REQUESTS_PER_GPU * node.n_gpu * job.nodes,
            memory_bytes_s=catalog.storage("Host-memory").read_bytes_s * job.nodes,
            nvme_bytes_s=(node.nvme_read_bytes_s or drive.read_bytes_s) * job.nodes,
            chain=chains[i],
            room_bytes=room[i],
        )
        made.append(JobInput(tiers.reading(stores, 0), tiers.reading(stores, 1), plans[i].epoch_steps))
    return made


def _chain(stores: Stores, name: str | None) -> list[int]:
    """Return the store of this name and those it is filled from, nearest first."""
    chain = [stores.ids.index(name)] if name in stores.ids else []
    while chain and stores.behind[chain[-1]] >= 0:
        chain.append(int(stores.behind[chain[-1]]))
    return chain


def _room(scenario: Scenario, stores: Stores, chains: list[list[int]]) -> list[list[float]]:
    """Return for each job what each store of its chain keeps of its data set [B]; jobs share room max-min fair."""
    size = [getattr(job.workload, "dataset_bytes", None) or math.inf for job in jobs_of(scenario)]
    room = [[0.0] * len(chain) for chain in chains]
    for store in range(len(stores.ids)):
        users = [i for i, chain in enumerate(chains) if store in chain[:-1] and math.isfinite(size[i])]
        share = max_min_share(float(stores.capacity_bytes[store]), [size[i] for i in users])
        for i, kept in zip(users, share.tolist(), strict=True):
            room[i][chains[i].index(store)] = kept
    return room


@dataclass(frozen=True, slots=True)
class _Tiers:
    """Everything that holds the data set of one job; bandwidths are of all its nodes [B/s]."""

    step_bytes: float
    workload: Input
    nodes: int
    requests: int
    memory_bytes_s: float
    nvme_bytes_s: float
    chain: list[int]
    room_bytes: list[float]

    def reading(self, stores: Stores, epoch: int) -> InputReading:
        """Return where the input of a step comes from after so many complete epochs."""
        workload = self.workload
        dataset = workload.dataset_bytes or math.inf
        shuffled = workload.shuffle != "none"
        on_nodes = (self.nodes * workload.host_cache_bytes, self.nodes * workload.cache_bytes)
        caches = np.array([*on_nodes, *self.room_bytes[:-1]])
        hits = cache_hit_ratio(dataset, caches, epoch, shuffled=shuffled)
        share = tier_shares(hits.tolist())
        reach = share[::-1].cumsum()[::-1]  # of the input, what comes from this tier or one behind it
        node_s = float(read_time_s(self.step_bytes, share[:2], [self.memory_bytes_s, self.nvme_bytes_s]))
        stored = float(reach[2])
        if stored <= 0:
            return InputReading(0.0, node_s, math.inf, ())
        operation = self._operation_bytes()
        uses, limit = [], math.inf
        for k, store in enumerate(self.chain):
            passed = float(reach[2 + k]) / stored
            missed = float(reach[3 + k]) / stored if k + 1 < len(self.chain) else 0.0
            filled = missed * self._kept(k, dataset, epoch, shuffled=shuffled)
            uses.append(Use(store, passed, filled, passed / operation + filled / OPERATION_BYTES))
            answers = float(outstanding_bytes_s(self.requests, operation, stores.first_byte_s[store]))
            limit = min(limit, answers / passed) if passed > 0 else limit
        return InputReading(self.step_bytes * stored, node_s, limit, tuple(uses))

    def _kept(self, k: int, dataset_bytes: float, epoch: int, *, shuffled: bool) -> float:
        """Return what share of what passes through a store on its way it keeps, and so has to write."""
        if not shuffled:
            return 1.0  # the newest always goes in, and pushes out what comes next
        return min(1.0, self.room_bytes[k] / dataset_bytes) if epoch == 0 else 0.0

    def _operation_bytes(self) -> float:
        workload = self.workload
        if workload.operation_bytes is not None:
            return workload.operation_bytes
        if workload.shuffle != "samples":
            return OPERATION_BYTES
        sample = OPERATION_BYTES
        if isinstance(workload, VisionTraining):
            sample = workload.sample_bytes
        elif isinstance(workload, LlmTraining):
            sample = self.step_bytes / workload.global_batch
        return min(sample, OPERATION_BYTES)
