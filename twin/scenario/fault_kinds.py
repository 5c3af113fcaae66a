"""What each kind of intervention acts on, which options it takes, and how long its repair lasts: one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from twin.scenario.faults import InterventionKind

TargetKind = Literal[
    "gpu",
    "node",
    "rack",
    "row",
    "hall",
    "switch",
    "link",
    "power",
    "loop",
    "plant",
    "job",
    "all",
    "site",
    "path",
]
Dimension = Literal["", "power", "fraction", "factor", "kelvin", "text"]


@dataclass(frozen=True)
class FaultKind:
    """One row of the table.

    Parameters
    ----------
    title
        As a menu says it, such as "Pump stops".
    targets
        Kinds of things it acts on.
    options
        Of ``for``, ``count``, ``cause`` and ``value``, those it takes.
    value
        What ``value`` is; empty: it takes none.
    example
        A value that makes sense; empty where there is none.
    repair_s
        (median, spread sigma of its logarithm) of the time until it is back where ``for`` is not given [s, -];
        None: not by itself, or as `twin.physics.reliability` draws it for nodes and cables.
    """

    title: str
    targets: tuple[TargetKind, ...]
    options: tuple[str, ...]
    value: Dimension = ""
    example: str = ""
    repair_s: tuple[float, float] | None = None


PLACES: tuple[TargetKind, ...] = ("gpu", "node", "rack", "row")
HOUR_S = 3600.0

KINDS: dict[InterventionKind, FaultKind] = {
    "fail": FaultKind(
        "Fails", (*PLACES, "switch", "link", "power"), ("for", "count", "cause"), repair_s=(4 * HOUR_S, 0.8)
    ),
    "flap": FaultKind("Flaps", ("link",), ("for", "value"), "fraction", "10 %"),
    "drain": FaultKind("Drain", PLACES, ("for", "value"), "text", "now"),
    "undrain": FaultKind("Undrain", PLACES, ()),
    "trip": FaultKind("Breaker trips", ("power",), ("for",), repair_s=(0.5 * HOUR_S, 0.5)),
    "battery_empty": FaultKind("Battery is empty", ("power",), ("for",), repair_s=(2 * HOUR_S, 0.3)),
    "no_start": FaultKind("Does not start", ("power",), ("for", "count"), repair_s=(1 * HOUR_S, 0.5)),
    "psu_loss": FaultKind(
        "Power supplies fail", ("node", "rack"), ("for", "count"), repair_s=(20 * HOUR_S, 0.8)
    ),
    "pump_stop": FaultKind("Pumps stop", ("loop", "plant"), ("for", "count"), repair_s=(2 * HOUR_S, 0.8)),
    "fan_stop": FaultKind(
        "Fans stop", ("node", "loop", "plant"), ("for", "count"), repair_s=(4 * HOUR_S, 0.8)
    ),
    "valve_stuck": FaultKind(
        "Valve sticks", ("loop",), ("for", "value"), "fraction", "30 %", (4 * HOUR_S, 0.8)
    ),
    "leak": FaultKind("Leaks", ("rack", "loop"), ("for",), repair_s=(8 * HOUR_S, 0.8)),
    "chiller_trip": FaultKind("Chillers trip", ("plant",), ("for", "count"), repair_s=(1 * HOUR_S, 0.7)),
    "heat_rejection_loss": FaultKind(
        "Loses all heat rejection", ("plant",), ("for",), repair_s=(2 * HOUR_S, 0.7)
    ),
    "heat_wave": FaultKind("Heat wave", ("site",), ("for", "value"), "kelvin", "8 K", (72 * HOUR_S, 0.4)),
    "blocked_plate": FaultKind(
        "Cold plate is blocked",
        ("gpu", "node", "rack"),
        ("for", "value"),
        "fraction",
        "40 %",
        (20 * HOUR_S, 0.8),
    ),
    "bad_contact": FaultKind(
        "Thermal interface dries out", ("gpu", "node"), ("for", "value"), "factor", "3", (20 * HOUR_S, 0.8)
    ),
    "power_cap": FaultKind(
        "Power cap", ("all", "job", "rack", "row", "hall", "power"), ("for", "value"), "power", "600 W"
    ),
    "slow": FaultKind("Runs slow", ("gpu", "node"), ("for", "value"), "fraction", "77 %", (20 * HOUR_S, 0.8)),
    "hang": FaultKind("Hangs", ("node", "job"), ()),
    "corrupt": FaultKind("Computes wrong", ("gpu", "node"), ("for",), repair_s=(72 * HOUR_S, 1.0)),
    "pcie": FaultKind(
        "PCIe runs at fewer lanes", ("node",), ("for", "value"), "fraction", "50 %", (20 * HOUR_S, 0.8)
    ),
    "cancel": FaultKind("Is cancelled", ("job",), ()),
    "requeue": FaultKind("Goes back to the queue", ("job",), ()),
    "move": FaultKind("Moves to a partition", ("job",), ("value",), "text", "batch"),
    "site_loss": FaultKind("Site is lost", ("site",), ("for",), repair_s=(72 * HOUR_S, 0.5)),
    "set": FaultKind("Set", ("path",), ("value",), "text"),
}
"""Every kind; repair times where nobody publishes them are engineering estimates [est]."""
