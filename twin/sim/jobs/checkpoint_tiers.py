"""Places where the state of a job is saved: how long a copy takes, what it outlives, how fast it is read back."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from twin.catalog import Catalog
from twin.plant.tables import Plant
from twin.scenario.schema.work import Checkpointing, Job
from twin.sim.jobs.job_row import NODE, PROCESS, RACK, SITE

RANK = {"process": PROCESS, "node": NODE, "rack": RACK, "site": SITE}
OUTLIVES = {"nvme": PROCESS, "peer": NODE, "store": RACK, "object": SITE}


@dataclass(frozen=True)
class StorageTier:
    """One place; the first of a job is its store, ideal where the scene models none.

    Parameters
    ----------
    kind
        store, peer, nvme or object.
    survives
        The largest loss its copy outlives: PROCESS, NODE, RACK or SITE.
    every
        Each so many-th checkpoint goes there.
    pause_s, drain_s
        Blocking part, and from there until the copy is complete [s].
    store
        Store of the scene that it is, whose bandwidth it shares; -1: none.
    load_bytes_s
        Read back by the whole job [B/s]; infinite: not modelled.
    """

    kind: str
    survives: int
    every: int
    pause_s: float
    drain_s: float
    store: int
    load_bytes_s: float


def tiers_of(job: Job, plant: Plant, catalog: Catalog, node_part: str) -> tuple[StorageTier, ...]:
    """Return the places where `job` saves its state, the store first."""
    checkpoint, stores = job.checkpoint, plant.storage

    def store_of(name: str | None) -> int:
        return stores.ids.index(name) if name in stores.ids else -1

    main = StorageTier(
        "store",
        RACK,
        checkpoint.every,
        checkpoint.pause_s,
        checkpoint.drain_s,
        store_of(checkpoint.storage),
        job.recovery.load_bytes_s or math.inf,
    )
    node = catalog.node(node_part)
    drives_bytes_s = (node.nvme_read_bytes_s or math.inf) * job.nodes
    cards_bytes_s = sum(catalog.nic(g.part).bandwidth_bytes_s * g.count for g in node.nics) * job.nodes
    near = {"nvme": drives_bytes_s, "peer": cards_bytes_s or math.inf}
    return main, *(
        StorageTier(
            tier.to,
            RANK[tier.survives] if tier.survives else OUTLIVES[tier.to],
            tier.every,
            tier.pause_s,
            tier.drain_s,
            store_of(tier.storage),
            tier.load_bytes_s or near.get(tier.to, math.inf),
        )
        for tier in checkpoint.tiers
    )


def mean_pause_s(tiers: tuple[StorageTier, ...]) -> float:
    """Return the blocking part of a checkpoint, over all of a long run [s]."""
    return float(sum(tier.pause_s / tier.every for tier in tiers))


def least_every(checkpoint: Checkpointing) -> int:
    """Return which checkpoints go anywhere at all: each so many-th."""
    return int(np.gcd.reduce([checkpoint.every, *(tier.every for tier in checkpoint.tiers)]))
