"""Candidates for a need, screened by closed forms: no scene is built.

A workload without failures takes T0; with them T = T0 / (ETTR A_pool), of which ETTR is the exact renewal form and
A_pool the share of the time in which as many nodes work as it asks for (negative binomial, variance five times the
mean). What is promised is the mean and two standard deviations, sigma = sqrt(N r T) (R + tau / 2). Hall interruptions
each cost their outage, R and tau / 2 of all GPUs.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from twin.arrays import Floats
from twin.catalog import Catalog
from twin.commands.room.room_design import STORE_PART, sized_fabric
from twin.commands.room.room_plan import RoomError, RoomRequest
from twin.designs.design import Alternative, Design, DesignRanges, Promise, range_of
from twin.designs.design_bill import DesignBill, area_m2, hot_day_factor, nodes_of, use_of_load, year_factor
from twin.designs.hall_part import HallPart, hall_parts, with_targets
from twin.designs.isolation import isolated_nodes, isolated_size, leaf_ports
from twin.designs.need import VisionWork
from twin.designs.need_file import NeedFile
from twin.designs.site_outages import SiteOutages, site_outages
from twin.designs.work_table import WorkStep, WorkTable, stage_of, work_time_s
from twin.economics.bill import Bill
from twin.economics.capital import capital_of
from twin.economics.carbon import carbon_of
from twin.economics.cash_flow import Plan
from twin.economics.operation import operation_of
from twin.economics.price_book import PriceBook, PriceRange
from twin.economics.prices import Prices, likely_prices
from twin.language import tr
from twin.physics.availability import in_service
from twin.physics.checkpoint import daly_interval_s, renewal_ettr
from twin.planning.risk.availability import SPREAD
from twin.scenario.checks.fabric_size import Size, cards_of
from twin.scenario.schema.site import Climate, RedundancyLevel
from twin.scenario.schema.work import Recovery

LEVELS: tuple[RedundancyLevel, ...] = ("N", "N+1", "2N")
CABLINGS = ("rail-optimised", "leaf-spine")
OVERSUBSCRIPTIONS = (1.0, 2.0)
SPARE_SIGMAS = (0.0, 1.5, 3.0)
"""Spare nodes beside the mean number in repair, in standard deviations of it."""
INTERVALS = (0.5, 1.0, 2.0)
"""Checkpoint intervals over Daly's."""
STORES = (0.4, 0.7, 1.0)
"""Boxes of storage over those with which nobody waits for input."""
PAUSE_S = 10.0
"""That a checkpoint holds training up [s] [est]."""
SEED = 1
LARGE_W = 5e6
"""Power of a site from which it has a power transformer of its own."""
Progress = Callable[[float, float], None]
"""Takes how much is done, and of how much."""
Draw = Callable[[Iterable[PriceRange]], Prices]
"""Gives prices their values."""


def unwatched(_done: float, _of: float) -> None:
    """Take note of nothing."""


@dataclass(frozen=True)
class Screened:
    """All candidates of a need with their figures.

    Attributes
    ----------
    designs
        In the order they were drawn.
    possible
        How many candidates there were to draw from.
    reasons
        What no candidate could be made of, and why.
    """

    designs: tuple[Design, ...]
    possible: int
    reasons: tuple[str, ...]


class _Money(NamedTuple):
    """Of a design, in samples of the prices: capital, cost of a year, carbon of a year [USD], [USD/year], [kg]."""

    capital_usd: Floats
    yearly_usd: Floats
    carbon_kg: Floats


class Screening:
    """Screening of one need.

    Parameters
    ----------
    file
        The need.
    catalog
        Parts, prices, rates.
    """

    def __init__(self, file: NeedFile, catalog: Catalog) -> None:
        self.file, self.need, self.catalog = file, file.need, catalog
        self.parts = hall_parts(catalog, self.need.gpus)
        self.table, self.bills = (
            WorkTable(file, catalog),
            DesignBill(catalog, hot_day_factor(Climate(place=file.need.climate))),
        )
        book = PriceBook(catalog)
        self._prices = [book.whole(part.id) for part in catalog.prices]
        self._book = book
        self._recovery = Recovery()
        self._year_factor = year_factor(file.need.climate)
        self._fabrics: dict[tuple[object, ...], tuple[dict[str, object], Size] | RoomError | None] = {}
        self.reasons: dict[str, None] = {}

    # --- what there is to choose from

    def choices(self) -> list[Alternative]:
        """Return all candidates, those of few GPUs first."""
        found = []
        levels = LEVELS[LEVELS.index(self.need.redundancy) :]
        works = bool(self.need.workloads)
        for part, gpus in sorted(self._sizes(), key=lambda size: (size[1], size[0].part)):
            single = gpus <= part.node.n_gpu
            rows = product(
                CABLINGS[:1] if single else CABLINGS,
                OVERSUBSCRIPTIONS[:1] if single else OVERSUBSCRIPTIONS,
                STORES if self._reads else STORES[-1:],
                levels,
                SPARE_SIGMAS if works else SPARE_SIGMAS[:1],
                INTERVALS if works else INTERVALS[1:2],
            )
            found += [Alternative(part, gpus, *row) for row in rows]
        return found

    @property
    def _reads(self) -> bool:
        """Return whether any workload reads so much that stores are counted by it: tokens are next to nothing."""
        return any(isinstance(work, VisionWork) for work in self.need.workloads)

    def _sizes(self) -> Iterator[tuple[HallPart, int]]:
        stages = tuple(stage.gpus for stage in self.need.stages)
        if not self.parts:
            self.reasons[
                tr("no part of the catalogue has such GPUs, a profile for step times and a price")
            ] = None
        for part in self.parts:
            each = part.node.n_gpu
            if stages:
                yield part, each * math.ceil(stages[-1] / each)
                continue
            counts = self.table.counts(part)
            if not counts:
                self.reasons[
                    tr("{part}: no number of GPUs fits the model and its deadline", part=part.part)
                ] = None
            for gpus in counts:
                yield part, gpus

    def screen(self, candidates: int, progress: Progress = unwatched) -> Screened:
        """Return the figures of so many candidates, drawn evenly over parts and numbers of GPUs.

        All that have a workload which does not fit are left out, and told. `progress` hears how many are done, of how
        many.
        """
        groups: dict[tuple[str, int], list[Alternative]] = {}
        every = self.choices()
        for choice in every:
            groups.setdefault((choice.part.part, choice.gpus), []).append(choice)
        draw = random.Random(SEED)
        for group in groups.values():
            draw.shuffle(group)
        taken: list[Alternative] = []
        depth = 0
        while len(taken) < min(candidates, len(every)):
            row = [group[depth] for group in groups.values() if depth < len(group)]
            left = candidates - len(taken)
            taken += row[:left] if depth else evenly(row, left)
            depth += 1
        designs = []
        for done, choice in enumerate(taken):
            progress(done, len(taken))
            design = self.figures(choice)
            if design is not None:
                designs.append(design)
        return Screened(tuple(designs), len(every), tuple(self.reasons))

    # --- figures of one candidate

    def figures(self, choice: Alternative) -> Design | None:
        """Return a candidate with all its figures; None where a workload does not fit, or no hall can be built."""
        need, part = self.need, choice.part
        steps: list[WorkStep] = []
        stages = tuple(part.node.n_gpu * math.ceil(stage.gpus / part.node.n_gpu) for stage in need.stages)
        stages = stages or (choice.gpus,)
        for place, work in enumerate(need.workloads):
            gpus = stage_of(work, stages)
            step = self.table.step(place, part, gpus, choice.oversubscription)
            if step is None:
                self.reasons[
                    tr(
                        "{gpus:,} x {part}: {model} cannot be cut or does not fit in memory",
                        gpus=gpus,
                        part=part.gpu,
                        model=_name(work),
                    )
                ] = None
                return None
            steps.append(step)
        asked = math.ceil(choice.gpus / part.node.n_gpu)
        nodes = isolated_nodes(need, asked, min(part.stack.nodes, asked))
        in_repair = nodes * part.rate_s * part.repair_s
        spares = (
            math.ceil(in_repair + choice.spare_sigmas * math.sqrt(SPREAD * in_repair))
            if need.workloads
            else 0
        )
        boxes = self._boxes(choice, steps)
        try:
            room = with_targets(
                part.room(nodes + spares), choice.level, choice.cabling, choice.oversubscription, boxes
            )
            fabric = self._fabric(part, room)
        except RoomError as wrong:
            self.reasons[f"{part.part}: {wrong}"] = None
            return None
        shared = fabric[1] if fabric is not None else None
        size = self._isolated(choice, room, shared)
        design = self._with_money(choice, steps, stages, room, size, nodes)
        return replace(
            design, isolation_nodes=nodes - asked, isolation_ports=leaf_ports(size) - leaf_ports(shared)
        )

    def _fabric(self, part: HallPart, room: RoomRequest) -> tuple[dict[str, object], Size] | None:
        key = part.part, room.nodes, room.rows, room.racks, room.cabling, room.oversubscription
        if key not in self._fabrics:
            try:
                self._fabrics[key] = sized_fabric(room, replace(part.stack, nodes=room.nodes), self.catalog)
            except RoomError as wrong:
                self._fabrics[key] = wrong
        found = self._fabrics[key]
        if isinstance(found, RoomError):
            raise found
        return found

    def _isolated(self, choice: Alternative, room: RoomRequest, size: Size | None) -> Size | None:
        """Return the size of a network with the leaves that tenants have for themselves."""
        if size is None:
            return None
        cards = cards_of(choice.part.node, self.catalog)[0]
        return isolated_size(self.need, size, nodes_of(choice.part, room), cards, choice.cabling)

    def _boxes(self, choice: Alternative, steps: list[WorkStep]) -> int:
        """Return the boxes of storage: for size, for input, and for a checkpoint within its interval."""
        store, data = self.catalog.storage(STORE_PART), self.need.dataset
        size = self.need.data_bytes + sum(3.0 * step.checkpoint_bytes for step in steps)
        least = size / (store.capacity_bytes or math.inf)
        read = max([data.read_bytes_s if data else 0.0, *(step.input_bytes / step.step_s for step in steps)])
        written = max((step.checkpoint_bytes / 120.0 for step in steps), default=0.0)
        boxes = max(least, choice.store * read / store.read_bytes_s, written / store.write_bytes_s)
        if data and data.read_bytes_s:
            boxes = max(boxes, data.read_bytes_s / store.read_bytes_s)
        return math.ceil(boxes)

    def _with_money(
        self,
        choice: Alternative,
        steps: list[WorkStep],
        stages: tuple[int, ...],
        room: RoomRequest,
        size: Size | None,
        nodes: int,
    ) -> Design:
        need, part = self.need, choice.part
        bill = self.bills.bill(part, room, size)
        outages = self._outages(choice.level, part.cooling == "liquid", round(bill.it_w, -5))
        promises = []
        read = room.storage * self.catalog.storage(STORE_PART).read_bytes_s
        enough = 1.0
        for work, step in zip(need.workloads, steps, strict=True):
            used = math.ceil(stage_of(work, stages) / part.node.n_gpu)
            spares = nodes_of(part, room) - nodes
            promise = self._promise(choice, step, used, spares, read, outages)
            enough = min(enough, promise.in_service)
            promises.append(promise)
        load = self._load(steps, stages, part, nodes)
        money = self._money(part, bill, load)
        return Design(
            choice=choice,
            room=room,
            nodes=nodes,
            spares=nodes_of(part, room) - nodes,
            stages=stages,
            steps=tuple(steps),
            promises=tuple(promises),
            capital_usd=float(money.capital_usd[0]),
            yearly_usd=float(money.yearly_usd[0]),
            carbon_kg=float(money.carbon_kg[0]),
            site_w=bill.grid_w,
            area_m2=area_m2(part, room, size),
            site_available=outages.available,
            load=load,
            interruptions=outages.per_year,
            in_service=enough,
            ready_s=self._ready_s(bill.grid_w),
        ).with_limits(need)

    def with_ranges(self, design: Design, draw: Draw) -> Design:
        """Return a design with what its cost and carbon come to at drawn prices."""
        choice, part, room = design.choice, design.choice.part, design.room
        fabric = self._fabric(part, room)
        size = self._isolated(choice, room, fabric[1] if fabric is not None else None)
        bill = self.bills.bill(part, room, size)
        money = self._money(choice.part, bill, design.load, draw)
        return replace(
            design,
            ranges=DesignRanges(
                *(range_of(drawn) for drawn in (money.capital_usd, money.yearly_usd, money.carbon_kg))
            ),
        )

    def _load(self, steps: Sequence[WorkStep], stages: tuple[int, ...], part: HallPart, nodes: int) -> float:
        """Return the mean power of the nodes over their design load, of the workload that draws most [-]."""
        drawn_w = [
            step.node_w * math.ceil(stage_of(work, stages) / part.node.n_gpu)
            for work, step in zip(self.need.workloads, steps, strict=True)
        ]
        return min(1.0, max(drawn_w) / (part.design_w * nodes)) if drawn_w else Plan().load

    def _money(self, part: HallPart, bill: Bill, load: float, draw: Draw = likely_prices) -> _Money:
        need = self.need
        use = use_of_load(bill.it_w, load, self._year_factor, need.price_usd_j, need.carbon_kg_j)
        prices = draw([*(self._book.own(entry) for entry in bill.counts()), *self._prices])
        capital = capital_of(bill, prices)
        operation = operation_of(bill, capital, use, Plan().ratchet)
        return _Money(
            capital.total_usd,
            capital.yearly_usd + operation.total_usd,
            carbon_of(bill, use, prices, self.catalog).total_kg,
        )

    def _promise(
        self,
        choice: Alternative,
        step: WorkStep,
        nodes: int,
        spares: int,
        read_bytes_s: float,
        outages: SiteOutages,
    ) -> Promise:
        """Return how long a workload takes with failures."""
        part, recovery = choice.part, self._recovery
        rate = nodes * part.rate_s
        interval = choice.interval * daly_interval_s(PAUSE_S, 1.0 / rate if rate else math.inf)
        load_s = step.checkpoint_bytes / read_bytes_s if read_bytes_s else 0.0
        restart = (
            recovery.detect_s
            + recovery.swap_s
            + recovery.container_s
            + recovery.init_s
            + recovery.warmup_s
            + load_s
        )
        ettr = float(renewal_ettr(interval, PAUSE_S, restart, rate))
        available = self._pool(nodes + spares, (nodes + spares) * part.rate_s * part.repair_s, nodes)
        each = outages.mean_s + restart + interval / 2.0
        up = max(0.0, 1.0 - outages.frequency_s * each)
        ideal = work_time_s(step, read_bytes_s) if read_bytes_s or not step.input_bytes else math.inf
        share = ettr * available * up
        mean = ideal / share if share > 0.0 else math.inf
        spread = math.sqrt(rate * mean) * (restart + interval / 2.0)
        return Promise(ideal, mean, spread, interval, restart, ettr, available, step.slowed_s(read_bytes_s))

    @lru_cache(maxsize=4096)  # noqa: B019 - as long as the screening
    def _pool(self, nodes: int, mean_down: float, needed: int) -> float:
        return in_service(nodes, mean_down, needed, SPREAD)

    @lru_cache(maxsize=4096)  # noqa: B019 - as long as the screening
    def _outages(self, level: RedundancyLevel, liquid: bool, load_w: float) -> SiteOutages:
        return site_outages(self.catalog, level, max(load_w, 1e5), liquid)

    def _ready_s(self, site_w: float) -> float:
        lead = self.need.lead
        times = [lead.gpus_s, lead.switches_s, lead.chiller_s, lead.switchgear_s, lead.generator_s]
        return max([*times, lead.transformer_s] if site_w > LARGE_W else times)


def evenly(row: list[Alternative], most: int) -> list[Alternative]:
    """Return at most so many of a row, from all of its length."""
    count = min(most, len(row))
    return [row[(2 * place + 1) * len(row) // (2 * count)] for place in range(count)]


def _name(work: object) -> str:
    return str(getattr(work, "model", None) or tr("the model"))


def screened(file: NeedFile, catalog: Catalog, candidates: int) -> Screened:
    """Return the candidates of a need with their figures."""
    return Screening(file, catalog).screen(candidates)
