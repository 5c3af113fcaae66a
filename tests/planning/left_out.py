"""Fits of the stacks of published tables, and the same fits with one model left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from twin.physics.training import step_time
from twin.physics.training_inputs import Profile
from twin.planning.table.estimate_cases import TrainingCase
from twin.planning.table.validation_tables import STEP_TABLES, compare_steps

NOISE = 0.03
"""Relative error of a published step time that the physics cannot explain; larger ones weigh less."""
STEPS = 25
GB200_FLOPS_S = 2450e12

Figures = Mapping[str, float]


@dataclass(frozen=True)
class StackFit:
    """What is fitted to a table, from where, and how far each figure may lie from there (sigma of its logarithm)."""

    table: str
    start: Figures
    width: Figures
    gpus: Sequence[str] = ()
    held: Figures = field(default_factory=dict)

    def cases(self) -> list[tuple[str, TrainingCase]]:
        """Rows of the table as runs, by model."""
        table = next(table for table in STEP_TABLES if table.name == self.table)
        rows = compare_steps(table).rows
        cases = [(row.label.split(",")[0], row.case) for row in rows if row.case is not None]
        return [(model, case) for model, case in cases if not self.gpus or case.calibrated.name in self.gpus]

    def profile(self, case: TrainingCase, figures: Figures) -> Profile:
        """Numbers of a run; `rate_NAME` is how much faster a GPU is than GB200."""
        own = case.calibrated.profile
        changes = {name: value for name, value in figures.items() if not name.startswith("rate_")}
        if any(name.startswith("rate_") for name in self.start):
            rate = figures.get(f"rate_{case.calibrated.name}", 1.0) * GB200_FLOPS_S / own.peak_flops_s
            for name, value in self.held.items():
                changes[name] = value * rate
        return replace(own, **changes)  # type: ignore[arg-type]

    def misfit(
        self, cases: Sequence[tuple[str, TrainingCase]], logs: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Logarithm of predicted over measured step time."""
        figures = dict(zip(self.start, np.exp(logs).tolist(), strict=True))
        return np.array(
            [
                np.log(
                    step_time(
                        case.model, case.parallel, case.stack, self.profile(case, figures), case.network
                    ).step_s
                    / (case.measured_s or np.nan)
                )
                for _, case in cases
            ]
        )

    def fitted(self, cases: Sequence[tuple[str, TrainingCase]]) -> NDArray[np.float64]:
        """Logarithms of the figures that fit, by Gauss-Newton with weights that tame outliers."""
        first = np.log(list(self.start.values()))
        width = np.array([self.width[name] for name in self.start])
        logs = first.copy()
        for _ in range(STEPS):
            misfit = self.misfit(cases, logs)
            slopes = np.empty((len(cases), len(logs)))
            for number in range(len(logs)):
                moved = logs.copy()
                moved[number] += 1e-3
                slopes[:, number] = (self.misfit(cases, moved) - misfit) / 1e-3
            weight = 1.0 / np.maximum(1.0, np.abs(misfit) / (2 * NOISE))
            curve = slopes.T @ (slopes * weight[:, None]) / NOISE**2 + np.diag(width**-2)
            fall = slopes.T @ (misfit * weight) / NOISE**2 + (logs - first) / width**2
            step = np.clip(-np.linalg.solve(curve, fall), -0.4, 0.4)
            logs = logs + step
            if np.abs(step).max() < 1e-4:
                break
        return logs

    def left_out_pct(self) -> NDArray[np.float64]:
        """Errors of the rows of each model, by fits to the rows of all others [%]."""
        cases, errors = self.cases(), []
        for left_out in sorted({model for model, _ in cases}):
            logs = self.fitted([case for case in cases if case[0] != left_out])
            misfit = self.misfit([case for case in cases if case[0] == left_out], logs)
            errors += (100 * (np.exp(misfit) - 1)).tolist()
        return np.array(errors)


FITS = {
    "h100-fsdp": StackFit(
        "fsdp-h100",
        {"flash2_efficiency": 0.18, "fixed_s": 0.01, "gather_exposed": 0.385},
        {"flash2_efficiency": 0.3, "fixed_s": 1.0, "gather_exposed": 1.0},
    ),
    "h100-nemo-24": StackFit(
        "nemo-24.12",
        {"loss_bytes": 20.0, "attention_efficiency": 0.513, "gemm_efficiency": 0.744},
        {"loss_bytes": 0.7, "attention_efficiency": 0.1, "gemm_efficiency": 0.05},
    ),
    "b200-nemo-25": StackFit(
        "nemo-25",
        {"fp8_efficiency": 0.8039, "attention_efficiency": 0.513},
        {"fp8_efficiency": 0.1, "attention_efficiency": 0.25},
        gpus=("b200-nemo-25",),
    ),
    "gb200-bridge": StackFit(
        "bridge-dense",
        {
            "fp8_efficiency": 0.98,
            "mxfp8_efficiency": 0.93,
            "rate_b200": 0.96,
            "rate_gb300": 1.2,
            "gather_exposed": 0.3,
            "cast_bytes": 4.0,
        },
        {
            "fp8_efficiency": 0.2,
            "mxfp8_efficiency": 0.1,
            "rate_b200": 0.1,
            "rate_gb300": 0.1,
            "gather_exposed": 0.5,
            "cast_bytes": 1.0,
        },
        held={"gemm_efficiency": 0.65, "attention_efficiency": 0.513},
    ),
    "a100-zero3": StackFit(
        "zero3-a100",
        {"gather_efficiency": 0.1, "gather_exposed": 0.4},
        {"gather_efficiency": 1.0, "gather_exposed": 1.0},
    ),
    "mi325x": StackFit("mi325x", {"gemm_efficiency": 0.5562}, {"gemm_efficiency": 0.15}),
}
"""By the profile that holds what was fitted."""
