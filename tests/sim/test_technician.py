"""A technician on site ends faults of machinery sooner; nothing else."""

from __future__ import annotations

import pytest
from sim_scenes import events, inject

from twin.scenario import Scenario, load
from twin.sim.engine.engine import Engine


@pytest.fixture(scope="module")
def row() -> Scenario:
    scenario = load("builtin:nvl72-row").scenario
    return scenario.model_copy(update={"interventions": (), "duration_s": 3600.0})


def test_pumps_run_again_once_somebody_came_and_only_those(row: Scenario) -> None:
    lines = ("5 min pump_stop cdu/0 for=2h", "5 min pump_stop cdu/1 for=40min", "10 min repair cdu/0")
    engine = inject(Engine(row), *lines)
    engine.advance(3600.0)
    assert [(e.subject, e.t_s) for e in events(engine, "pump_start")] == [("cdu/0", 900.0), ("cdu/1", 2700.0)]
    sent = events(engine, "technician_sent")
    assert [(event.subject, event.data["takes_s"]) for event in sent] == [("cdu/0", 300.0)]


def test_it_takes_no_longer_than_without_and_holds_over_a_snapshot(row: Scenario) -> None:
    engine = inject(Engine(row), "5 min pump_stop cdu/0 for=6min", "7 min repair cdu/0", "7 min repair cdu/1")
    engine.advance(500.0)
    again = Engine.restore(engine.scenario, engine.snapshot())
    for each in (engine, again):
        each.advance(1000.0)
    assert [event.t_s for event in events(engine, "pump_start")] == [660.0]
    assert again.event_hash() == engine.event_hash()
    assert all("nothing there" in event.text for event in events(engine, "technician_sent"))


def test_a_link_that_flaps_without_end_is_mended(row: Scenario) -> None:
    link = "gpu/0/0/0~0"
    engine = inject(Engine(row), f"5 min flap {link} value=50%", f"6 min repair {link}")
    engine.advance(1800.0)
    assert [event.t_s for event in events(engine, "fabric_back")] == [360.0 + 900.0]


def test_who_is_called_again_says_that_it_is_being_mended_and_how_long_that_takes(row: Scenario) -> None:
    calls = ("10 min repair cdu/0", "12 min repair cdu/0", "20 min repair cdu/0")
    engine = inject(Engine(row), "5 min pump_stop cdu/0 for=2h", *calls)
    engine.advance(3600.0)
    assert [event.t_s for event in events(engine, "pump_start")] == [900.0]
    first, again, late = events(engine, "technician_sent")
    assert (first.data["takes_s"], again.data["takes_s"]) == (300.0, 180.0)
    assert "already being mended: about 3 min left" in again.text
    assert "nothing there" in late.text
