"""Contents of one rack: node groups or a rack part, as units from the floor up."""

from __future__ import annotations

from dataclasses import dataclass, replace

from twin.catalog import Catalog, NodePart, Part, PowerShelfPart, StoragePart, SwitchPart
from twin.plant.error import PlantError
from twin.plant.tables import RACK_FOOT_M, RACK_HEAD_M, U_M, FixtureKind
from twin.scenario.schema import site
from twin.scenario.schema.site import CABINET_UNITS

CABINET_PART = "EIA-48U"
"""Part of the catalogue that a rack is which names none."""
CABINET_WIDTH_M = 0.6
CABINET_DEPTH_M = 1.2
FRONT_M, REAR_M = 1.0, 0.6
"""Least clear space before and behind a rack [m]: TIA-942-A 5.11.7 (1.2 m and 1 m are preferred) [recalled]. The design
rules, rooms that are planned and things on their way to a place all hold to it."""
WANTED_FRONT_M, WANTED_REAR_M = 1.2, 0.9
"""Clear space wanted before and behind a rack [m]: cold aisle of 4 ft, hot aisle of 3 ft, ASHRAE TC 9.9, Thermal
Guidelines [recalled]. Less is advised against while a thing is placed, and breaks no rule."""


@dataclass(frozen=True)
class Cabinet:
    """One kind of rack with its contents.

    `nodes` are (what, lowest unit, height, place from the left, places side by side), `fixtures` (what, lowest unit,
    height), one for all that stand side by side; `gear_w` is what switches draw that the rack part brings.
    """

    part: str
    units_u: int
    width_m: float
    depth_m: float
    height_m: float
    nodes: tuple[tuple[str, int, int, int, int], ...]
    fixtures: tuple[tuple[FixtureKind, int, int], ...]
    shelf_part: str = ""
    shelves: int = 0
    shelves_needed: int = 0
    gear_w: float = 0.0


def cabinet_of(racks: site.RackGenerator, part: str | None, catalog: Catalog) -> Cabinet:
    """Return the contents of each rack of a generator.

    Parameters
    ----------
    racks
        The generator; its node groups stand above what the rack part brings.
    part
        Rack part, None for a plain 48 U cabinet.

    Raises
    ------
    PlantError
        When the contents are higher than the rack.
    UnknownPart
        When the catalogue has no such part.
    """
    if part is None:
        bare = Cabinet(
            part="",
            units_u=CABINET_UNITS,
            width_m=CABINET_WIDTH_M,
            depth_m=CABINET_DEPTH_M,
            height_m=RACK_FOOT_M + CABINET_UNITS * U_M + RACK_HEAD_M,
            nodes=(),
            fixtures=(),
        )
        return _filled(_shelved(bare, racks.shelves), racks, catalog, [], [], 1)
    kind = catalog.rack(part)
    units_u = int(kind.height_u)
    bare = Cabinet(
        part=part,
        units_u=units_u,
        width_m=kind.width_m,
        depth_m=kind.depth_m,
        height_m=max(kind.height_m, RACK_FOOT_M + units_u * U_M),
        nodes=(),
        fixtures=(),
    )
    nodes: list[tuple[str, int, int, int, int]] = []
    fixtures: list[tuple[FixtureKind, int, int]] = []
    u, gear_w = 1, 0.0
    for group in kind.layout:
        content = catalog.part(group.part)
        height_u = max(1, round(content.height_u or 1))
        look = _fixture_of(content)
        if isinstance(content, NodePart):
            nodes += _stacked(group.part, u, height_u, group.count, group.abreast)
        levels = -(-group.count // group.abreast)
        if look is not None:
            fixtures += [(look, u + level * height_u, height_u) for level in range(levels)]
        u += levels * height_u
        gear_w += content.typical_w * group.count if isinstance(content, SwitchPart) else 0.0
    bare = replace(bare, gear_w=gear_w)
    held = [g for g in kind.layout if isinstance(catalog.part(g.part), PowerShelfPart)]
    if held and racks.shelves is None:
        count = sum(group.count for group in held)
        bare = _shelved(bare, site.Shelves(part=held[0].part, count=count, needed=kind.shelves_needed))
    else:
        bare = _shelved(bare, racks.shelves)
    return _filled(bare, racks, catalog, nodes, fixtures, u)


def _fixture_of(content: Part) -> FixtureKind | None:
    """Return the kind of front of a part without GPUs; None for a part without a front."""
    if isinstance(content, SwitchPart) and content.fabric == "scale-up":
        return FixtureKind.NVLINK_TRAY
    if isinstance(content, PowerShelfPart):
        return FixtureKind.POWER_SHELF
    return FixtureKind.STORAGE if isinstance(content, StoragePart) else None


def _stacked(
    part: str, u: int, height_u: int, count: int, abreast: int
) -> list[tuple[str, int, int, int, int]]:
    """Return nodes from unit `u` up, `abreast` of them side by side, from the left."""
    return [(part, u + k // abreast * height_u, height_u, k % abreast, abreast) for k in range(count)]


def _shelved(bare: Cabinet, shelves: site.Shelves | None) -> Cabinet:
    if shelves is None:
        return bare
    needed = min(shelves.needed or shelves.count, shelves.count)
    return replace(bare, shelf_part=shelves.part, shelves=shelves.count, shelves_needed=needed)


def _filled(
    bare: Cabinet,
    racks: site.RackGenerator,
    catalog: Catalog,
    nodes: list[tuple[str, int, int, int, int]],
    fixtures: list[tuple[FixtureKind, int, int]],
    free_u: int,
) -> Cabinet:
    """Stack the node groups of a generator; a group that would stand in another one moves above it."""
    for group in racks.nodes:
        height_u = max(1, round(catalog.node(group.part).height_u))
        u = max(group.first_u, free_u)
        nodes += _stacked(group.part, u, height_u, group.count, group.abreast)
        free_u = u + -(-group.count // group.abreast) * height_u
    if free_u - 1 > bare.units_u:
        raise PlantError(
            f"the nodes of a rack of {bare.units_u} U end at unit {free_u - 1}; put fewer nodes in each rack"
        )
    return replace(bare, nodes=tuple(nodes), fixtures=tuple(fixtures))
