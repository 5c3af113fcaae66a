"""What the loss of one switch does to the largest job of a scene: load of the busiest link then, or who is cut off.

Routes and rates are those of the engine (`twin.plant.routes`, `twin.planning.network.placement`); who is cut off is
what the rule `single-point` says.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from twin.arrays import Floats, Ints64
from twin.catalog import Catalog
from twin.planning.job.result import PlanError
from twin.planning.job.scenario_job import allowed_nodes, estimate_of
from twin.planning.network.connectivity import Joints
from twin.planning.network.link_flows import JobSeat, TrafficMap
from twin.planning.network.placement import Placement, no_better, terms_of
from twin.planning.network.traffic import PHASES
from twin.plant.links import LinkKind
from twin.plant.single_points import SinglePoint, single_points
from twin.plant.tables import Plant, SwitchRole
from twin.scenario.generators.allowed_rows import rows_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.work import Job

MOST_LOOKED_AT = 12
"""Switches of one tier that are lost one by one, those that carry most; others alike in load stand behind them."""
_ALIKE = 4
"""Switches whose loads agree in so many digits are alike."""
HOLDS = 1.005
"""A step longer than this part of the usual one is no longer as good as the usual one [-]."""


@dataclass(frozen=True)
class SwitchLoss:
    """The worst loss of one switch of a tier of a fabric.

    Attributes
    ----------
    fabric, role, switch, alike
        Its fabric, its tier, its id, and how many switches the tier has.
    nodes, gpus, racks
        How many nodes it cuts off, how many GPUs they have, and the ids of their racks.
    job_nodes, spares
        Nodes of the job among them, and nodes that it may take instead.
    busiest, mean
        Load of the busiest link over what its technology lets through: while the job communicates as fast as with all
        switches, and in the mean of a step [-]. Above 1 it communicates slower. None: nodes of the job are cut off.
    step
        A step over a usual one [-]; None likewise.
    more
        Switches that are missing beside those of its tier that are left, so that no link is asked for too much.
    """

    fabric: str
    role: SwitchRole
    switch: str
    alike: int
    nodes: int = 0
    gpus: int = 0
    racks: tuple[str, ...] = ()
    job_nodes: int = 0
    spares: int = 0
    busiest: float | None = None
    mean: float | None = None
    step: float | None = None
    more: int = 0

    @property
    def holds(self) -> bool:
        """Return whether the job goes on, as fast as before, with no node of its own cut off."""
        return not self.job_nodes and (self.step is None or self.step <= HOLDS)


@dataclass(frozen=True)
class NetworkLimits:
    """The fabrics of a site with all switches and with one lost.

    Attributes
    ----------
    job
        The largest job that communicates through a fabric, alone on it, where it sits if all begin in their order; "":
        there is none.
    busiest, mean
        As of `SwitchLoss`, with all switches.
    losses
        The worst of each tier of each fabric.
    """

    job: str
    busiest: float | None
    mean: float | None
    losses: tuple[SwitchLoss, ...]

    @property
    def largest(self) -> SwitchLoss | None:
        """Return the loss that takes most nodes from the job at once; None: none takes any."""
        found = [loss for loss in self.losses if loss.job_nodes]
        return max(found, key=lambda loss: loss.job_nodes, default=None)


def network_limits(scenario: Scenario, plant: Plant, catalog: Catalog) -> NetworkLimits | None:
    """Return what the loss of one switch does; None: there is no switch. 0.5 s at 16,384 GPUs."""
    switches = plant.switches
    if not switches.present.any():
        return None
    cuts = {point.id: point for point in single_points(plant, catalog) if point.system == "network"}
    traffic = _traffic(scenario, plant, catalog)
    losses = []
    tiers = np.unique(np.stack([switches.fabric, switches.role])[:, switches.present], axis=1)
    for fabric, role in tiers.T.tolist():
        tier = np.flatnonzero(switches.present & (switches.fabric == fabric) & (switches.role == role))
        cutting = [cuts[switches.ids[slot]] for slot in tier.tolist() if switches.ids[slot] in cuts]
        if cutting:
            losses.append(
                max(
                    (_cut(point, plant, len(tier), traffic) for point in cutting),
                    key=lambda loss: (loss.gpus, loss.job_nodes),
                )
            )
        elif traffic is not None:
            tried = [traffic.without(slot, len(tier)) for slot in traffic.loaded(tier)]
            known = [loss for loss in tried if loss is not None]
            losses += sorted(known, key=lambda loss: (loss.step or 0.0, loss.busiest or 0.0))[-1:]
    usual = None if traffic is None else traffic.usual
    return NetworkLimits(
        "" if traffic is None else traffic.job.id,
        None if usual is None else usual[0],
        None if usual is None else usual[1],
        tuple(losses),
    )


def _cut(point: SinglePoint, plant: Plant, alike: int, traffic: _JobTraffic | None) -> SwitchLoss:
    slot, hit = point.slot, np.zeros(len(plant.nodes.ids), np.bool_)
    hit[point.nodes] = True
    fabric, role = plant.fabrics[int(plant.switches.fabric[slot])], SwitchRole(int(plant.switches.role[slot]))
    job_nodes = 0 if traffic is None else int(hit[traffic.seat.nodes].sum())
    spares = 0
    if traffic is not None:
        usable = allowed_nodes(plant, traffic.job.rows) & ~hit
        usable[traffic.seat.nodes] = False
        spares = int(usable.sum())
    racks = tuple(plant.racks.ids[rack] for rack in np.unique(plant.nodes.rack[point.nodes]).tolist())
    return SwitchLoss(fabric, role, point.id, alike, len(point.nodes), point.gpus, racks, job_nodes, spares)


def _traffic(scenario: Scenario, plant: Plant, catalog: Catalog) -> _JobTraffic | None:
    """Return the traffic of the largest job that communicates through a fabric, alone on it; None: there is none.

    It sits where it would if all jobs began in their order.
    """
    traffic = TrafficMap(plant, catalog, scenario.jobs)
    joints = Joints(plant, traffic.links, catalog)
    taken, best = plant.nodes.drained.copy(), None
    for place, spec in enumerate(scenario.jobs):
        job = spec.model_copy(update={"rows": rows_of(scenario, spec)})
        try:
            nodes = joints.places(job).first(job.nodes, taken).astype(np.int64)
        except PlanError:
            continue
        taken[nodes] = True
        if best is None or job.nodes > best[0].nodes:
            seat = JobSeat(place, nodes, 1.0)
            placed = traffic.placement(seat)
            if placed is not None and placed.reachable:
                best = job, seat, placed
    return None if best is None else _JobTraffic(traffic, *best)


class _JobTraffic:
    """A job alone on its fabric, with all switches or without one."""

    def __init__(self, traffic: TrafficMap, job: Job, seat: JobSeat, placed: Placement) -> None:
        self._map, self.job, self._placed = traffic, job, placed
        self.seat = JobSeat(seat.job, seat.nodes, self._step_s(placed, seat.nodes))
        fabric = traffic.fabric_of(seat.nodes) or 0
        efficiency = terms_of(traffic.plant, fabric, traffic.catalog).efficiency
        self._limit_bytes_s = np.repeat(traffic.links.bytes_s, 2) * efficiency
        self._peak, self._mean = self._loads(placed)
        self.usual = float(self._peak.max()), float(self._mean.max())

    def loaded(self, tier: Ints64) -> list[int]:
        """Return switches of a tier that carry anything, one of those alike, those that carry most first."""
        ends, switches = np.concatenate(self._map.links.vertex), self._map.links.switches
        mean, peak = (load.reshape(-1, 2).max(axis=1) for load in (self._mean, self._peak))
        at = ends < switches
        carried = np.bincount(ends[at], np.tile(mean, 2)[at], switches)
        links, most = np.bincount(ends[at], minlength=switches), np.zeros(switches)
        np.maximum.at(most, ends[at], np.tile(peak, 2)[at])
        seen: dict[tuple[int, str, str], int] = {}
        for slot in sorted(tier.tolist(), key=lambda slot: -carried[slot]):
            if carried[slot] > 0.0:
                key = int(links[slot]), f"{carried[slot]:.{_ALIKE}g}", f"{most[slot]:.{_ALIKE}g}"
                seen.setdefault(key, slot)
        return list(seen.values())[:MOST_LOOKED_AT]

    def without(self, switch: int, alike: int) -> SwitchLoss | None:
        """Return what the loss of a switch that cuts nobody off does; None: some traffic finds no way."""
        plant, links = self._map.plant, self._map.links
        self._map.set_dead(links.of_switches(np.arange(links.switches) == switch))
        placed = self._map.placement(self.seat)
        if placed is None or not placed.reachable:
            return None
        peak, mean = self._loads(placed)
        return SwitchLoss(
            plant.fabrics[int(plant.switches.fabric[switch])],
            SwitchRole(int(plant.switches.role[switch])),
            plant.switches.ids[switch],
            alike,
            busiest=float(peak.max()),
            mean=float(mean.max()),
            step=self._step_s(placed, self.seat.nodes) / self.seat.step_s,
            more=self._more(peak, switch),
        )

    def _more(self, peak: Floats, lost: int) -> int:
        """Return how many upper switches the lower end of the busiest link lacks so that its links are not too full."""
        links, link = self._map.links, int(peak.argmax()) // 2
        if links.kind[link] != LinkKind.SWITCH:
            return 0
        up = (links.kind == LinkKind.SWITCH) & (links.a == links.a[link]) & (links.b != lost)
        reached = len(np.unique(links.b[up]))
        return max(math.ceil(reached * float(peak.max()) - 1e-9) - reached, 0)

    def _loads(self, placed: Placement) -> tuple[Floats, Floats]:
        """Return the load of each directed link at the usual rates, and in the mean of a usual step, over its limit."""
        router, flows, rates = placed.router, placed.flows, self._placed.rate_bytes_s
        peak = np.zeros(len(self._limit_bytes_s))
        for phase, (dlink, on) in enumerate(router.load(flows, len(PHASES)).by_group):
            peak[dlink] = np.maximum(peak[dlink], on * rates[phase])
            some = flows.some(np.flatnonzero(flows.group == phase))
            if len(some.group):
                np.maximum(peak, router.card_load(some, some.weight * rates[phase]), out=peak)
        return peak / self._limit_bytes_s, self._map.bytes_s(self.seat) / self._limit_bytes_s

    def _step_s(self, placed: Placement, nodes: Ints64) -> float:
        """Return a step with what a fabric leaves of the bandwidth [s]."""
        plant, first = self._map.plant, int(nodes[0])
        gpus = int(plant.nodes.gpu_count[nodes].sum())
        part = plant.gpu_parts[int(plant.gpus.part[plant.nodes.gpu_first[first]])]
        node, gpu = plant.node_parts[int(plant.nodes.part[first])], self._map.catalog.gpu(part)
        network = no_better(placed.network, self._placed.network)
        return estimate_of(
            self.job, gpus, part, gpu.memory_bytes, network, catalog=self._map.catalog, node=node
        ).step_s
