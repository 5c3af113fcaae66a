"""What came of a drill: GPU-hours that did useful work, and what the equipment suffered, read off its run."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from twin.language import tr
from twin.lessons.drill import HOUR_S, DrillError, OperatorDrill
from twin.lessons.drill_acts import ACTS, why_not
from twin.lessons.replay import replayed
from twin.lessons.step_hall import Act
from twin.record.events import Event
from twin.record.reader import Reader
from twin.scenario.schema.edit import Edit

USEFUL = "productive"
"""Account of the ledger: steps that were kept, at the speed of the reference clock without waits."""
THROTTLED = "thermal.throttle_gpu_s"


@dataclass(frozen=True)
class Harm:
    """A way in which equipment suffers.

    Parameters
    ----------
    id, title
        Its name in files, and in words with its unit.
    cost_gpu_h
        What one of it counts against useful GPU-hours [GPU h, by convention of drills].
    count
        How many of it there were: of the run, its faults and events up to a time [s].
    """

    id: str
    title: str
    cost_gpu_h: float
    count: Callable[[Reader, OperatorDrill, Sequence[Event], float], float]


def _throttled_h(reader: Reader, drill: OperatorDrill, events: Sequence[Event], until_s: float) -> float:
    times, figures = reader.figures()
    before = np.flatnonzero(times <= until_s)
    value = float(figures[THROTTLED][before[-1]]) if len(before) and THROTTLED in figures else 0.0
    return value / HOUR_S if math.isfinite(value) else 0.0


def _shut_down(reader: Reader, drill: OperatorDrill, events: Sequence[Event], until_s: float) -> float:
    hot = [event for event in events if event.kind == "shutdown" and event.word("cause") != "leak"]
    return float(sum(event.integer("nodes", 1) for event in hot))


def _of_itself(kind: str, fault: str) -> Callable[[Reader, OperatorDrill, Sequence[Event], float], float]:
    """Return what counts events of a kind that no fault of the drill is: they followed from what was not done."""

    def count(reader: Reader, drill: OperatorDrill, events: Sequence[Event], until_s: float) -> float:
        drawn = sum(each.kind == fault and each.at_s <= until_s for each in drill.faults)
        return float(max(0, sum(event.kind == kind for event in events) - drawn))

    return count


HARMS: tuple[Harm, ...] = (
    Harm("throttled", tr("GPU-hours at the temperature limit"), 0.25, _throttled_h),
    Harm("shutdowns", tr("nodes switched off by heat"), 2.0, _shut_down),
    Harm("breakers", tr("breakers tripped by overload"), 20.0, _of_itself("breaker_trip", "trip")),
    Harm("batteries", tr("batteries run empty"), 10.0, _of_itself("battery_empty", "battery_empty")),
    Harm("rooms", tr("emergency power off of a room"), 50.0, _of_itself("room_too_hot", "")),
)
"""What counts as harm. The costs are a convention of drills, for ranking [est]: no operator published such a price."""


@dataclass(frozen=True)
class Score:
    """What came of a drill.

    Parameters
    ----------
    useful_gpu_h
        GPU time of steps that count, of all jobs [GPU h].
    harms
        How much of each of `HARMS`, by its id.
    interruptions
        Jobs stopped.
    until_s
        How far the drill went [s].
    """

    useful_gpu_h: float
    harms: dict[str, float]
    interruptions: int
    until_s: float

    @property
    def harm_gpu_h(self) -> float:
        """Return what the harm counts [GPU h]."""
        return math.fsum(harm.cost_gpu_h * self.harms.get(harm.id, 0.0) for harm in HARMS)

    @property
    def value_gpu_h(self) -> float:
        """Return what ranks drills: useful GPU-hours less what the harm counts [GPU h]."""
        return self.useful_gpu_h - self.harm_gpu_h


def score_of(reader: Reader, drill: OperatorDrill, until_s: float | None = None) -> Score:
    """Return what came of a recorded drill up to a time [s]; none: to its end.

    Raises
    ------
    RunFileError
        When the run file is damaged.
    """
    end_s = min(drill.length_s if until_s is None else until_s, reader.t_end_s)
    spent = reader.ledger_range(0.0, end_s, inclusive=True)
    events = [event for event in reader.all_events() if event.t_s <= end_s]
    harms = {harm.id: harm.count(reader, drill, events, end_s) for harm in HARMS}
    stopped = sum(event.kind == "job_interrupted" for event in events)
    return Score(spent.gpu_s[USEFUL] / HOUR_S, harms, stopped, end_s)


def score_of_acts(drill: OperatorDrill, acts: Sequence[Act], until_s: float | None = None) -> Score:
    """Return what comes of a drill in which somebody does these acts: the run is made again.

    Raises
    ------
    DrillError
        When no operator has such an act, or the hall refuses it.
    ValueError
        When the run cannot be made.
    """
    no_act = next((reason for act in acts if (reason := why_not(act))), "")
    if no_act:
        raise DrillError(no_act)
    end_s = drill.length_s if until_s is None else min(until_s, drill.length_s)
    edits = {act.id for act in acts if isinstance(act, Edit)}
    with replayed(drill.scenario, acts, end_s) as reader:
        for event in reader.events_where(kinds=("refused",)):
            if event.word("asked") in ACTS or event.subject in edits:
                raise DrillError(
                    f"the hall refuses {event.word('asked') or 'the edit'} {event.subject}: {event.text}"
                )
        return score_of(reader, drill, end_s)
