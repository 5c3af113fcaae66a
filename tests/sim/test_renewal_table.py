"""ETTR of the engine against the exact renewal form, for twenty combinations of rate, interval, pause and restart.

Constant restart, unlimited spares, blocking writes. Many small jobs of one node run beside each other: each is a
renewal process of its own, so that a few days give hundreds of failures of every combination.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from sim_scenes import assert_books_close, job, tiny

from twin.physics.checkpoint import renewal_ettr
from twin.scenario.document import Scenario
from twin.sim.engine import Engine

RATES = (4.0, 24.0)  # failures of a node per day
INTERVALS = (300.0, 1800.0)
PAUSES_RESTARTS = ((0.0, 60.0), (10.0, 0.0), (10.0, 600.0), (60.0, 120.0), (300.0, 300.0))
COMBINATIONS = [
    (rate, interval, *two) for rate, interval, two in itertools.product(RATES, INTERVALS, PAUSES_RESTARTS)
]


def scene(rate: float, days: float, copies: int) -> Scenario:
    """Return all combinations of one rate, each `copies` times on a node of its own; what fails is back at once."""
    work = {"kind": "load", "gpu": "50 %", "step": "10 s"}
    jobs: list[dict[str, Any]] = []
    for k, (_, interval, pause, restart) in enumerate(c for c in COMBINATIONS if c[0] == rate):
        for copy in range(copies):
            checkpoint = {"interval": f"{interval} s", "pause": f"{pause} s"}
            recovery = {"constant": f"{restart} s"}
            jobs.append(job(1, id=f"j-{k}-{copy}", workload=work, checkpoint=checkpoint, recovery=recovery))
    failures = {
        "repair_constant": "0 s",
        "causes": [{"id": "bug", "rate": f"{rate} per node-day", "repair": "restart"}],
    }
    return tiny(nodes=len(jobs), jobs=tuple(jobs), failures=failures, duration=f"{days} day")


def table(rate: float, days: float, copies: int) -> list[tuple[float, float, float]]:
    """Return (mean ETTR, its standard error, exact) of every combination of one rate."""
    engine = Engine(scene(rate, days, copies), 7)
    engine.advance(engine.end_s)
    assert_books_close(engine)
    found = np.array([one["ettr"] for one in engine.summary()["jobs"]]).reshape(-1, copies)
    rows = []
    for k, (_, interval, pause, restart) in enumerate(c for c in COMBINATIONS if c[0] == rate):
        exact = float(renewal_ettr(interval, pause, restart, rate / 86400.0))
        error = float(found[k].std(ddof=1)) / np.sqrt(copies)
        rows.append((float(found[k].mean()), error, exact))
    return rows


@pytest.mark.parametrize("rate", RATES)
def test_each_combination_lies_within_its_scatter(rate: float) -> None:
    for mean, error, exact in table(rate, days=1, copies=3):
        assert abs(mean - exact) <= max(0.003, 4 * error + 0.002)


@pytest.mark.slow
@pytest.mark.parametrize("rate", RATES)
def test_each_combination_is_exact_to_three_tenths_of_a_point(rate: float) -> None:
    for mean, error, exact in table(rate, days=6, copies=12):
        assert abs(mean - exact) <= max(0.003, 3 * error)
