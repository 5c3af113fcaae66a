"""Fitting a profile to a user's own measured runs: a few effective numbers, held towards those of the base.

The logarithm of predicted over measured step time is made small by Gauss-Newton steps on the logarithms of the
numbers, each with a prior around the base: what the runs do not tell stays as it was.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from twin.physics.training import step_time
from twin.physics.training_inputs import Profile
from twin.planning.profile.figures import ProfileFigure
from twin.planning.profile.profile_file import write_profile
from twin.planning.profile.profiles import CalibratedProfile
from twin.planning.table.estimate_cases import Errors, TrainingCase, errors_of

NOISE = 0.02
"""Relative error of a step time that the physics cannot explain, and of its measurement (one sigma)."""

PRIORS: Mapping[str, float] = {
    "gemm_efficiency": 0.4,
    "fp8_efficiency": 0.1,
    "attention_efficiency": 0.15,
    "hbm_efficiency": 0.1,
    "scale_out_efficiency": 0.15,
    "tensor_exposed": 0.3,
    "fixed_s": 0.7,
    "jitter_per_doubling": 0.7,
}
"""How far each number may lie from that of the base, one sigma of its logarithm (estimated)."""

RUNS_FOR_ALL = 3
"""Runs from which more than the efficiency of matrix products is fitted."""

_SHARES = (
    "gemm_efficiency",
    "fp8_efficiency",
    "attention_efficiency",
    "hbm_efficiency",
    "scale_out_efficiency",
)
_LEAST_EFFICIENCY = 0.05
_STEPS = 25
_HALVINGS = 10
_SETTLED = 1e-5
_UNCHANGED = 1e-3


class CalibrationError(ValueError):
    """No profile can be fitted to the runs; the message says what is needed."""


@dataclass(frozen=True, slots=True)
class FittedProfile:
    """A profile fitted to runs.

    Attributes
    ----------
    base
        Profile it started from.
    profile
        The fitted numbers.
    moved
        Field of `Profile` -> (number of the base, fitted number), for those the runs moved.
    before, after
        Errors over the runs with the base's and with the fitted numbers.
    left_out
        Errors of each run predicted by a fit to the others; none for a single run.
    """

    base: CalibratedProfile
    profile: Profile
    moved: Mapping[str, tuple[float, float]]
    before: Errors
    after: Errors
    left_out: Errors | None

    @property
    def runs(self) -> int:
        """Runs fitted to."""
        return self.after.rows


def calibrate(cases: Sequence[TrainingCase], base: CalibratedProfile) -> FittedProfile:
    """Return the profile that fits measured runs.

    Parameters
    ----------
    cases
        Runs with their measured step time, made with the base.
    base
        Profile to start from.

    Raises
    ------
    CalibrationError
        When there is no run, or none that this hardware can have made.
    """
    if not cases:
        raise CalibrationError("no run with a measured step time; fill column step_time_s")
    fit = _Fit(cases, base.profile)
    logs = fit.solve()
    profile = fit.profile(logs)
    _refuse_impossible(profile)
    before, after = fit.errors(base.profile), fit.errors(profile)
    moved = {
        name: (getattr(base.profile, name), getattr(profile, name))
        for name, log in zip(fit.names, logs, strict=True)
        if abs(log) > _UNCHANGED
    }
    kept = {name: getattr(base.profile, name) for name in fit.names if name not in moved}
    return FittedProfile(base, replace(profile, **kept), moved, before, after, _left_out(fit, logs))


class _Fit:
    """The runs, the numbers that may move, and how they are moved."""

    def __init__(self, cases: Sequence[TrainingCase], base: Profile) -> None:
        self.cases, self.base = cases, base
        self.measured_s = np.array([case.measured_s or math.nan for case in cases])
        if not np.isfinite(self.measured_s).all():
            raise CalibrationError("a run has no measured step time; fill column step_time_s")
        self.names = self._free()
        self.prior = np.array([PRIORS[name] for name in self.names])

    def _free(self) -> tuple[str, ...]:
        """Return the numbers that may move: those the runs can tell apart, and that are not 0 in the base."""
        names = ["gemm_efficiency"]
        if len(self.cases) >= RUNS_FOR_ALL:
            precisions = {case.stack.precision for case in self.cases}
            names += [
                name
                for name in PRIORS
                if name not in names and (name != "fp8_efficiency" or len(precisions) > 1)
            ]
        return tuple(name for name in names if getattr(self.base, name) > 0)

    def profile(self, logs: NDArray[np.float64]) -> Profile:
        """Return the profile with its free numbers multiplied by ``exp(logs)``; shares stay below 1."""
        numbers = {}
        for name, log in zip(self.names, logs, strict=True):
            value = getattr(self.base, name) * math.exp(log)
            # the efficiency of matrix products is left to run over, as that is how impossible runs are known
            numbers[name] = min(value, 1.0) if name in _SHARES[1:] else value
        return replace(self.base, **numbers)

    def misfit(self, profile: Profile) -> NDArray[np.float64]:
        """Return log(predicted / measured) of each run, shape (runs,)."""
        predicted_s = [
            step_time(case.model, case.parallel, case.stack, profile, case.network).step_s
            for case in self.cases
        ]
        misfit: NDArray[np.float64] = np.log(np.array(predicted_s) / self.measured_s)
        return misfit

    def errors(self, profile: Profile) -> Errors:
        """Return the errors of a profile over all runs."""
        errors = errors_of(np.exp(self.misfit(profile)).tolist())
        assert errors is not None
        return errors

    def solve(self) -> NDArray[np.float64]:
        """Return the logarithms that fit the runs, by damped Gauss-Newton from the base."""
        logs = np.zeros(len(self.names))
        misfit = self.misfit(self.profile(logs))
        for _ in range(_STEPS):
            step = self.step(misfit, self.slopes(logs, misfit), logs)
            loss = self._loss(misfit, logs)
            for _ in range(_HALVINGS):
                tried = self.misfit(self.profile(logs + step))
                if self._loss(tried, logs + step) <= loss:
                    break
                step /= 2
            else:
                return logs
            logs, misfit = logs + step, tried
            if np.abs(step).max() < _SETTLED:
                break
        return logs

    def step(
        self, misfit: NDArray[np.float64], slopes: NDArray[np.float64], logs: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the Gauss-Newton step that runs with these misfits and slopes ask for, held by the prior."""
        residual, jacobian = misfit / NOISE, slopes / NOISE
        gradient = jacobian.T @ residual + logs / self.prior**2
        return np.linalg.solve(jacobian.T @ jacobian + np.diag(self.prior**-2.0), -gradient)

    def _loss(self, misfit: NDArray[np.float64], logs: NDArray[np.float64]) -> float:
        return float(((misfit / NOISE) ** 2).sum() + ((logs / self.prior) ** 2).sum())

    def slopes(self, logs: NDArray[np.float64], misfit: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return d misfit / d logs, shape (runs, numbers)."""
        width = 1e-4
        columns = []
        for place in range(len(logs)):
            moved = logs.copy()
            moved[place] -= width
            columns.append((misfit - self.misfit(self.profile(moved))) / width)
        return np.stack(columns, axis=1)


def _left_out(fit: _Fit, logs: NDArray[np.float64]) -> Errors | None:
    """Return the errors of each run as a fit to the others predicts it: one Gauss-Newton step from the full fit."""
    if len(fit.cases) < 2:
        return None
    misfit = fit.misfit(fit.profile(logs))
    slopes = fit.slopes(logs, misfit)
    unseen = [
        misfit[run] + slopes[run] @ fit.step(np.delete(misfit, run), np.delete(slopes, run, axis=0), logs)
        for run in range(len(misfit))
    ]
    return errors_of(np.exp(unseen).tolist())


def _refuse_impossible(profile: Profile) -> None:
    share = profile.gemm_efficiency
    if share > 1.0:
        raise CalibrationError(
            f"the runs are faster than the hardware: {share:.2f} of its peak in matrix products; check step_time_s "
            "(seconds for one step), gpus, global_batch and precision"
        )
    if share < _LEAST_EFFICIENCY:
        raise CalibrationError(
            f"the runs reach {100 * share:.1f} % of the peak in matrix products; check step_time_s (seconds for one "
            "step), gpus and global_batch"
        )


_UNITS: Mapping[str, str] = {"fixed_s": "s"}


def fitted_figures(calibration: FittedProfile, file: str, date: str) -> dict[str, ProfileFigure]:
    """Return the moved numbers with their source, rounded to four digits.

    Parameters
    ----------
    calibration
        What was fitted.
    file, date
        Where the runs are from, and when they were fitted.
    """
    known = {field.name for field in fields(Profile)}
    runs = f"{calibration.runs} run{'s' if calibration.runs > 1 else ''}"
    source = f"own runs: {file}, {date}, {runs}, fitted from profile {calibration.base.name}"
    figures = {}
    for name, (_, value) in calibration.moved.items():
        assert name in known
        rounded = float(f"{value:.4g}")
        unit = _UNITS.get(name, "")
        figures[name] = ProfileFigure(rounded, f"{rounded} {unit}".strip(), source, "fitted")
    return figures


def save_calibration(calibration: FittedProfile, path: Path, file: str, date: str) -> None:
    """Write the fitted profile; it extends its base and holds the moved numbers only.

    Parameters
    ----------
    calibration
        What was fitted.
    path
        A file there is replaced once the new one is complete.
    file, date
        Where the runs are from, and when they were fitted.
    """
    base = calibration.base
    error = calibration.left_out or calibration.after
    kind = "held-out runs" if calibration.left_out else "its only run"
    write_profile(
        path,
        title=f"{base.title}, calibrated on own runs",
        extends=base.name,
        gpus=base.gpus,
        notes=f"Fitted to {calibration.runs} own runs of {file}, {date}; mean error {error.mape_pct:.1f} % on {kind}.",
        figures=fitted_figures(calibration, file, date),
        confidence="own runs",
    )


def worth_words(runs: int) -> str:
    """Return a sentence on the accuracy of a profile calibrated on a number of runs.

    Held against the H100 rows of NVIDIA dgxc-benchmarking: fitted to the smallest run of a model, the mean error on
    its other runs is 0.4-4.0 %; on other models 2-10 %.
    """
    own = "one of your runs" if runs == 1 else f"{runs} of your runs"
    return (
        f"calibrated on {own}: expect 1-4 % on the rest of the scale (the same models on more or fewer GPUs); "
        "uncalibrated 5-10 %"
    )
