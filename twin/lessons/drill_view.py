"""What whoever runs the hall in a drill has before them: alarms, instruments, the jobs; nothing of what is hidden."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from twin.plant.domains import scale_up_domains
from twin.plant.find import find
from twin.plant.tables import Plant
from twin.record.alarms import Alarms
from twin.record.channels import NodeCondition
from twin.record.events import Event
from twin.record.frame import Frame
from twin.runtime.protocol import RunEngine
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.document import Scenario

_MINUTE_S = 60.0
_SAFE = ("checkpoint", "job_running", "job_resumed")
"""Kinds of events after which a job has nothing to lose."""


def thing_kind(thing: str, plant: Plant, jobs: Collection[str]) -> str:
    """Return what a thing is: gpu, node, rack, loop, plant, power, switch, link, job; "": unknown."""
    if "~" in thing:
        return "link"
    if thing in jobs:
        return "job"
    found = find(plant, thing)
    return "" if found is None else found[0]


@dataclass
class JobSeen:
    """A job as its page shows it.

    Parameters
    ----------
    id
        Its name.
    step_s
        Time of a step now [s]; 0: it does not step.
    usual_s
        The shortest that was seen [s].
    safe_s
        When its last checkpoint was written, or its first step began [s]; None: it has not stepped.
    interval_s
        Between its checkpoints, as asked for or as last seen [s]; None: not known yet.
    """

    id: str
    step_s: float = 0.0
    usual_s: float = float("inf")
    safe_s: float | None = None
    interval_s: float | None = None

    @property
    def slower(self) -> float:
        """Return the share of its time that it loses against its usual step [-]."""
        return max(0.0, 1.0 - self.usual_s / self.step_s) if self.step_s > 0.0 else 0.0


class DrillView:
    """The screen of the operator: follows a run as it goes on.

    Attributes
    ----------
    scenario
        As it is shown, without what is hidden.
    alarms
        As instruments raise them.
    fresh
        Events seen since the look before.
    now_s, end_s
        Time of the run and its end [s].
    """

    def __init__(self, scenario: Scenario, engine: RunEngine, end_s: float) -> None:
        self.scenario, self._engine, self.end_s = scenario, engine, end_s
        self.alarms = Alarms()
        self.fresh: Sequence[Event] = ()
        self.now_s = 0.0
        self.jobs = {job.id: JobSeen(job.id) for job in jobs_of(scenario)}
        for job in jobs_of(scenario):
            asked = job.checkpoint.interval
            self.jobs[job.id].interval_s = None if isinstance(asked, str) else asked
        self._numbers = {job.id: place for place, job in enumerate(jobs_of(scenario))}
        self._looked_s = -_MINUTE_S

    def look(self, now_s: float, events: Sequence[Event]) -> None:
        """Take what instruments show now, and the events seen since the last look."""
        self.now_s, self.fresh = now_s, events
        self.__dict__.pop("frame", None)
        self.alarms.add(events)
        for event in events:
            job = self.jobs.get(event.subject)
            if job is not None and event.kind in _SAFE:
                if event.kind == "checkpoint" and job.safe_s is not None:
                    job.interval_s = event.t_s - job.safe_s
                job.safe_s = event.t_s
        if now_s - self._looked_s >= _MINUTE_S:
            self._looked_s = now_s
            self._steps()

    @cached_property
    def frame(self) -> Frame:
        """Return the picture of the hall now."""
        frame = Frame.empty(self._engine.layout)
        self._engine.fill(frame)
        return frame

    @property
    def plant(self) -> Plant:
        """Return the hall."""
        return self._engine.plant

    def has_spare(self, node: str) -> bool:
        """Return whether spare nodes can take over from a node without splitting its NVLink domain."""
        found = find(self.plant, node)
        if found is None or found[0] != "node":
            return False
        domain = scale_up_domains(self.plant)
        there, condition = self.plant.nodes.present, self.frame.values["node.condition"]
        spare = (condition == NodeCondition.SPARE) & there
        size = int(np.count_nonzero((domain == domain[found[1]]) & there))
        return bool((np.bincount(domain[spare], minlength=1) >= size).any()) if spare.any() else False

    def kind_of(self, thing: str) -> str:
        """Return what a thing is: gpu, node, rack, loop, plant, power, switch, link, job; "": unknown."""
        return thing_kind(thing, self.plant, self.jobs)

    def node_of(self, thing: str) -> str:
        """Return the node of a GPU, or the node itself; "": it is neither."""
        kind = self.kind_of(thing)
        return thing.rpartition("/")[0] if kind == "gpu" else thing if kind == "node" else ""

    def job_on(self, node: str) -> JobSeen | None:
        """Return the job that runs on a node."""
        found = find(self.plant, node)
        if found is None or found[0] != "node":
            return None
        held = int(self.frame.values["gpu.job"][int(self.plant.nodes.gpu_first[found[1]])])
        name = next((id for id, number in self._numbers.items() if number == held), "")
        self._steps()
        return self.jobs.get(name)

    def draw_w(self, item: str) -> float:
        """Return what an item of the power tree gives now [W]; 0: it is none."""
        found = find(self.plant, item)
        if found is None or found[0] != "power":
            return 0.0
        return float(self.frame.values["power.out_w"][found[1]])

    def _steps(self) -> None:
        steps = self.frame.values["job.step_s"]
        for id, number in self._numbers.items():
            if number < len(steps):
                step_s = float(np.nan_to_num(steps[number]))
                job = self.jobs[id]
                job.step_s = step_s
                if step_s > 0.0:
                    job.usual_s = min(job.usual_s, step_s)
