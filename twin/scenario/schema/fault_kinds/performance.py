"""Faults with which GPUs and nodes keep working, but slower or wrong; power caps."""

from __future__ import annotations

import math

from twin.language import tr
from twin.scenario.schema.fault_kinds.kind import (
    CAPPED,
    HOUR_S,
    PERCENT,
    Chance,
    FaultEvents,
    FaultKind,
    Impairment,
    ValueLimits,
)
from twin.scenario.schema.fault_kinds.needs import CARDS

_DEGRADED = FaultEvents("node_degraded", "node_sound")

KINDS = (
    FaultKind(
        "power_cap",
        tr("Power cap"),
        ("all", "job", *CAPPED),
        (FaultEvents("power_cap", "power_cap_off"),),
        options=("for", "value"),
        value="power",
        value_title=tr("Limit"),
        example="600 W",
        limits=ValueLimits(0.0, math.inf, "more than 0 W", between=True),
        value_needed="power of one GPU, such as 600 W, or of the whole rack, row, hall or power item",
        severity="notice",
        group="Power",
        verb=tr("Cap"),
    ),
    FaultKind(
        "slow",
        tr("Runs slow"),
        ("gpu", "node"),
        (_DEGRADED,),
        options=("for", "value"),
        value="fraction",
        value_title=tr("Clock left"),
        example="77 %",
        limits=ValueLimits(0.05, 0.99, "5 % to 99 % of the clock"),
        repair_s=(20 * HOUR_S, 0.8),
        effect="slow",
        components=("node",),
        impairment=Impairment(
            "clock",
            "GPUs run at {left} of their clock",
            "slow GPUs",
            ends="full clock restored",
            left=0.77,  # the mean slow-down by stragglers is 1.3
        ),
        keeps="value",
        severity="warning",
        chances=(Chance("worse", "gpu", 3, (60, 90, PERCENT)),),
    ),
    FaultKind(
        "hang",
        tr("Hangs"),
        ("node", "job"),
        (FaultEvents("injected_failure"),),
        effect="hang",
        components=("node",),
        silent=True,
        chances=(Chance("stopping", "node", 1),),
    ),
    FaultKind(
        "corrupt",
        tr("Silent data corruption"),
        ("gpu", "node"),
        (FaultEvents("node_degraded", "node_found"),),
        options=("for",),
        repair_s=(72 * HOUR_S, 1.0),
        effect="corrupt",
        components=("node",),
        impairment=Impairment(
            "results", "silent data corruption started (undetected)", "silent data corruption"
        ),
        severity="warning",
        chances=(Chance("worse", "gpu", 1),),
    ),
    FaultKind(
        "pcie",
        tr("PCIe runs at fewer lanes"),
        ("node",),
        (_DEGRADED,),
        options=("for", "value"),
        value="fraction",
        value_title=tr("Bandwidth left"),
        example="50 %",
        limits=ValueLimits(0.01, 0.99, "1 % to 99 % of the bandwidth"),
        needs={"node": CARDS},
        repair_s=(20 * HOUR_S, 0.8),
        effect="pcie",
        components=("node",),
        impairment=Impairment(
            "cards",
            "NICs run at {left} of their bandwidth",
            "reduced PCIe lanes",
            ends="full NIC bandwidth restored",
            left=0.5,
        ),
        keeps="value",
        sentence="at {value} of its bandwidth",
        severity="warning",
        chances=(Chance("worse", "wired_node", 2, (25, 50, PERCENT)),),
    ),
)
