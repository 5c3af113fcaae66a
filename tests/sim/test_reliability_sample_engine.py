"""The Monte Carlo fast path tells the same as the engine, and both tell what the exact formulae do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sim_scenes import tiny
from usual_cases import usually

from twin.physics import reliability
from twin.physics.checkpoint import daly_interval_s, renewal_ettr
from twin.planning.risk.reliability_model import ReliabilityModel, SampledCause
from twin.planning.risk.reliability_sample import (
    DAY_S,
    best_interval_s,
    sample,
    spread,
    with_checkpoints,
)
from twin.sim.engine.engine import Engine

STEP_S = 60.0
"""Of work that is known by its power alone."""
SEEDS = 40
RUNS = 4000


def engine_runs(
    nodes: int,
    spares: int,
    *,
    causes: list[dict[str, Any]],
    days: float,
    interval_s: float,
    pause_s: float = 0.0,
    drain_s: float = 0.0,
    recovery: dict[str, Any] | None = None,
    seeds: int = SEEDS,
    **failures: Any,
) -> list[dict[str, Any]]:
    """Return the summary of the engine of each seed."""
    one = {
        "id": "run",
        "nodes": nodes,
        "workload": {"kind": "load", "gpu": "10 %"},
        "checkpoint": {"interval": f"{interval_s} s", "pause": f"{pause_s} s", "drain": f"{drain_s} s"},
        "recovery": recovery or {"constant": "60 s"},
    }
    scene = tiny(
        nodes=nodes + spares,
        jobs=(one,),
        duration=f"{days} day",
        failures={"causes": causes} | failures,
    )
    found = []
    for seed in range(seeds):
        engine = Engine(scene, seed)
        engine.advance(engine.end_s)
        found.append(engine.summary())
    return found


def agree(engine: list[float], fast: np.ndarray, least: float) -> None:
    """Check that two samples have one mean within 3 standard errors of their difference, or `least`."""
    a, b = spread(engine), spread(fast)
    assert abs(a.mean - b.mean) < max(3 * float(np.hypot(a.error, b.error)), least), (a, b)


def test_a_constant_restart_with_spares_enough_agrees() -> None:
    rate = "1 per node-day"
    runs = engine_runs(
        8,
        0,
        causes=[{"id": "bug", "rate": rate, "repair": "restart"}],
        days=2,
        interval_s=600,
        pause_s=10,
        seeds=12,
    )
    model = ReliabilityModel(8, 0, (SampledCause(1 / DAY_S),), 2 * DAY_S, 60.0, 60.0)
    history = sample(model, RUNS)
    agree([one["ettr"] for one in runs], with_checkpoints(history, 600, 10).ettr, 0.0005)
    agree([one["interruptions"]["unexpected"] for one in runs], history.unexpected, 0.1)


@pytest.mark.slow
def test_few_spares_and_long_repairs_agree() -> None:
    """The heavy-tailed repairs of a GPU: the job waits for a spare much of the time, or not at all."""
    causes = [{"id": "gpu", "rate": "0.02 per node-day", "repair": "gpu"}]
    recovery = {
        "detect": "100 s", "swap": "300 s", "container": "60 s", "init": "30 s", "warmup": "10 s"
    }  # fmt: skip
    runs = engine_runs(
        16, 3, causes=causes, days=30, interval_s=3600, pause_s=60, recovery=recovery, seeds=16
    )
    cause = SampledCause(0.02 / DAY_S, reliability.REPAIR_CLASSES["gpu"].repair, 100.0)
    history = sample(ReliabilityModel(16, 3, (cause,), 30 * DAY_S, 100.0, 100.0, 300.0), RUNS)
    agree([one["ettr"] for one in runs], with_checkpoints(history, 3600, 60).ettr, 0.0005)
    agree([one["interruptions"]["unexpected"] for one in runs], history.unexpected, 0.1)
    reserved = [one["ledger_gpu_s"]["idle_reserved"] / one["gpus"] / 30 / DAY_S for one in runs]
    assert spread(history.waiting_s).mean > 0.02 * 30 * DAY_S
    agree(
        reserved, history.waiting_s / 30 / DAY_S * 15 / 19, 0.01
    )  # it holds 15 of 16 while it waits for one
    in_repair = [one["ledger_gpu_s"]["idle_in_repair"] / one["gpus"] * 19 / 30 / DAY_S for one in runs]
    agree(in_repair, history.down, 0.05)
    agree([one["failures"]["down"]["mean"] for one in runs], history.down, 0.05)


def test_long_drains_agree() -> None:
    causes = [{"id": "bug", "rate": "2 per node-day", "repair": "restart"}]
    runs = engine_runs(8, 0, causes=causes, days=2, interval_s=600, pause_s=5, drain_s=900, seeds=12)
    history = sample(ReliabilityModel(8, 0, (SampledCause(2 / DAY_S),), 2 * DAY_S, 60.0, 60.0), RUNS)
    agree([one["ettr"] for one in runs], with_checkpoints(history, 600, 5, 900).ettr, 0.0005)
    assert (
        with_checkpoints(history, 600, 5).ettr.mean()
        > with_checkpoints(history, 600, 5, 900).ettr.mean() + 0.02
    )


@pytest.mark.slow
def test_lemons_agree() -> None:
    causes = [{"id": "gpu", "rate": "0.1 per node-day", "repair": "gpu"}]
    runs = engine_runs(32, 16, causes=causes, days=20, interval_s=3600, lemons=True, repair_constant="20 h")
    model = ReliabilityModel(
        32, 16, (SampledCause(0.1 / DAY_S, 20 * 3600.0),), 20 * DAY_S, 60.0, 60.0, lemons=True
    )
    history = sample(model, RUNS)
    agree([one["interruptions"]["unexpected"] for one in runs], history.unexpected, 0.5)
    agree([one["ettr"] for one in runs], with_checkpoints(history, 3600, 0).ettr, 0.001)


# --- the exact form of a renewal process: constant restart, unlimited spares, blocking

COMBINATIONS = [
    (rate, interval, pause, restart)
    for rate, interval in ((5, 600), (10, 300), (20, 600), (40, 180), (40, 1200))
    for pause, restart in ((0, 60), (10, 300), (60, 0), (120, 600))
]
"""Failures a day of the job, and interval, pause, restart [s]."""


def _off(
    rate: float, interval: float, pause: float, restart: float, strikes: int, seeds: int
) -> tuple[float, float]:
    """Return how far the engine's ETTR is off the exact one, and the standard error of that."""
    runs = engine_runs(
        2,
        0,
        causes=[{"id": "bug", "rate": f"{rate / 2} per node-day", "repair": "restart"}],
        days=strikes / rate,
        interval_s=interval,
        pause_s=pause,
        recovery={"constant": f"{restart} s"},
        seeds=seeds,
    )
    figure = spread([one["ettr"] for one in runs])
    return figure.mean - float(renewal_ettr(interval, pause, restart, rate / DAY_S)), figure.error


@pytest.mark.parametrize("combination", [COMBINATIONS[k] for k in (1, 16)])
def test_the_engine_meets_the_exact_renewal_form(combination: tuple[int, int, int, int]) -> None:
    off, error = _off(*combination, strikes=40, seeds=5)
    assert abs(off) < 0.003 + 3 * error, (off, error)


@pytest.mark.slow
@pytest.mark.parametrize("combination", COMBINATIONS)
def test_the_engine_meets_the_exact_renewal_form_closely(combination: tuple[int, int, int, int]) -> None:
    off, error = _off(*combination, strikes=200, seeds=8)
    assert abs(off) <= max(0.003, 3 * error), (off, error)
    assert error < 0.01


@pytest.mark.parametrize("combination", usually(zip(COMBINATIONS), [(each,) for each in COMBINATIONS[::5]]))
def test_the_fast_path_meets_the_exact_renewal_form(combination: tuple[int, int, int, int]) -> None:
    rate, interval, pause, restart = combination
    model = ReliabilityModel(
        2, 0, (SampledCause(rate / 2 / DAY_S),), 400 / rate * DAY_S, float(restart), float(restart)
    )
    figure = spread(with_checkpoints(sample(model, 1000), interval, pause).ettr)
    off = figure.mean - float(renewal_ettr(interval, pause, restart, rate / DAY_S))
    assert abs(off) <= max(0.003, 3 * figure.error)
    assert figure.error < 0.001


@pytest.mark.parametrize("pause_s", [5.0, 20.0, 60.0, 150.0, 300.0])
def test_a_sweep_finds_dalys_optimum(pause_s: float) -> None:
    model = ReliabilityModel(2048, 0, (SampledCause(3.8e-3 / DAY_S),), 54 * DAY_S, 180.0, 180.0)
    best_s = best_interval_s(sample(model, 200), pause_s)
    assert best_s == pytest.approx(daly_interval_s(pause_s, model.mean_between_s), rel=0.1)


@pytest.mark.slow
def test_a_sweep_of_the_engine_finds_dalys_optimum() -> None:
    """The same failures at every interval, which a parabola over its logarithm then ranks."""
    rate, pause_s = 24.0, 60.0
    intervals = np.array([480, 660, 900, 1260, 1740, 2400, 3300, 4500, 6000])
    means = []
    for interval_s in intervals.tolist():
        runs = engine_runs(
            2,
            0,
            causes=[{"id": "bug", "rate": f"{rate / 2} per node-day", "repair": "restart"}],
            days=20,
            interval_s=interval_s,
            pause_s=pause_s,
            seeds=4,
        )
        means.append(np.mean([one["ettr"] for one in runs]))
    fit = np.polyfit(np.log(intervals), means, 3)
    grid = np.linspace(np.log(intervals[0]), np.log(intervals[-1]), 2000)
    best_s = float(np.exp(grid[np.argmax(np.polyval(fit, grid))]))
    assert best_s == pytest.approx(daly_interval_s(pause_s, DAY_S / rate), rel=0.1)


def test_without_failures_ettr_is_the_share_of_work_in_a_cycle_exactly() -> None:
    tau_s, pause_s = 600.0, 40.0
    rounds = 45
    horizon_s = rounds * (tau_s + pause_s)
    (run,) = engine_runs(
        2, 0, causes=[], days=horizon_s / DAY_S, interval_s=tau_s, pause_s=pause_s,
        recovery={"constant": "0 s"}, seeds=1,
    )  # fmt: skip
    assert run["ettr"] == pytest.approx(tau_s / (tau_s + pause_s), abs=1e-12)
    history = sample(ReliabilityModel(2, 0, (), horizon_s), 3)
    assert with_checkpoints(history, tau_s, pause_s).ettr == pytest.approx(
        tau_s / (tau_s + pause_s), abs=1e-12
    )
