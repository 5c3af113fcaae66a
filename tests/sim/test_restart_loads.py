"""What a restart reads back comes through its store beside all that reads and writes there, until it is there."""

from __future__ import annotations

from typing import Any

import pytest
from edit_scenes import edit, take
from sim_scenes import WORKLOAD, assert_books_close, events, finding, inject, job, run_to_state, times, tiny

from twin.record.channels import JobState
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine

SIZE = 112427270144.0
"""State of the jobs of the scenes `storm4` and `ld` [B]."""
AT_ONCE = {"detect": "0 s", "swap": "0 s", "container": "0 s", "init": "0 s", "warmup": "0 s"}


def away(engine: Engine, part: str = "load") -> list[float]:
    return [one["away_s"][part] for one in engine.summary()["jobs"]]


def ran(name: str, *lines: str) -> Engine:
    engine = inject(Engine(finding(name)), *lines)
    engine.advance(engine.end_s)
    return engine


def jobs_on(store: dict[str, Any], *jobs: dict[str, Any], **more: Any) -> Scenario:
    """Return jobs of one node each that save to one store and load from it."""
    return tiny(len(jobs) + 2, jobs, storage=[{"id": "pfs", "write": "5 GB/s"} | store], **more)


def saving(id: str, **more: Any) -> dict[str, Any]:
    checkpoint = {"interval": "600 s", "pause": "10 s", "storage": "pfs"}
    return job(1, id, checkpoint=checkpoint, recovery=AT_ONCE | more)


def test_four_loads_at_once_share_the_store_and_stand_in_its_figures() -> None:
    engine = ran("storm4")
    assert away(engine) == pytest.approx([4 * SIZE / 2e9] * 4, rel=1e-9)
    (figures,) = engine.summary()["stores"]
    assert figures["read_max_bytes_s"] == pytest.approx(2e9)
    assert figures["read_mean_bytes_s"] * engine.now_s == pytest.approx(4 * SIZE, rel=1e-9)
    lasted = engine.summary()["ledger_gpu_s"]["restart_and_load"]
    assert lasted == pytest.approx(4 * 8 * 4 * SIZE / 2e9, rel=1e-9)
    assert_books_close(engine)


def test_loads_that_come_one_after_the_other_share_while_both_go_on() -> None:
    scene = finding("storm4")
    late = [
        one.model_copy(update={"at_s": 1600.0 + 20.0 * i}) for i, one in enumerate(scene.interventions[:2])
    ]
    engine = Engine(scene.model_copy(update={"interventions": tuple(late)}))
    engine.advance(engine.end_s)
    alone_s = SIZE / 2e9
    # The first has 20 s alone, then both share; what the second has left it reads alone.
    assert away(engine)[:2] == pytest.approx([2 * alone_s - 20, 2 * alone_s - 20], rel=1e-9)
    assert away(engine)[2:] == [0.0, 0.0]


def test_a_load_beside_the_end_of_a_drain_is_slow_for_that_moment_only() -> None:
    scene = finding("ld")
    early = scene.interventions[0].model_copy(update={"at_s": 1413.3})
    engine = Engine(scene.model_copy(update={"interventions": (early,)}))
    engine.advance(engine.end_s)
    drained_s = next(event.t_s for event in events(engine, "checkpoint") if event.t_s > 1413.3)
    beside_s = drained_s - 1413.3  # of that a third goes to the write, which costs twice
    assert 0.5 < beside_s < 1.0
    assert away(engine)[0] == pytest.approx(SIZE / 2e9 + beside_s * 2 / 3, abs=1e-6)


def test_alone_it_takes_what_its_store_or_its_own_limit_gives() -> None:
    for limit, rate in (({}, 2e9), ({"load": "500 MB/s"}, 5e8)):
        scene = jobs_on({"read": "2 GB/s"}, saving("a", **limit))
        engine = inject(Engine(scene), "2000 s fail gpu/0/0/0 for=1h")
        engine.advance(4000.0)
        assert away(engine) == [engine.jobs.work[0].checkpoint_bytes / rate]
        assert times(engine, "job_resumed") == [2000.0 + away(engine)[0]]
        assert engine.summary()["stores"][0]["read_max_bytes_s"] == rate


def test_the_parts_of_a_restart_keep_their_order() -> None:
    parts = {"detect": "10 s", "swap": "40 s", "container": "50 s", "init": "20 s", "warmup": "30 s"}
    scene = jobs_on({"read": "2 GB/s"}, saving("a", **parts), saving("b", **parts))
    engine = inject(Engine(scene), "2000 s fail gpu/0/0/0 for=1h", "2000 s fail gpu/0/1/0 for=1h")
    alone_s = engine.jobs.work[0].checkpoint_bytes / 2e9
    engine.advance(2000.0 + 119.0)
    assert engine.stores.loads == []
    engine.advance(2000.0 + 121.0)
    assert [load.job for load in engine.stores.loads] == [0, 1]
    assert engine.summary()["jobs"][0]["away_s"] == pytest.approx(
        dict(zip(AWAY_PARTS, (10, 40, 50, 20, 1, 0, 0, 0, 0), strict=True))
    )
    engine.advance(4000.0)
    assert times(engine, "job_resumed") == pytest.approx([2000.0 + 120.0 + 2 * alone_s + 30.0] * 2)


AWAY_PARTS = ("detect", "swap", "container", "init", "load", "warmup", "constant", "wait", "queue")


@pytest.mark.parametrize("how", ["fail gpu/0/2/1 for=1h", "cancel j1", "requeue j1"])
def test_a_load_that_is_cut_off_leaves_the_store_to_the_others(how: str) -> None:
    """All four read a quarter of the rate for 100 s, then three a third."""
    scene = finding("storm4")
    engine = inject(Engine(scene), f"1700 s {how}")
    engine.advance(1699.0)
    second = engine.jobs.rows[1]
    if how.startswith("fail"):
        assert engine.plant.nodes.ids[second.nodes[0]] == "gpu/0/2/1"
    engine.advance(1701.0)
    assert [load.job for load in engine.stores.loads if load.left_bytes < SIZE / 2] == []
    others = [load for load in engine.stores.loads if load.job != 1]
    assert len(others) == 3
    engine.advance(engine.end_s)
    share_s = 100 / 4  # of the store's time that each has had
    if how.startswith("cancel"):
        wanted = 100 + 3 * (SIZE / 2e9 - share_s)
        assert [away(engine)[i] for i in (0, 2, 3)] == pytest.approx([wanted] * 3, rel=1e-9)
    assert not engine.stores.loads
    assert engine.timers.due_s("load", 1) is None
    assert_books_close(engine)


def test_a_load_slows_those_that_read_their_input() -> None:
    eager = WORKLOAD | {"sample": "20 MB"}
    reads = job(1, "reads", workload=eager, storage="pfs", checkpoint={"interval": "none"})
    scene = jobs_on({"read": "2 GB/s"}, reads, saving("a"))
    engine = Engine(scene)
    run_to_state(engine, JobState.RUNNING)
    engine.advance(1000.0)
    asked = engine.stores.readers[0].granted
    assert 1e9 < asked < 2e9
    inject(engine, "1000 s fail gpu/0/1/0 for=1h")
    engine.advance(1001.0)
    assert engine.stores.readers[0].granted == pytest.approx(1e9)
    assert engine.stores.loads[0].rate_bytes_s == pytest.approx(1e9)
    assert engine.summary()["jobs"][0]["step_parts_s"]["input_wait"] > 0
    engine.advance(2000.0)
    assert engine.stores.readers[0].granted == pytest.approx(asked, rel=1e-3)


def test_a_snapshot_in_a_load_goes_on_as_if_there_had_been_none() -> None:
    scene = finding("storm4")
    whole = Engine(scene)
    for at_s in (1600.0, 1650.0, 1700.0):
        whole.advance(at_s)
        assert len(whole.stores.loads) == 4
        again = Engine.restore(scene, whole.snapshot())
        again.advance(again.end_s)
        reference = Engine(scene)
        reference.advance(reference.end_s)
        assert again.event_hash() == reference.event_hash()
        assert again.summary() == reference.summary()


def test_an_edit_of_the_hall_lets_loads_go_on() -> None:
    scene = finding("storm4")
    engine = Engine(scene)
    engine.advance(1650.0)
    take(engine, edit(1660.0, "more", ("cooling.loops[crah].units", "5")))
    engine.advance(engine.end_s)
    assert away(engine) == pytest.approx([4 * SIZE / 2e9] * 4, rel=1e-9)
