"""Each kind of fault on each of its targets: it begins, is told, ends, and goes on from a snapshot."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fault_hall import THINGS, fault_hall, value_for
from sim_scenes import frame

from twin.record.alarms import Alarms
from twin.record.alarms_pictured import over_in
from twin.record.event_kinds import KINDS as EVENTS
from twin.record.event_kinds import ended_by
from twin.record.events import Severity
from twin.scenario.schema.fault_kinds import KINDS
from twin.scenario.schema.fault_kinds.kind import FaultKind, TargetKind
from twin.scenario.schema.faults import Intervention
from twin.sim.engine.engine import Engine
from twin.sim.incidents.fault_handlers import HANDLERS

HALL = fault_hall()
AT_S, LASTS_S = 600.0, 300.0
ACTS = [(kind.id, target) for kind in KINDS.values() for target in kind.targets]
HELP = (Path(__file__).parents[2] / "assets" / "help" / "faults.md").read_text(encoding="utf-8")


def begun(kind: FaultKind, target: TargetKind) -> tuple[Engine, Intervention]:
    """Return a run in which a fault that lasts five minutes has just begun at the first thing that takes it."""
    refusals = []
    for thing in THINGS[target]:
        engine = Engine(HALL)
        fault = Intervention(
            at=AT_S,
            kind=kind.id,
            target=thing,
            duration_s=LASTS_S if "for" in kind.options else None,
            value=value_for(kind, target),
        )
        refusal = engine.intervene(fault)
        if refusal is None:
            engine.advance(AT_S + 1.0)
            if not any(event.kind == "refused" for event in engine.events(0)):
                return engine, fault
        refusals.append(refusal)
    raise AssertionError(f"{kind.id} can be done to no {target}: {refusals}")


@pytest.mark.parametrize(("id", "target"), ACTS)
def test_it_begins_ends_and_goes_on_from_a_snapshot(id: str, target: TargetKind) -> None:
    kind = KINDS[id]
    told = kind.events_of(target)
    engine, fault = begun(kind, target)
    begin = [event for event in engine.events(0) if event.kind == told.begins and event.t_s >= AT_S]
    assert [event.subject for event in begin[:1]] == [fault.target]
    alarms = Alarms(Severity.NOTICE)
    alarms.add(engine.events(0))
    assert alarms.of(told.begins, fault.target) is not None
    again = Engine.restore(HALL, engine.snapshot())
    for run in (engine, again):
        run.advance(AT_S + 3 * LASTS_S)
    assert again.summary()["event_hash"] == engine.summary()["event_hash"]
    if told.clears:
        after = [event for event in engine.events(0) if event.row > begin[0].row]
        over = next(event for event in after if event.kind == told.clears)
        assert over.t_s == pytest.approx(AT_S + LASTS_S, abs=1.0)
        alarms.add(after)
        picture = frame(engine)
        picture.events = len(engine.events(0))
        alarms.settle(over_in(engine.plant, picture), picture.events)
        alarm = alarms.of(told.begins, fault.target)
        assert alarm is not None
        assert not alarm.active


def test_every_kind_has_one_handler_and_registered_events() -> None:
    assert HANDLERS.keys() == KINDS.keys()
    for kind in KINDS.values():
        for told in kind.events:
            assert told.begins in EVENTS, kind.id
            assert not told.clears or told.clears in ended_by(told.begins), kind.id
        last = EVENTS[kind.events[-1].begins]
        if "link" not in kind.targets:
            assert last.severity.name.lower() == kind.severity, kind.id


def test_options_and_values_of_the_table_fit_each_other() -> None:
    for kind in KINDS.values():
        assert ("value" in kind.options) == bool(kind.value), kind.id
        assert ("count" in kind.options) == bool(kind.counted), kind.id
        assert set(kind.needs) <= set(kind.targets), kind.id
        assert not kind.words or kind.example in kind.words, kind.id


def test_the_help_has_each_kind_with_its_options() -> None:
    rows = [
        line.split(" | ") for line in HELP.splitlines() if line.startswith("| `") and line.count("|") == 8
    ]
    said: dict[str, set[str]] = {}
    for row in rows:
        said.setdefault(row[0].strip("| `"), set()).update(re.findall(r"`(\w+)=", row[4]))
    assert said == {kind.id: set(kind.options) for kind in KINDS.values()}
