"""A kind of event is added by one entry and one handler: alarms, explain, event list, timeline and diagram follow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from twin.analysis.explain import explain
from twin.app.event_model import EVENT, EventModel
from twin.app.look import Look
from twin.app.piping_facts import standing_marks
from twin.app.timeline_marks import EventMarks
from twin.app.timeline_scale import Scale
from twin.record.alarms import Alarms
from twin.record.event_kinds import EventKind, with_kinds
from twin.record.events import Event, Severity
from twin.record.reader import Reader
from twin.runtime.inline import run
from twin.scenario import load
from twin.scenario.document import Scenario
from twin.sim.engine import Engine

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
)


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


@pytest.fixture(scope="module")
def events(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, list[Event]]]:
    path = tmp_path_factory.mktemp("toy") / "toy.twinrun"
    with with_kinds(*TOY):
        run(load("builtin:pump-trip").scenario, 1, 1800.0, path, engine=f"{__name__}:ToyEngine")
        with Reader(path) as reader:
            yield path, reader.all_events()


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
