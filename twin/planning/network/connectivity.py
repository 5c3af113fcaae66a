"""Where a job can run: among nodes that a fabric joins, or inside one scale-up domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twin.arrays import Bools, Ints64
from twin.catalog import Catalog
from twin.planning.job.result import PlanError
from twin.planning.job.scenario_job import allowed_nodes, planned_job
from twin.planning.network.placement import profile_of
from twin.planning.network.traffic import exchanges_of
from twin.plant.domains import scale_up_domains
from twin.plant.islands import ALONE, islands_of
from twin.plant.links import Links
from twin.plant.tables import Plant
from twin.scenario.schema.work import Job


class NotJoined(PlanError):
    """A job that talks between nodes, and no fabric joins as many as it asks for.

    Attributes
    ----------
    job
        Its id.
    reason, hint
        As a finding about its key ``nodes``.
    """

    def __init__(self, job: str, reason: str, hint: str) -> None:
        super().__init__(f"the number of nodes of job {job!r} {reason}; {hint}", "gpus")
        self.job, self.reason, self.hint = job, reason, hint


@dataclass(frozen=True)
class Places:
    """Where a job can run.

    Parameters
    ----------
    fabric
        That it talks over; None where none joins its nodes, or it needs none.
    groups
        Nodes among which it can run as a whole, each shape (N,); no node is in two.
    """

    fabric: int | None
    groups: tuple[Bools, ...]

    @property
    def allowed(self) -> Bools:
        """All nodes it may use."""
        result: Bools = np.logical_or.reduce(self.groups)
        return result

    def first(self, nodes: int, taken: Bools | None = None) -> Ints64:
        """Return the nodes it takes where it comes first, of a group that still has enough if there is one."""
        free = self.groups if taken is None else [group & ~taken for group in self.groups]
        chosen = next((group for group in free if group.sum() >= nodes), self.groups[0])
        return np.flatnonzero(chosen)[:nodes]


def group_for(groups: Sequence[Bools], held: Sequence[int], free: Bools, nodes: int) -> Bools:
    """Return the group a job of so many nodes goes on in: that of the nodes it holds, else the first with room."""
    if len(groups) == 1:
        return groups[0]
    if held:
        return next(group for group in groups if group[held[0]])
    return next((group for group in groups if (group & free).sum() >= nodes), groups[0])


class Joints:
    """Which nodes the fabrics of a plant connect, computed once.

    Parameters
    ----------
    plant, links, catalog
        As built, and its parts.
    """

    def __init__(self, plant: Plant, links: Links, catalog: Catalog) -> None:
        self.plant, self.catalog = plant, catalog
        self.islands = [islands_of(plant, links, fabric) for fabric in range(len(plant.fabrics))]
        self.domain = scale_up_domains(plant, catalog).astype(np.int64)

    def places(self, job: Job) -> Places:
        """Return where a job can run.

        Raises
        ------
        NotJoined
            When it talks between nodes that nothing joins.
        PlanError
            When it is cut in a way that cannot run.
        """
        allowed = allowed_nodes(self.plant, job.rows)
        anywhere = Places(None, (allowed,))
        kinds = len(set(self.plant.nodes.part[allowed].tolist()))
        if not self.islands or job.nodes < 2 or kinds != 1 or allowed.sum() < job.nodes:
            return anywhere
        for fabric, island in enumerate(self.islands):
            groups = _groups(allowed & (island != ALONE), island, job.nodes)
            if groups:
                return Places(fabric, groups)
        if not self._talks(job, allowed):
            return anywhere
        groups = _groups(allowed, self.domain, job.nodes)
        if groups:
            return Places(None, groups)
        raise self._apart(job, allowed)

    def _talks(self, job: Job, allowed: Bools) -> bool:
        nodes = np.flatnonzero(allowed)[: job.nodes]
        gpus = int(self.plant.nodes.gpu_count[nodes].sum())
        part = self.plant.gpu_parts[int(self.plant.gpus.part[self.plant.nodes.gpu_first[nodes[0]]])]
        node = self.plant.node_parts[int(self.plant.nodes.part[nodes[0]])]
        memory_bytes = self.catalog.gpu(part).memory_bytes
        planned = planned_job(job, gpus, part, memory_bytes, catalog=self.catalog, node=node)
        return profile_of(planned) is not None and bool(exchanges_of(planned, gpus))

    def _apart(self, job: Job, allowed: Bools) -> NotJoined:
        most, name = 0, self.plant.fabrics[0]
        for fabric, island in enumerate(self.islands):
            counts = np.bincount(island[allowed & (island != ALONE)], minlength=1)
            if counts.max() > most:
                most, name = int(counts.max()), self.plant.fabrics[fabric]
        most = max(most, 1, int(np.bincount(self.domain[allowed]).max()))
        reason = (
            f"is too large: they talk to one another, and no fabric joins more than {most:,} of the "
            f"{int(allowed.sum()):,} the job may use"
        )
        would = f"at most {most:,} node{'s' * (most != 1)} would do, or {name} has to join the others"
        return NotJoined(job.id, reason, would)


def _groups(allowed: Bools, label: Ints64, nodes: int) -> tuple[Bools, ...]:
    """Return the nodes of each label that has enough of them, in the order of their first nodes."""
    found, first, count = np.unique(label[allowed], return_index=True, return_counts=True)
    order = [k for k in np.argsort(first).tolist() if count[k] >= nodes]
    return tuple(allowed & (label == found[k]) for k in order)
