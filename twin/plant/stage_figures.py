"""Figures of one power stage: those of the scene, else those of its part."""

from __future__ import annotations

import math
from dataclasses import dataclass

from twin.catalog import BatteryPart, Catalog, GeneratorPart, UpsPart
from twin.catalog import PowerStagePart as StagePart
from twin.catalog.power_parts import SolarPart
from twin.language import tr
from twin.scenario.schema.electricity import PowerStage

STAGE_TITLES: dict[str, str] = {
    "utility": tr("Utility"),
    "transformer": tr("Transformers"),
    "switchgear": tr("Switchgear"),
    "ups": "UPS",
    "pdu": "PDUs",
    "busbar": tr("Busbars"),
    "generator": tr("Generators"),
    "gas": tr("Gas engines"),
    "smr": tr("Reactors"),
    "solar": tr("Solar panels"),
    "battery": tr("Batteries"),
}
"""Kinds of stages, several of them."""


@dataclass(frozen=True)
class StageFigures:
    """Columns of `twin.plant.tables.PowerItems` that all items of a stage share; meanings are given there."""

    transfer_s: float
    units: int
    needed: int
    capacity_w: float
    breaker_w: float
    breaker_s: float
    breaker_magnetic: float
    eco: bool
    energy_j: float
    start_s: float
    accept_s: float
    ramp_w_s: float
    peak_w: float
    reserve: float
    output: float
    carbon_kg_j: float


@dataclass(frozen=True)
class SourceStart:
    """How a source on site starts: until it can take load, from then to its full load [s]; and its carbon [kg/J]."""

    start_s: float
    accept_s: float
    carbon_kg_j: float


G_KWH = 1e-3 / 3.6e6
USUAL = {
    "generator": SourceStart(10.0, 30.0, 750 * G_KWH),  # as diesel-genset-3MW [recalled]
    "gas": SourceStart(
        120.0, 0.0, 430 * G_KWH
    ),  # as gas-recip-10MW; its ramp limits how it takes load [recalled]
    "smr": SourceStart(0.0, 0.0, 12 * G_KWH),  # as SMR-77MWe [recalled]
    "solar": SourceStart(0.0, 0.0, 40 * G_KWH),  # as solar-field-10MW [recalled]
}
"""Of a source where neither the scene nor its part says it: no engine starts at once, none is without carbon."""


def figures_of(stage: PowerStage, catalog: Catalog) -> StageFigures:
    """Return the figures of one item of a stage."""
    part = catalog.part(stage.part) if stage.part is not None else None
    unit_w = stage.capacity_w
    if unit_w is None:
        unit_w = (
            part.capacity_w
            if isinstance(part, StagePart | GeneratorPart | BatteryPart | SolarPart)
            else math.nan
        )
    needed = min(stage.needed or stage.units, stage.units)
    capacity_w = unit_w * needed
    breaker = stage.breaker
    generator = part if isinstance(part, GeneratorPart) else None
    usual = USUAL.get(stage.kind, SourceStart(0.0, 0.0, 0.0))
    return StageFigures(
        transfer_s=stage.transfer_s,
        units=stage.units,
        needed=needed,
        capacity_w=capacity_w,
        breaker_w=breaker.rating * capacity_w if breaker else math.nan,
        breaker_s=breaker.thermal_s if breaker else math.nan,
        breaker_magnetic=breaker.magnetic if breaker else math.nan,
        eco=stage.eco,
        energy_j=_energy_j(stage, part, unit_w) * stage.units,
        start_s=_first(stage.start_s, generator.start_s if generator else None, usual.start_s),
        accept_s=_first(stage.accept_s, generator.load_accept_s if generator else None, usual.accept_s),
        ramp_w_s=stage.ramp_w_s or math.inf,
        peak_w=stage.peak_w or math.inf,
        reserve=stage.reserve,
        output=stage.output,
        carbon_kg_j=part.carbon_kg_j if isinstance(part, GeneratorPart | SolarPart) else usual.carbon_kg_j,
    )


def _first(*values: float | None) -> float:
    """Return the first figure that is known."""
    return next(value for value in values if value is not None)


def _energy_j(stage: PowerStage, part: object, unit_w: float) -> float:
    """Return the energy of the battery of one unit [J], 0 without one."""
    if stage.kind == "battery":
        return _first(stage.energy_j, part.energy_j if isinstance(part, BatteryPart) else None, 0.0)
    if stage.kind != "ups" or math.isnan(unit_w):
        return 0.0
    return unit_w * _first(stage.battery_s, part.battery_s if isinstance(part, UpsPart) else None, 0.0)
