"""A kind of event is added by one entry and one handler: all that speaks of events follows.

That is alarms, explain, event list, timeline, diagram, Gantt chart and the page of a job.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from tests.sim.sim_scenes import frame
from twin.analysis.explain import explain
from twin.app.diagrams.piping_facts import loop_fault, standing_marks
from twin.app.jobs.events import JobEvents
from twin.app.monitor.event_model import EVENT, EventModel
from twin.app.plots.timeline_scale import Scale
from twin.app.queue.history import JobHistory
from twin.app.timeline.marks import EventMarks
from twin.app.toolkit.look import Look
from twin.app.world.rows import World
from twin.catalog import load_catalog
from twin.record.alarms import Alarms
from twin.record.alarms_pictured import over_in
from twin.record.event_kinds import with_kinds
from twin.record.event_kinds.kind import DOWN, EventKind, Evidence, Gantt
from twin.record.events import Event, Severity
from twin.record.reader import Reader
from twin.runtime.inline import run
from twin.scenario import load
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine

TOY = (
    EventKind(
        "toy_hot",
        Severity.ALARM,
        title="toy is hot",
        hashed=("toys",),
        groups=("cooling",),
        mark="TOY HOT",
    ),
    EventKind("toy_cool", Severity.NOTICE, ends=("toy_hot",)),
    EventKind("toy_borrowed", Severity.WARNING, gantt=Gantt.SWAPS),
    EventKind("toy_saved", saves=True, job_title="saved by a toy"),
    EventKind(
        "toy_broken",
        Severity.ALARM,
        counts_nodes=True,
        counts_all=True,
        part_ends=True,
        kept_by=("toy_hot",),
        evidence=Evidence(nodes=DOWN, gear=True),
        gantt=Gantt.FAILS,
    ),
    EventKind("toy_mended", of_nodes=True, ends=("toy_broken",)),
    EventKind("toy_glued", ends=("toy_broken",)),
)


def toy(row: int, kind: str, subject: str, severity: Severity = Severity.NOTICE, **data: Any) -> Event:
    """Return an event of a toy kind at the time of its row [s]."""
    where = data.pop("where", "")
    return Event(row, float(row), kind, subject, severity, kind, data, where)


class ToyEngine(Engine):
    """An engine with one handler more."""

    def __init__(self, scenario: Scenario, seed: int | None = None) -> None:
        super().__init__(scenario, seed)
        self.timers.handle("toy", self._toy)
        for number, at_s in enumerate((305.0, 400.0)):
            self.timers.set("toy", number, at_s)

    def _toy(self, number: int) -> None:
        if number == 0:
            self.log.add(
                self.timers.now_s, "toy_hot", "cdu/0", "a toy stands in the loop", toys=1, toy="duck"
            )
        else:
            self.log.add(self.timers.now_s, "toy_cool", "cdu/0", "the toy is gone")


@pytest.fixture(scope="module", autouse=True)
def known() -> Iterator[None]:
    """Have the entries."""
    with with_kinds(*TOY):
        yield


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Event]]:
    path = tmp_path_factory.mktemp("toy") / "toy.twinrun"
    run(load("builtin:pump-trip").scenario, 1, 1800.0, path, engine=f"{__name__}:ToyEngine")
    with Reader(path) as reader:
        return path, reader.all_events()


def test_it_is_recorded_with_its_values_and_its_own_severity(events: tuple[Path, list[Event]]) -> None:
    (hot,) = (event for event in events[1] if event.kind == "toy_hot")
    assert (hot.severity, hot.integer("toys"), hot.word("toy")) == (Severity.ALARM, 1, "duck")


def test_it_is_an_alarm_until_what_ends_it(events: tuple[Path, list[Event]]) -> None:
    alarms = Alarms()
    alarms.add(event for event in events[1] if event.t_s < 400.0)
    hot = alarms.of("toy_hot", "cdu/0")
    assert hot is not None
    assert hot.active
    alarms.add(event for event in events[1] if event.t_s >= 400.0)
    assert (hot.active, hot.ended_s) == (False, 400.0)


def test_it_is_behind_what_it_may_cause(events: tuple[Path, list[Event]]) -> None:
    with Reader(events[0]) as reader:
        heat = explain(reader, 0.0, 1800.0).of("thermal_throttle")
    assert heat is not None
    assert heat.causes[0].events[1].kind == "toy_hot"
    assert "after a toy stands in the loop" in heat.text


def test_it_is_in_the_event_list_by_its_title(qapp: QApplication, events: tuple[Path, list[Event]]) -> None:
    look = Look(qapp, "dark")
    model = EventModel(look)
    model.append(events[1])
    model.filter(Severity.INFO, "toy is hot")
    assert model.rowCount() == 1
    tip = model.data(model.index(0, EVENT), Qt.ItemDataRole.ToolTipRole)
    assert str(tip).startswith("Alarm: a toy stands in the loop\ntoy is hot")
    look.close()


def test_it_is_on_the_timeline_and_in_the_diagram(events: tuple[Path, list[Event]]) -> None:
    marks = EventMarks()
    marks.follow(events[1])
    scale = Scale.all(1800.0, width_px=1800.0)
    assert 305 in marks.columns(Severity.ALARM, scale).tolist()
    until = [event for event in events[1] if event.t_s < 350.0]
    assert "TOY HOT" in standing_marks(until)["cdu/0"]
    assert "cdu/0" not in standing_marks(events[1])


def test_a_loop_of_the_diagram_shows_its_mark() -> None:
    engine = Engine(load("builtin:pump-trip").scenario)
    engine.advance(60.0)
    world = World(engine.scenario, engine.plant, load_catalog(), frame(engine))
    assert loop_fault(world, 0, {}).words == ""
    marks = standing_marks([toy(1, "toy_hot", engine.plant.loops.ids[0])])
    assert loop_fault(world, 0, marks).words == "TOY HOT"


def test_an_alarm_counts_its_nodes_and_is_kept_as_its_entry_says() -> None:
    broken = partial(toy, kind="toy_broken", subject="gpu/0/0", severity=Severity.ALARM)
    alarms = Alarms()
    alarms.add([broken(1, nodes=4), broken(2, nodes=3)])
    alarm = alarms.of("toy_broken", "gpu/0/0")
    assert alarm is not None
    assert alarm.nodes == 4
    alarms.add([toy(3, "toy_hot", "gpu/0/0", Severity.ALARM), toy(4, "toy_glued", "gpu/0/0")])
    assert alarm.active
    alarms.add([toy(5, "toy_mended", "gpu/0/0/1")])
    assert not alarm.active


def test_an_alarm_about_gear_waits_until_that_is_carried_away() -> None:
    engine = Engine(load("builtin:pump-trip").scenario)
    over = over_in(engine.plant, frame(engine))
    alarms = Alarms()
    alarms.add([toy(row, "toy_broken", thing, Severity.ALARM) for row, thing in ((1, "cdu/0"), (2, "cdu/9"))])
    assert [over(alarm) for alarm in sorted(alarms.active(), key=lambda alarm: alarm.subject)] == [
        False,
        True,
    ]


def test_the_gantt_chart_and_the_page_of_a_job_follow_it() -> None:
    engine = Engine(load("builtin:lab-16").scenario)
    job, node = engine.jobs.rows[0].id, engine.plant.nodes.ids[0]
    history, page = JobHistory(engine.scenario, engine.plant), JobEvents()
    page.begin([job])
    told = [
        toy(1, "job_started", job, where="0", nodes=1),
        toy(2, "toy_borrowed", job, where="1"),
        toy(3, "toy_broken", node, Severity.ALARM),
        toy(4, "toy_saved", job, step=70),
    ]
    history.add(told)
    page.add(told)
    lines = page.lines(job, engine.plant)
    assert history.nodes_of(0) == [1]
    assert history.failures.count == 1
    assert (lines[0].what, lines[0].why) == ("saved by a toy", "saved up to step 70")
