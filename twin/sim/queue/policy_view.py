"""The run as the scheduler's policies see it: jobs as requests once, nodes as arrays at each look."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Bools, IntP
from twin.physics.gpu_power import leak_w
from twin.planning.job.scenario_job import allowed_nodes
from twin.plant.domains import scale_up_domains
from twin.plant.tables import Plant
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.scheduling import Partition, Reservation
from twin.schedule.admission import refusal
from twin.schedule.planner import Planner
from twin.schedule.policies import Policy
from twin.schedule.profile import believed_s
from twin.schedule.queue import (
    NOBODY,
    SEVERAL,
    YEAR_S,
    HeldParts,
    Holding,
    NodeLabels,
    Place,
    Request,
    Requests,
    SiteView,
)
from twin.schedule.tenants import Tenants
from twin.schedule.windows import Window
from twin.sim.core.nodes import SHARED, NodeTable
from twin.sim.core.state import Derived, Fields, StateField, Stateful
from twin.sim.jobs.gpu_load import boost_unit_w, phase_activity
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.plan import JobPlan

if TYPE_CHECKING:
    from twin.sim.core.weather import Weather
    from twin.sim.meters.meter import Meter
    from twin.sim.thermal.clocks import Clocks
    from twin.sim.thermal.thermal_build import Body

HOUR_S = 3600.0
WORKING_C = 60.0
"""Temperature of working dies for their leakage, where the power of a start is foretold [est] [C]."""


@dataclass(frozen=True)
class Surroundings:
    """What the scheduler asks besides nodes and jobs."""

    scenario: Scenario
    plant: Plant
    weather: Weather
    clocks: Clocks
    body: Body
    meter: Meter


class QueueSite(Stateful):
    """Requests of all jobs, the planner, and the site at each moment.

    Attributes
    ----------
    began_s : dict
        When each job that runs here was given its nodes [s].
    leaves_over : frozenset of int
        Places with more GPUs than their own jobs ask for, those without an end where there are such: what is free
        there stands by for them.
    """

    def __init__(self, around: Surroundings, nodes: NodeTable, jobs: Jobs, plans: list[JobPlan]) -> None:
        self.around, self.nodes, self.jobs, self.plans = around, nodes, jobs, plans
        scenario, plant = around.scenario, around.plant
        self.policy = Policy.of(scenario.scheduler)
        self.tenants = Tenants.of(scenario.tenants)
        self._tenant = {tenant.id: number for number, tenant in enumerate(scenario.tenants, 1)}
        self.began_s: dict[int, float] = {}
        self.idle_w = math.nan  # IT power before the first job
        self._places: dict[tuple[bytes, ...], int] = {}
        self._known: dict[int, tuple[tuple[Bools, ...], int]] = {}
        self.masks: list[Place] = []
        self.requests = Requests([self._request(index) for index in range(len(jobs.rows))])
        self.windows = tuple(self._window(reservation) for reservation in scenario.reservations)
        alone = np.zeros(len(nodes.job), bool)
        for part in scenario.partitions:
            if part.exclusive:
                alone |= allowed_nodes(plant, part.rows)
        if not self.masks:
            self.masks.append((plant.nodes.present.copy(),))
        self.planner = Planner(
            self.policy,
            self.requests,
            self.masks,
            labels_of(plant),
            self.tenants,
            self.windows,
            nodes.gpus,
            alone,
        )
        self.leaves_over = self._leaves_over()
        self._end_s = np.full(len(jobs.rows) + 2, -np.inf)  # last: who holds parts, and nobody
        self._part_end_s = np.full(len(nodes.job), -np.inf)
        self._seen_held, self._seen_version = np.zeros(len(nodes.job)), -1
        self._tenant_of = np.append(self.requests.tenant, [SEVERAL, NOBODY])
        self._part_columns: tuple[tuple[IntP, ...], IntP, tuple[IntP, ...]] | None = (
            None  # of the parts of nodes
        )
        self._unknown = np.full(len(nodes.job), NOBODY, np.int64)
        self._part_tenant = np.full(len(nodes.job), SEVERAL, np.int64)
        self._shares = bool(self.tenants.quotas.any) or self.policy.order == "multifactor"
        largest = int(nodes.gpus.max(initial=1))
        self._gpu_of = plant.nodes.gpu_first[:, None] + np.minimum(
            np.arange(largest), np.maximum(nodes.gpus - 1, 0)[:, None]
        )
        self._gpu_there = np.arange(largest) < nodes.gpus[:, None]

    # --- what does not change

    def _request(self, index: int) -> Request:
        spec, plan, row = self.jobs.specs[index], self.plans[index], self.jobs.rows[index]
        partition = self.partition(index)
        return Request(
            nodes=plan.nodes,
            rest=plan.rest,
            slices=plan.slices,
            gpus=float(row.gpus),
            place=self._place(plan.groups),
            submit_s=row.submit_s,
            estimate_s=plan.estimate_s,
            tenant=self._tenant.get(spec.tenant or "", 0),
            priority=spec.priority + (partition.priority if partition else 0),
            deadline_s=math.inf if spec.deadline_s is None else spec.deadline_s,
            preemptible=spec.preemptible,
            flexible=spec.flexible,
            power_w=self._power_w(index) if self.policy.green.power_limit_w is not None else 0.0,
        )

    def _place(self, groups: Place) -> int:
        known = self._known.get(id(groups))
        if known is None:
            key = tuple(group.tobytes() for group in groups)
            number = self._places.setdefault(key, len(self.masks))
            if number == len(self.masks):
                self.masks.append(groups)
            known = self._known[id(groups)] = groups, number  # kept, so that its id stays its own
        return known[1]

    def _leaves_over(self) -> frozenset[int]:
        places, gpus, count = self.requests.place, self.requests.gpus, len(self.masks)
        endless = np.array([job.steps is None and job.run_s is None for job in self.jobs.specs], bool)
        asked = np.bincount(places, gpus, count)
        for_good = np.bincount(places[endless], gpus[endless], count)
        reach = np.array([np.logical_or.reduce(place) for place in self.masks]).astype(float)
        within = (1.0 - reach) @ reach.T == 0  # row, column: the second place lies in the first
        held = within @ for_good
        least = np.where(held > 0, held, within @ asked)  # jobs that end pass through what is left over
        return frozenset(np.flatnonzero(least < reach @ self.nodes.gpus).tolist())

    def _power_w(self, index: int) -> float:
        """Return what the nodes of a job draw more than idle ones, at most [W]: whatever caps or slows it now."""
        around, work, plan = self.around, self.jobs.planned[index], self.plans[index]
        node = int(np.argmax(plan.allowed))
        model, body = around.clocks.models[int(around.body.node_part[node])], around.body
        gpu_w = min(model.cap_w - model.idle_w, boost_unit_w(model) * phase_activity(work, model))
        share = work.gpu_load if work.gpu_load is not None else gpu_w / (model.cap_w - model.idle_w)
        if work.gpu_load is None:
            gpu_w = min(model.cap_w - model.idle_w, gpu_w + float(leak_w(model, WORKING_C, 1.0)))
        rest = body.node_power.of(node)
        rest_w = float((rest.peak_w if work.node_at_peak else rest.full_w) - rest.idle_w)
        rest_w *= share if work.node_load is None else work.node_load
        gpus = float(self.jobs.rows[index].gpus)
        return gpus * (gpu_w + rest_w / max(1, int(self.nodes.gpus[node])))

    def _window(self, reservation: Reservation) -> Window:
        there = np.flatnonzero(allowed_nodes(self.around.plant, reservation.rows))
        count = len(there) if reservation.nodes is None else reservation.nodes
        if reservation.share is not None:
            count = math.ceil(reservation.share * len(there) - 1e-9)
        mask = np.zeros(len(self.nodes.job), bool)
        mask[there[:count]] = True
        ids = {row.id: row.index for row in self.jobs.rows} if reservation.jobs else {}
        return Window(
            reservation.id,
            reservation.at_s,
            reservation.duration_s,
            math.inf if reservation.every_s is None else reservation.every_s,
            mask,
            frozenset(self._tenant[tenant] for tenant in reservation.tenants),
            frozenset(ids[job] for job in reservation.jobs if job in ids),
        )

    def partition(self, index: int) -> Partition | None:
        """Return the partition a job is submitted to."""
        number = self.plans[index].partition
        return self.around.scenario.partitions[number] if number >= 0 else None

    def refusal(self, index: int) -> str:
        """Return why a job can never run; "" when it can."""
        spec, request = self.jobs.specs[index], self.requests.rows[index]
        return refusal(
            request,
            self.masks[request.place],
            self.tenants.quotas,
            self.policy.green,
            self.partition(index),
            spec.tenant,
            spec.limit_s,
            self.idle_w,
        )

    # --- what does

    def began(self, index: int, now_s: float) -> None:
        """Take note that a job has been given its nodes."""
        self.began_s[index] = now_s
        self._end_s[index] = now_s + min(float(self.requests.estimate_s[index]), YEAR_S)

    def leaves(self, index: int) -> None:
        """Take note that a job gives its nodes up as soon as its state is safe: it is over its time."""
        self._end_s[index] = self.began_s[index]

    def end_s(self, index: int, now_s: float) -> float:
        """Return when a job that runs is believed to end [s]."""
        return float(believed_s(self._end_s[index], now_s))

    def look(self, now_s: float) -> SiteView:
        """Return the site now."""
        nodes, around, fit = self.nodes, self.around, self.nodes.fit
        end_s, free_gpus = self._end_s.take(nodes.job), nodes.free_gpus.copy()
        if self.requests.any_partial:
            self._follow_parts()
            shared = np.fromiter(nodes.parts, np.intp, len(nodes.parts))
            end_s[shared] = self._part_end_s[shared]
        unfit = (~fit).nonzero()[0]
        end_s[unfit], free_gpus[unfit] = np.inf, 0
        tenant = self._seen_holder() if self.planner.rules.isolation is not None else self._unknown
        slices = None
        if self.requests.any_slices:
            slices = np.where(self._gpu_there & fit[:, None], nodes.slices[self._gpu_of], 0).astype(np.int8)
            slices[nodes.job >= 0] = 0
        green, weather = self.policy.green, around.weather
        watches = green.carbon_limit_kg_j is not None or green.price_limit_usd_j is not None
        return SiteView(
            now_s=now_s,
            free=nodes.usable,
            end_s=end_s,
            gpus=nodes.gpus,
            free_gpus=free_gpus,
            tenant=tenant,
            used=self.used(),
            slices=slices,
            power_w=self._foretold_w() if green.power_limit_w is not None else 0.0,
            carbon_kg_j=weather.carbon_kg_j(now_s) if watches else 0.0,
            price_usd_j=weather.price_usd_j(now_s) if watches else 0.0,
            turn_s=(math.floor(now_s / HOUR_S) + 1) * HOUR_S,
            holdings=self._holdings,
            parts=self._parts,
        )

    def used(self) -> NDArray[np.float64]:
        """Return the GPUs that each tenant holds, where a rule asks for it, shape (tenants,)."""
        count = len(self.tenants.share)
        if not self._shares:
            return np.zeros(count)
        rows = self.jobs.active
        tenant = self.requests.tenant[[row.index for row in rows]] if rows else np.zeros(0, np.int64)
        used: NDArray[np.float64] = np.zeros(count)
        np.add.at(used, tenant, [row.held for row in rows])
        return used

    def _foretold_w(self) -> float:
        """Return IT power once all that has been given its nodes works [W]."""
        running = [row.index for row in self.jobs.active]
        return self.idle_w + float(self.requests.power_w[running].sum()) if running else self.idle_w

    def _follow_parts(self) -> None:
        """Recompute until when nodes are held in parts, and by whom, of those that changed."""
        nodes = self.nodes
        if self._seen_version == nodes.version:
            return
        self._seen_version = nodes.version
        held, seen = nodes.held, self._seen_held
        self._seen_held = held.copy()
        for node in [node for node in nodes.parts if held[node] != seen[node]]:
            jobs = list(nodes.jobs_on(node))
            self._part_end_s[node] = self._end_s[jobs].max()
            tenants = set(self.requests.tenant[jobs].tolist())
            self._part_tenant[node] = tenants.pop() if len(tenants) == 1 else SEVERAL

    def _seen_holder(self) -> NDArray[np.int64]:
        tenant = self._tenant_of[self.nodes.job]
        return np.where(self.nodes.job == SHARED, self._part_tenant, tenant)

    def first_end_s(self, here: SiteView) -> float:
        """Return when the first of those who hold nodes `here` was believed to end [s]; inf: nobody does."""
        first_s = np.minimum.reduce(np.where(here.free, math.inf, here.end_s), initial=math.inf)
        if self.requests.any_partial:
            first_s = np.minimum.reduce(here.parts().end_s, initial=first_s)
        return float(first_s)

    def _parts(self) -> HeldParts:
        table, known = self.nodes.part_table(), self._part_columns
        if known is None or known[0] is not table:
            node, job, gpu, slices = table
            gpu = gpu - self.around.plant.nodes.gpu_first[node]
            self._part_columns = known = table, job, (node, gpu, slices, self.requests.tenant[job])
        _, job, (node, gpu, slices, tenant) = known
        return HeldParts(node, gpu, slices, tenant, self._end_s[job])

    def _holdings(self) -> list[Holding]:
        return [
            Holding(
                row.index,
                row.nodes,
                self.began_s.get(row.index, 0.0),
                float(self._end_s[row.index]),
                row.leaving,
            )
            for row in self.jobs.active
        ]

    def on_restored(self) -> None:
        """Tell the requests since when jobs wait."""
        for row in self.jobs.rows:
            self.requests.queued_s[row.index] = max(row.submit_s, row.queued_s)

    def _saved_began(self) -> list[list[float]]:
        active = {row.index for row in self.jobs.active}
        return [[index, s] for index, s in sorted(self.began_s.items()) if index in active]

    def _take_began(self, saved: list[list[float]]) -> None:
        for job, began_s in saved:
            index = int(job)
            self.began(index, float(began_s))
            if self.jobs.rows[index].leaving:
                self.leaves(index)

    STATE = Fields(
        Derived("began_s", _saved_began, _take_began),
        Derived(
            "shares",
            lambda part: part.planner.shares.state(),
            lambda part, saved: part.planner.shares.restore(saved),
        ),
        StateField("idle_w", float),
    )


def labels_of(plant: Plant) -> NodeLabels:
    """Return where the nodes of a plant stand.

    The leaf of a node is the first switch its first card hangs on; nodes whose cards go to a rail each have the same
    leaves as their unit. A pod is a unit of the fabric; without a fabric a rack is a leaf, and all are one pod.
    """
    nodes, links = plant.nodes, plant.node_links
    rack = np.asarray(nodes.rack, np.int64)
    leaf = rack.copy()
    order = np.lexsort((links.plane, links.nic, links.fabric, links.node))
    linked, at = np.unique(np.asarray(links.node)[order], return_index=True)
    if len(linked):
        leaf[:] = (
            leaf + int(np.max(links.leaf)) + 1
        )  # nodes without a link: their racks, as numbers of their own
        leaf[linked] = np.asarray(links.leaf)[order][at]
    pod = np.asarray(nodes.unit, np.int64) + 1
    return NodeLabels(np.asarray(scale_up_domains(plant), np.int64), leaf, pod, rack)
