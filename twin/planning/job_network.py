"""What the intact fabrics of a hall give a job, for whoever asks before a run: planner, window, engine at its start."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from twin.catalog import Catalog
from twin.physics.training_inputs import FULL_NETWORK, Network
from twin.planning.placement import place, profile_of, terms_of
from twin.planning.scenario_job import allowed_nodes, planned_job
from twin.planning.traffic import exchanges_of, traffic_of
from twin.plant.domains import scale_up_domains
from twin.plant.links import Links, links_of
from twin.plant.routes import Router
from twin.plant.tables import Plant
from twin.scenario.work import Job

Slots = NDArray[np.intp]


def network_of(plant: Plant, catalog: Catalog, job: Job, nodes: Slots | None = None) -> Network:
    """Return what the intact fabric gives a job that is alone on it.

    Parameters
    ----------
    plant, catalog
        What stands there, of which parts.
    job
        As a scenario has it.
    nodes
        Where it sits; None: on the first nodes that it may use.

    Returns
    -------
    Network
        The profile's own network where the job sends nothing, or no fabric joins its nodes.

    Raises
    ------
    PlanError
        When the job is cut in a way that cannot run.
    """
    chosen = np.flatnonzero(allowed_nodes(plant, job.rows))[: job.nodes] if nodes is None else nodes
    if len(chosen) < 2:
        return FULL_NETWORK
    links = links_of(plant)
    fabric = fabric_of(links, len(plant.fabrics), chosen)
    gpus = int(plant.nodes.gpu_count[chosen].sum())
    part = plant.gpu_parts[int(plant.gpus.part[plant.nodes.gpu_first[chosen[0]]])]
    planned = planned_job(job, gpus, part, catalog.gpu(part).memory_bytes)
    profile, exchanges = profile_of(planned), exchanges_of(planned, gpus)
    if fabric is None or profile is None or not exchanges:
        return FULL_NETWORK
    first = int(chosen[0])
    domain = scale_up_domains(plant, catalog).astype(np.int64)[chosen]
    traffic = traffic_of(exchanges, int(plant.nodes.gpu_count[first]), int(plant.nodes.nics[first]), domain)
    router = Router(plant, links, fabric, links.bytes_s)
    placement = place(router, traffic, chosen.astype(np.int64), profile, terms_of(plant, fabric, catalog))
    return placement.network if placement.reachable and traffic.step_bytes.any() else FULL_NETWORK


def fabric_of(links: Links, fabrics: int, nodes: Slots) -> int | None:
    """Return the first fabric that connects all nodes, None when there is none."""
    for fabric in range(fabrics):
        mine = links.fabric == fabric
        ends = np.concatenate([links.node_a[mine], links.node_b[mine]])
        if np.isin(nodes, ends).all():
            return fabric
    return None
