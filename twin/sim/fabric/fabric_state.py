"""The scale-out fabrics in a run: which links live, where each job's traffic goes, and what jobs take from each other.

Demand on every link is a running sum over the jobs that step, so a start, an end or a new route costs what it touches.
Sums are whole bytes per second: they come out the same in whatever order jobs came. Only jobs that meet on a link
above its capacity are solved, max-min fair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import is_not
from typing import Any

import numpy as np

from twin.arrays import Bools, Floats, IntP, Ints64
from twin.catalog import Catalog
from twin.physics.max_min import max_min_rates
from twin.physics.training_inputs import FULL_NETWORK, TrainingNetwork
from twin.planning.job.result import PlanError
from twin.planning.network.connectivity import Joints, Places
from twin.planning.network.placement import (
    Placement,
    Terms,
    factors_of,
    network_with,
    no_better,
    place,
    terms_of,
)
from twin.planning.network.traffic import KIND_OF_PHASE, KINDS, Traffic, traffic_of
from twin.plant.cut_off import cut_off
from twin.plant.islands import cards_on
from twin.plant.links import links_of
from twin.plant.tables import Plant
from twin.record.channels import JobState
from twin.scenario.schema.scheduling import Partition
from twin.scenario.schema.work import Job
from twin.sim.core.slot_map import EditedPair
from twin.sim.core.state import Derived, Fields, Stateful
from twin.sim.fabric.elastic_traffic import Shapes
from twin.sim.fabric.job_traffic import TrafficSeat, Under, as_met, crowds, worst
from twin.sim.fabric.link_loads import LinkPicture, NetworkPicture
from twin.sim.fabric.route_variants import FaultyRoutes, RouteFault, Some
from twin.sim.jobs.job_classes import kinds_of
from twin.sim.jobs.jobs import Jobs
from twin.sim.jobs.plan import JobPlan
from twin.sim.jobs.work import Work, repeated, work_of

FEW_LINKS = 0.2
"""Share of all links up to which it is cheaper to look at them one by one."""
ABOVE = 1.001
"""Demand over capacity that is worth sharing out; less is rounding."""


def _equal(table: object, other: object, *columns: str) -> bool:
    return all(np.array_equal(getattr(table, name), getattr(other, name)) for name in columns)


class FabricState(Stateful):
    """All fabrics of a run, and the jobs on them.

    Parameters
    ----------
    plant, catalog
        What stands there, of which parts.
    specs
        Jobs of the scenario.
    partitions
        Of the scenario: a job runs on the rows of its own.
    like
        Fabrics of the hall before an edit: what was worked out for the same links holds. None: there are none.

    Attributes
    ----------
    home
        Where each job could run when the run began; `places`: where it can now.
    """

    def __init__(
        self,
        plant: Plant,
        catalog: Catalog,
        specs: tuple[Job, ...],
        partitions: Sequence[Partition] = (),
        like: FabricState | None = None,
    ) -> None:
        self.plant, self.catalog, self.specs = plant, catalog, specs
        self.rows_in = {partition.id: partition.rows for partition in partitions}
        self.links = links_of(plant)
        self._intact_bytes_s = np.repeat(self.links.bytes_s, 2)
        self.bytes_s = self.links.bytes_s.copy()  # now: faults and flaps taken off
        self.joints = Joints(plant, self.links, catalog)
        self.domain = self.joints.domain
        self.kinds = kinds_of(specs)
        places = {
            kind: self._places(specs[kind], specs[kind].partition) for kind in dict.fromkeys(self.kinds)
        }
        self.home = [places[kind] for kind in self.kinds]
        self.places = list(self.home)
        self.terms: list[Terms] = [terms_of(plant, k, catalog) for k in range(len(plant.fabrics))]
        self.version = 0  # of everything that observers show
        self.peak = np.zeros(2 * len(self.links), np.int64)
        self._limit = self._limits()
        self._alarm = (ABOVE * self._limit).astype(np.int64)
        self._full = np.zeros(len(self.peak), np.bool_)  # which links jobs want more of than there is
        self.routes = FaultyRoutes(plant, self.links)
        self._under: dict[tuple[int, bytes, frozenset[str]], Under] = {}
        self.shapes = Shapes(plant, catalog, specs, self.kinds, self.places)
        self._traffic: dict[int, tuple[bytes, Traffic]] = {}
        self._works: dict[tuple[int, int, TrainingNetwork], Work] = {}  # by kind and nodes
        self._seats: dict[int, TrafficSeat] = {}
        self._steppers: dict[int, int | None] = {}  # jobs with a seat that step, and the fabric of each
        self._fresh: set[int] = set()  # those of them that are not in the sums
        self.contended: frozenset[int] = frozenset()  # jobs on full links
        self._seen: tuple[list[TrafficSeat], Floats] | None = None  # who steps, and the load that comes of it
        self._nothing = np.zeros(2 * len(self.links))  # what nobody loads
        self._solved: dict[
            int, tuple[TrafficSeat, ...]
        ] = {}  # jobs that share full links now, by the first of them
        # Version, load, links that live: as drawn last and, for a job that stops and runs on, before.
        self._drawn: list[tuple[int, Floats, Floats, LinkPicture]] = []
        self._left = np.full(len(specs), 100.0)
        self._moved: set[int] = set()  # jobs whose place or share has changed since `shown_left` was asked
        self._picture = NetworkPicture(plant, self.links)
        self._expected: dict[tuple[int, bytes], TrainingNetwork] = {}
        if like is not None and self._has_links_of(like):
            self._expected, self._traffic = like._expected, dict(like._traffic)
            self.routes.adopt(like.routes)

    @property
    def seats(self) -> dict[int, TrafficSeat]:
        """Where each job sits, by its row."""
        return self._seats

    def _has_links_of(self, other: FabricState) -> bool:
        """Return whether jobs and links are those of `other`, so that all routes are the same."""
        own, its = self.plant, other.plant
        return (
            self.specs == other.specs
            and own.fabrics == its.fabrics
            and own.fabric_table == its.fabric_table
            and len(own.nodes.ids) == len(its.nodes.ids)
            and self.rows_in == other.rows_in
            and own.node_parts == its.node_parts
            and _equal(self.links, other.links, "kind", "fabric", "a", "b", "cables", "bytes_s")
            and _equal(own.nodes, its.nodes, "part", "gpu_count", "nics", "present")
            and np.array_equal(self.domain, other.domain)
        )

    def bind(self, jobs: Jobs, plans: list[JobPlan]) -> None:
        """Say whose work follows from the fabric."""
        self.jobs, self.plans = jobs, plans

    def _places(self, job: Job, partition: str | None) -> Places:
        """Return where a job can run in a partition."""
        within = self.rows_in.get(partition or "")
        if within is None:
            return self.joints.places(job)
        rows = tuple(name for name in job.rows if name in within) if job.rows else within
        return self.joints.places(job.model_copy(update={"rows": rows}))

    def move(self, index: int, partition: str | None) -> None:
        """Let a job run in another partition from now on."""
        self.places[index] = self._places(self.specs[index], partition)
        kind = self.kinds[index] = len(self.specs) + index  # no other job is like it
        self.shapes.forget(kind)
        self._works = {key: work for key, work in self._works.items() if key[0] != kind}

    def fits(self, index: int, width: int) -> bool:
        """Return whether a job can run on so many nodes: its cut divides, and it fits in memory."""
        try:
            return not self._work(index, FULL_NETWORK, width).misfit
        except PlanError:
            return False

    def _limits(self) -> Ints64:
        """Return what each directed link carries at most under its fabric's technology [B/s]."""
        share = np.array([terms.efficiency for terms in self.terms] or [1.0])[self.links.fabric]
        return np.repeat((self.bytes_s * share).astype(np.int64), 2)

    # --- routes and places

    def _faults(self, index: int) -> Some:
        return self.routes.on(self.fabric_of(index))

    def _place(self, index: int, nodes: list[int] | IntP, faults: Some = ()) -> Placement | None:
        """Return a job on nodes, under some faults; None when it sends nothing through a fabric."""
        talk, slots = self.shapes.of(index, len(nodes)).talk, np.asarray(nodes, np.int64)
        if talk.fabric is None or talk.profile is None or not talk.exchanges or len(slots) < 2:
            return None
        traffic = self._sent(index, slots)
        if not traffic.step_bytes.any():
            return None
        router = self.routes.router(talk.fabric, faults)
        return place(router, traffic, slots, talk.profile, self.terms[talk.fabric])

    def _sent(self, index: int, slots: Ints64) -> Traffic:
        """Return what a job sends between the domains of its nodes."""
        table = self.plant.nodes
        # Domains are numbered as ranks meet them: a spare that is a domain by itself changes nothing.
        pattern = as_met(self.domain[slots])
        known = self._traffic.get(index)
        if known is None or known[0] != pattern.tobytes():
            talk, first = self.shapes.of(index, len(slots)).talk, int(slots[0])
            cards = cards_on(self.plant, talk.fabric, first)
            traffic = traffic_of(talk.exchanges, int(table.gpu_count[first]), cards, pattern)
            known = (pattern.tobytes(), traffic)
            self._traffic[index] = known
        return known[1]

    def expected(self) -> list[TrainingNetwork]:
        """Return what the intact fabric gives each job on the nodes it would take if all started in order."""
        taken = self.plant.nodes.drained.copy()
        networks, known = [], self._expected
        for index, job in enumerate(self.specs):
            chosen = self.places[index].first(job.nodes, taken)
            taken[chosen] = True
            key = self.kinds[index], chosen.tobytes()
            if key not in known:
                placement = self._place(index, chosen.tolist())
                reached = placement is not None and placement.reachable
                known[key] = placement.network if placement is not None and reached else FULL_NETWORK
            networks.append(known[key])
        return networks

    def _work(self, index: int, network: TrainingNetwork, width: int) -> Work:
        key = (self.kinds[index], width, network)
        if key not in self._works:
            shape = self.shapes.of(index, width)
            talk = shape.talk
            made = work_of(shape.job, talk.gpus, talk.gpu_part, self.catalog, network, talk.node_part)
            made = repeated(made, shape.steps)
            self._works[key] = replace(made, duty=self.plans[index].duty(made.step_s))
        return self._works[key]

    def _sit(self, index: int, nodes: list[int]) -> None:
        """Give a job its place, its work there, and what it demands of the links."""
        self._moved.add(index)
        row, faults = self.jobs.rows[index], self._faults(index)
        slots = self.jobs.slots(row) if row.nodes is nodes else np.array(nodes, np.intp)
        intact = self._place(index, slots)
        if intact is None or not intact.reachable:
            self._seats.pop(index, None)
            # It may have been spread before.
            self.jobs.set_work(index, self._work(index, FULL_NETWORK, len(nodes)))
            return
        now = self._place(index, slots, faults) if faults else intact
        if now is None or not now.reachable:
            now = intact  # it is about to stop for the nodes that are cut off
        network = no_better(now.network, intact.network)
        if len(faults) > 1:
            network = self._worst(index, nodes, faults, network)
        work = self._work(index, network, len(nodes))
        self.jobs.set_work(index, work)
        self._seats[index] = TrafficSeat(
            nodes=list(nodes),
            placement=now,
            network=network,
            communicates=min(1.0, now.communication_s / work.step_s),
            step_s=work.step_s,
            before=self._seats.get(index),
        )

    def _worst(self, index: int, nodes: list[int], faults: Some, network: TrainingNetwork) -> TrainingNetwork:
        """Return what a job has when no part of the faults may leave it less than all of them do."""
        slots = np.array(nodes, np.int64).tobytes()

        def under(some: Some) -> Under:
            key = (index, slots, frozenset(fault.key for fault in some))
            if key not in self._under:
                placed = self._place(index, nodes, some)
                sound = placed is not None and placed.reachable
                bits = np.packbits(placed.touched) if placed is not None and sound else None
                self._under[key] = Under(placed.network if placed is not None and sound else None, bits)
            return self._under[key]

        return worst(faults, network, under, len(self.links))

    def _step(self, index: int, stepping: bool) -> None:
        """Let a job demand or leave its links; it enters the sums once it shares its fabric."""
        seat = self._seats.get(index)
        if seat is not None:
            seat.stepping = stepping
            if stepping:
                self._steppers[index] = self.fabric_of(index)
                if not seat.summed:
                    self._fresh.add(index)
                return
            self._steppers.pop(index, None)
            self._fresh.discard(index)
            if seat.summed:
                self.peak[seat.dlink] -= seat.peak
                self._weigh(seat.dlink)
                seat.summed = False

    def _sum(self) -> None:
        """Bring into the sums whoever is not alone on a fabric."""
        if not self._fresh:
            return
        on = Counter(self._steppers.values())
        for index in [index for index in self._fresh if on[self._steppers[index]] > 1]:
            seat = self._seats[index]
            self.peak[seat.dlink] += seat.peak
            self._weigh(seat.dlink)
            seat.summed = True
            self._fresh.remove(index)

    def _weigh(self, dlink: Ints64) -> None:
        """Take note which of these links, whose demand is another, are full."""
        if len(dlink) > FEW_LINKS * len(self.peak):
            self._full = self.peak > self._alarm
        else:
            self._full[dlink] = self.peak[dlink] > self._alarm[dlink]

    # --- the run

    def update(self, changed: Iterable[int]) -> None:
        """Follow the jobs that began or ceased to step or got other nodes."""
        for index in sorted(changed):
            row, seat = self.jobs.rows[index], self._seats.get(index)
            stepping = row.state in (JobState.RUNNING, JobState.CHECKPOINT)
            if stepping and (seat is None or seat.nodes != row.nodes):
                self._step(index, False)
                self._sit(index, row.nodes)
            self._step(index, stepping)
        self._share()
        self.version += 1

    def set_faults(self, faults: Iterable[RouteFault]) -> None:
        """Let these faults be in force from now on, oldest first, and route every job again."""
        self.routes.set(faults)
        self.bytes_s = self.routes.bytes_s(self.routes.faults)
        self._limit = self._limits()
        self._alarm = (ABOVE * self._limit).astype(np.int64)
        self._full = self.peak > self._alarm
        known = {fault.key for fault in self.routes.faults}
        self._under = {key: under for key, under in self._under.items() if key[2] <= known}
        self.renew()

    def renew(self) -> None:
        """Recompute the place and work of every job: links or plans have changed."""
        self._works.clear()
        self._solved.clear()
        for index, seat in sorted(self._seats.items()):
            stepping = seat.stepping
            self._step(index, False)
            self._sit(index, seat.nodes)
            self._step(index, stepping)
        self._share()
        self.version += 1

    def cut_off(self) -> Bools:
        """Return which nodes have lost a way to the others."""
        return cut_off(self.plant, self.links, self.bytes_s)

    def _share(self) -> None:
        """Share out the links that jobs together want more of than there is."""
        if not self._seats and not self._solved:  # nobody sends anything
            return
        self._sum()
        over, met = self._full, dict[int, Bools]()  # who is alone on a fabric is not summed
        if np.count_nonzero(over):
            met = {
                index: over[seat.dlink]
                for index, seat in sorted(self._seats.items())
                if seat.summed and over[seat.dlink].any()
            }
        for index in self.contended - met.keys():
            seat = self._seats.get(index)
            if seat is not None and seat.slow is not None:
                seat.slow, seat.contention_s = None, 0.0
                self._moved.add(index)
        self.contended = frozenset(met)
        before, self._solved = self._solved, {}
        for jobs in crowds(self._seats, met, len(self.peak)) if met else ():
            seats = tuple(self._seats[index] for index in jobs)
            self._solved[jobs[0]] = seats
            known = before.get(jobs[0], ())
            # Those who meet on full links are all the demand there is: the same seats share as they did.
            if len(known) != len(seats) or any(a is not b for a, b in zip(known, seats, strict=True)):
                self._solve(jobs, met, over)

    def _solve(self, jobs: list[int], met: dict[int, Bools], over: Bools) -> None:
        seats = [self._seats[index] for index in jobs]
        link = np.concatenate([s.dlink[met[j]] for j, s in zip(jobs, seats, strict=True)])
        weight = np.concatenate([s.peak[met[j]] for j, s in zip(jobs, seats, strict=True)])
        flow = np.repeat(np.arange(len(jobs)), [int(met[j].sum()) for j in jobs])
        shared = np.zeros(len(over), np.bool_)
        shared[link] = True
        links = np.flatnonzero(shared)
        number = np.zeros(len(over), np.int64)
        number[links] = np.arange(len(links))
        capacity = self._limit[links].astype(np.float64)
        rates = max_min_rates(np.ones(len(jobs)), flow, number[link], weight.astype(np.float64), capacity)
        on = np.zeros((len(jobs), len(links)), np.bool_)
        on[flow, number[link]] = True
        bits = np.packbits(on, axis=1)
        quiet = 1.0 - np.array([seat.communicates for seat in seats])
        for k, (index, seat) in enumerate(zip(jobs, seats, strict=True)):
            rivals = (bits & bits[k]).any(axis=1) & (np.arange(len(jobs)) != k)
            together = 1.0 - float(np.prod(quiet[rivals]))  # chance that somebody else communicates too
            slow = 1.0 + together * (1.0 / max(float(rates[k]), 1e-6) - 1.0)
            touched = [bool(over[used].any()) for used in seat.placement.spread.by_phase]
            seat.slow = np.where(np.bincount(KIND_OF_PHASE, touched) > 0, slow, 1.0)
            self._moved.add(index)
            network = seat.network
            crowded = network_with(factors_of(network) / seat.slow, network.hop_extra_s, network.members)
            seat.contention_s = max(0.0, self._work(index, crowded, len(seat.nodes)).step_s - seat.step_s)

    def contention_s(self, index: int) -> float:
        """Return by how much other jobs lengthen a step of a job now [s]."""
        seat = self._seats.get(index)
        return seat.contention_s if seat is not None and seat.stepping else 0.0

    # --- looking

    def left(self, index: int) -> float | None:
        """Return the scale-out bandwidth a job has of what its profile's own network gives, None before it stepped."""
        seat = self._seats.get(index)
        return None if seat is None else seat.placement.bandwidth_left(seat.slow)

    def alone(self, index: int) -> TrainingNetwork | None:
        """Return what the fabric gives a job when no other takes anything, None before it stepped."""
        seat = self._seats.get(index)
        return None if seat is None else seat.network

    def used(self, index: int) -> list[str]:
        """Return the kinds of communication a job sends through the fabric."""
        seat = self._seats.get(index)
        if seat is None:
            return []
        return [kind for kind, used in zip(KINDS, seat.placement.used.tolist(), strict=True) if used]

    def load(self) -> Floats:
        """Return the mean load of each directed link now, over its intact capacity, 0..1."""
        stepping = [seat for _, seat in sorted(self._seats.items()) if seat.stepping]
        if not stepping:
            return self._nothing
        known = self._seen
        # Seats are replaced, never moved: the same ones load the same links.
        if known is None or len(known[0]) != len(stepping) or any(map(is_not, known[0], stepping)):
            carried = np.zeros(2 * len(self.links))
            for seat in stepping:
                seat.add_mean(carried)
            carried /= self._intact_bytes_s
            self._seen = known = (stepping, carried)
        return known[1]

    def shown(self) -> LinkPicture:
        """Return the loads of links where they are drawn: bundles, and switches by their busiest port."""
        if self._drawn and self._drawn[0][0] == self.version:
            return self._drawn[0][3]
        load, bytes_s = self.load(), self.bytes_s
        alike = [drawn[3] for drawn in self._drawn if drawn[1] is load and drawn[2] is bytes_s]
        shown = alike[0] if alike else self._picture.draw(load, bytes_s)
        before = [drawn for drawn in self._drawn if drawn[3] is not shown]
        self._drawn = [(self.version, load, bytes_s, shown), *before[:1]]
        return shown

    def shown_left(self) -> Floats:
        """Return the scale-out bandwidth each job has, as `left` gives it, in percent; 100 before it stepped."""
        for index in self._moved:
            left = self.left(index)
            self._left[index] = 100.0 if left is None else 100 * left
        self._moved.clear()
        return self._left

    def talks(self, index: int) -> bool:
        """Return whether a job sends anything between scale-up domains, on the first nodes it may use."""
        job = self.specs[index]
        talk = self.shapes.of(index, job.nodes).talk
        if talk.profile is None or not talk.exchanges or job.nodes < 2:
            return False
        return bool(self._sent(index, self.places[index].first(job.nodes)).step_bytes.any())

    def fabric_of(self, index: int) -> int | None:
        """Return the fabric a job communicates over, None when it needs none."""
        return self.places[index].fabric

    def _take_seats(self, saved: list[Any]) -> None:
        for row in self.jobs.active:  # who sends nothing has no seat, and may be narrower than it asked for
            if row.width not in (0, self.specs[row.index].nodes):
                self.jobs.set_work(row.index, self._work(row.index, FULL_NETWORK, row.width))
        for index, stepping, nodes in saved:
            self._sit(index, nodes)
            self._step(index, stepping)
        self._share()

    def _saved_seats(self) -> list[list[Any]]:
        return [[index, seat.stepping, seat.nodes] for index, seat in sorted(self._seats.items())]

    def _carried_seats(self, old: FabricState, edit: EditedPair) -> list[list[Any]]:
        gone = set(edit.gone.tolist())  # a job that loses a node takes a seat anew
        seats = [seat for seat in old._saved_seats() if gone.isdisjoint(seat[2])]
        return [[index, stepping, edit.numbers.all(nodes)] for index, stepping, nodes in seats]

    STATE = Fields(Derived("seats", _saved_seats, _take_seats, carry=_carried_seats))  # links follow faults
