"""ETTR of the engine against the exact renewal form."""

from __future__ import annotations

import numpy as np
import pytest
from sim_scenes import job, tiny

from twin.physics.checkpoint import renewal_ettr
from twin.scenario.schema.document import Scenario
from twin.sim.engine.engine import Engine

RESTART_S, PAUSE_S, INTERVAL_S = 60.0, 10.0, 300.0
PER_NODE_DAY = 10.0


def scene(days: float) -> Scenario:
    """Return two nodes with two more than enough spares, which fail some twenty times a day."""
    steady = job(
        checkpoint={"interval": f"{INTERVAL_S} s", "pause": f"{PAUSE_S} s"},
        recovery={"constant": f"{RESTART_S} s"},
    )
    rate = f"{PER_NODE_DAY / 2} per node-day"
    causes = [{"id": "gpu", "rate": rate, "repair": "gpu"}, {"id": "bug", "rate": rate, "repair": "restart"}]
    failures = {"repair_constant": "10 s", "causes": causes}
    return tiny(nodes=4, jobs=(steady,), failures=failures, duration=f"{days} day")


def ettr(one: Scenario, seed: int) -> tuple[float, float]:
    """Return (ETTR, its exact expectation at the mean work between writes of the run)."""
    engine = Engine(one, seed)
    engine.advance(engine.end_s)
    figures = engine.summary()
    assert figures["thermal"]["throttle_gpu_s"] == 0
    steps = engine.plans[0].checkpoint_steps
    assert steps is not None
    tau_s = steps * engine.jobs.pace[0].step_s
    exact = float(renewal_ettr(tau_s, PAUSE_S, RESTART_S, 2 * PER_NODE_DAY / 86400.0))
    return figures["jobs"][0]["ettr"], exact


def test_a_few_seeds_lie_within_their_own_scatter() -> None:
    one = scene(1)
    pairs = np.array([ettr(one, seed) for seed in range(3)])
    off = pairs[:, 0] - pairs[:, 1]
    assert abs(off.mean()) < 4 * off.std(ddof=1) / np.sqrt(len(off)) + 0.003


@pytest.mark.slow
def test_forty_seeds_lie_within_three_tenths_of_a_point() -> None:
    one = scene(8)
    pairs = np.array([ettr(one, seed) for seed in range(40)])
    assert abs(pairs[:, 0].mean() - pairs[:, 1].mean()) < 0.003
