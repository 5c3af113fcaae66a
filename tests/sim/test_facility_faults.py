"""Faults of the facility act, overlap and end as they should: one thing has one state whatever caused it."""

from __future__ import annotations

import json

import pytest
from sim_scenes import events, frame, inject, liquid, shipped, tiny

from twin.scenario.reading.inject_option import parse_injection
from twin.sim.engine.engine import Engine

QUIET = {"failures": {"enabled": False}}


def run(name: str, *lines: str, until_s: float = 7200.0) -> Engine:
    scene = shipped(name)
    quiet = scene.failures.model_copy(update={"enabled": False})
    engine = inject(Engine(scene.model_copy(update={"failures": quiet}), 1), *lines)
    engine.advance(until_s)
    return engine


def kinds(engine: Engine, subject: str) -> list[str]:
    return [event.kind for event in engine.events(0) if event.subject == subject]


def test_the_end_of_one_of_two_pump_faults_leaves_the_other_and_its_alarm() -> None:
    engine = run("nvl72-row", "10 min pump_stop cdu/0 for=20s", "10 min pump_stop cdu/0 count=1 for=30min")
    said = kinds(engine, "cdu/0")
    assert said.count("pump_stop") == 3  # twice begun, once told anew
    assert said.count("pump_start") == 1
    assert said.index("pump_start") > said.index("throttle_on")
    assert not engine.incidents.facility.acting


def test_a_fan_that_stopped_before_all_did_stands_when_they_run_again() -> None:
    engine = run(
        "superpod-h100",
        "10 min fan_stop crah/0 count=1 for=30min",
        "20 min fan_stop crah/0 for=1min",
        until_s=1500.0,
    )
    loop = engine.plant.loops.ids.index("crah/0")
    assert frame(engine).values["loop.pumps"][loop] == engine.plant.loops.pumps[loop] - 1


def test_a_loop_stays_shut_while_any_of_its_racks_leaks() -> None:
    scene = shipped("nvl72-row")
    scene = scene.model_copy(update={"cooling": scene.cooling.model_copy(update={"shut_leaks": False})})
    engine = inject(Engine(scene, 1), "10 min leak gpu/0/0 for=20min", "12 min leak gpu/0/1 for=5min")
    engine.advance(1100.0)
    assert engine.cooling.flow.target[0] < 0.01
    assert not events(engine, "restarted")
    engine.advance(1900.0)
    assert engine.cooling.flow.target[0] == pytest.approx(1.0)


def test_a_leak_takes_its_rack_off_and_the_job_fails_over() -> None:
    engine = run("nvl72-row", "10 min leak gpu/0/2 for=1h", until_s=3000.0)
    assert [event.subject for event in events(engine, "shutdown")] == ["gpu/0/2"]
    assert engine.incidents.unexpected["leak"] == 1
    assert events(engine, "job_resumed")
    rack = engine.plant.racks.ids.index("gpu/0/2")
    assert (engine.nodes.job[engine.plant.nodes.rack == rack] < 0).all()
    engine.advance(6 * 3600.0)
    assert {event.subject for event in events(engine, "restarted")} == {"gpu/0/2"}


def test_a_node_with_a_die_that_cannot_be_cooled_stays_off_until_it_is_mended() -> None:
    engine = run("nvl72-row", "10 min bad_contact gpu/0/0/0/0 value=100 for=3h", until_s=4 * 3600.0)
    off = [event for event in events(engine, "shutdown") if event.subject == "gpu/0/0/0"]
    assert len(off) == 1
    assert engine.incidents.unexpected["thermal_shutdown"] == 1
    back = [event for event in events(engine, "restarted") if event.subject == "gpu/0/0/0"]
    assert len(back) == 1
    assert back[0].t_s > 600 + 3 * 3600


@pytest.mark.parametrize(
    ("name", "line", "reason"),
    [
        ("nvl72-row", "1 h fan_stop gpu/0/0/1", "liquid-cooled GPUs"),
        ("superpod-h100", "1 h blocked_plate gpu/0/0/1", "no cold plates"),
        ("superpod-h100", "1 h leak gpu/0/0", "no loop with coolant"),
        ("nvl72-row", "1 h battery_empty trafo-a/0", "no battery"),
        ("nvl72-row", "1 h no_start ups-a/0", "choose a generator"),
        ("nvl72-row", "1 h pump_stop gpu/0", "is a row, not a coolant or air loop"),
        ("nvl72-row", "1 h trip nowhere/0", "unknown power item"),
        ("nvl72-row", "1 h fan_stop cdu/0", "has no fans"),
        ("nvl72-row", "1 h pump_stop cdu/0 count=3", "count is more than the 2 pumps of cdu/0"),
        ("frontier", "1 h chiller_trip water", "no chiller"),
        ("nvl72-row", "1 h valve_stuck cdu/0 value=130%", "value must be 0 % (shut) to 100 % (open)"),
    ],
)
def test_what_cannot_be_is_refused_with_its_reason(name: str, line: str, reason: str) -> None:
    engine = Engine(shipped(name), 1)
    refusal = engine.intervene(parse_injection(line))
    assert refusal is not None
    assert reason in refusal


def test_a_rack_without_its_feeds_goes_dark_boots_and_comes_back() -> None:
    engine = run("superpod-h100", "1 h fail pdu-a/0 for=10min", "1 h fail pdu-b/0 for=10min", until_s=3700.0)
    assert engine.nodes.dark.any()
    assert engine.summary()["ledger_gpu_s"]["idle_no_power"] >= 0
    dark = int(engine.nodes.dark.sum())
    engine.advance(2 * 3600.0)
    assert not engine.nodes.dark.any()
    assert sum(event.data["nodes"] for event in events(engine, "restarted")) >= dark
    assert engine.summary()["energy"]["residual"] <= 1e-9


def test_the_loss_of_feed_a_sheds_and_slows_nothing_where_shelves_are_doubled() -> None:
    before = run("nvl72-row", until_s=3600.0).summary()["jobs"][0]["step_s"]
    engine = run("nvl72-row", "1 h trip trafo-a/0 for=1h", until_s=5000.0)
    assert frame(engine).values["rack.feeds"].min() == 1
    assert not engine.nodes.dark.any()
    assert not events(engine, "power_brake_on", "job_interrupted", "throttle_on")
    assert engine.summary()["jobs"][0]["step_s"] == pytest.approx(before, rel=1e-3)


def test_the_loss_of_a_feed_brakes_nodes_that_need_four_of_six_supplies() -> None:
    engine = run("superpod-h100", "1 h trip ups-a/0 for=30min", until_s=4000.0)
    values = frame(engine).values
    assert events(engine, "power_brake_on")
    assert not engine.nodes.dark.any()
    working = values["gpu.state"] == 3
    assert (values["gpu.throttle"][working] & 0x80).all()
    assert engine.summary()["jobs"][0]["step_parts_s"]["power_cap"] > 0
    engine.advance(3 * 3600.0)
    assert events(engine, "power_brake_off")
    assert not (frame(engine).values["gpu.throttle"] & 0x80).any()


def test_a_loss_of_supplies_without_a_count_takes_them_all() -> None:
    engine = run("superpod-h100", "1 h psu_loss gpu/0/0/0 for=10min", until_s=3700.0)
    assert engine.nodes.dark[engine.plant.nodes.ids.index("gpu/0/0/0")]
    assert engine.nodes.dark.sum() == 1


def test_repairs_are_drawn_where_none_is_told_and_differ_by_target() -> None:
    facility = Engine(tiny(), 1).incidents.facility
    drawn = [facility.repair_s(parse_injection(f"1 h pump_stop crah/{k}"), 0) for k in range(50)]
    assert min(drawn) < 7200 < max(drawn)
    assert len(set(drawn)) == 50
    assert facility.repair_s(parse_injection("1 h pump_stop crah/0 for=5s"), 0) == 5.0


def test_a_lasting_throttle_settles_and_costs_no_second_by_second_steps() -> None:
    engine = run("nvl72-row", "1 h blocked_plate gpu/0/0/0 value=15% for=20h", until_s=2 * 3600.0)
    before, walk = engine.heat.totals.steps, engine.clocks.walk.copy()
    hot = walk < 1
    assert hot.any()
    engine.advance(3 * 3600.0)
    assert engine.heat.totals.steps - before < 300
    assert engine.clocks.walk[hot] == pytest.approx(walk[hot], abs=0.02)
    throttled = engine.summary()["thermal"]["throttle_gpu_s"]
    assert 1.5 * 3600 < throttled < 2 * 3600 * 4.5  # one or more of the four GPUs of the node, all the time


def test_every_value_of_an_event_is_a_plain_figure_or_a_word() -> None:
    """Others would not go into a run file."""
    engine = inject(
        Engine(liquid()),
        *(
            "1 h pump_stop cdu/0 count=1 for=1h",
            "1 h fan_stop crah/0 for=1h",
            "1 h heat_wave site value=8K for=1h",
        ),
        *("2 h psu_loss gpu/0/0 count=1 for=1h", "2 h valve_stuck cdu/0 value=30% for=1h"),
        *("3 h blocked_plate gpu/0/0/0 value=40% for=1h", "3 h bad_contact gpu/0/0/0 value=3 for=1h"),
        *("4 h fail gpu/0/0 for=1h", "4 h power_cap gpu/0/0 value=30kW for=1h"),
    )
    engine.advance(8 * 3600.0)
    for event in engine.events(0):
        assert {type(value) for value in event.data.values()} <= {int, float, str}, event
        assert json.loads(json.dumps(dict(event.data), allow_nan=False)) == event.data
    (stopped,) = events(engine, "pump_stop")
    assert (stopped.integer("down"), stopped.integer("of"), stopped.number("lasts_s")) == (1, 2, 3600.0)
    assert [event.number("hotter_k") for event in events(engine, "heat_wave", "heat_wave_over")] == [8.0, 0.0]
