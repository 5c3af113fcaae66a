"""Jobs that go on with fewer nodes: which belong together, what a step is then, and that the books stay exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sim_scenes import RECOVERY, assert_books_close, events, inject, job, times, tiny
from usual_cases import usually

from twin.record.channels import JobState
from twin.sim.engine.engine import Engine
from twin.sim.jobs.elastic import ReplicaNodes, widths

LLM = {
    "kind": "llm",
    "model": "llama3-8b",
    "global_batch": 24,
    "sequence": 2048,
    "parallelism": {"tensor": 8},
}


def elastic(
    policy: str, nodes: int = 4, workload: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    return job(
        nodes,
        recovery=RECOVERY | {"policy": policy} | more,
        **({} if workload is None else {"workload": workload}),
    )


def test_places_that_share_a_replica_stand_and_fall_together() -> None:
    # Four replicas of two stages, a node each: data first, so the second stage is four places on.
    cut = ReplicaNodes(nodes=8, per_node=8, replicas=4, stages=2)
    assert cut.part.tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    assert (cut.unit, cut.parts) == (2, 4)
    lost = np.arange(8) == 5
    assert cut.whole(lost).tolist() == [True, False, True, True, True, False, True, True]
    assert cut.narrowed(6).part.tolist() == [0, 1, 2, 0, 1, 2]
    # Pipeline first: neighbours.
    assert ReplicaNodes(8, 8, 4, 2, data_first=False).part.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    # Four replicas to a node fall with it; two replicas that share experts fall together.
    assert ReplicaNodes(2, 8, 8).part.tolist() == [0, 1]
    assert ReplicaNodes(4, 8, 4, bound=2).part.tolist() == [0, 0, 1, 1]
    # A replica over three nodes of which the middle one belongs to two: one part.
    assert ReplicaNodes(3, 8, 2).part.tolist() == [0, 0, 0]
    assert list(widths(7, 2, 3)) == [6, 4]
    assert list(widths(7, 2, None)) == [6, 4, 2]
    assert list(widths(3, 4, None)) == []


def test_only_the_part_that_was_hit_reads_and_joins_again() -> None:
    cut = ReplicaNodes(nodes=8, per_node=8, replicas=4, stages=2)
    one = np.arange(8) == 5
    assert cut.share_hit(one, "none") == 1.0
    assert cut.share_hit(one, "replica") == 0.25
    assert cut.share_hit(one, "pipeline") == 0.125
    assert cut.share_hit(np.arange(8) >= 4, "pipeline") == 0.5
    assert cut.share_hit(np.zeros(8, bool), "replica") == 1.0


def test_a_partial_restart_is_shorter_by_what_the_others_need_not_do() -> None:
    def away(partial: str) -> dict[str, float]:
        engine = inject(
            Engine(tiny(nodes=6, jobs=(elastic("spare", partial=partial),))), "1000 s fail gpu/0/1/0"
        )
        engine.advance(2000.0)
        assert_books_close(engine)
        figures: dict[str, float] = engine.summary()["jobs"][0]["away_s"]
        return figures

    whole, part = away("none"), away("replica")
    assert (whole["load"], whole["init"]) == (14.0, 20.0)
    assert (part["load"], part["init"]) == (3.5, 5.0)
    for same in ("detect", "swap", "container", "warmup"):
        assert whole[same] == part[same] > 0


def test_a_job_shrinks_and_grows_again() -> None:
    one = elastic("shrink", workload=LLM)
    engine = inject(Engine(tiny(nodes=4, jobs=(one,))), "1000 s fail gpu/0/1/0 for=1h")
    engine.advance(2000.0)
    row = engine.jobs.rows[0]
    assert (row.width, row.held, row.state) == (3, 24, JobState.RUNNING)
    full, narrow = engine.jobs.planned[0], engine.jobs.work[0]
    # The same batch on three quarters of the GPUs: as much work in a step, which takes longer by up to a third.
    assert narrow.model_flop == pytest.approx(full.model_flop)
    assert 1.1 < narrow.step_s / full.step_s < 1.4
    assert narrow.parts.sum() == pytest.approx(narrow.step_s)
    assert_books_close(engine)
    engine.advance(3 * 3600.0)
    assert (row.width, row.held) == (4, 32)
    assert len(times(engine, "job_grown")) == 1
    assert engine.jobs.work[0].step_s == pytest.approx(full.step_s)
    assert_books_close(engine)


def test_a_dropped_replica_costs_a_step_and_its_samples() -> None:
    one = elastic("drop-replica", workload=LLM)
    engine = inject(Engine(tiny(nodes=4, jobs=(one,))), "1000 s fail gpu/0/1/0 for=1h")
    engine.advance(1000.5)
    row, full = engine.jobs.rows[0], engine.jobs.planned[0]
    before = row.progress
    assert before == pytest.approx(900 / engine.jobs.pace[0].step_s, abs=30)
    engine.advance(1500.0)
    assert (row.width, row.state) == (3, JobState.RUNNING)
    assert times(engine, "job_resumed") == [1010.0]  # noticed after 10 s, and on at once
    assert engine.summary()["ledger_gpu_s"]["lost_work"] <= 32 * full.step_s
    # Three replicas step as fast as four and do three quarters of the samples: progress is in full batches.
    narrow = engine.jobs.work[0]
    assert narrow.step_s / full.step_s == pytest.approx(4 / 3, rel=0.05)
    assert narrow.model_flop == pytest.approx(full.model_flop)
    assert_books_close(engine)
    engine.advance(3 * 3600.0)
    assert row.width == 4
    assert_books_close(engine)


def test_more_lost_than_it_can_do_without_goes_back_to_a_checkpoint() -> None:
    one = elastic("drop-replica", workload=LLM, minimum=3)
    lines = ("1000 s fail gpu/0/1/0 for=1h", "1004 s fail gpu/0/2/0 for=1h")
    engine = inject(Engine(tiny(nodes=4, jobs=(one,))), *lines)
    engine.advance(1200.0)
    row = engine.jobs.rows[0]
    assert row.state == JobState.WAITING
    assert row.progress == engine.plans[0].checkpoint_steps
    engine.advance(2 * 3600.0)
    assert row.width == 4
    assert_books_close(engine)


def test_patience_comes_first() -> None:
    one = elastic("shrink", workload=LLM, patience="500 s")
    engine = inject(Engine(tiny(nodes=4, jobs=(one,))), "1000 s fail gpu/0/1/0 for=1h")
    engine.advance(2500.0)
    assert times(engine, "waiting_for_spare") == [1010.0]
    assert times(engine, "job_shrunk") == [1510.0]
    assert_books_close(engine)
    back = inject(Engine(tiny(nodes=4, jobs=(one,))), "1000 s fail gpu/0/1/0 for=400s")
    back.advance(2500.0)
    assert times(back, "job_shrunk") == []
    assert times(back, "spare_taken") == [1400.0]
    assert_books_close(back)


def test_a_job_on_part_of_a_node_goes_back_to_the_queue_with_it() -> None:
    load = {"kind": "load", "gpu": "70 %"}
    none = {"interval": "none"}
    jobs = (
        job(1, id="two", gpus=2, workload=load, checkpoint=none),
        job(1, id="slice", mig="3g.40gb", workload=load, checkpoint=none),
        job(1, id="six", gpus=5, workload=load, checkpoint=none),
    )
    engine = Engine(tiny(nodes=2, jobs=jobs))
    engine.advance(500.0)
    node = {row.nodes[0] for row in engine.jobs.rows}
    assert len(node) == 1
    assert [row.held for row in engine.jobs.rows] == pytest.approx([2, 3 / 7, 5])
    name = engine.plant.nodes.ids[node.pop()]
    inject(engine, f"1000 s fail {name} for=1h")
    engine.advance(1500.0)
    assert len(times(engine, "job_requeued")) == 3
    assert all(row.requeues == 1 and row.state == JobState.RUNNING for row in engine.jobs.rows)
    booked = engine.summary()["ledger_gpu_s"]
    assert sum(booked.values()) == pytest.approx(16 * 1500.0, rel=1e-9)
    assert booked["lost_work"] == pytest.approx((2 + 3 / 7 + 5) * 900.0, rel=1e-9)


@pytest.mark.parametrize("policy", usually(["shrink", "drop-replica", "requeue"], ["shrink"]))
def test_a_snapshot_at_any_moment_gives_the_same_run(policy: str) -> None:
    one = tiny(nodes=4, jobs=(elastic(policy, workload=LLM),))
    lines = ("1000 s fail gpu/0/1/0 for=1h", "1005 s fail gpu/0/2/0 for=2h", "4000 s fail gpu/0/0/0 for=0s")
    whole = inject(Engine(one), *lines)
    whole.advance(4 * 3600.0)
    assert_books_close(whole)
    assert events(whole, "job_resumed")
    for stop_s in (1002.0, 1012.0, 1050.0, 3000.0, 4610.0, 4700.0, 9000.0):
        half = inject(Engine(one), *lines)
        half.advance(stop_s)
        assert_books_close(half)
        again = Engine.restore(one, half.snapshot())
        again.advance(4 * 3600.0)
        assert again.event_hash() == whole.event_hash()
