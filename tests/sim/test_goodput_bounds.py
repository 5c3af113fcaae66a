"""Goodput is measured by the very GPUs of a run: at most 1, and at most what stalls and lost work have left."""

from __future__ import annotations

import pytest
from sim_scenes import causes, finding, frame, inject, job, tiny

from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine

STALLS = ("detection", "restart_and_load", "lost_work", "checkpoint_stall")


def closes(engine: Engine) -> float:
    """Check that no job has more goodput than its time leaves it; return the run's."""
    figures, booked = engine.summary(), engine.summary()["ledger_gpu_s"]
    held = 0.0
    for row, said in zip(engine.jobs.rows, figures["jobs"], strict=True):
        spent = engine.jobs.spent(row) + engine.jobs.spends(row) * (engine.now_s - row.since_s)
        held += float(spent.sum())
        assert said["goodput"] <= said["ettr"] <= 1.0
    stalled = sum(booked[name] for name in STALLS)
    assert figures["goodput"] <= min(1.0, 1 - stalled / held + 1e-12)
    assert frame(engine).values["site.goodput"][0] == pytest.approx(100 * figures["goodput"], rel=1e-6)
    return float(figures["goodput"])


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 50), marks=pytest.mark.slow)])
def test_with_nothing_lost_it_is_at_most_one_whatever_the_dies(seeds: range) -> None:
    scene = finding("gp")
    for seed in seeds:
        engine = Engine(scene, seed)
        for hour in (0.01, 1.0, 2.0):
            engine.advance(3600.0 * hour)
            assert closes(engine) == pytest.approx(1.0, abs=5e-3)


def test_better_and_worse_dies_have_the_same_goodput() -> None:
    """In a room as warm as the reference nobody is capped by it: steps differ by the dies, goodput does not."""
    warm = finding("gp")
    loop = warm.cooling.loops[0].model_copy(update={"supply_c": 30.0})
    warm = warm.model_copy(update={"cooling": warm.cooling.model_copy(update={"loops": (loop,)})})
    engine = Engine(warm, 1)
    engine.advance(engine.end_s)
    paces = [pace.step_s for pace in engine.jobs.pace]
    assert max(paces) / min(paces) > 1.005
    found = [one["goodput"] for one in engine.summary()["jobs"]]
    assert max(found) - min(found) < 1e-3
    assert 0.98 < min(found) < 1.0
    closes(engine)


def failing() -> Scenario:
    return tiny(4, (job(2), job(1, "other")), failures={"causes": causes(0.3)}, duration="6 day")


def test_failures_swaps_and_edits_keep_it_below_what_they_leave() -> None:
    engine = inject(
        Engine(failing(), 3), "40 h drain gpu/0/0/0 for=10h", "60 h power_cap all value=500W for=5h"
    )
    for day in range(1, 7):
        engine.advance(86400.0 * day)
        assert closes(engine) < 0.99
    assert engine.summary()["interruptions"]["unexpected"] > 3
