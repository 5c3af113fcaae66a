"""The four fitted figures of experts, fitted again without one model of Megatron-Bridge, and judged on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from twin.physics import experts, training_layer
from twin.physics.training import step_time
from twin.planning.table.estimate_cases import TrainingCase
from twin.planning.table.validation_tables import STEP_TABLES, compare_steps

FIGURES = {
    "ACTIVATION_BYTES": (experts, experts.ACTIVATION_BYTES),
    "GROUPED_SHARE": (experts, experts.GROUPED_SHARE),
    "HOST_S": (experts, experts.HOST_S),
    "COUNT_STOP_S": (training_layer, training_layer.COUNT_STOP_S),
}
GOAL_PCT = 13.0
FACTORS = (0.8, 1.25, 0.93, 1.08)
ROUNDS = 10
START = {"ACTIVATION_BYTES": 10.0, "GROUPED_SHARE": 1.0, "HOST_S": 2e-3, "COUNT_STOP_S": 1e-3}
CLIPPED = 0.4
"""Error that counts at most in a fit: a regression of one release must not carry it away."""


@pytest.fixture
def shipped() -> Iterator[None]:
    yield
    for name, (module, value) in FIGURES.items():
        setattr(module, name, value)


def cases() -> list[tuple[str, TrainingCase]]:
    table = next(table for table in STEP_TABLES if table.name == "experts-bridge")
    rows = compare_steps(table).rows
    return [(row.label.split(",")[0], row.case) for row in rows if row.case is not None]


def errors(runs: Sequence[TrainingCase]) -> NDArray[np.float64]:
    ours = [
        step_time(run.model, run.parallel, run.stack, run.calibrated.profile, run.network).step_s
        for run in runs
    ]
    return np.array(ours) / np.array([run.measured_s for run in runs]) - 1


def fit(runs: Sequence[TrainingCase]) -> None:
    """Set the figures to what suits some runs, one after the other."""

    def misfit() -> float:
        return float(np.minimum(np.abs(errors(runs)), CLIPPED).mean())

    for name, (module, _shipped) in FIGURES.items():
        setattr(module, name, START[name])
    least = misfit()
    for _ in range(ROUNDS):
        for name, (module, _shipped) in FIGURES.items():
            for factor in FACTORS:
                before = getattr(module, name)
                setattr(module, name, factor * before)
                now = misfit()
                if now < least:
                    least = now
                else:
                    setattr(module, name, before)


@pytest.mark.slow
@pytest.mark.parametrize("left_out", ["qwen3-30b-a3b", "gpt-oss-120b"])
def test_models_of_experts_left_out_of_the_fit(left_out: str, shipped: None) -> None:
    runs = cases()
    fit([case for model, case in runs if model != left_out])
    seen = errors([case for model, case in runs if model == left_out])
    found = {name: getattr(module, name) for name, (module, _) in FIGURES.items()}
    print(left_out, found)
    print(f"{len(seen)} rows, mean {100 * np.abs(seen).mean():.2f} %, bias {100 * seen.mean():+.2f} %")
    assert 100 * np.abs(seen).mean() < 1.5 * GOAL_PCT
