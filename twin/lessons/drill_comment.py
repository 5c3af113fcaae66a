"""A drill told afterwards: each fault, alarm and act in order of time, with what was right, late or missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from twin import units
from twin.language import tr
from twin.lessons.drill import OperatorDrill
from twin.lessons.drill_sight import seen_of
from twin.lessons.runbook import Runbook, RunbookAct, RunbookEntry, load_runbook
from twin.lessons.step_hall import Act
from twin.record.event_kinds import kind_of
from twin.record.events import Event, Severity
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.faults import Intervention

PROMPT_S = 300.0
"""An answer within this time of its alarm is prompt [s, est]."""
FOLLOWS_S = 1800.0
"""An alarm so long after a fault may still come of it [s]."""
_ACTS: dict[str, tuple[str, ...]] = {
    "repair": ("repair",),
    "replace": ("drain",),
    "requeue": ("requeue",),
    "cap": ("power_cap",),
}
"""Kinds of interventions by what the runbook calls them."""
_MANY = 3
"""So many alarms of one kind in one moment are told as one."""
_AT_ONCE_S = 60.0


@dataclass(frozen=True)
class DrillMoment:
    """One moment of a drill.

    Parameters
    ----------
    t_s
        When [s].
    what
        fault (hidden then), alarm, or act.
    thing
        What it is about.
    words
        What happened.
    comment
        What was right, late or missing; "": nothing is to be said.
    good
        Whether it went as it should; None: there is nothing to judge.
    """

    t_s: float
    what: Literal["fault", "alarm", "act"]
    thing: str
    words: str
    comment: str = ""
    good: bool | None = None


def told(
    drill: OperatorDrill, events: Sequence[Event], acts: Sequence[Act], until_s: float
) -> tuple[DrillMoment, ...]:
    """Return what happened in a drill and what was done, in order of time.

    Parameters
    ----------
    events
        All that the run logged, hidden ones too.
    acts
        What was done.
    until_s
        How far the drill went [s].
    """
    runbook = load_runbook()
    alarms = first_alarms(event for event in seen_of(events) if event.t_s <= until_s)
    answers = {id(alarm): answer(alarm, acts, runbook) for alarm in alarms}
    moments = [_of_fault(fault, alarms) for fault in drill.faults if fault.at_s <= until_s]
    moments += [_of_alarm(alarm, runbook, answers[id(alarm)], acts) for alarm in alarms]
    moments += [_of_act(act, alarms, runbook) for act in acts if act.at_s <= until_s]
    order = ("fault", "alarm", "act")
    return tuple(sorted(moments, key=lambda moment: (moment.t_s, order.index(moment.what))))


def first_alarms(events: Iterable[Event]) -> list[Event]:
    """Return the alarms of a run, each when it came first; of many at once about things of a kind only the first."""
    found: list[Event] = []
    for event in events:
        if event.severity < Severity.WARNING:
            continue
        same = [before for before in found if before.kind == event.kind]
        if any(before.subject == event.subject and event.t_s - before.t_s < FOLLOWS_S for before in same):
            continue
        if len([before for before in same if event.t_s - before.t_s < _AT_ONCE_S]) >= _MANY:
            continue
        found.append(event)
    return found


def answer(alarm: Event, acts: Sequence[Act], runbook: Runbook) -> Act | None:
    """Return the first act that answers an alarm as the runbook says; None: there was none."""
    entry = runbook.entry(alarm.kind)
    if entry is None or not entry.acts:
        return None
    later = (act for act in acts if act.at_s >= alarm.t_s)
    return next((act for act in later if any(_answers(act, wanted, alarm) for wanted in entry.acts)), None)


def act_words(act: Act) -> str:
    """Return in words what was done or broke: "Pumps stop: cdu/0"."""
    if isinstance(act, Edit):
        return act.title or ", ".join(f"{change.path} = {change.value}" for change in act.changes)
    kind = KINDS[act.kind]
    value = f" ({act.value})" if act.value is not None else ""
    return f"{kind.title}: {act.target}{value}"


def related(thing: str, other: str) -> bool:
    """Return whether two things are the same, or one is a part or cable of the other."""
    return thing == other or any(
        inner.startswith((f"{outer}/", f"{outer}~")) for inner, outer in ((thing, other), (other, thing))
    )


def _answers(act: Act, wanted: RunbookAct, alarm: Event) -> bool:
    if isinstance(act, Edit) or act.kind not in _ACTS[wanted.act]:
        return False
    return act.kind == "power_cap" or related(act.target, alarm.subject)


def _of_fault(fault: Intervention, alarms: Sequence[Event]) -> DrillMoment:
    near = [
        alarm
        for alarm in alarms
        if fault.at_s <= alarm.t_s <= fault.at_s + FOLLOWS_S and related(alarm.subject, fault.target)
    ]
    if near:
        wait = units.spoken(near[0].t_s - fault.at_s) if near[0].t_s > fault.at_s else ""
        title = kind_of(near[0].kind).title
        comment = (
            tr("First alarm of it: {title}, after {wait}.", title=title, wait=wait)
            if wait
            else tr("First alarm of it: {title}, at once.", title=title)
        )
    else:
        comment = tr("No alarm named it: only what followed from it could be seen.")
    return DrillMoment(fault.at_s, "fault", fault.target, act_words(fault), comment)


def _of_alarm(alarm: Event, runbook: Runbook, done: Act | None, acts: Sequence[Act]) -> DrillMoment:
    title = kind_of(alarm.kind).title
    words = alarm.text if alarm.text.startswith(title) else f"{title}: {alarm.text}"
    entry = runbook.entry(alarm.kind)
    good, comment = _judged(alarm, entry, done, acts)
    return DrillMoment(alarm.t_s, "alarm", alarm.subject, words, comment, good)


def _judged(
    alarm: Event, entry: RunbookEntry | None, done: Act | None, acts: Sequence[Act]
) -> tuple[bool | None, str]:
    if entry is None:
        return None, ""
    if done is not None:
        late_s = done.at_s - alarm.t_s
        spoken = units.spoken(max(1.0, round(late_s)))
        if late_s <= PROMPT_S:
            return True, tr("Answered after {time}, as the runbook says.", time=spoken)
        return False, tr("Answered after {time}: late. The runbook's first step takes minutes.", time=spoken)
    if not entry.acts:
        return None, tr("Runbook: {step}", step=entry.do[0])
    other = next(
        (
            act
            for act in acts
            if isinstance(act, Intervention)
            and alarm.t_s <= act.at_s <= alarm.t_s + FOLLOWS_S
            and related(act.target, alarm.subject)
        ),
        None,
    )
    if other is not None:
        spoken = units.spoken(max(1.0, round(other.at_s - alarm.t_s)))
        return None, tr(
            "You did something else after {time}: {act}. Runbook: {step}",
            time=spoken,
            act=act_words(other),
            step=entry.do[0],
        )
    return False, tr("Not answered. Runbook: {step}", step=entry.do[0])


def _of_act(act: Act, alarms: Sequence[Event], runbook: Runbook) -> DrillMoment:
    thing = act.changes[0].path if isinstance(act, Edit) else act.target
    before = [alarm for alarm in alarms if alarm.t_s <= act.at_s]
    asked = [
        alarm
        for alarm in before
        if any(
            _answers(act, wanted, alarm)
            for entry in [runbook.entry(alarm.kind)]
            if entry
            for wanted in entry.acts
        )
    ]
    if asked:
        latest = asked[-1]
        spoken = units.spoken(max(1.0, round(act.at_s - latest.t_s)))
        comment = tr(
            "For the alarm {title} of {thing}, {time} before.",
            title=kind_of(latest.kind).title,
            thing=latest.subject,
            time=spoken,
        )
        return DrillMoment(act.at_s, "act", thing, act_words(act), comment, act.at_s - latest.t_s <= PROMPT_S)
    comment = tr("No alarm asked for it.")
    return DrillMoment(act.at_s, "act", thing, act_words(act), comment)
