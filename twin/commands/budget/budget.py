"""Demand and capacity of a scene: power, cooling, ports, floor; and their changes by an edit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np

from twin import units
from twin.catalog import Catalog, CduPart, CrahPart, RdhxPart
from twin.catalog.cooling_parts import TankPart
from twin.catalog.price_parts import PricePart
from twin.commands.edit.command import EditedScene
from twin.economics.bill import gathered
from twin.economics.it_lines import it_lines
from twin.economics.price_book import PriceBook
from twin.economics.site_lines import machine_lines
from twin.language import tr
from twin.plant.design_load import DesignLoad, rack_budget
from twin.plant.tables import LoopKind, Plant

CABINET_KG = 150.0
"""Of a plain cabinet where the catalogue says nothing [est]."""

FIGURES: dict[str, tuple[str, str]] = {
    "racks": (tr("Racks"), ""),
    "nodes": (tr("Nodes"), ""),
    "gpus": ("GPUs", ""),
    "it_w": (tr("Power of racks"), "power"),
    "feed_capacity_w": (tr("Capacity of their feeds"), "power"),
    "grid_w": (tr("Utility power"), "power"),
    "heat_w": (tr("Heat of racks"), "power"),
    "liquid_heat_w": (tr("Heat into coolant"), "power"),
    "air_heat_w": (tr("Heat into air"), "power"),
    "cooling_w": (tr("Cooling capacity"), "power"),
    "weight_kg": (tr("Weight of racks"), "mass"),
    "footprint_m2": (tr("Rack footprint"), "area"),
    "cost_usd": (tr("Cost, where prices are known"), "currency"),
    "unpriced_parts": (tr("Parts without a full price"), ""),
}
"""Figures that say what a scene is: title and dimension, "" of a count."""


@dataclass(frozen=True)
class FabricPorts:
    """Ports of the switches of a fabric; one that grows has as many switches as its nodes take."""

    id: str
    ports: int
    used: int
    grows: bool = False

    @property
    def free(self) -> int:
        """Return the number of ports without a cable."""
        return self.ports - self.used


@dataclass(frozen=True)
class Budget:
    """A scene in figures.

    Attributes
    ----------
    racks, nodes, gpus
        Present ones.
    it_w
        Design load of all racks, with or without a feed [W].
    fed_w
        Peak power of the racks that have a feed [W].
    feed_capacity_w
        Capacity of the items that feed racks, an A and a B path counted once [W]; inf: one has no limit.
    grid_w
        Power from the roots of the power tree, losses included, less what gas engines and reactors give [W].
    heat_w, cooling_w
        Heat of all racks, which is their power, and cooling capacity of the loops [W].
    liquid_heat_w, liquid_cooling_w
        The part of both that goes into coolant [W].
    air_heat_w
        The part of the heat that goes into air [W].
    ports
        Of each fabric.
    weight_kg, footprint_m2
        Weight of racks with their contents, and floor area under them.
    cost_usd
        Of all parts at likely prices, those of the scene before the catalogue's; without building and labour.
    unpriced
        Parts without a price, and how many there are.
    """

    racks: int
    nodes: int
    gpus: int
    it_w: float
    fed_w: float
    feed_capacity_w: float
    grid_w: float
    heat_w: float
    cooling_w: float
    liquid_heat_w: float
    liquid_cooling_w: float
    air_heat_w: float
    ports: tuple[FabricPorts, ...]
    weight_kg: float
    footprint_m2: float
    cost_usd: float
    unpriced: Mapping[str, int]

    @property
    def unpriced_parts(self) -> int:
        """Return the number of parts without a price."""
        return sum(self.unpriced.values())

    @property
    def power_load(self) -> float:
        """Return the load of the feeds as a share of their capacity; nan without feeds."""
        return self.fed_w / self.feed_capacity_w if self.feed_capacity_w else float("nan")

    @property
    def cooling_load(self) -> float:
        """Return the heat as a share of the cooling capacity; nan without loops."""
        return self.heat_w / self.cooling_w if self.cooling_w else float("nan")


def figure_words(name: str, value: float) -> str:
    """Return one of `FIGURES` as people read it."""
    dimension = FIGURES[name][1]
    if not math.isfinite(value):
        return tr("no limit")
    if not dimension:
        return f"{value:,.0f}"
    rounded = float(f"{value:.4g}")
    return (
        tr("{rounded:,.0f} USD", rounded=rounded)
        if dimension == "currency"
        else str(units.render(rounded, dimension))
    )


def difference(before: Budget, after: Budget) -> dict[str, float]:
    """Return the change of each figure by an edit, without those that stay. Ports are ``ports.ib`` and ``used.ib``."""
    found = {}
    for figure in fields(Budget):
        old, new = getattr(before, figure.name), getattr(after, figure.name)
        if isinstance(old, int | float) and old != new:
            found[figure.name] = float(new) - float(old)
    ports = {ports_before.id: ports_before for ports_before in before.ports}
    for fabric in after.ports:
        old_ports = ports.pop(fabric.id, FabricPorts(fabric.id, 0, 0))
        found |= (
            {f"ports.{fabric.id}": float(fabric.ports - old_ports.ports)}
            if fabric.ports != old_ports.ports
            else {}
        )
        found |= (
            {f"used.{fabric.id}": float(fabric.used - old_ports.used)}
            if fabric.used != old_ports.used
            else {}
        )
    for gone in ports.values():
        found |= {f"ports.{gone.id}": -float(gone.ports), f"used.{gone.id}": -float(gone.used)}
    return found


def budget(scene: EditedScene) -> Budget:
    """Return the figures of a scene; about 5 ms at 16,384 GPUs."""
    plant, catalog = scene.plant, scene.catalog
    racks = plant.racks
    load = rack_budget(plant, catalog)
    rack_w = load.power_w
    fed = (racks.feed_a >= 0) | (racks.feed_b >= 0)
    liquid_w = float(load.liquid_w[racks.loop >= 0].sum())
    takes_w = loop_capacity_w(plant, catalog)
    wet = np.isin(plant.loops.kind, [LoopKind.LIQUID, LoopKind.IMMERSION])
    cost_usd, unpriced = _cost(scene)
    return Budget(
        racks=int(racks.present.sum()),
        nodes=int(plant.nodes.present.sum()),
        gpus=int(plant.gpus.present.sum()),
        it_w=float(rack_w.sum()),
        fed_w=float(rack_w[fed].sum()),
        feed_capacity_w=_feed_capacity_w(plant),
        grid_w=DesignLoad(plant, catalog).utility_w(),
        heat_w=float(rack_w.sum()),
        cooling_w=float(takes_w.sum()),
        liquid_heat_w=liquid_w,
        liquid_cooling_w=float(takes_w[wet].sum()),
        air_heat_w=float(rack_w.sum()) - liquid_w,
        ports=_ports(scene),
        weight_kg=float(_weight_kg(plant, catalog).sum()),
        footprint_m2=float((racks.width_m * racks.depth_m)[racks.present].sum()),
        cost_usd=cost_usd,
        unpriced=unpriced,
    )


def loop_capacity_w(plant: Plant, catalog: Catalog) -> np.ndarray:
    """Return the heat that each loop can take [W]; doors: that of all doors of the loop."""
    loops, racks = plant.loops, plant.racks
    doors = np.bincount(racks.air_loop[racks.air_loop >= 0], minlength=len(loops.ids))
    takes_w = np.zeros(len(loops.ids))
    for slot, name in enumerate(loops.part):
        part = catalog.part(name)
        if isinstance(part, CduPart | TankPart | CrahPart):
            takes_w[slot] = part.capacity_w * int(loops.units[slot])
        elif isinstance(part, RdhxPart):
            takes_w[slot] = part.capacity_w * int(doors[slot])
    return takes_w * loops.present


def item_capacity_w(plant: Plant) -> np.ndarray:
    """Return the capacity of each power item [W]; inf: no limit is known; 0: it is gone."""
    capacity_w = plant.power.capacity_w
    return np.where(plant.power.present, np.where(np.isnan(capacity_w), np.inf, capacity_w), 0.0)


def _feed_capacity_w(plant: Plant) -> float:
    """Return the capacity of the items that are feed A of racks: B is a second path, and adds nothing."""
    racks = plant.racks
    items = np.unique(racks.feed_a[racks.present & (racks.feed_a >= 0)])
    return float(item_capacity_w(plant)[items].sum()) if len(items) else 0.0


def _ports(scene: EditedScene) -> tuple[FabricPorts, ...]:
    plant = scene.plant
    grow = {fabric.id for fabric in scene.scenario.fabrics if fabric.kind != "explicit"}
    switches, down, up = plant.switches, plant.node_links, plant.switch_links
    count = len(plant.fabrics)
    present = switches.present
    ports = np.bincount(switches.fabric[present], switches.ports[present], count) if count else np.zeros(0)
    used = (
        np.bincount(down.fabric, minlength=count) + 2 * np.bincount(up.fabric, up.cables, count)
        if count
        else ports
    )
    return tuple(
        FabricPorts(name, int(ports[slot]), int(used[slot]), name in grow)
        for slot, name in enumerate(plant.fabrics)
    )


def _weight_kg(plant: Plant, catalog: Catalog) -> np.ndarray:
    """Return the weight of each rack with its nodes, switches and boxes [kg]; a rack part includes its own contents."""
    racks, nodes, switches = plant.racks, plant.nodes, plant.switches
    own = {name: (catalog.rack(name).weight_kg if name else None) for name in set(racks.part)}
    weight_kg = np.array([own[name] or CABINET_KG for name in racks.part])
    if plant.node_parts:
        each_kg = np.array([catalog.node(name).weight_kg or 0.0 for name in plant.node_parts])
        whole = np.array([bool(name) and bool(catalog.rack(name).n_gpu) for name in racks.part], np.bool_)
        loose = nodes.present & ~whole[nodes.rack]
        weight_kg = weight_kg + np.bincount(nodes.rack, each_kg[nodes.part] * loose, len(racks.ids))
    placed = switches.present & (switches.rack >= 0)
    if placed.any():
        kg = {name: catalog.switch(name).weight_kg or 0.0 for name in set(switches.part)}
        each_kg = np.array([kg[name] for name in switches.part])
        weight_kg = weight_kg + np.bincount(switches.rack[placed], each_kg[placed], len(racks.ids))
    return np.asarray(weight_kg * racks.present, np.float64)


def _cost(scene: EditedScene) -> tuple[float, dict[str, int]]:
    """Return the cost of all parts that have a price, and the parts without one; nothing counts twice."""
    scenario, plant, catalog = scene.scenario, scene.plant, scene.catalog
    book = PriceBook(catalog, scenario.prices)
    lines = [*it_lines(scenario, plant, catalog, book), *machine_lines(plant, catalog)]
    total, unpriced = 0.0, dict[str, int]()
    for line in gathered(line for line in lines if not isinstance(catalog.part(line.entry), PricePart)):
        if line.entry in book:
            total += book.own(line.entry).likely * line.count
        else:
            unpriced[line.entry] = round(line.count)
    return total, dict(sorted(unpriced.items()))
