"""Every kind of event that the engine logs: one entry each, which alarms, explain, lists and pages of jobs read.

To add a kind, add an entry to the table of its subject and log it; what only tells of a fault comes from the table of
faults (`twin.record.fault_events`). Ids are hashed and stored in run files: they never change; titles may.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from twin.record.channels import NodeCondition, PowerState
from twin.record.event_kind import EventKind, JobTurn, Pictured
from twin.record.events import Event, Severity
from twin.record.fault_events import events_of
from twin.scenario.fault_kinds import KINDS as FAULTS

KINDS: dict[str, EventKind] = {}
"""Every kind by its id."""
_ENDED_BY: dict[str, tuple[str, ...]] = {}


def register(*kinds: EventKind) -> None:
    """Add kinds of events."""
    for kind in kinds:
        if kind.id in KINDS:
            raise ValueError(f"there is a kind of event {kind.id!r} already")
        KINDS[kind.id] = kind
        for begun in kind.ends:
            _ENDED_BY[begun] = (*_ENDED_BY.get(begun, ()), kind.id)


@contextmanager
def with_kinds(*kinds: EventKind) -> Iterator[None]:
    """Have more kinds of events for a while."""
    known, enders = dict(KINDS), dict(_ENDED_BY)
    register(*kinds)
    try:
        yield
    finally:
        KINDS.clear()
        KINDS.update(known)
        _ENDED_BY.clear()
        _ENDED_BY.update(enders)


def kind_of(id: str) -> EventKind:
    """Return a kind by its id; one of another version, which run files may hold, says no more than its id."""
    return KINDS.get(id) or EventKind(id)


def ended_by(id: str) -> tuple[str, ...]:
    """Return the kinds that end a kind of event; (): it is over at once."""
    return _ENDED_BY.get(id, ())


def lasts(event: Event) -> bool:
    """Return whether an event goes on until another ends it: a failure that a restart mends is over at once."""
    return bool(ended_by(event.kind)) and event.number("lasts_s", event.number("repair", -1.0)) != 0.0


def is_over(event: Event) -> bool:
    """Return whether nothing is left of what an event ends: parts for all who wait have come."""
    return event.integer("still") == 0


INFO, NOTICE, WARNING, ALARM = Severity
_DOWN = (
    NodeCondition.IN_REPAIR,
    NodeCondition.NO_PART,
    NodeCondition.NO_HANDS,
    NodeCondition.BURN_IN,
    NodeCondition.REPLACED,
)
_DARK = (PowerState.DEAD, PowerState.TRIPPED, PowerState.FAILED)
_HEAT = 0x20 | 0x40
"""Bits of the throttle reason (NVML): slowed by heat."""
_GEAR = Pictured(gear=True)
_STOPS = ("detection", "restart_and_load")
"""Accounts of a job that stands after a failure."""
_WAITS = ("idle_reserved", "idle_preempted")
_RUNS = (*_STOPS, *_WAITS)
_OUT = ("job_interrupted", "waiting_for_spare")
"""What is over when a job runs, or will never run again."""

_JOBS = (
    EventKind(
        "job_submitted",
        job=JobTurn.QUEUED,
        job_title="submitted",
        hashed=("gpus",),
        job_detail="asks for {gpus:,} GPUs",
    ),
    EventKind(
        "job_refused",
        WARNING,
        job=JobTurn.REFUSED,
        setback=True,
        job_title="refused",
        job_detail="{why}",
        names_subject=True,
    ),
    EventKind(
        "job_started",
        job=JobTurn.STARTING,
        job_title="starts",
        hashed=("nodes",),
        opens=("restart_and_load",),
        verb="stood",
        job_detail="on {nodes:,} nodes",
        names_subject=True,
    ),
    *(
        EventKind(
            id,
            NOTICE,
            job=JobTurn.RUNNING,
            job_title=title,
            hashed=("step",),
            ends=_OUT,
            closes=_RUNS,
            job_detail="at step {step:,}",
            names_subject=True,
        )
        for id, title in (("job_running", "first step"), ("job_resumed", "steps again"))
    ),
    EventKind(
        "job_interrupted",
        WARNING,
        job=JobTurn.STOPPED,
        setback=True,
        job_title="interrupted",
        hashed=("step",),
        caused_by=("nodes",),
        at_once=True,
        opens=_STOPS,
        verb="stood",
        job_detail="{why}",
        names_subject=True,
    ),
    EventKind(
        "job_requeued",
        WARNING,
        job=JobTurn.QUEUED,
        setback=True,
        job_title="back in the queue",
        hashed=("step",),
        ends=("waiting_for_spare",),
        closes=(*_RUNS, "input_wait"),
        job_detail="{why}",
        names_subject=True,
    ),
    EventKind(
        "job_preempted",
        NOTICE,
        job=JobTurn.QUEUED,
        setback=True,
        job_title="preempted",
        opens=("idle_preempted",),
        verb="gave its GPUs to others",
    ),
    EventKind(
        "job_shrunk",
        WARNING,
        setback=True,
        job_title="on fewer nodes",
        hashed=("nodes",),
        ends=("waiting_for_spare",),
        opens=("restart_and_load",),
        closes=("detection", *_WAITS),
        verb="stood",
        job_detail="{nodes:,} of {planned_nodes:,} nodes",
        names_subject=True,
    ),
    EventKind(
        "job_grown",
        NOTICE,
        job_title="on more nodes",
        hashed=("nodes",),
        ends=("waiting_for_spare",),
        opens=("restart_and_load",),
        closes=("detection", *_WAITS),
        verb="stood",
        job_detail="{before_nodes:,} to {nodes:,} nodes",
        names_subject=True,
    ),
    EventKind("job_moved", NOTICE, job_title="moved", hashed=("partition",), names_subject=True),
    EventKind(
        "job_cloud", NOTICE, job=JobTurn.CLOUD, job_title="to a cloud", hashed=("gpus",), names_subject=True
    ),
    *(
        EventKind(
            id,
            severity,
            job=turn,
            setback=turn is JobTurn.ENDED,
            job_title=title,
            job_detail=detail,
            names_subject=True,
            hashed=("step",),
            ends=(*_OUT, "input_bound"),
            closes=(*_RUNS, "input_wait"),
        )
        for id, severity, turn, title, detail in (
            ("job_done", NOTICE, JobTurn.DONE, "done", "after {step:,} steps"),
            ("job_killed", NOTICE, JobTurn.ENDED, "killed", "{why}"),
            ("job_cancelled", NOTICE, JobTurn.ENDED, "cancelled", "{why}"),
            ("job_given_up", WARNING, JobTurn.ENDED, "given up", "{why}"),
        )
    ),
    EventKind(
        "hang",
        ALARM,
        job=JobTurn.STOPPED,
        setback=True,
        groups=("nodes",),
        caused_by=("nodes",),
        at_once=True,
        opens=_STOPS,
        verb="stood",
        names_subject=True,
    ),
    EventKind(
        "waiting_for_spare",
        ALARM,
        setback=True,
        job_title="waits for a node",
        opens=("idle_reserved",),
        verb="kept waiting",
        names_subject=True,
    ),
    EventKind("spare_taken", hashed=("node",)),
    EventKind("spare_left"),
    EventKind("checkpoint", hashed=("step",), names_subject=True),
    EventKind("replicated", hashed=("step",), names_subject=True),
    EventKind(
        "corruption_found",
        ALARM,
        setback=True,
        job_title="wrong results found",
        hashed=("steps",),
        groups=("nodes",),
        names_subject=True,
    ),
    EventKind("straggler_on", NOTICE, setback=True, opens=("straggler",), verb="slow", names_subject=True),
    EventKind("straggler_off", ends=("straggler_on",), closes=("straggler",), names_subject=True),
    EventKind("input_bound", WARNING, opens=("input_wait",), verb="waited for input", names_subject=True),
    EventKind("input_free", NOTICE, ends=("input_bound",), closes=("input_wait",), names_subject=True),
    EventKind("does_not_fit", WARNING, names_subject=True),
    EventKind("cloud_on", hashed=("gpus",), names_subject=True),
    EventKind("cloud_off", hashed=("gpus",)),
    EventKind("reservation_on", NOTICE, opens=("idle_reserved",), verb="kept waiting"),
    EventKind("reservation_off", ends=("reservation_on",), closes=("idle_reserved",)),
)

_NODES = (
    EventKind(
        "failure",
        ALARM,
        hashed=("job", "nodes", "repair"),
        groups=("nodes",),
        counts_nodes=True,
        singly=True,
        opens=("idle_in_repair",),
        verb="away",
        pictured=Pictured(nodes=_DOWN),
    ),
    EventKind(
        "injected_failure",
        ALARM,
        groups=("nodes",),
        counts_nodes=True,
        singly=True,
        opens=("idle_in_repair",),
        verb="away",
        pictured=Pictured(nodes=_DOWN),
    ),
    EventKind(
        "maintenance",
        NOTICE,
        hashed=("job", "repair"),
        groups=("nodes",),
        opens=("idle_in_repair",),
        verb="away",
    ),
    EventKind("burst", WARNING, hashed=("nodes",)),
    EventKind("trace_cut", WARNING, hashed=("nodes",)),
    EventKind(
        "repaired",
        hashed=("job",),
        of_nodes=True,
        ends=("failure", "injected_failure", "maintenance", "node_found", "shutdown"),
        closes=("idle_in_repair", "idle_no_power"),
    ),
    EventKind(
        "replaced",
        NOTICE,
        of_nodes=True,
        ends=("node_degraded", "lemon_out"),
        closes=("idle_drained", "straggler"),
    ),
    EventKind("repair_waits", NOTICE),
    EventKind("part_missing", WARNING, hashed=("node",)),
    EventKind("part_arrived", NOTICE, hashed=("parts",), ends=("part_missing",)),
    EventKind(
        "lemon_out",
        WARNING,
        hashed=("failures",),
        opens=("idle_drained",),
        verb="out of use",
        pictured=Pictured(nodes=(*_DOWN, NodeCondition.LEMON)),
    ),
    EventKind("health_check", WARNING),
    EventKind(
        "node_degraded",
        WARNING,
        hashed=("job",),
        each_ends=True,
        opens=("straggler",),
        verb="slow",
        pictured=_GEAR,
    ),
    EventKind("node_sound", NOTICE, ends=("node_degraded",), closes=("straggler",)),
    EventKind(
        "node_found",
        WARNING,
        hashed=("repair",),
        groups=("nodes",),
        of_nodes=True,
        ends=("node_degraded",),
        opens=("idle_in_repair",),
        closes=("straggler",),
        verb="away",
        pictured=Pictured(nodes=_DOWN),
    ),
    EventKind("drained", NOTICE, groups=("nodes",), opens=("idle_drained",), verb="out of use"),
    EventKind("undrained", NOTICE, of_nodes=True, ends=("drained", "lemon_out"), closes=("idle_drained",)),
    EventKind(
        "shutdown",
        ALARM,
        hashed=("nodes",),
        groups=("nodes",),
        caused_by=("cooling", "power"),
        counts_nodes=True,
        opens=("idle_in_repair",),
        verb="dark",
        pictured=Pictured(nodes=(*_DOWN, NodeCondition.OFF)),
    ),
    EventKind(
        "restarted",
        hashed=("nodes",),
        of_nodes=True,
        ends=("shutdown",),
        closes=("idle_in_repair", "idle_no_power"),
    ),
)

_POWER = (
    EventKind("power_failure", ALARM, groups=("power", "supply"), pictured=_GEAR),
    EventKind("power_restored", NOTICE, ends=("power_failure", "failure", "island_on")),
    EventKind(
        "power_lost",
        ALARM,
        hashed=("racks",),
        groups=("power",),
        ends=("on_battery",),
        pictured=Pictured(power=_DARK),
    ),
    EventKind("power_back", NOTICE, hashed=("racks",), ends=("power_lost", "battery_empty")),
    EventKind(
        "nodes_unpowered",
        ALARM,
        hashed=("nodes",),
        groups=("nodes",),
        caused_by=("power",),
        counts_nodes=True,
        opens=("idle_no_power",),
        verb="dark",
        pictured=Pictured(nodes=(*_DOWN, NodeCondition.UNPOWERED)),
    ),
    EventKind("nodes_supplied", NOTICE, hashed=("nodes",), of_nodes=True, ends=("nodes_unpowered",)),
    EventKind("breaker_trip", ALARM, groups=("power",), ends=("overload",), pictured=_GEAR),
    EventKind("overload", WARNING, groups=("power",)),
    EventKind("overload_end", NOTICE, ends=("overload",)),
    EventKind("on_battery", WARNING, groups=("supply",), pictured=Pictured(power=(PowerState.ON_BATTERY,))),
    EventKind("off_battery", NOTICE, ends=("on_battery", "battery_empty", "island_on")),
    EventKind(
        "battery_empty",
        ALARM,
        groups=("power",),
        ends=("on_battery",),
        pictured=Pictured(power=_DARK, charged=True),
    ),
    EventKind("site_lost", ALARM, groups=("power",)),
    EventKind("generator_start", NOTICE, ends=("generator_failed",)),
    EventKind("generator_on", NOTICE, ends=("generator_failed",)),
    EventKind("generator_off", NOTICE, ends=("generator_failed", "island_on")),
    EventKind("generator_failed", ALARM, groups=("power",), pictured=_GEAR),
    EventKind("no_start", ALARM, groups=("power",), pictured=_GEAR),
    EventKind("starts_again", NOTICE, ends=("no_start", "generator_failed")),
    EventKind("island_on", WARNING, pictured=_GEAR),
    EventKind("island_off", NOTICE, ends=("island_on",)),
    EventKind("transfer", WARNING, pictured=_GEAR),
    EventKind("transfer_back", NOTICE, ends=("transfer",)),
    EventKind(
        "power_brake_on",
        ALARM,
        hashed=("nodes",),
        caused_by=("power",),
        counts_nodes=True,
        opens=("power_cap",),
        verb="held down",
        pictured=_GEAR,
    ),
    EventKind(
        "power_brake_off",
        NOTICE,
        hashed=("nodes",),
        of_nodes=True,
        ends=("power_brake_on",),
        closes=("power_cap",),
    ),
    EventKind("power_cap", NOTICE, caused_by=("power",), opens=("power_cap",), verb="held down"),
    EventKind("power_cap_off", NOTICE, ends=("power_cap",), closes=("power_cap",)),
    EventKind("cap_on", NOTICE, caused_by=("power",), opens=("power_cap",), verb="held down"),
    EventKind("cap_off", NOTICE, ends=("cap_on",), closes=("power_cap",)),
    EventKind("cap_exceeded", WARNING, pictured=_GEAR),
    EventKind("cap_kept", NOTICE, ends=("cap_exceeded",)),
    EventKind("ramp_exceeded", WARNING),
    EventKind("ramp_kept", NOTICE, ends=("ramp_exceeded",)),
    EventKind("peak_exceeded", WARNING, groups=("power",)),
    EventKind("peak_kept", NOTICE, ends=("peak_exceeded",)),
)

_COOLING = (
    EventKind("pump_start", NOTICE, ends=("pump_stop", "failure")),
    EventKind("valve_stuck", WARNING, groups=("cooling",), pictured=_GEAR, mark="VALVE STUCK"),
    EventKind("leak", ALARM, groups=("cooling",), pictured=_GEAR, mark="LEAK"),
    EventKind("leak_shut", ALARM, groups=("cooling",), pictured=_GEAR),  # of old run files
    EventKind("leak_mended", NOTICE, ends=("leak", "leak_shut")),
    EventKind("chiller_trip", ALARM, groups=("cooling",), mark="TRIPPED", pictured=_GEAR),
    EventKind("chiller_started", NOTICE),
    EventKind("chiller_on", NOTICE, ends=("chiller_trip",)),
    EventKind("heat_rejection_loss", ALARM, groups=("cooling",), mark="NO HEAT REJECTION", pictured=_GEAR),
    EventKind("heat_wave", WARNING, groups=("cooling",)),
    EventKind("supply_warm", WARNING, groups=("cooling",), pictured=_GEAR, mark="SUPPLY WARM"),
    EventKind("supply_ok", NOTICE, ends=("supply_warm",)),
    EventKind("inlet_warm", NOTICE),
    EventKind("inlet_hot", WARNING, groups=("cooling",), mark="INLET HOT", pictured=_GEAR),
    EventKind("inlet_allowed", NOTICE, ends=("inlet_hot",)),
    EventKind("inlet_ok", NOTICE, ends=("inlet_warm", "inlet_hot")),
    EventKind("below_dew_point", WARNING, mark="NEAR DEW POINT", pictured=_GEAR),
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
        pictured=Pictured(throttle=_HEAT),
    ),
    EventKind("throttle_off", NOTICE, ends=("throttle_on",), closes=("thermal_throttle",)),
    EventKind("free_cooling_on"),
    EventKind("free_cooling_off"),
)

_NETWORK = (
    EventKind(
        "fabric_fault",
        WARNING,
        hashed=("nodes",),
        groups=("nodes",),
        each_ends=True,
        opens=("fabric_contention", "idle_in_repair"),
        verb="out",
        counts_nodes=True,
        pictured=_GEAR,
    ),
    EventKind(
        "fabric_back",
        NOTICE,
        hashed=("nodes",),
        ends=("fabric_fault", "failure"),
        closes=("fabric_contention", "idle_in_repair"),
    ),
)

_PEOPLE = (
    EventKind("edited", NOTICE, hashed=("epoch",)),
    EventKind("set", NOTICE),
    EventKind("refused", WARNING),
)

register(*_JOBS, *_NODES, *_POWER, *_COOLING, *_NETWORK, *_PEOPLE)
# What a kind of fault tells of itself alone stands in its own entry.
register(*(event for fault in FAULTS.values() for event in events_of(fault) if event.id not in KINDS))
