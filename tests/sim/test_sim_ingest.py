"""Jobs that live from their storage: tiers, sharing, checkpoints beside reads, and what the ledger says of it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from sim_scenes import (
    RECOVERY,
    WORKLOAD,
    assert_books_close,
    causes,
    events,
    frame,
    inject,
    job,
    run_to_state,
    shipped,
    times,
    tiny,
)
from usual_cases import usually

from twin.physics.storage import limited_bytes_s, store_load
from twin.record.channels import JobState
from twin.scenario import set_value
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine

NONE = {"interval": "none"}
EPOCH_STEPS = 200
SAMPLES = 64  # of a step of one node: 8 GPUs x 8


def reading(needs_gb_s: float, id: str = "train", nodes: int = 1, **more: Any) -> dict[str, Any]:
    """Return a job whose every node asks for about so much at full speed, with a data set of 200 steps."""
    step_s = bare_step_s()
    sample = needs_gb_s * 1e9 * step_s / SAMPLES
    said = {key: more.pop(key) for key in ("node_cache", "host_cache", "shuffle", "operation") if key in more}
    workload = WORKLOAD | {"sample": sample, "dataset": sample * SAMPLES * nodes * EPOCH_STEPS} | said
    one = {"workload": workload, "storage": "pfs", "checkpoint": NONE, "recovery": RECOVERY}
    return job(nodes, id=id, **(one | more))


@cache
def bare_step_s() -> float:
    return Engine(tiny(nodes=1, jobs=(job(1),))).jobs.work[0].step_s


def store(read: str = "10 GB/s", write: str = "5 GB/s", **more: Any) -> dict[str, Any]:
    return {"id": "pfs", "read": read, "write": write} | more


def hall(*jobs: dict[str, Any], stores: tuple[dict[str, Any], ...] = (store(),), **more: Any) -> Scenario:
    return tiny(**({"nodes": 4, "jobs": jobs, "storage": list(stores), "duration": "3 day"} | more))


def running(scene: Scenario, steps: int = 20) -> Engine:
    """Return a run in which the first job has taken some steps."""
    engine = Engine(scene, 1)
    run_to_state(engine, JobState.RUNNING)
    engine.advance(engine.now_s + 1)
    engine.advance(engine.now_s + steps * engine.jobs.pace[0].step_s)
    return engine


def wait_s(engine: Engine, index: int = 0) -> float:
    return float(frame(engine).values["job.input_wait_s"][index])


def step_s(engine: Engine, index: int = 0) -> float:
    return engine.jobs.pace[index].step_s


def in_epoch(engine: Engine, epoch: int) -> Engine:
    """Run on into the middle of an epoch of the first job."""
    steps = engine.plans[0].epoch_steps
    assert steps is not None
    while engine.jobs.progress_at(engine.jobs.rows[0], engine.now_s) < (epoch + 0.5) * steps:
        engine.advance(engine.now_s + 10 * step_s(engine))
    return engine


# --- one job


def test_a_store_that_is_fast_enough_costs_nothing() -> None:
    engine = running(hall(reading(9.0)))
    assert wait_s(engine) == 0.0
    assert engine.summary()["ledger_gpu_s"]["input_wait"] == 0.0
    assert not events(engine, "input_bound")


def test_a_step_lasts_as_long_as_its_reads_do() -> None:
    engine = running(hall(reading(20.0)))
    assert step_s(engine) == pytest.approx(engine.jobs.work[0].ingest_bytes / 10e9)
    parts = engine.summary()["jobs"][0]["step_parts_s"]
    assert parts["input_wait"] == pytest.approx(wait_s(engine), rel=1e-6)
    assert sum(parts.values()) == pytest.approx(step_s(engine))
    assert_books_close(engine)


def test_the_event_says_what_is_short_and_comes_once() -> None:
    engine = in_epoch(running(hall(reading(20.0))), 1)
    (said,) = events(engine, "input_bound")
    assert said.text.startswith("train is input-bound: ")
    assert said.text.endswith("step waits on pfs (10 GB/s, 1 job)")


def test_operations_limit_small_reads() -> None:
    fast = hall(reading(5.0, operation="1 MB"), stores=(store(iops="10000 /s"),))
    slow = hall(reading(5.0, operation="100 kB"), stores=(store(iops="10000 /s"),))
    assert wait_s(running(fast)) == 0.0
    engine = running(slow)
    delivered = float(limited_bytes_s(10e9, 10000, 100e3))
    assert step_s(engine) == pytest.approx(engine.jobs.work[0].ingest_bytes / delivered)
    assert frame(engine).values["store.iops"][0] == pytest.approx(10000)
    assert frame(engine).values["store.load"][0] == pytest.approx(100)


def test_an_object_store_answers_late_when_objects_are_small() -> None:
    scene = hall(reading(5.0, operation="100 kB"), stores=(store(kind="object", first_byte="40 ms"),))
    engine = running(scene)
    rate = 8 * 16 * 100e3 / 0.040  # 16 requests of each GPU
    assert step_s(engine) == pytest.approx(engine.jobs.work[0].ingest_bytes / rate)
    assert wait_s(running(hall(reading(5.0, operation="8 MB"), stores=(store(first_byte="40 ms"),)))) == 0.0


# --- tiers


def node_cache(share: float, needs_gb_s: float = 20.0) -> str:
    return f"{share * needs_gb_s * bare_step_s() * EPOCH_STEPS} GB"


def test_what_lies_on_the_nodes_is_not_read_again() -> None:
    engine = running(hall(reading(20.0, node_cache=node_cache(0.25))))
    first = step_s(engine)
    later = step_s(in_epoch(engine, 1))
    assert later == pytest.approx(0.75 * first)
    whole = in_epoch(running(hall(reading(20.0, node_cache=node_cache(1.0)))), 1)
    assert wait_s(whole) == 0.0
    assert frame(whole).values["store.read_bytes_s"][0] == 0.0
    assert [event.kind for event in events(whole, "input_bound", "input_free")] == [
        "input_bound",
        "input_free",
    ]


def test_host_memory_and_drives_add_up_no_further_than_the_larger() -> None:
    both = reading(20.0, node_cache=node_cache(0.25), host_cache=node_cache(0.25))
    assert step_s(in_epoch(running(hall(both)), 1)) == pytest.approx(0.75 * 20 / 10 * bare_step_s(), rel=1e-6)


def test_in_order_a_cache_that_is_a_little_too_small_serves_nothing() -> None:
    trap = running(hall(reading(20.0, node_cache=node_cache(0.95), shuffle="none")))
    first = step_s(trap)
    assert step_s(in_epoch(trap, 1)) == first
    fits = in_epoch(running(hall(reading(20.0, node_cache=node_cache(1.01), shuffle="none"))), 1)
    assert wait_s(fits) == 0.0


def test_drives_of_the_nodes_have_a_limit_too() -> None:
    engine = in_epoch(running(hall(reading(200.0, node_cache=node_cache(1.0, 200.0)))), 1)
    assert step_s(engine) == pytest.approx(engine.jobs.work[0].ingest_bytes / 54e9)


def test_a_file_system_is_filled_from_the_object_store_behind_it() -> None:
    lake = {"id": "lake", "part": "Object-store-node", "count": 1, "backs": "pfs"}  # 5 GB/s
    engine = running(hall(reading(9.0), stores=(store(write="100 GB/s"), lake)))
    assert step_s(engine) == pytest.approx(engine.jobs.work[0].ingest_bytes / 5e9)
    values = frame(engine).values
    assert values["store.read_bytes_s"].tolist() == pytest.approx([5e9, 5e9])
    assert values["store.write_bytes_s"].tolist() == pytest.approx([5e9, 0.0])  # what it reads it keeps
    assert events(engine, "input_bound")[0].text.endswith("waits on lake (5 GB/s, 1 job)")
    later = frame(in_epoch(engine, 1)).values
    assert wait_s(engine) == 0.0
    assert later["store.read_bytes_s"].tolist() == pytest.approx([9e9, 0.0], rel=0.05)


def test_a_file_system_keeps_no_more_than_it_holds() -> None:
    half = f"{0.5 * 9.0 * bare_step_s() * EPOCH_STEPS} GB"
    lake = {"id": "lake", "kind": "object", "read": "2 GB/s", "write": "2 GB/s", "backs": "pfs"}
    engine = in_epoch(running(hall(reading(9.0), stores=(store(capacity=half), lake))), 1)
    assert step_s(engine) == pytest.approx(0.5 * engine.jobs.work[0].ingest_bytes / 2e9)


# --- several


def test_jobs_share_a_store_and_get_the_rest_when_one_ends() -> None:
    short = reading(20.0, id="b", steps=100)
    engine = running(hall(reading(20.0, id="a"), short, reading(1.0, id="c")))
    rate = 4.5e9  # 10 less 1, by two
    for index in (0, 1):
        assert step_s(engine, index) == pytest.approx(engine.jobs.work[index].ingest_bytes / rate, rel=0.02)
    assert wait_s(engine, 2) == 0.0
    assert frame(engine).values["store.read_bytes_s"][0] == pytest.approx(10e9)
    run_to_state(engine, JobState.DONE, 1)
    engine.advance(engine.now_s + 1)
    assert step_s(engine) == pytest.approx(engine.jobs.work[0].ingest_bytes / 9e9, rel=0.02)
    assert_books_close(engine)


def test_who_is_interrupted_leaves_its_share_to_others() -> None:
    engine = running(hall(reading(20.0, id="a"), reading(20.0, id="b")))
    shared = step_s(engine)
    inject(engine, f"{engine.now_s + 5} s fail gpu/0/1/0")
    engine.advance(engine.now_s + 6)
    assert engine.jobs.rows[1].state != JobState.RUNNING
    assert step_s(engine) == pytest.approx(shared / 2)


# --- checkpoints beside reads

SIZE_BYTES = 14e9  # of the job of WORKLOAD


def saving(pause_s: float, drain_s: float, interval_s: float = 600.0, **more: Any) -> dict[str, Any]:
    said = {"interval": f"{interval_s} s", "pause": f"{pause_s} s", "drain": f"{drain_s} s", "storage": "pfs"}
    return job(1, id="saver", checkpoint=said, **more)


def written(engine: Engine) -> tuple[float, float]:
    """Return when the first checkpoint of the first job began and when it was safe [s]."""
    begun = run_to_state(engine, JobState.CHECKPOINT)
    while not events(engine, "checkpoint"):
        engine.advance(engine.timers.next_s())
    return begun, times(engine, "checkpoint")[0]


def test_an_undisturbed_write_takes_what_was_said() -> None:
    for pause_s, drain_s in ((10.0, 0.0), (5.0, 30.0)):
        begun, safe = written(Engine(hall(saving(pause_s, drain_s)), 1))
        assert safe - begun == pytest.approx(pause_s + drain_s, abs=1e-6)


def test_a_write_is_no_faster_than_its_store() -> None:
    begun, safe = written(Engine(hall(saving(1.0, 0.0), stores=(store(write="1 GB/s"),)), 1))
    assert safe - begun == pytest.approx(14.0)


def test_a_drain_and_reads_slow_one_another() -> None:
    """A write that asks for 4 of 5 GB/s beside a reader that asks for 20 of 10: r = w, r/10 + w/5 = 1."""
    scene = hall(saving(0.5, 3.0), reading(20.0, id="reader"))
    engine = Engine(scene, 1)
    engine.advance(600.0)
    undisturbed = step_s(engine, 1)
    begun = run_to_state(engine, JobState.CHECKPOINT)
    engine.advance(begun + 1.0)
    assert step_s(engine, 1) == pytest.approx(3 * undisturbed)
    values = frame(engine).values
    assert values["store.read_bytes_s"][0] == pytest.approx(10e9 / 3)
    assert values["store.write_bytes_s"][0] == pytest.approx(10e9 / 3)
    assert values["store.load"][0] == pytest.approx(100)
    while not events(engine, "checkpoint"):
        engine.advance(engine.timers.next_s())
    assert engine.now_s - begun == pytest.approx(SIZE_BYTES / (10e9 / 3))
    engine.advance(engine.now_s + 0.1)
    assert step_s(engine, 1) == pytest.approx(undisturbed)
    assert len(events(engine, "input_bound")) == 1  # it waited before and after


def test_drains_that_overlap_become_safe_in_order() -> None:
    """Each alone takes 14 s of a store of 1 GB/s and a new one comes every 10 s: ever more are under way."""
    scene = hall(saving(1.0, 2.0, interval_s=10.0), stores=(store(write="1 GB/s"),))
    engine = Engine(scene, 1)
    run_to_state(engine, JobState.CHECKPOINT)
    engine.advance(engine.now_s + 120.0)
    row = engine.jobs.rows[0]
    assert len(row.in_flight) > 2
    steps = [event.data["step"] for event in events(engine, "checkpoint")]
    assert steps == sorted(steps)
    assert len(steps) > 2
    (figures,) = engine.summary()["stores"]
    assert figures["write_mean_bytes_s"] * engine.now_s == pytest.approx(120e9)
    assert_books_close(engine)


def test_a_failure_in_a_long_drain_costs_the_checkpoint_in_it() -> None:
    engine = Engine(hall(saving(1.0, 2.0), stores=(store(write="100 MB/s"),)), 1)
    begun = run_to_state(engine, JobState.CHECKPOINT)
    inject(engine, f"{begun + 60} s fail gpu/0/0/0")
    engine.advance(begun + 61)
    assert engine.jobs.rows[0].durable == 0.0
    assert engine.stores.writes == []
    assert frame(engine).values["store.write_bytes_s"][0] == 0.0


def test_a_restart_loads_at_what_the_others_leave() -> None:
    def restart(*others: dict[str, Any]) -> float:
        recovery = {key: value for key, value in RECOVERY.items() if key != "load"}
        engine = Engine(hall(saving(1.0, 2.0, recovery=recovery), *others), 1)
        inject(engine, "400 s fail gpu/0/0/0")
        engine.advance(1200.0)
        return times(engine, "job_resumed")[0] - 400.0

    alone = restart()
    assert restart(reading(20.0, id="reader")) - alone == pytest.approx(SIZE_BYTES / 5e9 - SIZE_BYTES / 10e9)


# --- the run as a whole


def busy(seed: int = 0) -> Scenario:
    """Return a hall whose store is short: readers, late drains, failures."""
    jobs = (
        reading(
            8.0, id="a", checkpoint={"interval": "300 s", "pause": "2 s", "drain": "3 s", "storage": "pfs"}
        ),
        reading(8.0, id="b", steps=4000, node_cache=node_cache(0.5, 8.0)),
        reading(6.0, id="c", nodes=2, checkpoint={"interval": "200 s", "pause": "1 s", "storage": "pfs"}),
    )
    lake = {"id": "lake", "kind": "object", "read": "6 GB/s", "write": "6 GB/s", "backs": "pfs"}
    failures = {"lemons": seed % 2 == 1, "repair_constant": "1 h", "causes": causes(1.5)}
    stores = (store(write="1 GB/s"), lake)
    return hall(*jobs, nodes=6, stores=stores, failures=failures, duration="12 h")


@pytest.mark.parametrize("seed", usually(range(2), 1))
def test_books_close_while_a_store_is_short(seed: int) -> None:
    engine = Engine(busy(seed), seed)
    rng = np.random.default_rng(seed)
    while engine.now_s < 8 * 3600:
        engine.advance(engine.now_s + rng.exponential(900.0))
        assert_books_close(engine)
        values = frame(engine).values
        assert (values["store.load"] <= 100).all()
        moved = values["store.read_bytes_s"][0], values["store.write_bytes_s"][0]
        assert store_load(*moved, 10e9, 1e9) <= 1 + 1e-6
    assert engine.summary()["ledger_gpu_s"]["input_wait"] > 0
    assert any(write.late for write in engine.stores.writes) or len(events(engine, "checkpoint")) > 10


def test_saved_and_resumed_in_a_late_drain_it_is_the_same_run() -> None:
    scene = busy()
    whole = Engine(scene, 3)
    at = None
    while at is None:
        whole.advance(whole.timers.next_s())
        if any(write.late for write in whole.stores.writes) and whole.now_s > 3600:
            at = whole.now_s
    resumed = Engine.restore(scene, whole.snapshot())
    whole.advance(6 * 3600)
    resumed.advance(6 * 3600)
    assert resumed.event_hash() == whole.event_hash()
    assert resumed.summary() == whole.summary()
    assert at < 6 * 3600


def test_means_and_peaks_of_a_store() -> None:
    engine = running(hall(reading(5.0)), steps=200)
    (one,) = engine.summary()["stores"]
    done = engine.jobs.progress_at(engine.jobs.rows[0], engine.now_s)
    read_bytes = engine.jobs.work[0].ingest_bytes * done
    assert one["read_mean_bytes_s"] * engine.now_s == pytest.approx(read_bytes, rel=1e-3)
    assert one["read_max_bytes_s"] == pytest.approx(5e9, rel=0.05)  # a cold start clocks a little higher
    assert one["load_max"] == pytest.approx(0.5, rel=0.05)
    assert one["write_max_bytes_s"] == 0.0


def test_text_needs_next_to_nothing() -> None:
    text = Engine(shipped("superpod-h100"), 1)
    video = Engine(shipped("video-ingest"), 1)
    per_gpu = []
    for engine in (text, video):
        run_to_state(engine, JobState.RUNNING)
        engine.advance(engine.now_s + 600)
        work = engine.jobs.work[0]
        per_gpu.append(work.ingest_bytes / work.step_s / engine.jobs.rows[0].gpus)
    assert 0 < per_gpu[0] < 50e3
    assert per_gpu[1] > 1e4 * per_gpu[0]
    assert frame(text).values["store.read_bytes_s"][0] < 1e-3 * 125e9
    assert text.summary()["ledger_gpu_s"]["input_wait"] == 0.0


# --- the shipped scene


@cache
def video(*settings: tuple[str, str]) -> tuple[float, float, float]:
    """Return the wait in a step of the first and of the second epoch [s], and its share of ten hours."""
    scene = shipped("video-ingest")
    for path, value in settings:
        scene = set_value(scene, path, value)
    engine = Engine(scene, 1)
    engine.advance(3600.0)
    first = wait_s(engine)
    engine.advance(36000.0)
    share = engine.summary()["jobs"][0]["input_wait"]
    return first, wait_s(in_epoch(engine, 1)), share


def test_video_training_is_input_bound() -> None:
    first, second, share = video()
    assert first == pytest.approx(2.52, abs=0.03)
    assert second == pytest.approx(0.57, abs=0.03)
    assert share > 0.3


def test_more_storage_feeds_it() -> None:
    assert video(("storage[gpfs].count", "3")) == (0.0, 0.0, 0.0)


def test_without_its_local_drives_it_is_worse() -> None:
    first, second, share = video(("jobs[perception].workload.node_cache", "0 B"))
    assert second == pytest.approx(first, rel=0.01)
    assert share > video()[2]


def test_a_larger_cache_frees_the_second_epoch() -> None:
    first, second, _ = video(("jobs[perception].workload.node_cache", "30 TB"))
    assert first == pytest.approx(video()[0])
    assert second == 0.0
