"""Flows of jobs over cables, with their ends, and the nodes that a fault of cables cuts off, for display.

The engine has its own running sums (`twin.sim.fabric.fabric_state`); here the same routes are asked for single links.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Bools, Floats, Ints64
from twin.catalog import Catalog
from twin.physics.training_inputs import Profile
from twin.planning.job.result import PlanError
from twin.planning.job.scenario_job import allowed_nodes, planned_job
from twin.planning.network.placement import Placement, place, profile_of, terms_of
from twin.planning.network.traffic import KIND_OF_PHASE, KINDS, PHASES, Exchange, exchanges_of, traffic_of
from twin.planning.profile.figures import ProfileError
from twin.plant.cut_off import cut_off
from twin.plant.domains import scale_up_domains
from twin.plant.islands import ALONE, cards_on, islands_of
from twin.plant.links import LinkKind, links_of
from twin.plant.routes import EVERY_CARD, Flows, Router
from twin.plant.tables import Plant
from twin.scenario.schema.work import Job


@dataclass(frozen=True)
class JobSeat:
    """A job on its nodes.

    Parameters
    ----------
    job
        Its place in the scenario.
    nodes
        Node slots in the order of its ranks: a spare has the place of the node it replaced.
    step_s
        Time of a step now [s].
    """

    job: int
    nodes: Ints64
    step_s: float


@dataclass(frozen=True)
class Crossing:
    """One kind of communication of a job over some links, one way.

    Parameters
    ----------
    job, kind
        Places in the scenario and in `KINDS`.
    direction
        0: from node to switch, lower to upper switch, first to second node; 1: back.
    bytes_s
        Mean over a step [B/s].
    peak_bytes_s
        While the kind communicates [B/s].
    sources, targets
        Node slots it comes from and goes to.
    """

    job: int
    kind: int
    direction: int
    bytes_s: float
    peak_bytes_s: float
    sources: Ints64
    targets: Ints64


@dataclass(frozen=True)
class TrafficPlan:
    """Traffic of a job, independent of its placement."""

    exchanges: tuple[Exchange, ...]
    profile: Profile
    gpus: int


class TrafficMap:
    """Traffic of a scene's jobs on its fabrics.

    Parameters
    ----------
    plant, catalog
        What stands there, of which parts.
    jobs
        Jobs of the scenario.
    """

    def __init__(self, plant: Plant, catalog: Catalog, jobs: Sequence[Job]) -> None:
        self.plant, self.catalog, self.jobs = plant, catalog, tuple(jobs)
        self.links = links_of(plant)
        self.domain = scale_up_domains(plant, catalog).astype(np.int64)
        self._bytes_s = self.links.bytes_s
        self._routers: dict[int, Router] = {}
        self._islands: dict[int, Ints64] = {}
        self._plans: dict[int, TrafficPlan | None] = {}
        self._placed: dict[tuple[int, bytes], Placement | None] = {}

    def set_dead(self, dead: Bools) -> None:
        """Let links be down from now on, shape (links,)."""
        bytes_s = np.where(dead, 0.0, self.links.bytes_s)
        if not np.array_equal(bytes_s, self._bytes_s):
            self._bytes_s = bytes_s
            self._routers.clear()
            self._placed.clear()

    def plan(self, job: int) -> TrafficPlan | None:
        """Return the traffic of a job; None when it sends nothing between nodes or cannot be planned."""
        if job not in self._plans:
            self._plans[job] = self._planned(job)
        return self._plans[job]

    def _planned(self, job: int) -> TrafficPlan | None:
        spec, table = self.jobs[job], self.plant.nodes
        nodes = np.flatnonzero(allowed_nodes(self.plant, spec.rows))[: spec.nodes]
        if len(nodes) < spec.nodes or not len(nodes):
            return None
        gpus = int(table.gpu_count[nodes].sum())
        part = self.plant.gpu_parts[int(self.plant.gpus.part[table.gpu_first[nodes[0]]])]
        try:
            node = self.plant.node_parts[int(table.part[nodes[0]])]
            memory_bytes = self.catalog.gpu(part).memory_bytes
            planned = planned_job(spec, gpus, part, memory_bytes, catalog=self.catalog, node=node)
            profile = profile_of(planned)
            exchanges = exchanges_of(planned, gpus)
        except (PlanError, ProfileError):
            return None  # refused before it begins, and said so there
        return TrafficPlan(exchanges, profile, gpus) if profile is not None and exchanges else None

    def placement(self, seat: JobSeat) -> Placement | None:
        """Return a job's traffic on its nodes; None when nothing of it enters a fabric."""
        key = (seat.job, seat.nodes.tobytes())
        if key not in self._placed:
            self._placed[key] = self._place(seat)
        return self._placed[key]

    def _place(self, seat: JobSeat) -> Placement | None:
        plan, fabric = self.plan(seat.job), self.fabric_of(seat.nodes)
        if plan is None or fabric is None or len(seat.nodes) != self.jobs[seat.job].nodes:
            return None
        table = self.plant.nodes
        first = int(seat.nodes[0])
        per_node, cards = int(table.gpu_count[first]), cards_on(self.plant, fabric, first)
        _, pattern = np.unique(self.domain[seat.nodes], return_inverse=True)
        traffic = traffic_of(plan.exchanges, per_node, cards, pattern)
        if not traffic.step_bytes.any():
            return None
        terms = terms_of(self.plant, fabric, self.catalog)
        return place(self._router(fabric), traffic, seat.nodes, plan.profile, terms)

    def fabric_of(self, nodes: Ints64) -> int | None:
        """Return the first fabric that joins all nodes, None when there is none."""
        for fabric in range(len(self.plant.fabrics)):
            if fabric not in self._islands:
                self._islands[fabric] = islands_of(self.plant, self.links, fabric)
            island = self._islands[fabric][nodes]
            if (island != ALONE).all() and (island == island[0]).all():
                return fabric
        return None

    def _router(self, fabric: int) -> Router:
        if fabric not in self._routers:
            self._routers[fabric] = Router(self.plant, self.links, fabric, self._bytes_s)
        return self._routers[fabric]

    # --- what people ask

    def crossing(self, links: Ints64, seats: Sequence[JobSeat]) -> list[Crossing]:
        """Return the flows of jobs over some links, largest first."""
        found: list[Crossing] = []
        for seat in seats:
            placement = self.placement(seat)
            if placement is None:
                continue
            flows, amount = placement.flows, self._on_links(placement, links)
            carried = amount * placement.step_bytes[flows.group][:, None]
            for kind in range(len(KINDS)):
                for direction in (0, 1):
                    chosen = (KIND_OF_PHASE[flows.group] == kind) & (amount[:, direction] > 0)
                    if not chosen.any():
                        continue
                    together = np.bincount(
                        flows.group[chosen], amount[chosen, direction], minlength=len(PHASES)
                    )
                    found.append(
                        Crossing(
                            seat.job,
                            kind,
                            direction,
                            float(carried[chosen, direction].sum()) / seat.step_s,
                            float((together * placement.rate_bytes_s).max()),
                            np.unique(flows.source[chosen]),
                            np.unique(flows.target[chosen]),
                        )
                    )
        return sorted(
            found, key=lambda crossing: (-crossing.bytes_s, crossing.job, crossing.kind, crossing.direction)
        )

    def bytes_s(self, seat: JobSeat, kind: int | None = None) -> Floats:
        """Return the load of a job on every directed link, mean over a step, of one kind or all [B/s]."""
        total = np.zeros(2 * len(self.links))
        placement = self.placement(seat)
        if placement is None:
            return total
        flows = placement.flows
        if kind is not None:
            flows = _some(flows, np.flatnonzero(KIND_OF_PHASE[flows.group] == kind))
        return self._sent(placement, flows) / seat.step_s

    def along(self, links: Ints64, seats: Sequence[JobSeat]) -> NDArray[np.int32]:
        """Return the bundles that the flows over some links run through from end to end."""
        touched = np.zeros(len(self.links), np.bool_)
        for seat in seats:
            placement = self.placement(seat)
            if placement is None:
                continue
            touching = np.flatnonzero(self._on_links(placement, links).any(axis=1))
            if len(touching):
                sent = self._sent(placement, _some(placement.flows, touching))
                touched |= sent.reshape(-1, 2).any(axis=1)
        touched[links] = True
        return np.unique(self.plant.bundles.of_link[touched]).astype(np.int32)

    def of_bundles(self, directed: Floats) -> tuple[Floats, Floats]:
        """Return the highest value of the links of each bundle, from rack a to b and back; of directed links."""
        count, of_link = len(self.plant.bundles.rail), self.plant.bundles.of_link
        onward, back = np.zeros(count), np.zeros(count)
        np.maximum.at(onward, of_link, directed[0::2])
        np.maximum.at(back, of_link, directed[1::2])
        return onward, back

    def cut_off_by(self, links: Ints64) -> Ints64:
        """Return the nodes that a fault of some links would cut off, beside those that are cut off now."""
        bytes_s = self._bytes_s.copy()
        bytes_s[links] = 0.0
        before, after = (cut_off(self.plant, self.links, each) for each in (self._bytes_s, bytes_s))
        return np.flatnonzero(after & ~before).astype(np.int64)

    def ways_left(self, link: int) -> tuple[int, int]:
        """Return how many cables like a link's its first end has: without it, and with it."""
        links = self.links
        alike = (
            (links.kind == links.kind[link])
            & (links.a == links.a[link])
            & (links.fabric == links.fabric[link])
        )
        if links.kind[link] == LinkKind.NODE:
            alike[: len(self.plant.node_links.nic)] &= (
                self.plant.node_links.nic == self.plant.node_links.nic[link]
            )
        alive = alike & (self._bytes_s > 0)
        total = int(links.cables[alive].sum())
        return total - (int(links.cables[link]) if alive[link] else 0), total

    def _sent(self, placement: Placement, flows: Flows) -> Floats:
        """Return the bytes that flows put on every directed link in a step [B]."""
        step_bytes = placement.step_bytes
        total = placement.router.card_load(flows, flows.weight * step_bytes[flows.group])
        for phase, (dlink, on) in enumerate(placement.router.load(flows, len(PHASES)).by_group):
            total[dlink] += on * step_bytes[phase]
        return total

    def _on_links(self, placement: Placement, links: Ints64) -> Floats:
        """Return how much of each flow goes over some links, there and back, shape (flows, 2)."""
        router, flows = placement.router, placement.flows
        marked = np.zeros(len(self.links), np.bool_)
        marked[links] = True
        amount = router.over(flows, marked) * flows.weight[:, None]
        cables = self.plant.node_links
        for link in links[links < len(cables.node)].tolist() if not router.has_peers else ():
            node, card, plane = int(cables.node[link]), int(cables.nic[link]), int(cables.plane[link])
            if router.cable[node, card, plane] != link:
                continue
            share = float(router.on_plane[node, card, plane])
            for direction, end, end_card in (
                (0, flows.source, flows.source_card),
                (1, flows.target, flows.target_card),
            ):
                ending = (end == node) & ((end_card == EVERY_CARD) | (end_card == card))
                amount[ending, direction] += flows.weight[ending] * share
        return amount


def in_rank_order(nodes: Ints64, seat: NDArray[np.int32]) -> Ints64:
    """Return the nodes of a job in the order of its ranks; as they are where their places are not known.

    Parameters
    ----------
    nodes
        Node slots, all of the job's.
    seat
        Place of every node in its job, as frames carry it.
    """
    order = np.argsort(seat[nodes], kind="stable")
    known = np.array_equal(seat[nodes[order]], np.arange(len(nodes)))
    return nodes[order] if known else nodes


def _some(flows: Flows, chosen: NDArray[np.intp]) -> Flows:
    return Flows(
        flows.group[chosen],
        flows.source[chosen],
        flows.target[chosen],
        flows.source_card[chosen],
        flows.target_card[chosen],
        flows.weight[chosen],
    )
