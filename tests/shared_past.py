"""What two runs say of the past they share, view by view: a run and a branch of it, up to the cut."""

from __future__ import annotations

import math
from dataclasses import astuple
from typing import Any

import numpy as np

from twin.analysis.compare import compare_at
from twin.analysis.explain import explain
from twin.app.jobs.events import JobEvents
from twin.app.jobs.page_facts import job_page
from twin.app.queue.history import JobHistory
from twin.app.world.rows import World
from twin.catalog import load_catalog
from twin.plant.build import build
from twin.plant.tables import Plant
from twin.record.alarms import Alarms
from twin.record.alarms_pictured import over_in
from twin.record.channels import SERIES_CHANNELS
from twin.record.events import Event
from twin.record.frame import Frame
from twin.record.reader import Reader


def alarms_at(plant: Plant, events: list[Event], frame: Frame) -> list[tuple[Any, ...]]:
    """Return the list of alarms as the window makes it: of the events, and of the picture what no event ends."""
    alarms = Alarms()
    alarms.add(events)
    alarms.settle(over_in(plant, frame), frame.events)
    return [(*astuple(alarm), alarm.status) for alarm in alarms.all()]


def jobs_at(reader: Reader, plant: Plant, events: list[Event], frame: Frame) -> list[object]:
    """Return the boxes of the chart of jobs, and each job's page with its lines, in words and figures."""
    scenario = reader.header.scenario
    history, lines = JobHistory(scenario, plant), JobEvents()
    lines.begin(history.index)
    history.add(events)
    lines.add(events)
    world, spans = World(scenario, plant, load_catalog(), frame), history.spans
    boxes = [spans.column(number).tolist() for number in range(6)]
    return [
        boxes,
        *([job_page(world, history, lines, job), lines.lines(job, plant)] for job in history.index),
    ]


def assert_same_past(one: Reader, other: Reader, t_s: float) -> int:
    """Assert that two runs say the same of what was before `t_s` [s] in every view; return the active alarms.

    Compared, explained, in the ledger, in events, alarms, picture, chart of jobs and pages of jobs.
    """
    found = compare_at(one, other, t_s)
    assert len(found.differences) >= 13
    assert {key: each.difference for key, each in found.differences.items() if each.difference} == {}
    assert found.waterfall.steps == ()
    for from_s in (0.0, 0.5 * t_s):
        known = [run.ledger_range(from_s, t_s, inclusive=False) for run in (one, other)]
        assert np.array_equal(known[0].by_job, known[1].by_job)
        assert known[0].provisional_gpu_s == known[1].provisional_gpu_s
        assert known[0].losses == known[1].losses
        assert explain(one, from_s, t_s) == explain(other, from_s, t_s)
    before = [[event for event in run.all_events() if event.t_s < t_s] for run in (one, other)]
    assert before[0] == before[1]
    frames = [run.frame(math.nextafter(t_s, 0.0)) for run in (one, other)]
    assert frames[0].t_s == frames[1].t_s < t_s
    for id, values in frames[0].values.items():
        assert np.array_equal(values, frames[1].values[id], equal_nan=True), id
    plant = build(one.header.scenario)
    alarms = [alarms_at(plant, before[0], frame) for frame in frames]
    assert alarms[0] == alarms[1]
    pages = [jobs_at(run, plant, before[0], frame) for run, frame in zip((one, other), frames, strict=True)]
    assert repr(pages[0]) == repr(pages[1])  # nan is what it is not
    return sum(alarm[-1] == "active" for alarm in alarms[0])


def assert_same_curves(one: Reader, other: Reader, at_s: float) -> int:
    """Assert that all curves of two runs before `at_s` [s] are the same to the last bit; return their number."""
    before_s = math.nextafter(at_s, 0.0)
    times = [run.sample_times() for run in (one, other)]
    assert np.array_equal(*(each[each < at_s] for each in times))
    ids, count = (
        [channel.id for channel in SERIES_CHANNELS if channel.entity != "bundle"],
        0,
    )  # edits renumber them
    for first in range(0, len(ids), 8):  # some at a time: halls are large
        curves = [
            run.samples(ids[first : first + 8], -1.0, 10**6, run.epochs()[0][1]) for run in (one, other)
        ]
        t_s, u_s = (each[0] for each in curves)
        assert np.array_equal(t_s[t_s <= before_s], u_s[u_s <= before_s])
        for id, a in curves[0][1].items():
            b = curves[1][1][id]
            assert np.array_equal(a[:, t_s <= before_s], b[:, u_s <= before_s], equal_nan=True), id
            count += len(a)
    return count
