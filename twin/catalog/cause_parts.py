"""Part type of the causes of failure that scenes take with ``failures: {rates: catalog}``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from twin.catalog import fields
from twin.catalog.part import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class CausePart(Part):
    """One cause of failure of nodes, or of what many nodes share."""

    KIND: ClassVar[str] = "causes"

    rate_per_s: float = fields.quantity("rate", "Failures of one of `each`")
    on: str = fields.choice("What stops: the node, or all nodes of a scale-up domain", "node", "nvlink")
    each: str = fields.choice(
        "What the rate is of: times how many of them a node, or a domain, has",
        "node",
        "gpu",
        "nic",
        "psu",
        "nvlink_tray",
    )
    repair: str = fields.choice(
        "Repair class, which sets the repair time",
        "gpu",
        "cable",
        "nic",
        "fan",
        "power_supply",
        "motherboard",
        "cpu",
        "restart",
        "maintenance",
    )
    detection: str = fields.choice("How it is detected", "explicit", "watchdog")
    effect: str = fields.choice(
        "What it does to the work", "dead", "hang", "slow", "corrupt", "flap", "pcie", "remap"
    )
    planned: bool = fields.flag("Planned maintenance, counted separately")
    counted_on: str = fields.reference(
        "GPU of the fleet in which it was counted; for others it is carried over", "gpu", optional=True
    )
