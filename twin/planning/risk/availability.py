"""How available power and cooling of a hall are, and what that means for a job, by minimal cut sets with repair.

Machines fail at the rates of the catalogue and are repaired one by one; the method is in the help (availability.md).
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from twin.arrays import Ints64
from twin.catalog import Catalog
from twin.language import tr
from twin.physics import availability
from twin.physics.availability import COMMON_CAUSE, OutageRate
from twin.planning.risk.availability_figures import (
    HOUR_S,
    YEAR_S,
    Contributor,
    Exposure,
    HallAvailability,
    JobAvailability,
    SystemAvailability,
)
from twin.plant.cut_sets import (
    COMMON_GRID,
    COMMON_START,
    ORDER,
    CutSet,
    CutsOfRacks,
    cuts_of,
    minimal,
    network_cuts,
)
from twin.plant.facility_machines import (
    BOTH_GRIDS,
    LEAF,
    RUNS,
    STARTS,
    FacilityMachine,
    facility_machines,
    rate_per_s,
    target_of,
    without_rate,
)
from twin.plant.tables import Plant
from twin.scenario.schema.faults import Failures

WORST = 8
"""Contributors that are told."""
SPREAD = 5.0
"""Variance over mean of the number of nodes in repair [-] [estimated: failures of fleets come together]."""

WORDS = {
    "utility": tr("outage of the utility"),
    "utility_dip": tr("dip of the utility"),
    STARTS: tr("generator does not start"),
    "ups_module": tr("UPS module"),
    "static_switch": tr("static switch"),
    "ats": tr("transfer switch"),
    "breaker": tr("breaker opens"),
    "transformer": tr("transformer"),
    "pdu": tr("PDU"),
    "chiller": tr("chiller"),
    "pump": tr("pump"),
    "cdu": tr("CDU"),
    "crah": tr("air handler"),
    LEAF: tr("leaf switch"),
}
"""Machines by their entry of the catalogue, for people."""
FILL = (1.0, math.inf, False)
"""A member that is always down and never begins or ends anything."""
ALL_GRIDS, NO_START = "outage of all utilities", "no generator starts (common cause)"


@dataclass
class _Event:
    """Members that take GPUs when they are down together, and what that comes to; times are shares of the time."""

    cut: CutSet
    frequency: float = 0.0
    down: float = 0.0
    gpu_time: float = 0.0
    gpus: int = 0
    nodes: int = 0
    groups: set[int] = field(default_factory=set)
    system: str = "site"


class SiteReliability:
    """Cut sets of a hall with their figures.

    Parameters
    ----------
    plant, catalog
        As built, and its parts.
    failures
        Of the scene: where it has causes of its own on switches, those of the catalogue are not counted.
    beta
        Share of the failures of alike redundant machines that take all of them.
    at_once
        False: whoever asks exhausts `steps` first.
    """

    def __init__(
        self,
        plant: Plant,
        catalog: Catalog,
        failures: Failures | None = None,
        beta: float = COMMON_CAUSE,
        *,
        at_once: bool = True,
    ) -> None:
        self.plant, self.beta, self._catalog = plant, beta, catalog
        self.rates = catalog.machine_failures
        self.machines = facility_machines(plant, catalog, switches=not (failures and failures.of_switches))
        self.groups: list[CutsOfRacks] = []
        self._site: list[list[CutSet]] = []
        self._known: dict[CutSet, tuple[float, float]] = {}
        alike = {(machine.rate, machine.machines, machine.needed): machine for machine in self.machines}
        figures = {key: self._member(machine) for key, machine in alike.items()}
        self._alone = [figures[machine.rate, machine.machines, machine.needed] for machine in self.machines]
        if at_once:
            for _ in self.steps():
                pass

    def steps(self) -> Iterator[None]:
        """Work out the cut sets and their figures, those of racks with the same feeds and loops in each step."""
        for group in cuts_of(self.plant, self._catalog, self.machines):
            self.groups.append(group)
            self._site.append(minimal([*group.power, *group.cooling]))
            self.outages([*group.power, *group.cooling])
            yield

    # --- members of sets: unavailability, mean time down, whether it can be the last to fail

    def _rate_s(self, machine: FacilityMachine) -> float:
        return rate_per_s(machine, self.machines, self.rates)

    def _member(self, machine: FacilityMachine) -> tuple[float, float, bool]:
        repair_s = self.rates[machine.rate].repair_s
        if machine.rate in (STARTS, RUNS):
            chance = availability.fails_to_start(self._not_running, machine.machines, machine.needed)
            return chance, repair_s, False
        rate_s = self._rate_s(machine)
        group = availability.k_of_n(rate_s, repair_s, machine.machines, machine.needed)
        if machine.machines > machine.needed:
            group = availability.with_common_cause(group, rate_s, repair_s, self.beta)
        return float(group.unavailability), float(group.mean) or repair_s, True

    @property
    def _not_running(self) -> float:
        """Return the chance that an engine does not start, or fails before the grid is back [-]."""
        running_s = self.rates["utility"].repair_s
        return (self.rates[STARTS].fails_to_start or 0.0) + ((self.rates[RUNS].rate_per_s or 0.0) * running_s)

    def _of(self, member: int) -> tuple[float, float, bool]:
        if member == COMMON_START:
            return self.beta * self._not_running, self.rates[STARTS].repair_s, False
        if member == COMMON_GRID:
            both = self.rates[BOTH_GRIDS]
            found = availability.machine((both.rate_per_s or 0.0), both.repair_s)
            return float(found.unavailability), both.repair_s, True
        return self._alone[member]

    def _row(self, cut: CutSet) -> list[tuple[float, float, bool]]:
        """Return the members of a set, and which of them can be the last to fail."""
        if cut.last is None:
            return [self._of(member) for member in cut.members]
        return [(*self._of(member)[:2], self._of(member)[2] and member in cut.last) for member in cut.members]

    def _common(self, cut: CutSet) -> list[tuple[float, float, bool]] | None:
        """Return the common cause that takes two alike machines of a set, as a member; None where there is none."""
        if len(cut.members) != 2 or min(cut.members) < 0 or not self.beta:
            return None
        first, second = (self.machines[member] for member in cut.members)
        if first.rate != second.rate or first.rate in (STARTS, "utility"):
            return None
        repair_s = self.rates[first.rate].repair_s
        found = availability.machine(self.beta * self._rate_s(first), repair_s)
        return [(float(found.unavailability), repair_s, True)]

    # --- sets

    def outages(self, cuts: Sequence[CutSet]) -> OutageRate:
        """Return the outages by each of some sets, shape (cuts,) [1/s] and [s]."""
        new = [cut for cut in dict.fromkeys(cuts) if cut not in self._known]
        if new:
            self._known.update(zip(new, self._worked_out(new), strict=True))
        both = np.array([self._known[cut] for cut in cuts], np.float64).reshape(-1, 2)
        return OutageRate(both[:, 0], both[:, 1])

    def _worked_out(self, cuts: Sequence[CutSet]) -> list[tuple[float, float]]:
        """Return frequency and mean duration of each set."""
        count = len(cuts)
        common = [(place, row) for place, cut in enumerate(cuts) if (row := self._common(cut)) is not None]
        every = [*(self._row(cut) for cut in cuts), *(row for _, row in common)]
        table = np.array([[*row, *[FILL] * (ORDER - len(row))] for row in every], np.float64)
        of_row = [*range(count), *(place for place, _ in common)]
        ride_s = np.array([cuts[place].ride_s for place in of_row])
        ends_s = np.array([cuts[place].ends_s for place in of_row])
        found = availability.cut_sets(table[..., 0], table[..., 1], table[..., 2] > 0, ride_s, ends_s)
        frequency = np.bincount(of_row, found.frequency, count)
        down = np.bincount(of_row, found.unavailability, count)
        mean = np.divide(down, frequency, out=np.zeros(count), where=frequency > 0)
        return list(zip(frequency.tolist(), mean.tolist(), strict=True))

    def system(self, name: str) -> SystemAvailability:
        """Return how available ``power``, ``cooling``, ``network`` or the ``site`` is."""
        if name == "network":
            return self._network()
        sets = self._site if name == "site" else [getattr(group, name) for group in self.groups]
        gpus = self._gpus()
        each = [availability.series(*self.outages(cuts)) if cuts else None for cuts in sets]
        lost = sum(
            count * float(found.unavailability)
            for count, found in zip(gpus, each, strict=True)
            if found is not None
        )
        whole = minimal(cut for cuts in sets for cut in cuts)
        any_ = availability.series(*self.outages(whole))
        down = float(any_.unavailability)
        return SystemAvailability(
            name,
            1.0 - down,
            float(any_.frequency) * YEAR_S,
            down * YEAR_S / HOUR_S,
            1.0 - lost / max(1, sum(gpus)),
        )

    def _network(self) -> SystemAvailability:
        events = [event for event in self._events if event.system == "network"]
        total = availability.series([e.frequency for e in events], [e.down / e.frequency for e in events])
        down = float(total.unavailability) if events else 0.0
        gpus = max(1, int(self.plant.nodes.gpu_count[self.plant.nodes.present].sum()))
        return SystemAvailability(
            "network",
            1.0 - down,
            float(total.frequency) * YEAR_S if events else 0.0,
            down * YEAR_S / HOUR_S,
            1.0 - sum(event.gpu_time for event in events) / gpus,
        )

    def _gpus(self) -> list[int]:
        nodes = self.plant.nodes
        of_rack = np.bincount(
            nodes.rack[nodes.present], nodes.gpu_count[nodes.present], len(self.plant.racks.ids)
        )
        return [int(of_rack[group.racks].sum()) for group in self.groups]

    @cached_property
    def _nodes(self) -> Ints64:
        nodes = self.plant.nodes
        return np.bincount(nodes.rack[nodes.present], minlength=len(self.plant.racks.ids))

    @cached_property
    def _events(self) -> list[_Event]:
        """Return what takes power or cooling of some GPUs: one entry for the same members, however it is felt."""
        felt: dict[CutSet, list[int]] = {}
        gpus, nodes = self._gpus(), [int(self._nodes[group.racks].sum()) for group in self.groups]
        for place, cuts in enumerate(self._site):
            for cut in cuts:
                felt.setdefault(cut, []).append(place)
        found = self.outages(list(felt))
        events: dict[frozenset[int], _Event] = {}
        for cut, often, mean in zip(felt, found.frequency.tolist(), found.mean.tolist(), strict=True):
            event = events.setdefault(cut.members, _Event(cut))
            event.gpu_time += often * mean * sum(gpus[place] for place in felt[cut])
            event.down = max(event.down, often * mean)
            event.frequency = max(event.frequency, often)
            event.groups.update(felt[cut])
        for event in events.values():
            event.gpus = sum(gpus[place] for place in event.groups)
            event.nodes = sum(nodes[place] for place in event.groups)
        return [*events.values(), *self._of_leaves()]

    def _of_leaves(self) -> list[_Event]:
        """Return what takes nodes off their network."""
        cuts = network_cuts(self.plant, self.machines)
        found, events = self.outages(list(cuts)), []
        for (cut, nodes), often, mean in zip(
            cuts.items(), found.frequency.tolist(), found.mean.tolist(), strict=True
        ):
            gpus = int(self.plant.nodes.gpu_count[nodes].sum())
            down = often * mean
            if often > 0:
                events.append(_Event(cut, often, down, down * gpus, gpus, len(nodes), system="network"))
        return events

    def worst(self) -> tuple[Contributor, ...]:
        """Return what costs most GPU-hours a year, alike cases together, worst first."""
        alike: dict[tuple[str, ...], list[_Event]] = {}
        for event in self._events:
            alike.setdefault(self._sort(event.cut), []).append(event)
        ranked = sorted(alike.values(), key=lambda events: -sum(event.gpu_time for event in events))
        return tuple(self._contributor(events) for events in ranked[:WORST] if events[0].frequency > 0)

    def _contributor(self, events: list[_Event]) -> Contributor:
        members = sorted({member for event in events for member in event.cut.members})
        return Contributor(
            self._words(events[0].cut, len(events)),
            tuple(dict.fromkeys(self._ids(members))),
            sum(event.frequency for event in events) * YEAR_S,
            sum(event.down for event in events) * YEAR_S / HOUR_S,
            round(sum(event.gpus for event in events) / len(events)),
            sum(event.gpu_time for event in events) * YEAR_S / HOUR_S,
        )

    def job(self, exposure: Exposure, systems: Sequence[str] = ("site", "network")) -> JobAvailability:
        """Return what outages of the site and the network, and repairs of nodes, leave to a job."""
        events = [event for event in self._events if event.system in systems]
        often = np.array([event.frequency for event in events])
        down = np.array([event.down for event in events])
        hit = availability.touched(
            int(self._nodes.sum()), np.array([event.nodes for event in events], np.int64), exposure.nodes
        )
        pool = exposure.nodes + exposure.spares
        enough = None
        if exposure.mean_down > 0:
            enough = availability.in_service(pool, exposure.mean_down, exposure.nodes, SPREAD)
        return JobAvailability(
            exposure.job,
            exposure.nodes,
            pool,
            float(often @ hit) * YEAR_S,
            float((down + often * exposure.after_s) @ hit) * YEAR_S / HOUR_S,
            enough,
        )

    def hall(
        self, job: Exposure | None = None, *, in_runs: bool = False
    ) -> Generator[None, None, HallAvailability]:
        """Return the availability of the hall and what it leaves to a job, system by system."""
        plant = self.plant
        there = {
            "power": bool(plant.power.present.any()),
            "cooling": bool(plant.loops.present.any()),
            "network": any(machine.rate == LEAF for machine in self.machines),
        }
        there["site"] = there["power"] and there["cooling"]
        systems = []
        for name, known in there.items():
            if known:
                systems.append(self.system(name))
                yield
        worst = self.worst()
        yield
        return HallAvailability(
            tuple(systems),
            worst,
            tuple(without_rate(plant)),
            None if job is None else self.job(job),
            in_runs,
        )

    # --- words

    def _sort(self, cut: CutSet) -> tuple[str, ...]:
        return tuple(sorted(str(member) if member < 0 else self._sorts[member] for member in cut.members))

    @cached_property
    def _sorts(self) -> list[str]:
        """Return by machine what it has in common with those that are told as one case."""
        ids = (target_of(self.plant, machine).rpartition("/")[0] for machine in self.machines)
        return [
            f"{machine.rate} {stem or machine.slot}" for machine, stem in zip(self.machines, ids, strict=True)
        ]

    def _ids(self, members: Iterable[int]) -> list[str]:
        common = {COMMON_START: STARTS, COMMON_GRID: "utility"}
        found = []
        for member in members:
            wanted = common.get(member)
            machine = next(m for m in self.machines if m.rate == wanted) if wanted else self.machines[member]
            found.append(target_of(self.plant, machine))
        return found

    def _words(self, cut: CutSet, cases: int) -> str:
        texts = []
        for member in sorted(cut.members, reverse=True):
            if member < 0:
                texts.append(ALL_GRIDS if member == COMMON_GRID else NO_START)
                continue
            machine, (name,) = self.machines[member], self._ids([member])
            words = WORDS[machine.rate]
            if machine.machines > 1:
                words = f"{machine.machines - machine.needed + 1} of {machine.machines} {_several(words)}"
            texts.append(f"{words} ({name})")
        more = tr("; {cases} such cases", cases=cases) if cases > 1 else ""
        return " and ".join(texts[::-1]) + more


def _several(words: str) -> str:
    return {WORDS[STARTS]: tr("generators do not start"), "PDU": "PDUs", "CDU": "CDUs"}.get(
        words, f"{words}s"
    )
