"""Nothing gets lost: GPU-seconds and joules add up at any moment of any run."""

from __future__ import annotations

import numpy as np
import pytest
from sim_scenes import WORKLOAD, assert_books_close, causes, events, inject, job, liquid, shipped, tiny
from usual_cases import usually

from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine

TINY_TARGETS = {
    "fail": ("gpu/0/0/0", "gpu/0/3/0", "gpu/0/5/0", "gpu/0/2", "gpu/0"),
    "drain": ("gpu/0/1/0", "gpu/0/4/0", "gpu/0/5"),
    "undrain": ("gpu/0/1/0", "gpu/0"),
    "fan_stop": ("crah/0",),
    "heat_rejection_loss": ("water",),
    "power_cap": ("all", "a", "b"),
}
LIQUID_TARGETS = {
    "fail": ("gpu/0/0/3", "gpu/0/1/7", "gpu/0/0"),
    "drain": ("gpu/0/0/0", "gpu/0/1/0"),
    "pump_stop": ("cdu/0", "cdu/1"),
    "heat_rejection_loss": ("water",),
    "power_cap": ("all",),
}


def unruly(seed: int) -> Scenario:
    """Return a scene where each node fails of its own once in a few hours, and jobs come, end and queue."""
    drains = {"interval": "600 s", "pause": "10 s", "drain": f"{(seed % 4) * 250} s"}
    jobs = (
        job(3, id="a", checkpoint=drains),
        job(2, id="b", steps=3000, submit="1 h"),
        job(4, id="c", steps=2000, submit="2 h", workload=WORKLOAD | {"batch_per_gpu": 3}),
    )
    failures = {"lemons": seed % 2 == 1, "repair_constant": "1 h", "causes": causes(1.5)}
    return tiny(nodes=6, jobs=jobs, failures=failures)


def tormented(
    scene: Scenario, seed: int, targets: dict[str, tuple[str, ...]], count: int, cap_w: int = 400
) -> Engine:
    """Return a run of `scene` with random things done to it in the first eight hours."""
    rng = np.random.default_rng(seed)
    engine = Engine(scene, seed)
    for _ in range(count):
        kind = str(rng.choice(list(targets)))
        target = str(rng.choice(targets[kind]))
        options = {
            "fail": rng.choice(["", " cause=gpu", " cause=bug", " cause=hang", " for=20min", " cause=work"]),
            "drain": rng.choice(["", " for=1h"]),
            **dict.fromkeys(
                ("pump_stop", "fan_stop"),
                rng.choice([" for=15s", " for=40s", " for=3min", " for=10min count=1"]),
            ),
            "heat_rejection_loss": rng.choice([" for=5min", " for=30min"]),
            "power_cap": rng.choice([f" value={cap_w}W for=20min", f" value={cap_w + 150}W"]),
        }
        inject(engine, f"{rng.uniform(0, 8 * 3600):.3f} s {kind} {target}{options.get(kind, '')}")
    return engine


@pytest.mark.parametrize("seed", usually(range(4), 1))
def test_books_close_through_random_incidents(seed: int) -> None:
    engine = tormented(unruly(seed), seed, TINY_TARGETS, 25)
    rng = np.random.default_rng(1000 + seed)
    while engine.now_s < 12 * 3600:
        engine.advance(engine.now_s + rng.exponential(900.0))
        assert_books_close(engine)
    assert len(events(engine, "job_interrupted")) > 5


@pytest.mark.parametrize("seed", usually(range(2), 1))
def test_books_close_through_shutdowns_of_liquid_cooling(seed: int) -> None:
    engine = tormented(liquid(), seed, LIQUID_TARGETS, 12, cap_w=900)
    inject(engine, "2 h pump_stop cdu/0 for=2min", "5 h pump_stop cdu/1 for=90s")
    rng = np.random.default_rng(2000 + seed)
    while engine.now_s < 10 * 3600:
        engine.advance(engine.now_s + rng.exponential(1200.0))
        assert_books_close(engine)
    assert events(engine, "shutdown")


@pytest.mark.parametrize("name", ["lab-16", "nvl72-row", "superpod-h100", "video-ingest"])
def test_books_of_the_shipped_scenes_close(name: str) -> None:
    engine = Engine(shipped(name), 1)
    for share in (0.0, 1e-6, 0.3, 1.0):
        engine.advance(share * engine.end_s)
        assert_books_close(engine)


def test_energy_is_the_integral_of_the_power_shown() -> None:
    engine = inject(Engine(tiny(), 1), "1000 s power_cap all value=450W for=500s")
    it_j = facility_j = 0.0
    while engine.now_s < 3600.0:
        before_s, it_w, facility_w = engine.now_s, engine.meter.it_w, engine.meter.facility_w
        engine.advance(engine.timers.next_s())
        it_j += it_w * (engine.now_s - before_s)
        facility_j += facility_w * (engine.now_s - before_s)
    energy = engine.summary()["energy"]
    assert energy["it_j"] == pytest.approx(it_j, rel=1e-6)
    assert energy["facility_j"] == pytest.approx(facility_j, rel=1e-4)
    power = engine.summary()["power"]
    assert power["it_mean_w"] <= power["it_max_w"] <= power["facility_max_w"]


def test_kept_work_and_lost_work_are_all_step_time() -> None:
    engine = tormented(unruly(3), 3, {"fail": TINY_TARGETS["fail"]}, 10)
    engine.advance(40 * 3600.0)
    booked, rows = engine.summary()["ledger_gpu_s"], engine.jobs.rows
    assert booked["lost_work"] == pytest.approx(sum(row.lost_gpu_s for row in rows), rel=1e-12)
    for row, figures in zip(rows, engine.summary()["jobs"], strict=True):
        if row.start_s is None:
            continue
        wall_s = (row.end_s or engine.now_s) - row.start_s
        assert 0 <= figures["ettr"] <= 1
        kept = sum(row.kept) + engine.jobs.provisional_gpu_s(row, engine.now_s).sum()
        assert figures["ettr"] == pytest.approx(kept / (row.gpus * wall_s), rel=1e-12)
        assert figures["steps"] >= row.durable
