"""Alarms of instruments, as an operator sees them: each stands for the event of a fault that it does not name.

The engine never logs them: a drill shows them instead of what it knows (`twin.lessons.drill_sight`).
"""

from __future__ import annotations

from twin.record.event_kinds.kind import ALARM, GEAR, NOTICE, EventKind

KINDS = (
    EventKind(
        "flow_low", ALARM, title="coolant flow low", groups=("cooling",), evidence=GEAR, mark="FLOW LOW"
    ),
    EventKind("flow_normal", NOTICE, title="coolant flow normal", ends=("flow_low",)),
    EventKind("airflow_low", ALARM, title="air flow low", groups=("cooling",), evidence=GEAR, mark="AIR LOW"),
    EventKind("airflow_normal", NOTICE, title="air flow normal", ends=("airflow_low",)),
    EventKind(
        "filter_drop_high",
        ALARM,
        title="filter pressure drop high",
        groups=("cooling",),
        evidence=GEAR,
        mark="FILTER DP HIGH",
    ),
    EventKind("filter_drop_normal", NOTICE, title="filter pressure drop normal", ends=("filter_drop_high",)),
    EventKind("chiller_fault", ALARM, groups=("cooling",), evidence=GEAR, mark="FAULT"),
    EventKind("chiller_normal", NOTICE, title="chiller fault cleared", ends=("chiller_fault",)),
    EventKind("condenser_hot", ALARM, title="condenser hot", groups=("cooling",), evidence=GEAR),
    EventKind("condenser_normal", NOTICE, title="condenser normal", ends=("condenser_hot",)),
)
