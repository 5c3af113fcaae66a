"""Checks of switches, cables, network adapters and technologies."""

from __future__ import annotations

from twin.catalog.catalog import Catalog
from twin.catalog.network_parts import CablePart, NicPart, SwitchPart, TechnologyPart
from twin.catalog.plausibility.finding import CatalogFinding, Findings, shown

# Longest reach by medium [m]; passive copper shrinks with speed.
_REACH_M = {"copper": 7.0, "active copper": 7.0, "multimode": 150.0, "singlemode": 40e3}
_FAST_COPPER_M = 3.5
_FAST_BYTES_S = 50e9
_SLOWEST_PORT_SHARE = 0.25


def switch(part: SwitchPart) -> Findings:
    """Yield the findings for a switch."""
    together = part.ports * part.port_bandwidth_bytes_s
    if part.fabric != "management" and abs(together - part.capacity_bytes_s) > 0.01 * part.capacity_bytes_s:
        right = part.capacity_bytes_s / part.port_bandwidth_bytes_s
        message = (
            f"{part.ports} ports of {shown(part.port_bandwidth_bytes_s, 'bandwidth')} are not its switching "
            f"capacity of {shown(part.capacity_bytes_s, 'bandwidth')}; that would be {right:g} ports"
        )
        yield CatalogFinding("error", part.id, "ports", message)
    if part.cages and part.ports % part.cages:
        message = f"{part.ports} ports do not spread evenly over {part.cages} cages"
        yield CatalogFinding("error", part.id, "ports", message)
    if part.typical_w > part.max_w:
        yield CatalogFinding("error", part.id, "typical_w", "is above the highest power")
    w_per_gbit_s = part.max_w / (part.capacity_bytes_s * 8e-9)
    if part.fabric != "management" and not 0.01 <= w_per_gbit_s <= 0.3:
        message = f"{w_per_gbit_s:.3f} W per Gb/s; switches have 0.01 to 0.3"
        yield CatalogFinding("warning", part.id, "max_w", message)


def spoken(part: SwitchPart, catalog: Catalog) -> Findings:
    """Yield the conflicts between a switch and the technology it names."""
    if not part.technology:
        return
    if part.fabric != "scale-out":
        message = f"a {part.fabric} switch speaks no scale-out technology such as {part.technology}"
        yield CatalogFinding("error", part.id, "technology", message)
    line_rate = catalog.technology(part.technology).line_rate_bytes_s
    port = part.port_bandwidth_bytes_s
    if line_rate is not None and not _SLOWEST_PORT_SHARE * line_rate <= port <= line_rate:
        message = (
            f"{part.technology} runs ports of up to {shown(line_rate, 'bandwidth')}; "
            f"these have {shown(port, 'bandwidth')}"
        )
        yield CatalogFinding("error", part.id, "technology", message)


def technology(part: TechnologyPart) -> Findings:
    """Yield the findings for a network technology."""
    if not 0.0 < part.efficiency <= 1.0:
        message = f"{part.efficiency:g} of InfiniBand of the same line rate; it must be above 0 and at most 1"
        yield CatalogFinding("error", part.id, "efficiency", message)
    if not part.rdma and part.hop_extra_s < 5e-6:
        message = "a hop through the memory and kernels of two hosts adds 5 us or more"
        yield CatalogFinding("error", part.id, "hop_extra_s", message)
    if part.family == "infiniband" and not part.rdma:
        yield CatalogFinding("error", part.id, "rdma", "InfiniBand is RDMA")
    if part.switch_latency_s > 2e-5:
        yield CatalogFinding(
            "warning", part.id, "switch_latency_s", "more than 20 us through a switch is unusual"
        )


def cable(part: CablePart) -> Findings:
    """Yield the findings for a cable."""
    limit_m = _REACH_M[part.medium]
    if part.medium == "copper" and part.bandwidth_bytes_s >= _FAST_BYTES_S:
        limit_m = _FAST_COPPER_M
    if not 0.0 < part.max_reach_m <= limit_m:
        message = f"{part.max_reach_m:g} m; {part.medium} of this speed reaches up to {limit_m:g} m"
        yield CatalogFinding("error", part.id, "max_reach_m", message)
    if part.medium == "copper" and part.power_per_end_w > 1.0:
        yield CatalogFinding("error", part.id, "power_per_end_w", "passive copper takes no power")
    if part.power_per_end_w > 60.0:
        yield CatalogFinding("warning", part.id, "power_per_end_w", "more than 60 W an end is unusual")


def nic(part: NicPart) -> Findings:
    """Yield the findings for a network adapter."""
    if not 1e9 <= part.bandwidth_bytes_s <= 1e12:
        message = f"{shown(part.bandwidth_bytes_s, 'bandwidth')}: are bits and bytes mixed up?"
        yield CatalogFinding("warning", part.id, "bandwidth_bytes_s", message)
    if part.latency_s is not None and part.latency_s > 1e-5:
        yield CatalogFinding("warning", part.id, "latency_s", "more than 10 us through an adapter is unusual")
    if not 0.0 < part.power_w <= 300.0:
        yield CatalogFinding("warning", part.id, "power_w", "adapters take 10 to 150 W")
