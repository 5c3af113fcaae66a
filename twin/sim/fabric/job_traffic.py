"""A job on a fabric: what it sends wherever it sits, and what it demands of the links from its present nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from twin.arrays import Bools, Floats, IntP, Ints64
from twin.physics.training_inputs import Profile, TrainingNetwork
from twin.planning.network.placement import Placement, no_better
from twin.planning.network.traffic import Exchange
from twin.plant.routes import Flows
from twin.sim.fabric.route_variants import Some, fault_sets


@dataclass(frozen=True)
class Talk:
    """What a job sends, wherever it sits."""

    fabric: int | None
    exchanges: tuple[Exchange, ...]
    profile: Profile | None
    gpus: int
    gpu_part: str
    node_part: str = ""


@dataclass(frozen=True)
class Under:
    """A job on its nodes under some faults: what it has, and which links carry it, as bits; None: torn apart."""

    network: TrainingNetwork | None
    touched: NDArray[np.uint8] | None


@dataclass
class TrafficSeat:
    """A job on its latest nodes."""

    nodes: list[int]
    placement: Placement
    network: TrainingNetwork  # what it has alone on the fabric
    communicates: float  # share of a step
    step_s: float
    stepping: bool = False
    summed: bool = False  # its demand is in the sums
    slow: Floats | None = None  # by kind, for what others take; None: nobody takes anything
    contention_s: float = 0.0
    before: TrafficSeat | None = (
        None  # where the job sat last, whose loads are known: most of its flows stay as they are
    )

    def __post_init__(self) -> None:
        while self.before is not None and "carried_bytes" not in self.before.__dict__:
            self.before = self.before.before

    @cached_property
    def dlink(self) -> Ints64:
        """Directed links behind the cards that it uses."""
        return self.placement.spread.dlink

    @cached_property
    def peak(self) -> Ints64:
        """Highest demand on each of them [B/s]."""
        return self.placement.spread.peak_bytes_s.astype(np.int64)

    def add_mean(self, total_bytes_s: Floats) -> None:
        """Add the mean rate on every directed link that carries anything, in place [B/s]."""
        dlink, carried_bytes = self.carried_bytes
        total_bytes_s[dlink] += carried_bytes / self.step_s

    @cached_property
    def carried_bytes(self) -> tuple[Ints64, Floats]:
        """Directed links that carry anything, and what a step puts on each [B]."""
        before, now, self.before = self.before, self.placement, None
        if before is None or not _alike(before.placement, now):
            return _used(_carried(now, now.flows))
        old = before.placement.flows
        moved = np.flatnonzero((old.source != now.flows.source) | (old.target != now.flows.target))
        if 2 * len(moved) > len(old.group):
            return _used(_carried(now, now.flows))
        # What is taken off was put on in another order, so a link that is left empty may keep a last digit.
        carried = _carried(now, _instead(old, now.flows, moved))
        dlink, carried_bytes = before.carried_bytes
        carried[dlink] += carried_bytes
        return _used(np.maximum(carried, 0.0, out=carried))


def _used(carried_bytes: Floats) -> tuple[Ints64, Floats]:
    """Return the links that carry anything and how much: of many jobs on one fabric each uses few."""
    used = np.flatnonzero(carried_bytes)
    return used, carried_bytes[used]


def _alike(placement: Placement, other: Placement) -> bool:
    """Return whether the same flows run between other nodes of the same intact or broken fabric."""
    a, b = placement.flows, other.flows
    return (
        placement.router is other.router
        and np.array_equal(placement.step_bytes, other.step_bytes)
        and all(
            np.array_equal(getattr(a, name), getattr(b, name))
            for name in ("group", "source_card", "target_card", "weight")
        )
    )


def _instead(old: Flows, new: Flows, moved: Ints64) -> Flows:
    """Return the flows that moved, where they run now, and with less than no weight where they ran."""
    off, on = old.some(moved), new.some(moved)
    both = replace(off, weight=-off.weight), on
    return Flows(*(np.concatenate([getattr(part, field.name) for part in both]) for field in fields(Flows)))


def _carried(placement: Placement, flows: Flows) -> Floats:
    """Return what some flows of a job put on every directed link in a step [B]."""
    router = placement.router
    carried = router.card_load(flows, flows.weight * placement.step_bytes[flows.group])
    carried += router.carried(flows, placement.step_bytes)
    return carried


def as_met(domain: Ints64) -> IntP:
    """Return the domain of each rank by another number: they count in the order in which ranks meet them."""
    rank = np.arange(len(domain))
    begins = np.empty(int(domain.max()) + 1, np.intp)
    begins[domain[::-1]] = rank[
        ::-1
    ]  # of several ranks the last that is written stands, the first of its domain
    met = begins[domain]
    numbers: IntP = np.cumsum(met == rank)[met] - 1
    return numbers


def crowds(seats: Mapping[int, TrafficSeat], met: Mapping[int, Bools], dlinks: int) -> list[list[int]]:
    """Return the jobs that meet on full links, directly or through others, together.

    `met` says which of the links of each seat are full; there are so many directed links.
    """
    last = np.full(dlinks, -1, np.int64)  # who was seen last on each link
    crowd: dict[int, list[int]] = {}  # jobs of one crowd share one list
    for index, full in met.items():
        links = seats[index].dlink[full]
        together = crowd[index] = [index]
        met_here = np.bincount(last[links] + 1)[1:]
        for other in np.flatnonzero(met_here).tolist():
            if crowd[other] is not together:
                together += (joined := crowd[other])
                crowd.update(dict.fromkeys(joined, together))
        last[links] = index
    return [sorted(jobs) for index, jobs in crowd.items() if index == min(jobs)]


def worst(
    faults: Some, network: TrainingNetwork, under: Callable[[Some], Under], links: int
) -> TrainingNetwork:
    """Return what a job has when no part of the faults may leave it less than all of them do.

    Parameters
    ----------
    network
        What it has under all of them.
    under
        What it has under some.
    links
        How many there are.
    """

    def met(some: Some) -> Bools:
        bits = under(some).touched
        if bits is None:  # torn apart: more faults do not repair it
            return np.zeros(links, np.bool_)
        return np.unpackbits(bits, count=links).astype(np.bool_)

    for some in fault_sets(faults, met):
        less = under(some).network
        network = network if less is None else no_better(network, less)
    return network
