"""Where the hardware stands: site, halls, rows, racks and nodes as generators with sparse overrides."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from twin.scenario.base import Id, ItemId, Part
from twin.scenario.quantity import Carbon, Length, Price, Temperature, TemperatureDifference

CABINET_UNITS = 48
"""Height of a rack that names no part of the catalogue [U]."""


class Climate(Part):
    """Outdoor air through the day: a mean and a daily swing."""

    dry_bulb_c: Temperature = Field(
        default=15.0, alias="dry_bulb", description="daily mean of the outdoor air"
    )
    wet_bulb_c: Temperature = Field(default=10.0, alias="wet_bulb", description="daily mean wet bulb")
    swing_k: TemperatureDifference = Field(
        default=8.0, alias="swing", ge=0, le=40, description="peak to trough within a day; warmest at 15:00"
    )


class Grid(Part):
    """What a kilowatt-hour costs and emits."""

    carbon_kg_j: Carbon = Field(default=4.0e-1 / 3.6e6, alias="carbon", ge=0, description="carbon intensity")
    price_usd_j: Price = Field(default=0.08 / 3.6e6, alias="price", ge=0, description="energy price")


class Site(Part):
    """The place: name, time zone, weather, grid."""

    name: str = Field(default="unnamed site", description="as people call it")
    timezone: str = Field(default="UTC", description="IANA name, such as Europe/Berlin")
    climate: Climate = Field(default=Climate(), description="outdoor air")
    grid: Grid = Field(default=Grid(), description="electricity supply")


class NodeGroup(Part):
    """Nodes of one part, stacked upwards in each rack of the generator."""

    part: str = Field(description="node part of the catalogue, such as DGX-H100")
    count: int = Field(ge=1, le=64, description="nodes in each rack")
    first_u: int = Field(default=1, ge=1, le=60, description="lowest rack unit of the lowest node")


class Racks(Part):
    """Racks of a row. A rack part of the catalogue (GB200-NVL72) brings its own nodes."""

    count: int = Field(ge=1, le=2000, description="racks in each row")
    part: str | None = Field(default=None, description="rack part of the catalogue; none: a 48 U cabinet")
    pitch_m: Length = Field(
        default=0.6, alias="pitch", gt=0, le=5, description="centre to centre along the row"
    )
    nodes: tuple[NodeGroup, ...] = Field(default=(), description="what stands in each rack")
    role: Literal["compute", "network", "storage"] = Field(
        default="compute", description="what the rack is for"
    )


class Point(Part):
    """A place on the floor of the hall."""

    x_m: Length = Field(default=0.0, alias="x", description="along the rows")
    y_m: Length = Field(default=0.0, alias="y", description="across the rows")


class Rows(Part):
    """A generator of parallel rows; row ``i`` is ``id/i``, its rack ``j`` is ``id/i/j``."""

    id: Id = Field(description="name of this generator, for ever")
    label: str = Field(default="ROW", description="what the label over a row says before its letter")
    count: int = Field(default=1, ge=1, le=500, description="rows")
    at: Point = Field(default=Point(), description="the corner where row 0 begins")
    pitch_m: Length = Field(default=3.0, alias="pitch", gt=0, le=20, description="row to row, across")
    facing: Literal["alternate", "north", "south"] = Field(
        default="alternate", description="side of the rack fronts; alternate makes cold and hot aisles"
    )
    containment: Literal["hot", "cold", "none"] = Field(
        default="hot", description="which aisle is closed off"
    )
    racks: Racks = Field(description="the racks of each row")


class Override(Part):
    """What differs for one generated item."""

    absent: bool = Field(default=False, description="not there")
    part: str | None = Field(default=None, description="another node or rack part")
    at: Point | None = Field(default=None, description="rack: another place on the floor")
    drained: bool = Field(default=False, description="node: there but given no work at the start")


class Hall(Part):
    """A room with rows."""

    id: Id = Field(description="name of the hall, for ever")
    title: str = Field(default="", description="as people call it")
    rows: tuple[Rows, ...] = Field(default=(), description="row generators")
    overrides: dict[ItemId, Override] = Field(default={}, description="what differs, by id of the item")
