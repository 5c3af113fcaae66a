"""Part types of the building: power chain and cooling plant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twin.catalog import fields
from twin.catalog.efficiency import EfficiencyCurve
from twin.catalog.part import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerStage(Part):
    """A stage of the power chain: what comes out, what it loses."""

    capacity_w: float = fields.quantity("power", "Rated output")
    efficiency: EfficiencyCurve = fields.efficiency(  # noqa: RUF009
        "Output over input, at loads as a share of the rating"
    )
    constant_loss_w: float | None = fields.quantity(
        "power", "Loss that does not depend on load", optional=True, zero=True
    )

    def input_coefficients(self) -> tuple[float, float, float]:
        """Return (a_w, b, c_per_w) of P_in = a + b P_out + c P_out^2 [W]."""
        a_w, b, c_per_w = self.efficiency.input_coefficients(self.capacity_w)
        # Published as P_in = (P_out + loss) / efficiency, so the constant loss is divided too.
        return a_w + (self.constant_loss_w or 0.0) * b, b, c_per_w


@dataclass(frozen=True, slots=True, kw_only=True)
class PsuPart(PowerStage):
    """One power supply or rectifier module."""

    KIND: ClassVar[str] = "psu"


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerShelfPart(PowerStage):
    """A shelf of power supplies that feeds the busbar of a rack."""

    KIND: ClassVar[str] = "power_shelf"

    psu_count: int = fields.count("Power supplies in the shelf")
    psu_capacity_w: float = fields.quantity("power", "Capacity of one power supply")


@dataclass(frozen=True, slots=True, kw_only=True)
class BusbarPart(PowerStage):
    """Low-voltage busbar inside a rack, or overhead busway."""

    KIND: ClassVar[str] = "busbar"

    voltage_v: float = fields.quantity("voltage", "Nominal voltage")
    current_a: float = fields.quantity("current", "Rated current")
    phases: int = fields.count("1 for direct current, 3 for three-phase")


@dataclass(frozen=True, slots=True, kw_only=True)
class PduPart(PowerStage):
    """Rack or floor power distribution unit, with its breaker."""

    KIND: ClassVar[str] = "pdu"

    voltage_v: float = fields.quantity("voltage", "Line-to-line voltage")
    current_a: float = fields.quantity("current", "Breaker rating")
    phases: int = fields.count("Phases")
    continuous_fraction: float = fields.quantity("fraction", "Share of the breaker one may load for long")


@dataclass(frozen=True, slots=True, kw_only=True)
class UpsPart(PowerStage):
    """Uninterruptible power supply with its battery."""

    KIND: ClassVar[str] = "ups"

    eco_efficiency: float = fields.quantity("fraction", "Efficiency in eco mode")
    battery_s: float = fields.quantity("duration", "Ride-through at full load")


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformerPart(PowerStage):
    """Medium to low voltage transformer."""

    KIND: ClassVar[str] = "transformer"


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratorPart(Part):
    """Generator on site."""

    KIND: ClassVar[str] = "generator"

    capacity_w: float = fields.quantity("power", "Rated electric output")
    efficiency: EfficiencyCurve = fields.efficiency("Electric output over heat of the fuel")  # noqa: RUF009
    start_s: float | None = fields.quantity("duration", "Start until it can take load", optional=True)
    load_accept_s: float | None = fields.quantity("duration", "Until it carries full load", optional=True)
    carbon_kg_j: float = fields.quantity("carbon_intensity", "CO2 per electric energy")


@dataclass(frozen=True, slots=True, kw_only=True)
class BatteryPart(Part):
    """Battery storage for ramps and peaks."""

    KIND: ClassVar[str] = "battery"

    capacity_w: float = fields.quantity("power", "Rated power")
    energy_j: float = fields.quantity("energy", "Usable energy")
    round_trip_efficiency: float = fields.quantity("fraction", "Energy out over energy in")


@dataclass(frozen=True, slots=True, kw_only=True)
class CduPart(Part):
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
class CrahPart(Part):
    """Computer room air handler."""

    KIND: ClassVar[str] = "crah"

    capacity_w: float = fields.quantity("power", "Heat it can take from the room")
    airflow_m3_s: float = fields.quantity("volume_flow", "Air at full fan speed")
    fan_w: float = fields.quantity("power", "Fans at full speed")


@dataclass(frozen=True, slots=True, kw_only=True)
class RdhxPart(Part):
    """Rear door heat exchanger."""

    KIND: ClassVar[str] = "rdhx"

    capacity_w: float = fields.quantity("power", "Heat it can take from the exhaust of its rack")
    approach_k: float = fields.quantity("temperature_difference", "Air out over water in at capacity")
    fan_w: float = fields.quantity("power", "Fans at full speed")


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
class DryCoolerPart(Part):
    """Dry cooler."""

    KIND: ClassVar[str] = "dry_cooler"

    capacity_w: float = fields.quantity("power", "Heat at its design point")
    approach_k: float = fields.quantity("temperature_difference", "Water out over dry bulb at capacity")
    fan_fraction: float = fields.quantity("fraction", "Fan power per heat at capacity")


@dataclass(frozen=True, slots=True, kw_only=True)
class CoolingTowerPart(Part):
    """Evaporative cooling tower."""

    KIND: ClassVar[str] = "cooling_tower"

    capacity_w: float = fields.quantity("power", "Heat at its design point")
    approach_k: float = fields.quantity("temperature_difference", "Water out over wet bulb at capacity")
    fan_fraction: float = fields.quantity("fraction", "Fan power per heat at capacity")
    water_m3_j: float = fields.quantity("volume_per_energy", "Water evaporated and blown down per heat")
