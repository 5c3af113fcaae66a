"""What an operator sees of a run with hidden faults: alarms of instruments, never the fault itself.

One table over the kinds of events. What is not in it is seen as it is: it tells of things that an operator has
instruments for (a throttled GPU, a warm supply, a node that went off, a job that stopped).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from twin.record.events import Event, Severity

_KEPT = ("nodes", "racks", "job", "step", "still")
"""Values of an event that instruments tell too: how many nodes, not why nor for how long."""


@dataclass(frozen=True)
class Sight:
    """How an event is seen.

    Parameters
    ----------
    kind
        Kind of the event that is seen in its place; "": the same.
    text
        Its sentence.
    """

    kind: str
    text: str


HIDDEN = frozenset(
    {
        "valve_stuck",
        "valve_free",
        "blocked_plate",
        "unblocked",
        "bad_contact",
        "contact_good",
        "no_start",
        "starts_again",
        "heat_wave",
        "heat_wave_over",
        "burst",
    }
)
"""No instrument tells of these: what follows from them is seen (a warm supply, hot dies, a generator that fails)."""

SIGHTS: dict[str, Sight] = {
    "pump_stop": Sight("flow_low", "coolant flow below its limit"),
    "pump_start": Sight("flow_normal", "coolant flow normal"),
    "fans_stop": Sight("airflow_low", "air flow below its limit"),
    "fans_start": Sight("airflow_normal", "air flow normal"),
    "filter_clogged": Sight("filter_drop_high", "pressure drop over the filter above its limit"),
    "filter_clean": Sight("filter_drop_normal", "pressure drop over the filter normal"),
    "air_filter_clogged": Sight("filter_drop_high", "pressure drop over the filter above its limit"),
    "air_filter_clean": Sight("filter_drop_normal", "pressure drop over the filter normal"),
    "chiller_trip": Sight("chiller_fault", "chiller fault: less cooling capacity"),
    "chiller_mended": Sight("chiller_normal", "chiller fault cleared"),
    "heat_rejection_loss": Sight("condenser_hot", "condenser temperature above its limit"),
    "heat_rejection_back": Sight("condenser_normal", "condenser temperature normal"),
    "leak": Sight("", "leak detector wet: valves shut"),
    "leak_mended": Sight("", "leak detector dry: valves open"),
    "breaker_trip": Sight("", "breaker open"),
    "breaker_closed": Sight("", "breaker closed"),
    "power_failure": Sight("", "no voltage on some or all units"),
    "power_restored": Sight("", "voltage restored"),
    "psu_loss": Sight("", "power supply redundancy lost"),
    "psu_back": Sight("", "power supplies redundant again"),
    "fabric_fault": Sight("", "link errors"),
    "fabric_back": Sight("", "links up, no errors"),
}
"""By kind of event: what instruments show of it."""

_STATES = {
    "dead": Sight("failure", "does not answer"),
    "slow": Sight("", "clock below the others"),
    "pcie": Sight("", "NIC bandwidth below the others"),
    "flap": Sight("", "link errors"),
}
"""Of nodes, by the effect of a fault: what telemetry shows; of other effects it shows nothing."""


def seen(event: Event) -> Event | None:
    """Return an event as an operator sees it; None: no instrument tells of it."""
    if event.kind in HIDDEN:
        return None
    if event.kind in ("injected_failure", "node_degraded", "node_sound"):
        return _of_node(event)
    sight = SIGHTS.get(event.kind)
    if sight is not None:
        return _shown(event, sight)
    if event.kind == "hang":
        return replace(event, data=_kept(event))
    return _of_job(event) if event.integer("injected") else event


def seen_of(events: Iterable[Event]) -> tuple[Event, ...]:
    """Return what an operator sees of events, in their order."""
    return tuple(shown for event in events if (shown := seen(event)) is not None)


def _of_node(event: Event) -> Event | None:
    """Return what telemetry shows of a node; its begin as a fault is a notice that only the model writes."""
    effect = event.word("effect")
    if event.kind == "node_sound":
        return replace(event, text="as the others again", data=_kept(event))
    if event.kind == "injected_failure" and effect != "dead":
        return None
    sight = _STATES.get(effect)
    return None if sight is None else _shown(event, sight)


def _of_job(event: Event) -> Event:
    """Return what the page of a job says of its stop by a hidden fault: what failed, as of any other failure."""
    step, lost_s = event.integer("step"), event.number("lost_s")
    why = f"{event.word('on')} failed"
    text = f"{event.subject} interrupted: {why}; rolled back to step {step:,} ({lost_s:,.0f} s lost)"
    data = {key: value for key, value in event.data.items() if key != "injected"}
    return replace(event, text=text, data=data | {"why": why})


def _shown(event: Event, sight: Sight) -> Event:
    severity = Severity.WARNING if event.kind == "node_degraded" else event.severity
    return replace(
        event, kind=sight.kind or event.kind, text=sight.text, data=_kept(event), severity=severity
    )


def _kept(event: Event) -> dict[str, int | float | str]:
    return {key: value for key, value in event.data.items() if key in _KEPT}
