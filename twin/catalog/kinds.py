"""The kinds of part."""

from __future__ import annotations

from twin.catalog.cause_parts import CausePart
from twin.catalog.cloud_parts import ShapePart
from twin.catalog.compute_parts import CpuPart, GpuPart, NodePart, RackPart, StoragePart
from twin.catalog.cooling_parts import (
    CduPart,
    ChillerPart,
    CoolingTowerPart,
    CrahPart,
    DryCoolerPart,
    RdhxPart,
    TankPart,
)
from twin.catalog.fields import FieldSpec, specs
from twin.catalog.machine_failure import MachineFailurePart
from twin.catalog.network_parts import CablePart, NicPart, SwitchPart, TechnologyPart
from twin.catalog.part import Part
from twin.catalog.power_parts import (
    BatteryPart,
    BusbarPart,
    GeneratorPart,
    PduPart,
    PowerShelfPart,
    PsuPart,
    SolarPart,
    SwitchgearPart,
    TransformerPart,
    UpsPart,
)
from twin.catalog.price_parts import PricePart

PART_TYPES: dict[str, type[Part]] = {
    part_type.KIND: part_type
    for part_type in (
        GpuPart,
        CpuPart,
        NodePart,
        RackPart,
        NicPart,
        SwitchPart,
        CablePart,
        TechnologyPart,
        StoragePart,
        CausePart,
        CduPart,
        CrahPart,
        RdhxPart,
        TankPart,
        ChillerPart,
        DryCoolerPart,
        CoolingTowerPart,
        PduPart,
        BusbarPart,
        PowerShelfPart,
        PsuPart,
        UpsPart,
        SwitchgearPart,
        TransformerPart,
        GeneratorPart,
        SolarPart,
        BatteryPart,
        MachineFailurePart,
        PricePart,
        ShapePart,
    )
}
"""Kind -> type, in the order of a listing."""

PART_FIELDS: dict[str, tuple[FieldSpec, ...]] = {
    kind: specs(part_type) for kind, part_type in PART_TYPES.items()
}
"""Kind -> what a part of it may hold, in order."""
