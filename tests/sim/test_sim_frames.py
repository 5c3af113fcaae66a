"""Frames carry what stands over from look to look: they show the same as one that is filled afresh."""

from __future__ import annotations

import numpy as np
import pytest
from fabric_scenes import hall, model
from usual_cases import usually

from twin.record.channels import JobState
from twin.record.frame import Frame
from twin.scenario import load, loads
from twin.scenario.reading.inject_option import parse_injection
from twin.sim.engine.engine import Engine
from twin.sim.observe.observe import Observer

SCENE = """
format: twin/scenario
version: 3
catalog: "2026.11"
title: A little of everything
duration: 6 hours
site: {climate: {dry_bulb: 22 degC, wet_bulb: 16 degC, swing: 10 K}}
halls:
  - id: hall
    rows: [{id: row, count: 2, racks: {count: 2, nodes: [{part: HGX-H100-DLC, count: 4, first_u: 1}]}}]
power:
  - {id: utility, kind: utility, capacity: 4 MW}
  - {id: ups, kind: ups, part: UPS-double-conversion, count: 2, from: utility}
  - {id: pdu, kind: pdu, part: floor-PDU, count: 2, from: ups, feeds: [row, cdu]}
cooling:
  plants: [{id: water, kind: chiller, part: chiller-water-cooled, supply: 20 degC}]
  loops:
    - {id: cdu, kind: liquid, part: CDU-inrow-1350, count: 2, plant: water, serves: [row], supply: 28 degC}
    - {id: crah, kind: air, part: FanWall-500, units: 4, plant: water, serves: [row], supply: 24 degC}
storage: [{id: store, read: 40 GB/s, write: 20 GB/s}]
failures: {enabled: false}
interventions:
  - {at: 40 min, kind: pump_stop, target: cdu/0, for: 3 min}
  - {at: 70 min, kind: fail, target: row/0/1/2, for: 20 min}
  - {at: 100 min, kind: fail, target: ups/0, for: 5 min}
jobs:
"""
JOBS = "\n".join(
    f"  - {{id: job-{k}, nodes: {1 + k % 3}, submit: {20 * k} min, steps: {10 + 15 * (k % 4)}, "
    f"workload: {{kind: load, gpu: {30 + 10 * k} %, cpu: 20 %}}, checkpoint: {{interval: none}}, "
    f"recovery: {{constant: 30 s}}}}"
    for k in range(6)
)


def scene() -> Engine:
    return Engine(loads(SCENE + JOBS + "\n", "all").scenario, 3)


def alike(kept: Frame, engine: Engine) -> None:
    fresh = Frame.empty(engine.layout)
    fresh.detail = kept.detail
    Observer(engine).fill(fresh)
    assert (kept.t_s, kept.events) == (fresh.t_s, fresh.events)
    for id, values in fresh.values.items():
        np.testing.assert_array_equal(kept.values[id], values, err_msg=f"{id} at {kept.t_s:.3f} s")


@pytest.mark.parametrize("seed", usually(range(3), 1))
def test_a_frame_that_is_filled_again_and_again_shows_what_a_fresh_one_shows(seed: int) -> None:
    engine, random = scene(), np.random.default_rng(seed)
    frames = [Frame.empty(engine.layout) for _ in range(3)]
    frames[0].detail = False
    frames[2].detail = False
    for gap_s in random.exponential(270.0, 150):
        for _ in range(int(random.integers(3))):
            engine.advance(engine.now_s + float(gap_s) / 3)
        frame = frames[int(random.integers(2))]
        engine.fill(frame)
        alike(frame, engine)
    engine.fill(frames[2])
    alike(frames[2], engine)
    assert {JobState.DONE} == {row.state for row in engine.jobs.rows}


def test_loads_of_a_crowd_on_a_fabric_stand_until_it_moves() -> None:
    jobs = [model(f"j{k}", 5, 80) | {"submit": f"{5 * k} min", "steps": 60 + 40 * k} for k in range(6)]
    engine = Engine(hall(*jobs, fabric={"oversubscription": 8}), 1)
    frame = Frame.empty(engine.layout)
    frame.detail = False
    shares = set()
    for _ in range(60):
        engine.step_event()
        engine.fill(frame)
        alike(frame, engine)
        shares |= set(frame.values["job.network"].tolist())
    assert len(shares) > 1
    assert JobState.DONE in {row.state for row in engine.jobs.rows}


def test_a_frame_of_another_run_is_written_whole() -> None:
    one, other = scene(), scene()
    frame = Frame.empty(one.layout)
    frame.detail = False
    one.advance(5000.0)
    one.fill(frame)
    other.fill(frame)
    alike(frame, other)
    one.fill(frame)
    alike(frame, one)


def test_a_restored_run_fills_the_frame_that_it_filled_before() -> None:
    engine = scene()
    frame = Frame.empty(engine.layout)
    for t_s in (100.0, 2410.0, 4250.0, 6100.0):
        engine.advance(t_s)
        engine.fill(frame)
        restored = Engine.restore(engine.scenario, engine.snapshot())
        restored.advance(t_s)
        again = Frame.empty(engine.layout)
        restored.fill(again)
        restored.advance(t_s + 333.0)
        restored.fill(frame)
        alike(frame, restored)


def test_an_intervention_shows_in_the_frame() -> None:
    engine = scene()
    frame = Frame.empty(engine.layout)
    frame.detail = False
    engine.advance(1000.0)
    engine.fill(frame)
    assert engine.intervene(parse_injection("1000 s drain row/1/0/0")) is None
    engine.fill(frame)
    alike(frame, engine)
    engine.advance(1000.0)
    engine.fill(frame)
    alike(frame, engine)


def test_looking_changes_nothing() -> None:
    seen, unseen = scene(), scene()
    frame = Frame.empty(seen.layout)
    for t_s in np.arange(0.0, 10000.0, 7.0):
        seen.advance(float(t_s))
        seen.fill(frame)
    unseen.advance(9996.0)
    seen.advance(9996.0)
    assert seen.event_hash() == unseen.event_hash()
    assert seen.snapshot() == unseen.snapshot()


def test_jobs_that_are_at_work_are_known_without_asking_all() -> None:
    engine = scene()
    for t_s in range(0, 20000, 97):
        engine.advance(float(t_s))
        standing = [row for row in engine.jobs.rows if row.state not in (JobState.QUEUED, JobState.DONE)]
        assert engine.jobs.active == standing
    assert sorted(engine.jobs.left) == list(range(6))


def test_racks_lose_what_their_shelves_and_the_converters_of_their_nodes_lose() -> None:
    engine = Engine(load("builtin:frontier").scenario)
    frame = Frame.empty(engine.layout)
    frame.detail = False
    for t_s in (600.0, 6000.0):
        engine.advance(t_s)
        engine.fill(frame)
        converted_w = engine.meter.overhead.converted_w.sum()
        assert converted_w > 0
        lost_w = frame.values["rack.loss_w"].sum(dtype=float)
        assert lost_w == pytest.approx(engine.power.supply_loss_w.sum() + converted_w, rel=1e-6)


def test_a_hall_without_power_has_no_pue_and_keeps_warm_for_a_while() -> None:
    engine = scene()
    frame = Frame.empty(engine.layout)
    engine.advance(3000.0)
    engine.fill(frame)
    assert frame.values["site.pue"][0] > 1
    for fault in ("fail utility/0", "battery_empty ups/0", "battery_empty ups/1"):
        assert engine.intervene(parse_injection(f"3001 s {fault}")) is None
    engine.advance(3600.0)
    engine.fill(frame)
    alike(frame, engine)
    values = frame.values
    assert values["site.unpowered"][0] == len(engine.plant.nodes.ids)
    assert np.isnan(values["site.pue"][0])
    assert np.isnan(values["site.wue"][0])
    assert values["site.gpu_max_c"][0] > 15
    assert values["site.gpu_max_c"][0] == pytest.approx(values["gpu.temp_c"].max(), abs=0.1)
    assert np.nanmax(values["loop.gpu_max_c"]) == pytest.approx(values["site.gpu_max_c"][0], abs=0.1)
