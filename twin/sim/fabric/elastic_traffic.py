"""Jobs as they run on fewer nodes than they ask for, and what they send then: once for each kind and width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from twin.catalog import Catalog
from twin.planning.job.scenario_job import planned_job
from twin.planning.network.connectivity import Places
from twin.planning.network.placement import profile_of
from twin.planning.network.traffic import exchanges_of
from twin.plant.tables import Plant
from twin.scenario.schema.work import Job
from twin.sim.fabric.job_traffic import Talk
from twin.sim.jobs.elastic import variant
from twin.sim.jobs.plan import UnplaceableJob, hardware_of


@dataclass(frozen=True)
class JobShape:
    """A job of some width: as it runs, what it sends, and how many of its steps make one of the full job."""

    job: Job
    talk: Talk
    steps: float


class Shapes:
    """Shapes of all jobs, worked out when they are asked for.

    Parameters
    ----------
    plant, catalog
        What stands there, of which parts.
    specs, kinds, places
        Jobs of the scenario; the kind of each; where each can run. The lists may change: see `forget`.
    """

    def __init__(
        self,
        plant: Plant,
        catalog: Catalog,
        specs: Sequence[Job],
        kinds: Sequence[int],
        places: Sequence[Places],
    ) -> None:
        self.plant, self.catalog = plant, catalog
        self.specs, self.kinds, self.places = specs, kinds, places
        self._known: dict[tuple[int, int], JobShape] = {}  # by kind and nodes

    def of(self, index: int, width: int) -> JobShape:
        """Return a job as it is on `width` nodes.

        Raises
        ------
        twin.planning.job.job.PlanError
            When it cannot be cut like that.
        """
        key = self.kinds[index], width
        if key not in self._known:
            full = self.specs[index]
            job, steps = variant(full, width, fewer_samples=full.recovery.policy == "drop-replica")
            self._known[key] = JobShape(job, self._talk(job, self.places[index]), steps)
        return self._known[key]

    def forget(self, kind: int) -> None:
        """Recompute jobs of a kind when they are asked for next."""
        self._known = {key: shape for key, shape in self._known.items() if key[0] != kind}

    def _talk(self, job: Job, places: Places) -> Talk:
        try:
            asked = hardware_of(self.plant, job, places.allowed)
        except UnplaceableJob:
            return Talk(None, (), None, 0, "")  # it will never be planned
        gpus, part = asked.ranks, asked.gpu_part
        memory_bytes, node = self.catalog.gpu(part).memory_bytes, asked.node_part
        planned = planned_job(job, gpus, part, memory_bytes, catalog=self.catalog, node=node)
        return Talk(places.fabric, exchanges_of(planned, gpus), profile_of(planned), gpus, part, node)
