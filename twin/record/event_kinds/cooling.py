"""Events of coolant, air, chillers and heat."""

from __future__ import annotations

from twin.record.event_kinds.kind import ALARM, GEAR, NOTICE, WARNING, EventKind, Evidence

_HEAT = 0x20 | 0x40
"""Bits of the throttle reason (NVML): thermal throttling."""

KINDS = (
    EventKind("pump_start", NOTICE, ends=("pump_stop", "failure")),
    EventKind(
        "leak_shut", ALARM, title="leak isolated", groups=("cooling",), evidence=GEAR
    ),  # of old run files
    EventKind("leak_mended", NOTICE, title="leak repaired", ends=("leak", "leak_shut")),
    EventKind("chiller_mended", NOTICE, title="chillers repaired", ends=("chiller_trip",)),
    EventKind("contact_good", NOTICE, title="thermal interface repaired", ends=("bad_contact",)),
    EventKind("chiller_started", NOTICE, title="chillers restarted"),
    EventKind("chiller_on", NOTICE, title="cooling restored", ends=("chiller_trip",)),
    EventKind("heat_wave", WARNING, groups=("cooling",)),
    EventKind(
        "supply_warm",
        WARNING,
        title="warm supply",
        groups=("cooling",),
        caused_by=("cooling", "supply"),
        evidence=GEAR,
        mark="SUPPLY WARM",
    ),
    EventKind("supply_ok", NOTICE, title="supply at set point", ends=("supply_warm",)),
    EventKind("inlet_warm", NOTICE, title="warm inlet air"),
    EventKind(
        "inlet_hot",
        WARNING,
        title="hot inlet air",
        groups=("cooling",),
        caused_by=("cooling", "supply"),
        mark="INLET HOT",
        evidence=GEAR,
    ),
    EventKind("inlet_allowed", NOTICE, title="inlet air allowed", ends=("inlet_hot",)),
    EventKind("inlet_ok", NOTICE, title="inlet air recommended", ends=("inlet_warm", "inlet_hot")),
    EventKind("below_dew_point", WARNING, title="near the dew point", mark="NEAR DEW POINT", evidence=GEAR),
    EventKind("above_dew_point", NOTICE, title="clear of the dew point", ends=("below_dew_point",)),
    EventKind(
        "room_too_hot",
        ALARM,
        title="EPO of the room",
        groups=("cooling",),
        caused_by=("cooling", "supply"),
    ),
    EventKind("room_cool", NOTICE, title="room cooled down", ends=("room_too_hot",)),
    EventKind(
        "throttle_on",
        WARNING,
        title="thermal throttling",
        each_ends=True,
        caused_by=("cooling", "supply"),
        opens=("thermal_throttle",),
        verb="throttled",
        evidence=Evidence(throttle=_HEAT),
    ),
    EventKind(
        "throttle_off",
        NOTICE,
        title="thermal throttling ended",
        ends=("throttle_on",),
        closes=("thermal_throttle",),
    ),
    EventKind("free_cooling_on"),
    EventKind("free_cooling_off", title="mechanical cooling on"),
)
