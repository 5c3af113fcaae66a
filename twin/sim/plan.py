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
from twin.physics.training_inputs import FULL_NETWORK, Network
from twin.planning.advice import would_fit
from twin.planning.joined import Places, group_for
from twin.planning.llm import LlmJob
from twin.planning.scenario_job import allowed_nodes, planned_job
from twin.planning.vision import VisionJob
from twin.plant.tables import Plant, Stores
from twin.scenario.document import Scenario
from twin.scenario.faults import Cause
from twin.scenario.work import Input, Job, Recovery
from twin.sim.work import Work, work_of


class UnplaceableJob(ValueError):
    """A job that no node of its rows could ever run."""


@dataclass(frozen=True)
class JobPlan:
    """Numbers of one job that do not change while it runs."""

    nodes: int
    groups: tuple[NDArray[np.bool_], ...]  # nodes among which it can run as a whole, each joined by a fabric
    steps: int | None
    checkpoint_steps: int | None
    pause_s: float
    drain_s: float
    epoch_steps: float | None
    load_s: float  # from an idle store
    store: int  # that checkpoints go to, -1 none
    recovery: Recovery

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        """Return all nodes it may use."""
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

    def restart_s(self, *, swapped: bool, load_s: float) -> float:
        """Return the time from detection to the first step [s]; `swapped`: nodes were replaced."""
        r = self.recovery
        if r.constant_s is not None:
            return r.constant_s
        return (r.swap_s if swapped else 0.0) + r.container_s + r.init_s + load_s + r.warmup_s

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
        return work / (work + self.pause_s)


def plan_jobs(
    scenario: Scenario,
    plant: Plant,
    catalog: Catalog,
    node_failures_per_s: float,
    networks: Sequence[Network] | None = None,
    places: Sequence[Places] | None = None,
) -> tuple[list[JobPlan], list[Work], list[int]]:
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
    plans, works, gpus = [], [], []
    for index, job in enumerate(scenario.jobs):
        allowed = allowed_nodes(plant, job.rows)
        count, gpu_part = hardware_of(plant, job, allowed)
        network = networks[index] if networks is not None else FULL_NETWORK
        work = work_of(job, count, gpu_part, catalog, network)
        groups = (allowed,) if places is None else places[index].groups
        plan = _plan(job, groups, work, node_failures_per_s * job.nodes, plant.storage)
        plans.append(plan)
        works.append(replace(work, duty=plan.duty(work.step_s)))
        gpus.append(count)
    return plans, works, gpus


def misfit_of(plant: Plant, catalog: Catalog, job: Job, misfit: str) -> str:
    """Return what to say of a job that does not fit in memory: why, and what would."""
    gpus, part = hardware_of(plant, job, allowed_nodes(plant, job.rows))
    planned = planned_job(job, gpus, part, catalog.gpu(part).memory_bytes)
    advice = would_fit(planned) if isinstance(planned, LlmJob | VisionJob) else ""
    return f"{job.id} {misfit}" + (f"; {advice}" if advice else "")


def hardware_of(plant: Plant, job: Job, allowed: NDArray[np.bool_]) -> tuple[int, str]:
    """Return the GPUs a job asks for, and their part; raises `UnplaceableJob`."""
    kinds = {
        (int(n), int(p))
        for n, p in zip(plant.nodes.gpu_count[allowed], plant.nodes.part[allowed], strict=True)
    }
    if int(allowed.sum()) < job.nodes:
        raise UnplaceableJob(f"job {job.id!r} asks for {job.nodes} nodes; its rows have {int(allowed.sum())}")
    if len(kinds) != 1:
        raise UnplaceableJob(
            f"job {job.id!r} may use nodes of {len(kinds)} kinds; name rows of one kind under rows"
        )
    per_node, _ = kinds.pop()
    first = int(plant.nodes.gpu_first[np.argmax(allowed)])
    return per_node * job.nodes, plant.gpu_parts[int(plant.gpus.part[first])]


def _plan(
    job: Job, groups: tuple[NDArray[np.bool_], ...], work: Work, failures_per_s: float, stores: Stores
) -> JobPlan:
    checkpoint = job.checkpoint
    interval_s = _interval_s(job, work, failures_per_s)
    store = stores.ids.index(checkpoint.storage) if checkpoint.storage in stores.ids else -1
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
        steps=job.steps,
        checkpoint_steps=None if math.isinf(interval_s) else max(1, round(interval_s / work.step_s)),
        pause_s=checkpoint.pause_s,
        drain_s=checkpoint.drain_s,
        epoch_steps=epoch,
        load_s=work.checkpoint_bytes / bandwidth if bandwidth else 0.0,
        store=store,
        recovery=job.recovery,
    )


def _interval_s(job: Job, work: Work, failures_per_s: float) -> float:
    """Return the work between checkpoints [s]; infinity for none."""
    checkpoint = job.checkpoint
    if work.stateless:
        return math.inf
    if not isinstance(checkpoint.interval, str):
        return checkpoint.interval
    if checkpoint.interval == "none" or failures_per_s == 0:
        return math.inf
    if checkpoint.pause_s == 0:
        return work.step_s  # a free write is due after every step
    rule = daly_interval_s if checkpoint.interval == "daly" else young_interval_s
    return float(rule(checkpoint.pause_s, 1 / failures_per_s))
