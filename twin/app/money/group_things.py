"""The things of a hall that a group of capital stands for."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from twin.economics.site_lines import GENERATION
from twin.plant.tables import Plant

MOST = 200
"""So many things are selected at most."""
GRID = "utility"
"""Kind of stage that the substation feeds."""


def things_of(plant: Plant, group: str) -> tuple[str, ...]:
    """Return the racks, switches, stores, power items or machines of a group of capital; none: it stands nowhere."""
    find = _FOUND_BY.get(group)
    return tuple(find(plant)[:MOST]) if find is not None else ()


def _racks(plant: Plant) -> list[str]:
    """Return the racks that hold nodes."""
    racks = plant.racks
    return [
        id
        for id, first, number, present in zip(
            racks.ids,
            racks.node_first.tolist(),
            racks.node_count.tolist(),
            racks.present.tolist(),
            strict=True,
        )
        if present and number and plant.nodes.present[first : first + number].any()
    ]


def _switches(plant: Plant) -> list[str]:
    return [id for id, present in zip(plant.switches.ids, plant.switches.present, strict=True) if present]


def _power(plant: Plant, group: str) -> list[str]:
    """Return the items of the power tree that a group is made of."""
    items = plant.power
    return [
        id
        for id, kind, present in zip(items.ids, items.kind, items.present, strict=True)
        if present
        and group == ("generation" if kind in GENERATION else "substation" if kind == GRID else "power")
    ]


def _cooling(plant: Plant) -> list[str]:
    loops = [id for id, present in zip(plant.loops.ids, plant.loops.present, strict=True) if present]
    return [*plant.plants.ids, *loops]


_FOUND_BY: Mapping[str, Callable[[Plant], list[str]]] = {
    "gpu": _racks,
    "chassis": _racks,
    "network": _switches,
    "storage": lambda plant: list(plant.stores),
    "power": lambda plant: _power(plant, "power"),
    "substation": lambda plant: _power(plant, "substation"),
    "generation": lambda plant: _power(plant, "generation"),
    "cooling": _cooling,
}
