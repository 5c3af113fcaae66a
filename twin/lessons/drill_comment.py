"""A drill told afterwards: each fault, alarm and act in order of time, with what was right, late or missing."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from twin import units
from twin.language import tr
from twin.lessons.drill import OperatorDrill
from twin.lessons.drill_sight import seen_of
from twin.lessons.drill_view import thing_kind
from twin.lessons.runbook import Runbook, RunbookAct, RunbookEntry, load_runbook
from twin.lessons.step_hall import Act
from twin.plant.build import build
from twin.plant.find import find
from twin.plant.graph import nodes_under
from twin.plant.tables import Plant
from twin.record.alarms import Alarms
from twin.record.event_kinds import kind_of
from twin.record.events import Event, Severity
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.faults import Intervention

PROMPT_S = 300.0
"""An answer within this time of its alarm is prompt [s, est]."""
FOLLOWS_S = 1800.0
"""An alarm so long after a fault may still come of it, and an act so long before an alarm may answer it [s]."""
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
    drill: OperatorDrill,
    events: Sequence[Event],
    acts: Sequence[Act],
    until_s: float,
    plant: Plant | None = None,
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
    plant
        The hall as built, where that is known.
    """
    seen = [event for event in seen_of(events) if event.t_s <= until_s]
    alarms = first_alarms(seen)
    scenario = drill.document.scenario
    plant = build(scenario) if plant is None else plant
    about = _Answers(plant, {job.id for job in jobs_of(scenario)}, load_runbook())
    spans = spans_of(alarms, seen)
    moments = [_of_fault(fault, alarms) for fault in drill.faults if fault.at_s <= until_s]
    for alarm, times in zip(alarms, spans, strict=True):
        good, comment = _judged(alarm, times, about, acts, until_s)
        words = f"{kind_of(alarm.kind).title}: {alarm.text}"
        moments.append(DrillMoment(alarm.t_s, "alarm", alarm.subject, words, comment, good))
    moments += [_of_act(act, alarms, about) for act in acts if act.at_s <= until_s]
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


def spans_of(alarms: Sequence[Event], seen: Iterable[Event]) -> list[list[tuple[float, float]]]:
    """Return when each alarm began and ended [s], each time it came; one that is over at once begins and ends at once.

    One that goes on ends at infinity.
    """
    spans: dict[tuple[str, str], list[tuple[float, float]]] = {
        (each.kind, each.subject): [] for each in alarms
    }
    known = Alarms()
    for event in seen:
        if not known.add((event,)):
            continue
        for key, times in spans.items():
            alarm = known.of(*key)
            lasts = bool(times) and times[-1][1] == math.inf
            if alarm is None or (lasts and alarm.active):
                continue
            if lasts:
                times[-1] = (times[-1][0], event.t_s)
            elif alarm.active or (event.kind, event.subject) == key:
                times.append((event.t_s, math.inf if alarm.active else event.t_s))
    return [[span for span in spans[alarm.kind, alarm.subject] if span[1] >= alarm.t_s] for alarm in alarms]


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


class _Answers:
    """Which acts answer which alarms, as the runbook says and as the hall hangs together."""

    def __init__(self, plant: Plant, jobs: Collection[str], runbook: Runbook) -> None:
        self._plant, self._jobs, self._runbook = plant, jobs, runbook

    def entry(self, alarm: Event) -> RunbookEntry | None:
        """Return what the runbook says about an alarm."""
        return self._runbook.entry(alarm.kind)

    def wanted(self, alarm: Event) -> list[RunbookAct]:
        """Return the acts of the runbook that can be done about the subject of an alarm."""
        entry, kind = self.entry(alarm), thing_kind(alarm.subject, self._plant, self._jobs)
        if entry is None or self._is_utility(alarm.subject):
            return []
        return [each for each in (*entry.acts, *entry.also) if each.is_for(kind)]

    def answers(self, act: Act, alarm: Event) -> bool:
        """Return whether an act is one of those that an alarm asks for."""
        return any(self._does(act, wanted, alarm) for wanted in self.wanted(alarm))

    def _does(self, act: Act, wanted: RunbookAct, alarm: Event) -> bool:
        if isinstance(act, Edit) or act.kind not in _ACTS[wanted.act]:
            return False
        if related(act.target, alarm.subject):
            return True
        if act.kind not in ("power_cap", "repair"):
            return False
        of_alarm, of_act = self._nodes(alarm.subject), self._nodes(act.target)
        if act.kind == "power_cap":
            return not of_alarm or bool(of_alarm & of_act)
        return bool(of_alarm) and of_alarm <= of_act  # what feeds or cools it

    def _nodes(self, thing: str) -> set[int]:
        """Return the nodes that hang on a thing; of "all" and the site all."""
        if thing in ("all", "site"):
            return set(np.flatnonzero(self._plant.nodes.present).tolist())
        found = find(self._plant, thing)
        return set() if found is None else set(nodes_under(self._plant, *found).tolist())

    def _is_utility(self, thing: str) -> bool:
        """Return whether a thing is the grid: nobody on site mends it."""
        found = find(self._plant, thing)
        return found is not None and found[0] == "power" and self._plant.power.kind[found[1]] == "utility"


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


def _judged(
    alarm: Event, spans: Sequence[tuple[float, float]], about: _Answers, acts: Sequence[Act], until_s: float
) -> tuple[bool | None, str]:
    """Return whether an alarm was answered in time, and what is said about that; None: nobody is to blame."""
    entry, wanted = about.entry(alarm), about.wanted(alarm)
    if entry is None:
        return None, ""
    runbook = tr("Runbook: {step}", step=entry.do[0])
    if not wanted:
        return None, runbook
    answers = [act for act in acts if about.answers(act, alarm)]
    due = [
        each for each in wanted if each in entry.acts and each.act != "replace"
    ]  # else where it pays, as things are
    done = next((act for act in answers if act.at_s >= alarm.t_s), None)
    before = next((act for act in reversed(answers) if alarm.t_s - FOLLOWS_S <= act.at_s < alarm.t_s), None)
    if before is not None and (done is None or done.at_s - alarm.t_s > PROMPT_S):
        spoken = _spoken(alarm.t_s - before.at_s)
        return None, tr("Done already, {time} before: {act}.", time=spoken, act=act_words(before))
    if done is not None:
        came_s = max((begin_s for begin_s, _ in spans if begin_s <= done.at_s), default=alarm.t_s)
        late_s, spoken = done.at_s - came_s, _spoken(done.at_s - came_s)
        if late_s <= PROMPT_S:
            return True, tr("Answered after {time}, as the runbook says.", time=spoken)
        if not due or not any(end_s - begin_s > PROMPT_S for begin_s, end_s in spans if begin_s <= done.at_s):
            return None, tr("Answered after {time}.", time=spoken)
        return False, tr("Answered after {time}: late. The runbook's first step takes minutes.", time=spoken)
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
        return None, tr(
            "You did something else after {time}: {act}. Runbook: {step}",
            time=_spoken(other.at_s - alarm.t_s),
            act=act_words(other),
            step=entry.do[0],
        )
    if not due or not any(min(end_s, until_s) - begin_s > PROMPT_S for begin_s, end_s in spans):
        return None, runbook  # it was over, or the drill, before it could be answered
    return False, tr("Not answered. Runbook: {step}", step=entry.do[0])


def _of_act(act: Act, alarms: Sequence[Event], about: _Answers) -> DrillMoment:
    thing = act.changes[0].path if isinstance(act, Edit) else act.target
    asked = [alarm for alarm in alarms if alarm.t_s <= act.at_s and about.answers(act, alarm)]
    if not asked:
        return DrillMoment(act.at_s, "act", thing, act_words(act), tr("No alarm asked for it."))
    latest = asked[-1]
    comment = tr(
        "For the alarm {title} of {thing}, {time} before.",
        title=kind_of(latest.kind).title,
        thing=latest.subject,
        time=_spoken(act.at_s - latest.t_s),
    )
    prompt = True if act.at_s - latest.t_s <= PROMPT_S else None
    return DrillMoment(act.at_s, "act", thing, act_words(act), comment, prompt)


def _spoken(span_s: float) -> str:
    return units.spoken(max(1.0, round(span_s)))
