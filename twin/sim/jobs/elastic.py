"""Jobs that continue with fewer nodes: how a job falls into replicas, and what is left of it without some of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from twin.arrays import IntP
from twin.catalog import Catalog
from twin.planning.job.llm import LlmJob
from twin.planning.job.scenario_job import planned_job
from twin.scenario.schema.work import Inference, Job, LlmTraining, Load, VisionTraining


@dataclass(frozen=True)
class ReplicaNodes:
    """How the nodes of a job belong together.

    Places that share a data-parallel replica are one part: it stands or falls as a whole, and all are equally large.

    Parameters
    ----------
    nodes, per_node
        Of the job; GPUs of each.
    replicas, stages
        Data parallel, and pipeline stages of each.
    bound
        Replicas next to each other that share one set of experts.
    data_first
        Whether all replicas of one stage come before the next stage in the order of ranks.
    """

    nodes: int
    per_node: int
    replicas: int
    stages: int = 1
    bound: int = 1
    data_first: bool = True

    @property
    def part(self) -> IntP:
        """Return the part of each place in the order of ranks, shape (nodes,), numbered by their first places."""
        return _parts(self)

    def narrowed(self, nodes: int) -> ReplicaNodes:
        """Return the same of fewer nodes, a multiple of `unit`."""
        return replace(self, nodes=nodes, replicas=self.replicas * nodes // self.nodes)

    @property
    def unit(self) -> int:
        """Return the nodes of a part: the job can be as many times as wide."""
        return self.nodes // self.parts

    @property
    def parts(self) -> int:
        """Return how many parts there are."""
        return int(self.part.max()) + 1

    def whole(self, lost: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the places whose part has lost none, of `lost` places (nodes,)."""
        hit = np.bincount(self.part, lost, minlength=self.parts) > 0
        kept: NDArray[np.bool_] = ~hit[self.part]
        return kept

    def share_hit(self, lost: NDArray[np.bool_], partial: str) -> float:
        """Return the share of the job that has to restart when `lost` places do.

        "replica": the parts hit; "pipeline": only the stage of each replica that the lost places worked on.
        """
        hit = int((np.bincount(self.part, lost, minlength=self.parts) > 0).sum())
        if partial == "none" or not hit:
            return 1.0
        if partial == "replica":
            return hit / self.parts
        per_stage = max(1, self.nodes // (self.parts * self.stages))  # nodes that hold one stage of a part
        return min(hit / self.parts, -(-int(lost.sum()) // per_stage) * per_stage / self.nodes)


def cut_of(job: Job, gpus: int, gpu_part: str, catalog: Catalog) -> ReplicaNodes | None:
    """Return how `job` falls into parts; None: it cannot continue without any of its nodes.

    A language model falls into its data-parallel replicas, tensor x pipeline x context wide (experts stay inside, so
    parts are as wide as their group); vision, serving and plain load node by node. A simulation or reinforcement
    needs all nodes.
    """
    workload = job.workload
    if isinstance(workload, LlmTraining):
        planned = planned_job(job, gpus, gpu_part, catalog.gpu(gpu_part).memory_bytes, catalog=catalog)
        assert isinstance(planned, LlmJob)
        cuts = planned.parallel
        bound = max(1, cuts.ep * cuts.expert_tp // (cuts.tp * cuts.cp))
        first = cuts.order == "data-first"
        whole = ReplicaNodes(job.nodes, gpus // job.nodes, cuts.dp, cuts.pp, min(bound, cuts.dp), first)
        sizes = np.bincount(whole.part)
        return whole if (sizes == sizes[0]).all() else None
    if isinstance(workload, VisionTraining | Inference | Load):
        return ReplicaNodes(job.nodes, 1, job.nodes)
    return None


@lru_cache(maxsize=1024)
def _parts(cut: ReplicaNodes) -> IntP:
    """Return the part of each place: nodes that share a replica, directly or through others."""
    ranks = cut.nodes * cut.per_node
    inner = ranks // (cut.replicas * cut.stages)
    replica = np.arange(cut.replicas) // cut.bound
    shape = (cut.stages, cut.replicas, inner) if cut.data_first else (cut.replicas, cut.stages, inner)
    along = replica[None, :, None] if cut.data_first else replica[:, None, None]
    of_rank = np.broadcast_to(along, shape).ravel()
    node, part = np.arange(ranks) // cut.per_node, np.arange(cut.nodes)
    while True:  # each replica, then each node, takes the lowest number it touches, until none changes
        first = np.full(cut.replicas, cut.nodes)
        np.minimum.at(first, of_rank, part[node])
        lower = part.copy()
        np.minimum.at(lower, node, first[of_rank])
        if np.array_equal(lower, part):
            break
        part = lower
    numbered: IntP = np.unique(part, return_inverse=True)[1].astype(np.intp)
    return numbered


def variant(job: Job, width: int, *, fewer_samples: bool) -> tuple[Job, float]:
    """Return `job` as it runs on `width` nodes, and how many of its steps make one of the full job.

    A job that shrinks keeps its global batch: its replicas take more of it each. One that drops replicas does without
    their share (`fewer_samples`): a step is as quick as before and counts for less, so that progress stays in steps of
    the full batch, that is in samples. Vision takes the samples of the missing in further passes: the same in time.
    """
    if width == job.nodes:
        return job, 1.0
    change: dict[str, object] = {"nodes": width}
    if job.gpus is not None:
        change["gpus"] = job.gpus // job.nodes * width
    workload, steps = job.workload, job.nodes / width
    if isinstance(workload, LlmTraining):
        if fewer_samples:
            batch = workload.global_batch * width // job.nodes
            change["workload"] = workload.model_copy(update={"global_batch": batch})
        else:
            steps = 1.0
    elif isinstance(workload, Inference):
        steps = 1.0  # whoever asks continues asking: the others answer it
    return job.model_copy(update=change), steps


def widths(nodes: int, unit: int, minimum: int | None) -> Sequence[int]:
    """Return the widths a job may have, of at most `nodes`, widest first."""
    least = max(unit, -(-(minimum or 1) // unit) * unit)
    return range(nodes // unit * unit, least - 1, -unit)
