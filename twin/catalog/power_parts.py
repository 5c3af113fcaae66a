"""Part types of the power chain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twin.catalog import fields
from twin.catalog.efficiency import EfficiencyCurve
from twin.catalog.part import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerStagePart(Part):
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
class PsuPart(PowerStagePart):
    """One power supply or rectifier module."""

    KIND: ClassVar[str] = "psu"


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerShelfPart(PowerStagePart):
    """A shelf of power supplies that feeds the busbar of a rack."""

    KIND: ClassVar[str] = "power_shelf"

    psu_count: int = fields.count("Power supplies in the shelf")
    psu_capacity_w: float = fields.quantity("power", "Capacity of one power supply")
    energy_j: float | None = fields.quantity(
        "energy", "Energy in its capacitors that smooths swings of load", optional=True
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchgearPart(PowerStagePart):
    """Low-voltage switchgear: main and tie breakers on a bus."""

    KIND: ClassVar[str] = "switchgear"


@dataclass(frozen=True, slots=True, kw_only=True)
class BusbarPart(PowerStagePart):
    """Low-voltage busbar inside a rack, or overhead busway."""

    KIND: ClassVar[str] = "busbar"

    voltage_v: float = fields.quantity("voltage", "Nominal voltage")
    current_a: float = fields.quantity("current", "Rated current")
    phases: int = fields.count("1 for direct current, 3 for three-phase")


@dataclass(frozen=True, slots=True, kw_only=True)
class PduPart(PowerStagePart):
    """Rack or floor power distribution unit, with its breaker."""

    KIND: ClassVar[str] = "pdu"

    voltage_v: float = fields.quantity("voltage", "Line-to-line voltage")
    current_a: float = fields.quantity("current", "Breaker rating")
    phases: int = fields.count("Phases")
    continuous_fraction: float = fields.quantity("fraction", "Share of the breaker one may load for long")


@dataclass(frozen=True, slots=True, kw_only=True)
class UpsPart(PowerStagePart):
    """Uninterruptible power supply with its battery."""

    KIND: ClassVar[str] = "ups"

    eco_efficiency: float = fields.quantity("fraction", "Efficiency in eco mode")
    battery_s: float = fields.quantity("duration", "Ride-through at full load")


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformerPart(PowerStagePart):
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
class SolarPart(Part):
    """Field of solar panels with its inverter; how much of its rating it gives is up to the sun."""

    KIND: ClassVar[str] = "solar"

    capacity_w: float = fields.quantity("power", "Rated output of its inverter")
    carbon_kg_j: float = fields.quantity("carbon_intensity", "CO2 per electric energy, of making it")


@dataclass(frozen=True, slots=True, kw_only=True)
class BatteryPart(Part):
    """Battery storage for ramps and peaks."""

    KIND: ClassVar[str] = "battery"

    capacity_w: float = fields.quantity("power", "Rated power")
    energy_j: float = fields.quantity("energy", "Usable energy")
    round_trip_efficiency: float = fields.quantity("fraction", "Energy out over energy in")
