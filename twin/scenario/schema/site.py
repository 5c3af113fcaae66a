"""Where the hardware stands: site, halls, rows, racks and nodes as generators with sparse overrides."""

from __future__ import annotations

from ipaddress import AddressValueError, IPv4Network
from typing import Annotated, Literal

from pydantic import Field, field_validator

from twin.scenario.schema import hourly_text
from twin.scenario.schema.base import DocumentPart, Id, ItemId
from twin.scenario.schema.building import Building, Point
from twin.scenario.schema.quantity import (
    Carbon,
    Fraction,
    Length,
    Power,
    PowerRamp,
    Pressure,
    Price,
    Temperature,
    TemperatureDifference,
)

Share = Annotated[float, Field(ge=0, le=100)]

CABINET_UNITS = 48
"""Height of a rack that names no part of the catalogue [U]."""

CLIMATE_HOURS = ("dry_bulb", "wet_bulb", "dew_point")
"""Columns of the packed hours of a climate [C]."""
GRID_HOURS = ("price", "carbon")
"""Columns a packed year of a grid may have [USD/MWh], [g/kWh]."""


class Climate(DocumentPart):
    """Outdoor air: a typical year of a place, a weather file, or one mean day again and again."""

    place: str | None = Field(
        default=None,
        max_length=80,
        description="typical year of assets/weather/places.yaml, such as phoenix; replaces the mean day",
    )
    file: str | None = Field(
        default=None,
        description="hourly year instead: an EPW or CSV file in the scene's folder, or builtin:NAME",
    )
    dry_bulb_c: Temperature = Field(
        default=15.0, alias="dry_bulb", ge=-90, le=70, description="daily mean of the outdoor air"
    )
    wet_bulb_c: Temperature = Field(
        default=10.0, alias="wet_bulb", ge=-90, le=70, description="daily mean wet bulb, at most dry_bulb"
    )
    swing_k: TemperatureDifference = Field(
        default=8.0, alias="swing", ge=0, le=40, description="peak to trough within a day; warmest at 15:00"
    )
    hours: str | None = Field(
        default=None,
        description="hours of the file, packed by the program so that runs need no file; leave it out",
    )

    @field_validator("hours")
    @classmethod
    def _can_be_unpacked(cls, value: str | None) -> str | None:
        if value is not None and set(hourly_text.unpack(value, CLIMATE_HOURS)) != set(CLIMATE_HOURS):
            raise ValueError(f"must hold the columns {', '.join(CLIMATE_HOURS)}; remove it and name a file")
        return value


class Grid(DocumentPart):
    """What a kilowatt-hour costs and emits, and what the grid operator allows."""

    carbon_kg_j: Carbon = Field(default=4.0e-1 / 3.6e6, alias="carbon", ge=0, description="carbon intensity")
    price_usd_j: Price = Field(default=0.08 / 3.6e6, alias="price", ge=0, description="energy price")
    carbon_day: tuple[Share, ...] = Field(
        default=(), description="24 factors on the carbon intensity, by local hour; none: all 1"
    )
    price_day: tuple[Share, ...] = Field(
        default=(), description="24 factors on the price, by local hour; none: all 1"
    )
    file: str | None = Field(
        default=None,
        description="hourly year instead: a CSV file in the scene's folder with a column price, carbon, or both",
    )
    hours: str | None = Field(
        default=None,
        description="hours of the file, packed by the program so that runs need no file; leave it out",
    )
    ramp_w_s: PowerRamp | None = Field(
        default=None, alias="ramp", gt=0, description="steepest change of load allowed; none: no limit"
    )
    peak_w: Power | None = Field(
        default=None,
        alias="peak",
        gt=0,
        description="contracted peak; power above it is counted; none: no limit",
    )

    @field_validator("hours")
    @classmethod
    def _can_be_unpacked(cls, value: str | None) -> str | None:
        if value is not None:
            hourly_text.unpack(value, GRID_HOURS)
        return value

    @field_validator("carbon_day", "price_day")
    @classmethod
    def _has_a_day(cls, value: tuple[float, ...]) -> tuple[float, ...]:
        if len(value) not in (0, 24):
            raise ValueError(f"must have 24 factors, one for each hour from midnight, not {len(value)}")
        return value


class PowerPurchase(DocumentPart):
    """A power purchase agreement: of what a park makes in an hour the site takes what it draws from the grid."""

    id: Id = Field(description="permanent id of the contract")
    kind: Literal["solar", "wind"] = Field(description="of the park")
    power_w: Power = Field(alias="power", gt=0, le=1e12, description="rated power of the contract")
    price_usd_j: Price | None = Field(
        default=None,
        alias="price",
        ge=0,
        description="of what is taken; none: ppa-solar or ppa-wind of the catalogue's prices",
    )
    carbon_kg_j: Carbon = Field(default=0.0, alias="carbon", ge=0, description="of what is taken")
    mean_output: Fraction = Field(
        default=0.35,
        ge=0.05,
        le=0.6,
        description="wind: mean output over rated power; solar: the sun of the place says it",
    )


class HeatSale(DocumentPart):
    """Heat sold to a network beside the site, as much of it as is asked for and warm enough."""

    id: Id = Field(description="permanent id of the contract")
    demand_w: Power = Field(alias="demand", gt=0, le=1e12, description="highest demand")
    temp_c: Temperature = Field(
        alias="temperature",
        ge=10,
        le=90,
        description="that the heat must have: the return of a loop less an approach of 3 K",
    )
    below_c: Temperature | None = Field(
        default=None,
        alias="below",
        ge=-30,
        le=40,
        description="outdoor air below which heat is asked for, all of it in the coldest hour; none: all year",
    )
    price_usd_j: Price | None = Field(
        default=None, alias="price", ge=0, description="none: heat-sold of the catalogue's prices"
    )


RedundancyLevel = Literal["N", "N+1", "2N"]
"""N: as much as is needed; N+1: one machine more in each group; 2N: everything twice, on two separate paths."""


class Redundancy(DocumentPart):
    """The target that wiring and the room builder build to, and that the rule `single-point` checks."""

    power: RedundancyLevel | None = Field(
        default=None,
        description="utility, transformer, UPS, generator, PDU: N, N+1 or 2N; none: nothing is asked",
    )
    cooling: RedundancyLevel | None = Field(
        default=None, description="CDU, air handler, pump, chiller: N, N+1 or 2N; none: nothing is asked"
    )
    network: RedundancyLevel | None = Field(
        default=None, description="leaf and spine: N, N+1 or 2N; none: nothing is asked"
    )


class AddressNetwork(DocumentPart):
    """Addresses of one network: a row of racks has a subnet and a VLAN of its own."""

    prefix: str | None = Field(
        default=None,
        max_length=18,
        description="IPv4, such as 10.20.0.0/16; none: a private range (RFC 1918)",
    )
    vlan: int | None = Field(
        default=None, ge=1, le=4094, description="VLAN of its first subnet; the others count up from it"
    )

    @field_validator("prefix")
    @classmethod
    def _is_a_prefix(cls, value: str | None) -> str | None:
        if value is not None:
            try:
                IPv4Network(value)
            except AddressValueError:
                raise ValueError("is no IPv4 prefix; write it like 10.20.0.0/16") from None
            except ValueError as error:
                raise ValueError(f"is no prefix: {error}") from None
        return value


class Addresses(DocumentPart):
    """The IP and VLAN plan: addresses follow hall, row, rack and rack unit; no effect on a run."""

    racks_per_row: int | None = Field(
        default=None,
        ge=1,
        le=4096,
        description="racks that a row has addresses for; none: the power of two above the longest row, at least 32",
    )
    facility: AddressNetwork = Field(
        default=AddressNetwork(), description="controllers of power and cooling; 172.16.0.0/16 from VLAN 10"
    )
    out_of_band: AddressNetwork = Field(
        default=AddressNetwork(),
        description="management of nodes, switches, trays and shelves; 10.0.0.0/10 from VLAN 100",
    )
    in_band: AddressNetwork = Field(
        default=AddressNetwork(), description="the operating system of nodes; 10.64.0.0/10 from VLAN 600"
    )
    storage: AddressNetwork = Field(
        default=AddressNetwork(),
        description="storage adapters of nodes, and boxes of storage; 10.128.0.0/10 from VLAN 1100",
    )
    compute: AddressNetwork = Field(
        default=AddressNetwork(),
        description="network cards of the fabrics, rail by rail; 10.192.0.0/10 from VLAN 2100",
    )


class Site(DocumentPart):
    """The place: name, time zone, weather, grid, and how much of it may fail."""

    name: str = Field(default="unnamed site", description="display name")
    timezone: str = Field(
        default="UTC",
        description="IANA name, such as Europe/Berlin; not set: that of the climate's place, or UTC",
    )
    latitude_deg: float | None = Field(
        default=None,
        alias="latitude",
        ge=-90,
        le=90,
        description="for the sun on solar panels; north is positive; none: that of the climate, or 40",
    )
    climate: Climate = Field(default=Climate(), description="outdoor air")
    grid: Grid = Field(default=Grid(), description="electricity supply")
    power_purchases: tuple[PowerPurchase, ...] = Field(
        default=(),
        max_length=50,
        description="power bought from parks hour by hour, in this order; no effect on a run",
    )
    heat_sales: tuple[HeatSale, ...] = Field(
        default=(), max_length=50, description="heat that is sold, in this order; no effect on a run"
    )
    redundancy: Redundancy = Field(
        default=Redundancy(), description="what may fail without taking GPUs along, as a target"
    )
    addresses: Addresses | None = Field(
        default=None, description="IP and VLAN plan of `twin addresses`; none: private ranges"
    )


class NodeGroup(DocumentPart):
    """Nodes of one part, stacked upwards in each rack of the generator."""

    part: str = Field(description="node part of the catalogue, such as DGX-H100")
    count: int = Field(ge=1, le=256, description="nodes in each rack")
    first_u: int = Field(default=1, ge=1, le=60, description="lowest rack unit of the lowest node")
    abreast: int = Field(default=1, ge=1, le=8, description="nodes side by side in one rack unit")


class Shelves(DocumentPart):
    """Power shelves that feed the busbar of a rack."""

    part: str = Field(description="power shelf of the catalogue")
    count: int = Field(ge=1, le=64, description="in each rack; even ones are on feed A, odd ones on feed B")
    needed: int | None = Field(default=None, ge=1, le=64, description="for full load; none: all")


class RackGenerator(DocumentPart):
    """Racks of a row. A rack part of the catalogue (GB200-NVL72) brings its own nodes."""

    count: int = Field(ge=1, le=2000, description="racks in each row")
    part: str | None = Field(default=None, description="rack part of the catalogue; none: a 48 U cabinet")
    pitch_m: Length = Field(
        default=0.6, alias="pitch", gt=0, le=5, description="centre to centre along the row"
    )
    nodes: tuple[NodeGroup, ...] = Field(default=(), description="equipment of each rack")
    shelves: Shelves | None = Field(
        default=None, description="power shelves; none: the rack part's, or nodes have power supplies"
    )
    role: Literal["compute", "network", "storage"] = Field(
        default="compute", description="purpose of the rack"
    )


class Stand(Point):
    """Where a machine stands: the middle of its footprint."""

    hall: Id | None = Field(default=None, description="room; none: that of what it serves, else the first")


class RowGenerator(DocumentPart):
    """A generator of parallel rows; row ``i`` is ``id/i``, its rack ``j`` is ``id/i/j``."""

    id: Id = Field(description="permanent id of this generator")
    label: str = Field(default="ROW", max_length=200, description="row label before its letter")
    count: int = Field(default=1, ge=1, le=500, description="rows")
    at: Point = Field(default=Point(), description="corner where row 0 starts")
    pitch_m: Length = Field(default=3.0, alias="pitch", gt=0, le=20, description="row to row, across")
    facing: Literal["alternate", "north", "south"] = Field(
        default="alternate", description="side of the rack fronts; alternate makes cold and hot aisles"
    )
    containment: Literal["hot", "cold", "none"] = Field(
        default="hot", description="which aisle has containment"
    )
    racks: RackGenerator = Field(description="the racks of each row")


class Override(DocumentPart):
    """What differs for one generated item."""

    absent: bool = Field(default=False, description="removed")
    part: str | None = Field(default=None, description="another node or rack part")
    at: Point | None = Field(
        default=None,
        description="another place on the floor: the middle of a rack, the corner where a row begins",
    )
    facing: Literal["north", "south"] | None = Field(
        default=None, description="row, rack: side of its fronts; none: the generator's"
    )
    rack: ItemId | None = Field(
        default=None, description="node: rack it has moved to; none: the one it is named after"
    )
    u: int | None = Field(
        default=None,
        ge=1,
        le=60,
        description="node: its lowest rack unit; with a part, and a number beyond those that the generator makes, one "
        "node more",
    )
    drained: bool = Field(default=False, description="node: drained at the start")


class Hall(DocumentPart):
    """A room with rows."""

    id: Id = Field(description="permanent id of the hall")
    title: str = Field(default="", description="display name")
    dew_point_c: Temperature = Field(
        default=11.0,
        alias="dew_point",
        ge=-20,
        le=30,
        description="of its air, as the humidity control holds it",
    )
    air_class: Literal["A1", "A2", "A3", "A4"] = Field(
        default="A2", description="ASHRAE class of its equipment, which sets the allowed inlet air"
    )
    floor_load_pa: Pressure = Field(
        default=12e3,
        alias="floor_load",
        gt=0,
        description="floor load limit, spread over the rack and half the aisles beside it",
    )
    building: Building | None = Field(
        default=None,
        description="walls, columns, doors, ceiling; none: the floor ends round what stands on it",
    )
    rows: tuple[RowGenerator, ...] = Field(default=(), description="row generators")
    overrides: dict[ItemId, Override] = Field(default={}, description="changes by id of the item")
