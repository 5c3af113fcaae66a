"""What there is of IT: GPUs, chassis, racks, network, cables and stores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import compress

import numpy as np

from twin.arrays import Bools, Ints32
from twin.catalog import Catalog, RackPart
from twin.catalog.contents import contents
from twin.economics.bill import BillLine, Group
from twin.economics.price_book import CABINET, PriceBook, sold_whole
from twin.plant.links import links_of
from twin.plant.tables import Plant
from twin.scenario.schema.document import Scenario

OPTICAL = ("multimode", "singlemode")
IN_NODES = ("nvme", "memory")
"""Tiers of stores without a part that are within the price of the nodes."""
_GROUP_OF: dict[str, Group] = {
    "gpu": "gpu",
    "nic": "network",
    "cpu": "chassis",
    "node": "chassis",
    "switch": "network",
    "power_shelf": "power",
    "cdu": "cooling",
    "storage": "storage",
}


def it_lines(scenario: Scenario, plant: Plant, catalog: Catalog, book: PriceBook) -> Iterator[BillLine]:
    """Yield the lines of all IT of a scene."""
    yield from held_lines(plant, catalog, book, np.zeros(len(plant.nodes.ids), np.bool_))
    yield from shared_lines(scenario, plant, catalog)


def held_lines(plant: Plant, catalog: Catalog, book: PriceBook, rented: Bools) -> Iterator[BillLine]:
    """Yield the lines of nodes and racks, but of rented nodes, shape (N,), and of racks that hold those alone."""
    owned = plant.nodes.present & ~rented
    yield from _of_nodes(plant, owned, catalog)
    yield from _of_racks(plant, owned, catalog, book)


def shared_lines(scenario: Scenario, plant: Plant, catalog: Catalog) -> Iterator[BillLine]:
    """Yield the lines of network and stores, which all nodes share."""
    for part, count in Counter(compress(plant.switches.part, plant.switches.present.tolist())).items():
        yield BillLine("network", part, count, "", "it")
    yield from _of_cables(scenario, plant, catalog)
    yield from _of_stores(plant)


def gpus_by_part(plant: Plant, nodes: Bools | None = None) -> dict[str, int]:
    """Return the installed GPUs by part, of all nodes or of some, shape (N,)."""
    there = plant.gpus.present if nodes is None else plant.gpus.present & nodes[plant.gpus.node]
    numbers = np.bincount(plant.gpus.part[there], minlength=len(plant.gpu_parts))
    return {part: count for part, count in zip(plant.gpu_parts, numbers.tolist(), strict=True) if count}


def _of_nodes(plant: Plant, owned: Bools, catalog: Catalog) -> Iterator[BillLine]:
    numbers = np.bincount(plant.nodes.part[owned], minlength=len(plant.node_parts))
    for part, count in zip(plant.node_parts, numbers.tolist(), strict=True):
        yield from node_lines(part, count, catalog)


def node_lines(part: str, count: int, catalog: Catalog) -> Iterator[BillLine]:
    """Yield the lines of some nodes of one part: their chassis, and what is in it."""
    yield BillLine("chassis", part, count, "", "it")
    yield from _inside(catalog, contents(catalog.node(part)), count)


def _of_racks(plant: Plant, owned: Bools, catalog: Catalog, book: PriceBook) -> Iterator[BillLine]:
    racks, nodes = plant.racks, plant.nodes
    left = np.bincount(nodes.rack[nodes.present & ~owned], minlength=len(racks.ids)) > 0
    left &= np.bincount(nodes.rack[owned], minlength=len(racks.ids)) == 0
    there = np.flatnonzero(racks.present & ~left).tolist()
    for part, count in Counter(racks.part[rack] for rack in there).items():
        yield from rack_lines(part or "", count, catalog, book)
    shelves: Counter[str] = Counter()
    for rack_slot in there:
        shelves[racks.shelf_part[rack_slot]] += int(racks.shelves[rack_slot])
    for part, count in shelves.items():
        if part:
            yield BillLine("power", part, count, "", "it")


def rack_lines(part: str, count: int, catalog: Catalog, book: PriceBook) -> Iterator[BillLine]:
    """Yield the lines of some racks of one part, "" a plain cabinet: without nodes and power shelves."""
    rack = catalog.rack(part) if part else None
    priced = rack is not None and rack.id in book and (not rack.layout or sold_whole(book, rack))
    yield BillLine("chassis", part if priced else CABINET, count, "", "it")
    if rack is not None:
        yield from _inside(catalog, _loose(rack, catalog), count)


def _loose(rack: RackPart, catalog: Catalog) -> Counter[str]:
    """Return what a rack part brings that no other table of the plant holds: all but nodes and shelves."""
    inside = contents(rack)
    return Counter(
        {name: n for name, n in inside.items() if catalog.part(name).KIND not in ("node", "power_shelf")}
    )


def _inside(catalog: Catalog, inside: Counter[str], count: int) -> Iterator[BillLine]:
    for name, each in inside.items():
        group = _GROUP_OF[catalog.part(name).KIND]
        yield BillLine(group, name, each * count, "", "mep" if group == "cooling" else "it")


def _of_cables(scenario: Scenario, plant: Plant, catalog: Catalog) -> Iterator[BillLine]:
    """Yield the cables of each fabric, whole ones, and the fibre by its length."""
    bundles = plant.bundles
    links = links_of(plant)
    numbers = links.cables_in_bundles(runs_per_cable(scenario, plant, catalog)[links.fabric])
    for fabric in scenario.fabrics:
        if fabric.id not in plant.fabrics:  # just written: the hall as it stands has none of it yet
            continue
        of_fabric = bundles.fabric == plant.fabrics.index(fabric.id)
        part = catalog.cable(fabric.cable)
        cables = numbers[of_fabric]
        yield BillLine("cables", fabric.cable, float(cables.sum()), "", "it")
        if part.medium in OPTICAL:
            metres = float((cables * bundles.length_m[of_fabric]).sum())
            yield BillLine("cables", "fibre", metres, "m", "it")


def runs_per_cable(scenario: Scenario, plant: Plant, catalog: Catalog) -> Ints32:
    """Return how many runs a cable of each fabric carries: 2 where it is twice as fast as the ports it joins."""
    runs = np.ones(len(plant.fabrics), np.int32)
    for fabric in scenario.fabrics:
        if fabric.id in plant.fabrics:
            place = plant.fabrics.index(fabric.id)
            speeds = plant.bundles.cable_bytes_s[plant.bundles.fabric == place]
            if len(speeds):
                runs[place] = max(1, int(catalog.cable(fabric.cable).bandwidth_bytes_s / speeds.max() + 1e-6))
    return runs


def _of_stores(plant: Plant) -> Iterator[BillLine]:
    stores = plant.storage
    for slot, part in enumerate(stores.part):
        if part:
            yield BillLine("storage", part, int(stores.count[slot]), "", "it")
        elif stores.tier[slot] not in IN_NODES:
            yield BillLine("storage", "store-gb-s", float(stores.read_bytes_s[slot]) / 1e9, "GB/s", "it")
