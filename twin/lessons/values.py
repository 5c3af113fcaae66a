"""The value of a measure: read off a run file, the scene, its design rules, the planner, or what a person did."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from pydantic import BaseModel

from twin.lessons.measure import (
    EDIT,
    ActMeasure,
    AlarmMeasure,
    ChannelMeasure,
    EventMeasure,
    FindingMeasure,
    LedgerMeasure,
    Measure,
    PlanMeasure,
    SceneMeasure,
    SummaryMeasure,
)
from twin.lessons.schema import Allowed
from twin.lessons.step_hall import Act
from twin.planning.job.result import JobEstimate, PlanError
from twin.planning.job.scenario_job import estimate_of
from twin.planning.network.job_network import network_of
from twin.planning.profile.figures import ProfileError
from twin.planning.search.scene_plan import scene_gpus
from twin.plant.build import build
from twin.plant.tables import Plant
from twin.record.alarms import Alarms
from twin.record.channels import BY_ID
from twin.record.reader import Reader
from twin.rules import check
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.generators.allowed_rows import rows_of
from twin.scenario.schema.document import Scenario
from twin.scenario.schema.edit import Edit
from twin.scenario.schema.fields import fields_of
from twin.scenario.schema.scene_catalog import catalog_of
from twin.scenario.text.path import split

HOUR_S = 3600.0
GB = 1e9
SITE = 0
"""Number of the site among its channels."""
Value = float | str | bool


class NoValue(ValueError):
    """A measure has no value here; the message says why."""


@dataclass(frozen=True)
class StepEvidence:
    """What a step is held against.

    Attributes
    ----------
    scenario
        The scene as it stands, with what the person changed.
    reader
        Of its recorded run; None: it has not run.
    acts
        What the person did.
    since_s, until_s
        The step, in time of the run [s].
    now_s
        How far the run has come [s].
    allowed_before
        What earlier steps allowed in the same hall.
    """

    scenario: Scenario
    reader: Reader | None = None
    acts: Sequence[Act] = ()
    since_s: float = 0.0
    until_s: float = math.inf
    now_s: float = 0.0
    allowed_before: tuple[Allowed, ...] = ()

    @cached_property
    def plant(self) -> Plant:
        """Return the hall as built."""
        return build(self.scenario)

    def span(self, measure: Measure) -> tuple[float, float]:
        """Return from when to when a measure looks, as far as the run has come [s]."""
        since_s, until_s = getattr(measure, "since_s", None), getattr(measure, "until_s", None)
        begin_s = self.since_s if since_s is None else since_s
        return begin_s, min(self.until_s if until_s is None else until_s, self.now_s)

    def over(self, measure: Measure) -> bool:
        """Return whether nothing that comes can change its value."""
        until_s = getattr(measure, "until_s", None)
        return self.now_s >= min(self.until_s if until_s is None else until_s, self.scenario.duration_s)


def value_of(measure: Measure, evidence: StepEvidence) -> Value:
    """Return the value of a measure, in its unit.

    Raises
    ------
    NoValue
        When there is none, with the reason.
    RunFileError
        When the run file is damaged.
    """
    if isinstance(measure, SceneMeasure):
        return scene_value(evidence.scenario, measure.path)
    if isinstance(measure, FindingMeasure):
        return float(_findings(measure, evidence))
    if isinstance(measure, PlanMeasure):
        return _planned(measure, evidence)
    since_s, until_s = evidence.span(measure)
    if isinstance(measure, ActMeasure):
        return float(
            sum(
                kind_of_act(act) in measure.acts and measure.of in (None, target_of_act(act))
                for act in evidence.acts
                if since_s <= act.at_s <= until_s
            )
        )
    if evidence.reader is None:
        raise NoValue("the run has not begun")
    if until_s < since_s:
        raise NoValue("the run has not come so far")
    if isinstance(measure, ChannelMeasure):
        return _of_channel(measure, evidence.reader, since_s, until_s)
    if isinstance(measure, EventMeasure):
        events = evidence.reader.events_where(kinds=(measure.event,), t0_s=since_s, t1_s=until_s)
        return float(sum(measure.of in (None, event.subject) for event in events))
    if isinstance(measure, AlarmMeasure):
        alarms = Alarms()
        alarms.add(evidence.reader.events_where(t1_s=until_s))
        return float(
            sum(
                measure.alarm in (None, alarm.kind) and measure.of in (None, alarm.subject)
                for alarm in alarms.active()
            )
        )
    if isinstance(measure, LedgerMeasure):
        return _booked(measure, evidence, since_s, until_s)
    return _summed(measure, evidence.reader, until_s)


def kind_of_act(act: Act) -> str:
    """Return the kind of an act, as lessons name it."""
    return EDIT if isinstance(act, Edit) else act.kind


def target_of_act(act: Act) -> str:
    """Return what an act was done to; of an edit the path of its first change."""
    return act.changes[0].path if isinstance(act, Edit) else act.target


def scene_value(scenario: Scenario, path: str) -> Value:
    """Return the value at a path of a scene, as `jobs[llama3].checkpoint.interval`; of a list how long it is.

    Raises
    ------
    NoValue
        When the path leads nowhere.
    """
    at: object = scenario
    for step in split(path):
        at = _below(at, step, path)
    if at is None:
        return "none"
    if isinstance(at, bool | str):
        return at
    if isinstance(at, int | float):
        return float(at)
    if isinstance(at, tuple | dict):
        return float(len(at))
    raise NoValue(f"{path} is a group of keys, not a value")


def _below(at: object, step: str, path: str) -> object:
    if isinstance(at, BaseModel):
        known = fields_of(type(at))
        if step in known:
            return getattr(at, known[step][0])
    elif isinstance(at, dict) and step in at:
        return at[step]
    elif isinstance(at, tuple):
        named = next((item for item in at if getattr(item, "id", None) == step), None)
        if named is not None:
            return named
        if step.isascii() and step.isdigit() and int(step) < len(at):
            return at[int(step)]
    raise NoValue(f"the scene has no {path}")


def _of_channel(measure: ChannelMeasure, reader: Reader, since_s: float, until_s: float) -> float:
    channel = BY_ID[measure.channel]
    number = SITE
    if measure.of is not None:
        ids = reader.header.ids.get(channel.entity, ())
        if measure.of not in ids:
            raise NoValue(f"the run has no {channel.entity} {measure.of}")
        number = ids.index(measure.of)
    curve = reader.series(number, measure.channel, since_s, until_s, points=100_000)
    if not len(curve.t_s) and measure.take == "last":
        curve = reader.series(number, measure.channel, 0.0, until_s, points=100_000)
    if not len(curve.t_s):
        raise NoValue("nothing was recorded then")
    if measure.take == "last":
        return float(curve.mean[-1])
    if measure.take == "max":
        return float(np.nanmax(curve.high))
    if measure.take == "min":
        return float(np.nanmin(curve.low))
    if len(curve.t_s) < 2:
        return float(curve.mean[0])
    return float(np.trapezoid(curve.mean, curve.t_s) / (curve.t_s[-1] - curve.t_s[0]))


def _booked(measure: LedgerMeasure, evidence: StepEvidence, since_s: float, until_s: float) -> float:
    reader = evidence.reader
    assert reader is not None
    found = reader.ledger_range(since_s, until_s, inclusive=True)
    rows = found.by_job
    if measure.job is not None:
        ids = [job.id for job in jobs_of(reader.header.scenario)]
        if measure.job not in ids:
            raise NoValue(f"the scene has no job {measure.job}")
        place = ids.index(measure.job)
        rows = rows[place : place + 1] if place < len(rows) - 1 else rows[:0]
    spent = dict(zip(found.gpu_s, rows.sum(axis=0).tolist(), strict=True))
    chosen = math.fsum(spent[account] for account in measure.accounts)
    if not measure.share:
        return chosen / HOUR_S
    whole = math.fsum(spent.values())
    if whole <= 0.0:
        raise NoValue("no GPU time was spent yet")
    return 100.0 * chosen / whole


def _summed(measure: SummaryMeasure, reader: Reader, until_s: float) -> float:
    times, figures = reader.figures()
    if measure.figure not in figures:
        raise NoValue(f"the run has no figure {measure.figure}; known: {', '.join(sorted(figures)[:30])}")
    before = np.flatnonzero(times <= until_s)
    value = float(figures[measure.figure][before[-1]]) if len(before) else math.nan
    if not math.isfinite(value):
        raise NoValue(f"{measure.figure} is not known yet")
    return value


def _findings(measure: FindingMeasure, evidence: StepEvidence) -> int:
    report = check(evidence.scenario, evidence.plant, catalog_of(evidence.scenario))
    return sum(
        (finding.counts if measure.rule is None else finding.rule == measure.rule)
        and measure.of in (None, *finding.ids)
        for finding in report.open
    )


def _planned(measure: PlanMeasure, evidence: StepEvidence) -> float:
    result = planned(evidence.scenario, evidence.plant, measure.job)
    parts = result.parts
    if measure.figure == "step_s":
        return parts.step_s
    if measure.figure == "mfu":
        return 100.0 * parts.mfu
    if measure.figure == "memory_gb":
        return result.memory.total_bytes / GB
    if measure.figure == "memory_share":
        return 100.0 * result.memory.total_bytes / result.gpu_bytes
    if measure.figure == "bubble_share":
        return 100.0 * parts.pipeline_bubble_s / parts.step_s
    exposed_s = (
        parts.exposed_tensor_s
        + parts.exposed_pipeline_s
        + parts.exposed_data_s
        + parts.exposed_context_s
        + parts.exposed_expert_s
    )
    return 100.0 * exposed_s / parts.step_s


def planned(scenario: Scenario, plant: Plant, job_id: str) -> JobEstimate:
    """Return the estimate of a job of a scene on its hardware, as the engine has it where nothing is in its way.

    Raises
    ------
    NoValue
        When there is no such job, or it cannot run here.
    """
    job = next((job for job in jobs_of(scenario) if job.id == job_id), None)
    if job is None:
        raise NoValue(f"the scene has no job {job_id}")
    catalog = catalog_of(scenario)
    try:
        gpus = scene_gpus(plant, catalog, rows_of(scenario, job))
        count = job.gpus or job.nodes * gpus.node_gpus
        network = network_of(plant, catalog, job)
        return estimate_of(job, count, gpus.part, gpus.memory_bytes, network, catalog=catalog, node=gpus.node)
    except (PlanError, ProfileError) as error:
        raise NoValue(str(error)) from None
