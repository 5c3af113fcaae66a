"""What is told of coolant, air, chillers and heat."""

from __future__ import annotations

from twin.record.event_kinds.kind import ALARM, GEAR, NOTICE, WARNING, EventKind, Evidence

_HEAT = 0x20 | 0x40
"""Bits of the throttle reason (NVML): slowed by heat."""

KINDS = (
    EventKind("pump_start", NOTICE, ends=("pump_stop", "failure")),
    EventKind("valve_stuck", WARNING, groups=("cooling",), evidence=GEAR, mark="VALVE STUCK"),
    EventKind("leak", ALARM, groups=("cooling",), evidence=GEAR, mark="LEAK"),
    EventKind("leak_shut", ALARM, groups=("cooling",), evidence=GEAR),  # of old run files
    EventKind("leak_mended", NOTICE, ends=("leak", "leak_shut")),
    EventKind("chiller_trip", ALARM, groups=("cooling",), mark="TRIPPED", evidence=GEAR),
    EventKind("chiller_started", NOTICE),
    EventKind("chiller_on", NOTICE, ends=("chiller_trip",)),
    EventKind("heat_rejection_loss", ALARM, groups=("cooling",), mark="NO HEAT REJECTION", evidence=GEAR),
    EventKind("heat_wave", WARNING, groups=("cooling",)),
    EventKind("supply_warm", WARNING, groups=("cooling",), evidence=GEAR, mark="SUPPLY WARM"),
    EventKind("supply_ok", NOTICE, ends=("supply_warm",)),
    EventKind("inlet_warm", NOTICE),
    EventKind("inlet_hot", WARNING, groups=("cooling",), mark="INLET HOT", evidence=GEAR),
    EventKind("inlet_allowed", NOTICE, ends=("inlet_hot",)),
    EventKind("inlet_ok", NOTICE, ends=("inlet_warm", "inlet_hot")),
    EventKind("below_dew_point", WARNING, mark="NEAR DEW POINT", evidence=GEAR),
    EventKind("above_dew_point", NOTICE, ends=("below_dew_point",)),
    EventKind("room_too_hot", ALARM, groups=("cooling",)),
    EventKind("room_cool", NOTICE, ends=("room_too_hot",)),
    EventKind(
        "throttle_on",
        WARNING,
        each_ends=True,
        caused_by=("cooling", "supply"),
        opens=("thermal_throttle",),
        verb="throttled",
        evidence=Evidence(throttle=_HEAT),
    ),
    EventKind("throttle_off", NOTICE, ends=("throttle_on",), closes=("thermal_throttle",)),
    EventKind("free_cooling_on"),
    EventKind("free_cooling_off"),
)
