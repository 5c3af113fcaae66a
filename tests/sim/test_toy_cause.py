"""A new cause of failure takes one entry of the scene: events, alarms, --inject, estimates and explain have it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.sim.sim_scenes import events, inject, tiny
from twin.analysis.explain import explain
from twin.catalog import load_catalog
from twin.planning.risk.risk import risk_of
from twin.plant.build import build
from twin.record.alarms import Alarms
from twin.record.reader import Reader
from twin.runtime.inline import run
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine

CAUSE = {"id": "toy_jam", "rate": "1 per node-day", "repair": "fan", "source": "made up"}


def scene(**more: Any) -> Scenario:
    return tiny(duration="2 day", failures={"repair_constant": "2 h", "causes": [CAUSE | more]})


def test_it_strikes_and_stops_the_job_of_its_node() -> None:
    engine = Engine(scene(), 1)
    engine.advance(86400.0)
    failed = events(engine, "failure")
    assert failed
    assert all("toy jam" in event.text for event in failed)
    alarms = Alarms()
    alarms.add(next([event] for event in failed if event.integer("job") >= 0))
    assert [alarm.kind for alarm in alarms.active()] == ["failure"]
    assert engine.incidents.unexpected["toy_jam"] >= 1
    assert any("toy jam" in event.text for event in events(engine, "job_interrupted"))


def test_it_can_be_injected_by_name() -> None:
    engine = inject(Engine(scene(rate="0 per node-day"), 1), "1 h fail gpu/0/0/0 cause=toy_jam for=10min")
    engine.advance(2 * 3600.0)
    assert "toy jam" in events(engine, "injected_failure")[0].text


def test_the_quick_model_counts_it() -> None:
    scenario = scene()
    found = risk_of(scenario, build(scenario, load_catalog()), load_catalog())
    assert [cause.rate_s for cause in found.model.causes] == [1 / 86400]


def test_explain_names_it(tmp_path: Path) -> None:
    path = tmp_path / "toy.twinrun"
    run(scene(), 1, 86400.0, path)
    with Reader(path) as reader:
        told = explain(reader, 0.0, 86400.0)
    assert "toy jam" in repr(told)
