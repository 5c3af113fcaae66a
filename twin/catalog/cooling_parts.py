"""Part types of the cooling plant, from the CDU to the tower."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twin.catalog import fields
from twin.catalog.part import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class DrivenPart(Part):
    """A machine whose fans or pumps have variable drives; what is not given is usual for its kind."""

    least_flow: float | None = fields.quantity(
        "fraction", "Flow below which its fans or pumps do not go, over rated", optional=True
    )
    standing_power: float | None = fields.quantity(
        "fraction", "Power of its motors and drives at any flow, over rated", optional=True
    )
    held_pressure: float | None = fields.quantity(
        "fraction", "Pressure that it holds at any flow, over rated", optional=True
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CduPart(DrivenPart):
    """Coolant distribution unit between the technology loop and what takes its heat."""

    KIND: ClassVar[str] = "cdu"

    rejects_to: str = fields.choice("Where the heat goes", "facility water", "room air")
    capacity_w: float = fields.quantity("power", "Heat it can move at its design point")
    flow_m3_s: float | None = fields.quantity(
        "volume_flow", "Secondary flow with the needed pumps", optional=True
    )
    approach_k: float | None = fields.quantity(
        "temperature_difference", "Secondary supply over primary supply at capacity", optional=True
    )
    pump_count: int | None = fields.count("Pumps", optional=True)
    pumps_needed: int | None = fields.count("Pumps needed at design flow", optional=True)
    power_w: float = fields.quantity("power", "Pumps and controls at design flow")


@dataclass(frozen=True, slots=True, kw_only=True)
class CrahPart(DrivenPart):
    """Computer room air handler."""

    KIND: ClassVar[str] = "crah"

    capacity_w: float = fields.quantity("power", "Heat it can take from the room")
    airflow_m3_s: float = fields.quantity("volume_flow", "Air at full fan speed")
    fan_w: float = fields.quantity("power", "Fans at full speed")


@dataclass(frozen=True, slots=True, kw_only=True)
class RdhxPart(DrivenPart):
    """Rear door heat exchanger."""

    KIND: ClassVar[str] = "rdhx"

    capacity_w: float = fields.quantity("power", "Heat it can take from the exhaust of its rack")
    approach_k: float = fields.quantity("temperature_difference", "Air out over water in at capacity")
    fan_w: float = fields.quantity("power", "Fans at full speed")


@dataclass(frozen=True, slots=True, kw_only=True)
class TankPart(DrivenPart):
    """Immersion tank: nodes stand in a fluid that a coil or a condenser cools."""

    KIND: ClassVar[str] = "tank"

    rejects_to: str = fields.choice("Where the heat goes", "facility water", "room air")
    capacity_w: float = fields.quantity("power", "Heat it can move at its design point")
    fluid_m3: float = fields.quantity("volume", "Fluid in it")
    heat_capacity_j_k: float = fields.quantity("heat_capacity", "Of its fluid")
    r_ja_k_w: float = fields.quantity("thermal_resistance", "Die to fluid, with one GPU's share of it")
    boil_c: float | None = fields.quantity(
        "temperature", "Boiling point of a two-phase fluid; none: it stays liquid", optional=True
    )
    rise_k: float = fields.quantity(
        "temperature_difference", "Fluid from the bottom of the tank to its surface, at capacity"
    )
    approach_k: float = fields.quantity(
        "temperature_difference", "Fluid at the bottom, or boiling, over facility water at capacity"
    )
    pump_count: int | None = fields.count("Pumps", optional=True)
    pumps_needed: int | None = fields.count("Pumps needed at design flow", optional=True)
    power_w: float = fields.quantity("power", "Pumps and controls at design flow")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChillerPart(Part):
    """Chiller."""

    KIND: ClassVar[str] = "chiller"

    condenser: str = fields.choice("What takes the condenser heat", "water", "air")
    capacity_w: float = fields.quantity("power", "Cooling at its design point")
    cop: float = fields.number("Cooling over electric power at its design point")
    rated_supply_c: float = fields.quantity("temperature", "Chilled water at the design point")
    rated_outdoor_c: float = fields.quantity(
        "temperature", "Outdoor air at the design point: wet bulb with a water condenser, else dry bulb"
    )
    evaporator_approach_k: float = fields.quantity(
        "temperature_difference", "Chilled water over evaporating temperature"
    )
    condenser_approach_k: float = fields.quantity(
        "temperature_difference", "Condensing over that outdoor temperature, its tower included"
    )
    restart_s: float = fields.quantity("duration", "From power back to full cooling")


@dataclass(frozen=True, slots=True, kw_only=True)
class DryCoolerPart(DrivenPart):
    """Dry cooler."""

    KIND: ClassVar[str] = "dry_cooler"

    capacity_w: float = fields.quantity("power", "Heat at its design point")
    approach_k: float = fields.quantity("temperature_difference", "Water out over dry bulb at capacity")
    fan_fraction: float = fields.quantity("fraction", "Fan power per heat at capacity")


@dataclass(frozen=True, slots=True, kw_only=True)
class CoolingTowerPart(DrivenPart):
    """Evaporative cooling tower."""

    KIND: ClassVar[str] = "cooling_tower"

    capacity_w: float = fields.quantity("power", "Heat at its design point")
    approach_k: float = fields.quantity("temperature_difference", "Water out over wet bulb at capacity")
    fan_fraction: float = fields.quantity("fraction", "Fan power per heat at capacity")
    water_m3_j: float = fields.quantity("volume_per_energy", "Water evaporated and blown down per heat")
