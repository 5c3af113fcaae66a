"""Network performance of a job on intact fabrics, before a run: for the planner, the window and the engine's start."""

from __future__ import annotations

import numpy as np

from twin.arrays import IntP
from twin.catalog import Catalog
from twin.physics.training_inputs import FULL_NETWORK, TrainingNetwork
from twin.planning.job.scenario_job import planned_job
from twin.planning.network.connectivity import Joints
from twin.planning.network.placement import place, profile_of, terms_of
from twin.planning.network.traffic import exchanges_of, traffic_of
from twin.plant.domains import scale_up_domains
from twin.plant.islands import ALONE, cards_on, islands_of
from twin.plant.links import Links, links_of
from twin.plant.routes import Router
from twin.plant.tables import Plant
from twin.scenario.schema.work import Job


def network_of(plant: Plant, catalog: Catalog, job: Job, nodes: IntP | None = None) -> TrainingNetwork:
    """Return the network performance of a job that is alone on the intact fabric.

    Parameters
    ----------
    plant, catalog
        What stands there, of which parts.
    job
        As a scenario has it.
    nodes
        Where it sits; None: on the first nodes that it may use and a fabric joins.

    Returns
    -------
    Network
        The profile's own network where the job sends nothing through a fabric, or the scene has none.

    Raises
    ------
    PlanError
        When the job is cut in a way that cannot run; as NotJoined, when no fabric joins as many nodes as it wants.
    """
    links = links_of(plant)
    if nodes is None:
        places = Joints(plant, links, catalog).places(job)
        chosen, fabric = places.first(job.nodes), places.fabric
    else:
        chosen, fabric = nodes, fabric_of(plant, links, nodes)
    if len(chosen) < 2:
        return FULL_NETWORK
    gpus = int(plant.nodes.gpu_count[chosen].sum())
    part = plant.gpu_parts[int(plant.gpus.part[plant.nodes.gpu_first[chosen[0]]])]
    node = plant.node_parts[int(plant.nodes.part[chosen[0]])]
    planned = planned_job(job, gpus, part, catalog.gpu(part).memory_bytes, catalog=catalog, node=node)
    profile, exchanges = profile_of(planned), exchanges_of(planned, gpus)
    if fabric is None or profile is None or not exchanges:
        return FULL_NETWORK
    first = int(chosen[0])
    domain = scale_up_domains(plant, catalog).astype(np.int64)[chosen]
    cards = cards_on(plant, fabric, first)
    traffic = traffic_of(exchanges, int(plant.nodes.gpu_count[first]), cards, domain)
    router = Router(plant, links, fabric, links.bytes_s)
    placement = place(router, traffic, chosen.astype(np.int64), profile, terms_of(plant, fabric, catalog))
    return placement.network if placement.reachable and traffic.step_bytes.any() else FULL_NETWORK


def fabric_of(plant: Plant, links: Links, nodes: IntP) -> int | None:
    """Return the first fabric that joins all nodes, None when there is none."""
    for fabric in range(len(plant.fabrics)):
        island = islands_of(plant, links, fabric)[nodes]
        if (island != ALONE).all() and (island == island[0]).all():
            return fabric
    return None
