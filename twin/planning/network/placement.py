"""Network performance of a placed job: speed of each kind of communication, and load on each link.

A profile was fitted on healthy, rail-optimised, non-blocking InfiniBand, where every factor is 1. There a rank drives
its card at the profile's scale-out efficiency; links between switches carry up to their line rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Floats, Ints64
from twin.catalog import Catalog
from twin.physics.ecmp import ecmp_expected_max
from twin.physics.training_inputs import Members, Profile, TrainingNetwork
from twin.planning.job.job import AnyJob, InferenceJob, LoadJob, ReinforcementJob
from twin.planning.network.traffic import KIND_OF_PHASE, KINDS, PHASES, Traffic
from twin.planning.profile.profiles import CalibratedProfile, load_calibrated
from twin.plant.routes import FEW_LINKS, Flows, LinkLoads, Router
from twin.plant.tables import Plant

SUBFLOWS = 4
"""Hashed connections that carry the traffic between two cards: channels and queue pairs of NCCL [est]."""

REFERENCE_HOPS = 3
"""Switches between nodes that hop latencies include: leaf, spine, leaf."""

SLOWEST = 1e-6
"""Least factor: a fabric that gives nothing stops a job, it does not slow it."""


@dataclass(frozen=True)
class Terms:
    """Link properties that follow from the technology of a fabric.

    Parameters
    ----------
    efficiency
        Share of what InfiniBand gets out of the same links.
    hop_extra_s
        Added to each hop between nodes [s].
    switch_latency_s
        Of each switch beyond leaf, spine, leaf [s].
    hashed
        Whether flows choose among equal paths by hash, and collide.
    """

    efficiency: float = 1.0
    hop_extra_s: float = 0.0
    switch_latency_s: float = 0.0
    hashed: bool = False


@dataclass(frozen=True)
class LinkSpread:
    """Load of a job on the links behind the cards.

    Parameters
    ----------
    dlink
        Directed links that carry anything, shape (m,).
    peak_bytes_s
        Highest demand on each, as phases take turns [B/s].
    by_phase
        The links of each phase.
    """

    dlink: Ints64
    peak_bytes_s: Floats
    by_phase: tuple[Ints64, ...]


@dataclass(frozen=True)
class Placement:
    """A job on nodes: where its traffic goes and how fast it may.

    Parameters
    ----------
    router
        Routes of the fabric at that time.
    flows
        Between node slots, by phase.
    step_bytes
        What a flow of weight one carries in a step, by phase [B].
    network
        Factors the fabric allows the job when it is alone on it.
    rate_bytes_s
        Of a flow of weight one in its phase; 0 for phases it has not [B/s].
    reachable
        Whether every flow finds a way.
    loads
        What the flows put on the links, where that had to be known.
    """

    router: Router
    flows: Flows
    step_bytes: Floats
    network: TrainingNetwork
    rate_bytes_s: Floats
    reachable: bool
    loads: LinkLoads | None = None

    @cached_property
    def spread(self) -> LinkSpread:
        """Load of the job on the links behind the cards, worked out when somebody asks."""
        loads = self.router.load(self.flows, len(PHASES)) if self.loads is None else self.loads
        by_phase, span = tuple(links for links, _ in loads.by_group), 2 * len(self.router.links)
        demands: list[tuple[Ints64, Floats]] = []  # phases over the same links as one
        for phase, (dlink, on) in enumerate(loads.by_group):
            demand = on * self.rate_bytes_s[phase]
            if demands and np.array_equal(demands[-1][0], dlink):
                np.maximum(demands[-1][1], demand, out=demands[-1][1])
            elif len(dlink):
                demands.append((dlink, demand))
        links: Ints64 | None
        if len(demands) == 1:
            links, peak = demands[0]
        else:
            few = sum(len(dlink) for dlink, _ in demands) * FEW_LINKS < span
            links = _union([dlink for dlink, _ in demands], span) if few else None
            peak = np.zeros(span if links is None else len(links))
            for dlink, demand in demands:
                at = dlink if links is None else np.searchsorted(links, dlink)
                peak[at] = np.maximum(peak[at], demand)
        used = np.flatnonzero(peak)
        return LinkSpread(used if links is None else links[used], peak[used], by_phase)

    @cached_property
    def touched(self) -> NDArray[np.bool_]:
        """Which links, those of cards among them, carry anything of the job, shape (links,)."""
        flows, sends = self.flows, (self.step_bytes > 0).astype(np.float64)
        on = self.router.card_load(flows, flows.weight * sends[flows.group])
        on += self.router.carried(flows, sends)
        result: NDArray[np.bool_] = (on[0::2] > 0) | (on[1::2] > 0)
        return result

    @property
    def communication_s(self) -> float:
        """Time a card is busy in a step, hidden or not [s]."""
        used = self.rate_bytes_s > 0
        return float((self.step_bytes[used] / self.rate_bytes_s[used]).sum())

    def bandwidth_left(self, slow: Floats | None = None) -> float:
        """Return the least factor of the kinds the job uses, at most 1; `slow`: further slow-down by kind."""
        factors = factors_of(self.network)
        if slow is not None:
            factors = factors / slow
        return float(min(1.0, factors[self.used].min(initial=1.0)))

    @property
    def used(self) -> NDArray[np.bool_]:
        """Whether the job sends anything of each kind."""
        result: NDArray[np.bool_] = np.bincount(KIND_OF_PHASE, self.rate_bytes_s > 0) > 0
        return result


def factors_of(network: TrainingNetwork) -> Floats:
    """Return the factors of a network, by kind."""
    return np.array([getattr(network, kind) for kind in KINDS])


def network_with(factors: Floats, hop_extra_s: float, members: Members) -> TrainingNetwork:
    """Return the network with these factors, by kind."""
    factor = dict(zip(KINDS, factors.tolist(), strict=True))
    return TrainingNetwork(**factor, hop_extra_s=hop_extra_s, members=members)


def no_better(network: TrainingNetwork, than: TrainingNetwork) -> TrainingNetwork:
    """Return a network on the same places that is nowhere better than another.

    Losing a cable opens no way that was not there.
    """
    worse = np.minimum(factors_of(network), factors_of(than))
    return network_with(worse, max(network.hop_extra_s, than.hop_extra_s), network.members)


def terms_of(plant: Plant, fabric: int, catalog: Catalog) -> Terms:
    """Return the terms of a fabric by its technology; those of InfiniBand where none is named.

    Raises
    ------
    UnknownPart
        When the catalogue lacks the technology.
    """
    table = plant.fabric_table
    if not table.technology[fabric]:
        return Terms(hashed=table.routing[fabric] == "ecmp")
    technology = catalog.technology(table.technology[fabric])
    routing = table.routing[fabric] or technology.routing
    return Terms(
        technology.efficiency, technology.hop_extra_s, technology.switch_latency_s, routing == "ecmp"
    )


def profile_of(job: AnyJob) -> Profile | None:
    """Return the profile whose network a job's factors are held against; None when it sends nothing."""
    if isinstance(job, InferenceJob | LoadJob):
        return None
    name: str | CalibratedProfile = job.learner.profile if isinstance(job, ReinforcementJob) else job.profile
    return (load_calibrated(name) if isinstance(name, str) else name).profile


def _union(links: Sequence[Ints64], span: int) -> Ints64:
    """Return the links, numbered below `span`, that are in any of several sets, in order: sorting them takes longer."""
    marked = np.zeros(span, np.bool_)
    for some in links:
        marked[some] = True
    return marked.nonzero()[0]


def place(router: Router, traffic: Traffic, nodes: Ints64, profile: Profile, terms: Terms) -> Placement:
    """Return a job's traffic on a fabric.

    Parameters
    ----------
    router
        Routes of the fabric in its present state.
    traffic
        Between places of the job.
    nodes
        Node slot of each place.
    profile
        The job's; it says what a rank drives its card with.
    terms
        Of the fabric.
    """
    phases = len(PHASES)
    flows = replace(traffic.flows, source=nodes[traffic.flows.source], target=nodes[traffic.flows.target])
    factors = router.card_bytes_s(flows, phases)
    loads, further, reachable = None, 0.0, True
    if terms.hashed or not router.roomy(nodes, profile.scale_out_efficiency):
        loads = router.load(flows, phases)
        factors = np.minimum(factors, _inner_bytes_s(router, loads, profile, terms))
        further = max(0.0, float(loads.hops.max(initial=0.0)) - REFERENCE_HOPS)
        reachable = not loads.unreachable.any()
    factors = factors / profile.scale_out_bytes_s
    used = (traffic.step_bytes > 0) & np.isfinite(factors)
    factors = np.maximum(np.where(used, factors, 1.0) * terms.efficiency, SLOWEST)
    by_kind = np.full(len(KINDS), np.inf)
    np.minimum.at(by_kind, KIND_OF_PHASE, np.where(used, factors, np.inf))
    by_kind = np.where(np.isfinite(by_kind), by_kind, terms.efficiency)
    return Placement(
        router=router,
        flows=flows,
        step_bytes=np.where(used, traffic.step_bytes, 0.0),
        network=network_with(by_kind, terms.hop_extra_s + further * terms.switch_latency_s, traffic.members),
        rate_bytes_s=np.where(used, factors * profile.scale_out_bytes_s * profile.scale_out_efficiency, 0.0),
        reachable=reachable and bool((factors > SLOWEST).all()),
        loads=loads,
    )


def _inner_bytes_s(router: Router, loads: LinkLoads, profile: Profile, terms: Terms) -> Floats:
    """Return the rate of a flow of weight one on the links behind the cards, by phase, in terms of its card [B/s]."""
    # Cables of a torus end in cards, at the profile's efficiency; links between switches give their line rate.
    slack = 1.0 if router.has_peers else profile.scale_out_efficiency
    least = np.full(len(loads.by_group), np.inf)
    for phase, (dlink, on) in enumerate(loads.by_group):
        if len(dlink):
            least[phase] = 1.0 / (on / router.bytes_s[dlink // 2]).max() / slack
            if terms.hashed:
                least[phase] = min(least[phase], _hashed_bytes_s(router, dlink, on) / slack)
    return least


def _hashed_bytes_s(router: Router, dlink: Ints64, on: Floats) -> float:
    """Return the rate that the fullest up-link of the busiest leaf leaves a flow of weight one [B/s].

    A synchronous collective waits for its slowest flow; connections hashed to the same cable share it.
    """
    start = router.start[dlink]
    up = router.is_leaf[start]
    if not up.any():
        return float("inf")
    dlink, on, start = dlink[up], on[up], start[up]
    cables = router.links.cables[dlink // 2]
    out, paths = np.bincount(start, on), np.bincount(start, cables)
    busiest = int(np.argmax(out / np.maximum(paths, 1)))
    connections = max(1, round(SUBFLOWS * float(out[busiest])))
    fullest = ecmp_expected_max(connections, int(paths[busiest])) / SUBFLOWS
    from_busiest = start == busiest
    return float((router.bytes_s[dlink[from_busiest] // 2] / cables[from_busiest]).min() / fullest)
