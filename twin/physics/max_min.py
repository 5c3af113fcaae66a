"""Max-min fair rates of flows that share links."""

from __future__ import annotations

import numpy as np

from twin.arrays import Floats, Ints64

TIE = 1e-12
"""Levels this close, relative, are one level: rounding must not split a round into many."""


def max_min_rates(demand: Floats, flow: Ints64, link: Ints64, weight: Floats, capacity: Floats) -> Floats:
    """Return the weighted max-min fair rate of each flow [unit of the demand], by progressive filling.

    The rates of all flows rise together; a flow stops where its demand is met or one of its links is full.

    Parameters
    ----------
    demand
        Rate each flow would take alone, shape (F,); infinite for a flow that takes whatever it gets.
    flow, link
        Sparse incidence, shape (E,): entry e says that flow[e] uses link[e]. Any order; a pair may occur twice.
    weight
        Share of the flow's rate that the link carries, shape (E,): 1 for a single path, 1/n over n paths,
        k for k flows that are kept as one.
    capacity
        Of each link, shape (L,), same unit.

    Returns
    -------
    rates
        Shape (F,). No link carries more than its capacity (to 1e-9); every flow has its demand or a full
        link on which no flow has more.

    Notes
    -----
    A link's level is what is left of its capacity over the weight of its unsettled flows. Settling a flow at or
    below the level of its links can only raise them, so each round settles, at once, all flows whose demand
    is within the levels of their links, and all flows of every link that is the lowest for each of them.
    The link with the lowest level of all always is, so a round settles at least one flow.
    Progressive filling: Bertsekas and Gallager, Data Networks, 2nd edition 1992, section 6.5.2.

    Examples
    --------
    >>> one_link = np.zeros(4, dtype=np.int64)
    >>> demand = np.array([2.0, 2.6, 4.0, 5.0])
    >>> max_min_rates(demand, np.arange(4), one_link, np.ones(4), np.array([10.0])).round(3).tolist()
    [2.0, 2.6, 2.7, 2.7]
    """
    rates = np.array(demand, dtype=np.float64)
    flow, link, weight = _used(flow, link, weight)
    links = len(capacity)
    left = np.array(capacity, dtype=np.float64)
    while len(flow):
        loaded = np.bincount(link, weight, links)
        with np.errstate(divide="ignore", invalid="ignore"):
            level = np.where(loaded > 0, np.maximum(left, 0.0) / loaded, np.inf)
        entry_level = level[link]
        starts = _starts(flow)
        lowest = np.minimum.reduceat(entry_level, starts)
        wanted = demand[flow[starts]]
        per_flow = np.diff(starts, append=len(flow))
        tentative = np.minimum(wanted, lowest)
        held_elsewhere = np.repeat(tentative, per_flow) < entry_level * (1.0 - TIE)
        full = np.bincount(link, held_elsewhere, links) == 0
        settled = (wanted <= lowest) | np.logical_or.reduceat(full[link], starts)
        rates[flow[starts[settled]]] = tentative[settled]
        gone = np.repeat(settled, per_flow)
        left -= np.bincount(link[gone], weight[gone] * rates[flow[gone]], links)
        flow, link, weight = flow[~gone], link[~gone], weight[~gone]
    return rates


def link_loads(rates: Floats, flow: Ints64, link: Ints64, weight: Floats, links: int) -> Floats:
    """Return the load of each link at these rates, shape (links,); arguments as in `max_min_rates`."""
    return np.bincount(link, weight * rates[flow], links).astype(np.float64, copy=False)


def _used(flow: Ints64, link: Ints64, weight: Floats) -> tuple[Ints64, Ints64, Floats]:
    """Return the entries that carry anything, sorted by flow."""
    if not np.all(weight > 0):
        used = weight > 0
        flow, link, weight = flow[used], link[used], weight[used]
    if np.any(flow[1:] < flow[:-1]):
        order = np.argsort(flow, kind="stable")
        flow, link, weight = flow[order], link[order], weight[order]
    return flow, link, weight


def _starts(flow: Ints64) -> Ints64:
    """Return where each flow of a sorted list begins."""
    return np.flatnonzero(np.r_[True, flow[1:] != flow[:-1]])
