"""Failures of hardware, and drains."""

from __future__ import annotations

from twin.language import tr
from twin.scenario.schema.fault_kinds.kind import (
    HOUR_S,
    PERCENT,
    PLACES,
    Chance,
    FaultEvents,
    FaultKind,
    Impairment,
    ValueLimits,
    step,
)

_BY_HAND = FaultEvents("injected_failure", "repaired")
_OF_FABRIC = FaultEvents("fabric_fault", "fabric_back", ("switch", "link"))
_DRAINS = ("now", "checkpoint", "end")
"""When the jobs of a drained node leave it: at once, after their next checkpoint, or when they end."""

KINDS = (
    FaultKind(
        "fail",
        tr("Fails"),
        (*PLACES, "switch", "link", "power"),
        (FaultEvents("power_failure", "power_restored", ("power",)), _OF_FABRIC, _BY_HAND),
        options=("for", "count", "cause"),
        counted="machines",
        count_of=("power",),
        repair_s=(4 * HOUR_S, 0.8),
        drawn_by_class={**dict.fromkeys(PLACES, "gpu"), "switch": "cable", "link": "cable"},
        hands_s={"switch": 1800.0, "link": 1200.0},
        effect="dead",
        components=("node", "switch", "link", "rack", "pdu", "row", "leaf", "nvlink"),
        chances=(
            Chance("stopping", "gpu", 6),
            Chance("stopping", "node", 2),
            Chance("stopping", "cable", 2),
            Chance("stopping", "leaf", 0.5, lasts_s=3600),
            Chance(
                "cascade",
                "leaf",
                lasts_s=3600,
                then=(step("flap", "cable", (10, 40, PERCENT), lasts_s=1800),),
            ),
            Chance(
                "cascade", "node", then=(step("fail", "node"), step("fail", "node"), step("hang", "node"))
            ),
        ),
    ),
    FaultKind(
        "flap",
        tr("Flaps"),
        ("link",),
        (_OF_FABRIC,),
        options=("for", "value"),
        value="fraction",
        value_title=tr("Share of time down"),
        example="10 %",
        value_needed="share of time the link is down, such as 10 %",
        limits=ValueLimits(
            0.0,
            1.0,
            "more than 0 and less than 100 %; for a link that is always down, use fail",
            between=True,
        ),
        hands_s={"link": 900.0},
        effect="flap",
        components=("node", "link"),
        impairment=Impairment("cable", "link flapping", "link flapping", left=0.9),
        keeps="rest",
        sentence="down {value} of the time",
        severity="warning",
        chances=(
            Chance("harmless", "cable", 3, (2, 8, PERCENT), lasts_s=1800),
            Chance("worse", "cable", 2, (20, 60, PERCENT), lasts_s=3600),
        ),
    ),
    FaultKind(
        "drain",
        tr("Drain"),
        (*PLACES, "hall"),
        (FaultEvents("drained", "undrained"),),
        options=("for", "value"),
        value="text",
        value_title=tr("When running jobs leave"),
        example="now",
        words=_DRAINS,
        severity="notice",
        verb=tr("Drain"),
    ),
    FaultKind(
        "undrain",
        tr("Undrain"),
        (*PLACES, "hall"),
        (FaultEvents("undrained"),),
        severity="notice",
        verb=tr("Undrain"),
    ),
)
