"""Network performance of a planned job on the fabric of a scene: coarse for a search, exact for one cut."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from twin.arrays import Ints64
from twin.catalog import Catalog
from twin.physics.training_inputs import (
    FULL_NETWORK,
    Model,
    Parallel,
    Profile,
    SoftwareStack,
    TrainingNetwork,
)
from twin.planning.job.result import PlanError
from twin.planning.network.placement import Terms, place, terms_of
from twin.planning.network.traffic import llm_exchanges, traffic_of
from twin.plant.domains import scale_up_domains
from twin.plant.islands import ALONE, cards_on, islands_of
from twin.plant.links import Links, links_of
from twin.plant.routes import Router
from twin.plant.tables import Plant


@dataclass(frozen=True)
class SceneNetwork:
    """The fabric that joins nodes of a scene, healthy and empty.

    Attributes
    ----------
    plant
        What stands there.
    nodes
        Node slots that the fabric joins and a job would take, in this order.
    links, fabric
        All links, and the number of the fabric that joins these nodes.
    terms
        What its technology makes of the links.
    domain
        Scale-up domain of every node slot.
    """

    plant: Plant
    nodes: Ints64
    links: Links
    fabric: int
    terms: Terms
    domain: Ints64

    @property
    def gpus(self) -> int:
        """GPUs of the nodes that it joins."""
        return int(self.plant.nodes.gpu_count[self.nodes].sum())

    @cached_property
    def cards(self) -> int:
        """Network cards of a node that the fabric cables."""
        return cards_on(self.plant, self.fabric, int(self.nodes[0]))

    def refuse(self, gpus: int) -> None:
        """Raise `PlanError` for a job of more GPUs than the fabric, or one scale-up domain, joins."""
        per_node = int(self.plant.nodes.gpu_count[self.nodes[0]])
        most = max(self.gpus, int(np.bincount(self.domain).max()) * per_node)
        if gpus > most:
            raise PlanError(
                f"{gpus:,} GPUs are more than the {most:,} that a fabric of the scene joins", "gpus"
            )

    @cached_property
    def router(self) -> Router:
        """Routes, worked out when they are first needed."""
        return Router(self.plant, self.links, self.fabric, self.links.bytes_s)

    def cards_only(self, profile: Profile) -> TrainingNetwork:
        """Return the speeds that network cards and technology alone allow: for a search over many cuts.

        Parameters
        ----------
        profile
            Whose network is factor 1.
        """
        table, first = self.plant.nodes, int(self.nodes[0])
        gpu_bytes_s = self.cards * table.nic_bytes_s[first] / table.gpu_count[first]
        factor = float(gpu_bytes_s / profile.scale_out_bytes_s * self.terms.efficiency)
        return TrainingNetwork(factor, factor, factor, factor, factor, self.terms.hop_extra_s)

    def of_job(
        self, model: Model, parallel: Parallel, stack: SoftwareStack, profile: Profile
    ) -> TrainingNetwork:
        """Return the network of a job alone on the first nodes of the scene, with collisions and oversubscription.

        Parameters
        ----------
        model, parallel, stack, profile
            The job, as for `step_time`.

        Raises
        ------
        PlanError
            When the fabric does not join as many GPUs.
        """
        self.refuse(parallel.gpus)
        table = self.plant.nodes
        per_node, cards = int(table.gpu_count[self.nodes[0]]), self.cards
        nodes = self.nodes[: -(-parallel.gpus // per_node)]
        if len(nodes) < 2 or parallel.gpus % per_node or parallel.gpus > self.gpus:
            return FULL_NETWORK
        _, domain = np.unique(self.domain[nodes], return_inverse=True)
        traffic = traffic_of(llm_exchanges(model, parallel, stack), per_node, cards, domain.astype(np.int64))
        if not traffic.step_bytes.any():
            return FULL_NETWORK
        return place(self.router, traffic, nodes, profile, self.terms).network


def scene_network(plant: Plant, catalog: Catalog, nodes: Ints64) -> SceneNetwork | None:
    """Return the fabric that joins most of some nodes, and which; none where the scene has no fabric.

    Parameters
    ----------
    plant, catalog
        The scene, built, and its parts.
    nodes
        Node slots.
    """
    links = links_of(plant)
    domain = scale_up_domains(plant, catalog).astype(np.int64)
    best: tuple[int, Ints64] | None = None
    for fabric in range(len(plant.fabrics)):
        island = islands_of(plant, links, fabric)[nodes]
        counts = np.bincount(island[island != ALONE], minlength=1)
        joined = nodes[island == counts.argmax()] if counts.any() else nodes[:1]
        if best is None or len(joined) > len(best[1]):
            best = fabric, joined
    if best is None:
        return None
    return SceneNetwork(plant, best[1], links, best[0], terms_of(plant, best[0], catalog), domain)
