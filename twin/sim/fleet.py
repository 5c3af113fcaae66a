"""How a fleet is used decides what rate it shows: a quoted rate is that of the fleet, not the mean of its nodes'.

Lemons spend more of their life in repair, and once they left a job others stand in for them: so a fleet counts fewer
failures than its nodes' mean rate makes. And each failure of a burst counts, not its first alone. Rates are scaled so
that the expected count, with lemons, repairs, swaps and bursts in force, is the quoted one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.physics import reliability
from twin.plant.tables import Plant
from twin.scenario.document import Scenario
from twin.scenario.faults import Bursts, Cause
from twin.scenario.population import jobs_of
from twin.sim.components import domains_of_nodes

Floats = NDArray[np.float64]

SAMPLE = 8192
"""Imagined nodes over which the spread of lemons is taken, the same for every scene."""
BINS, STEPS, QUANTILES, ROUNDS = 64, 128, 512, 3
"""Classes of quality, steps of the time, quantiles of repair times, and rounds until the scale stands."""


@dataclass(frozen=True)
class Fleet:
    """How nodes are used.

    Parameters
    ----------
    duration_s
        For so long, all in order at the start [s].
    wanted
        Share of the nodes that jobs ask for; the rest stand by.
    """

    duration_s: float = math.inf
    wanted: float = 1.0


def fleet_of(scenario: Scenario, plant: Plant) -> Fleet:
    """Return how the jobs of a scene use its nodes, if all could run at once."""
    nodes = int(plant.nodes.present.sum())
    asked = sum(job.nodes for job in jobs_of(scenario)) if scenario.failures.lemons else 0
    return Fleet(scenario.duration_s, min(1.0, asked / nodes) if asked and nodes else 1.0)


def bursts_scale(plant: Plant, bursts: Bursts) -> float:
    """Return the factor on rates that makes the first failures and those they pull along the quoted number."""
    domain = domains_of_nodes(plant, bursts.domain)[plant.nodes.present]
    if not len(domain):
        return 1.0
    neighbours = np.bincount(domain[domain >= 0])[domain] - 1
    neighbours[domain < 0] = 0
    further = bursts.mean / (1.0 + bursts.mean)  # chance of one more
    expected = further * (1.0 - further**neighbours) / (1.0 - further)
    return float(1.0 / (1.0 + bursts.chance * expected.mean()))


def lemons_scale(
    causes: Sequence[Cause],
    repair_s: Callable[[Cause, Floats], Floats],
    means_s: Sequence[float],
    fleet: Fleet,
) -> float:
    """Return the factor on the rates of all nodes with which jobs see the quoted number of failures.

    Parameters
    ----------
    causes
        Of nodes.
    repair_s
        Repair times of a cause at quantiles [s].
    means_s
        Mean repair time of each cause [s].
    fleet
        How the nodes are used.
    """
    quality = reliability.lemon_factor(0, np.arange(SAMPLE, dtype=np.uint64))
    quality /= quality.mean()
    rate = sum(c.per_node_s for c in causes)
    if not rate:
        return 1.0
    if math.isinf(fleet.duration_s):  # in the long run
        up = 1 / (1 + quality * sum(c.per_node_s * mean for c, mean in zip(causes, means_s, strict=True)))
        return float(up.sum() / (quality * up).sum())
    classes = np.sort(quality).reshape(BINS, -1).mean(axis=1)
    away, back = _repairs(causes, repair_s, fleet.duration_s / STEPS)
    scale = 1.0
    for _ in range(ROUNDS):
        seen = _seen(classes * scale, rate, away, back, fleet)
        scale *= 1.0 / seen
    return scale


def _repairs(
    causes: Sequence[Cause], repair_s: Callable[[Cause, Floats], Floats], step_s: float
) -> tuple[float, Floats]:
    """Return the share of failures that take a node away, and the chance that it is back after k steps, shape (K,)."""
    total = sum(c.per_node_s for c in causes)
    away, back = 0.0, np.zeros(STEPS + 2)
    for cause in causes:
        times_s = repair_s(cause, (np.arange(QUANTILES) + 0.5) / QUANTILES)
        if not times_s.any():
            continue
        share = cause.per_node_s / total
        away += share
        at = np.minimum(times_s / step_s, STEPS + 1 - 1e-9)
        low = at.astype(int)
        np.add.at(back, low, share / QUANTILES * (1.0 - (at - low)))
        np.add.at(back, low + 1, share / QUANTILES * (at - low))
    return away, back / away if away else back


def _seen(quality: Floats, rate: float, away: float, back: Floats, fleet: Fleet) -> float:
    """Return the failures that jobs see over those at `rate` of the nodes they hold; quality classes of equal size.

    Nodes fail in jobs and standing by. A repaired one stands by until a job lacks a node; spares are taken in the
    order of their slots, so those that served before are taken before those that never did.
    """
    step_s = fleet.duration_s / STEPS
    each = np.full(len(quality), 1.0 / len(quality))
    held, fresh, repaired = fleet.wanted * each, (1.0 - fleet.wanted) * each, 0.0 * each
    left = np.zeros((STEPS, len(quality)))
    seen = time = 0.0
    fails = 1.0 - np.exp(-quality * rate * away * step_s)
    for step in range(STEPS):
        gone = held * fails
        seen += float((quality * (held - gone / 2)).sum())
        time += float((held - gone / 2).sum())
        left[step] = gone + (fresh + repaired) * fails
        held = held - gone
        fresh = fresh * (1.0 - fails)
        repaired = repaired * (1.0 - fails) + back[step::-1] @ left[: step + 1]
        for stock in (repaired, fresh):
            lack, there = fleet.wanted - float(held.sum()), float(stock.sum())
            if lack > 0 and there > 0:
                taken = min(1.0, lack / there) * stock
                held = held + taken
                stock -= taken
    return seen / time
