"""What is concluded from the events of a run is the same in whatever words they are told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from usual_cases import usually

from twin.analysis.explain import explain
from twin.app.diagrams.piping_facts import standing_marks
from twin.app.jobs.events import JobEvents
from twin.app.queue.history import JobHistory
from twin.plant.build import build
from twin.record.alarms import Alarms
from twin.record.events import Event
from twin.record.hash import hashed_names
from twin.record.reader import Reader
from twin.runtime.inline import run
from twin.scenario import load
from twin.scenario.generators.all_jobs import jobs_of
from twin.scenario.schema.document import Scenario

SCENES = usually(("blackout", "pump-trip", "recovery-policies"), 1)


@pytest.fixture(scope="module", params=SCENES)
def told(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Scenario, tuple[list[Event], list[Event]]]:
    """Return a run file with its scene, and its events in their own words and in none that say anything."""
    scenario = load(f"builtin:{request.param}").scenario
    path = tmp_path_factory.mktemp("told") / "run.twinrun"
    run(scenario, 1, min(2 * 86400.0, scenario.duration_s), path)
    with Reader(path) as reader:
        events = reader.all_events()
    return path, scenario, (events, [replace(event, text="#") for event in events])


Told = tuple[Path, Scenario, tuple[list[Event], list[Event]]]


def test_alarms(told: Told) -> None:
    states = []
    for events in told[2]:
        alarms = Alarms()
        alarms.add(events)
        states.append([(one.kind, one.subject, one.count, one.status, one.ended_s) for one in alarms.all()])
    assert states[0] == states[1]


def test_causes_of_what_was_lost(told: Told) -> None:
    found = []
    with Reader(told[0]) as reader:
        for events in told[2]:
            lost = explain(reader, 0.0, reader.t_end_s, events).lost
            found.append(
                [
                    (
                        one.account,
                        cause.subject,
                        cause.gpu_s,
                        cause.objects,
                        [event.row for event in cause.events],
                    )
                    for one in lost
                    for cause in one.causes
                ]
            )
    assert found[0] == found[1]


def test_pages_of_jobs_and_who_held_what(told: Told) -> None:
    _, scenario, ways = told
    plant = build(scenario)
    lines, boxes = [], []
    for events in ways:
        jobs, history = JobEvents(), JobHistory(scenario, plant)
        jobs.begin([job.id for job in jobs_of(scenario)])
        jobs.add(events)
        history.add(events)
        lines.append(
            [
                (line.event.row, line.what, line.cost, line.place, str(line.away_s))
                for job in jobs_of(scenario)
                for line in jobs.lines(job.id, plant)
            ]
        )
        boxes.append([history.spans.column(number).tolist() for number in range(6)])
    assert lines[0] == lines[1]
    assert boxes[0] == boxes[1]


def test_marks_of_machines(told: Told) -> None:
    own, none = (standing_marks(events) for events in told[2])
    assert own == none


def test_an_older_run_file_whose_events_have_hashed_values_alone(told: Told) -> None:
    """Who held what and what stands are told as ever; what was lost to an interruption is not known."""
    path, scenario, (events, _) = told
    bare = [
        replace(event, data={name: event.data[name] for name in hashed_names(event) if name in event.data})
        for event in events
    ]
    plant, standing, boxes = build(scenario), [], []
    for ways in (events, bare):
        alarms, history = Alarms(), JobHistory(scenario, plant)
        alarms.add(ways)
        history.add(ways)
        # Without values nothing says that a fault by hand took no node away: the next picture ends it.
        standing.append(
            [(one.kind, one.subject) for one in alarms.active() if one.kind != "injected_failure"]
        )
        boxes.append([history.spans.column(number).tolist() for number in range(6)])
    assert standing[0] == standing[1]
    assert boxes[0] == boxes[1]
    jobs = JobEvents()
    jobs.begin([job.id for job in jobs_of(scenario)])
    jobs.add(bare)
    for job in jobs_of(scenario):
        assert all(line.words for line in jobs.lines(job.id, plant))
    with Reader(path) as reader:
        found = explain(reader, 0.0, reader.t_end_s, bare)
    assert {one.account for one in found.lost if one.causes} > set()
