"""A clogged air filter: an air handler moves less air, its GPUs get hotter, all back with the repair."""

from __future__ import annotations

import numpy as np
import pytest
from sim_scenes import assert_books_close, events, frame, inject, liquid, shipped, tiny

from twin.planning.risk.random_incidents import random_incidents
from twin.scenario.reading.inject_option import parse_injection
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine

FAN_OUT = 0.72
"""Air that one of two fans moves over that of both [-]."""


def clogged(left: int, *others: str, scene: Scenario | None = None) -> Engine:
    """Return a run whose air filter leaves some percent of the flow from minute 10 to minute 70."""
    first = f"10 min air_filter_clogged crah/0 value={left}% for=1h"
    return inject(Engine(tiny() if scene is None else scene, 1), first, *others)


def flow(engine: Engine) -> float:
    return float(frame(engine).values["loop.flow"][engine.plant.loops.ids.index("crah/0")])


def hottest_c(engine: Engine) -> float:
    return float(frame(engine).values["gpu.temp_c"].max())


def in_series(*left: float) -> float:
    """Return the flow that is left of several restrictions one behind the other [%]."""
    return float(100 / (sum(1 / share**2 for share in left) - len(left) + 1) ** 0.5)


def test_air_falls_to_the_share_gpus_throttle_and_the_repair_restores_both() -> None:
    engine = clogged(22, scene=shipped("superpod-h100").model_copy(update={"interventions": ()}))
    engine.advance(599.0)
    before_c, asked_before = hottest_c(engine), float(engine.cooling.asked.nodes[0])
    assert flow(engine) == pytest.approx(100.0)
    engine.advance(4100.0)
    assert flow(engine) == pytest.approx(22.0)
    assert hottest_c(engine) > before_c + 10
    throttled = frame(engine).values["gpu.throttle"]
    assert (throttled & 0x20 | throttled & 0x40).any()
    engine.advance(4 * 3600.0)
    assert flow(engine) == pytest.approx(100.0)
    assert (
        abs(float(engine.cooling.asked.nodes[0]) - asked_before) <= 0.05 + 1e-9
    )  # a stage, which is worth 1.4 K
    assert hottest_c(engine) == pytest.approx(before_c, abs=2.0)
    begun, ended = events(engine, "air_filter_clogged", "air_filter_clean")
    assert (begun.severity.name, begun.data["left"]) == ("ALARM", pytest.approx(0.22))
    assert begun.text == "air filter clogged: 22 % of the flow left for 1 h"
    assert (ended.t_s, ended.text) == (4200.0, "air filter clean")
    assert events(engine, "throttle_on")
    assert_books_close(engine)


def test_less_air_left_is_hotter_once_the_valve_is_open() -> None:
    hot_c = []
    for left in (40, 25, 20, 15):  # fans speed up while that gives what nodes ask for
        engine = clogged(left)
        engine.advance(4100.0)
        assert flow(engine) == pytest.approx(left)
        hot_c.append(hottest_c(engine))
    assert np.all(np.diff(hot_c) > 1), hot_c


def test_a_filter_can_let_no_air_through_while_the_fans_turn() -> None:
    engine = inject(Engine(tiny(), 1), "10 min air_filter_clogged crah/0 value=0% for=2min")
    engine.advance(700.0)
    assert flow(engine) < 1
    assert frame(engine).values["loop.pumps"][0] == engine.plant.loops.pumps[0]
    engine.advance(1200.0)
    assert flow(engine) == pytest.approx(100.0)


def test_two_clogs_are_in_series_and_end_one_by_one() -> None:
    engine = clogged(50, "20 min air_filter_clogged crah/0 value=80% for=10min")
    engine.advance(1700.0)
    assert flow(engine) == pytest.approx(in_series(0.5, 0.8), rel=1e-4)
    engine.advance(2000.0)
    assert flow(engine) == pytest.approx(50.0)
    assert not events(engine, "air_filter_clean")
    assert events(engine, "air_filter_clogged")[-1].text.startswith(
        "partly repaired: air filter clogged: 50 %"
    )
    engine.advance(4300.0)
    assert flow(engine) == pytest.approx(100.0)
    assert len(events(engine, "air_filter_clean")) == 1


def test_it_adds_to_a_fan_that_stopped_and_neither_repair_undoes_the_other() -> None:
    engine = clogged(
        50, "20 min fan_stop crah/0 count=1 for=10min", "65 min fan_stop crah/0 count=1 for=30min"
    )
    engine.advance(1700.0)
    assert flow(engine) == pytest.approx(in_series(FAN_OUT, 0.5), rel=1e-4)
    engine.advance(2000.0)  # the fan turns again, the filter is as it was
    assert flow(engine) == pytest.approx(50.0)
    engine.advance(4500.0)  # the filter is clean again, the fan still stands
    assert flow(engine) == pytest.approx(100 * FAN_OUT)


def test_it_leaves_pumps_and_filters_of_coolant_loops_alone() -> None:
    engine = clogged(
        60,
        "10 min filter_clogged cdu/0 value=50% for=1h",
        "20 min pump_stop cdu/1 count=1 for=10min",
        scene=liquid(),
    )
    engine.advance(1700.0)
    assert np.allclose(frame(engine).values["loop.flow"], (50.0, 72.0, 60.0), atol=0.1)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("crah/0 value=100%", "0 % (no air passes) to 99 % of the air flow"),
        ("crah/0 value=8K", "such as 60 %"),
        ("cdu/0", "cdu/0 is a liquid loop and has no air filter; choose a loop of air handlers"),
        ("gpu/0/0", "is a rack, not a coolant or air loop"),
    ],
)
def test_what_cannot_clog_is_refused_with_its_reason(line: str, reason: str) -> None:
    asked = parse_injection(f"1 h air_filter_clogged {line}")
    assert reason in (Engine(liquid(), 1).intervene(asked) or "")


def test_a_snapshot_keeps_it() -> None:
    engine = clogged(50)
    engine.advance(1200.0)
    again = Engine.restore(tiny(), engine.snapshot())
    assert flow(again) == pytest.approx(50.0)
    again.advance(2 * 3600.0)
    engine.advance(2 * 3600.0)
    assert flow(again) == pytest.approx(100.0)
    assert again.event_hash() == engine.event_hash()


def test_random_incidents_clog_air_handlers_and_no_coolant_loop() -> None:
    found = [
        incident
        for seed in range(8)
        for incident in random_incidents(liquid(), "heavy", seed)
        if incident.kind == "air_filter_clogged"
    ]
    assert found
    assert {incident.target for incident in found} == {"crah/0"}
