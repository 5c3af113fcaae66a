"""Racks that come, go and move while the hall runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from edit_scenes import absent, closed, edit, racks, replayed, take, with_edits
from sim_scenes import events, inject, job, times, tiny

from twin.record.channels import JobState
from twin.record.frame import Frame
from twin.record.reader import Reader
from twin.runtime.inline import run
from twin.scenario import load
from twin.sim.engine.engine import Engine

GPUS = 8


def test_a_rack_that_is_added_joins_the_spares_and_is_used_by_the_next_recovery() -> None:
    scene = tiny(nodes=2)
    engine = Engine(scene)
    engine.advance(1000.0)
    take(inject(engine, "2000s fail gpu/0/0 for=1h"), edit(1500.25, "more", racks(3)))
    engine.advance(4000.0)
    (taken,) = events(engine, "spare_taken")
    assert taken.subject == "gpu/0/2/0"
    assert not events(engine, "waiting_for_spare")
    closed(engine, GPUS * (2 * 1500.25 + 3 * (4000.0 - 1500.25)))
    frame = Frame.empty(engine.layout)
    engine.fill(frame)
    assert frame.layout.epoch == engine.plant.epoch == 1
    assert frame.layout.counts["node"] == 3
    assert engine.event_hash() == _replay_of(scene, engine)


def _replay_of(scene, engine: Engine) -> str:  # type: ignore[no-untyped-def]
    again = Engine(scene.model_copy(update={"edits": tuple(engine.edits.asked)}))
    inject(again, "2000s fail gpu/0/0 for=1h")
    again.advance(4000.0)
    return again.event_hash()


def test_a_rack_taken_from_a_running_job_is_drained_at_once_and_replaced() -> None:
    engine = Engine(tiny(nodes=3))
    engine.advance(1000.0)
    take(engine, edit(1000.5, "less", absent("gpu/0/0"), title="rack gpu/0/0 is taken away"))
    engine.advance(1000.5)
    row = engine.jobs.rows[0]
    assert row.state == JobState.DETECTING
    assert row.nodes == [1]
    assert row.vacant == [0]
    engine.advance(4000.0)
    assert row.state == JobState.RUNNING
    assert sorted(row.nodes) == [1, 2]
    (stopped,) = events(engine, "job_interrupted")
    assert "rack gpu/0/0 is taken away" in stopped.text
    closed(engine, GPUS * (3 * 1000.5 + 2 * (4000.0 - 1000.5)))


def test_without_a_spare_the_job_waits_until_the_rack_is_back() -> None:
    scene = tiny(nodes=3, jobs=(job(2), job(1, "other")))
    engine = Engine(scene)
    engine.advance(1000.0)
    refusal = engine.intervene(edit(1000.5, "no", absent("gpu/0/0"), absent("gpu/0/1")))
    assert refusal is not None
    assert "the halls have 1 node" in refusal
    take(engine, edit(1000.5, "less", absent("gpu/0/0")))
    engine.advance(2000.0)
    assert engine.jobs.rows[0].state == JobState.WAITING
    take(engine, edit(2500.0, "back", absent("gpu/0/0", False)))
    engine.advance(5000.0)
    assert engine.jobs.rows[0].state == JobState.RUNNING
    assert engine.plant.nodes.present.all()
    closed(engine, GPUS * (3 * 5000.0 - 1499.5))


def test_a_rack_that_is_moved_changes_nothing_but_its_place() -> None:
    scene = tiny(nodes=3)
    moved = edit(1000.5, "move", ("halls[hall].overrides[gpu/0/1].at", "{x: 5 m, y: 9 m}"))
    plain, other = Engine(scene), replayed(scene, 5000.0, moved)
    plain.advance(5000.0)
    assert other.plant.racks.x_m[1] != plain.plant.racks.x_m[1]
    # An edit ends a thermal step, so clocks follow temperatures at other moments: a hair of pace.
    assert np.allclose(times(other, "checkpoint"), times(plain, "checkpoint"), rtol=1e-4)
    assert np.isclose(other.heat.totals.gpu_max_c, plain.heat.totals.gpu_max_c, atol=0.05)
    closed(other, GPUS * 3 * 5000.0)


def test_undo_leaves_the_hall_as_it_was_with_an_empty_slot() -> None:
    scene = tiny(nodes=2)
    engine = replayed(scene, 3000.0, edit(1000.0, "a", racks(3)), edit(2000.0, "b", racks(2)))
    assert engine.edits.scene == scene.model_copy(update={"edits": ()})
    assert engine.plant.racks.present.tolist() == [True, True, False]
    assert engine.jobs.rows[0].state == JobState.RUNNING
    closed(engine, GPUS * (2 * 3000.0 + 1000.0))


def test_others_fail_when_they_would_have() -> None:
    failing = {
        "repair_constant": "2 h",
        "causes": [{"id": "gpu", "rate": "0.3 per node-day", "repair": "gpu"}],
    }
    scene = tiny(nodes=6, jobs=(), failures=failing, duration="20 day")
    plain = Engine(scene)
    plain.advance(scene.duration_s)
    other = replayed(scene, scene.duration_s, edit(86400.0, "a", racks(8)), edit(5e5, "b", racks(7)))
    old = [(e.t_s, e.subject) for e in events(plain, "failure")]
    new = [
        (e.t_s, e.subject)
        for e in events(other, "failure")
        if not e.subject.startswith(("gpu/0/6", "gpu/0/7"))
    ]
    assert len(old) > 10
    assert np.allclose([t for t, _ in old], [t for t, _ in new])
    assert [s for _, s in old] == [s for _, s in new]
    assert any(e.subject.startswith("gpu/0/6") for e in events(other, "failure"))
    last = max(e.t_s for e in events(other, "failure") if e.subject.startswith("gpu/0/7"))
    assert 86400.0 < last <= 5e5


def test_a_job_that_runs_may_be_kept_to_the_rows_it_had_and_to_no_others() -> None:
    engine = Engine(tiny(nodes=3))
    engine.advance(1000.0)
    other = (
        "halls[hall].rows[new]",
        "{id: new, at: {x: 0 m, y: 9 m}, racks: {count: 1, nodes: [{part: DGX-A100, count: 3, first_u: 1}]}}",
    )
    served = ("cooling.loops[crah].serves", "[gpu, new]")
    why = engine.intervene(edit(1000.5, "far", ("jobs[train].rows", "[new]"), other, served))
    assert why is not None
    assert "train" in why
    take(engine, edit(1000.5, "near", ("jobs[train].rows", "[gpu]"), other, served))
    engine.advance(4000.0)
    assert engine.jobs.specs[0].rows == ("gpu",)
    assert engine.jobs.rows[0].state == JobState.RUNNING
    assert not events(engine, "job_interrupted")


def test_a_hall_that_was_emptied_runs_on_and_is_filled_again(tmp_path: Path) -> None:
    scene, all_of_it = tiny(nodes=3, jobs=()), ("gpu/0/0", "gpu/0/1", "gpu/0/2")
    away = edit(1000.5, "away", *(absent(rack) for rack in all_of_it))
    back = edit(2000.5, "back", *(absent(rack, yes=False) for rack in all_of_it))
    engine = take(Engine(scene), away)
    engine.advance(1500.0)
    frame = Frame.empty(engine.layout)
    engine.fill(frame)
    assert not any(frame.values[name].any() for name in ("gpu.temp_c", "gpu.power_w", "gpu.clock_mhz"))
    again = Engine.restore(scene, engine.snapshot())
    pictures = []
    for one in (engine, again):
        one.advance(2000.0)
        take(one, back).advance(4000.0)
        closed(one, GPUS * 3 * (1000.5 + 4000.0 - 2000.5))
        pictures.append(Frame.empty(one.layout))
        one.fill(pictures[-1])
    assert engine.event_hash() == again.event_hash()
    assert np.array_equal(pictures[0].values["gpu.temp_c"], pictures[1].values["gpu.temp_c"])
    assert pictures[0].values["gpu.temp_c"].min() > 20.0
    path = tmp_path / "emptied.twinrun"
    run(with_edits(scene, away, back), until_s=4000.0, record=path)
    with Reader(path) as reader:
        assert not reader.frame(1500.0).values["gpu.temp_c"].any()
        assert reader.frame(4000.0).values["gpu.temp_c"].min() > 20.0


def test_what_was_done_counts_by_the_plan_it_was_done_under() -> None:
    scene = load(Path(__file__).parents[2] / "scenes" / "nvl72-row.twin.yaml").scenario
    engine = Engine(scene)
    engine.advance(20_000.0)
    row = engine.jobs.rows[0]
    before = engine.jobs.goodput(row, 20_000.0)
    take(engine, edit(20_000.0, "drain", ("halls[hall].overrides[gpu/0/0/5].drained", "true")))
    engine.advance(20_001.0)
    row = engine.jobs.rows[0]
    lost = row.lost_gpu_s / (row.gpus * 20_001.0)
    after = engine.jobs.goodput(row, 20_001.0)
    assert before is not None
    assert after == pytest.approx(before - lost, abs=0.005)  # the plan of the edited hall is 11 % slower
    engine.advance(24_000.0)
    again = Engine.restore(scene, engine.snapshot())
    for one in (engine, again):
        one.advance(30_000.0)
    assert engine.jobs.goodput(engine.jobs.rows[0], 30_000.0) == again.jobs.goodput(
        again.jobs.rows[0], 30_000.0
    )
    frame = Frame.empty(engine.layout)
    engine.fill(frame)
    shown = float(frame.values["job.goodput"][0]) / 100
    assert shown == pytest.approx(engine.jobs.goodput(engine.jobs.rows[0], 30_000.0), rel=1e-6)
    assert shown < 1.0
