"""A hall that is not drawn: what some nodes of a part come to in power, floor, money, outages, by closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from twin.catalog import Catalog
from twin.commands.room.room_design import sized_fabric
from twin.commands.room.room_plan import RoomError, RoomRequest
from twin.designs.design_bill import DesignBill, area_m2, hot_day_factor, nodes_of, use_of_load, year_factor
from twin.designs.hall_part import HallPart, hall_parts, with_targets
from twin.designs.site_outages import SiteOutages, site_outages
from twin.economics.bill import Bill
from twin.economics.books import Statement, statement_of
from twin.economics.cash_flow import Plan
from twin.economics.price_book import PriceBook
from twin.economics.price_draws import SAMPLES, SEED
from twin.economics.prices import drawn_prices
from twin.language import tr
from twin.questions.question import QuestionError, Setting
from twin.scenario.checks.fabric_size import Size
from twin.scenario.schema.prices import ScenePrice
from twin.scenario.schema.site import Climate, RedundancyLevel

LEVELS: tuple[RedundancyLevel, ...] = ("N", "N+1", "2N")
USUAL_PART = "DGX-H100"
PRICE_USD_J, CARBON_KG_J, CLIMATE = 0.08 / 3.6e6, 0.4 / 3.6e6, "frankfurt"
"""Of energy, where no scene says it."""
WIDTH = 0.4
"""Width of an estimate on either side of what it adds [-]."""


@dataclass(frozen=True)
class HallEstimate:
    """A hall.

    Parameters
    ----------
    part, room, size
        What it is filled with, its rows, its switches; None: there are none.
    bill
        Of the whole site.
    """

    part: HallPart
    room: RoomRequest
    size: Size | None
    bill: Bill

    @property
    def nodes(self) -> int:
        """Return its nodes."""
        return nodes_of(self.part, self.room)

    @property
    def gpus(self) -> int:
        """Return its GPUs."""
        return self.nodes * self.part.node.n_gpu

    @property
    def racks(self) -> int:
        """Return its racks of nodes."""
        return self.room.rows * self.room.racks

    @property
    def area_m2(self) -> float:
        """Return its floor, with what stands around the rows [m2]."""
        return area_m2(self.part, self.room, self.size)

    @property
    def site_w(self) -> float:
        """Return the power of the site on a hot day [W]."""
        return self.bill.grid_w


class HallEstimates:
    """Halls of one setting.

    Parameters
    ----------
    setting
        With the catalogue; the scene's own prices, and what its energy costs.
    """

    def __init__(self, setting: Setting) -> None:
        self._catalog = setting.catalog
        scenario = setting.scene.scenario if setting.scene is not None else None
        own: Mapping[str, ScenePrice] = scenario.prices if scenario is not None else {}
        climate = scenario.site.climate if scenario is not None else Climate(place=CLIMATE)
        self.site_factor = hot_day_factor(climate)
        self._bills = DesignBill(setting.catalog, self.site_factor)
        self._book = PriceBook(setting.catalog, own)

    def hall(
        self, part: HallPart, nodes: int, power: RedundancyLevel, cooling: RedundancyLevel
    ) -> HallEstimate:
        """Return a hall of at least some nodes, in rows of equal length; raises `QuestionError` where none is."""
        try:
            return self.of_room(part, part.room(nodes), power, cooling)
        except RoomError as wrong:
            raise QuestionError(f"{part.part}: {wrong}; ask for fewer GPUs", "gpus") from None

    def of_room(
        self, part: HallPart, plan: RoomRequest, power: RedundancyLevel, cooling: RedundancyLevel
    ) -> HallEstimate:
        """Return the hall of a room; raises `RoomError` where no switches serve it."""
        room = replace(with_targets(plan, power, "rail-optimised", 1.0, 0), cooling=cooling)
        found = sized_fabric(room, replace(part.stack, nodes=room.nodes), self._catalog)
        size = found[1] if found is not None else None
        return HallEstimate(part, room, size, self._bills.bill(part, room, size))

    def statement(self, hall: HallEstimate, load: float = Plan().load) -> Statement:
        """Return what a hall costs in samples of the prices, the same samples for all halls."""
        use = use_of_load(hall.bill.it_w, load, year_factor(CLIMATE), PRICE_USD_J, CARBON_KG_J)
        entries = dict.fromkeys([*hall.bill.counts(), *(part.id for part in self._catalog.prices)])
        prices = [self._book.own(entry) for entry in entries]
        return statement_of(hall.bill, use, Plan(), drawn_prices(prices, SAMPLES, SEED), None, self._catalog)

    def outages(self, hall: HallEstimate, power: RedundancyLevel, cooling: RedundancyLevel) -> SiteOutages:
        """Return how often the site of a hall loses power or cooling."""
        return site_outages(
            self._catalog, power, hall.bill.it_w, hall.part.cooling == "liquid", cooling=cooling
        )


@lru_cache(maxsize=2)
def known_parts(catalog: Catalog) -> dict[str, HallPart]:
    """Return the parts that halls are made of, by name."""
    return {part.part: part for part in hall_parts(catalog, ("",))}


def part_choices(setting: Setting) -> tuple[str, ...]:
    """Return the names of the parts that a hall may be made of."""
    return tuple(known_parts(setting.catalog))


def part_of_scene(setting: Setting) -> str:
    """Return the part that most GPUs of the scene are in, where a hall can be made of it."""
    scene = setting.scene
    if scene is not None and scene.plant.node_parts:
        plant = scene.plant
        gpus = np.bincount(
            plant.nodes.part, plant.nodes.gpu_count * plant.nodes.present, len(plant.node_parts)
        )
        for place in np.argsort(-gpus, kind="stable").tolist():
            for name, part in known_parts(setting.catalog).items():
                if gpus[place] and plant.node_parts[place] in (name, part.node.id):
                    return name
    return USUAL_PART


def scene_gpus(setting: Setting, otherwise: int) -> str:
    """Return the GPUs of the scene as people write them; without a scene another number."""
    scene = setting.scene
    found = int(scene.plant.gpus.present.sum()) if scene is not None else 0
    return f"{found or otherwise}"


def hall_gpus(setting: Setting, otherwise: int) -> str:
    """Return the GPUs of the hall of the scene that has most, as people write them; without a scene another number."""
    counts = _gpus_by_hall(setting)
    return f"{int(counts.max(initial=0)) or otherwise}"


def hall_words(setting: Setting) -> tuple[str, ...]:
    """Return that an answer is of one of several halls with GPUs, in a sentence; nothing where there is one."""
    halls = int((_gpus_by_hall(setting) > 0).sum())
    return (tr("By default of one hall of {halls}, that with most GPUs.", halls=halls),) if halls > 1 else ()


def _gpus_by_hall(setting: Setting) -> NDArray[np.intp]:
    """Return the GPUs of each hall of the scene, shape (halls,); empty without a scene."""
    if setting.scene is None:
        return np.zeros(0, np.intp)
    nodes, racks = setting.scene.plant.nodes, setting.scene.plant.racks
    hall = racks.hall[nodes.rack[nodes.present]]
    return np.bincount(hall, nodes.gpu_count[nodes.present]).astype(np.intp)


def level_of_scene(which: str) -> Callable[[Setting], str]:
    """Return what tells the redundancy that a scene aims at, of "power" or "cooling"; N+1 where it aims at none."""

    def told(setting: Setting) -> str:
        scene = setting.scene
        targets = scene.scenario.site.redundancy if scene is not None else None
        level = getattr(targets, which, None) if targets is not None else None
        return level if level in LEVELS else "N+1"

    return told


def nodes_for(part: HallPart, gpus: int) -> int:
    """Return the nodes that hold some GPUs."""
    return math.ceil(gpus / part.node.n_gpu)
