"""Run every check over a catalogue."""

from __future__ import annotations

from twin.catalog.catalog import Catalog
from twin.catalog.compute_parts import GpuPart, NodePart, RackPart, StoragePart
from twin.catalog.network_parts import CablePart, NicPart, SwitchPart, TechnologyPart
from twin.catalog.part import Part
from twin.catalog.plausibility import compute, cooling, network, power, price, rack
from twin.catalog.plausibility.finding import CatalogFinding, Findings
from twin.catalog.plausibility.known_models import known_model
from twin.catalog.power_parts import PowerStagePart


def check(catalog: Catalog) -> list[CatalogFinding]:
    """Return the findings in a catalogue, part by part in its order; empty when all is well.

    Rules: dense against sparse rates, port counts, GPUs x TDP < node max < power supplies with redundancy,
    idle nodes against their idle parts,
    height against power and airflow, liquid claims, ordered temperatures and clocks, efficiencies in (0, 1],
    flow per kW, reach by medium, breaker arithmetic, prices, and the published figures of well-known models.
    """
    return [finding for part in catalog for finding in findings_of(part, catalog)]


def findings_of(part: Part, catalog: Catalog) -> Findings:
    """Yield the findings in one part of a catalogue."""
    if isinstance(part, GpuPart):
        yield from compute.gpu(part)
    elif isinstance(part, NodePart):
        yield from compute.node(part, catalog.gpu(part.gpu))
        yield from compute.idle_parts(part, catalog)
    elif isinstance(part, RackPart):
        yield from rack.rack(part, catalog)
    elif isinstance(part, SwitchPart):
        yield from network.switch(part)
        yield from network.spoken(part, catalog)
    elif isinstance(part, TechnologyPart):
        yield from network.technology(part)
    elif isinstance(part, CablePart):
        yield from network.cable(part)
    elif isinstance(part, NicPart):
        yield from network.nic(part)
    elif isinstance(part, StoragePart):
        yield from compute.storage(part)
    elif isinstance(part, PowerStagePart):
        yield from power.stage(part)
    else:
        yield from power.source(part)
        yield from cooling.gear(part)
    yield from price.price(part, catalog)
    yield from known_model(part)
