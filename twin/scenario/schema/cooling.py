"""How heat leaves: coolant and air loops in the hall, facility water, and what gives its heat to the sky."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from twin.scenario.schema.base import DocumentPart, Id, ItemId
from twin.scenario.schema.quantity import Duration, Power, Temperature, VolumeFlow
from twin.scenario.schema.site import Stand

LoopKind = Literal["liquid", "air", "rear-door", "immersion"]
PlantKind = Literal["dry-cooler", "cooling-tower", "chiller"]


class FacilityLoop(DocumentPart):
    """Facility water and what rejects its heat to the sky."""

    id: Id = Field(description="permanent id of the facility loop")
    kind: PlantKind = Field(default="dry-cooler", description="last stage")
    part: str | None = Field(
        default=None, description="part of the catalogue; none: the usual one of its kind"
    )
    supply_c: Temperature = Field(
        default=24.0, alias="supply", ge=2, le=60, description="set point of the water sent to the hall"
    )
    units: int | None = Field(
        default=None,
        ge=1,
        le=500,
        description="chillers, towers or coolers side by side; none: as many as the rated heat needs",
    )
    needed: int | None = Field(
        default=None, ge=1, le=500, description="of them for the rated heat; none: all (N)"
    )
    economiser: bool = Field(
        default=True, description="chiller: tower or cooler alone, whenever the weather allows"
    )
    pumps: int = Field(default=2, ge=1, le=16, description="facility pumps side by side")
    pump_w: Power | None = Field(
        default=None, alias="pump", ge=0, description="all pumps at design flow; none: 1.5 bar at 65 %"
    )
    coast_s: Duration = Field(
        default=8.0, alias="coast", ge=0, le=120, description="decay time of the flow when the pumps stop"
    )
    restart_s: Duration | None = Field(
        default=None,
        alias="restart",
        ge=0,
        le=3600,
        description="from power back to full cooling; none: the part's",
    )


class Loop(DocumentPart):
    """Loops of a hall: CDUs and cold plates, CRAHs and aisles, rear doors, immersion tanks."""

    id: Id = Field(description="permanent id of the generator; loop ``i`` is ``id/i``")
    kind: LoopKind = Field(
        description="liquid: CDU and cold plates; air: CRAH and aisles; rear-door: a coil in the back of each "
        "rack; immersion: the nodes stand in a tank"
    )
    part: str = Field(description="CDU, CRAH, rear door or tank of the catalogue")
    count: int = Field(
        default=1, ge=1, le=2000, description="loops; racks are shared out among them in order"
    )
    units: int = Field(default=1, ge=1, le=500, description="machines working side by side in each loop")
    pumps: int = Field(default=2, ge=1, le=8, description="pumps (fans of an air loop) side by side")
    plant: Id = Field(description="facility loop that takes the heat")
    serves: tuple[Id, ...] = Field(default=(), description="row generators cooled by it, in order")
    places: dict[ItemId, Stand] = Field(
        default={},
        description="place of the machines of a loop, by its id; none: beside the rows it serves",
    )
    supply_c: Temperature = Field(
        default=28.0, alias="supply", ge=5, le=60, description="set point of the supply to the racks"
    )
    control: Literal["valve", "none"] = Field(
        default="valve",
        description="valve: a mixing valve on the facility side holds the supply; none: it floats",
    )
    flow_m3_s: VolumeFlow | None = Field(
        default=None, alias="flow", gt=0, description="of one loop; none: 1.2-1.5 lpm per kW of heat"
    )
    coast_s: Duration = Field(
        default=4.0, alias="coast", ge=0, le=120, description="decay time of a stopped pump"
    )
    recover_s: Duration | None = Field(
        default=None,
        alias="recover",
        ge=0,
        le=3600,
        description="after the loss of a pump, time until the drives of the others restore the flow; none: never",
    )


class Cooling(DocumentPart):
    """How heat leaves."""

    plants: tuple[FacilityLoop, ...] = Field(default=(), description="facility loops")
    loops: tuple[Loop, ...] = Field(default=(), description="coolant and air loops")
    shut_leaks: bool = Field(
        default=True, description="true: a leak isolates its rack; false: it stops the whole loop"
    )
