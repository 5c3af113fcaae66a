"""The plant: all equipment of the halls, as a structure of arrays.

Every table is a set of parallel arrays, one entry per slot. Slots are appended and tombstoned (`present`
false), never re-indexed while a run lasts; cross references are slot numbers of other tables, -1 for none.
Lengths are metres: x along the rows, y across them, z up. `twin.plant.build` makes it from a Scenario.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from itertools import compress, repeat
from typing import Literal

from twin.arrays import Bools, Floats, Ints32
from twin.catalog import Catalog, load_catalog
from twin.language import tr
from twin.scenario.generators.building_shape import BuildingShape

U_M = 0.04445
"""Height of a rack unit [m]."""

RACK_FOOT_M = 0.08
"""Floor to the bottom of rack unit 1 [m]."""

RACK_HEAD_M = 0.0864
"""Top of the highest rack unit to the roof of the rack [m]; a 48 U cabinet is 2.3 m high."""


Kind = Literal["hall", "row", "rack", "node", "gpu", "switch", "loop", "plant", "power", "store", "fabric"]
"""What an id can lead to; the slot of a store or fabric is its place in `Plant.stores` or `.fabrics`."""


class RackKind(IntEnum):
    """Purpose of a rack."""

    COMPUTE = 0
    NETWORK = 1
    STORAGE = 2

    @property
    def words(self) -> str:
        """Return what it is for, as people read it."""
        return tr(self.name.lower())


class SwitchRole(IntEnum):
    """Tier of a switch."""

    LEAF = 0
    SPINE = 1
    CORE = 2

    @property
    def words(self) -> str:
        """Return the tier as people read it."""
        return tr(self.name.lower())


class BundleTier(IntEnum):
    """Tiers that a bundle of cables joins."""

    NODE = 0  # nodes and leaves
    SPINE = 1  # leaves and spines
    CORE = 2  # spines and cores, or spines of two groups
    PEER = 3  # nodes and nodes


class FixtureKind(IntEnum):
    """Front panels that hold no GPU and no scale-out switch."""

    NVLINK_TRAY = 0
    POWER_SHELF = 1
    STORAGE = 2


class LoopKind(IntEnum):
    """Medium that carries heat away from the GPUs."""

    LIQUID = 0
    AIR = 1
    REAR_DOOR = 2
    IMMERSION = 3

    @property
    def by_air(self) -> bool:
        """Whether air passes through the nodes."""
        return self in (LoopKind.AIR, LoopKind.REAR_DOOR)


@dataclass
class Halls:
    """Rooms; the floor is the rectangle (x0, y0)-(x1, y1), round the walls where there are some."""

    ids: list[str]
    titles: list[str]
    x0_m: Floats
    y0_m: Floats
    x1_m: Floats
    y1_m: Floats
    dew_point_c: Floats
    air_class: list[str]  # ASHRAE: A1 .. A4
    shift_x_m: Floats  # site x less x in the coordinates of the hall, in which the scenario gives places
    floor_load_pa: Floats
    buildings: list[BuildingShape]  # in coordinates of the site; an empty one where nothing is known


@dataclass
class Rows:
    """Rows of racks, from (x0, y) to (x1, y) through the rack centres."""

    ids: list[str]
    labels: list[str]  # "ROW A"
    hall: Ints32
    x0_m: Floats
    x1_m: Floats
    y_m: Floats
    depth_m: Floats
    height_m: Floats
    facing: Ints32  # +1: fronts look to +y, -1: to -y
    contained: Ints32  # containment of the aisle in front (+1), behind (-1), none (0)
    present: Bools


@dataclass
class Racks:
    """Cabinets; (x, y) is the centre of the footprint, on the floor."""

    ids: list[str]
    row: Ints32
    hall: Ints32
    kind: Ints32  # RackKind
    part: list[str]
    x_m: Floats
    y_m: Floats
    width_m: Floats
    depth_m: Floats
    height_m: Floats
    facing: Ints32
    units_u: Ints32
    loop: Ints32  # liquid loop of its cold plates, -1 when air-cooled
    air_loop: Ints32  # air loop of its room air
    feed_a: Ints32  # power stage items, -1 none
    feed_b: Ints32
    shelf_part: list[str]  # power shelf of the catalogue; "": nodes have power supplies of their own
    shelves: Ints32  # even ones hang on feed A, odd ones on feed B
    shelves_needed: Ints32
    gear_w: (
        Floats  # typical power of the switches that the rack part brings; those of fabrics are not among them
    )
    node_first: Ints32  # nodes of a rack are contiguous slots
    node_count: Ints32
    present: Bools


@dataclass
class Nodes:
    """Servers or compute trays."""

    ids: list[str]
    rack: Ints32
    part: Ints32  # into Plant.node_parts
    u: Ints32  # lowest rack unit, 1 = bottom
    height_u: Ints32
    column: Ints32  # place among the nodes side by side, from the left of a person before the front
    abreast: Ints32  # how many places side by side
    gpu_first: Ints32  # GPUs of a node are contiguous slots
    gpu_count: Ints32
    loop: Ints32  # the loop its GPUs reject heat to (liquid, or air when air-cooled)
    unit: Ints32  # scalable unit of the scale-out fabric, -1 none
    nics: Ints32  # scale-out ports
    nic_bytes_s: Floats  # of one, per direction
    liquid: Bools  # cold plates on the GPUs
    drained: Bools
    present: Bools


@dataclass
class Gpus:
    """GPUs; id of GPU g is f"{node id}/{index}"."""

    node: Ints32
    index: Ints32
    rack: Ints32
    part: Ints32  # into Plant.gpu_parts
    present: Bools


@dataclass
class Switches:
    """Scale-out switches, in racks."""

    ids: list[str]
    rack: Ints32
    u: Ints32
    height_u: Ints32
    part: list[str]
    role: Ints32  # SwitchRole
    fabric: Ints32
    unit: Ints32  # scalable unit, pod or group served, -1: all
    rail: Ints32  # rail it serves alone, -1 otherwise
    plane: Ints32  # of dual-homed cards, 0 or 1; -1 where cards have one cable
    ports: Ints32  # after splitting fast ports to the speed of the NICs
    port_bytes_s: Floats
    present: Bools


@dataclass
class Bundles:
    """Cables of one fabric between two places, drawn and counted together."""

    fabric: Ints32
    rail: Ints32  # of cables to nodes, axis of a torus; -1: between switches
    plane: Ints32  # rail of the lower switch (axis of a torus), -1 where it has none
    tier: Ints32  # BundleTier
    rack_a: Ints32
    rack_b: Ints32
    cables: Ints32
    cable_bytes_s: Floats
    length_m: Floats
    of_link: Ints32  # per link (node links, then switch links, then peer links): the bundle it lies in


@dataclass
class NodeLinks:
    """One cable from a network card of a node to a leaf switch each; absent nodes have none."""

    fabric: Ints32
    rail: Ints32
    node: Ints32
    leaf: Ints32  # switch slot
    nic: Ints32  # network card of the node, from 0; a dual-homed one has two cables
    plane: Ints32  # 0, or which of the cables of one card
    bytes_s: Floats  # one direction


@dataclass
class SwitchLinks:
    """Cables between two switches: leaf and spine, spine and core, or two of one tier."""

    fabric: Ints32
    lower: Ints32  # switch slots; of one tier the lower slot
    upper: Ints32
    cables: Ints32
    bytes_s: Floats  # all cables, one direction


@dataclass
class PeerLinks:
    """Cables straight from one node to another: ring and torus."""

    fabric: Ints32
    axis: Ints32  # dimension of the torus
    a: Ints32  # node slots; of a ring or torus b is the next one along the axis, after the last the first
    b: Ints32
    cables: Ints32
    bytes_s: Floats  # all cables, one direction


@dataclass
class FabricTable:
    """Kind, technology and routing of the fabrics, parallel to `Plant.fabrics`."""

    kind: list[str]  # topology
    technology: list[str]  # of the catalogue
    routing: list[str]  # adaptive or ecmp; "": as the technology does


@dataclass
class Fixtures:
    """Trays and boxes in racks that hold no GPU: NVLink switch trays, power shelves, storage boxes."""

    rack: Ints32
    u: Ints32
    height_u: Ints32
    kind: Ints32  # FixtureKind


@dataclass
class Machines:
    """CDUs and CRAHs, one entry per machine; (x, y) is the centre of the footprint."""

    loop: Ints32
    x_m: Floats
    y_m: Floats
    width_m: Floats  # along x
    depth_m: Floats  # along y
    height_m: Floats


@dataclass
class Loops:
    """Coolant and air loops: CDUs or groups of CRAHs; the place is the bounding box of the machines."""

    ids: list[str]
    labels: list[str]  # "CDU 0", "CRAH 3": the id in capitals
    kind: Ints32  # LoopKind
    part: list[str]
    hall: Ints32
    plant: Ints32
    units: Ints32
    pumps: Ints32
    supply_c: Floats  # design
    flow_m3_s: Floats  # design, whole loop
    coast_s: Floats
    recover_s: Floats  # until the other drives make up for a lost pump; inf: never
    valve: Bools  # a mixing valve holds the supply
    recirculation: Floats  # share of hot aisle air that finds its way to the inlets; 0 of liquid loops
    feed_a: Ints32  # power items of its pumps or fans, -1: the house supply (the roots of the power tree)
    feed_b: Ints32
    x_m: Floats
    y_m: Floats
    width_m: Floats
    depth_m: Floats
    height_m: Floats
    placed: Bools  # somebody said where it stands: the others keep clear of racks by themselves
    present: Bools


@dataclass
class FacilityLoops:
    """Facility water loops, each with its chillers, towers or coolers."""

    ids: list[str]
    kind: list[str]
    part: list[str]
    supply_c: Floats
    units: Ints32  # machines side by side
    needed: Ints32  # of them for the rated heat
    rated_w: Floats  # heat that the hall can make at most
    economiser: Bools
    pumps: Ints32
    pump_w: Floats  # all of them at design flow; nan: as the flow needs
    coast_s: Floats
    restart_s: Floats  # from power back to full cooling; nan: the part's
    feed_a: Ints32  # power items, -1: the house supply
    feed_b: Ints32
    present: Bools  # all are, but for pictures in which some are hidden


@dataclass
class PowerItems:
    """Items of the power tree, parents before children."""

    ids: list[str]
    kind: list[str]
    part: list[str]
    stage: Ints32
    parent: Ints32  # -1: a root of the tree, or a source beside it
    spare_parent: Ints32  # takes over when the parent is dead, -1 none
    transfer_s: Floats  # dead time of that
    bus: Ints32  # of sources on site and batteries: item whose output they push into; -1: part of the tree
    units: Ints32  # machines side by side
    needed: Ints32  # of them for the capacity
    capacity_w: Floats  # of the needed units together; nan: unlimited
    breaker_w: Floats  # rated power of the breaker at its output; nan: none
    breaker_s: Floats  # its K
    breaker_magnetic: Floats
    eco: Bools
    energy_j: Floats  # of UPS batteries and battery storage, when full; 0 none
    start_s: Floats  # of generators
    accept_s: Floats
    ramp_w_s: Floats  # of gas: its own; of a battery: what it lets through; inf: any
    peak_w: Floats  # of a battery: grid power above which it discharges; inf: never
    reserve: Floats  # of a battery: share kept for an outage
    output: Floats  # of gas and smr: share of capacity while the grid is there
    carbon_kg_j: Floats  # of what is generated here, 0 else
    x_m: Floats
    y_m: Floats
    placed: Bools  # somebody said where it stands
    feed: Ints32  # 0: feed A of what hangs on it, 1: feed B, -1: feeds nothing itself
    present: Bools


@dataclass
class Stores:
    """Stores that checkpoints and input come from and go to; all boxes of a store together."""

    ids: list[str]
    part: list[str]
    tier: list[str]  # object, parallel, nvme, memory
    count: Ints32
    read_bytes_s: Floats
    write_bytes_s: Floats
    operations_s: Floats  # inf: not known to limit
    capacity_bytes: Floats  # inf: not known to limit
    first_byte_s: Floats  # 0: not known to limit
    behind: Ints32  # store that it is filled from, -1 none
    rack: Ints32  # rack of the first box, -1 not in a rack


@dataclass
class Plant:
    """All tables of a scene, and the epoch of their structure."""

    epoch: int
    node_parts: list[str]
    gpu_parts: list[str]
    halls: Halls
    rows: Rows
    racks: Racks
    nodes: Nodes
    gpus: Gpus
    switches: Switches
    node_links: NodeLinks
    switch_links: SwitchLinks
    peer_links: PeerLinks
    bundles: Bundles
    fixtures: Fixtures
    machines: Machines
    loops: Loops
    plants: FacilityLoops
    power: PowerItems
    fabrics: list[str]
    fabric_table: FabricTable
    stores: list[str]
    storage: Stores
    catalog: Catalog = field(default_factory=load_catalog, repr=False, compare=False)
    """Parts that it was built with."""

    def gpu_id(self, gpu: int) -> str:
        """Return the id of GPU slot `gpu`."""
        return f"{self.nodes.ids[int(self.gpus.node[gpu])]}/{int(self.gpus.index[gpu])}"

    @cached_property
    def slots(self) -> dict[str, tuple[Kind, int]]:
        """Kind and slot of each id, GPUs excepted (see `twin.plant.find.find`)."""
        found: dict[str, tuple[Kind, int]] = {}
        tables: list[tuple[Kind, list[str], Bools | None]] = [
            ("fabric", self.fabrics, None),
            ("store", self.stores, None),
            ("plant", self.plants.ids, None),
            ("power", self.power.ids, self.power.present),
            ("loop", self.loops.ids, self.loops.present),
            ("switch", self.switches.ids, self.switches.present),
            ("node", self.nodes.ids, self.nodes.present),
            ("rack", self.racks.ids, self.racks.present),
            ("row", self.rows.ids, self.rows.present),
            ("hall", self.halls.ids, None),
        ]
        for kind, ids, present in tables:
            places = zip(ids, zip(repeat(kind), range(len(ids)), strict=False), strict=True)
            found.update(places if present is None else compress(places, present.tolist()))
        return found
