"""Demand of a fragment on a site: power, heat, network ports, weight and cost of all its items."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

import numpy as np

from twin.catalog import Catalog
from twin.commands.budget.budget import budget
from twin.commands.budget.part_load import PartLoad, part_load, together
from twin.commands.room.room_design import scene_of
from twin.commands.room.snippet import Fragment


def fragment_load(fragment: Fragment, catalog: Catalog) -> PartLoad:
    """Return the demand of all racks, nodes, machines and power items of a fragment.

    Raises
    ------
    ScenarioError
        When its rows are invalid.
    UnknownPart
        When the catalogue lacks one of its parts.
    """
    loads = [part_load(catalog, node.part) for node in fragment.nodes]
    if fragment.rows:
        loads.append(_racks(fragment, catalog))
    loads += [part_load(catalog, part) for part in _machines(fragment)]
    return reduce(together, loads, PartLoad())


def _racks(fragment: Fragment, catalog: Catalog) -> PartLoad:
    scene = scene_of(Fragment(rows=fragment.rows), catalog)
    figures, nodes = budget(scene), scene.plant.nodes
    counts = np.bincount(nodes.part[nodes.present], minlength=len(scene.plant.node_parts)).tolist()
    each = [part_load(catalog, name) for name in scene.plant.node_parts]
    kinds = list(zip(scene.plant.node_parts, each, counts, strict=True))
    wired = [(name, count) for name, load, count in kinds if load.nodes]
    return PartLoad(
        figures.it_w,
        figures.heat_w,
        sum(load.ports * count for _, load, count in kinds),
        figures.weight_kg or None,
        figures.cost_usd or None,
        unpriced=tuple(figures.unpriced),
        nodes=() if fragment.entries.get("fabrics") else tuple(wired),
    )


def _machines(fragment: Fragment) -> Iterator[str]:
    """Yield the part of each machine, power item and box that is no rack."""
    for section in ("cooling.loops", "cooling.plants", "power", "storage"):
        for entry in fragment.entries.get(section, ()):
            if isinstance(entry.get("part"), str):
                each = int(entry.get("units", 1)) if section.startswith("cooling") else 1
                yield from [entry["part"]] * (each * int(entry.get("count", 1)))
