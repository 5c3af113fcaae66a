"""Typed parts with the source and standing of every number."""

from twin.catalog.catalog import Catalog, catalog_from_texts, load_catalog
from twin.catalog.cause_parts import CausePart
from twin.catalog.compute_parts import CpuPart, GpuPart, NodePart, RackPart, StoragePart
from twin.catalog.cooling_parts import (
    CduPart,
    ChillerPart,
    CoolingTowerPart,
    CrahPart,
    DryCoolerPart,
    RdhxPart,
)
from twin.catalog.efficiency import EfficiencyCurve
from twin.catalog.errors import CatalogError, UnknownPart
from twin.catalog.figure import Figure
from twin.catalog.listing import check_rows, list_rows, show_rows
from twin.catalog.network_parts import CablePart, NicPart, SwitchPart, TechnologyPart
from twin.catalog.part import RACK_UNIT_M, Part, PartGroup
from twin.catalog.plausibility import CatalogFinding, check
from twin.catalog.power_parts import (
    BatteryPart,
    BusbarPart,
    GeneratorPart,
    PduPart,
    PowerShelfPart,
    PowerStagePart,
    PsuPart,
    TransformerPart,
    UpsPart,
)

__all__ = [
    "RACK_UNIT_M",
    "BatteryPart",
    "BusbarPart",
    "CablePart",
    "Catalog",
    "CatalogError",
    "CatalogFinding",
    "CausePart",
    "CduPart",
    "ChillerPart",
    "CoolingTowerPart",
    "CpuPart",
    "CrahPart",
    "DryCoolerPart",
    "EfficiencyCurve",
    "Figure",
    "GeneratorPart",
    "GpuPart",
    "NicPart",
    "NodePart",
    "Part",
    "PartGroup",
    "PduPart",
    "PowerShelfPart",
    "PowerStagePart",
    "PsuPart",
    "RackPart",
    "RdhxPart",
    "StoragePart",
    "SwitchPart",
    "TechnologyPart",
    "TransformerPart",
    "UnknownPart",
    "UpsPart",
    "catalog_from_texts",
    "check",
    "check_rows",
    "list_rows",
    "load_catalog",
    "show_rows",
]
