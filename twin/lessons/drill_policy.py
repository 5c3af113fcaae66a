"""Ways to run the hall in a drill: doing nothing, by the runbook with a reaction time, at random."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np

from twin import units
from twin.lessons.drill import Drill
from twin.lessons.drill_acts import why_no_act
from twin.lessons.drill_sight import seen_of
from twin.lessons.drill_view import DrillView, JobSeen
from twin.lessons.runbook import Runbook, RunbookAct, load_runbook
from twin.runtime.loading import begun, engine_type
from twin.runtime.protocol import ENGINE
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.faults import Intervention

SLICE_S = 10.0
"""An operator looks at the screen so often [simulated s]."""
REACTION_S = 120.0
"""From an alarm to what is done about it: read, look, decide [s, est]."""
RESTART_S = 240.0
"""What a restart takes, as an operator reckons with it [s, est]."""
IDLE_S = 420.0
"""Mean time between two acts of somebody who acts at random [s]."""
_WORTH = 1.4
"""A move that saves less than this many times what it costs is not worth the risk of another fault in between."""
_LEAST_GAIN = 0.02
"""A job that loses less of its time is left where it is."""


class DrillPolicy(Protocol):
    """Says what is done now; asked at each look at the screen."""

    def acts(self, view: DrillView) -> Iterator[Intervention]:
        """Yield what is done now."""


class Nothing:
    """Does nothing."""

    def acts(self, view: DrillView) -> Iterator[Intervention]:
        """Yield nothing."""
        return iter(())


class ByRunbook:
    """Does what the runbook says about each alarm, some time after it came.

    Parameters
    ----------
    reaction_s
        That time [s].
    """

    def __init__(self, reaction_s: float = REACTION_S, runbook: Runbook | None = None) -> None:
        self._reaction_s = reaction_s
        self._runbook = load_runbook() if runbook is None else runbook
        self._done: dict[tuple[str, str], float] = {}  # when each alarm that was answered had come
        self._asked: dict[tuple[str, str], float] = {}

    def acts(self, view: DrillView) -> Iterator[Intervention]:
        """Yield the response to each alarm that is old enough; one that has ended by then needs none."""
        for alarm in view.alarms.all():
            key = (alarm.kind, alarm.subject)
            if self._done.get(key) == alarm.last_s or view.now_s < alarm.last_s + self._reaction_s:
                continue
            self._done[key] = alarm.last_s
            if alarm.status == "ended":
                continue
            entry = self._runbook.entry(alarm.kind)
            for act in () if entry is None else entry.acts:
                if not act.of or view.kind_of(alarm.subject) in act.of:
                    yield from self._response(act, alarm.subject, view)

    def _response(self, act: RunbookAct, subject: str, view: DrillView) -> Iterator[Intervention]:
        last_s = self._asked.get((act.act, subject), -math.inf)
        if view.now_s - last_s < self._reaction_s:
            return
        self._asked[act.act, subject] = view.now_s
        if act.act == "repair" and view.kind_of(subject) in KINDS["repair"].targets:
            yield Intervention(at=view.now_s, kind="repair", target=subject)
        elif act.act == "requeue" and subject in view.jobs:
            yield Intervention(at=view.now_s, kind="requeue", target=subject)
        elif act.act == "cap":
            draw_w = view.draw_w(subject) * (act.value or 1.0)
            if draw_w > 0.0:
                limit = units.render(float(f"{draw_w:.3g}"), "power")
                yield Intervention(at=view.now_s, kind="power_cap", target=subject, value=limit)
        elif act.act == "replace":
            node = view.node_of(subject)
            job = view.job_on(node) if node and view.has_spare(node) else None
            when = None if job is None else when_to_leave(job, view.now_s, view.end_s)
            if when is not None:
                yield Intervention(at=view.now_s, kind="drain", target=node, value=when)


def when_to_leave(job: JobSeen, now_s: float, end_s: float) -> str | None:
    """Return when a job that runs slower should leave a node: now, checkpoint; None: it loses less by staying.

    Each in seconds of the job: what it loses until the end, the work since its last checkpoint and a restart, or slow
    steps until the next checkpoint and a restart.
    """
    left_s = max(0.0, end_s - now_s)
    since_s = now_s - (job.safe_s if job.safe_s is not None else 0.0)
    if job.slower < _LEAST_GAIN or left_s <= RESTART_S:
        return None
    costs = {None: job.slower * left_s / _WORTH, "now": since_s + RESTART_S}
    if job.interval_s is not None:
        wait_s = max(0.0, job.interval_s - since_s) / (1.0 - job.slower)
        if wait_s + RESTART_S < left_s:
            costs["checkpoint"] = job.slower * wait_s + RESTART_S
    return min(costs, key=lambda when: costs[when])


class AtRandom:
    """Does what an operator may do, at random times to random things."""

    def __init__(self, seed: int) -> None:
        self._random = np.random.default_rng([seed, 0x0D12])
        self._next_s = float(self._random.exponential(IDLE_S))

    def acts(self, view: DrillView) -> Iterator[Intervention]:
        """Yield something now and then."""
        while view.now_s >= self._next_s:
            self._next_s += float(self._random.exponential(IDLE_S))
            kind = str(self._random.choice(("repair", "drain", "drain", "power_cap", "requeue")))
            made = self._act(kind, view)
            if made is not None:
                yield made

    def _act(self, kind: str, view: DrillView) -> Intervention | None:
        plant, value = view.plant, None
        nodes = [plant.nodes.ids[slot] for slot in np.flatnonzero(plant.nodes.present).tolist()]
        things = {
            "repair": [*plant.loops.ids, *plant.plants.ids, *plant.power.ids],
            "drain": nodes,
            "power_cap": ["all"],
            "requeue": list(view.jobs),
        }[kind]
        if not things:
            return None
        if kind == "drain":
            value = str(self._random.choice(("now", "checkpoint")))
        elif kind == "power_cap":
            value = f"{int(self._random.integers(300, 900))} W"
        target = str(self._random.choice(things))
        return Intervention(at=view.now_s, kind=kind, target=target, value=value)


POLICIES: dict[str, Callable[[int], DrillPolicy]] = {
    "nothing": lambda _seed: Nothing(),
    "runbook": lambda _seed: ByRunbook(),
    "random": AtRandom,
}
"""By name; each is made of a seed."""
BEST_OF: tuple[Callable[[], DrillPolicy], ...] = (lambda: ByRunbook(SLICE_S),)
"""Responses of which, beside the runbook at the usual pace, the best is the best that is known."""


def acts_of(drill: Drill, policy: DrillPolicy, until_s: float | None = None) -> tuple[Intervention, ...]:
    """Return what a policy does in a drill, as it sees the run go on.

    Raises
    ------
    ValueError
        When the run cannot be made.
    """
    end_s = drill.length_s if until_s is None else min(until_s, drill.length_s)
    if isinstance(policy, Nothing):
        return ()
    engine = begun(engine_type(ENGINE), drill.scenario, None)
    view = DrillView(drill.document.scenario, engine, end_s)
    done: list[Intervention] = []
    row = 0
    for number in range(math.ceil(end_s / SLICE_S)):
        engine.advance(number * SLICE_S)
        events = engine.events(row)
        row = events[-1].row + 1 if events else row
        view.look(engine.now_s, seen_of(events))
        for act in policy.acts(view):
            at = act.model_copy(update={"at_s": engine.boundary_s(engine.now_s)})
            if not why_no_act(at.kind) and engine.intervene(at) is None:
                done.append(at)
    return tuple(done)
