"""The request for a room and its checks: figures that a person types, each blamed by its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from twin.catalog import Catalog, NodePart, RackPart
from twin.commands.edit.command import CommandError
from twin.commands.place.footprint import node_height_u, rack_size_m
from twin.language import tr
from twin.plant.cabinet import CABINET_PART, FRONT_M
from twin.scenario.schema.site import CABINET_UNITS, RedundancyLevel

Containment = Literal["hot", "cold", "none"]
Cabling = Literal["rail-optimised", "leaf-spine", "none"]

MOST_NODES = 16_384
"""Nodes of one room: more would be slow to look at, and no building holds them."""
BESIDE_M = 0.6
"""Of the aisle on each side, what is counted to the floor under a rack, at most [m]; as the design rules do."""
CABINET_KG = 1360.0
"""What a cabinet carries, 3,000 lb [recalled]."""
FLOOR_PA = 12e3
"""What floors carry where a hall says nothing: ANSI/TIA-942-A [recalled]."""
GRAVITY_M_S2 = 9.80665
RAISED_U = 3
"""Lowest unit of the lowest node where there is room below: cables come in there."""


class RoomError(CommandError):
    """A room is not possible as requested.

    Parameters
    ----------
    field
        Name of the figure of `RoomRequest` to change.
    """

    def __init__(self, field: str, reason: str, hint: str = "") -> None:
        super().__init__(reason, hint)
        self.field = field


@dataclass(frozen=True)
class RoomRequest:
    """The request for a room.

    Attributes
    ----------
    title
        Name for people.
    part
        Of the catalogue: a node, in plain cabinets, or a rack that brings its nodes.
    nodes
        In each cabinet; racks of the catalogue bring their own.
    rows, racks
        Rows, and racks in each.
    row_pitch_m, rack_pitch_m
        Row to row, rack to rack [m]; 0: racks stand side to side.
    containment
        Which aisle is closed off.
    cdu, air
        Parts that take the heat; "": chosen by size. A rear door as `air` hangs on every rack.
    cdu_in_row
        Whether CDUs stand at the end of their row; else beside the rows.
    power, cooling, network
        Redundancy targets, from which spares, feeds and cables follow: N, N+1 or 2N.
    spare
        Whether one machine more than needed stands ready: CDUs, air handlers, chillers, generators, transformers,
        UPS; None: as the targets ask.
    feeds
        2: feeds A and B, each able to carry all; 1: one; None: as the target asks.
    generators
        Whether diesels stand behind the grid.
    cabling
        Rule of the network.
    oversubscription
        Ports of a leaf to its nodes over those to the spines.
    switch
        Part; "": chosen by size and speed.
    storage
        Boxes of storage.
    """

    title: str = tr("Training hall")
    part: str = "DGX-H100"
    nodes: int = 4
    rows: int = 2
    racks: int = 8
    row_pitch_m: float = 3.0
    rack_pitch_m: float = 0.0
    containment: Containment = "hot"
    cdu: str = ""
    air: str = ""
    cdu_in_row: bool = False
    power: RedundancyLevel = "N+1"
    cooling: RedundancyLevel = "N+1"
    network: RedundancyLevel = "N"
    spare: bool | None = None
    feeds: int | None = None
    generators: bool = True
    cabling: Cabling = "rail-optimised"
    oversubscription: float = 1.0
    switch: str = ""
    storage: int = 0


@dataclass(frozen=True)
class RackStack:
    """Contents of one rack of a room: a rack part or None, the node part, nodes, lowest unit."""

    rack: str | None
    node: NodePart
    nodes: int
    first_u: int
    width_m: float
    depth_m: float


def stack_of(room: RoomRequest, catalog: Catalog) -> RackStack:
    """Return the contents of a rack of the room, after all checks of the request.

    Raises
    ------
    RoomError
        With the figure to change.
    """
    for name, value, most in (
        ("rows", room.rows, 200),
        ("racks", room.racks, 400),
        ("nodes", room.nodes, 48),
    ):
        if not 1 <= value <= most:
            few = tr("too few") if value < 1 else tr("too many")
            raise RoomError(
                name,
                tr("{value:,} {name} are {few}", value=value, name=name, few=few),
                tr("choose 1 to {most}", most=most),
            )
    if room.storage < 0 or room.storage > 400:
        few = tr("too few") if room.storage < 0 else tr("too many")
        raise RoomError(
            "storage", tr("{storage:,} boxes are {few}", storage=room.storage, few=few), tr("choose 0 to 400")
        )
    if room.part not in catalog:
        raise RoomError("part", tr("the catalogue has no {part!r}", part=room.part))
    part = catalog.part(room.part)
    if isinstance(part, RackPart):
        found = _rack(room, part, catalog)
    elif isinstance(part, NodePart):
        found = _cabinet(room, part, catalog)
    else:
        raise RoomError(
            "part",
            tr("{part} is a {kind}", part=room.part, kind=part.KIND),
            tr("a node or a rack with nodes"),
        )
    _floor(room, found, catalog)
    total = found.nodes * room.rows * room.racks
    if total > MOST_NODES:
        each = MOST_NODES // (found.nodes * room.rows)
        hint = tr("at most {each} racks in a row", each=each) if each else tr("fewer rows")
        raise RoomError(
            "racks",
            tr(
                "{total:,} nodes are more than the {most_nodes:,} of one room",
                total=total,
                most_nodes=MOST_NODES,
            ),
            hint,
        )
    return found


def _rack(room: RoomRequest, part: RackPart, catalog: Catalog) -> RackStack:
    held = [group for group in part.layout if isinstance(catalog.part(group.part), NodePart)]
    if not held:
        raise RoomError("part", tr("{id} comes without nodes", id=part.id), tr("choose its node part"))
    width_m, depth_m = rack_size_m(catalog, part.id)
    return RackStack(
        part.id, catalog.node(held[0].part), sum(group.count for group in held), 1, width_m, depth_m
    )


def _cabinet(room: RoomRequest, part: NodePart, catalog: Catalog) -> RackStack:
    height_u = node_height_u(part)
    if room.nodes * height_u > CABINET_UNITS:
        reason = tr(
            "{nodes} x {height_u} U are {nodes_2} U, but a cabinet has {cabinet_units}",
            nodes=room.nodes,
            height_u=height_u,
            nodes_2=room.nodes * height_u,
            cabinet_units=CABINET_UNITS,
        )
        raise RoomError(
            "nodes", reason, tr("at most {cabinet_units}", cabinet_units=CABINET_UNITS // height_u)
        )
    empty_kg = catalog.rack(CABINET_PART).weight_kg or 0.0
    weight_kg = empty_kg + room.nodes * (part.weight_kg or 0.0)
    if weight_kg > CABINET_KG and part.weight_kg:
        most = int((CABINET_KG - empty_kg) // part.weight_kg)
        raise RoomError(
            "nodes",
            tr(
                "they weigh {weight_kg:,.0f} kg, above the cabinet rating of {cabinet_kg:,.0f} kg",
                weight_kg=weight_kg,
                cabinet_kg=CABINET_KG,
            ),
            tr("at most {most}", most=most),
        )
    if not part.n_gpu:
        raise RoomError("part", tr("{id} has no GPU", id=part.id), tr("a node with GPUs"))
    width_m, depth_m = rack_size_m(catalog, None)
    first_u = RAISED_U if room.nodes * height_u + RAISED_U - 1 <= CABINET_UNITS else 1
    return RackStack(None, part, room.nodes, first_u, width_m, depth_m)


def _floor(room: RoomRequest, found: RackStack, catalog: Catalog) -> None:
    if room.rack_pitch_m and room.rack_pitch_m < found.width_m - 1e-9:
        raise RoomError(
            "rack_pitch_m",
            tr(
                "{rack_pitch_m:g} m, but a rack is {width_m:g} m wide",
                rack_pitch_m=room.rack_pitch_m,
                width_m=found.width_m,
            ),
            tr("{width_m:g} m or more", width_m=found.width_m),
        )
    if room.rack_pitch_m > 5.0:
        raise RoomError(
            "rack_pitch_m",
            tr("{rack_pitch_m:g} m from rack to rack", rack_pitch_m=room.rack_pitch_m),
            tr("at most 5 m"),
        )
    least_m = found.depth_m + FRONT_M
    if not least_m - 1e-9 <= room.row_pitch_m <= 20.0:
        between_m = room.row_pitch_m - found.depth_m
        raise RoomError(
            "row_pitch_m",
            tr(
                "leaves {between_m:.2g} m between rows; minimum {front_m:g} m",
                between_m=between_m,
                front_m=FRONT_M,
            ),
            tr("{least_m:.2f} to 20 m", least_m=least_m),
        )
    if found.rack is not None:
        weight_kg = catalog.rack(found.rack).weight_kg or 0.0
    else:
        weight_kg = (catalog.rack(CABINET_PART).weight_kg or 0.0) + found.nodes * (
            found.node.weight_kg or 0.0
        )
    beside_m = min(room.row_pitch_m - found.depth_m, 2 * BESIDE_M)
    load_pa = weight_kg * GRAVITY_M_S2 / (found.width_m * (found.depth_m + beside_m))
    if load_pa > FLOOR_PA:
        raise RoomError(
            "row_pitch_m",
            tr(
                "racks put {load_pa:.1f} kPa on the floor, above its limit of {floor_pa:g} kPa",
                load_pa=load_pa / 1000.0,
                floor_pa=FLOOR_PA / 1000.0,
            ),
            tr("wider aisles or lighter racks"),
        )
