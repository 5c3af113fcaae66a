"""Part types of the network: NIC, switch, cable, and the technology they speak."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twin.catalog import fields
from twin.catalog.part import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class NicPart(Part):
    """One network adapter."""

    KIND: ClassVar[str] = "nic"

    bandwidth_bytes_s: float = fields.quantity("bandwidth", "All ports together, per direction")
    power_w: float = fields.quantity("power", "Power without optics")
    latency_s: float | None = fields.quantity("duration", "One way through the adapter", optional=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchPart(Part):
    """One switch of the scale-out fabric, or a switch tray of a scale-up domain."""

    KIND: ClassVar[str] = "switch"

    height_u: float = fields.number("Height in a rack", unit="U")
    fabric: str = fields.choice("Which network it belongs to", "scale-out", "scale-up", "management")
    ports: int = fields.count("Ports at full speed")
    port_bandwidth_bytes_s: float = fields.quantity("bandwidth", "One port, per direction")
    capacity_bytes_s: float = fields.quantity("bandwidth", "Switching capacity of the chips, per direction")
    cages: int | None = fields.count("Pluggable cages at the front", optional=True)
    typical_w: float = fields.quantity("power", "Typical power without optics")
    max_w: float = fields.quantity("power", "Highest power with optics")
    latency_s: float | None = fields.quantity("duration", "Port to port", optional=True)
    cooling: str = fields.choice("How it is cooled", "air", "liquid")
    technology: str = fields.reference(
        "What a scale-out network of it speaks unless the scene says otherwise", "technology", optional=True
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CablePart(Part):
    """One cable with its ends."""

    KIND: ClassVar[str] = "cable"

    medium: str = fields.choice(
        "What carries the signal", "copper", "active copper", "multimode", "singlemode"
    )
    max_reach_m: float = fields.quantity("length", "Longest length")
    bandwidth_bytes_s: float = fields.quantity("bandwidth", "Per direction")
    power_per_end_w: float = fields.quantity("power", "Power of one end, at its host", zero=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class TechnologyPart(Part):
    """How a scale-out network moves data; its speed is the one of cards and ports, up to the line rate.

    Compared with InfiniBand, on which the latencies and efficiencies of the profiles were fitted.
    """

    KIND: ClassVar[str] = "technology"

    family: str = fields.choice("Family", "infiniband", "roce", "ethernet")
    rdma: bool = fields.flag("Whether cards read and write GPU memory themselves, past the host")
    efficiency: float = fields.quantity(
        "fraction", "Bandwidth of a collective as a share of that over InfiniBand of the same line rate"
    )
    hop_extra_s: float = fields.quantity(
        "duration",
        "Added to each hop of a collective between nodes, against InfiniBand, over leaf, spine and leaf",
        zero=True,
    )
    switch_latency_s: float = fields.quantity("duration", "One switch, port to port; for longer paths")
    routing: str = fields.choice("How flows choose among equal paths by default", "adaptive", "ecmp")
    line_rate_bytes_s: float | None = fields.quantity(
        "bandwidth", "Fastest port, per direction; none: as fast as the cards", optional=True
    )
