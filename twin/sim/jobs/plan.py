"""What a scenario asks of one job, resolved into numbers the engine acts on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from twin.catalog import Catalog
from twin.physics.checkpoint import daly_interval_s, young_interval_s
from twin.physics.training_inputs import FULL_NETWORK, TrainingNetwork
from twin.planning.job.llm import LlmJob
from twin.planning.job.scenario_job import allowed_nodes, planned_job
from twin.planning.job.vision import VisionJob
from twin.planning.network.connectivity import Places, group_for
from twin.planning.search.advice import would_fit
from twin.plant.tables import Plant
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.faults import Cause
from twin.scenario.schema.work import Input, Job, Recovery
from twin.sim.core.nodes import SLICES
from twin.sim.jobs.checkpoint_tiers import StorageTier, least_every, mean_pause_s, tiers_of
from twin.sim.jobs.elastic import ReplicaNodes, cut_of
from twin.sim.jobs.job_classes import kinds_of
from twin.sim.jobs.work import Work, mig_slices, work_of


class UnplaceableJob(ValueError):
    """A job that no node of its rows could ever run."""


@dataclass(frozen=True)
class JobPlan:
    """Numbers of one job that do not change while it runs."""

    nodes: int
    groups: tuple[NDArray[np.bool_], ...]  # nodes among which it can run as a whole, each joined by a fabric
    steps: float | None
    checkpoint_steps: int | None
    pause_s: float
    drain_s: float
    epoch_steps: float | None
    load_s: float  # from an idle store
    store: int  # that checkpoints go to, -1 none
    recovery: Recovery
    tiers: tuple[StorageTier, ...] = ()  # where checkpoints go, the store first
    every: int = 1  # of the checkpoints due, each so many-th goes anywhere
    verify_s: float = 0.0
    adaptive: bool = False
    failures_per_s: float = 0.0  # of all its nodes, as planned
    cut: ReplicaNodes | None = None  # how it falls into replicas; None: it needs all its nodes
    gpus: float = 0.0  # asked for
    rest: int = 0  # GPUs of its last node, which it shares; 0: whole nodes
    slices: int = 0  # of one GPU, which it shares; 0: whole GPUs
    estimate_s: float = math.inf  # what the scheduler believes it takes
    limit_s: float | None = None  # wall time from each start
    partition: int = -1  # of the scene's; -1: none
    priority: int = 0

    @cached_property
    def survives(self) -> tuple[int, ...]:
        """Return what each tier outlives."""
        return tuple(tier.survives for tier in self.tiers)

    @cached_property
    def strongest(self) -> int:
        """Return the tier that outlives most, the first of them."""
        return self.survives.index(max(self.survives))

    @property
    def shares(self) -> bool:
        """Return whether it shares a node with others."""
        return bool(self.rest or self.slices)

    @property
    def allowed(self) -> NDArray[np.bool_]:
        """Return all nodes it may use."""
        return self.groups[0] if len(self.groups) == 1 else self._everywhere

    @cached_property
    def _everywhere(self) -> NDArray[np.bool_]:
        result: NDArray[np.bool_] = np.logical_or.reduce(self.groups)
        return result

    def group(self, held: Sequence[int], free: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the nodes it may use beside those it holds; while it holds none, those with room for it."""
        return group_for(self.groups, held, free, self.nodes)

    @property
    def first_start_s(self) -> float:
        """Return the time from allocation to the first step [s]."""
        r = self.recovery
        return r.constant_s if r.constant_s is not None else r.container_s + r.init_s + r.warmup_s

    def detection_s(self, cause: Cause | None) -> float:
        """Return the time until a failure by `cause` is noticed [s]."""
        r = self.recovery
        if r.constant_s is not None:
            return 0.0
        return r.watchdog_s if cause is not None and cause.detection == "watchdog" else r.detect_s

    def restart(self, *, swapped: bool, load_s: float, share: float = 1.0) -> list[float]:
        """Return the parts of a restart, from detection to the first step, by `BUDGET` [s].

        Parameters
        ----------
        swapped
            Whether nodes were replaced.
        load_s
            To read the state of the whole job [s].
        share
            Of the job that restarts, while the others wait: it reads, and joins communicators, so much less.
        """
        r = self.recovery
        if r.constant_s is not None:
            return [0.0, 0.0, 0.0, 0.0, 0.0, r.constant_s]
        swap_s = r.swap_s if swapped else 0.0
        return [swap_s, r.container_s, r.init_s * share, load_s * share, r.warmup_s, 0.0]

    def next_epoch_step(self, progress: float) -> float | None:
        """Return the step at which the next epoch begins, None when epochs do not matter."""
        if self.epoch_steps is None:
            return None
        return (math.floor(progress / self.epoch_steps + 1e-9) + 1) * self.epoch_steps

    def at_epoch(self, progress: float) -> bool:
        """Return whether an epoch begins at `progress`."""
        return (
            self.epoch_steps is not None
            and abs(progress / self.epoch_steps - round(progress / self.epoch_steps)) < 1e-9
        )

    def duty(self, step_s: float) -> float:
        """Return the share of running time spent in steps; the rest are checkpoint pauses."""
        if not self.checkpoint_steps:
            return 1.0
        work = self.checkpoint_steps * step_s
        return work / (work + mean_pause_s(self.tiers))


def plan_jobs(
    scenario: Scenario,
    plant: Plant,
    catalog: Catalog,
    node_failures_per_s: float,
    networks: Sequence[TrainingNetwork] | None = None,
    places: Sequence[Places] | None = None,
) -> tuple[list[JobPlan], list[Work], list[float]]:
    """Resolve all jobs of `scenario`: plans, steps, and GPUs asked for.

    Parameters
    ----------
    node_failures_per_s
        Rate of one node [1/s], for the Young and Daly rules.
    networks
        What the fabric is expected to give each job; None: all that their profiles know.
    places
        Where each job can run; None: on all nodes of its rows.

    Raises
    ------
    UnplaceableJob
        When a job asks for more nodes than its rows have, or its rows mix GPU parts.
    """
    jobs = jobs_of(scenario)
    kinds = kinds_of(jobs)
    partitions = {partition.id: number for number, partition in enumerate(scenario.partitions)}
    known: dict[object, tuple[JobPlan, Work]] = {}
    plans, works, gpus = [], [], []
    for index, job in enumerate(jobs):
        network = networks[index] if networks is not None else FULL_NETWORK
        key = kinds[index], network
        if key not in known:
            partition = partitions.get(job.partition or "", -1)
            groups = _groups(
                scenario, plant, job, partition, None if places is None else places[index].groups
            )
            asked = hardware_of(plant, job, np.logical_or.reduce(groups))
            work = work_of(job, asked.ranks, asked.gpu_part, catalog, network, asked.node_part)
            plan = _plan(job, groups, asked, work, node_failures_per_s * job.nodes, plant, catalog)
            known[key] = replace(plan, partition=partition), replace(work, duty=plan.duty(work.step_s))
        plan, work = known[key]
        plans.append(_own(plan, scenario, job, work))
        works.append(work)
        gpus.append(plan.gpus)
    return plans, works, gpus


def _own(plan: JobPlan, scenario: Scenario, job: Job, work: Work) -> JobPlan:
    """Return the plan of a job from that of its kind."""
    # A copy by its fields: there may be tens of thousands, and `replace` would check each.
    own = object.__new__(JobPlan)
    own.__dict__.update(plan.__dict__)
    steps = float(job.steps) if job.steps is not None else None
    if job.run_s is not None:
        steps = job.run_s / work.step_s
    limit_s = job.limit_s
    if plan.partition >= 0:
        part = scenario.partitions[plan.partition]
        limit_s = limit_s or part.default_limit_s or part.limit_s
        limit_s = min(limit_s, part.limit_s) if limit_s and part.limit_s else limit_s
    takes_s = math.inf if steps is None else steps * work.step_s / plan.duty(work.step_s) + plan.first_start_s
    own.__dict__.update(
        steps=steps,
        limit_s=limit_s,
        estimate_s=job.estimate_s or limit_s or takes_s,
        priority=job.priority,
    )
    return own


def _groups(
    scenario: Scenario,
    plant: Plant,
    job: Job,
    partition: int,
    groups: tuple[NDArray[np.bool_], ...] | None,
) -> tuple[NDArray[np.bool_], ...]:
    """Return the nodes among which a job can run, of its partition.

    Raises
    ------
    UnplaceableJob
        When its partition leaves it too few.
    """
    groups = (allowed_nodes(plant, job.rows),) if groups is None else groups
    if partition < 0:
        return groups
    part = scenario.partitions[partition]
    allowed = allowed_nodes(plant, part.rows)
    left = tuple(group & allowed for group in groups if int((group & allowed).sum()) >= job.nodes)
    if not left:
        most = max(int((group & allowed).sum()) for group in groups)
        raise UnplaceableJob(
            f"job {job.id!r} asks for {job.nodes} nodes; partition {part.id!r} has at most {most} that work together"
        )
    return left


def misfit_of(plant: Plant, catalog: Catalog, job: Job, misfit: str) -> str:
    """Return what to say of a job that does not fit in memory: why, and what would."""
    asked = hardware_of(plant, job, allowed_nodes(plant, job.rows))
    part, node = asked.gpu_part, asked.node_part
    memory_bytes = catalog.gpu(part).memory_bytes
    planned = planned_job(job, asked.ranks, part, memory_bytes, catalog=catalog, node=node)
    advice = would_fit(planned) if isinstance(planned, LlmJob | VisionJob) else ""
    return f"{job.id} {misfit}" + (f"; {advice}" if advice else "")


@dataclass(frozen=True)
class Hardware:
    """What a job asks for: so many GPUs, of what, and what of its last node.

    `ranks` are GPUs that work, one for part of a GPU; `gpus` what it holds, slices as fractions.
    """

    ranks: int
    gpus: float
    rest: int
    slices: int
    per_node: int
    gpu_part: str
    node_part: str


def hardware_of(plant: Plant, job: Job, allowed: NDArray[np.bool_]) -> Hardware:
    """Return the GPUs a job asks for, and their part; raises `UnplaceableJob`."""
    nodes = plant.nodes
    kinds = set(zip(nodes.gpu_count[allowed].tolist(), nodes.part[allowed].tolist(), strict=True))
    if int(allowed.sum()) < job.nodes:
        raise UnplaceableJob(f"job {job.id!r} asks for {job.nodes} nodes; its rows have {int(allowed.sum())}")
    if len(kinds) != 1:
        raise UnplaceableJob(
            f"job {job.id!r} could run on {len(kinds)} kinds of nodes; under rows, name rows of one kind"
        )
    per_node, part = kinds.pop()
    ranks, rest, slices = per_node * job.nodes, 0, 0
    if job.mig is not None:
        slices = mig_slices(job.mig)
        if job.nodes != 1 or job.gpus not in (None, 1):
            raise UnplaceableJob(
                f"job {job.id!r} asks for {job.mig}, a part of one GPU: nodes and gpus must be 1"
            )
        ranks = 1
    elif job.gpus is not None:
        needed = -(-job.gpus // per_node)
        if needed != job.nodes:
            raise UnplaceableJob(
                f"job {job.id!r} asks for {job.gpus} GPUs on {job.nodes} nodes of {per_node}; "
                f"set nodes: {needed}"
            )
        ranks, rest = job.gpus, job.gpus % per_node
    first = int(nodes.gpu_first[np.argmax(allowed)])
    gpu_part = plant.gpu_parts[int(plant.gpus.part[first])]
    gpus = slices / SLICES if slices else ranks
    return Hardware(ranks, gpus, rest, slices, per_node, gpu_part, plant.node_parts[part])


def _plan(
    job: Job,
    groups: tuple[NDArray[np.bool_], ...],
    asked: Hardware,
    work: Work,
    failures_per_s: float,
    plant: Plant,
    catalog: Catalog,
) -> JobPlan:
    checkpoint, stores = job.checkpoint, plant.storage
    tiers = tiers_of(job, plant, catalog, asked.node_part)
    pause_s = mean_pause_s(tiers)
    interval_s = _interval_s(job, work, pause_s, failures_per_s)
    store = tiers[0].store
    bandwidth = job.recovery.load_bytes_s
    if store >= 0 and not math.isnan(stores.read_bytes_s[store]):
        bandwidth = min(bandwidth or math.inf, float(stores.read_bytes_s[store]))
    dataset_bytes = job.workload.dataset_bytes if isinstance(job.workload, Input) else None
    epoch = None
    if dataset_bytes is not None and job.storage is not None and work.ingest_bytes > 0:
        epoch = dataset_bytes / work.ingest_bytes
    return JobPlan(
        nodes=job.nodes,
        groups=groups,
        steps=None,
        checkpoint_steps=None if math.isinf(interval_s) else max(1, round(interval_s / work.step_s)),
        pause_s=checkpoint.pause_s,
        drain_s=checkpoint.drain_s,
        epoch_steps=epoch,
        load_s=work.checkpoint_bytes / bandwidth if bandwidth else 0.0,
        store=store,
        recovery=job.recovery,
        tiers=tiers,
        every=least_every(checkpoint),
        verify_s=checkpoint.verify_s,
        adaptive=checkpoint.interval == "adaptive" and not work.stateless,
        failures_per_s=failures_per_s,
        cut=None if asked.rest or asked.slices else cut_of(job, asked.ranks, asked.gpu_part, catalog),
        gpus=asked.gpus,
        rest=asked.rest,
        slices=asked.slices,
    )


UNKNOWN_RATE_S = 3.8 / 1000 / 86400
"""Failures of a node that an adaptive rule expects where the scene names none: as in Llama 3 training [1/s]."""


def _interval_s(job: Job, work: Work, pause_s: float, failures_per_s: float) -> float:
    """Return the work between checkpoints [s]; infinity for none."""
    rule = job.checkpoint.interval
    if work.stateless:
        return math.inf
    if not isinstance(rule, str):
        return rule
    if rule == "adaptive" and failures_per_s == 0:
        failures_per_s = UNKNOWN_RATE_S * job.nodes
    if rule == "none" or failures_per_s == 0:
        return math.inf
    if pause_s == 0:
        return work.step_s  # a free write is due after every step
    return float((young_interval_s if rule == "young" else daly_interval_s)(pause_s, 1 / failures_per_s))
