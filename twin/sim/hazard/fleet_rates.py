"""What a quoted rate says of single nodes: it is that of a fleet, in which lemons and bursts are in force already.

Lemons spend more of their life in repair than others, so a fleet counts fewer failures than the mean rate of its nodes
makes; and each failure of a burst counts, not its first alone. Rates of nodes are scaled so that a fleet expects the
quoted count. How many nodes a hall has, who uses them and for how long has no part in that: the failures of a node are
the same in every hall.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from twin.arrays import Floats
from twin.physics.reliability import lemon_scale
from twin.plant.failure_components import domains_of_nodes
from twin.plant.tables import Plant
from twin.scenario.schema.faults import Bursts


def bursts_scale(plant: Plant, bursts: Bursts, first: Plant | None = None) -> Floats:
    """Return the factors on rates of nodes (N,) that make first failures and those they pull along the quoted number.

    Parameters
    ----------
    plant
        With its nodes.
    bursts
        How failures pull neighbours along; each domain by itself comes to the quoted number.
    first
        The plant as the run began: who comes later moves nobody's failures that was there; None: it is the same.
    """
    scale = _scale(plant, bursts)
    if first is not None and first is not plant:
        slot_of = {name: slot for slot, name in enumerate(first.nodes.ids) if first.nodes.present[slot]}
        before = _scale(first, bursts)
        for slot, name in enumerate(plant.nodes.ids):
            if name in slot_of:
                scale[slot] = before[slot_of[name]]
    return scale


def _scale(plant: Plant, bursts: Bursts) -> Floats:
    domain = np.where(plant.nodes.present, domains_of_nodes(plant, bursts.domain), -1)
    neighbours = np.bincount(domain[domain >= 0], minlength=1)[domain] - 1
    neighbours[domain < 0] = 0
    further = bursts.mean / (1.0 + bursts.mean)  # chance of one more
    expected = further * (1.0 - further**neighbours) / (1.0 - further)
    return np.asarray(1.0 / (1.0 + bursts.chance * expected), np.float64)


def lemons_scale(rates_s: Sequence[float], means_s: Sequence[float]) -> float:
    """Return the factor on the rates of all nodes with which a fleet expects the quoted number of failures.

    Parameters
    ----------
    rates_s
        Of each cause of nodes, of a usual node [1/s].
    means_s
        Mean repair time of each [s].
    """
    return lemon_scale(sum(rate_s * mean_s for rate_s, mean_s in zip(rates_s, means_s, strict=True)))
