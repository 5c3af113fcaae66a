"""Shapes for a view, as arrays: front tiles, machines, pipes, trays, bundles, busways, aisles, labels.

Metres; x along the rows, y across them, z up. Slot numbers refer to the plant's tables, -1 for none.
`twin.plant.geometry` makes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from twin.arrays import Bools, Floats, Ints32


class AisleKind(IntEnum):
    """Kind of air in an aisle."""

    COLD = 0
    HOT = 1


class PipeKind(IntEnum):
    """Which way the coolant goes."""

    SUPPLY = 0
    RETURN = 1


class WaterCircuit(IntEnum):
    """Which water it is."""

    FACILITY = 0  # plant to CDU or CRAH (FWS)
    SECONDARY = 1  # CDU to racks (TCS)


class LabelKind(IntEnum):
    """Kind of item that a label names."""

    ROW = 0
    LOOP = 1
    HALL = 2


@dataclass(frozen=True)
class Polylines:
    """Many lines in one array of points; line i is ``points[first[i]:first[i + 1]]``."""

    points: Floats  # (points, 3)
    first: Ints32  # (lines + 1,)

    def __len__(self) -> int:
        return len(self.first) - 1


@dataclass(frozen=True)
class Tiles:
    """Rectangles on rack fronts, one per slot of the table they stand for.

    Columns are counted from the left as seen by a person who stands before the rack; the tile is column
    `column` of `columns` equal ones. `u0`, `u1` are rack units above the rack's floor (fractions allowed).
    """

    rack: Ints32
    u0: Floats
    u1: Floats
    column: Ints32
    columns: Ints32


@dataclass(frozen=True)
class FixtureBoxes:
    """Front panels that carry no GPU data: NVLink switch trays, power shelves, storage boxes."""

    rack: Ints32
    u0: Floats
    u1: Floats
    kind: Ints32  # tables.FixtureKind


@dataclass(frozen=True)
class Boxes:
    """Machines on the floor, one box each (a loop of n units has n boxes); (x, y) is the centre."""

    loop: Ints32
    x_m: Floats
    y_m: Floats
    width_m: Floats  # along x
    depth_m: Floats  # along y
    height_m: Floats


@dataclass(frozen=True)
class Aisles:
    """Floor rectangles between rows."""

    hall: Ints32
    kind: Ints32  # AisleKind
    contained: Bools  # closed off by translucent walls and roof up to height_m
    x0_m: Floats
    y0_m: Floats
    x1_m: Floats
    y1_m: Floats
    height_m: Floats


@dataclass(frozen=True)
class Pipes:
    """Coolant pipes; the points of a line are in flow direction."""

    lines: Polylines
    kind: Ints32  # PipeKind
    circuit: Ints32  # Circuit
    loop: Ints32  # loop served, -1: header of the facility water
    plant: Ints32  # facility loop whose water it is, or that the loop rejects its heat to
    row: Ints32  # row of a manifold, -1 otherwise
    radius_m: Floats


@dataclass(frozen=True)
class Trays:
    """Cable trays; rows in one line share that of the first; row -1 is the tray that joins the rows of a hall."""

    lines: Polylines
    hall: Ints32
    row: Ints32
    width_m: Floats


@dataclass(frozen=True)
class TrayBundles:
    """Cables as they lie in the trays: along rows, across, and down into the racks."""

    lines: Polylines
    fabric: Ints32
    rail: Ints32  # first rail of the lane; -1: leaf to spine, of leaves that serve several rails
    rack: Ints32  # rack of a drop, -1 in a tray
    row: Ints32  # row of the tray or drop, -1 in the cross tray
    hall: Ints32
    lane: Ints32  # place in the trays, over all fabrics
    cables: Ints32
    radius_m: Floats


@dataclass(frozen=True)
class Busways:
    """Overhead power lines along the racks that a power item feeds."""

    lines: Polylines
    item: Ints32
    feed: Ints32  # 0 A, 1 B
    width_m: Floats


@dataclass(frozen=True)
class LabelAnchors:
    """Anchors of texts in space."""

    text: list[str]
    kind: Ints32  # LabelKind
    slot: Ints32  # of the table of its kind (rows, loops, halls)
    x_m: Floats
    y_m: Floats
    z_m: Floats


@dataclass(frozen=True)
class Geometry:
    """Everything to draw of one epoch of a plant."""

    epoch: int
    gpu_tiles: Tiles  # per GPU slot (absent ones too: see plant.gpus.present)
    node_tiles: Tiles  # per node slot: the whole face of the node
    switch_tiles: Tiles  # per switch slot
    fixtures: FixtureBoxes
    machines: Boxes
    aisles: Aisles
    pipes: Pipes
    trays: Trays
    bundles: TrayBundles
    busways: Busways
    labels: LabelAnchors
    bounds_m: Floats  # (2, 3): lowest and highest corner of everything
