"""Faults of the power tree and of supplies."""

from __future__ import annotations

from twin.language import tr
from twin.scenario.schema.fault_kinds.kind import HOUR_S, Chance, FaultEvents, FaultKind, step
from twin.scenario.schema.fault_kinds.needs import BATTERY, GENERATOR, SHELVES, SUPPLIES

KINDS = (
    FaultKind(
        "trip",
        tr("Breaker trips"),
        ("power",),
        (FaultEvents("breaker_trip", "breaker_closed"),),
        options=("for",),
        repair_s=(0.5 * HOUR_S, 0.5),
        hands_s={"power": 300.0},
        chances=(  # not every node survives the power cycle
            Chance("cascade", "pdu", then=(step("fail", "node"), step("fail", "node"))),
        ),
    ),
    FaultKind(
        "battery_empty",
        tr("Battery is empty"),
        ("power",),
        (FaultEvents("battery_empty", "battery_refilled"),),
        options=("for",),
        needs={"power": BATTERY},
        repair_s=(2 * HOUR_S, 0.3),
    ),
    FaultKind(
        "no_start",
        tr("Does not start"),
        ("power",),
        (FaultEvents("no_start", "starts_again"),),
        options=("for", "count"),
        counted="machines",
        needs={"power": GENERATOR},
        repair_s=(1 * HOUR_S, 0.5),
        hands_s={"power": 300.0},
        chances=(
            Chance("harmless", "generator", 1, count=1),
            Chance(  # the grid goes, and not every generator starts
                "cascade",
                "generator",
                count=1,
                then=(
                    step("fail", "utility", lasts_s=600),
                    step("fail", "node"),
                    step("psu_loss", "node", count=1),
                ),
            ),
        ),
    ),
    FaultKind(
        "psu_loss",
        tr("Power supplies fail"),
        ("node", "rack"),
        (FaultEvents("psu_loss", "psu_back"),),
        options=("for", "count"),
        counted="supplies",
        needs={"node": SUPPLIES, "rack": SHELVES},
        repair_s=(20 * HOUR_S, 0.8),
        hands_s={"node": 900.0, "rack": 900.0},
        severity="warning",
        group="Power",
        chances=(
            Chance("harmless", "node", 2, count=1),
            Chance("harmless", "rack", 1, count=1),
        ),
    ),
)
