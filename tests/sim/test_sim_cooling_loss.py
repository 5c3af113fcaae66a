"""What happens in nvl72-row when coolant or sky is lost."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from sim_scenes import assert_books_close, events, frame, inject, shipped, times

from twin.record.channels import JobState
from twin.sim.engine.engine import Engine

AT_S = 1800.0
FIRST_LOOP = {f"gpu/0/{rack}" for rack in (0, 1)}


@cache
def after(line: str, until_s: float = 2 * 3600.0) -> Engine:
    """Return the row after something was done to it half an hour into its run."""
    engine = Engine(shipped("nvl72-row"), 1)
    if line:
        inject(engine, f"{AT_S} s {line}")
    engine.advance(until_s)
    assert_books_close(engine)
    return engine


def loops(engine: Engine) -> dict[str, dict[str, Any]]:
    return {one["id"]: one for one in engine.summary()["thermal"]["by_loop"]}


def nodes_of(engine: Engine, kind: str) -> int:
    """Return the nodes that events of a kind speak of: one each, or as many as they say."""
    return sum(event.data.get("nodes", 1) for event in events(engine, kind))


def racks_of(engine: Engine, kind: str) -> set[str]:
    """Return the racks that events of a kind speak of, whether of a rack or of its nodes."""
    racks = set(engine.plant.racks.ids)
    return {e.subject if e.subject in racks else e.subject.rsplit("/", 1)[0] for e in events(engine, kind)}


def test_twenty_seconds_without_pumps_throttle_that_loop_alone() -> None:
    engine = after("pump_stop cdu/0 for=20s")
    figures = engine.summary()
    assert not events(engine, "shutdown", "job_interrupted", "failure")
    assert {event.subject for event in events(engine, "throttle_on")} == {"cdu/0"}
    for id, loop in loops(engine).items():
        assert (loop["throttle_gpu_s"] > 0) == (id == "cdu/0")
        assert loop["shutdown_gpus"] == 0
    assert figures["ledger_gpu_s"]["thermal_throttle"] > 0
    assert figures["ledger_gpu_s"]["lost_work"] == 0
    assert figures["jobs"][0]["steps"] < after("").summary()["jobs"][0]["steps"]
    first_s = times(engine, "throttle_on")[0] - AT_S
    assert 8 < first_s < 20  # PHYSICS 3: 13 s with a 4 s coast


def test_all_is_well_again_after_twenty_seconds() -> None:
    engine = after("pump_stop cdu/0 for=20s")
    last_s = times(engine, "throttle_off")[-1]
    assert AT_S + 20 < last_s < AT_S + 180
    assert len(times(engine, "throttle_on")) == len(times(engine, "throttle_off"))
    assert "thermal_throttle" not in engine.summary()["jobs"][0]["step_parts_s"]
    undisturbed = after("")
    assert engine.jobs.pace[0].step_s == pytest.approx(undisturbed.jobs.pace[0].step_s, rel=2e-3)
    hot, same = (frame(one).values["loop.gpu_max_c"] for one in (engine, undisturbed))
    assert hot == pytest.approx(same, abs=0.5, nan_ok=True)


def test_gpus_walk_down_while_they_are_hot() -> None:
    engine = inject(Engine(shipped("nvl72-row"), 1), f"{AT_S} s pump_stop cdu/0 for=20s")
    engine.advance(AT_S - 1)
    before = frame(engine).values
    engine.advance(AT_S + 19)
    during = frame(engine).values
    racks = engine.plant.racks.ids
    first = [racks[r] in FIRST_LOOP for r in engine.plant.nodes.rack[engine.plant.gpus.node]]
    slower = during["gpu.clock_mhz"] < 0.9 * before["gpu.clock_mhz"]
    assert slower[first].any()
    assert not slower[[not one for one in first]].any()
    assert (during["gpu.throttle"][slower] & 0x20).all()
    assert during["loop.flow"][0] < 5
    assert during["job.step_s"][0] > 1.05 * before["job.step_s"][0]
    assert during["site.it_w"][0] < before["site.it_w"][0]


def test_a_minute_without_pumps_ends_in_failover() -> None:
    engine = after("pump_stop cdu/0 for=60s")
    figures = engine.summary()
    dark = {"/".join(event.subject.split("/")[:3]) for event in events(engine, "shutdown")}
    assert dark == FIRST_LOOP
    assert AT_S + 10 < times(engine, "shutdown")[0] < AT_S + 40
    assert {id: loop["shutdown_gpus"] for id, loop in loops(engine).items() if loop["shutdown_gpus"]} == {
        "cdu/0": 144
    }
    assert figures["interruptions"]["unexpected"] == 1
    assert figures["interruptions"]["by_cause"]["thermal_shutdown"] == 1
    job = engine.jobs.rows[0]
    assert job.state == JobState.RUNNING
    assert len(times(engine, "job_resumed")) == 1
    moved = {engine.plant.racks.ids[engine.plant.nodes.rack[node]] for node in job.nodes}
    assert moved == {f"gpu/0/{rack}" for rack in range(2, 8)}
    assert nodes_of(engine, "restarted") == 36
    assert len(times(engine, "throttle_on")) == len(times(engine, "throttle_off"))
    assert figures["ledger_gpu_s"]["lost_work"] > 0
    assert figures["thermal"]["gpu_max_c"] < 94


def test_one_of_two_pumps_is_warmer_and_nothing_else() -> None:
    engine = after("pump_stop cdu/0 count=1 for=6h")
    assert not events(engine, "throttle_on", "shutdown", "job_interrupted")
    assert engine.summary()["ledger_gpu_s"]["thermal_throttle"] == 0
    flow = frame(engine).values["loop.flow"]
    assert flow[:4].tolist() == pytest.approx([72, 100, 100, 100])
    warmer = loops(engine)["cdu/0"]["gpu_max_c"] - loops(after(""))["cdu/0"]["gpu_max_c"]
    assert 3 < warmer < 12  # PHYSICS 3: 69 to 76 C


def test_without_heat_rejection_it_takes_minutes() -> None:
    engine = after("heat_rejection_loss water for=14min", 4 * 3600.0)
    first_s = times(engine, "throttle_on")[0] - AT_S
    assert 240 < first_s < 1200
    assert not [t for t in times(engine, "shutdown") if t < AT_S + 300]
    assert engine.jobs.rows[0].state == JobState.RUNNING
    assert frame(engine).values["loop.gpu_max_c"] == pytest.approx(
        frame(after("", 4 * 3600.0)).values["loop.gpu_max_c"], abs=1.0, nan_ok=True
    )


def test_a_job_that_resumes_in_a_hot_hall_is_shut_down_at_the_limit_not_past_it() -> None:
    engine = after("heat_rejection_loss water for=40min")
    assert nodes_of(engine, "shutdown") > 100
    limits_c = {model.shutdown_c for model in engine.clocks.models}
    assert engine.summary()["thermal"]["gpu_max_c"] < max(limits_c) + 0.2


def test_pump_stops_add_up() -> None:
    engine = inject(
        Engine(shipped("nvl72-row"), 1),
        "1000 s pump_stop cdu/0 count=1 for=300s",
        "1100 s pump_stop cdu/0 count=1 for=5s",
    )
    seen = {}
    for t_s in (1090.0, 1104.9, 1200.0, 1400.0):
        engine.advance(t_s)
        seen[t_s] = engine.cooling.flow.target[0]
    assert seen == pytest.approx({1090.0: 0.72, 1104.9: 0.0, 1200.0: 0.72, 1400.0: 1.0})
