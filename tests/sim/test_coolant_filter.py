"""A clogged coolant filter: less flow through the plates of its loop, hotter GPUs, all back with the repair."""

from __future__ import annotations

import json

import numpy as np
import pytest
from edit_scenes import edit, take
from sim_scenes import assert_books_close, events, frame, inject, liquid, shipped, tiny

from twin.planning.risk.random_incidents import random_incidents
from twin.scenario.reading.inject_option import parse_injection
from twin.sim.engine.engine import Engine

HALF = "value=50% for=1h"


def flow(engine: Engine, loop: int = 0) -> float:
    return float(frame(engine).values["loop.flow"][loop])


def hottest_c(engine: Engine, loop: int) -> float:
    temperature_c, plant = frame(engine).values["gpu.temp_c"], engine.plant
    return float(temperature_c[plant.nodes.loop[plant.gpus.node] == loop].max())


def test_flow_falls_gpus_throttle_and_the_repair_restores_both() -> None:
    engine = inject(Engine(shipped("nvl72-row"), 1), "1 h filter_clogged cdu/0 value=40% for=30min")
    engine.advance(3599.0)
    before_c = hottest_c(engine, 0)
    assert flow(engine) == pytest.approx(100.0)
    engine.advance(5000.0)
    assert flow(engine) == pytest.approx(40.0)
    assert flow(engine, 1) == pytest.approx(100.0)
    assert hottest_c(engine, 0) > before_c + 10
    assert before_c - 3.0 < hottest_c(engine, 1) < before_c  # it waits for the others
    throttled = frame(engine).values["gpu.throttle"][engine.plant.nodes.loop[engine.plant.gpus.node] == 0]
    assert (throttled & 0x20 | throttled & 0x40).any()
    engine.advance(3 * 3600.0)
    assert flow(engine) == pytest.approx(100.0)
    assert hottest_c(engine, 0) == pytest.approx(before_c, abs=1.0)
    begun, ended = events(engine, "filter_clogged", "filter_clean")
    assert (begun.severity.name, begun.data["left"]) == ("ALARM", pytest.approx(0.4))
    assert begun.text == "coolant filter clogged: 40 % of the flow left for 30 min"
    assert (ended.t_s, ended.text) == (5400.0, "coolant filter clean")
    assert {event.subject for event in events(engine, "throttle_on", "throttle_off")} == {"cdu/0"}
    assert_books_close(engine)


def test_less_flow_left_is_hotter() -> None:
    hot_c = []
    for left in (99, 70, 50, 30):
        engine = inject(Engine(liquid(), 1), f"10 min filter_clogged cdu/0 value={left}% for=2h")
        engine.advance(1200.0)
        assert flow(engine) == pytest.approx(left)
        hot_c.append(hottest_c(engine, 0))
    assert np.all(np.diff(hot_c) > 1)


def test_a_filter_can_let_nothing_through_and_flow_comes_back() -> None:
    engine = inject(
        Engine(liquid(), 1),
        "10 min filter_clogged cdu/0 value=0% for=30s",
        "605 s filter_clogged cdu/0 value=0% for=1min",
    )
    engine.advance(625.0)
    assert flow(engine) < 1
    assert frame(engine).values["loop.pumps"][0] == engine.plant.loops.pumps[0]
    assert events(engine, "filter_clogged")[0].text.startswith("coolant filter clogged: 0 % of the flow left")
    engine.advance(1200.0)
    assert flow(engine) == pytest.approx(100.0)
    assert len(events(engine, "filter_clean")) == 1


def test_two_clogs_are_in_series_and_end_one_by_one() -> None:
    engine = inject(
        Engine(liquid(), 1),
        f"10 min filter_clogged cdu/0 {HALF}",
        "20 min filter_clogged cdu/0 value=80% for=10min",
    )
    engine.advance(1500.0)
    assert flow(engine) == pytest.approx(100 / (1 / 0.5**2 + 1 / 0.8**2 - 1) ** 0.5, rel=1e-4)
    engine.advance(2000.0)
    assert flow(engine) == pytest.approx(50.0)
    assert not events(engine, "filter_clean")
    assert events(engine, "filter_clogged")[-1].text.startswith(
        "partly repaired: coolant filter clogged: 50 %"
    )
    engine.advance(2 * 3600.0)
    assert flow(engine) == pytest.approx(100.0)
    assert len(events(engine, "filter_clean")) == 1


def test_it_adds_to_a_pump_that_stopped_and_neither_repair_undoes_the_other() -> None:
    engine = inject(
        Engine(liquid(), 1),
        f"10 min filter_clogged cdu/0 {HALF}",
        "20 min pump_stop cdu/0 count=1 for=10min",
        "40 min pump_stop cdu/0 for=20s",
        "65 min pump_stop cdu/0 count=1 for=30min",
    )
    engine.advance(1500.0)
    both = flow(engine)
    assert both == pytest.approx(100 / (1 / 0.72**2 + 1 / 0.5**2 - 1) ** 0.5, rel=1e-4)
    assert 36.0 < both < 50.0
    engine.advance(2000.0)  # the pump runs again, the filter is as it was
    assert flow(engine) == pytest.approx(50.0)
    engine.advance(2419.9)
    assert flow(engine) < 5
    engine.advance(3000.0)
    assert flow(engine) == pytest.approx(50.0)
    engine.advance(4500.0)  # the filter is clean again, the pump still stands
    assert flow(engine) == pytest.approx(72.0)


def test_drives_make_up_for_the_pump_and_not_for_the_filter() -> None:
    scene = liquid()
    loops = tuple(loop.model_copy(update={"recover_s": 60.0}) for loop in scene.cooling.loops)
    scene = scene.model_copy(update={"cooling": scene.cooling.model_copy(update={"loops": loops})})
    engine = inject(
        Engine(scene, 1), f"10 min filter_clogged cdu/0 {HALF}", "20 min pump_stop cdu/0 count=1 for=20min"
    )
    engine.advance(1500.0)
    assert flow(engine) == pytest.approx(50.0)


@pytest.mark.parametrize(
    ("name", "line", "reason"),
    [
        ("nvl72-row", "1 h filter_clogged cdu/0 value=100%", "0 % (nothing flows) to 99 % of the flow"),
        ("nvl72-row", "1 h filter_clogged cdu/0 value=8K", "such as 40 %"),
        ("superpod-h100", "1 h filter_clogged crah/0", "has no coolant"),
        ("nvl72-row", "1 h filter_clogged gpu/0/0", "is a rack, not a coolant or air loop"),
    ],
)
def test_what_cannot_clog_is_refused_with_its_reason(name: str, line: str, reason: str) -> None:
    assert reason in (Engine(shipped(name), 1).intervene(parse_injection(line)) or "")


@pytest.mark.parametrize("left", [5, 99])
def test_bounds_of_the_value_are_taken(left: int) -> None:
    engine = inject(Engine(liquid(), 1), f"10 min filter_clogged cdu/0 value={left}% for=10min")
    engine.advance(900.0)
    assert flow(engine) == pytest.approx(left)


def test_a_snapshot_keeps_it_and_one_of_before_has_clean_filters() -> None:
    engine = inject(Engine(liquid(), 1), f"10 min filter_clogged cdu/0 {HALF}")
    engine.advance(1200.0)
    state = engine.cooling.pumps.state()
    again = Engine.restore(liquid(), engine.snapshot())
    assert flow(again) == pytest.approx(50.0)
    again.advance(2 * 3600.0)
    engine.advance(2 * 3600.0)
    assert flow(again) == pytest.approx(100.0)
    assert again.event_hash() == engine.event_hash()
    of_before = json.loads(json.dumps({key: value for key, value in state.items() if key != "filtered"}))
    again.cooling.pumps.restore(of_before)
    assert again.cooling.pumps.share(0) == 1.0


def test_an_edit_keeps_it_on_its_loop() -> None:
    engine = inject(Engine(liquid(racks=4, loops=2, jobs=()), 1), f"10 min filter_clogged cdu/0 {HALF}")
    engine.advance(1200.0)
    take(engine, edit(1200.5, "cdu", ("cooling.loops[cdu].count", "3")))
    engine.advance(1500.0)
    assert [round(flow(engine, loop)) for loop in range(2)] == [50, 100]
    engine.advance(2 * 3600.0)
    assert round(flow(engine)) == 100


def test_random_incidents_clog_coolant_loops_and_no_air_loop() -> None:
    found = [
        one
        for seed in range(8)
        for one in random_incidents(liquid(), "heavy", seed)
        if one.kind == "filter_clogged"
    ]
    assert found
    assert {one.target.split("/")[0] for one in found} == {"cdu"}
    air = [incident.kind for seed in range(3) for incident in random_incidents(tiny(), "heavy", seed)]
    assert "filter_clogged" not in air
