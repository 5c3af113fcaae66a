"""A limit on power shared out over consumers that ask for more: each keeps between its floor and its wish.

The three policies are those of rack and row power capping in practice: one limit for all (nvidia-smi -pl), the same
cut for all (proportional), and cuts by priority, lowest first (dynamic power capping, Wu et al., ISCA 2016).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from twin.arrays import Floats

Policy = Literal["uniform", "proportional", "priority"]


@dataclass(frozen=True)
class Shares:
    """Power shares of consumers.

    Attributes
    ----------
    unit_w
        Of one unit of each consumer, shape (n,) [W].
    holds
        Whether the limit is kept; else all are at their floor and still draw more.
    """

    unit_w: Floats
    holds: bool


def share_out(
    limit_w: float,
    wanted_w: ArrayLike,
    floor_w: ArrayLike,
    count: ArrayLike,
    policy: Policy,
    priority: ArrayLike = 0,
) -> Shares:
    """Return the power of each of several consumers under a limit on all of them.

    Nobody gets more than it wants or less than its floor. Where the limit binds, and the floors fit, it is used up
    exactly.

    Parameters
    ----------
    limit_w : float
        On the sum over all units [W].
    wanted_w, floor_w : array_like
        What one unit of each consumer asks for, and what it cannot go below, shape (n,) [W]; a floor above the wish
        counts as the wish.
    count : array_like
        Units of each consumer (GPUs of a job in a rack), shape (n,); 0 counts for nothing.
    policy
        "uniform": one limit for every unit, which those below it do not feel. "proportional": all give up the same
        share of what they ask for above their floor. "priority": consumers of lower priority go down to their floor
        before those of higher priority give up anything; among equals proportional.
    priority : array_like
        Higher keeps its power longer, shape (n,).
    """
    wanted, units = np.asarray(wanted_w, float), np.asarray(count, float)
    floor = np.minimum(np.asarray(floor_w, float), wanted)
    if float(units @ wanted) <= limit_w:
        return Shares(wanted.copy(), True)
    least_w = float(units @ floor)
    if least_w > limit_w:
        return Shares(floor, False)
    if policy == "uniform":
        level_w = common_level_w(limit_w, wanted, floor, units)
        return Shares(np.clip(level_w, floor, wanted), True)
    room_w, above = limit_w - least_w, wanted - floor
    if policy == "proportional":
        return Shares(floor + above * _share(room_w, float(units @ above)), True)
    unit_w = floor.copy()
    ranks = np.broadcast_to(np.asarray(priority, float), wanted.shape)
    for rank in np.unique(ranks)[::-1]:
        of_rank = ranks == rank
        asked_w = float(units[of_rank] @ above[of_rank])
        unit_w[of_rank] += above[of_rank] * _share(room_w, asked_w)
        room_w = max(0.0, room_w - asked_w)
    return Shares(unit_w, True)


def _share(room_w: float, asked_w: float) -> float:
    return 1.0 if asked_w <= room_w else room_w / asked_w


def common_level_w(limit_w: float, wanted_w: Floats, floor_w: Floats, count: Floats) -> float:
    """Return the level L with sum(count clip(L, floor, wanted)) = limit: filling vessels with water.

    The sum grows in L by straight pieces; their slope rises by the count at each floor and falls by it at each wish.

    Parameters
    ----------
    limit_w
        Between the sums of floors and of wishes [W].
    wanted_w, floor_w, count
        As for `share_out`.
    """
    edges = np.concatenate([floor_w, wanted_w])
    order = np.argsort(edges, kind="stable")
    edges = edges[order]
    slope = np.cumsum(np.concatenate([count, -count])[order])
    sums = float(count @ floor_w) + np.concatenate([[0.0], np.cumsum(slope[:-1] * np.diff(edges))])
    at = int(np.searchsorted(sums, limit_w, side="right")) - 1
    at = min(max(at, 0), len(edges) - 1)
    if slope[at] <= 0:
        return float(edges[at])
    return float(edges[at] + (limit_w - sums[at]) / slope[at])
